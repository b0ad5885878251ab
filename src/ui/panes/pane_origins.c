/*
 * The origins of all traces: counts by severity, the first time, and a graph of their messages
 * over the capture. With several traces, each trace has a line above the origins. A tick marks
 * what is shown.
 *
 * All counts are sums of the index, so the pane opens at once for any size of capture. A name
 * and a first time need a message. They are made for lines on the screen, and kept. The graph
 * shows counts of groups of cells, the smallest unit with sums by origin. A capture of few
 * groups has no graph. The order by name needs all names, which takes a few milliseconds of
 * each drawing.
 */
#include "config.h"

#include "base/generation.h"
#include "base/notice.h"
#include "base/thread.h"
#include "session/clock/clock_text.h"
#include "session/session.h"
#include "ui/list/filters.h"
#include "ui/list/display_time.h"
#include "ui/panes/table.h"
#include "ui/screen/screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TICK_COLUMNS = 5,
	NAME_COLUMNS = 24,
	COUNT_COLUMNS = 6,
	FEW_COLUMNS = 18, /* the three worst severities, as text */
	TIME_COLUMNS = 19,
	TIME_LEAST = 9, /* enough for a time to the second */
	GRAPH_COLUMNS_MIN = 8,
	GRAPH_COLUMNS_MAX = 100,
	GRAPH_GROUPS_MIN = 4,
	LEVELS = 8,
	WIDE = 116, /* least width for all severities */
	NAMES_MS = 10
};

/* The number of messages over the capture, as far as counted. */
struct origin_graph {
	uint64_t next, groups; /* next group to add; all groups of the capture */
	size_t columns;
	uint64_t counts[GRAPH_COLUMNS_MAX];
	bool bad[GRAPH_COLUMNS_MAX]; /* some are errors */
};

struct origin_line {
	size_t trace;
	bool whole; /* the line of the trace itself */
	uint64_t key, example;
	uint64_t severities[SEVERITY_COUNT];
	struct text name; /* as captured; made on demand */
	bool named;
	struct message first;	    /* set with the name; length 0 if none */
	struct origin_graph *graph; /* owned, or NULL */
};

/* The lines of a trace. */
struct origin_source {
	uint64_t known;		       /* cells when the lines were made */
	uint64_t indexed, named;       /* epochs of index and trace */
	VEC(struct origin_line) lines; /* the trace first, then its origins in index order */
};

struct origins_state {
	struct table table;
	struct origin_source *sources; /* one per trace, owned */
	size_t source_count;
	VEC(struct origin_line *) order; /* as shown */
	unsigned order_by;		 /* index in `orders` */
	struct origin_line *current;
	struct expansion expansion;
	struct text text;
};

static struct origins_state *
state_of(struct screen *screen)
{
	return screen->state[PANE_ORIGINS];
}

static void
drop_lines(struct origin_source *source)
{
	for (size_t i = 0; i < source->lines.count; i++) {
		text_free(&source->lines.at[i].name);
		free(source->lines.at[i].graph);
	}
	vec_free(&source->lines);
}

static void
origins_close(void *context)
{
	struct origins_state *state = context;
	for (size_t i = 0; i < state->source_count; i++)
		drop_lines(&state->sources[i]);
	free(state->sources);
	vec_free(&state->order);
	expansion_free(&state->expansion);
	text_free(&state->text);
	table_free(&state->table);
}

static uint64_t
total_of(const struct origin_line *line)
{
	uint64_t sum = 0;
	for (unsigned s = 0; s < SEVERITY_COUNT; s++)
		sum += line->severities[s];
	return sum;
}

/* --- names ------------------------------------------------------------- */

/* Read the first message of an origin for its name and time. */
static void
name_line(struct screen *screen, struct origin_line *line)
{
	struct origins_state *state = state_of(screen);
	struct list *list = &screen->lists[line->trace];
	struct position at;
	struct message m = {0};
	bool found = false;
	if (line->named)
		return;
	text_clear(&line->name);
	line->named = true;
	if (line->key == UINT64_MAX) {
		text_add(&line->name, "(all others)");
		return;
	}
	/* another origin may have messages with the same offset */
	reader_find_id(list->reader, (struct message_id){line->example, 0}, &at);
	for (bool more = true; more && !found; more = reader_next(list->reader, &at, 0)) {
		const struct message *one = reader_message(list->reader, at);
		if (!one || message_id_offset(one) > line->example)
			break;
		found = one->origin == line->key;
		m = *one;
	}
	if (!found) {
		text_addf(&line->name, "0x%llx", (unsigned long long)line->key);
		return;
	}
	line->first = m;
	reader_expand_origin(list->reader, &m, &state->expansion);
	const struct text *origin = &state->expansion.origin;
	text_add_bytes(&line->name, text_get(origin), origin->length);
}

/* --- lines ------------------------------------------------------------- */

/* Copy the sums of a trace. Existing lines keep their index. */
static void
take_sums(struct screen *screen, size_t trace, struct origin_source *source)
{
	const struct trace *of = screen->session->traces.at[trace];
	struct index *index = trace_index(of);
	struct index_progress progress;
	index_origins origins = {0};
	index_get_progress(index, &progress);
	index_get_origins(index, &origins);
	while (source->lines.count < origins.count + 1)
		vec_add(&source->lines)->trace = trace;
	struct origin_line *lines = source->lines.at;
	memcpy(lines[0].severities, progress.severities, sizeof progress.severities);
	lines[0].whole = lines[0].named = true;
	text_clear(&lines[0].name);
	text_add(&lines[0].name, trace_name(of));
	for (size_t i = 0; i < origins.count; i++) {
		struct origin_line *line = &lines[i + 1];
		line->key = origins.at[i].key;
		line->example = origins.at[i].example;
		memcpy(line->severities, origins.at[i].severities, sizeof line->severities);
	}
	vec_free(&origins);
}

/* Update the lines of a trace. True if they were out of date. */
static bool
origins_refresh(struct screen *screen, size_t trace)
{
	struct origin_source *source = &state_of(screen)->sources[trace];
	const struct trace *of = screen->session->traces.at[trace];
	uint64_t known = index_known(trace_index(of));
	unsigned indexed = index_generation(trace_index(of)), named = trace_generation(of);
	if (source->lines.count && source->known == known && source->indexed == indexed &&
	    source->named == named)
		return false;
	if (generation_renew(&source->indexed, indexed))
		drop_lines(source);
	if (generation_renew(&source->named, named))
		for (size_t i = 1; i < source->lines.count; i++)
			source->lines.at[i].named = false;
	source->known = known;
	take_sums(screen, trace, source);
	return true;
}

static int
by_count(const void *a, const void *b)
{
	const struct origin_line *x = *(struct origin_line *const *)a,
				 *y = *(struct origin_line *const *)b;
	uint64_t one = total_of(x), other = total_of(y);
	if (x->whole != y->whole)
		return x->whole ? -1 : 1;
	if (one != other && !x->whole)
		return one > other ? -1 : 1;
	if (x->trace != y->trace)
		return x->trace < y->trace ? -1 : 1;
	return (x->example > y->example) - (x->example < y->example);
}

/* Compare by the numbers of the worst severities, the most first. */
static int
by_errors(const void *a, const void *b)
{
	const struct origin_line *x = *(struct origin_line *const *)a,
				 *y = *(struct origin_line *const *)b;
	for (unsigned s = SEVERITY_FATAL; !x->whole && !y->whole && s <= SEVERITY_WARNING; s++)
		if (x->severities[s] != y->severities[s])
			return x->severities[s] > y->severities[s] ? -1 : 1;
	return by_count(a, b);
}

static int
by_name(const void *a, const void *b)
{
	const struct origin_line *x = *(struct origin_line *const *)a,
				 *y = *(struct origin_line *const *)b;
	int order = strcmp(text_get(&x->name), text_get(&y->name));
	bool both = !x->whole && !y->whole;
	if (both && x->named != y->named)
		return x->named ? -1 : 1;
	return both && x->named && order ? order : by_count(a, b);
}

static const struct order {
	const char *title;
	int (*compare)(const void *, const void *);
	bool names; /* needs all names */
} orders[] = {{"by count", by_count}, {"by errors", by_errors}, {"by name", by_name, true}};

/* Name lines for NAMES_MS. False if some are left. */
static bool
name_some(struct screen *screen)
{
	struct origins_state *state = state_of(screen);
	int64_t until = thread_now_ms() + NAMES_MS;
	for (size_t i = 0; i < state->order.count; i++) {
		if (!state->order.at[i]->named && thread_now_ms() > until)
			return false;
		name_line(screen, state->order.at[i]);
	}
	return true;
}

static void
origins_sort(struct screen *screen)
{
	struct origins_state *state = state_of(screen);
	const struct order *order = &orders[state->order_by];
	if (order->names && !name_some(screen))
		session_signal(screen->session); /* continue in the next drawing */
	if (state->order.count)
		qsort(state->order.at, state->order.count, sizeof *state->order.at, order->compare);
}

/* Update the lines and keep the cursor on its line. */
static void
origins_prepare(struct screen *screen)
{
	struct origins_state *state = state_of(screen);
	size_t traces = screen->session->traces.count, at = 0;
	bool anew = false, several = traces > 1;
	size_t trace = 0, line = 0;
	if (!state->sources) {
		state->sources = mem_new(traces * sizeof *state->sources);
		state->source_count = traces;
	}
	for (size_t t = 0; state->current && t < traces; t++) { /* updates may move lines */
		struct origin_source *source = &state->sources[t];
		if (state->current >= source->lines.at &&
		    state->current < source->lines.at + source->lines.count) {
			trace = t;
			line = (size_t)(state->current - source->lines.at);
		}
	}
	for (size_t t = 0; t < traces; t++)
		anew |= origins_refresh(screen, t);
	if (anew) {
		vec_clear(&state->order);
		for (size_t t = 0; t < traces; t++)
			for (size_t i = !several; i < state->sources[t].lines.count; i++)
				*vec_add(&state->order) = &state->sources[t].lines.at[i];
		if (state->current && line < state->sources[trace].lines.count)
			state->current = &state->sources[trace].lines.at[line];
	}
	if (anew || orders[state->order_by].names)
		origins_sort(screen);
	while (at < state->order.count && state->order.at[at] != state->current)
		at++;
	if (at < state->order.count)
		state->table.cursor.line = at;
	else if (state->table.cursor.line >= state->order.count)
		state->table.cursor.line = state->order.count ? state->order.count - 1 : 0;
	state->current = state->order.count ? state->order.at[state->table.cursor.line] : NULL;
}

/* --- graphs ------------------------------------------------------------ */

/* Add newly indexed groups. */
static void
count_groups(const struct index *index, struct origin_line *line, size_t columns)
{
	uint64_t cells = index_cell_count(index), known = index_known(index);
	uint64_t groups = (cells + INDEX_GROUP - 1) / INDEX_GROUP;
	uint64_t sums[SEVERITY_COUNT];
	struct origin_graph *graph = line->graph;
	if (!graph)
		graph = line->graph = mem_new(sizeof *graph);
	if (graph->groups != groups || graph->columns != columns)
		*graph = (struct origin_graph){.groups = groups, .columns = columns};
	for (; (graph->next + 1) * INDEX_GROUP <= known; graph->next++) {
		if (!index_group_origin(index, graph->next, line->key, sums))
			return;
		size_t from = (size_t)(graph->next * columns / groups);
		size_t to = (size_t)((graph->next + 1) * columns / groups);
		for (size_t c = from; c < to || c == from; c++) {
			for (unsigned s = 0; s < SEVERITY_COUNT; s++)
				graph->counts[c] += sums[s];
			graph->bad[c] |= sums[SEVERITY_FATAL] || sums[SEVERITY_ERROR];
		}
	}
}

static void
draw_graph(struct screen *screen, struct canvas *canvas, const struct area *area, int y, int x,
	   struct origin_line *line)
{
	/* clang-format off */
	static const char *const bars[] = {" ", "▁", "▂", "▃", "▄",
					   "▅", "▆", "▇", "█"};
	/* clang-format on */
	static const char *const ascii[] = {" ", ".", ":", "-", "=", "+", "*", "%", "#"};
	const struct index *index = trace_index(screen->session->traces.at[line->trace]);
	const char *const *signs = screen->charset == TEXT_ASCII ? ascii : bars;
	int columns = area->cols - x - 1;
	uint64_t most = 1;
	if (columns < GRAPH_COLUMNS_MIN || line->whole ||
	    index_cell_count(index) <= INDEX_GROUP * GRAPH_GROUPS_MIN)
		return;
	columns = columns > GRAPH_COLUMNS_MAX ? GRAPH_COLUMNS_MAX : columns;
	count_groups(index, line, (size_t)columns);
	const struct origin_graph *graph = line->graph;
	for (int c = 0; c < columns; c++)
		most = graph->counts[c] > most ? graph->counts[c] : most;
	for (int c = 0; c < columns; c++) {
		uint64_t count = graph->counts[c];
		size_t level = (size_t)((double)count * LEVELS / (double)most);
		level += count && level < LEVELS; /* show even a single message */
		canvas_puts(canvas, area, y, x + c, graph->bad[c] ? ROLE_ERROR : ROLE_NORMAL,
			    signs[level > LEVELS ? LEVELS : level]);
	}
}

/* --- drawing ----------------------------------------------------------- */

enum { ORIGIN_TICK, ORIGIN_NAME, ORIGIN_COUNT, ORIGIN_SEVERITIES };

/* The columns, with widths for the area. */
struct origin_columns {
	struct table_column at[ORIGIN_SEVERITIES + SEVERITY_COUNT + 1];
	size_t count, time; /* number of columns; number of the time column */
	char titles[SEVERITY_COUNT][COUNT_COLUMNS + 1];
};

static bool
is_wide(const struct area *area)
{
	return area->cols >= WIDE;
}

/* Return the width of the name: the room next to the counts, up to NAME_COLUMNS. */
static int
name_columns(const struct area *area)
{
	int most = area->cols - COUNT_COLUMNS - 6;
	return most < NAME_COLUMNS ? most > 0 ? most : TABLE_HIDDEN : NAME_COLUMNS;
}

/* Return the screen columns taken by the columns added before. The graph begins after the last
 * one. */
static int
columns_taken(const struct origin_columns *columns)
{
	int x = 0;
	for (size_t c = 0; c < columns->count; c++) {
		const struct table_column *column = &columns->at[c];
		if (column->width != TABLE_HIDDEN)
			x += column->width + column->least + column->gap;
	}
	return x;
}

static void
make_columns(struct origin_columns *columns, const struct area *area)
{
	struct table_column *at = columns->at;
	size_t c = ORIGIN_SEVERITIES;
	at[ORIGIN_TICK] = (struct table_column){.least = TICK_COLUMNS};
	at[ORIGIN_NAME] = (struct table_column){.title = "origin", .width = name_columns(area)};
	at[ORIGIN_COUNT] = (struct table_column){
	    .title = " count", .width = COUNT_COLUMNS, .gap = 1, .right = true};
	if (!is_wide(area))
		at[c++] = (struct table_column){.least = FEW_COLUMNS, .gap = 1};
	for (unsigned s = SEVERITY_FATAL; is_wide(area) && s <= SEVERITY_COUNT; s++) {
		char *title = columns->titles[s - SEVERITY_FATAL];
		const char letter[] = {severity_letter(s % SEVERITY_COUNT), '\0'};
		snprintf(title, sizeof *columns->titles, "%*s", COUNT_COLUMNS,
			 s == SEVERITY_NONE ? severity_name(s) : letter);
		at[c++] = (struct table_column){.title = title,
						.width = COUNT_COLUMNS,
						.gap = s == SEVERITY_COUNT,
						.right = true};
	}
	columns->time = columns->count = c;
	int left = area->cols - columns_taken(columns);
	at[c] = (struct table_column){.title = "first"};
	if (left >= TIME_COLUMNS)
		at[c].least = TIME_COLUMNS;
	else
		at[c].width = left >= TIME_LEAST ? left : TABLE_HIDDEN;
	columns->count++;
}

static void
put_count(struct screen *screen, struct table_row *row, size_t column, enum role role,
	  const char *letter, uint64_t count)
{
	struct text *text = &state_of(screen)->text;
	text_clear(text);
	text_add(text, letter);
	text_add_count(text, count);
	table_put(row, column, role, text_get(text), text->length);
}

/* Put the counts of severities: all in columns, or the worst ones as `E15 W2`. */
static void
fill_severities(struct screen *screen, struct table_row *row, const struct origin_line *line)
{
	bool wide = is_wide(row->area), any = wide;
	for (unsigned s = SEVERITY_FATAL; s <= (wide ? SEVERITY_COUNT : SEVERITY_WARNING); s++) {
		unsigned severity = s % SEVERITY_COUNT;
		const char letter[] = {severity_letter(severity), '\0'};
		uint64_t count = line->severities[severity];
		if (count)
			put_count(screen, row, ORIGIN_SEVERITIES + (wide ? s - SEVERITY_FATAL : 0),
				  severity_role(severity), wide ? "" : letter, count);
		any |= count > 0;
	}
	if (!any)
		table_put(row, ORIGIN_SEVERITIES, ROLE_NORMAL, "", 0); /* keep its place */
}

static bool
origin_passes(const struct screen *screen, const struct origin_line *line)
{
	return filters_name_passes(screen, line->whole ? "trace" : "origin", text_get(&line->name));
}

/* Put the name of an origin. With several traces, put the trace's name before it. */
static void
fill_name(struct screen *screen, struct table_row *row, const struct origin_line *line)
{
	const struct session *session = screen->session;
	if (!line->whole && session->traces.count > 1)
		table_putf(row, ORIGIN_NAME, trace_role(session, line->trace), "%s",
			   trace_name(session->traces.at[line->trace]));
	if (line->name.length)
		table_put(row, ORIGIN_NAME, line->whole ? ROLE_FIELD : ROLE_NORMAL,
			  text_get(&line->name), line->name.length);
	else
		table_putf(row, ORIGIN_NAME, ROLE_ABSENT, "(no name)");
}

static void
fill_origin(struct screen *screen, struct table_row *row, size_t i)
{
	struct text *text = &state_of(screen)->text;
	struct origin_line *line = state_of(screen)->order.at[i];
	const struct list *list = &screen->lists[line->trace];
	struct origin_columns columns;
	struct display_time first;
	make_columns(&columns, row->area);
	name_line(screen, line);
	table_putf(row, ORIGIN_TICK, row->current ? ROLE_CURSOR : ROLE_NORMAL, " [%c] ",
		   origin_passes(screen, line) ? 'x' : ' ');
	fill_name(screen, row, line);
	put_count(screen, row, ORIGIN_COUNT, ROLE_NORMAL, "", total_of(line));
	fill_severities(screen, row, line);
	text_clear(text);
	/* in the format of the current list */
	if (line->first.length &&
	    display_time_of(screen->list, &list->lanes[0], &line->first, &first))
		display_time_format_parts(&first, NULL, text);
	table_put(row, columns.time, ROLE_NOTE, text_get(text), text->length);
	draw_graph(screen, row->canvas, row->area, row->y, columns_taken(&columns), line);
}

static void
origins_draw(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	struct origins_state *state = state_of(screen);
	struct origin_columns columns;
	origins_prepare(screen);
	make_columns(&columns, area);
	const struct table_spec spec = {.pane = PANE_ORIGINS,
					.columns = columns.at,
					.column_count = columns.count,
					.count = state->order.count,
					.fill = fill_origin};
	const struct area body = table_body(&spec, area);
	if (!table_draw(&state->table, screen, &spec, canvas, area))
		canvas_puts(canvas, &body, 0, 0, ROLE_ABSENT, " no messages counted yet");
}

static void
origins_title(struct screen *screen, struct text *out)
{
	const struct origins_state *state = state_of(screen);
	size_t traces = screen->session->traces.count;
	text_addf(out, "origins  %zu",
		  state->order.count - (traces > 1 && state->order.count ? traces : 0));
	if (!screen->indexed)
		text_add(out, " so far");
	text_addf(out, "  %s", orders[state->order_by].title);
}

/* --- commands ---------------------------------------------------------- */

static size_t
count_lines(struct screen *screen)
{
	return state_of(screen)->order.count;
}

static void
origins_moved(struct screen *screen)
{
	struct origins_state *state = state_of(screen);
	state->current = state->order.at[state->table.cursor.line];
}

/* Return the line under the cursor with its name. NULL if no filter can select it. */
static struct origin_line *
origins_selected(struct screen *screen)
{
	origins_prepare(screen);
	struct origin_line *line = state_of(screen)->current;
	if (!line || (!line->whole && line->key == UINT64_MAX))
		return NULL;
	name_line(screen, line);
	return line;
}

/* Move the cursor to the origin of the selected message, if the origin is counted. */
static bool
origins_select(struct screen *screen, const char *text)
{
	struct origins_state *state = state_of(screen);
	const struct row *row = list_current(screen->list);
	(void)text;
	origins_prepare(screen);
	for (size_t i = 0; row && i < state->order.count; i++) {
		struct origin_line *line = state->order.at[i];
		if (line->whole || line->trace != screen->list->lanes[row->lane].number ||
		    line->key != row->message.origin)
			continue;
		lines_go_to(&state->table.cursor, state->order.count, (int64_t)i);
		state->current = line;
	}
	return true;
}

static void
origins_turn(struct screen *screen, const struct command_call *call)
{
	const struct origin_line *line = origins_selected(screen);
	void (*change)(struct screen *, const char *, const char *) =
	    call->id == COMMAND_ORIGIN_ONLY ? filters_name_only : filters_name_toggle;
	if (line)
		change(screen, line->whole ? "trace" : "origin", text_get(&line->name));
}

static void
origins_invert(struct screen *screen, const struct command_call *call)
{
	const struct origin_line *line = origins_selected(screen);
	(void)call;
	if (line && !filters_name_invert(screen, line->whole ? "trace" : "origin"))
		screen_say(screen, NOTICE_ORIGINS_NOT_HIDDEN);
}

static void
origins_turn_order(struct screen *screen, const struct command_call *call)
{
	struct origins_state *state = state_of(screen);
	(void)call;
	state->order_by = (state->order_by + 1) % (sizeof orders / sizeof *orders);
	origins_sort(screen);
}

static pane_command *const origins_commands[COMMAND_COUNT] = {
    [COMMAND_ORIGIN_TURN] = origins_turn,
    [COMMAND_ORIGIN_ONLY] = origins_turn,
    [COMMAND_ORIGIN_INVERT] = origins_invert,
    [COMMAND_ORIGIN_SORT] = origins_turn_order,
};

const struct pane_ops pane_origins = {
    .name = "origins",
    .scope = SCOPE_ORIGINS,
    .state_size = sizeof(struct origins_state),
    .close = origins_close,
    .prepare = origins_select,
    .title = origins_title,
    .keys = {{COMMAND_ORIGIN_TURN, .word = "on/off"},
	     {COMMAND_ORIGIN_ONLY, .word = "only"},
	     {COMMAND_ORIGIN_INVERT, .word = "invert", .spare = true},
	     {COMMAND_ORIGIN_SORT, .word = "sort", .spare = true},
	     {COMMAND_ORIGINS, .word = "close"}},
    .draw = origins_draw,
    .commands = origins_commands,
    .lines = count_lines,
    .moved = origins_moved,
};
