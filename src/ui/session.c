/*
 * Traces that go together: ties by hand, counterparts of sync points, and which
 * traces the list of all shows; see session.h.
 *
 * A word's counterpart is the event that it is matched with, and the other way
 * round; any other sync point's is the sync point of another trace that is
 * nearest in time.
 */
#include "config.h"

#include "ui/session.h"
#include "session/clock/clock_points.h"
#include "session/clock/clocks.h"
#include "session/link/serial.h"
#include "session/session.h"
#include "ui/app.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum {
	NEAR_CELLS = 64,    /* looked at for a sync point */
	NEAR_MESSAGES = 256 /* around the time of an event, for its word */
};

/* --- ties -------------------------------------------------------------- */

static const struct spot *
mark_of(struct app *app, char letter)
{
	for (size_t i = 0; i < app->jumps.marks.count; i++)
		if (app->jumps.marks.at[i].letter == letter)
			return &app->jumps.marks.at[i];
	return NULL;
}

static bool
message_at(struct app *app, const struct spot *spot, struct message *m)
{
	struct reader *reader = merge_reader(app->merge, spot->trace);
	struct position at;
	const struct message *found =
	    reader_find_place(reader, spot->place, &at) ? reader_message(reader, at) : NULL;
	if (found)
		*m = *found;
	return found;
}

void
session_tie(struct app *app, const struct command_call *call)
{
	const char *text = call->text;
	char letters[2] = {0};
	size_t count = 0;
	for (; *text && count < 2; text++)
		if (isalpha((unsigned char)*text))
			letters[count++] = *text;
	const struct spot *a = mark_of(app, letters[0]), *b = mark_of(app, letters[1]);
	struct message first, second;
	struct err err = {0};
	if (count < 2 || !a || !b) {
		app_trouble(app, "tie what? set marks in two traces, say a and b, then :tie a b");
		return;
	}
	if (!message_at(app, a, &first) || !message_at(app, b, &second))
		return;
	if (clocks_tie(app->session->clocks, app->session->traces.at[a->trace], &first,
		       app->session->traces.at[b->trace], &second, &err) < 0) {
		app_trouble(app, "%s", err.what);
	} else {
		app_say(app, "tied");
	}
}

/* The tie that is meant, from 0: by its number, or without TEXT by the message under
 * the cursor; SIZE_MAX: none is. */
static size_t
tie_meant(struct app *app, const char *text)
{
	const struct selection *selection = app_selection(app);
	uint64_t number = 0;
	if (text)
		return text_parse_uint(text, SIZE_MAX, &number) ? (size_t)number - 1 : SIZE_MAX;
	return selection
		   ? clocks_find_tie(app->session->clocks, selection->trace, &selection->message)
		   : SIZE_MAX;
}

void
session_untie(struct app *app, const struct command_call *call)
{
	size_t count, meant = tie_meant(app, call->text);
	clocks_ties(app->session->clocks, &count);
	if (!count) {
		app_say(app, "no :tie was made; those of the profile are taken back there");
	} else if (meant >= count) {
		app_trouble(app, "untie what? go to a tied message, or say its number in :clocks");
	} else {
		clocks_untie(app->session->clocks, meant);
		app_say(app, "untied");
	}
}

/* --- counterparts ------------------------------------------------------ */

/* The event that the word with this expansion is matched with. */
static bool
find_event(const struct expansion *e, struct spot *spot)
{
	const struct field *offset = expansion_find(e, "event_offset");
	spot->place = (struct place){.offset = offset ? offset->u : 0};
	return offset;
}

/* Whether the message at a position of a trace of words is matched with the event
 * M. */
static bool
is_matched(struct reader *reader, struct position at, const struct message *m, struct expansion *e)
{
	const struct message *found = reader_message(reader, at);
	struct message word = found ? *found : (struct message){0};
	struct spot spot;
	if (!found || (word.flags ^ m->flags) & MESSAGE_SYNC)
		return false;
	reader_expand(reader, &word, EXPAND_FIELDS, e);
	return find_event(e, &spot) && spot.place.offset == m->offset;
}

/* The word of SPOT's trace that is matched with the event M: near its time in both
 * directions. */
static bool
find_word(struct app *app, const struct message *m, int64_t order, struct spot *spot)
{
	struct reader *reader = merge_reader(app->merge, spot->trace);
	struct position start, at;
	struct expansion e = {0};
	bool found = false;
	if (!merge_cut(app->merge, spot->trace, order, &start) && !reader_last(reader, &start))
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
	spot->place = reader_place(reader, at);
	return found;
}

enum session_partner
session_partner(struct app *app, size_t trace, const struct message *m, const struct expansion *e,
		struct spot *spot)
{
	const struct session *session = app->session;
	struct serial *serial = serial_of(session->traces.at[trace]);
	enum session_partner partner = PARTNER_NONE;
	struct message_time time;
	if (serial) {
		spot->trace = trace_number(serial_log(serial));
		return find_event(e, spot) ? PARTNER_KNOWN : PARTNER_MISSING;
	}
	for (size_t i = 0; i < session->traces.count && partner != PARTNER_KNOWN; i++) {
		serial = serial_of(session->traces.at[i]);
		if (!serial || serial_log(serial) != session->traces.at[trace])
			continue;
		spot->trace = i;
		bool found = clocks_time(session->traces.at[trace], m, NULL, &time) &&
			     find_word(app, m, time.order, spot);
		partner = found ? PARTNER_KNOWN : PARTNER_MISSING;
	}
	return partner;
}

/* The sync point of trace NUMBER that is nearest to TIME. */
static bool
find_nearest(struct app *app, size_t number, const struct message_time *time, struct spot *spot,
	     double *least)
{
	struct reader *reader = merge_reader(app->merge, number);
	struct trace *trace = app->session->traces.at[number];
	struct filter want = filter_all();
	struct seek_query query = {.trace = trace, .want = &want};
	bool any = false;
	want.flags = MESSAGE_SYNC;
	if (!merge_cut(app->merge, number, time->order, &query.from) &&
	    !reader_last(reader, &query.from))
		return false;
	reader_previous(reader, &query.from, 0); /* that one counts too */
	for (query.direction = 1; query.direction >= -1; query.direction -= 2) {
		struct position hit;
		struct message_time own;
		bool round;
		if (seek_near(&query, reader, NEAR_CELLS, &hit, &round) != SEEK_FOUND ||
		    !clocks_time(trace, reader_message(reader, hit), NULL, &own) ||
		    own.part != time->part ||
		    fabs((double)own.order - (double)time->order) >= *least)
			continue;
		*least = fabs((double)own.order - (double)time->order);
		*spot = (struct spot){.trace = number, .place = reader_place(reader, hit)};
		any = true;
	}
	return any;
}

static bool
find_counterpart(struct app *app, const struct selection *selection, struct spot *spot)
{
	struct message_time time;
	double least = INFINITY;
	bool found = false;
	if (session_partner(app, trace_number(selection->trace), &selection->message,
			    &selection->expansion, spot) == PARTNER_KNOWN)
		return true;
	if (!clocks_time(selection->trace, &selection->message, NULL, &time))
		return false;
	for (size_t i = 0; i < app->session->traces.count; i++)
		if (app->session->traces.at[i] != selection->trace)
			found |= find_nearest(app, i, &time, spot, &least);
	return found;
}

void
session_counterpart(struct app *app, const struct command_call *call)
{
	const struct selection *selection = app_selection(app);
	struct spot spot = {0};
	(void)call;
	if (selection && find_counterpart(app, selection, &spot))
		jump_to_spot(app, &spot);
	else
		app_say(app, "no sync point of another trace goes with this");
}

/* --- which traces are shown -------------------------------------------- */

/* Says that no trace is meant, and which there are. */
static void
say_traces(struct app *app, const char *name)
{
	const struct session *session = app->session;
	struct text names = {0};
	for (size_t i = 0; i < session->traces.count; i++)
		text_addf(&names, "%s%s%s", i ? ", " : "", trace_name(session->traces.at[i]),
			  merge_shows(app->merge, i) ? "" : " (left out)");
	if (session->traces.count < 2)
		app_trouble(app, "there is no other trace");
	else if (name)
		app_trouble(app, "no trace is named %s; there are %s", name, names.data);
	else
		app_say(app, "which trace? %s", names.data);
	text_free(&names);
}

void
session_show_trace(struct app *app, const struct command_call *call)
{
	size_t count = app->session->traces.count, shown = 0, i = 0;
	if (!call->text || !*call->text) {
		say_traces(app, NULL);
		return;
	}
	while (i < count && strcmp(trace_name(app->session->traces.at[i]), call->text) != 0)
		i++;
	for (size_t k = 0; k < count; k++)
		shown += merge_shows(app->merge, k);
	if (i == count || count < 2) {
		say_traces(app, call->text);
		return;
	}
	bool on = !merge_shows(app->merge, i);
	if (!on && shown < 2) {
		app_trouble(app, "it is the only one left");
		return;
	}
	merge_show(app->merge, i, on);
	app_say(app, "%s is %s", call->text, on ? "in the list of all again" : "left out");
}
