/*
 * `-t lcov`: executions of source lines and functions, for coverage tools [lcov 1.16,
 * geninfo(1), "TRACEFILE FORMAT"].
 *
 * At the end, all lines and functions of the program are looked up by address
 * (flow/flow_counts.h).  The count of a line is the highest of its pieces.  Doubtful steps
 * are not counted.
 */
#include "config.h"

#include "export/export_flow.h"
#include "flow/flow_counts.h"
#include "trace/naming.h"

#include <inttypes.h>
#include <stdlib.h>

struct covered {
	uint64_t address;
	const char *path, *function; /* NULL: a line */
	int line;
	uint64_t count;
};

struct lcov_run {
	struct export_flow flow; /* must be first */
	struct flow_counts counts;
	VEC(struct covered) records;
	size_t lines; /* number of lines, which come first in `records` */
};

static void
take_step(void *context, const struct flow_place *place, const struct flow_step *step)
{
	struct lcov_run *run = context;
	if (place->chosen)
		flow_counts_step(&run->counts, step);
}

static void
take_line(void *context, uint64_t address, const struct symbol_place *place)
{
	struct lcov_run *run = context;
	*vec_add(&run->records) = (struct covered){.address = address,
						   .path = place->path,
						   .line = place->line,
						   .count = flow_counts_at(&run->counts, address)};
}

static int
compare_addresses(const void *a, const void *b)
{
	uint64_t x = ((const struct covered *)a)->address, y = ((const struct covered *)b)->address;
	return (x > y) - (x < y);
}

/* Add a function at the place of its first line.  The lines come first, sorted by address. */
static void
take_function(void *context, uint64_t address, const struct symbol_place *place)
{
	struct lcov_run *run = context;
	const struct covered key = {.address = address};
	const struct covered *line =
	    bsearch(&key, run->records.at, run->lines, sizeof key, compare_addresses);
	if (!line)
		return;
	struct covered function = *line;
	function.function = place->function;
	function.count = flow_counts_at(&run->counts, address);
	*vec_add(&run->records) = function;
}

/* Sort by file, functions before lines, then by line and name. */
static int
compare_records(const void *a, const void *b)
{
	const struct covered *x = a, *y = b;
	int order = strcmp(x->path, y->path);
	if (!order)
		order = !x->function - !y->function;
	if (!order)
		order = (x->line > y->line) - (x->line < y->line);
	return order || !x->function ? order : strcmp(x->function, y->function);
}

/* Merge the records that share a line or function. */
static void
join_records(struct lcov_run *run)
{
	size_t kept = 0;
	if (run->records.count)
		qsort(run->records.at, run->records.count, sizeof *run->records.at,
		      compare_records);
	for (size_t i = 0; i < run->records.count; i++) {
		const struct covered record = run->records.at[i];
		struct covered *last = kept ? &run->records.at[kept - 1] : NULL;
		if (!last || compare_records(last, &record))
			run->records.at[kept++] = record;
		else if (last->count < record.count)
			last->count = record.count;
	}
	run->records.count = kept;
}

static void
add_safe(struct lcov_run *run, const char *text)
{
	text_add_safe(run->flow.sink->out, text, strlen(text), run->flow.options->charset);
	text_add_char(run->flow.sink->out, '\n');
}

/* Write the functions of PATH from record FROM, and their number.  Return the end of those
 * records. */
static size_t
write_functions(struct lcov_run *run, size_t from, const char *path)
{
	struct text *out = run->flow.sink->out;
	size_t at = from, executed = 0;
	for (; at < run->records.count; at++) {
		const struct covered *record = &run->records.at[at];
		if (!record->function || strcmp(record->path, path) != 0)
			break;
		executed += record->count != 0;
		text_addf(out, "FN:%d,", record->line);
		add_safe(run, record->function);
		text_addf(out, "FNDA:%" PRIu64 ",", record->count);
		add_safe(run, record->function);
	}
	text_addf(out, "FNF:%zu\nFNH:%zu\n", at - from, executed);
	return at;
}

/* Write the lines of PATH in the same way. */
static size_t
write_lines(struct lcov_run *run, size_t from, const char *path)
{
	struct text *out = run->flow.sink->out;
	size_t at = from, executed = 0;
	for (; at < run->records.count && !strcmp(run->records.at[at].path, path); at++) {
		const struct covered *record = &run->records.at[at];
		executed += record->count != 0;
		text_addf(out, "DA:%d,%" PRIu64 "\n", record->line, record->count);
	}
	text_addf(out, "LF:%zu\nLH:%zu\n", at - from, executed);
	return at;
}

/* Write all records for a file. */
static size_t
write_file(struct lcov_run *run, size_t from)
{
	const char *path = run->records.at[from].path;
	text_add(run->flow.sink->out, "SF:");
	add_safe(run, path);
	size_t end = write_lines(run, write_functions(run, from, path), path);
	text_add(run->flow.sink->out, "end_of_record\n");
	export_flow_flush(&run->flow);
	return end;
}

static int
write_records(struct lcov_run *run, struct err *err)
{
	const struct trace *trace = run->flow.trace;
	struct naming *naming = trace_host(trace)->naming;
	naming_list(naming, trace_name(trace), symbols_list_lines, take_line, run);
	if (!run->records.count)
		return err_set(err, ERR_DATA,
			       "%s: its program names no source lines: -t insn and -t functions go "
			       "by addresses; %s%s",
			       trace_name(trace), symbols_version() ? "compile it with -g; " : "",
			       symbols_missing);
	run->lines = run->records.count;
	qsort(run->records.at, run->lines, sizeof *run->records.at, compare_addresses);
	naming_list(naming, trace_name(trace), symbols_list_functions, take_function, run);
	join_records(run);
	for (size_t i = 0; i < run->records.count && !run->flow.failed;)
		i = write_file(run, i);
	return run->flow.failed;
}

int
export_lcov(struct trace *trace, const struct export_options *options,
	    const struct export_sink *sink, struct export_result *result, struct err *err)
{
	struct lcov_run run = {.flow = {.take = take_step}};
	int failed = export_flow_run(&run.flow, trace, options, sink, result, err);
	result->doubts.count[DOUBT_UNCOUNTED] += run.counts.left;
	if (!failed)
		failed = write_records(&run, err);
	flow_counts_free(&run.counts);
	vec_free(&run.records);
	export_flow_end(&run.flow);
	return failed;
}
