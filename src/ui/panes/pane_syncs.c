/*
 * The list of sync points of all traces, in the order of the common time. A line shows time,
 * trace, the time since the previous one of the trace, the partner trace, and the text.
 *
 * The user's ties (sync_ties.h) stay above the list while it scrolls. The cursor is on a tie or
 * on a row of the list. While it is on a tie, the list is at its first row.
 *
 * If no message ties two clocks, the pane lists resync points instead. Their lines show the
 * bytes since the previous one of the same kind.
 *
 * The list has its own filter. It skips cells whose summaries have no sync points, and decodes
 * only rows on the screen. It therefore has no total. Texts are kept until a text or a time may
 * have changed.
 */
#include "config.h"

#include "base/notice.h"
#include "query/next_match.h"
#include "session/clock/clocks.h"
#include "session/session.h"
#include "ui/list/display_time.h"
#include "ui/list/traces.h"
#include "ui/panes/sync_ties.h"
#include "ui/panes/table.h"
#include "ui/screen/screen.h"

#include <stdio.h>
#include <string.h>

enum {
	NEAR_CELLS = 64, /* cells searched for the previous point */
	KINDS_TRIED = 8	 /* most points of another kind that the search skips */
};

enum { TIME, TRACE, SINCE, PARTNER, WHAT, COLUMNS };

struct syncs_state {
	struct table table;
	struct sync_ties ties;
	struct lines tie;   /* the cursor among the ties */
	bool on_tie;	    /* the pane's cursor is on a tie */
	struct list list;   /* closed if it has no lanes */
	struct filter want; /* borrowed by the list */
	bool resyncs;	    /* no sync points, so list resync points */
	struct expansion expansion;
};

static struct syncs_state *
state_of(struct screen *screen)
{
	return screen->state[PANE_SYNCS];
}

static void
syncs_close(void *context)
{
	struct syncs_state *state = context;
	expansion_free(&state->expansion);
	table_free(&state->table);
	sync_ties_free(&state->ties);
	if (state->list.lanes)
		list_close(&state->list);
}

/* --- lines ------------------------------------------------------------- */

/* Find the previous point of the same trace; for a resync point, of the same kind. */
static bool
find_before(struct syncs_state *state, const struct row *row, struct message *before)
{
	const struct list_lane *lane = &state->list.lanes[row->lane];
	struct next_query query = {.sequence = state->list.sequence,
				   .want = &state->want,
				   .from = row_position(row),
				   .direction = -1,
				   .alone = true};
	for (int i = 0; i < KINDS_TRIED; i++) {
		struct sequence_position found;
		if (!next_match_near(&query, NEAR_CELLS, &found))
			return false;
		*before = *reader_message(lane->reader, found.at);
		if (!state->resyncs || before->kind == row->message.kind)
			return true;
		query.from = found;
	}
	return false;
}

/* Append the time since the previous sync point, or the bytes since the previous resync point. */
static void
add_since(struct syncs_state *state, const struct row *row, struct text *out)
{
	const struct list_lane *lane = &state->list.lanes[row->lane];
	struct display_time now, then;
	struct message before;
	if (!find_before(state, row, &before))
		return;
	if (state->resyncs) {
		text_add_size(out, row->message.offset - before.offset);
	} else if (display_time_of(&state->list, lane, &row->message, &now) &&
		   display_time_of(&state->list, lane, &before, &then)) {
		display_time_format_difference(&then, &now, false, out);
		text_add(out, out->length && now.clock.hz > 0 ? " s" : "");
	}
}

static void
add_partner(struct screen *screen, const struct row *row, struct text *out)
{
	struct location location = {0};
	size_t trace = state_of(screen)->list.lanes[row->lane].number;
	enum traces_partner partner =
	    traces_partner(screen, trace, &row->message, &state_of(screen)->expansion, &location);
	if (partner == PARTNER_NONE)
		return;
	text_add(out, partner == PARTNER_KNOWN ? "= " : "? ");
	text_add(out, trace_name(screen->session->traces.at[location.trace]));
}

static void
fill_cells(struct screen *screen, const struct row *row, struct text *cells)
{
	struct syncs_state *state = state_of(screen);
	struct expansion *e = &state->expansion;
	const struct list_lane *lane = &state->list.lanes[row->lane];
	struct display_time now;
	reader_expand(lane->reader, &row->message, EXPAND_FIELDS, e);
	text_add_bytes(&cells[WHAT], text_get(&e->type), e->type.length);
	text_add_char(&cells[WHAT], ' ');
	text_add_bytes(&cells[WHAT], text_get(&e->text), e->text.length);
	text_add(&cells[TRACE], trace_name(lane->trace));
	if (display_time_of(&state->list, lane, &row->message, &now))
		display_time_format_parts(&now, NULL, &cells[TIME]);
	add_since(state, row, &cells[SINCE]);
	add_partner(screen, row, &cells[PARTNER]);
}

/* --- the list ---------------------------------------------------------- */

/* Open the list at the message of the main list. */
static void
open_list(struct screen *screen)
{
	struct syncs_state *state = state_of(screen);
	const struct row *row = list_current(screen->list);
	state->want = filter_all();
	state->want.flags = state->resyncs ? MESSAGE_RESYNC : MESSAGE_SYNC;
	list_open(&state->list, screen->sequence, &state->want);
	state->list.before = true; /* makes the list detect its first row */
	if (row)
		list_goto(&state->list, (struct sequence_position){
					    screen->list->lanes[row->lane].number, row->at});
}

/* Return the list. It opens on first use, as keys may arrive before the first drawing. */
static struct list *
syncs_list(struct screen *screen)
{
	struct list *list = &state_of(screen)->list;
	if (!list->lanes)
		open_list(screen);
	return list;
}

/* List the resync points instead. */
static void
turn_to_resyncs(struct screen *screen)
{
	struct syncs_state *state = state_of(screen);
	size_t height = state->list.height;
	table_forget(&state->table);
	list_close(&state->list);
	state->resyncs = true;
	open_list(screen);
	list_resize(&state->list, height);
}

static bool
has_points(const struct list *list)
{
	return list->rows.count || !list->edges[LIST_AFTER].end || !list->edges[LIST_BEFORE].end;
}

static void
syncs_prepare(struct screen *screen)
{
	struct syncs_state *state = state_of(screen);
	list_settle(syncs_list(screen));
	table_renew(&state->table, list_generation(&state->list));
	sync_ties_make(&state->ties, screen, &state->list);
	bool none = state->resyncs && !has_points(&state->list);
	state->on_tie = state->ties.ties.count && (state->on_tie || none);
}

static bool
syncs_work(struct screen *screen)
{
	struct list *list = &state_of(screen)->list;
	if (list_busy(list))
		return list_work_unseen(list);
	if (has_points(list) || state_of(screen)->resyncs)
		return false;
	turn_to_resyncs(screen);
	return true;
}

static bool
syncs_have_news(struct screen *screen)
{
	const struct list *list = &state_of(screen)->list;
	return screen->open[PANE_SYNCS] && list->lanes && list_busy(list);
}

/* --- drawing ----------------------------------------------------------- */

static void
put_text(struct table_row *row, size_t column, const struct text *text)
{
	enum role role = row->current && column == TIME ? ROLE_CURSOR
			 : *text_get(text) == '?'	? ROLE_ABSENT
							: ROLE_NORMAL;
	table_put(row, column, role, text_get(text), text->length);
}

/* Fill the ties on the screen, then the rows of the list. */
static void
fill_row(struct screen *screen, struct table_row *row, size_t i)
{
	struct syncs_state *state = state_of(screen);
	size_t ties = (size_t)state->tie.rows;
	if (i < ties) {
		const struct sync_tie *tie = &state->ties.ties.at[state->tie.top + i];
		put_text(row, TIME, &tie->time);
		put_text(row, TRACE, &tie->trace);
		put_text(row, PARTNER, &tie->with);
		put_text(row, WHAT, &tie->what);
		return;
	}
	const struct row *point = list_row(&state->list, i - ties);
	bool made;
	struct text *cells = table_keep(row->table, point->lane, point->id, &made);
	if (!made)
		fill_cells(screen, point, cells);
	for (size_t c = 0; c < COLUMNS; c++)
		put_text(row, c, &cells[c]);
}

static void
syncs_title(struct screen *screen, struct text *out)
{
	size_t ties;
	clocks_ties(screen->session->clocks, &ties);
	if (ties)
		text_addf(out, "%zu tie%s, ", ties, ties == 1 ? "" : "s");
	text_add(out, state_of(screen)->resyncs ? "resync points (there are no sync points)"
						: "sync points");
}

/* Give the ties up to half of ROWS, and put the cursor on its row. Return the number of rows. */
static size_t
place_rows(struct syncs_state *state, int rows)
{
	size_t ties = state->ties.ties.count, most = rows > 1 ? (size_t)rows / 2 : 1, shown = 0;
	ties = rows > 0 ? ties < most ? ties : most : 0;
	lines_show(&state->tie, state->ties.ties.count, (int)ties);
	list_resize(&state->list, (size_t)(rows > 0 ? rows : 0) - ties);
	while (list_row(&state->list, shown))
		shown++;
	state->table.cursor.top = 0;
	state->table.cursor.line = state->on_tie ? state->tie.line - state->tie.top
						 : ties + state->list.cursor - state->list.top;
	return ties + shown;
}

static void
syncs_draw(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	struct syncs_state *state = state_of(screen);
	struct list *list = &state->list;
	syncs_prepare(screen);
	bool beside = list->lane_count > 1 || state->ties.ties.count;
	int column = beside ? TABLE_FIT : TABLE_HIDDEN;
	const struct table_column columns[COLUMNS] = {
	    [TIME] = {"time", TABLE_FIT, .gap = 1, .right = true},
	    [TRACE] = {"trace", column, .gap = 1},
	    [SINCE] = {"since last", TABLE_FIT, .gap = 1, .right = true},
	    [PARTNER] = {"with", column, .gap = 1},
	    [WHAT] = {state->resyncs ? "resync point" : "sync point", TABLE_REST},
	};
	struct table_spec spec = {.pane = PANE_SYNCS,
				  .columns = columns,
				  .column_count = COLUMNS,
				  .left = 1,
				  .fill = fill_row};
	struct area body = table_body(&spec, area);
	spec.count = place_rows(state, body.rows);
	int rows = table_draw(&state->table, screen, &spec, canvas, area);
	bool listed = rows > state->tie.rows;
	bool all = list->edges[LIST_AFTER].end && (listed || list->edges[LIST_BEFORE].end);
	if (!all || !listed)
		canvas_puts(canvas, &body, rows, 1, ROLE_ABSENT,
			    all ? "no sync points, and no resync points" : "...");
}

/* --- commands ---------------------------------------------------------- */

/* Move among the ties, and between them and the list. */
static void
syncs_move(struct screen *screen, const struct command_call *call)
{
	struct syncs_state *state = state_of(screen);
	struct list *list = syncs_list(screen);
	size_t ties = state->ties.ties.count;
	int64_t step = pane_step(call, (int)(list->height + (size_t)state->tie.rows));
	if (state->on_tie) {
		int64_t line = (int64_t)state->tie.line + step;
		state->on_tie = line < (int64_t)ties || !list->rows.count;
		if (state->on_tie)
			lines_go_to(&state->tie, ties, line);
		else
			list_move(list, line - (int64_t)ties);
	} else if (ties && step < 0 && !list->cursor && list->edges[LIST_BEFORE].end) {
		state->on_tie = true;
		lines_go_to(&state->tie, ties, (int64_t)ties + step);
	} else {
		pane_mover(call->id)(screen, call);
	}
}

static void
syncs_edge(struct screen *screen, const struct command_call *call)
{
	struct syncs_state *state = state_of(screen);
	bool top = call->id == COMMAND_TOP;
	list_goto_edge(syncs_list(screen), top ? LIST_BEFORE : LIST_AFTER);
	state->on_tie = top && state->ties.ties.count;
	state->tie.line = 0;
}

static void
syncs_go(struct screen *screen, const struct command_call *call)
{
	struct syncs_state *state = state_of(screen);
	const struct row *row = list_current(&state->list);
	(void)call;
	if (state->on_tie) {
		const struct sync_tie *tie = &state->ties.ties.at[state->tie.line];
		if (tie->known)
			jump_to_location(screen, &tie->ends[0]);
		else
			screen_say(screen, NOTICE_TIE_MESSAGES_LATER);
	} else if (row) {
		jump_to_location(screen,
				 &(struct location){.trace = state->list.lanes[row->lane].number,
						    .id = row->id});
	}
}

static void
syncs_drop_tie(struct screen *screen, const struct command_call *call)
{
	struct syncs_state *state = state_of(screen);
	char number[24];
	(void)call;
	if (!state->on_tie) {
		screen_say(screen, NOTICE_TIE_NOT_HERE);
		return;
	}
	snprintf(number, sizeof number, "%zu", state->tie.line + 1);
	traces_untie(screen, &(struct command_call){.id = COMMAND_UNTIE, .text = number});
}

static pane_command *const syncs_commands[COMMAND_COUNT] = {
    [COMMAND_TOP] = syncs_edge,	      [COMMAND_END] = syncs_edge,
    [COMMAND_DOWN] = syncs_move,      [COMMAND_UP] = syncs_move,
    [COMMAND_PAGE_DOWN] = syncs_move, [COMMAND_PAGE_UP] = syncs_move,
    [COMMAND_HALF_DOWN] = syncs_move, [COMMAND_HALF_UP] = syncs_move,
    [COMMAND_OPEN] = syncs_go,	      [COMMAND_TIE_DROP] = syncs_drop_tie,
};

const struct pane_ops pane_syncs = {
    .name = "sync points",
    .scope = SCOPE_SYNCS,
    .state_size = sizeof(struct syncs_state),
    .close = syncs_close,
    .title = syncs_title,
    .keys = {{COMMAND_OPEN, .word = "go"},
	     {COMMAND_COUNTERPART, .word = "counterpart", .spare = true},
	     {COMMAND_TIE_DROP, .word = "untie", .spare = true},
	     {COMMAND_SYNCS, .word = "close"}},
    .draw = syncs_draw,
    .commands = syncs_commands,
    .list = syncs_list,
    .work = syncs_work,
    .news = syncs_have_news,
};
