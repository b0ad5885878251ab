/* Moments: see moment.h. */
#include "config.h"

#include "ui/list/moment.h"
#include "session/clock/clock_text.h"
#include "session/clock/clocks.h"
#include "session/clock/cycles.h"

#include <string.h>

static const double NANO = 1e9;

/* The moment that a message tells itself. */
static bool
moment_told(const struct list *list, const struct list_lane *lane, const struct message *m,
	    const struct expansion *own, struct moment *moment)
{
	struct message_time time;
	bool any = clocks_time(lane->trace, m, own, &time);
	*moment = (struct moment){.clock = trace_clock(lane->trace), .ticks = m->ticks};
	if (!any || !time.known || (time.plain && list->lane_count == 1))
		return m->flags & MESSAGE_TIMED;
	moment->clock = (struct trace_clock){.hz = NANO, .has_epoch = time.wall};
	moment->before = time.nanoseconds < 0;
	moment->ticks = moment->before ? -(uint64_t)time.nanoseconds : (uint64_t)time.nanoseconds;
	moment->order = time.order;
	moment->common = true;
	return true;
}

bool
moment_of(const struct list *list, const struct list_lane *lane, const struct message *m,
	  const struct expansion *own, struct moment *moment)
{
	struct cycles_estimate estimate;
	if (!cycles_find(lane->trace, m, &estimate))
		return moment_told(list, lane, m, own, moment);
	struct message timed = cycles_timed(m, estimate.ticks);
	bool any = moment_told(list, lane, &timed, own, moment);
	moment->estimated = true;
	return any;
}

bool
moment_of_row(const struct list *list, const struct row *row, struct moment *moment)
{
	return row && row->there &&
	       moment_of(list, &list->lanes[row->lane], &row->message, NULL, moment);
}

/* The first message of a lane that has a moment, near its start. */
static bool
first_of_lane(const struct list *list, const struct list_lane *lane, struct moment *moment)
{
	const struct block *block = reader_block(lane->reader, 0);
	for (size_t i = 0; i < block->count; i++)
		if (moment_told(list, lane, &block->messages[i], NULL, moment))
			return true;
	return false;
}

bool
moment_first(const struct list *list, struct moment *moment)
{
	bool any = false;
	for (size_t i = 0; i < list->lane_count; i++) {
		struct moment own;
		if (!sequence_relates(list->sequence, i, list->lane) ||
		    !first_of_lane(list, &list->lanes[i], &own))
			continue;
		if (!any || own.order < moment->order)
			*moment = own;
		any = true;
	}
	return any;
}

/* --- how a moment is estimated ----------------------------------------- */

enum { ESTIMATED, AFTER, BEFORE, OFF };

static const struct field_row estimate_rows[] = {
    [ESTIMATED] = {"estimated_time", FIELD_GROUP,
		   "when it was sent, by the cycles between two times", .detail = true},
    [AFTER] = {"after", FIELD_TEXT, "the time told before it", .detail = true},
    [BEFORE] = {"before", FIELD_TEXT, "the time told behind it", .detail = true},
    [OFF] = {"off_by_at_most", FIELD_TEXT, "as it lies between the two", .detail = true},
};

static void
add_text(struct expansion *e, int row, const struct text *text)
{
	struct field *field = expansion_add(e, &estimate_rows[row], FIELD_NOWHERE, 0, 0);
	field->s.at = arena_text(&e->arena, text_get(text), text->length);
	field->s.length = text->length;
}

/* Adds when it was TICKS. */
static void
add_moment(const struct list *list, const struct list_lane *lane, const struct message *m,
	   uint64_t ticks, int row, struct expansion *e)
{
	struct message timed = cycles_timed(m, ticks);
	struct moment moment;
	struct text text = {0};
	if (ticks == UINT64_MAX)
		text_add(&text, "no time is told near behind it");
	else if (moment_told(list, lane, &timed, NULL, &moment))
		moment_format(&moment, &text);
	add_text(e, row, &text);
	text_free(&text);
}

static void
add_error(const struct list *list, const struct list_lane *lane, const struct message *m,
	  const struct cycles_estimate *estimate, struct expansion *e)
{
	uint64_t error = cycles_error(estimate);
	struct message first = cycles_timed(m, estimate->from), last = first;
	struct moment from, to;
	struct text text = {0};
	if (__builtin_add_overflow(first.ticks, error, &last.ticks))
		text_add(&text, "nothing limits it");
	else if (moment_told(list, lane, &first, NULL, &from) &&
		 moment_told(list, lane, &last, NULL, &to))
		moment_format_difference(&from, &to, true, &text);
	add_text(e, OFF, &text);
	text_free(&text);
}

void
moment_add(const struct list *list, const struct list_lane *lane, const struct message *m,
	   struct expansion *e)
{
	struct cycles_estimate estimate;
	if (!cycles_find(lane->trace, m, &estimate))
		return;
	expansion_open(e, &estimate_rows[ESTIMATED], FIELD_NOWHERE, 0, 0);
	add_moment(list, lane, m, estimate.from, AFTER, e);
	add_moment(list, lane, m, estimate.to, BEFORE, e);
	add_error(list, lane, m, &estimate, e);
	expansion_close(e);
}

/* --- words ------------------------------------------------------------- */

static void
format_clock(const struct moment *moment, struct text *out)
{
	struct trace_clock clock = moment->clock;
	if (moment->before) {
		text_add_char(out, '-');
		clock.has_epoch = false;
	}
	clock_format(&clock, moment->ticks, out);
}

void
moment_format(const struct moment *moment, struct text *out)
{
	text_add(out, moment->estimated ? "~" : "");
	format_clock(moment, out);
}

void
moment_format_parts(const struct moment *moment, struct text *date, struct text *rest)
{
	struct text whole = {0};
	format_clock(moment, &whole);
	const char *all = text_get(&whole), *blank = strchr(all, ' ');
	if (date && blank)
		text_add_bytes(date, all, (size_t)(blank - all));
	if (rest)
		text_addf(rest, "%s%s", moment->estimated ? "~" : "", blank ? blank + 1 : all);
	text_free(&whole);
}

void
moment_format_beside(const struct moment *moment, const struct moment *here, struct text *out)
{
	struct text date = {0}, same = {0};
	moment_format_parts(moment, &date, NULL);
	if (here)
		moment_format_parts(here, &same, NULL);
	if (!strcmp(text_get(&date), text_get(&same)))
		moment_format_parts(moment, NULL, out);
	else
		moment_format(moment, out);
	text_free(&date);
	text_free(&same);
}

void
moment_format_difference(const struct moment *from, const struct moment *to, bool plain,
			 struct text *out)
{
	if (from->common != to->common || from->clock.hz != to->clock.hz)
		return;
	if (from->estimated || to->estimated)
		text_add_char(out, '~');
	uint64_t first = from->ticks, last = to->ticks;
	if (to->common) { /* both moved up, so that none lies before 0 */
		first = (uint64_t)from->order ^ (uint64_t)1 << 63;
		last = (uint64_t)to->order ^ (uint64_t)1 << 63;
	}
	clock_format_difference(&to->clock, first, last, plain, out);
}
