/*
 * `-t functions`: a line for each executed function: the number of calls, and the
 * instructions executed in the function itself, with its callees, and at most in one call.
 * Durations are added if a column needs them; only then are clocks searched.
 *
 * The output is in columns for people, sorted by the function's own instructions.  With
 * --fields it is comma separated values.
 */
#include "config.h"

#include "export/export_flow.h"
#include "flow/flow_tree.h"

#include <stdlib.h>
#include <string.h>

struct functions_run;

struct function_column {
	const char *name;
	void (*add)(const struct functions_run *, const struct flow_function *, struct text *);
	bool left; /* text, aligned left */
};

struct functions_run {
	struct export_tree tree; /* must be first */
	struct flow_function *functions;
	size_t count;
	size_t chosen[EXPORT_FLOW_COLUMNS_MOST]; /* indexes in `columns` */
	size_t chosen_count;
};

/* --- columns ----------------------------------------------------------- */

static void
add_function(const struct functions_run *run, const struct flow_function *function,
	     struct text *out)
{
	struct text name = {0};
	bool inlined;
	flow_tree_add_name(run->tree.tree, function->function, &inlined, &name);
	text_add_safe(out, text_get(&name), name.length, run->tree.flow.options->charset);
	text_add(out, inlined ? " (inlined)" : "");
	text_free(&name);
}

static void
add_calls(const struct functions_run *run, const struct flow_function *function, struct text *out)
{
	(void)run;
	text_add_uint(out, function->calls);
}

static void
add_self(const struct functions_run *run, const struct flow_function *function, struct text *out)
{
	(void)run;
	text_add_uint(out, function->self);
}

static void
add_total(const struct functions_run *run, const struct flow_function *function, struct text *out)
{
	(void)run;
	text_add_uint(out, function->total);
}

static void
add_most(const struct functions_run *run, const struct flow_function *function, struct text *out)
{
	(void)run;
	text_add_uint(out, function->most);
}

static void
add_cycles(const struct functions_run *run, const struct flow_function *function, struct text *out)
{
	(void)run;
	text_add_uint(out, function->cycles);
}

static void
add_total_cycles(const struct functions_run *run, const struct flow_function *function,
		 struct text *out)
{
	(void)run;
	text_add_uint(out, function->total_cycles);
}

static void
add_duration(const struct functions_run *run, uint64_t nanoseconds, struct text *out)
{
	if (flow_tree_sums(run->tree.tree).timed)
		text_add_uint(out, nanoseconds);
}

static void
add_time(const struct functions_run *run, const struct flow_function *function, struct text *out)
{
	add_duration(run, function->time, out);
}

static void
add_total_time(const struct functions_run *run, const struct flow_function *function,
	       struct text *out)
{
	add_duration(run, function->total_time, out);
}

static void
add_most_time(const struct functions_run *run, const struct flow_function *function,
	      struct text *out)
{
	add_duration(run, function->most_time, out);
}

static void
add_estimated(const struct functions_run *run, const struct flow_function *function,
	      struct text *out)
{
	(void)run;
	text_add(out, function->estimated ? "estimated" : "");
}

/* The help of --fields lists these names too. */
static const struct function_column columns[] = {
    {"function", add_function, true},
    {"calls", add_calls, false},
    {"self", add_self, false},
    {"total", add_total, false},
    {"most", add_most, false},
    {"cycles", add_cycles, false},
    {"total_cycles", add_total_cycles, false},
    {"time", add_time, false},
    {"total_time", add_total_time, false},
    {"most_time", add_most_time, false},
    {"estimated", add_estimated, false},
};
enum {
	COLUMNS = sizeof columns / sizeof *columns,
	COLUMN_TIME = COLUMNS - 4, /* the first column that needs times */
	COUNTED = COLUMN_TIME - 2  /* number of columns without cycles and times */
};

const struct export_flow_columns export_functions_columns = {"functions", columns, sizeof *columns,
							     COLUMNS, COLUMN_TIME};

/* --- rows -------------------------------------------------------------- */

static int
compare_functions(const void *a, const void *b)
{
	const struct flow_function *x = a, *y = b;
	int order = (x->self < y->self) - (x->self > y->self);
	if (!order)
		order = (x->total < y->total) - (x->total > y->total);
	return order ? order : (x->function > y->function) - (x->function < y->function);
}

static void
write_csv(struct functions_run *run)
{
	struct text *out = run->tree.flow.sink->out;
	text_addf(out, "%s\n", run->tree.flow.options->fields);
	for (size_t i = 0; i < run->count && !run->tree.flow.failed; i++) {
		for (size_t c = 0; c < run->chosen_count; c++) {
			text_add(out, c ? "," : "");
			size_t start = out->length;
			columns[run->chosen[c]].add(run, &run->functions[i], out);
			export_csv_end_cell(out, start);
		}
		text_add_char(out, '\n');
		export_flow_flush(&run->tree.flow);
	}
}

/* Append a cell, padded to WIDTH.  The last one of a line is not padded. */
static void
add_cell(const struct text *cell, int width, bool left, bool last, struct text *out)
{
	int room = width - text_columns(text_get(cell), cell->length, TEXT_UTF8);
	text_addf(out, "%*s", left || room < 0 ? 0 : room, "");
	text_add_bytes(out, text_get(cell), cell->length);
	text_addf(out, "%*s", !left || last || room < 0 ? 0 : room, "");
	text_add(out, last ? "\n" : "  ");
}

/* Fill in the text of a cell.  ROW 0: the names of columns. */
static void
fill_cell(const struct functions_run *run, size_t row, size_t column, struct text *cell)
{
	text_clear(cell);
	if (row)
		columns[run->chosen[column]].add(run, &run->functions[row - 1], cell);
	else
		text_add(cell, columns[run->chosen[column]].name);
}

/* Write rows in columns. */
static void
write_aligned(struct functions_run *run)
{
	struct text cell = {0}, *out = run->tree.flow.sink->out;
	int widths[EXPORT_FLOW_COLUMNS_MOST] = {0};
	for (size_t row = 0; row <= run->count; row++)
		for (size_t c = 0; c < run->chosen_count; c++) {
			fill_cell(run, row, c, &cell);
			int width = text_columns(text_get(&cell), cell.length, TEXT_UTF8);
			widths[c] = width > widths[c] ? width : widths[c];
		}
	for (size_t row = 0; row <= run->count && !run->tree.flow.failed; row++) {
		for (size_t c = 0; c < run->chosen_count; c++) {
			fill_cell(run, row, c, &cell);
			add_cell(&cell, widths[c], columns[run->chosen[c]].left,
				 c + 1 == run->chosen_count, out);
		}
		export_flow_flush(&run->tree.flow);
	}
	text_free(&cell);
}

int
export_functions(struct trace *trace, const struct export_options *options,
		 const struct export_sink *sink, struct export_result *result, struct err *err)
{
	struct functions_run run = {0};
	int failed = options->fields
			 ? export_flow_choose(&export_functions_columns, options->fields,
					      run.chosen, &run.chosen_count, err)
			 : 0;
	if (failed)
		return failed;
	run.tree.flow.timed = export_needs_times(options);
	if (!export_tree_run(&run.tree, trace, options, sink, result, err)) {
		run.functions = flow_tree_functions(run.tree.tree, &run.count);
		if (run.count)
			qsort(run.functions, run.count, sizeof *run.functions, compare_functions);
		size_t shown = flow_tree_sums(run.tree.tree).cycles ? COLUMN_TIME : COUNTED;
		for (size_t i = 0; !options->fields && i < shown; i++)
			run.chosen[run.chosen_count++] = i;
		if (options->fields)
			write_csv(&run);
		else
			write_aligned(&run);
		free(run.functions);
	}
	return export_tree_end(&run.tree);
}
