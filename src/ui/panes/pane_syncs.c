/*
 * The list of sync points of all traces, in the order of the common time: when and
 * in which trace, how long after the last one of that trace, whether another trace
 * has what it goes with, and what it says.
 *
 * Where no message ties two clocks, it lists the resync points instead: where decoding
 * can start, and how many bytes lie between one and the last of its kind.
 *
 * It is a list like the one of messages, with a filter of its own: cells whose
 * summaries know of no sync points are passed, and only what the screen shows is
 * decoded.  So there is no count of them all.  What a line says is kept until a
 * text or a time may have changed.
 */
#include "config.h"

#include "query/seek.h"
#include "session/session.h"
#include "ui/app.h"
#include "ui/session.h"

#include <string.h>

enum {
	LINES_KEPT = 256, /* more are dropped */
	NEAR_CELLS = 64,  /* looked at for the point before */
	KINDS_TRIED = 8,  /* points of other kinds that are passed */
	HEAD_ROWS = 6	  /* rows from which the columns have names */
};

enum { TIME, TRACE, SINCE, PARTNER, WHAT, COLUMNS };

static const char *const titles[COLUMNS] = {"time", "trace", "since last", "with", "sync point"};

/* What is said of a sync point. */
struct line {
	size_t lane;
	struct place place;
	struct text cells[COLUMNS];
};

struct syncs_state {
	struct list list;   /* no lanes: not opened yet */
	struct filter want; /* borrowed by the list */
	VEC(struct line) lines;
	unsigned generation; /* of what they say */
	bool resyncs;	     /* there are no sync points, so these are resync points */
	struct expansion expansion;
};

static struct syncs_state *
state_of(struct app *app)
{
	return app->state[PANE_SYNCS];
}

static void
drop_lines(struct syncs_state *state)
{
	for (size_t i = 0; i < state->lines.count; i++)
		for (int c = 0; c < COLUMNS; c++)
			text_free(&state->lines.at[i].cells[c]);
	vec_clear(&state->lines);
}

static void
syncs_close(void *context)
{
	struct syncs_state *state = context;
	drop_lines(state);
	vec_free(&state->lines);
	expansion_free(&state->expansion);
	if (state->list.lanes)
		list_close(&state->list);
}

/* --- what a line says -------------------------------------------------- */

/* The point before, of the same trace and, a resync point, of the same kind. */
static bool
find_before(struct syncs_state *state, const struct row *row, struct message *before)
{
	const struct list_lane *lane = &state->list.lanes[row->lane];
	struct seek_query query = {
	    .trace = lane->trace, .want = &state->want, .from = row->at, .direction = -1};
	bool wrapped;
	for (int i = 0; i < KINDS_TRIED; i++) {
		struct position hit;
		if (seek_near(&query, lane->reader, NEAR_CELLS, &hit, &wrapped) != SEEK_FOUND)
			return false;
		*before = *reader_message(lane->reader, hit);
		if (!state->resyncs || before->kind == row->message.kind)
			return true;
		query.from = hit;
	}
	return false;
}

/* The time since the sync point before, or the bytes since the resync point. */
static void
add_since(struct syncs_state *state, const struct row *row, struct text *out)
{
	const struct list_lane *lane = &state->list.lanes[row->lane];
	struct moment now, then;
	struct message before;
	if (!find_before(state, row, &before))
		return;
	if (state->resyncs)
		text_add_size(out, row->message.offset - before.offset);
	else if (moment_of(&state->list, lane, &row->message, NULL, &now) &&
		 moment_of(&state->list, lane, &before, NULL, &then))
		moment_format_difference(&then, &now, false, out);
}

static void
add_partner(struct app *app, const struct row *row, struct text *out)
{
	struct spot spot = {0};
	size_t trace = state_of(app)->list.lanes[row->lane].number;
	enum session_partner partner =
	    session_partner(app, trace, &row->message, &state_of(app)->expansion, &spot);
	if (partner == PARTNER_NONE)
		return;
	text_add(out, partner == PARTNER_KNOWN ? "= " : "? ");
	app_add_safe(app, trace_name(app->session->traces.at[spot.trace]), out);
}

static void
fill_line(struct app *app, const struct row *row, struct line *line)
{
	struct syncs_state *state = state_of(app);
	struct expansion *e = &state->expansion;
	const struct list_lane *lane = &state->list.lanes[row->lane];
	struct moment now;
	struct text *cells = line->cells;
	reader_expand(lane->reader, &row->message, EXPAND_FIELDS, e);
	text_add_safe(&cells[WHAT], text_get(&e->type), e->type.length, app->charset);
	text_add_char(&cells[WHAT], ' ');
	text_add_safe(&cells[WHAT], text_get(&e->text), e->text.length, app->charset);
	app_add_safe(app, trace_name(lane->trace), &cells[TRACE]);
	if (moment_of(&state->list, lane, &row->message, NULL, &now))
		moment_format(&now, &cells[TIME]);
	add_since(state, row, &cells[SINCE]);
	add_partner(app, row, &cells[PARTNER]);
}

/* The line of a row, made if need be; borrowed until the next call. */
static const struct line *
line_of(struct app *app, const struct row *row)
{
	struct syncs_state *state = state_of(app);
	for (size_t i = 0; i < state->lines.count; i++)
		if (state->lines.at[i].lane == row->lane &&
		    !place_compare(state->lines.at[i].place, row->place))
			return &state->lines.at[i];
	if (state->lines.count >= LINES_KEPT)
		drop_lines(state);
	struct line *line = vec_add(&state->lines);
	line->lane = row->lane;
	line->place = row->place;
	fill_line(app, row, line);
	return line;
}

/* --- the list ---------------------------------------------------------- */

/* Opens it, where the list of messages is. */
static void
open_list(struct app *app)
{
	struct syncs_state *state = state_of(app);
	const struct row *row = list_current(app->list);
	state->want = filter_all();
	state->want.flags = state->resyncs ? MESSAGE_RESYNC : MESSAGE_SYNC;
	if (app->session->traces.count > 1)
		list_open_merged(&state->list, app->session, app->merge, &state->want);
	else
		list_open(&state->list, app->session, 0, &state->want);
	if (row) {
		list_turn(&state->list, app->list->lanes[row->lane].number);
		list_goto(&state->list, row->at);
	}
}

/* Lists the resync points instead. */
static void
turn_to_resyncs(struct app *app)
{
	struct syncs_state *state = state_of(app);
	size_t height = state->list.height;
	drop_lines(state);
	list_close(&state->list);
	state->resyncs = true;
	open_list(app);
	list_resize(&state->list, height);
}

static void
prepare(struct app *app)
{
	struct syncs_state *state = state_of(app);
	if (!state->list.lanes)
		open_list(app);
	list_settle(&state->list);
	unsigned generation = list_generation(&state->list);
	for (size_t i = 0; i < state->list.lane_count; i++)
		generation += capture_epoch(trace_capture(state->list.lanes[i].trace));
	if (state->generation != generation)
		drop_lines(state);
	state->generation = generation;
}

static bool
has_points(const struct list *list)
{
	return list->rows.count || !list->edges[LIST_AFTER].end || !list->edges[LIST_BEFORE].end;
}

static bool
syncs_work(struct app *app)
{
	struct list *list = &state_of(app)->list;
	bool busy = list_busy(list);
	if (busy)
		list_work(list);
	else if (!has_points(list) && !state_of(app)->resyncs)
		turn_to_resyncs(app);
	else
		return false;
	return true;
}

/* --- drawing ----------------------------------------------------------- */

/* As wide as what is on the screen. */
static void
measure(struct app *app, bool several, int widths[COLUMNS])
{
	const struct row *row;
	for (int c = 0; c < COLUMNS; c++)
		widths[c] = (int)strlen(titles[c]);
	for (size_t i = 0; i < state_of(app)->list.height; i++) {
		if (!(row = list_row(&state_of(app)->list, i)))
			break;
		const struct line *line = line_of(app, row);
		for (int c = 0; c < COLUMNS; c++) {
			const struct text *text = &line->cells[c];
			int used = text_columns(text_get(text), text->length);
			widths[c] = used > widths[c] ? used : widths[c];
		}
	}
	if (!several)
		widths[TRACE] = widths[PARTNER] = -1;
}

static void
draw_line(struct canvas *canvas, const struct area *area, int y, const int widths[COLUMNS],
	  const struct line *line, bool current)
{
	int x = 1;
	for (int c = 0; c < COLUMNS; x += widths[c++] + 1) {
		const struct text *text = &line->cells[c];
		bool number = c == TIME || c == SINCE;
		int used = text_columns(text_get(text), text->length);
		enum role role = current && c == TIME	  ? ROLE_CURSOR
				 : *text_get(text) == '?' ? ROLE_ABSENT
							  : ROLE_NORMAL;
		if (widths[c] >= 0)
			canvas_put(canvas, area, y, x + (number ? widths[c] - used : 0), role,
				   text_get(text), text->length);
	}
}

static void
draw_head(struct canvas *canvas, const struct area *area, const int widths[COLUMNS], bool resyncs)
{
	int x = 1;
	for (int c = 0; c < COLUMNS; x += widths[c++] + 1)
		if (widths[c] >= 0)
			canvas_puts(canvas, area, 0, x, ROLE_HEADER,
				    resyncs && c == WHAT ? "resync point" : titles[c]);
}

static void
syncs_title(struct app *app, struct text *out)
{
	if (state_of(app)->resyncs)
		text_add(out, ": none; resync points");
}

static void
syncs_draw(struct app *app, struct canvas *canvas, const struct area *area)
{
	struct list *list = &state_of(app)->list;
	struct area body = *area;
	const struct row *row;
	int widths[COLUMNS], y = 0;
	prepare(app);
	if (area->rows >= HEAD_ROWS) {
		body.row++;
		body.rows--;
	}
	list_resize(list, (size_t)body.rows);
	measure(app, list->lane_count > 1, widths);
	if (body.rows < area->rows)
		draw_head(canvas, area, widths, state_of(app)->resyncs);
	for (; y < body.rows && (row = list_row(list, (size_t)y)); y++)
		draw_line(canvas, &body, y, widths, line_of(app, row),
			  app->focus == PANE_SYNCS && list->top + (size_t)y == list->cursor);
	bool all = list->edges[LIST_AFTER].end && (y || list->edges[LIST_BEFORE].end);
	if (!all || !y)
		canvas_puts(canvas, &body, y, 1, ROLE_ABSENT,
			    all ? "no sync points, and no resync points" : "...");
}

/* --- commands ---------------------------------------------------------- */

static struct list *
syncs_list(struct app *app)
{
	return &state_of(app)->list;
}

static void
edge(struct app *app, const struct command_call *call)
{
	list_goto_edge(&state_of(app)->list, call->id == COMMAND_TOP ? LIST_BEFORE : LIST_AFTER);
}

static void
go(struct app *app, const struct command_call *call)
{
	struct list *list = &state_of(app)->list;
	const struct row *row = list_current(list);
	(void)call;
	if (row)
		jump_to_spot(app, &(struct spot){.trace = list->lanes[row->lane].number,
						 .place = row->place});
}

static pane_command *const syncs_commands[COMMAND_COUNT] = {
    [COMMAND_TOP] = edge,
    [COMMAND_END] = edge,
    [COMMAND_OPEN] = go,
};

const struct pane_ops pane_syncs = {
    .name = "sync points",
    .scope = SCOPE_SYNCS,
    .state_size = sizeof(struct syncs_state),
    .close = syncs_close,
    .title = syncs_title,
    .draw = syncs_draw,
    .commands = syncs_commands,
    .list = syncs_list,
    .work = syncs_work,
};
