/* Displayed times: see display_time.h. */
#include "config.h"

#include "ui/list/display_time.h"
#include "query/gap/gap.h"
#include "session/clock/clock_text.h"
#include "session/clock/clocks.h"
#include "session/clock/cycles.h"

#include <string.h>

static const double NANO = 1e9;

enum { CELLS_BACK = 64 /* cells decoded to find a time */ };

/* Return the time that a message itself contains, without interpolation from cycles. */
static bool
display_time_known(const struct list *list, const struct list_lane *lane, const struct message *m,
		   struct display_time *shown)
{
	struct message_time time;
	bool any = clocks_time(lane->trace, m, &time);
	*shown = (struct display_time){.clock = trace_clock(lane->trace),
				       .ticks = m->ticks,
				       .part = any ? time.part : SIZE_MAX};
	if (!any || !time.known || (time.plain && list->lane_count == 1))
		return m->flags & MESSAGE_TIMED;
	shown->clock = (struct trace_clock){
	    .hz = NANO, .has_epoch = time.wall, .zone = trace_zone(lane->trace)};
	shown->before = time.nanoseconds < 0;
	shown->ticks = shown->before ? -(uint64_t)time.nanoseconds : (uint64_t)time.nanoseconds;
	shown->order = time.order;
	shown->estimated = time.estimated;
	shown->common = true;
	return true;
}

bool
display_time_of(const struct list *list, const struct list_lane *lane, const struct message *m,
		struct display_time *shown)
{
	struct cycles_estimate estimate;
	if (!cycles_find(lane->trace, m, &estimate))
		return display_time_known(list, lane, m, shown);
	struct message timed = cycles_timed(m, estimate.ticks);
	bool any = display_time_known(list, lane, &timed, shown);
	shown->estimated = true;
	return any;
}

bool
display_time_of_row(const struct list *list, const struct row *row, struct display_time *shown)
{
	return row && row->there &&
	       display_time_of(list, &list->lanes[row->lane], &row->message, shown);
}

const struct row *
display_time_above(const struct list *list, const struct row *row, struct display_time *shown)
{
	while (row-- > list->rows.at)
		if (display_time_of_row(list, row, shown))
			return row;
	return NULL;
}

/* Return the first time in the first cell of a lane that has messages. */
static bool
first_of_lane(const struct list *list, const struct list_lane *lane, struct display_time *shown)
{
	struct position first;
	if (!reader_first(lane->reader, &first))
		return false;
	const struct decoded_cell *decoded = reader_decoded_cell(lane->reader, first.cell);
	for (size_t i = 0; i < decoded->count; i++)
		if (display_time_known(list, lane, &decoded->messages[i], shown))
			return true;
	return false;
}

bool
display_time_first(const struct list *list, struct display_time *shown)
{
	bool any = false;
	for (size_t i = 0; i < list->lane_count; i++) {
		struct display_time own;
		if (!sequence_relates(list->sequence, i, list->lane) ||
		    !first_of_lane(list, &list->lanes[i], &own))
			continue;
		if (!any || own.order < shown->order)
			*shown = own;
		any = true;
	}
	return any;
}

static bool
has_time(void *context, size_t lane, const struct message *m)
{
	const struct list *list = context;
	struct display_time time;
	return display_time_of(list, &list->lanes[lane], m, &time);
}

bool
display_time_find_before(struct list *list, struct row *row)
{
	struct sequence_position found;
	if (!sequence_find_timed_before(list->sequence, row_position(row), CELLS_BACK, has_time,
					list, &found))
		return false;
	struct reader *reader = list->lanes[found.trace].reader;
	*row = (struct row){.lane = found.trace, .at = found.at, .there = true};
	row->message = *reader_message(reader, found.at);
	row->id = reader_message_id(reader, found.at);
	return true;
}

bool
display_time_at_or_before(struct list *list, const struct row *row, struct display_time *shown)
{
	struct row before = *row;
	return display_time_of_row(list, row, shown) || (display_time_find_before(list, &before) &&
							 display_time_of_row(list, &before, shown));
}

/* --- how a time is estimated ------------------------------------------- */

enum { ESTIMATED, AFTER, BEFORE, OFF };

static const struct field_row estimate_rows[] = {
    [ESTIMATED] = {"estimated_time", FIELD_GROUP, "interpolated from the cycles between two times",
		   .detail = true},
    [AFTER] = {"after", FIELD_TEXT, "the last known time before it", .detail = true},
    [BEFORE] = {"before", FIELD_TEXT, "the next known time after it", .detail = true},
    [OFF] = {"off_by_at_most", FIELD_TEXT, "the most it can be off by", .detail = true},
};

static void
add_text(struct expansion *e, int row, const struct text *text)
{
	struct field *field = expansion_add(e, &estimate_rows[row], FIELD_NOWHERE, 0, 0);
	field->s.at = arena_text(&e->arena, text_get(text), text->length);
	field->s.length = text->length;
}

/* Append a field with the time of TICKS. */
static void
add_time(const struct list *list, const struct list_lane *lane, const struct message *m,
	 uint64_t ticks, int row, struct expansion *e)
{
	struct message timed = cycles_timed(m, ticks);
	struct display_time shown;
	struct text text = {0};
	if (ticks == UINT64_MAX)
		text_add(&text, "no time is known near after it");
	else if (display_time_known(list, lane, &timed, &shown))
		display_time_format(&shown, &text);
	add_text(e, row, &text);
	text_free(&text);
}

static void
add_error(const struct list *list, const struct list_lane *lane, const struct message *m,
	  const struct cycles_estimate *estimate, struct expansion *e)
{
	uint64_t error = cycles_error(estimate);
	struct message first = cycles_timed(m, estimate->from), last = first;
	struct display_time from, to;
	struct text text = {0};
	if (__builtin_add_overflow(first.ticks, error, &last.ticks))
		text_add(&text, "not limited");
	else if (display_time_known(list, lane, &first, &from) &&
		 display_time_known(list, lane, &last, &to))
		display_time_format_difference(&from, &to, true, &text);
	add_text(e, OFF, &text);
	text_free(&text);
}

void
display_time_add(const struct list *list, const struct list_lane *lane, const struct message *m,
		 struct expansion *e)
{
	struct cycles_estimate estimate;
	if (!cycles_find(lane->trace, m, &estimate))
		return;
	expansion_open(e, &estimate_rows[ESTIMATED], FIELD_NOWHERE, 0, 0);
	add_time(list, lane, m, estimate.from, AFTER, e);
	add_time(list, lane, m, estimate.to, BEFORE, e);
	add_error(list, lane, m, &estimate, e);
	expansion_close(e);
}

/* --- formatting -------------------------------------------------------- */

static void
format_clock(const struct display_time *shown, struct text *out)
{
	struct trace_clock clock = shown->clock;
	if (shown->before) {
		text_add_char(out, '-');
		clock.has_epoch = false;
	}
	clock_format(&clock, shown->ticks, out);
}

void
display_time_format(const struct display_time *shown, struct text *out)
{
	text_add(out, shown->estimated ? "~" : "");
	format_clock(shown, out);
}

void
display_time_format_parts(const struct display_time *shown, struct text *date, struct text *rest)
{
	struct text whole = {0};
	format_clock(shown, &whole);
	const char *all = text_get(&whole), *blank = strchr(all, ' ');
	if (date && blank)
		text_add_bytes(date, all, (size_t)(blank - all));
	if (rest)
		text_addf(rest, "%s%s", shown->estimated ? "~" : "", blank ? blank + 1 : all);
	text_free(&whole);
}

void
display_time_format_beside(const struct display_time *shown, const struct display_time *here,
			   struct text *out)
{
	struct text date = {0}, same = {0};
	display_time_format_parts(shown, &date, NULL);
	if (here)
		display_time_format_parts(here, &same, NULL);
	if (!strcmp(text_get(&date), text_get(&same)))
		display_time_format_parts(shown, NULL, out);
	else
		display_time_format(shown, out);
	text_free(&date);
	text_free(&same);
}

void
display_time_add_zone(const struct display_time *shown, struct text *out)
{
	const struct trace_clock *clock = &shown->clock;
	long double seconds = (long double)shown->ticks / (long double)clock->hz;
	if (!clock->has_epoch || shown->before || clock->zone == ZONE_UNNAMED ||
	    !(seconds < 0x1p62L))
		return;
	text_add_char(out, ' ');
	zone_add_name(clock->zone, (int64_t)seconds, out);
}

/* Return ticks for subtraction.  An offset makes times of the session's clock positive. */
static uint64_t
ordered_ticks(const struct display_time *shown)
{
	return shown->common ? (uint64_t)shown->order ^ (uint64_t)1 << 63 : shown->ticks;
}

/* Return true if the difference of two times is a length: clocks_can_subtract() holds, and both
 * have the same rate. */
static bool
can_subtract(const struct display_time *from, const struct display_time *to)
{
	const struct message_time first = {.part = from->part, .known = from->common};
	const struct message_time last = {.part = to->part, .known = to->common};
	return clocks_can_subtract(&first, &last) && from->clock.hz == to->clock.hz;
}

void
display_time_format_difference(const struct display_time *from, const struct display_time *to,
			       bool plain, struct text *out)
{
	if (!can_subtract(from, to))
		return;
	if (from->estimated || to->estimated)
		text_add_char(out, '~');
	clock_format_difference(&to->clock, ordered_ticks(from), ordered_ticks(to), plain, out);
}

void
display_time_format_gap(const struct display_time *from, const struct display_time *to,
			struct text *out)
{
	double hz = to->clock.hz;
	if (!can_subtract(from, to))
		return;
	uint64_t first = ordered_ticks(from), last = ordered_ticks(to);
	struct gap gap = {last < first ? first - last : last - first, hz > 0};
	if (hz > 0 && hz != NANO)
		gap.length =
		    (uint64_t)((long double)gap.length * (long double)NANO / (long double)hz);
	if (from->estimated || to->estimated)
		text_add_char(out, '~');
	text_add_char(out, last < first ? '-' : '+');
	gap_format(&gap, false, out);
}
