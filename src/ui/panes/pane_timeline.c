/*
 * The timeline: the number of messages over time, a lane for each trace, with contexts and
 * intervals.
 *
 * The counts come from query/density.h: a first answer in some ms, then better ones. The
 * timeline shares the cursor of the list. Spare rows make the busiest lanes higher. With too
 * few rows, the busiest lanes keep a line each and the others share one.
 */
#include "config.h"

#include "ui/panes/pane_timeline.h"
#include "base/notice.h"
#include "query/density.h"
#include "query/filter/filter.h"
#include "query/interval/intervals.h"
#include "session/clock/clocks.h"
#include "session/context/context.h"
#include "session/session.h"
#include "ui/list/filters.h"
#include "ui/list/range.h"
#include "ui/list/shown.h"
#include "ui/list/trail.h"
#include "ui/panes/pane.h"
#include "ui/panes/timeline_draw.h"
#include "ui/panes/timeline_lanes.h"
#include "ui/panes/timeline_lines.h"
#include "ui/panes/timeline_state.h"
#include "ui/panes/timeline_text.h"
#include "ui/screen/screen.h"

#include <stdlib.h>
#include <string.h>

enum {
	SKIPPED_MAX = 4096, /* messages that one step may skip */
	AXIS_ROWS = 4,	    /* rows needed for an axis */
	FOOT_ROWS = 3,	    /* rows needed for a foot */
	WORDS_ROWS = 7,	    /* rows needed for a second foot row */
	OTHER_ROWS = 5,	    /* rule, axis, foot, ties */
	STATE_ROWS = 2,	    /* for contexts and intervals, at least */
};

static void
timeline_close(void *context)
{
	struct timeline_state *state = context;
	density_free(state->density);
	timeline_lanes_free(state);
	vec_free(&state->kept);
	vec_free(&state->lines);
	timeline_intervals_free(&state->intervals);
	timeline_flow_free(&state->flow);
	timeline_plots_free(state);
	free(state->split);
	free(state->known);
	free(state->brush);
	text_free(&state->text);
}

static bool
timeline_has_news(struct screen *screen)
{
	const struct timeline_state *state = timeline_state_of(screen);
	return screen->layout.panes[PANE_TIMELINE].rows > 0 && state->density &&
	       (density_has_news(state->density) ||
		timeline_intervals_have_news(&state->intervals, screen) ||
		timeline_flow_has_news(&state->flow, screen));
}

/* --- time and columns -------------------------------------------------- */

/* Find the time of a message as its track has it; CARRIED: its transport time. */
static bool
time_of(struct screen *screen, size_t trace, const struct message *m, bool carried, int64_t *time)
{
	const struct timeline_state *state = timeline_state_of(screen);
	const struct density_answer *answer = state->answer;
	struct message_time found;
	struct trace *own = screen->session->traces.at[trace];
	if (carried ? clocks_transport_time(own, m, &found) : clocks_time(own, m, &found)) {
		*time = found.order;
		return true;
	}
	*time = (int64_t)message_id_offset(m);
	return answer && answer->first <= answer->last && answer->window.trace == trace &&
	       answer->unit == TRACK_OFFSETS;
}

/* Find the time at a position. A message without one gets the transport time of a message before it
 * in its cell. */
static bool
time_at(struct screen *screen, size_t trace, struct reader *reader, struct position at,
	int64_t *time)
{
	for (bool carried = false;; carried = true, at.at--) {
		const struct message *found = reader_message(reader, at);
		struct message m = found ? *found : (struct message){0};
		if (found && time_of(screen, trace, &m, carried, time))
			return true;
		if (!at.at || !found)
			return false;
	}
}

/* --- what is shown ----------------------------------------------------- */

int
timeline_rows(struct screen *screen)
{
	const struct intervals *intervals = intervals_of(screen->session);
	const struct timeline_state *state = timeline_state_of(screen);
	size_t named = contexts_count(screen->session->contexts);
	size_t known = state ? state->states.count : 0; /* of each origin */
	int states =
	    (int)((known > named ? known : named) + (intervals ? intervals_count(intervals) : 0));
	int rows = OTHER_ROWS + (states > STATE_ROWS ? states : STATE_ROWS);
	int lanes = 0;
	if (state && state->split && screen->open[PANE_TIMELINE])
		timeline_lanes_make(screen); /* the layout needs the lanes before the drawing */
	for (size_t i = 0; i < screen->session->traces.count; i++)
		lanes += sequence_shows(screen->sequence, i);
	if (state && (int)state->lanes.count > lanes) /* some are unfolded */
		lanes = (int)state->lanes.count;
	if (state)
		rows += (int)timeline_flow_lanes(&state->flow);
	if (state)
		rows += (int)state->plots.count * TIMELINE_PLOT_ROWS;
	if (state && state->unfolded)
		rows += (int)state->pairs.count;
	return rows + lanes;
}

static void
center_window(struct density_window *w, int64_t time)
{
	w->from =
	    density_clamp_time((__int128)time - (__int128)w->step * (__int128)(w->columns / 2));
}

/* Copy the cursor from the list if it moved there or if times changed. Commands call this before
 * they use the cursor: several keys may arrive between two drawings. */
static void
follow_list(struct screen *screen)
{
	struct timeline_state *state = timeline_state_of(screen);
	struct list *list = screen->list;
	const struct row *row = list_current(list);
	struct density_window *w = &state->window;
	struct trace *const *traces = screen->session->traces.at;
	if (!row)
		return;
	size_t trace = list->lanes[row->lane].number;
	unsigned clocks = clocks_generation(screen->session->clocks);
	bool known = state->answer && state->answer->first <= state->answer->last;
	int64_t first = known ? state->answer->first : 0;
	bool same = state->trace == trace && !message_id_compare(state->id, row->id);
	if (state->seen && same && state->clocks == clocks && state->first == first)
		return;
	if (!state->opened || clocks_part(traces[trace]) != clocks_part(traces[w->trace])) {
		state->opened = true;
		w->trace = trace;
		w->fit = true;
	}
	bool moved = state->seen && !same;
	struct timeline_mark *cursor = &state->cursor;
	bool timed = time_at(screen, trace, list->lanes[row->lane].reader, row->at, &cursor->time);
	if (!timed && known) /* before all messages with a time */
		cursor->time = first;
	cursor->set = timed || known;
	state->seen = cursor->set; /* else try again when more is indexed */
	state->trace = trace;
	state->id = row->id;
	state->clocks = clocks;
	state->first = first;
	if (moved && cursor->set && !w->fit && !timeline_in_sight(w, cursor->time))
		center_window(w, cursor->time);
}

static void
ask_density(struct screen *screen, size_t columns)
{
	struct timeline_state *state = timeline_state_of(screen);
	struct density_window *w = &state->window;
	if (!w->fit && w->columns != columns && w->columns) { /* keep the length of the window */
		unsigned __int128 length = (unsigned __int128)w->step * w->columns;
		length = (length + columns - 1) / columns;
		w->step = length > INT64_MAX ? INT64_MAX : (uint64_t)length + !length;
	}
	w->columns = columns;
	if (!state->known)
		state->known = mem_new(screen->session->traces.count * sizeof *state->known);
	const struct density_filter filter = {screen->list->filter, state->known};
	memset(state->known, 0, screen->session->traces.count * sizeof *state->known);
	for (size_t i = 0; i < screen->list->matches.count; i++)
		state->known[screen->list->lanes[i].number] = screen->list->matches.of[i];
	state->answer =
	    density_ask(state->density, w, state->lanes.at, state->lanes.count, true, &filter);
	timeline_pairs_make(screen);
	timeline_intervals_make(&state->intervals, screen, timeline_answer(state));
	timeline_plots_take(screen, timeline_answer(state));
	const struct density_answer *answer = state->answer;
	if (answer && (answer->final || answer->states.count)) /* contexts may come later */
		timeline_states_make(screen, answer);
}

/* Request the contents of ROWS lines next to names of *GUTTER columns. */
static void
prepare_timeline(struct screen *screen, const struct area *area, size_t rows, int *gutter)
{
	struct timeline_state *state = timeline_state_of(screen);
	if (!state->density)
		state->density = density_new(screen->session);
	if (!state->split)
		state->split = mem_new(screen->session->traces.count * sizeof *state->split);
	timeline_lanes_make(screen);
	timeline_lanes_weigh(screen, state);
	follow_list(screen);
	timeline_lines_make(state, rows);
	*gutter = timeline_gutter(screen, area->cols);
	ask_density(screen, (size_t)(area->cols - *gutter));
	follow_list(screen); /* the answer has the unit and the earliest time */
	timeline_lines_make(state, rows);
	int wider = timeline_gutter(screen, area->cols);
	if (wider > *gutter) { /* new lines have longer names */
		*gutter = wider;
		ask_density(screen, (size_t)(area->cols - *gutter));
		timeline_lines_make(state, rows);
	}
}

static void
timeline_draw(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	struct timeline_state *state = timeline_state_of(screen);
	int gutter;
	bool axis = area->rows >= AXIS_ROWS;
	int foot = area->rows >= WORDS_ROWS ? 2 : area->rows >= FOOT_ROWS;
	if (area->cols < 2 || area->rows < 1)
		return;
	size_t rows = (size_t)(area->rows - axis - foot);
	prepare_timeline(screen, area, rows, &gutter);
	const struct density_answer *answer = timeline_answer(state);
	struct area right = {area->row, area->col + gutter, area->rows, area->cols - gutter};
	int room = (int)rows; /* if each line had one row */
	for (size_t i = 0; i < state->lines.count; i++)
		room -= state->lines.at[i].rows - 1;
	lines_show(&state->at, state->lines.count, room > 0 ? room : 1);
	if (answer && axis)
		timeline_draw_axis(screen, area, gutter, 0);
	int y = axis;
	state->shown = 0;
	for (size_t i = state->at.top;
	     i < state->lines.count && y + state->lines.at[i].rows <= axis + (int)rows; i++) {
		timeline_draw_line(screen, area, y, i, gutter);
		y += state->lines.at[i].rows;
		state->shown++;
	}
	if (!answer)
		canvas_puts(canvas, &right, axis, 0, ROLE_ABSENT, "not known yet");
	else if (foot)
		timeline_draw_foot(screen, area, area->rows - foot, foot);
}

/* Append the length of the window and of a cell. */
static void
timeline_title(struct screen *screen, struct text *out)
{
	const struct density_answer *answer = timeline_answer(timeline_state_of(screen));
	text_add(out, answer && answer->unit == TRACK_OFFSETS ? "offsets" : "time");
	if (!answer)
		return;
	const struct density_window *w = &answer->window;
	unsigned __int128 length = (unsigned __int128)w->step * w->columns;
	text_add(out, "  ");
	timeline_add_length(answer, length > UINT64_MAX ? UINT64_MAX : (uint64_t)length, 4, out);
	text_add(out, "  ");
	timeline_add_length(answer, w->step, 3, out);
	text_add(out, " a cell");
	if (!answer->complete)
		text_add(out, "  so far");
	else if (!answer->final)
		text_add(out, "  ~");
}

/* --- commands ---------------------------------------------------------- */

/* Stop fitting the window to all times, so that the caller can change it. */
static struct density_window *
hold_window(struct screen *screen)
{
	struct timeline_state *state = timeline_state_of(screen);
	const struct density_answer *answer = timeline_answer(state);
	follow_list(screen);
	if (!answer)
		return NULL;
	if (state->window.fit) {
		state->window = answer->window;
		state->window.fit = false;
	}
	return &state->window;
}

static void
timeline_zoom(struct screen *screen, const struct command_call *call)
{
	struct timeline_state *state = timeline_state_of(screen);
	struct density_window *w = hold_window(screen);
	if (!w)
		return;
	bool in = call->id == COMMAND_TIMELINE_IN;
	bool seen = state->cursor.set && timeline_in_sight(w, state->cursor.time);
	int64_t column = seen ? density_column_of(w, state->cursor.time) : (int64_t)w->columns / 2;
	int64_t time = seen ? state->cursor.time : density_column_start(w, column);
	for (uint64_t left = call->count; left && left < 64; left--) {
		if (in)
			w->step = w->step > 1 ? w->step / 2 : 1;
		else if (w->step < (uint64_t)INT64_MAX / 2)
			w->step *= 2;
	}
	w->from = density_clamp_time((__int128)time - (__int128)column * (__int128)w->step);
	const struct density_answer *answer = state->answer;
	if (!in && w->from <= answer->first &&
	    density_column_start(w, (int64_t)w->columns) > answer->last)
		w->fit = true;
}

static void
timeline_pan(struct screen *screen, const struct command_call *call)
{
	struct density_window *w = hold_window(screen);
	if (!w)
		return;
	int64_t columns = (int64_t)(w->columns / 4 + 1) * command_steps(call);
	w->from = density_column_start(w, call->id == COMMAND_TIMELINE_LATER ? columns : -columns);
}

/* Show the time from FROM to TO, with a small margin. */
static void
show_between(struct timeline_state *state, int64_t from, int64_t to)
{
	struct density_window *w = &state->window;
	uint64_t length = (uint64_t)to - (uint64_t)from;
	size_t columns = w->columns > 4 ? w->columns - 2 : 1;
	w->fit = false;
	w->step = length / columns + 1;
	w->from = density_clamp_time((__int128)from - (w->columns > 4 ? (__int128)w->step : 0));
}

/* Find A and B, the earlier one first. False unless both are set. */
static bool
find_marked(const struct timeline_state *state, int64_t *from, int64_t *to)
{
	bool back = state->a.time > state->b.time;
	*from = back ? state->b.time : state->a.time;
	*to = back ? state->a.time : state->b.time;
	return state->a.set && state->b.set;
}

static void
timeline_fit(struct screen *screen, const struct command_call *call)
{
	struct timeline_state *state = timeline_state_of(screen);
	int64_t from, to;
	(void)call;
	if (state->window.fit && find_marked(state, &from, &to) && from < to)
		show_between(state, from, to);
	else
		state->window.fit = true;
}

static void
set_mark(struct screen *screen, const struct command_call *call)
{
	struct timeline_state *state = timeline_state_of(screen);
	struct timeline_mark *mark = call->id == COMMAND_TIMELINE_A ? &state->a : &state->b;
	follow_list(screen);
	if (mark->set && state->cursor.set && mark->time == state->cursor.time)
		mark->set = false;
	else
		*mark = state->cursor;
}

/* Find the first message of the list at TIME or later, else the last one. */
static bool
find_at(struct screen *screen, int64_t time, struct sequence_position *p)
{
	struct list *list = screen->list;
	const struct density_answer *answer = timeline_state_of(screen)->answer;
	struct sequence_wish wish = {.by = SEQUENCE_BY_TIME, .trace = list->lane, .time = time};
	*p = (struct sequence_position){.trace = list->lane};
	if (answer->unit == TRACK_OFFSETS && list->lanes[list->lane].number == answer->window.trace)
		return reader_find_offset(list->reader, time < 0 ? 0 : (uint64_t)time, &p->at) ||
		       reader_last(list->reader, &p->at);
	return sequence_find(list->sequence, &wish, p);
}

static bool
time_at_position(struct screen *screen, struct sequence_position p, int64_t *time)
{
	const struct list_lane *lane = &screen->list->lanes[p.trace];
	return time_at(screen, lane->number, lane->reader, p.at, time);
}

/* Move the list to a message. The pane's cursor goes there even if a filter hides the message. */
static void
go_to(struct screen *screen, struct sequence_position p, bool jump)
{
	struct timeline_state *state = timeline_state_of(screen);
	int64_t time;
	bool timed = time_at_position(screen, p, &time);

	if (jump)
		trail_go_to(screen, p);
	else
		list_goto(screen->list, p);
	const struct row *row = list_current(screen->list);
	if (!timed || !row)
		return;
	state->trace = screen->list->lanes[row->lane].number;
	state->id = row->id;
	state->cursor = (struct timeline_mark){true, time};
	if (!state->window.fit && !timeline_in_sight(&state->window, time))
		center_window(&state->window, time);
}

/* Move P to the first message whose own time is TIME or later. P starts at the first one with that
 * transport time; delayed messages were sent earlier. Leave P if none is near. */
static void
skip_earlier(struct screen *screen, int64_t time, struct sequence_position *p)
{
	struct sequence_position at = *p;
	int64_t own;
	for (unsigned i = 0; i < SKIPPED_MAX; i++) {
		if (time_at_position(screen, at, &own) && own >= time) {
			*p = at;
			return;
		}
		if (!sequence_next(screen->list->sequence, &at))
			return;
	}
}

/* Go to the first message of the next nonempty column, or of the previous one. */
static void
timeline_step(struct screen *screen, const struct command_call *call)
{
	struct timeline_state *state = timeline_state_of(screen);
	const struct density_answer *answer = timeline_answer(state);
	struct sequence_position p;
	follow_list(screen);
	if (!answer || !state->cursor.set)
		return;
	const struct density_window *w = &answer->window;
	bool right = call->id == COMMAND_TIMELINE_RIGHT;
	int64_t column = density_column_of(w, state->cursor.time), time;
	int64_t count = command_steps(call) - 1;
	column += right ? count + 1 : -count;
	if (!find_at(screen, density_column_start(w, column), &p))
		return;
	if (right) {
		skip_earlier(screen, density_column_start(w, column), &p);
	} else {
		if (time_at_position(screen, p, &time) && density_column_of(w, time) < column) {
			/* the last message already lies in an earlier column */
		} else if (!sequence_previous(screen->list->sequence, &p)) {
			return;
		}
		if (!time_at_position(screen, p, &time) ||
		    !find_at(screen, density_column_start(w, density_column_of(w, time)), &p))
			return;
	}
	go_to(screen, p, false);
}

static void
timeline_go(struct screen *screen, const struct command_call *call)
{
	struct timeline_state *state = timeline_state_of(screen);
	const struct density_answer *answer = timeline_answer(state);
	struct sequence_position p;
	(void)call;
	follow_list(screen);
	bool away =
	    answer && state->cursor.set && !timeline_in_sight(&answer->window, state->cursor.time);
	if (away &&
	    find_at(screen,
		    density_column_start(&answer->window, (int64_t)answer->window.columns / 2), &p))
		go_to(screen, p, true);
	shown_set_focus(screen, PANE_LIST);
}

/* Go to the message with the greatest number of the plot in the window, or with the least. */
static void
timeline_extreme(struct screen *screen, const struct command_call *call)
{
	struct timeline_state *state = timeline_state_of(screen);
	const struct list *list = screen->list;
	bool selected;
	const struct timeline_plot *plot = timeline_plots_current(state, &selected);
	const struct plot_range *all = plot && plot->answer ? &plot->answer->all : NULL;
	if (!all || !all->count) {
		screen_say(screen, NOTICE_PLOT_NONE);
		return;
	}
	bool most = call->id == COMMAND_TIMELINE_MOST;
	const struct plot_place *to = most ? &all->max_at : &all->min_at;
	struct sequence_position p = {.at = {to->cell, to->at}};
	while (p.trace < list->lane_count && list->lanes[p.trace].number != to->trace)
		p.trace++;
	if (p.trace < list->lane_count)
		go_to(screen, p, true);
}

/* Append the filter from A to B. */
static void
add_brush(const struct density_answer *answer, int64_t from, int64_t to, struct text *out)
{
	static const char *const names[] = {
	    [TRACK_NANOSECONDS] = "time", [TRACK_TICKS] = "ticks", [TRACK_OFFSETS] = "offset"};
	const int64_t ends[] = {from, to};
	text_addf(out, "%s in ", names[answer->unit]);
	for (int i = 0; i < 2; i++) {
		size_t start = out->length + 1;
		text_add(out, i ? ".." : "");
		timeline_add_time(answer, ends[i], 1, true, out);
		char *blank = strchr(out->data + start, ' ');
		if (blank)
			*blank = 'T';
		else if (answer->unit == TRACK_NANOSECONDS)
			text_add_char(out, 's');
	}
}

/* Return the number of the filter that the last brush made. The next brush replaces it. */
static size_t
find_brush(struct screen *screen)
{
	const struct timeline_state *state = timeline_state_of(screen);
	size_t i = 0;
	for (; i < screen->filters->list.count; i++)
		if (state->brush &&
		    !strcmp(filter_expr_text(screen->filters->list.at[i].expr), state->brush))
			break;
	return i;
}

static void
timeline_brush(struct screen *screen, const struct command_call *call)
{
	struct timeline_state *state = timeline_state_of(screen);
	const struct density_answer *answer = timeline_answer(state);
	int64_t from, to;
	struct text text = {0};
	(void)call;
	if (!answer || !find_marked(state, &from, &to)) {
		screen_say(screen, NOTICE_TIMELINE_SET_AB);
		return;
	}
	add_brush(answer, from, to, &text);
	if (filters_type(screen, find_brush(screen), text.data, false)) {
		free(state->brush);
		state->brush = mem_text(text.data);
	}
	text_free(&text);
}

/* Unfold the line under the cursor, or fold it again. */
static void
unfold_line(struct screen *screen, const struct command_call *call)
{
	struct timeline_state *state = timeline_state_of(screen);
	(void)call;
	if (state->at.line >= state->lines.count)
		return;
	const struct timeline_line *line = &state->lines.at[state->at.line];
	state->gutter = 0;
	if (line->kind == LINE_MORE) {
		state->all = !state->all;
	} else if (line->kind == LINE_LANE) {
		size_t trace = state->lanes.at[line->at].trace;
		state->split[trace] = !state->split[trace];
		while (state->at.line && state->lines.at[state->at.line].kind == LINE_LANE &&
		       state->lanes.at[state->lines.at[state->at.line].at].by_origin)
			state->at.line--;
	} else if (line->kind == LINE_TIES || line->kind == LINE_SYNC || line->kind == LINE_PAIR) {
		state->unfolded = !state->unfolded;
	}
}

static void
toggle_functions(struct screen *screen, const struct command_call *call)
{
	struct timeline_state *state = timeline_state_of(screen);
	(void)call;
	state->flow.on = !state->flow.on;
	state->gutter = 0;
}

static bool
timeline_work(struct screen *screen)
{
	struct timeline_state *state = timeline_state_of(screen);
	return timeline_flow_work(&state->flow, screen, timeline_answer(state), time_of);
}

static void
timeline_move(struct screen *screen, const struct command_call *call)
{
	struct timeline_state *state = timeline_state_of(screen);
	state->plot_wanted = 0;
	lines_go_to(&state->at, state->lines.count, (int64_t)state->at.line + pane_step(call, 1));
}

bool
timeline_show_range(struct screen *screen)
{
	struct timeline_state *state = timeline_state_of(screen);
	const struct location *location = &screen->range->from;
	const struct row *row = list_current(screen->list);
	struct position at;
	int64_t from, to;
	bool ranged =
	    screen->range->on && row &&
	    reader_find_id(sequence_reader(screen->sequence, location->trace), location->id, &at) &&
	    time_at(screen, location->trace, sequence_reader(screen->sequence, location->trace), at,
		    &from) &&
	    time_at_position(screen, row_position(row), &to);
	if (ranged && from != to) {
		state->window.trace = location->trace;
		state->window.columns += !state->window.columns;
		state->opened = true;
		show_between(state, from < to ? from : to, from < to ? to : from);
	}
	return ranged;
}

static pane_command *const timeline_commands[COMMAND_COUNT] = {
    [COMMAND_DOWN] = timeline_move,
    [COMMAND_UP] = timeline_move,
    [COMMAND_TIMELINE_IN] = timeline_zoom,
    [COMMAND_TIMELINE_OUT] = timeline_zoom,
    [COMMAND_TIMELINE_FIT] = timeline_fit,
    [COMMAND_TIMELINE_EARLIER] = timeline_pan,
    [COMMAND_TIMELINE_LATER] = timeline_pan,
    [COMMAND_TIMELINE_LEFT] = timeline_step,
    [COMMAND_TIMELINE_RIGHT] = timeline_step,
    [COMMAND_TIMELINE_GO] = timeline_go,
    [COMMAND_TIMELINE_MOST] = timeline_extreme,
    [COMMAND_TIMELINE_LEAST] = timeline_extreme,
    [COMMAND_TIMELINE_A] = set_mark,
    [COMMAND_TIMELINE_B] = set_mark,
    [COMMAND_TIMELINE_BRUSH] = timeline_brush,
    [COMMAND_TIMELINE_LANES] = unfold_line,
    [COMMAND_TIMELINE_FUNCTIONS] = toggle_functions,
};

const struct pane_ops pane_timeline = {
    .name = "timeline",
    .scope = SCOPE_TIMELINE,
    .state_size = sizeof(struct timeline_state),
    .close = timeline_close,
    .title = timeline_title,
    .keys = {{COMMAND_TIMELINE_IN, COMMAND_TIMELINE_OUT, "zoom"},
	     {COMMAND_TIMELINE_EARLIER, COMMAND_TIMELINE_LATER, "pan", .spare = true},
	     {COMMAND_TIMELINE_A, COMMAND_TIMELINE_B, "measure", .spare = true},
	     {COMMAND_TIMELINE_BRUSH, .word = "span"},
	     {COMMAND_TIMELINE_LANES, .word = "unfold", .spare = true},
	     {COMMAND_TIMELINE_FUNCTIONS, .word = "calls", .spare = true},
	     {COMMAND_TIMELINE_MOST, COMMAND_TIMELINE_LEAST, "extremes", .spare = true},
	     {COMMAND_TIMELINE_FIT, .word = "fit"},
	     {COMMAND_TIMELINE, .word = "close"}},
    .draw = timeline_draw,
    .commands = timeline_commands,
    .work = timeline_work,
    .news = timeline_has_news,
};
