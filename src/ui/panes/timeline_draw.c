/*
 * The drawing of the timeline.
 *
 * The height of a column is the square root of its share of the largest count on the screen.
 * Its colour is that of its worst message. `~` marks loss; without colours, `!` marks errors.
 */
#include "config.h"

#include "ui/panes/timeline_draw.h"
#include "session/context/context.h"
#include "session/sequence.h"
#include "session/session.h"
#include "ui/list/list.h"
#include "ui/list/context_view.h"
#include "ui/list/shown.h"
#include "ui/panes/pane.h"
#include "ui/panes/timeline_lanes.h"
#include "ui/panes/timeline_lines.h"
#include "ui/panes/timeline_plots.h"
#include "ui/panes/timeline_state.h"
#include "ui/panes/timeline_text.h"
#include "ui/screen/screen.h"
#include "ui/screen/term.h"

#include <math.h>
#include <string.h>

enum {
	LABEL_COLUMNS = 12, /* least distance of two times on the axis */
	NANO = 1000000000,
};

static uint64_t
sum_of(const struct density_column *column)
{
	uint64_t sum = 0;
	for (int s = 0; s < SEVERITY_COUNT; s++)
		sum += column->severities[s];
	return sum;
}

/* Return the largest number of messages in a column. Set *LANE to its lane. */
static uint64_t
largest_count(const struct density_answer *answer, size_t *lane)
{
	size_t columns = answer->window.columns;
	uint64_t most = 1;
	for (size_t i = 0; i < answer->lanes * columns; i++) {
		uint64_t sum = sum_of(&answer->columns[i]);
		if (sum > most && lane)
			*lane = i / columns;
		most = sum > most ? sum : most;
	}
	return most;
}

/* The look of a column in a lane. */
struct timeline_bar {
	const char *foot; /* sign in the lowest row; NULL: use LEVEL */
	size_t level;	  /* height; row_levels() levels fill a row */
	enum role role;
};

static size_t
row_levels(const struct screen *screen)
{
	return screen->charset == TEXT_ASCII ? 4 : 8;
}

static const char *
glyph_of(const struct screen *screen, size_t level)
{
	static const char *const ascii[] = {" ", ".", ":", "i", "I"};
	static const char *const blocks[] = {" ",      "\u2581", "\u2582", "\u2583", "\u2584",
					     "\u2585", "\u2586", "\u2587", "\u2588"};
	return screen->charset == TEXT_ASCII ? ascii[level] : blocks[level];
}

static enum role
bar_role(const struct density_column *column, uint64_t sum, enum role of_trace)
{
	if (column->severities[SEVERITY_FATAL])
		return ROLE_FATAL_LETTER;
	if (column->severities[SEVERITY_ERROR])
		return ROLE_ERROR;
	if (column->severities[SEVERITY_WARNING])
		return ROLE_WARNING;
	return column->estimated > sum / 4 ? ROLE_ABSENT : of_trace;
}

/* Return the look of a column in a lane of ROWS rows. */
static struct timeline_bar
bar_of(const struct screen *screen, const struct density_column *column, double most, int rows,
       enum role role)
{
	size_t levels = row_levels(screen) * (size_t)rows;
	uint64_t sum = sum_of(column);
	if (column->flags & (MESSAGE_LOST | MESSAGE_DAMAGED))
		return (struct timeline_bar){"~", 0, ROLE_LOSS};
	if (!sum && (column->open || column->hidden)) /* uncounted or hidden messages */
		return (struct timeline_bar){column->open ? "-" : NULL, 1, ROLE_ABSENT};
	if (!sum)
		return (struct timeline_bar){NULL, 0, role};
	size_t level = (size_t)(sqrt((double)sum / most) * (double)levels) + 1;
	struct timeline_bar bar = {NULL, level < levels ? level : levels,
				   bar_role(column, sum, role)};
	bool error = bar.role == ROLE_FATAL_LETTER || bar.role == ROLE_ERROR;
	if (error && !screen->term->has_colours)
		bar.foot = "!";
	return bar;
}

/* Draw a bar in ROWS rows, the lowest at FOOT. */
static void
draw_bar(struct screen *screen, const struct area *area, int foot, int x, int rows,
	 const struct timeline_bar *bar)
{
	size_t high = row_levels(screen), level = bar->level;
	for (int i = 0; i < rows; i++) {
		const char *glyph = glyph_of(screen, level < high ? level : high);
		if (!i && bar->foot)
			glyph = bar->foot;
		if (*glyph != ' ')
			canvas_puts(screen->canvas, area, foot - i, x, bar->role, glyph);
		level -= level < high ? level : high;
	}
}

/* Return column C of a line: of its lane, or the sum of all lanes without a line. */
static struct density_column
line_column(const struct timeline_state *state, const struct timeline_line *line, size_t c)
{
	const struct density_answer *answer = timeline_answer(state);
	size_t columns = answer->window.columns;
	struct density_column sum = {0};
	if (line->kind == LINE_LANE)
		return answer->columns[line->at * columns + c];
	for (size_t lane = 0; lane < answer->lanes; lane++) {
		const struct density_column *one = &answer->columns[lane * columns + c];
		if (state->kept.at[lane])
			continue;
		for (int s = 0; s < SEVERITY_COUNT; s++)
			sum.severities[s] += one->severities[s];
		sum.hidden += one->hidden;
		sum.estimated += one->estimated;
		sum.flags |= one->flags;
		sum.open |= one->open;
	}
	return sum;
}

static void
draw_density(struct screen *screen, const struct area *area, int y,
	     const struct timeline_line *line)
{
	const struct timeline_state *state = timeline_state_of(screen);
	const struct density_answer *answer = timeline_answer(state);
	double most = (double)largest_count(answer, NULL);
	enum role role = line->kind == LINE_LANE
			     ? trace_role(screen->session, state->lanes.at[line->at].trace)
			     : ROLE_NORMAL;
	if (line->kind == LINE_LANE && answer->apart[line->at]) {
		canvas_puts(screen->canvas, area, y, 0, ROLE_ABSENT,
			    "not on the common clock (:tie relates it)");
		return;
	}
	for (size_t c = 0; c < answer->window.columns; c++) {
		const struct density_column column = line_column(state, line, c);
		const struct timeline_bar bar = bar_of(screen, &column, most, line->rows, role);
		draw_bar(screen, area, y + line->rows - 1, (int)c, line->rows, &bar);
	}
}

static void
draw_spans(struct screen *screen, const struct area *area, int y, size_t state)
{
	const struct density_answer *answer = timeline_answer(timeline_state_of(screen));
	struct text text = {0};
	for (size_t i = 0; i < answer->spans.count; i++) {
		const struct density_span *s = &answer->spans.at[i];
		int from = (int)s->from, room = (int)(s->to - s->from) - 1;
		enum role role = s->doubtful ? ROLE_LOSS : ROLE_NORMAL;
		if (s->state != state)
			continue;
		if (s->dense) {
			canvas_fill(screen->canvas, area, y, from, room + 2, role, ':');
			continue;
		}
		if (room < 0) {
			canvas_puts(screen->canvas, area, y, from, role, "|");
			continue;
		}
		text_clear(&text);
		text_addf(&text, "%s%s", s->text, s->doubtful ? " ?" : "");
		canvas_puts(screen->canvas, area, y, from, role, "[");
		if (s->doubtful)
			canvas_fill(screen->canvas, area, y, from + 1, room, role, '~');
		if (text_columns(text_get(&text), text.length, screen->charset) <= room)
			canvas_put(screen->canvas, area, y, from + 1, role, text_get(&text),
				   text.length);
		canvas_puts(screen->canvas, area, y, (int)s->to, role, "]");
	}
	text_free(&text);
}

static void
draw_syncs(struct screen *screen, const struct area *area, int y)
{
	const struct density_answer *answer = timeline_answer(timeline_state_of(screen));
	for (size_t c = 0; c < answer->window.columns; c++)
		if (timeline_has_sync(answer, c))
			canvas_puts(screen->canvas, area, y, (int)c, ROLE_NOTE, "^");
}

/* Draw a tick for each common time of two traces. If the two ends differ, draw a line between
 * them. */
static void
draw_links(struct screen *screen, const struct area *area, int y, const struct timeline_pair *pair)
{
	const struct density_answer *answer = timeline_answer(timeline_state_of(screen));
	const char *line = screen->charset == TEXT_ASCII ? "-" : "\u2500";
	for (size_t i = 0; i < answer->links.count; i++) {
		const struct density_link *link = &answer->links.at[i];
		enum role role = link->rejected ? ROLE_WARNING : ROLE_NOTE;
		int from = (int)link->from, to = (int)link->to, step = from < to ? 1 : -1;
		if (!timeline_is_of_pair(link, pair))
			continue;
		for (int x = from + step; from != to && x != to; x += step)
			canvas_puts(screen->canvas, area, y, x, role, line);
		if (from != to)
			canvas_puts(screen->canvas, area, y, to, role, step > 0 ? ">" : "<");
		canvas_puts(screen->canvas, area, y, from, role, "^");
	}
}

/* Draw all ties in one line: sync points, and links between two traces. */
static void
draw_ties(struct screen *screen, const struct area *area, int y)
{
	const struct density_answer *answer = timeline_answer(timeline_state_of(screen));
	draw_syncs(screen, area, y);
	for (size_t i = 0; i < answer->links.count; i++) {
		const struct density_link *link = &answer->links.at[i];
		enum role role = link->rejected ? ROLE_WARNING : ROLE_NOTE;
		if (!sequence_shows(screen->sequence, link->a) ||
		    !sequence_shows(screen->sequence, link->b))
			continue;
		canvas_puts(screen->canvas, area, y, (int)link->from, role, "^");
		canvas_puts(screen->canvas, area, y, (int)link->to, role, "^");
	}
}

static void
draw_mark(struct screen *screen, const struct area *area, int y, const struct timeline_mark *mark,
	  enum role role, const char *letter)
{
	const struct density_window *w = &timeline_answer(timeline_state_of(screen))->window;
	if (mark->set && timeline_in_sight(w, mark->time))
		canvas_puts(screen->canvas, area, y, (int)density_column_of(w, mark->time), role,
			    letter);
}

/* --- the axis ----------------------------------------------------------- */

void
timeline_draw_axis(struct screen *screen, const struct area *area, int gutter, int y)
{
	struct timeline_state *state = timeline_state_of(screen);
	const struct density_answer *answer = timeline_answer(state);
	const struct density_window *w = &answer->window;
	const struct area right = {area->row, area->col + gutter, area->rows, area->cols - gutter};
	uint64_t step = timeline_round_up(answer, (double)w->step * LABEL_COLUMNS);
	text_clear(&state->text);
	timeline_add_time(answer, w->from, step, false, &state->text);
	size_t room = state->text.length + 2; /* of a label with blanks */
	size_t common = timeline_common_part(answer, w->from,
					     density_column_start(w, (int64_t)w->columns), step);
	if (room - common > LABEL_COLUMNS)
		step = timeline_round_up(answer, (double)w->step * (double)(room - common));
	common = timeline_common_part(answer, w->from, density_column_start(w, (int64_t)w->columns),
				      step);
	/* round times of day, also in a zone that is hours apart from UTC */
	int64_t shift = answer->wall ? zone_offset(answer->zone, w->from / NANO, NULL) * NANO : 0;
	__int128 time = ((__int128)w->from + shift) / (int64_t)step * (int64_t)step - shift;
	int used = 0; /* columns of the row */
	for (; density_clamp_time(time) == time; time += (int64_t)step) {
		int64_t column = density_column_of(w, (int64_t)time);
		if (column >= (int64_t)w->columns)
			break;
		if (time < w->from)
			continue;
		text_clear(&state->text);
		timeline_add_time(answer, (int64_t)time, step, false, &state->text);
		int x = gutter + (int)column, before = used ? 0 : (int)common;
		if (before && x < before) { /* no room before the first time */
			canvas_put(screen->canvas, area, y, 0, ROLE_HEADER, state->text.data,
				   common);
			used = (int)common + 1;
		}
		if (x < used)
			continue;
		size_t skip = used ? common : 0;
		x -= (int)(common - skip);
		int end = x + (int)(state->text.length - skip);
		if (end <= area->cols) /* a cut time would look like another time */
			canvas_put(screen->canvas, area, y, x, ROLE_HEADER, state->text.data + skip,
				   state->text.length - skip);
		used = end + 1;
	}
	/* the marks over the cursor, which the lanes show too */
	draw_mark(screen, &right, y, &state->cursor, ROLE_CURSOR, "v");
	draw_mark(screen, &right, y, &state->a, ROLE_MARK, "A");
	draw_mark(screen, &right, y, &state->b, ROLE_MARK, "B");
}

/* --- the foot ----------------------------------------------------------- */

/* Append `, 5 errors`, or nothing for 0. */
static void
add_count(uint64_t count, bool about, const char *one, const char *many, struct text *out)
{
	char digits[32];
	if (count)
		text_addf(out, ", %s%s %s", about ? "~" : "", text_number(digits, count),
			  count == 1 ? one : many);
}

static void
add_totals(const struct timeline_state *state, const struct density_answer *answer,
	   struct text *out)
{
	uint64_t severities[SEVERITY_COUNT] = {0}, sum = 0, losses = 0;
	char digits[32];
	bool open = false, shared = false;
	for (size_t lane = 0; lane < answer->lanes; lane++) {
		if (state->lanes.at[lane].by_origin) /* the lane of its trace counts them */
			continue;
		for (size_t c = 0; c < answer->window.columns; c++) {
			const struct density_column *column =
			    &answer->columns[lane * answer->window.columns + c];
			for (int s = 0; s < SEVERITY_COUNT; s++)
				severities[s] += column->severities[s];
			losses += (column->flags & (MESSAGE_LOST | MESSAGE_DAMAGED)) != 0;
			open |= column->open;
			shared |= column->shared;
		}
	}
	for (int s = 0; s < SEVERITY_COUNT; s++)
		sum += severities[s];
	text_addf(out, "%s%s %s here", open ? "~" : "", text_number(digits, sum),
		  sum == 1 ? "message" : "messages");
	add_count(severities[SEVERITY_FATAL], shared, "fatal", "fatal", out);
	add_count(severities[SEVERITY_ERROR], shared, "error", "errors", out);
	add_count(severities[SEVERITY_WARNING], shared, "warning", "warnings", out);
	if (losses)
		text_addf(out, ", losses in %llu %s", (unsigned long long)losses,
			  losses == 1 ? "cell" : "cells");
}

/* Append the time between two marks. */
static void
add_between(const struct density_answer *answer, const char *name, const struct timeline_mark *from,
	    const struct timeline_mark *to, struct text *out)
{
	if (!from->set || !to->set)
		return;
	bool back = to->time < from->time;
	uint64_t length = back ? (uint64_t)from->time - (uint64_t)to->time
			       : (uint64_t)to->time - (uint64_t)from->time;
	text_addf(out, "  %s %s", name, back ? "-" : "");
	timeline_add_length(answer, length, 9, out);
}

/* Append the contexts at the message under the cursor. */
static void
add_contexts(struct screen *screen, const struct row *row, struct text *out)
{
	struct contexts *contexts = screen->session->contexts;
	struct context_cursor *cursor = context_view_cursor(screen);
	const struct message *m = &row->message;
	struct context_value value;
	for (unsigned i = 0; i < contexts_count(contexts); i++) {
		if (!context_value(contexts, cursor, m, i, &value) &&
		    !context_elsewhere(contexts, cursor, m, i, &value))
			continue;
		bool unknown = value.state == CONTEXT_UNKNOWN;
		if (!unknown && value.state != CONTEXT_KNOWN)
			continue;
		text_addf(out, "  %s%s", contexts_name(contexts, i),
			  unknown || value.doubtful ? " ? " : " ");
		if (value.name)
			text_add(out, value.name);
		else
			context_text(contexts, cursor, i, &value, out);
	}
}

/* Append the time at the cursor. HELD: also append the open intervals and contexts at that time. */
static void
add_cursor(struct screen *screen, bool held, struct text *out)
{
	struct timeline_state *state = timeline_state_of(screen);
	const struct density_answer *answer = timeline_answer(state);
	const struct row *row = list_current(screen->list);
	if (!state->cursor.set)
		return;
	timeline_add_time(answer, state->cursor.time, held ? 1 : timeline_title_step(answer), !held,
			  out);
	if (!held || !row || !timeline_in_sight(&answer->window, state->cursor.time))
		return;
	timeline_intervals_add_open(screen, answer, state->cursor.time, out);
	add_contexts(screen, row, out);
}

/* Draw LEFT and RIGHT in a row, or only LEFT if both do not fit. */
static void
draw_words(struct screen *screen, const struct area *area, int y, const struct text *left,
	   const struct text *right)
{
	int columns = text_columns(text_get(right), right->length, screen->charset);
	int x = canvas_put_cell(screen->canvas, area, y, 1, area->cols - 1, ROLE_NOTE,
				text_get(left), left->length);
	if (x + 2 + columns < area->cols)
		canvas_put(screen->canvas, area, y, area->cols - columns - 1, ROLE_NOTE,
			   text_get(right), right->length);
}

void
timeline_draw_foot(struct screen *screen, const struct area *area, int y, int rows)
{
	struct timeline_state *state = timeline_state_of(screen);
	const struct density_answer *answer = timeline_answer(state);
	struct text left = {0}, legend = {0}, here = {0}, between = {0};
	size_t lane = 0;
	uint64_t most = largest_count(answer, &lane);
	char digits[32];
	timeline_plots_add_here(screen, &left);
	if (!left.length)
		add_totals(state, answer, &left);
	if (state->shown && state->shown < state->lines.count)
		text_addf(&left, ", lanes %zu to %zu of %zu", state->at.top + 1,
			  state->at.top + state->shown, state->lines.count);
	text_addf(&legend, "%s = %s %s, ", glyph_of(screen, row_levels(screen)),
		  text_number(digits, most), most == 1 ? "message" : "messages");
	if (state->lanes.count)
		text_add(&legend, state->names.at[lane] + strspn(state->names.at[lane], " "));
	add_between(answer, "A to B", &state->a, &state->b, &between);
	add_between(answer, "from A", &state->a, &state->cursor, &between);
	add_between(answer, "from B", &state->b, &state->cursor, &between);
	add_cursor(screen, rows > 1, &here);
	const struct text *marked = between.length ? &between : rows > 1 ? &legend : &here;
	draw_words(screen, area, y, &left, rows > 1 ? &(struct text){0} : marked);
	if (rows > 1)
		draw_words(screen, area, y + 1, &here, marked);
	text_free(&left);
	text_free(&legend);
	text_free(&here);
	text_free(&between);
}

/* --- the lines ---------------------------------------------------------- */

static void
draw_left(struct screen *screen, const struct area *area, int y, enum timeline_left which)
{
	struct text text = {0};
	text_addf(&text, "have no lane; %s", timeline_left_where(which));
	canvas_puts(screen->canvas, area, y, 0, ROLE_ABSENT, text_get(&text));
	text_free(&text);
}

void
timeline_draw_line(struct screen *screen, const struct area *area, int y, size_t i, int gutter)
{
	struct timeline_state *state = timeline_state_of(screen);
	const struct timeline_line *line = &state->lines.at[i];
	const struct density_answer *answer = timeline_answer(state);
	struct area right = {area->row, area->col + gutter, area->rows, area->cols - gutter};
	enum role role = ROLE_FIELD;
	if (i == state->at.line && screen->focus == PANE_TIMELINE)
		role = ROLE_CURSOR;
	else if (line->kind == LINE_LANE && screen->session->traces.count > 1)
		role = trace_role(screen->session, state->lanes.at[line->at].trace);
	const char *name = timeline_line_name(screen, line);
	int row = line->kind == LINE_PLOT && line->rows > 2 ? 1 : line->rows - 1;
	canvas_put_cell(screen->canvas, area, y + row, 0, gutter > 0 ? gutter - 1 : 0, role, name,
			strlen(name));
	if (!answer)
		return;
	if (line->kind == LINE_CONTEXT)
		draw_spans(screen, &right, y, state->states.at[line->at].number);
	else if (line->kind == LINE_PLOT)
		timeline_plots_draw(screen, area, &right, y, line->rows, line->at);
	else if (line->kind == LINE_FLOW)
		timeline_flow_draw(&state->flow, screen, &right, y, line->at);
	else if (line->kind == LINE_INTERVAL)
		timeline_intervals_draw(&state->intervals, screen, &right, y, line->at);
	else if (line->kind == LINE_LEFT)
		draw_left(screen, &right, y, line->at);
	else if (line->kind == LINE_TIES)
		draw_ties(screen, &right, y);
	else if (line->kind == LINE_SYNC)
		draw_syncs(screen, &right, y);
	else if (line->kind == LINE_PAIR)
		draw_links(screen, &right, y, &state->pairs.at[line->at]);
	else if (line->kind == LINE_LANE || !state->all)
		draw_density(screen, &right, y, line);
	const struct density_window *w = &answer->window;
	for (row = 0; row < line->rows; row++)
		if (state->cursor.set && timeline_in_sight(w, state->cursor.time))
			canvas_role(screen->canvas, &right, y + row,
				    (int)density_column_of(w, state->cursor.time), 1, ROLE_CURSOR);
}
