/*
 * Times and lengths of the timeline.
 */
#include "config.h"

#include "ui/panes/timeline_text.h"
#include "session/clock/clock_text.h"
#include "ui/list/display_time.h"

#include <string.h>

static uint64_t
power_of_ten(int digits)
{
	uint64_t value = 1;
	while (digits-- > 0)
		value *= 10;
	return value;
}

void
timeline_add_time(const struct density_answer *answer, int64_t time, uint64_t step, bool date,
		  struct text *out)
{
	int digits = 9;
	if (answer->unit == TRACK_OFFSETS) {
		text_addf(out, "0x%llx", (unsigned long long)time);
		return;
	}
	if (answer->unit == TRACK_TICKS) {
		text_addf(out, "%lld", (long long)time);
		return;
	}
	while (digits && step % 10 == 0) {
		step /= 10;
		digits--;
	}
	bool before = time < 0;
	uint64_t ns = before ? -(uint64_t)time : (uint64_t)time;
	struct display_time shown = {
	    .clock = {(double)power_of_ten(digits), answer->wall, answer->zone},
	    .ticks = ns / power_of_ten(9 - digits),
	    .before = before};
	size_t start = out->length;
	display_time_format(&shown, out);
	const char *blank = strchr(out->data + start, ' ');
	if (!date && blank) { /* keep the time of day only */
		struct text rest = {0};
		text_add(&rest, blank + 1);
		text_cut(out, start);
		text_add(out, rest.data);
		text_free(&rest);
	}
}

void
timeline_add_length(const struct density_answer *answer, uint64_t length, int digits,
		    struct text *out)
{
	static const struct {
		double least;
		const char *unit;
	} units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {0, "ns"}};
	size_t i = 0;
	if (answer->unit == TRACK_OFFSETS) {
		text_add_size(out, length);
		return;
	}
	if (answer->unit == TRACK_TICKS) {
		text_addf(out, "%llu ticks", (unsigned long long)length);
		return;
	}
	while ((double)length < units[i].least)
		i++;
	double value = (double)length / (units[i].least > 0 ? units[i].least : 1);
	if (value < 1000)
		text_addf(out, "%.*g %s", digits, value, units[i].unit);
	else /* seconds: never with an exponent */
		text_addf(out, "%.0f %s", value, units[i].unit);
}

uint64_t
timeline_round_up(const struct density_answer *answer, double least)
{
	static const double parts[] = {1, 2, 5, 10};
	double ten = 1;
	size_t i = 0;
	if (answer->unit == TRACK_OFFSETS) {
		while (ten < least)
			ten *= 2;
		return ten < 0x1p62 ? (uint64_t)ten : (uint64_t)1 << 62;
	}
	while (ten * 10 < least)
		ten *= 10;
	while (parts[i] * ten < least && i < 3)
		i++;
	return parts[i] * ten < 4e18 ? (uint64_t)(parts[i] * ten) : (uint64_t)4e18;
}

uint64_t
timeline_title_step(const struct density_answer *answer)
{
	return timeline_round_up(answer, (double)answer->window.step / 10);
}

size_t
timeline_common_part(const struct density_answer *answer, int64_t from, int64_t to, uint64_t step)
{
	struct text first = {0}, last = {0};
	size_t common = 0, length = 0;
	timeline_add_time(answer, from, step, false, &first);
	timeline_add_time(answer, to, step, false, &last);
	while (common < first.length && first.data[common] == last.data[common])
		common++;
	for (size_t i = 0; i <= common && i < first.length; i++)
		if (first.data[i] == ':' || first.data[i] == '.')
			length = i;
	length = first.length == last.length && from != to ? length : 0;
	text_free(&first);
	text_free(&last);
	return length;
}
