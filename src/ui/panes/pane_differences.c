/*
 * The differences from another run: the kind, the place in both runs, and the message.
 *
 * The comparison (query/compare/compare_job.h) runs in the background after this run is indexed
 * and its clocks are related. The pane has its own readers and makes texts only for the lines
 * on the screen. It keeps them until a text may have changed.
 */
#include "config.h"

#include "ui/panes/pane_differences.h"
#include "base/generation.h"
#include "base/lower_bound.h"
#include "base/map.h"
#include "base/notice.h"
#include "query/compare/compare_job.h"
#include "session/clock/clocks.h"
#include "session/session.h"
#include "ui/list/display_time.h"
#include "ui/list/jump.h"
#include "ui/list/list.h"
#include "ui/panes/table.h"
#include "ui/screen/screen.h"

#include <stdlib.h>
#include <string.h>

enum {
	DIFFERENCE_KIND,
	DIFFERENCE_GOOD,
	DIFFERENCE_BAD,
	DIFFERENCE_TIME,
	DIFFERENCE_ORIGIN,
	DIFFERENCE_TEXT,
	DIFFERENCE_COLUMNS
};

enum { TIMELESS_MAX = 256 /* messages searched backwards for a time */ };

struct differences_state {
	struct table table;
	struct compare_job *job;       /* or NULL */
	const struct compare *compare; /* result of `job`, or NULL */
	struct map signs;	       /* from trace and number to enum difference_sign */
	struct compare_texts texts[2];
	struct expansion expansion;
	bool went;	      /* the members below are valid */
	size_t last;	      /* difference that the list's cursor went to */
	struct message_id id; /* its message */
	size_t trace;
};

static struct differences_state *
state_of(struct screen *screen)
{
	return screen->state[PANE_DIFFERENCES];
}

static void
differences_close(void *context)
{
	struct differences_state *state = context;
	compare_job_free(state->job);
	for (int run = 0; run < 2; run++)
		compare_texts_free(&state->texts[run]);
	map_free(&state->signs);
	expansion_free(&state->expansion);
	table_free(&state->table);
}

/* --- results ----------------------------------------------------------- */

static uint64_t
sign_key(size_t trace, uint64_t number)
{
	return (uint64_t)trace << 48 ^ number;
}

static void
note_signs(struct differences_state *state)
{
	for (size_t i = 0; i < compare_count(state->compare); i++) {
		const struct compare_difference *d = compare_get(state->compare, i);
		const struct compare_place *bad = &d->at[COMPARE_BAD];
		if (!bad->any)
			continue;
		uint64_t *sign = map_add(&state->signs, sign_key(bad->trace, bad->number));
		if (d->count[COMPARE_BAD])
			*sign = DIFFERENCE_HERE;
		else if (!*sign)
			*sign = DIFFERENCE_MISSING;
	}
}

/* Start the comparison when possible. True if it ended since the last call. */
static bool
differences_have_news(struct screen *screen)
{
	struct differences_state *state = state_of(screen);
	if (!screen->compare || state->compare)
		return false;
	if (!state->job && screen->indexed && clocks_are_settled(screen->session->clocks))
		state->job = compare_job_new(screen->compare);
	state->compare = state->job ? compare_job_get(state->job) : NULL;
	if (!state->compare)
		return false;
	const struct compare_good *good = &screen->compare->good;
	state->texts[COMPARE_GOOD].session = good->sides[compare_nearest(state->compare)].session;
	state->texts[COMPARE_BAD].session = screen->compare->bad.session;
	note_signs(state);
	screen->display_generation++;
	return true;
}

enum difference_sign
differences_sign(struct screen *screen, const struct row *row)
{
	const struct map *signs = &state_of(screen)->signs;
	const struct list_lane *lane = &screen->list->lanes[row->lane];
	bool exact;
	if (!signs->count)
		return DIFFERENCE_NONE;
	uint64_t number = reader_number(lane->reader, row->at, &exact);
	const uint64_t *sign = map_find(signs, sign_key(lane->number, number));
	return sign ? (enum difference_sign) * sign : DIFFERENCE_NONE;
}

/* Return the file name with its last folder. */
static const char *
short_name(const char *path)
{
	const char *name = path + strlen(path);
	for (int slashes = 0; name > path; name--)
		if (name[-1] == '/' && ++slashes == 2)
			break;
	return name;
}

/* Append the name of the good run. Of several, append the number and the nearest one, if known. */
static void
add_good_name(struct screen *screen, const char *(*shorten)(const char *), struct text *out)
{
	const struct compare *compare = state_of(screen)->compare;
	const struct compare_good *good = &screen->compare->good;
	const char *name = good->names[compare ? compare_nearest(compare) : 0];
	if (good->count > 1)
		text_addf(out, "%zu good runs%s", good->count, compare ? ", nearest: " : "");
	if (good->count == 1 || compare)
		text_add(out, shorten ? shorten(name) : name);
}

void
differences_add_title(struct screen *screen, struct text *out)
{
	const struct differences_state *state = state_of(screen);
	if (!screen->compare)
		return;
	size_t count = state->compare ? compare_count(state->compare) : 0;
	if (!state->compare)
		text_add(out, "comparing with ");
	else if (count) /* first, as the title may be cut */
		text_addf(out, "%zu difference%s from ", count, count == 1 ? "" : "s");
	else
		text_add(out, "no difference from ");
	add_good_name(screen, short_name, out);
}

/* Return true if the user started the program with a comparison. Otherwise show an error that
 * explains how. */
static bool
differences_are_asked(struct screen *screen, const char *text)
{
	(void)text;
	if (!screen->compare)
		screen_error(screen, NOTICE_COMPARE_NONE);
	return screen->compare;
}

/* --- lines ------------------------------------------------------------- */

/* Return the number of a place in its session. In BAD, the list has it: hidden traces do not
 * count there. */
static uint64_t
number_of(struct screen *screen, const struct compare_place *place, int run)
{
	struct position at;
	size_t lane;
	bool exact;
	struct list *list = run == COMPARE_BAD ? jump_list(screen, place->trace, &lane) : NULL;
	if (!list || !reader_find_number(list->lanes[lane].reader, place->number, &at, &exact))
		return place->listed;
	return list_number(list, (struct sequence_position){lane, at}, &exact);
}

/* Append the number of a place, from 1 as in the list. For missing messages, mark the neighbour's
 * number with `<` or `>`. */
static void
add_number(struct screen *screen, const struct compare_difference *d, int run, struct text *out)
{
	const struct compare_place *place = &d->at[run];
	if (!place->any)
		text_add_char(out, '-');
	else
		text_addf(out, "%s%llu",
			  d->count[run]	  ? ""
			  : place->behind ? ">"
					  : "<",
			  (unsigned long long)number_of(screen, place, run));
}

static void
add_time(struct screen *screen, const struct compare_place *place, const struct message *m,
	 struct text *out)
{
	size_t lane;
	struct display_time shown;
	struct list *list = jump_list(screen, place->trace, &lane);
	if (display_time_of(list, &list->lanes[lane], m, &shown))
		display_time_format_parts(&shown, NULL, out);
}

static void
fill_cells(struct screen *screen, const struct compare_difference *d, struct text *cells)
{
	struct differences_state *state = state_of(screen);
	int run = d->count[COMPARE_BAD] ? COMPARE_BAD : COMPARE_GOOD;
	const struct compare_place *place = &d->at[run];
	const struct expansion *e = &state->expansion;
	struct message m;
	text_add(&cells[DIFFERENCE_KIND], compare_kind_name(d->kind));
	add_number(screen, d, COMPARE_GOOD, &cells[DIFFERENCE_GOOD]);
	add_number(screen, d, COMPARE_BAD, &cells[DIFFERENCE_BAD]);
	if (!compare_texts_get(&state->texts[run], place->trace, place->number, &m,
			       &state->expansion))
		return;
	if (run == COMPARE_BAD)
		add_time(screen, place, &m, &cells[DIFFERENCE_TIME]);
	if (state->texts[run].session->traces.count > 1) {
		text_add(&cells[DIFFERENCE_ORIGIN],
			 trace_name(state->texts[run].session->traces.at[place->trace]));
		text_add(&cells[DIFFERENCE_ORIGIN], e->origin.length ? " " : "");
	}
	text_add_bytes(&cells[DIFFERENCE_ORIGIN], text_get(&e->origin), e->origin.length);
	text_add_bytes(&cells[DIFFERENCE_TEXT], text_get(&e->text), e->text.length);
	compare_add_remark(state->compare, d, &state->texts[COMPARE_GOOD], &state->expansion,
			   screen->charset, &cells[DIFFERENCE_TEXT]);
}

static const struct text *
cells_of(struct screen *screen, size_t i)
{
	struct differences_state *state = state_of(screen);
	bool made;
	struct text *cells = table_keep(&state->table, i, (struct message_id){0}, &made);
	if (!made)
		fill_cells(screen, compare_get(state->compare, i), cells);
	return cells;
}

/* --- drawing ----------------------------------------------------------- */

static const struct table_column difference_columns[DIFFERENCE_COLUMNS] = {
    [DIFFERENCE_KIND] = {"kind", TABLE_FIT, .gap = 1},
    [DIFFERENCE_GOOD] = {"good", TABLE_FIT, .gap = 1, .right = true},
    [DIFFERENCE_BAD] = {"bad", TABLE_FIT, .gap = 1, .right = true},
    [DIFFERENCE_TIME] = {"time", TABLE_FIT, .gap = 1, .right = true},
    [DIFFERENCE_ORIGIN] = {"origin", TABLE_FIT, .gap = 1},
    [DIFFERENCE_TEXT] = {"text", TABLE_REST},
};

static size_t
count_differences(struct screen *screen)
{
	const struct differences_state *state = state_of(screen);
	return state->compare ? compare_count(state->compare) : 0;
}

static void
fill_difference(struct screen *screen, struct table_row *row, size_t i)
{
	table_put_all(row, cells_of(screen, i), DIFFERENCE_COLUMNS, ROLE_NORMAL);
}

static void
differences_draw(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	struct differences_state *state = state_of(screen);
	table_renew(&state->table, list_generation(screen->list));
	const struct table_spec spec = {.pane = PANE_DIFFERENCES,
					.columns = difference_columns,
					.column_count = DIFFERENCE_COLUMNS,
					.left = 1,
					.count = count_differences(screen),
					.fill = fill_difference};
	const struct area body = table_body(&spec, area);
	if (!table_draw(&state->table, screen, &spec, canvas, area))
		canvas_puts(canvas, &body, 0, 1, ROLE_ABSENT,
			    state->compare ? "no differences" : "...");
}

static void
differences_title(struct screen *screen, struct text *out)
{
	text_addf(out, "differences  %zu%s", count_differences(screen),
		  state_of(screen)->compare ? "" : "+");
	if (!screen->compare)
		return;
	text_add(out, " from ");
	add_good_name(screen, NULL, out);
}

/* --- jumps ------------------------------------------------------------- */

/* Go to a difference. False if its origin has no message here. */
static bool
go_to(struct screen *screen, size_t i)
{
	struct differences_state *state = state_of(screen);
	const struct compare_place *bad = &compare_get(state->compare, i)->at[COMPARE_BAD];
	struct position at;
	bool exact;
	state->table.cursor.line = i;
	state->went = false;
	if (!bad->any)
		return false;
	struct reader *reader = compare_texts_reader(&state->texts[COMPARE_BAD], bad->trace);
	if (!reader_find_number(reader, bad->number, &at, &exact))
		return false;
	state->went = true;
	state->last = i;
	state->trace = bad->trace;
	state->id = reader_message_id(reader, at);
	jump_to_location(screen, &(struct location){.trace = bad->trace, .id = state->id});
	return true;
}

/* Return the time of a message in the order of differences. Without a time, use that of the last
 * message before it in its trace. */
static int64_t
time_here(struct trace *trace, struct reader *reader, struct position at)
{
	struct message_time time;
	for (int i = 0; i < TIMELESS_MAX; i++) {
		const struct message *m = reader_message(reader, at);
		if (m && clocks_time(trace, m, &time))
			return time.known ? time.nanoseconds : time.order;
		if (!reader_previous(reader, &at, 1))
			break;
	}
	return COMPARE_NO_TIME;
}

/* True if a difference is at a message or before it. */
static bool
is_before(const struct compare_difference *d, int64_t time, size_t trace, uint64_t number)
{
	const struct compare_place *bad = &d->at[COMPARE_BAD];
	if (d->order != time)
		return d->order < time;
	return bad->trace != trace ? bad->trace < trace : bad->number <= number;
}

/* Return the number of differences up to the message under the cursor. *AT: the last one is at the
 * message. */
static size_t
count_before(struct screen *screen, bool *at)
{
	const struct differences_state *state = state_of(screen);
	const struct row *row = list_current(screen->list);
	size_t before;
	bool exact;
	*at = false;
	if (!row)
		return 0;
	const struct list_lane *lane = &screen->list->lanes[row->lane];
	*at =
	    state->went && state->trace == lane->number && !message_id_compare(state->id, row->id);
	if (*at)
		return state->last + 1;
	int64_t time = time_here(lane->trace, lane->reader, row->at);
	uint64_t number = reader_number(lane->reader, row->at, &exact);
	lower_bound(before, compare_count(state->compare),
		    is_before(compare_get(state->compare, before), time, lane->number, number));
	if (before) {
		const struct compare_place *bad =
		    &compare_get(state->compare, before - 1)->at[COMPARE_BAD];
		*at = bad->any && bad->trace == lane->number && bad->number == number;
	}
	return before;
}

/* Append the description of a difference. For a changed or late message, append only the remark
 * about GOOD: the user sees its text in the list. */
static void
add_what(struct screen *screen, size_t i, struct text *out)
{
	struct differences_state *state = state_of(screen);
	const struct compare_difference *d = compare_get(state->compare, i);
	const struct text *cells = cells_of(screen, i);
	text_add(out, text_get(&cells[DIFFERENCE_KIND]));
	if (d->kind == COMPARE_CHANGED || d->kind == COMPARE_SLOWER) {
		compare_add_remark(state->compare, d, &state->texts[COMPARE_GOOD],
				   &state->expansion, screen->charset, out);
		return;
	}
	text_addf(out, " %s%s%s", text_get(&cells[DIFFERENCE_ORIGIN]),
		  cells[DIFFERENCE_ORIGIN].length ? ": " : "", text_get(&cells[DIFFERENCE_TEXT]));
}

/* Go to a difference and show a notice. WRAPPED: the command that wrapped, else COMMAND_COUNT. */
static void
say_difference(struct screen *screen, size_t i, enum command_id wrapped)
{
	struct text what = {0};
	bool here = go_to(screen, i);
	add_what(screen, i, &what);
	if (!here)
		text_addf(&what, " (%s)", NOTICE_COMPARE_NO_ROW);
	screen_say(screen,
		   wrapped == COMMAND_NEXT_DIFFERENCE	    ? NOTICE_DIFFERENCE_WRAPPED_TOP
		   : wrapped == COMMAND_PREVIOUS_DIFFERENCE ? NOTICE_DIFFERENCE_WRAPPED_BOTTOM
							    : NOTICE_DIFFERENCE,
		   i + 1, count_differences(screen), text_get(&what));
	text_free(&what);
}

void
differences_next(struct screen *screen, const struct command_call *call)
{
	struct differences_state *state = state_of(screen);
	size_t count = count_differences(screen);
	bool at, forward = call->id == COMMAND_NEXT_DIFFERENCE;
	if (!differences_are_asked(screen, NULL))
		return;
	if (!count) {
		screen_error(screen,
			     state->compare ? NOTICE_COMPARE_EQUAL : NOTICE_COMPARE_RUNNING);
		return;
	}
	size_t before = count_before(screen, &at), steps = (size_t)(call->count % count);
	if (!steps)
		steps = count;
	/* COUNT forward from the last one before the cursor, or back from the next one */
	size_t from = forward ? before : before + count - at;
	size_t to = forward ? from + steps - 1 : from - steps;
	bool wrapped = forward ? to >= count : to < count;
	say_difference(screen, to % count, wrapped ? call->id : COMMAND_COUNT);
}

static void
differences_go(struct screen *screen, const struct command_call *call)
{
	size_t cursor = state_of(screen)->table.cursor.line;
	(void)call;
	if (cursor < count_differences(screen) && !go_to(screen, cursor))
		screen_error(screen, NOTICE_COMPARE_NO_ROW);
}

static pane_command *const differences_commands[COMMAND_COUNT] = {
    [COMMAND_OPEN] = differences_go,
};

const struct pane_ops pane_differences = {
    .name = "differences",
    .scope = SCOPE_DIFFERENCES,
    .state_size = sizeof(struct differences_state),
    .close = differences_close,
    .prepare = differences_are_asked,
    .title = differences_title,
    .keys = {{COMMAND_OPEN, .word = "go"}, {COMMAND_CLOSE, .word = "close"}},
    .draw = differences_draw,
    .commands = differences_commands,
    .lines = count_differences,
    .news = differences_have_news,
};
