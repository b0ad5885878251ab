/*
 * The range of messages between a fixed end and the user's position: see range.h.
 *
 * Both ends are message IDs, so the range survives filters and the index.  The moving end is
 * the list's anchor.  That is the cursor's message, unless a filter hides the user's last one.
 * A range holds the messages that the filters show.  In a list of several traces it has a span
 * for each strand, found again for each paint.
 */
#include "config.h"

#include "ui/list/range.h"
#include "base/notice.h"
#include "command/keymap.h"
#include "session/session.h"
#include "ui/list/display_time.h"
#include "ui/list/search.h"
#include "ui/screen/screen.h"
#include "ui/screen/term.h"

#include <stdlib.h>

enum {
	COPY_MAX = 64 * 1024, /* bytes; many terminals drop a longer text */
	TAKES_MAX = 4	      /* calls of range_take_text(), to limit a range of hidden messages */
};

struct copied {
	struct text text;
	unsigned takes;
};

/* Return its ends in the present list, in order.  Return false if there is none. */
static bool
range_ends(const struct screen *screen, struct sequence_position *first,
	   struct sequence_position *last)
{
	const struct list *list = screen->list;
	const struct range *range = screen->range;
	struct sequence_position from, to = {.trace = list->anchor_lane};
	if (!range->on || !sequence_find_trace(list->sequence, range->from.trace, &from.trace) ||
	    !reader_find_id(list->lanes[from.trace].reader, range->from.id, &from.at) ||
	    !reader_find_id(list->lanes[to.trace].reader, list->anchor, &to.at))
		return false;
	bool down = !sequence_is_before(list->sequence, to, from);
	*first = down ? from : to;
	*last = down ? to : from;
	return true;
}

/* Fill in the span of a strand between two positions.  Return false if it is empty. */
static bool
find_span(const struct list *list, size_t strand, struct sequence_position first,
	  struct sequence_position last, struct range_span *span)
{
	size_t lane = sequence_strand_trace(list->sequence, strand);
	struct reader *reader = list->lanes[lane].reader;
	struct position from, to;
	if (!sequence_shows(list->sequence, lane) ||
	    !sequence_between(list->sequence, strand, first, last, &from, &to))
		return false;
	*span = (struct range_span){.trace = list->lanes[lane].number,
				    .first = reader_message_id(reader, from),
				    .last = reader_message_id(reader, to)};
	span->in_strand = sequence_strand_group(list->sequence, strand, &span->strand);
	return true;
}

bool
range_places(const struct screen *screen, struct export_place places[2])
{
	const struct list *list = screen->list;
	const struct location *from = &screen->range->from;
	struct sequence_position first, last;
	if (!range_ends(screen, &first, &last))
		return false;
	places[0] = (struct export_place){screen->session->traces.at[from->trace], from->id, NULL};
	places[1] = (struct export_place){list->lanes[list->anchor_lane].trace, list->anchor, NULL};
	return true;
}

bool
range_find(struct screen *screen)
{
	const struct list *list = screen->list;
	struct sequence_position first, last;
	vec_clear(&screen->range->spans);
	if (!range_ends(screen, &first, &last))
		return false;
	size_t strands = sequence_strand_count(list->sequence);
	for (size_t i = 0; i < strands; i++) {
		struct range_span span;
		if (find_span(list, i, first, last, &span))
			*vec_add(&screen->range->spans) = span;
	}
	return true;
}

void
range_free(struct range *range)
{
	vec_free(&range->spans);
}

/* Return true if a message is in the strand of a span. */
static bool
is_of_span(struct list *list, const struct range_span *span, struct message_id id)
{
	struct sequence_position p;
	size_t number = 0;
	if (!span->in_strand)
		return true;
	return sequence_find_trace(list->sequence, span->trace, &p.trace) &&
	       reader_find_id(list->lanes[p.trace].reader, id, &p.at) &&
	       sequence_strand_group(list->sequence, sequence_strand(list->sequence, p), &number) &&
	       number == span->strand;
}

bool
range_has(const struct screen *screen, size_t trace, struct message_id id)
{
	const struct range *range = screen->range;
	for (size_t i = 0; range->on && i < range->spans.count; i++) {
		const struct range_span *span = &range->spans.at[i];
		if (span->trace == trace && message_id_compare(span->first, id) <= 0 &&
		    message_id_compare(id, span->last) <= 0 && is_of_span(screen->list, span, id))
			return true;
	}
	return false;
}

bool
range_drop(struct screen *screen)
{
	bool was = screen->range->on;
	screen->range->on = false;
	if (was)
		screen_say(screen, NOTICE_RANGE_DROPPED);
	return was;
}

static bool
display_time_at(const struct list *list, struct sequence_position p, struct display_time *shown)
{
	const struct list_lane *lane = &list->lanes[p.trace];
	const struct message *m = reader_message(lane->reader, p.at);
	struct message copy = m ? *m : (struct message){0};
	return m && display_time_of(list, lane, &copy, shown);
}

/* Count the rows before a message.  WITH counts the message too, if it is a row. */
static uint64_t
count_rows(struct list *list, struct sequence_position p, bool with, bool *exact)
{
	const struct row row = {.lane = p.trace, .at = p.at};
	uint64_t number;
	bool sure, is_row = true;
	if (list->matches.count)
		is_row = list_matches_rank(&list->matches, &row, &number, &sure);
	else
		number = sequence_number(list->sequence, p, &sure);
	*exact &= sure;
	return number + (with && is_row);
}

void
range_describe(struct screen *screen, struct text *out)
{
	struct list *list = screen->list;
	struct sequence_position first, last;
	struct display_time start, end;
	char digits[32];
	bool exact = true;
	if (!range_ends(screen, &first, &last))
		return;
	uint64_t before = count_rows(list, first, false, &exact);
	uint64_t until = count_rows(list, last, true, &exact);
	uint64_t count = until > before ? until - before : 0;
	text_addf(out, "   range: %s%s message%s", exact ? "" : "~", text_number(digits, count),
		  count == 1 ? "" : "s");
	if (!display_time_at(list, first, &start) || !display_time_at(list, last, &end))
		return;
	struct text length = {0};
	display_time_format_difference(&start, &end, true, &length);
	if (length.length)
		text_addf(out, ", %s %s", length.data, end.clock.hz ? "s" : "ticks");
	text_free(&length);
}

void
range_toggle(struct screen *screen, const struct command_call *call)
{
	struct range *range = screen->range;
	const struct row *row = list_current(screen->list);
	(void)call;
	if (!row)
		return;
	if (range_find(screen)) {
		range_drop(screen);
		return;
	}
	range->on = true;
	range->from =
	    (struct location){.trace = screen->list->lanes[row->lane].number, .id = row->id};
	list_move(screen->list, 0); /* start at the cursor, not at a hidden message */
	struct text copy = {0}, write = {0};
	keymap_hint(screen->keymap, COMMAND_COPY, &copy);
	keymap_hint(screen->keymap, COMMAND_WRITE, &write);
	screen_say(screen, NOTICE_RANGE_BEGUN, copy.data, write.data);
	text_free(&copy);
	text_free(&write);
}

static bool
range_take_text(void *context, struct text *text)
{
	struct copied *copied = context;
	text_add_bytes(&copied->text, text_get(text), text->length);
	text_clear(text);
	return copied->text.length <= COPY_MAX && ++copied->takes <= TAKES_MAX;
}

bool
range_copy(struct screen *screen)
{
	struct copied copied = {0};
	struct export_place places[2];
	if (!range_places(screen, places))
		return false;
	bool *hidden = search_hidden(screen);
	struct export_range range = {.session = screen->session,
				     .hidden = hidden,
				     .places = places,
				     .count = 2,
				     .sequence = screen->list->sequence,
				     .format = export_find("text"),
				     .filter = screen->filter,
				     .charset = screen->charset,
				     .write = range_take_text,
				     .context = &copied};
	int64_t written = export_range(&range);
	if (written == ERR_CANCELLED) {
		screen_error(screen, NOTICE_RANGE_TOO_LARGE);
	} else if (written < 0) {
		screen_error(screen, NOTICE_NUMBERS_NOT_YET);
	} else {
		term_copy(screen->term, text_get(&copied.text), copied.text.length);
		screen_say(screen, NOTICE_RANGE_COPIED, (long long)written,
			   written == 1 ? "" : "s");
		screen->range->on = false;
	}
	text_free(&copied.text);
	free(hidden);
	return true;
}
