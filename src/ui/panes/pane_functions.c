/*
 * The functions that the processors of the selected message's trace executed. The columns are
 * calls, instructions and, if messages have times, durations.
 *
 * The counts come from the tree that grows while the trace is followed (flow/flow_index.h).
 * Filters do not change them.
 */
#include "config.h"

#include "base/notice.h"
#include "flow/flow_index.h"
#include "index/index.h"
#include "program/symbols.h"
#include "query/filter/filter.h"
#include "query/gap/gap.h"
#include "session/session.h"
#include "ui/list/filters.h"
#include "ui/list/flow_view.h"
#include "ui/panes/table.h"
#include "ui/screen/screen.h"

#include <stdlib.h>

enum {
	COLUMN_NAME,
	COLUMN_CALLS,
	COLUMN_SELF,
	COLUMN_SHARE,
	COLUMN_TOTAL,
	COLUMN_MOST,
	COLUMN_CYCLES,
	COLUMN_TIME,
	COLUMN_TOTAL_TIME,
	COLUMN_MOST_TIME,
	COLUMNS
};

enum { TIMES_COLS = 110 }; /* screen columns needed for all columns of times */

struct functions_state {
	struct table table;
	struct flow_index *index; /* source of `functions` */
	unsigned generation;	  /* epoch of `index` at that time */
	struct flow_function *functions;
	size_t count;
	uint64_t all;  /* instructions */
	bool cycles;   /* cycles are counted too */
	bool timed;    /* times are known */
	bool complete; /* the counts are final */
	size_t sort;   /* index in `orders` */
	bool sorted;

	/* only while drawing */
	const struct flow_tree *tree;
	struct text raw, text;
};

static struct functions_state *
state_of(struct screen *screen)
{
	return screen->state[PANE_FUNCTIONS];
}

static void
functions_close(void *context)
{
	struct functions_state *state = context;
	free(state->functions);
	text_free(&state->raw);
	text_free(&state->text);
	table_free(&state->table);
}

/* The sort columns, in the order in which the sort command steps through them. */
static const unsigned orders[] = {COLUMN_SELF,	COLUMN_TOTAL,	   COLUMN_MOST,
				  COLUMN_CALLS, COLUMN_NAME,	   COLUMN_CYCLES,
				  COLUMN_TIME,	COLUMN_TOTAL_TIME, COLUMN_MOST_TIME};
enum { ORDERS = sizeof orders / sizeof *orders };

/* --- order ------------------------------------------------------------- */

static uint64_t
number_of(const struct flow_function *function, unsigned column)
{
	switch (column) {
	case COLUMN_CALLS:
		return function->calls;
	case COLUMN_TOTAL:
		return function->total;
	case COLUMN_MOST:
		return function->most;
	case COLUMN_CYCLES:
		return function->cycles;
	case COLUMN_TIME:
		return function->time;
	case COLUMN_TOTAL_TIME:
		return function->total_time;
	case COLUMN_MOST_TIME:
		return function->most_time;
	default:
		return function->self;
	}
}

/* A function with its sort key. */
struct function_key {
	struct flow_function function;
	uint64_t number;
	char *name; /* for the order by name, or NULL */
};

static int
compare_keys(const void *a, const void *b)
{
	const struct function_key *x = a, *y = b;
	int order = (x->number < y->number) - (x->number > y->number);
	if (x->name && y->name)
		order = strcmp(x->name, y->name);
	return order ? order
		     : (x->function.function > y->function.function) -
			   (x->function.function < y->function.function);
}

static void
sort_functions(struct functions_state *state)
{
	struct function_key *keys = mem_new((state->count + 1) * sizeof *keys);
	for (size_t i = 0; i < state->count; i++) {
		keys[i].function = state->functions[i];
		keys[i].number = number_of(&state->functions[i], orders[state->sort]);
		if (orders[state->sort] != COLUMN_NAME)
			continue;
		text_clear(&state->raw);
		flow_tree_add_name(state->tree, keys[i].function.function, NULL, &state->raw);
		keys[i].name = mem_text(text_get(&state->raw));
	}
	if (state->count)
		qsort(keys, state->count, sizeof *keys, compare_keys);
	for (size_t i = 0; i < state->count; i++) {
		state->functions[i] = keys[i].function;
		free(keys[i].name);
	}
	free(keys);
	state->sorted = true;
}

/* --- counts ------------------------------------------------------------ */

static bool
is_complete(const struct screen *screen, const struct flow_index *index)
{
	return screen->indexed && flow_index_is_whole(index);
}

/* Hold the current tree; release_tree() releases it. Without a tree, return false and set *WHY to
 * the reason, which may be NULL. */
static bool
hold_tree(struct screen *screen, const char **why)
{
	struct functions_state *state = state_of(screen);
	struct flow_index *index = flow_view_index(screen, why);
	if (!index)
		return false;
	flow_index_want_times(index);
	if (state->index != index)
		state->table.cursor.line = state->table.cursor.top = 0;
	state->tree = flow_index_hold(index);
	unsigned now = flow_index_generation(index);
	if (state->index != index || state->generation != now) {
		free(state->functions);
		state->index = index;
		state->generation = now;
		state->functions = flow_tree_functions(state->tree, &state->count);
		state->all = flow_tree_sums(state->tree).all;
		state->cycles = flow_tree_sums(state->tree).cycles;
		state->timed = flow_tree_sums(state->tree).timed;
		state->sorted = false;
	}
	state->complete = is_complete(screen, index);
	if (!state->sorted)
		sort_functions(state);
	return true;
}

static void
release_tree(struct screen *screen)
{
	flow_index_release(state_of(screen)->index);
}

static bool
functions_have_news(struct screen *screen)
{
	const struct functions_state *state = state_of(screen);
	if (!screen->open[PANE_FUNCTIONS])
		return false;
	return state->index && (flow_index_generation(state->index) != state->generation ||
				(!state->complete && is_complete(screen, state->index)));
}

/* True if a column has contents. */
static bool
has_column(const struct functions_state *state, unsigned column)
{
	if (column == COLUMN_CYCLES)
		return state->cycles;
	return column < COLUMN_TIME || state->timed;
}

/* --- drawing ----------------------------------------------------------- */

static const struct table_column columns[COLUMNS] = {
    [COLUMN_NAME] = {"function", TABLE_REST, .gap = 2},
    [COLUMN_CALLS] = {"calls", TABLE_FIT, .gap = 2, .right = true},
    [COLUMN_SELF] = {"self", TABLE_FIT, .gap = 2, .right = true},
    [COLUMN_SHARE] = {"share", TABLE_FIT, .gap = 2, .right = true},
    [COLUMN_TOTAL] = {"total", TABLE_FIT, .gap = 2, .right = true},
    [COLUMN_MOST] = {"most", TABLE_FIT, .gap = 2, .right = true},
    [COLUMN_CYCLES] = {"cycles", TABLE_FIT, .gap = 2, .right = true},
    [COLUMN_TIME] = {"time", TABLE_FIT, .gap = 2, .right = true},
    [COLUMN_TOTAL_TIME] = {"total time", TABLE_FIT, .gap = 2, .right = true},
    [COLUMN_MOST_TIME] = {"most time", TABLE_FIT, .gap = 1, .right = true},
};

/* Choose the columns. With room for only one column of times, choose the sort column. */
static void
choose_columns(const struct functions_state *state, int cols, struct table_column *chosen)
{
	unsigned sort = orders[state->sort], time = sort < COLUMN_TIME ? COLUMN_TIME : sort;
	for (unsigned i = 0; i < COLUMNS; i++) {
		bool fits = i < COLUMN_TIME || i == time || cols >= TIMES_COLS;
		chosen[i] = columns[i];
		if (!has_column(state, i) || !fits)
			chosen[i].width = TABLE_HIDDEN;
	}
}

static void
put_number(struct table_row *row, unsigned column, uint64_t number)
{
	if (number)
		table_putf(row, column, ROLE_NORMAL, "%llu", (unsigned long long)number);
	else
		table_putf(row, column, ROLE_ABSENT, ".");
}

static void
put_time(struct functions_state *state, struct table_row *row, unsigned column,
	 const struct flow_function *function)
{
	const struct gap gap = {.length = number_of(function, column), .known = true};
	text_clear(&state->text);
	text_add(&state->text, function->estimated ? "~" : "");
	gap_format(&gap, false, &state->text);
	if (gap.length)
		table_put(row, column, ROLE_NORMAL, text_get(&state->text), state->text.length);
	else
		put_number(row, column, 0);
}

static void
fill_row(struct screen *screen, struct table_row *row, size_t i)
{
	struct functions_state *state = state_of(screen);
	const struct flow_function *function = &state->functions[i];
	bool inlined;
	text_clear(&state->text);
	flow_tree_add_name(state->tree, function->function, &inlined, &state->text);
	table_put(row, COLUMN_NAME, row->current ? ROLE_CURSOR : ROLE_NORMAL,
		  text_get(&state->text), state->text.length);
	if (inlined)
		table_putf(row, COLUMN_NAME, ROLE_NOTE, "inlined");
	for (unsigned column = COLUMN_CALLS; column < COLUMN_TIME; column++)
		if (column != COLUMN_SHARE)
			put_number(row, column, number_of(function, column));
	for (unsigned column = COLUMN_TIME; state->timed && column < COLUMNS; column++)
		put_time(state, row, column, function);
	table_putf(
	    row, COLUMN_SHARE, ROLE_NORMAL, "%u%%",
	    state->all
		? (unsigned)((long double)function->self * 100 / (long double)state->all + 0.5L)
		: 0);
}

/* Append a warning about incomplete or nameless counts, if any. */
static void
add_note(const struct functions_state *state, struct text *out)
{
	const struct flow_tree_sums sums = flow_tree_sums(state->tree);
	if (sums.beyond)
		text_addf(out,
			  "%llu instructions are left out: stacks that were too many or too deep",
			  (unsigned long long)sums.beyond);
	else if (sums.nameless)
		text_addf(out, "%llu instructions without names; %s",
			  (unsigned long long)sums.nameless, symbols_missing);
}

static void
functions_draw(struct screen *screen, struct canvas *canvas, const struct area *area)
{
	struct functions_state *state = state_of(screen);
	struct area rest = *area;
	struct text note = {0};
	const char *why;
	if (!hold_tree(screen, &why)) {
		flow_view_draw_why(canvas, area, why ? why : "no message is selected");
		return;
	}
	add_note(state, &note);
	flow_view_draw_note(canvas, &rest, text_get(&note), state->count + 1);
	struct table_column chosen[COLUMNS];
	choose_columns(state, area->cols, chosen);
	const struct table_spec spec = {.pane = PANE_FUNCTIONS,
					.columns = chosen,
					.column_count = COLUMNS,
					.left = 1,
					.head = true,
					.count = state->count,
					.fill = fill_row};
	const struct area body = table_body(&spec, &rest);
	if (!table_draw(&state->table, screen, &spec, canvas, &rest))
		canvas_puts(canvas, &body, 0, 1, ROLE_ABSENT,
			    state->complete ? "nothing is known to have been executed" : "...");
	release_tree(screen);
	text_free(&note);
}

static void
functions_title(struct screen *screen, struct text *out)
{
	const struct functions_state *state = state_of(screen);
	const char *why;
	text_add(out, "functions");
	if (!hold_tree(screen, &why))
		return;
	text_addf(out, "  %zu%s by %s  %llu instructions", state->count, state->complete ? "" : "+",
		  columns[orders[state->sort]].title, (unsigned long long)state->all);
	release_tree(screen);
}

/* --- commands ---------------------------------------------------------- */

static size_t
count_lines(struct screen *screen)
{
	return state_of(screen)->count;
}

static void
functions_sort(struct screen *screen, const struct command_call *call)
{
	struct functions_state *state = state_of(screen);
	(void)call;
	do
		state->sort = (state->sort + 1) % ORDERS;
	while (!has_column(state, orders[state->sort]));
	state->sorted = false;
}

static void
functions_only(struct screen *screen, const struct command_call *call)
{
	struct functions_state *state = state_of(screen);
	const char *why;
	(void)call;
	if (!hold_tree(screen, &why))
		return;
	size_t line = state->table.cursor.line;
	struct text text = {0};
	bool any = line < state->count, named = false;
	if (any) {
		text_clear(&state->raw);
		named = flow_tree_add_name(state->tree, state->functions[line].function, NULL,
					   &state->raw);
		text_add(&text, "function = ");
		filter_quote(text_get(&state->raw), state->raw.length, &text);
	}
	release_tree(screen);
	if (named)
		filters_add(screen, text_get(&text), false);
	else if (any)
		screen_error(screen, NOTICE_FUNCTION_NO_MESSAGE);
	else
		screen_error(screen, state_of(screen)->complete ? NOTICE_FUNCTION_NONE
								: NOTICE_FUNCTION_LATER);
	text_free(&text);
}

static pane_command *const functions_commands[COMMAND_COUNT] = {
    [COMMAND_FUNCTIONS_SORT] = functions_sort,
    [COMMAND_FUNCTIONS_ONLY] = functions_only,
};

const struct pane_ops pane_functions = {
    .name = "functions",
    .scope = SCOPE_FUNCTIONS,
    .state_size = sizeof(struct functions_state),
    .close = functions_close,
    .title = functions_title,
    .keys = {{COMMAND_FUNCTIONS_SORT, .word = "sort"},
	     {COMMAND_FUNCTIONS_ONLY, .word = "only"},
	     {COMMAND_TABLE, .word = "close"}},
    .draw = functions_draw,
    .commands = functions_commands,
    .lines = count_lines,
    .news = functions_have_news,
};
