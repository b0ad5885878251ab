/*
 * The list of sync points of all traces, in the order of the common time: when and
 * in which trace, how long after the last one of that trace, whether another trace
 * has what it goes with, and what it says.
 *
 * Where no message ties two clocks, it lists the resync points instead: where decoding
 * can start, and how many bytes lie between one and the last of its kind.
 *
 * It is a list like the one of messages, with a filter of its own: cells whose
 * summaries have no sync points are passed, and only what the screen shows is
 * decoded.  So there is no count of them all.  What a line says is kept until a
 * text or a time may have changed.
 */
#include "config.h"

#include "query/next_match.h"
#include "session/clock/clocks.h"
#include "session/session.h"
#include "ui/list/display_time.h"
#include "ui/list/traces.h"
#include "ui/panes/kept_cells.h"
#include "ui/panes/table.h"
#include "ui/screen/screen.h"

#include <string.h>

enum {
	NEAR_CELLS = 64, /* looked at for the point before */
	KINDS_TRIED = 8	 /* points of other kinds that are passed */
};

enum { TIME, TRACE, SINCE, PARTNER, WHAT, COLUMNS };

struct syncs_state {
	struct table table;
	struct list list;   /* no lanes: not opened yet */
	struct filter want; /* borrowed by the list */
	struct kept_cells kept;
	bool resyncs; /* there are no sync points, so these are resync points */
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
	kept_cells_free(&state->kept);
	expansion_free(&state->expansion);
	table_free(&state->table);
	if (state->list.lanes)
		list_close(&state->list);
}

/* --- what a line says -------------------------------------------------- */

/* The point before, of the same trace and, a resync point, of the same kind. */
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

/* The time since the sync point before, or the bytes since the resync point. */
static void
add_since(struct syncs_state *state, const struct row *row, struct text *out)
{
	const struct list_lane *lane = &state->list.lanes[row->lane];
	struct display_time now, then;
	struct message before;
	if (!find_before(state, row, &before))
		return;
	if (state->resyncs)
		text_add_size(out, row->message.offset - before.offset);
	else if (display_time_of(&state->list, lane, &row->message, &now) &&
		 display_time_of(&state->list, lane, &before, &then))
		display_time_format_difference(&then, &now, false, out);
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
	screen_add_safe(screen, trace_name(screen->session->traces.at[location.trace]), out);
}

static void
fill_cells(struct screen *screen, const struct row *row, struct text *cells)
{
	struct syncs_state *state = state_of(screen);
	struct expansion *e = &state->expansion;
	const struct list_lane *lane = &state->list.lanes[row->lane];
	struct display_time now;
	reader_expand(lane->reader, &row->message, EXPAND_FIELDS, e);
	text_add_safe(&cells[WHAT], text_get(&e->type), e->type.length, screen->charset);
	text_add_char(&cells[WHAT], ' ');
	text_add_safe(&cells[WHAT], text_get(&e->text), e->text.length, screen->charset);
	screen_add_safe(screen, trace_name(lane->trace), &cells[TRACE]);
	if (display_time_of(&state->list, lane, &row->message, &now))
		display_time_format(&now, &cells[TIME]);
	add_since(state, row, &cells[SINCE]);
	add_partner(screen, row, &cells[PARTNER]);
}

/* What a row says, made if need be; borrowed until the next call. */
static const struct text *
cells_of(struct screen *screen, const struct row *row)
{
	bool made;
	struct text *cells = kept_cells_of(&state_of(screen)->kept, row, &made);
	if (!made)
		fill_cells(screen, row, cells);
	return cells;
}

/* --- the list ---------------------------------------------------------- */

/* Opens it, where the list of messages is. */
static void
open_list(struct screen *screen)
{
	struct syncs_state *state = state_of(screen);
	const struct row *row = list_current(screen->list);
	state->want = filter_all();
	state->want.flags = state->resyncs ? MESSAGE_RESYNC : MESSAGE_SYNC;
	list_open(&state->list, screen->sequence, &state->want);
	if (row)
		list_goto(&state->list, (struct sequence_position){
					    screen->list->lanes[row->lane].number, row->at});
}

/* Lists the resync points instead. */
static void
turn_to_resyncs(struct screen *screen)
{
	struct syncs_state *state = state_of(screen);
	size_t height = state->list.height;
	kept_cells_clear(&state->kept);
	list_close(&state->list);
	state->resyncs = true;
	open_list(screen);
	list_resize(&state->list, height);
}

static void
syncs_prepare(struct screen *screen)
{
	struct syncs_state *state = state_of(screen);
	if (!state->list.lanes)
		open_list(screen);
	list_settle(&state->list);
	unsigned generation = list_generation(&state->list);
	for (size_t i = 0; i < state->list.lane_count; i++)
		generation += capture_generation(trace_capture(state->list.lanes[i].trace));
	kept_cells_renew(&state->kept, generation);
}

static bool
has_points(const struct list *list)
{
	return list->rows.count || !list->edges[LIST_AFTER].end || !list->edges[LIST_BEFORE].end;
}

static bool
syncs_work(struct screen *screen)
{
	struct list *list = &state_of(screen)->list;
	bool busy = list_busy(list);
	if (busy)
		list_work(list);
	else if (!has_points(list) && !state_of(screen)->resyncs)
		turn_to_resyncs(screen);
	else
		return false;
	return true;
}

/* --- drawing ----------------------------------------------------------- */

static void
fill_row(struct screen *screen, struct table_row *row, size_t i)
{
	const struct text *cells = cells_of(screen, list_row(&state_of(screen)->list, i));
	for (size_t c = 0; c < COLUMNS; c++) {
		const struct text *text = &cells[c];
		enum role role = row->current && c == TIME ? ROLE_CURSOR
				 : *text_get(text) == '?'  ? ROLE_ABSENT
							   : ROLE_NORMAL;
		table_put(row, c, role, text_get(text), text->length);
	}
}

static void
syncs_title(struct screen *screen, struct text *out)
{
	size_t ties;
	clocks_ties(screen->session->clocks, &ties);
	text_add(out, state_of(screen)->resyncs ? "resync points (there are no sync points)"
						: "sync points");
	if (ties)
		text_addf(out, "; %zu tie%s by :tie, which :clocks lists", ties,
			  ties == 1 ? "" : "s");
}

static void
syncs_draw(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	struct syncs_state *state = state_of(screen);
	struct list *list = &state->list;
	syncs_prepare(screen);
	int beside = list->lane_count > 1 ? TABLE_FIT : TABLE_HIDDEN;
	const struct table_column columns[COLUMNS] = {
	    [TIME] = {"time", TABLE_FIT, .gap = 1, .right = true},
	    [TRACE] = {"trace", beside, .gap = 1},
	    [SINCE] = {"since last", TABLE_FIT, .gap = 1, .right = true},
	    [PARTNER] = {"with", beside, .gap = 1},
	    [WHAT] = {state->resyncs ? "resync point" : "sync point", TABLE_FIT},
	};
	const struct table_spec spec = {.pane = PANE_SYNCS,
					.columns = columns,
					.column_count = COLUMNS,
					.left = 1,
					.list = list,
					.fill = fill_row};
	int rows = table_draw(&state->table, screen, &spec, canvas, area);
	struct area body = table_body(&spec, area);
	bool all = list->edges[LIST_AFTER].end && (rows || list->edges[LIST_BEFORE].end);
	if (!all || !rows)
		canvas_puts(canvas, &body, rows, 1, ROLE_ABSENT,
			    all ? "no sync points, and no resync points" : "...");
}

/* --- commands ---------------------------------------------------------- */

static struct list *
syncs_list(struct screen *screen)
{
	return &state_of(screen)->list;
}

static void
syncs_edge(struct screen *screen, const struct command_call *call)
{
	list_goto_edge(&state_of(screen)->list, call->id == COMMAND_TOP ? LIST_BEFORE : LIST_AFTER);
}

static void
syncs_go(struct screen *screen, const struct command_call *call)
{
	struct list *list = &state_of(screen)->list;
	const struct row *row = list_current(list);
	(void)call;
	if (row)
		jump_to_location(screen, &(struct location){.trace = list->lanes[row->lane].number,
							    .id = row->id});
}

static pane_command *const syncs_commands[COMMAND_COUNT] = {
    [COMMAND_TOP] = syncs_edge,
    [COMMAND_END] = syncs_edge,
    [COMMAND_OPEN] = syncs_go,
};

const struct pane_ops pane_syncs = {
    .name = "sync points",
    .scope = SCOPE_SYNCS,
    .state_size = sizeof(struct syncs_state),
    .close = syncs_close,
    .title = syncs_title,
    .keys = {{COMMAND_OPEN, .word = "go"},
	     {COMMAND_COUNTERPART, .word = "counterpart", .spare = true},
	     {COMMAND_SYNCS, .word = "close"}},
    .draw = syncs_draw,
    .commands = syncs_commands,
    .list = syncs_list,
    .work = syncs_work,
};
