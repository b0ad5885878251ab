/*
 * Commands for several traces: ties made by hand, counterparts of sync points, and the
 * choice of traces in the common list; see traces.h.
 *
 * The counterpart of a word is its matched event, and vice versa.  The counterpart of any
 * other sync point is the sync point of another trace that is nearest in time.
 */
#include "config.h"

#include "ui/list/traces.h"
#include "base/nearest.h"
#include "base/notice.h"
#include "command/keymap.h"
#include "query/next_match.h"
#include "session/clock/clock_points.h"
#include "session/clock/clocks.h"
#include "session/link/serial.h"
#include "session/link/sync_options.h"
#include "session/sequence.h"
#include "session/session.h"
#include "ui/list/display_time.h"
#include "ui/list/filter_history.h"
#include "ui/list/selection.h"
#include "ui/screen/screen.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum {
	TIMED_CELLS = 16,   /* cells searched for a time */
	NEAR_CELLS = 64,    /* cells searched for a sync point */
	NEAR_MESSAGES = 256 /* messages searched around an event's time, for its word */
};

/* --- ties -------------------------------------------------------------- */

static const struct location *
mark_of(struct screen *screen, char letter)
{
	for (size_t i = 0; i < screen->jumps->marks.count; i++)
		if (screen->jumps->marks.at[i].letter == letter)
			return &screen->jumps->marks.at[i];
	return NULL;
}

static bool
message_at(struct screen *screen, const struct location *location, struct message *m)
{
	struct reader *reader = sequence_reader(screen->sequence, location->trace);
	struct position at;
	return reader_read_id(reader, location->id, &at, m);
}

/* Append `TRACE TIME` of a message, with its clock before the tie. */
static void
add_tied(struct screen *screen, const struct location *location, struct text *out)
{
	struct display_time shown;
	struct list *list;
	struct row row;
	text_add(out, trace_name(screen->session->traces.at[location->trace]));
	text_add_char(out, ' ');
	if (!jump_find(screen, location, &list, &row) || !display_time_of_row(list, &row, &shown))
		return;
	display_time_format_parts(&shown, NULL, out);
	if (!shown.clock.has_epoch)
		text_add(out, shown.clock.hz > 0 ? " s" : " ticks");
}

/* Show a notice of the tie, with the key that undoes it. */
static void
say_tied(struct screen *screen, const struct text *ends)
{
	struct text hint = {0};
	size_t count;
	clocks_ties(screen->session->clocks, &count);
	keymap_hint(screen->keymap, COMMAND_UNDO_FILTER, &hint);
	screen_say(screen, NOTICE_TIED, ends->data, count, count == 1 ? "" : "s", hint.data);
	text_free(&hint);
}

void
traces_tie(struct screen *screen, const struct command_call *call)
{
	struct clocks *clocks = screen->session->clocks;
	const char *text = call->text;
	char letters[2] = {0};
	size_t count = 0;
	for (; *text && count < 2; text++)
		if (isalpha((unsigned char)*text))
			letters[count++] = *text;
	const struct location *a = mark_of(screen, letters[0]), *b = mark_of(screen, letters[1]);
	struct message first, second;
	struct text ends = {0};
	struct err err = {0};
	if (count < 2 || !a || !b) {
		screen_error(screen, NOTICE_TIE_WHAT);
		return;
	}
	if (!message_at(screen, a, &first) || !message_at(screen, b, &second))
		return;
	add_tied(screen, a, &ends);
	text_add(&ends, " = ");
	add_tied(screen, b, &ends);
	if (clocks_tie(clocks, screen->session->traces.at[a->trace], &first,
		       screen->session->traces.at[b->trace], &second, &err) < 0) {
		screen_error(screen, NOTICE_TIE_REFUSED, err.what);
	} else {
		const struct sync_options *ties = clocks_ties(clocks, &count);
		filter_history_note_tie(screen, &ties[count - 1], false);
		say_tied(screen, &ends);
	}
	text_free(&ends);
}

/* Return the index of a tie: by its number in TEXT, or without TEXT by the message under the
 * cursor.  Return SIZE_MAX if there is none. */
static size_t
tie_meant(struct screen *screen, const char *text)
{
	const struct selection *selection = selection_get(screen);
	uint64_t number = 0;
	if (text)
		return text_parse_uint(text, SIZE_MAX, &number) ? (size_t)number - 1 : SIZE_MAX;
	return selection
		   ? clocks_find_tie(screen->session->clocks, selection->trace, &selection->message)
		   : SIZE_MAX;
}

void
traces_untie(struct screen *screen, const struct command_call *call)
{
	size_t count, meant = tie_meant(screen, call->text);
	const struct sync_options *ties = clocks_ties(screen->session->clocks, &count);
	if (!count) {
		screen_say(screen, NOTICE_UNTIE_NONE);
	} else if (meant >= count) {
		struct text hint = {0};
		keymap_hint(screen->keymap, COMMAND_SYNCS, &hint);
		screen_error(screen, NOTICE_UNTIE_WHAT, hint.data);
		text_free(&hint);
	} else {
		struct text hint = {0};
		keymap_hint(screen->keymap, COMMAND_UNDO_FILTER, &hint);
		screen_say(screen, NOTICE_UNTIED, ties[meant].a.trace, ties[meant].b.trace,
			   hint.data);
		filter_history_note_tie(screen, &ties[meant], true);
		clocks_untie(screen->session->clocks, meant);
		text_free(&hint);
	}
}

/* --- clocks ------------------------------------------------------------ */

/* Return true if one of the first indexed cells has a message with a time. */
static bool
is_timed(const struct trace *trace)
{
	const struct index *index = trace_index(trace);
	struct index_cell summary;
	uint64_t begin = index_begin(index);
	for (uint64_t cell = begin; cell < begin + TIMED_CELLS && index_cell(index, cell, &summary);
	     cell++)
		if (summary.message_flags & MESSAGE_TIMED)
			return true;
	return false;
}

static bool
has_clock(const struct list *list, size_t lane)
{
	return sequence_shows(list->sequence, lane) && is_timed(list->lanes[lane].trace);
}

/* Return the first lane that has the same clock as LANE. */
static size_t
first_of_clock(const struct list *list, size_t lane)
{
	size_t part = clocks_part(list->lanes[lane].trace), i = 0;
	while (i < lane && (!has_clock(list, i) || clocks_part(list->lanes[i].trace) != part))
		i++;
	return i;
}

size_t
traces_count_clocks(const struct screen *screen, const struct list *list)
{
	size_t count = 0;
	if (clocks_may_change(screen->session->clocks))
		return 0;
	for (size_t i = 0; i < list->lane_count; i++)
		count += has_clock(list, i) && first_of_clock(list, i) == i;
	return count;
}

bool
traces_is_apart(const struct list *list, size_t lane)
{
	size_t first = 0;
	while (first < lane && !has_clock(list, first))
		first++;
	return has_clock(list, lane) && first_of_clock(list, lane) != first;
}

/* --- counterparts ------------------------------------------------------ */

/* Find the event that matches the word with this expansion. */
static bool
find_event(const struct expansion *e, struct location *location)
{
	const struct field *offset = expansion_find(e, "event_offset");
	location->id = (struct message_id){.offset = offset ? offset->u : 0};
	return offset;
}

/* Return true if the message at a position, in a trace of words, matches the event M. */
static bool
is_matched(struct reader *reader, struct position at, const struct message *m, struct expansion *e)
{
	const struct message *found = reader_message(reader, at);
	struct message word = found ? *found : (struct message){0};
	struct location location;
	if (!found || (word.flags ^ m->flags) & MESSAGE_SYNC)
		return false;
	reader_expand(reader, &word, EXPAND_FIELDS, e);
	return find_event(e, &location) && location.id.offset == m->offset;
}

/* Find the word of LOCATION's trace that matches the event M.  Search near its time in both
 * directions. */
static bool
find_word(struct screen *screen, const struct message *m, int64_t order, struct location *location)
{
	struct reader *reader = sequence_reader(screen->sequence, location->trace);
	struct position start, at;
	struct expansion e = {0};
	bool found = false;
	if (!sequence_find_in_trace(screen->sequence, location->trace, order, &start))
		return false;
	for (int forward = 1; forward >= 0 && !found; forward--) {
		bool more = true;
		at = start;
		for (int i = 0; i < NEAR_MESSAGES && more && !found; i++) {
			found = is_matched(reader, at, m, &e);
			if (!found)
				more = forward ? reader_next(reader, &at, 1)
					       : reader_previous(reader, &at, 1);
		}
	}
	expansion_free(&e);
	location->id = reader_message_id(reader, at);
	return found;
}

enum traces_partner
traces_partner(struct screen *screen, size_t trace, const struct message *m,
	       const struct expansion *e, struct location *location)
{
	const struct session *session = screen->session;
	struct serial *serial = serial_of(session->traces.at[trace]);
	enum traces_partner partner = PARTNER_NONE;
	struct message_time time;
	if (serial) {
		location->trace = trace_number(serial_log(serial));
		return find_event(e, location) ? PARTNER_KNOWN : PARTNER_MISSING;
	}
	for (size_t i = 0; i < session->traces.count && partner != PARTNER_KNOWN; i++) {
		serial = serial_of(session->traces.at[i]);
		if (!serial || serial_log(serial) != session->traces.at[trace])
			continue;
		location->trace = i;
		bool found = clocks_time(session->traces.at[trace], m, &time) &&
			     find_word(screen, m, time.order, location);
		partner = found ? PARTNER_KNOWN : PARTNER_MISSING;
	}
	return partner;
}

/* Find the sync point of trace NUMBER that is nearest to TIME, if nearer than *LEAST. */
static bool
find_nearest(struct screen *screen, size_t number, const struct message_time *time,
	     struct location *location, double *least)
{
	struct reader *reader = sequence_reader(screen->sequence, number);
	struct trace *trace = screen->session->traces.at[number];
	struct filter want = filter_all();
	struct next_query query = {
	    .sequence = screen->sequence, .want = &want, .from = {.trace = number}, .alone = true};
	bool any = false;
	want.flags = MESSAGE_SYNC;
	if (!sequence_find_in_trace(screen->sequence, number, time->order, &query.from.at))
		return false;
	reader_previous(reader, &query.from.at, 0); /* include the message at the start */
	for (query.direction = 1; query.direction >= -1; query.direction -= 2) {
		struct sequence_position found;
		struct message_time own;
		if (!next_match_near(&query, NEAR_CELLS, &found) ||
		    !clocks_time(trace, reader_message(reader, found.at), &own) ||
		    own.part != time->part ||
		    fabs((double)own.order - (double)time->order) >= *least)
			continue;
		*least = fabs((double)own.order - (double)time->order);
		*location =
		    (struct location){.trace = number, .id = reader_message_id(reader, found.at)};
		any = true;
	}
	return any;
}

static bool
find_counterpart(struct screen *screen, const struct selection *selection,
		 struct location *location)
{
	struct message_time time;
	double least = INFINITY;
	bool found = false;
	if (traces_partner(screen, trace_number(selection->trace), &selection->message,
			   &selection->expansion, location) == PARTNER_KNOWN)
		return true;
	if (!clocks_time(selection->trace, &selection->message, &time))
		return false;
	for (size_t i = 0; i < screen->session->traces.count; i++)
		if (screen->session->traces.at[i] != selection->trace)
			found |= find_nearest(screen, i, &time, location, &least);
	return found;
}

void
traces_go_to_counterpart(struct screen *screen, const struct command_call *call)
{
	const struct selection *selection = selection_get(screen);
	struct location location = {0};
	(void)call;
	if (selection && find_counterpart(screen, selection, &location))
		jump_to_location(screen, &location);
	else
		screen_say(screen, NOTICE_SYNC_NO_PARTNER);
}

void
traces_go_to_pair(struct screen *screen, const struct command_call *call)
{
	const struct selection *selection = selection_get(screen);
	struct location location = {0};
	enum traces_partner partner = PARTNER_NONE;
	(void)call;
	if (selection)
		partner = traces_partner(screen, trace_number(selection->trace),
					 &selection->message, &selection->expansion, &location);
	if (partner == PARTNER_KNOWN)
		jump_to_location(screen, &location);
	else
		screen_say(screen, partner == PARTNER_MISSING ? NOTICE_PARTNER_MISSING
							      : NOTICE_PARTNER_NONE);
}

/* --- which traces are shown -------------------------------------------- */

/* Show a notice that no trace has this name, with the names of all traces. */
static void
say_traces(struct screen *screen, const char *name)
{
	const struct session *session = screen->session;
	struct text names = {0};
	text_add(&names, name ? NOTICE_TRACES_ARE : "");
	for (size_t i = 0; i < session->traces.count; i++)
		text_addf(&names, "%s%s%s", i ? ", " : "", trace_name(session->traces.at[i]),
			  sequence_shows(screen->sequence, i) ? "" : " (left out)");
	struct nearest_hint hint =
	    nearest_hint(name ? name : "", session_next_trace, screen->session);
	if (session->traces.count < 2)
		screen_error(screen, NOTICE_TRACE_ONLY_ONE);
	else if (!name)
		screen_say(screen, NOTICE_TRACE_WHICH, names.data);
	else
		screen_error(screen, NOTICE_TRACE_UNKNOWN, name,
			     nearest_hint_or(&hint, names.data));
	text_free(&names);
}

void
traces_toggle(struct screen *screen, const struct command_call *call)
{
	size_t count = screen->session->traces.count, shown = 0, i = 0;
	if (!call->text || !*call->text) {
		say_traces(screen, NULL);
		return;
	}
	while (i < count && strcmp(trace_name(screen->session->traces.at[i]), call->text) != 0)
		i++;
	for (size_t k = 0; k < count; k++)
		shown += sequence_shows(screen->sequence, k);
	if (i == count || count < 2) {
		say_traces(screen, call->text);
		return;
	}
	bool on = !sequence_shows(screen->sequence, i);
	if (!on && shown < 2) {
		screen_error(screen, NOTICE_TRACE_LAST);
		return;
	}
	sequence_show(screen->sequence, i, on);
	screen_say(screen, on ? NOTICE_TRACE_BACK : NOTICE_TRACE_LEFT_OUT, call->text);
}
