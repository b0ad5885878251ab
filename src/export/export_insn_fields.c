/*
 * `-t insn --fields`: executed code as comma separated values, in the columns that the
 * user names.
 *
 * The text that follows from an instruction's address alone is cached, as in
 * export_insn.c.
 */
#include "config.h"

#include "export/export_flow.h"
#include "flow/call_stack.h"
#include "program/disassemble.h"
#include "trace/naming.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SLOTS = 1 << 16 };

/* A row: an instruction, or a trap or damage without INSN. */
struct insn_row {
	const struct flow_place *place;
	const struct flow_step *step;
	uint64_t address;
	const struct insn *insn;
	uint64_t depth; /* number of calls and traps around it */
};

struct fields_run;

struct insn_column {
	const char *name;
	bool fixed; /* depends only on the address of an instruction */
	void (*add)(const struct fields_run *, const struct insn_row *, struct text *out);
};

/* The fixed cells of an address, joined. */
struct insn_cells {
	uint64_t address;
	uint16_t space;
	bool filled;
	size_t end[EXPORT_FLOW_COLUMNS_MOST];
	struct text text;
};

struct fields_run {
	struct export_flow flow;	   /* must be first */
	struct disassembler *disassembler; /* NULL: not needed by a column, or not available */
	bool textless;			   /* a column needs it, but it is not available */
	size_t chosen[EXPORT_FLOW_COLUMNS_MOST]; /* indexes in `columns` */
	size_t count;
	struct map calls_by;		/* origin: index in `calls`, plus one */
	VEC(struct call_stack) calls;	/* of each hart */
	struct insn_cells cells[SLOTS]; /* by the low bits of the address */
};

/* --- columns ----------------------------------------------------------- */

static void
add_number(const struct fields_run *run, const struct insn_row *row, struct text *out)
{
	(void)run;
	text_add_uint(out, row->place->number);
}

static void
add_pc(const struct fields_run *run, const struct insn_row *row, struct text *out)
{
	const struct flow_step *step = row->step;
	(void)run;
	if (row->insn || step->kind == FLOW_STEP_RUN)
		text_addf(out, "0x%" PRIx64, row->address);
	else if (step->kind == FLOW_STEP_TRAP && step->has_epc)
		text_addf(out, "0x%" PRIx64, step->epc);
	else if (step->kind != FLOW_STEP_TRAP && step->has_at)
		text_addf(out, "0x%" PRIx64, step->at);
}

static void
add_opcode(const struct fields_run *run, const struct insn_row *row, struct text *out)
{
	(void)run;
	if (row->insn)
		text_addf(out, "0x%0*" PRIx32, 2 * row->insn->length, row->insn->opcode);
}

static void
add_class(const struct fields_run *run, const struct insn_row *row, struct text *out)
{
	(void)run;
	text_add(out, row->insn ? insn_class_name(row->insn->class) : export_flow_class(row->step));
}

static void
add_origin(const struct fields_run *run, const struct insn_row *row, struct text *out)
{
	const struct text *name = export_flow_origin(&run->flow, row->place);
	text_add_bytes(out, text_get(name), name->length);
}

static bool
find_place(const struct fields_run *run, const struct insn_row *row, struct symbol_place *place)
{
	const struct trace *trace = run->flow.trace;
	return row->insn &&
	       naming_find(trace_host(trace)->naming, trace_name(trace), row->address, place);
}

static void
add_safe(const struct fields_run *run, const char *text, struct text *out)
{
	if (text)
		text_add_safe(out, text, strlen(text), run->flow.options->charset);
}

static void
add_function(const struct fields_run *run, const struct insn_row *row, struct text *out)
{
	struct symbol_place place;
	if (find_place(run, row, &place))
		add_safe(run, place.function, out);
}

static void
add_place(const struct fields_run *run, const struct insn_row *row, struct text *out)
{
	struct symbol_place place;
	if (find_place(run, row, &place) && place.function && place.function != naming_unknown)
		text_addf(out, "0x%" PRIx64, place.offset);
}

static void
add_file(const struct fields_run *run, const struct insn_row *row, struct text *out)
{
	struct symbol_place place;
	if (find_place(run, row, &place))
		add_safe(run, place.path, out);
}

static void
add_line(const struct fields_run *run, const struct insn_row *row, struct text *out)
{
	struct symbol_place place;
	if (find_place(run, row, &place) && place.path)
		text_add_int(out, place.line);
}

/* Append the functions inlined at the instruction, the outermost first. */
static void
add_inlined(const struct fields_run *run, const struct insn_row *row, struct text *out)
{
	enum { MOST = 32 };
	const struct trace *trace = run->flow.trace;
	const char *names[MOST];
	size_t count = row->insn ? naming_inlined(trace_host(trace)->naming, trace_name(trace),
						  row->address, names, MOST)
				 : 0;
	for (size_t i = 0; i < count; i++) {
		text_add(out, i ? ";" : "");
		add_safe(run, names[i], out);
	}
}

static void
add_depth(const struct fields_run *run, const struct insn_row *row, struct text *out)
{
	(void)run;
	if (row->step->kind != FLOW_STEP_DAMAGE)
		text_add_uint(out, row->depth);
}

static void
add_text(const struct fields_run *run, const struct insn_row *row, struct text *out)
{
	if (!row->insn) {
		export_flow_add_text(row->step, out);
		return;
	}
	const struct flow_code *code = flow_code_of(run->flow.flow);
	if (run->disassembler)
		disassembler_add(run->disassembler, flow_code_machine(code, row->step->space),
				 row->address, row->insn, out);
}

static void
add_flags(const struct fields_run *run, const struct insn_row *row, struct text *out)
{
	bool patched = row->insn && row->insn->patched;
	(void)run;
	text_add(out, row->step->doubtful ? "doubtful" : "");
	text_add(out, row->step->doubtful && patched ? " " : "");
	text_add(out, patched ? "patched" : "");
}

/* The help of --fields lists these names too. */
static const struct insn_column columns[] = {
    {"trace_number", false, add_number},
    {"pc", true, add_pc},
    {"opcode", true, add_opcode},
    {"class", true, add_class},
    {"origin", false, add_origin},
    {"function", true, add_function},
    {"inlined", true, add_inlined},
    {"place", true, add_place},
    {"file", true, add_file},
    {"line", true, add_line},
    {"depth", false, add_depth},
    {"text", true, add_text},
    {"flags", false, add_flags},
};

enum { COLUMNS = sizeof columns / sizeof *columns };
const struct export_flow_columns export_insn_columns = {"insn", columns, sizeof *columns, COLUMNS,
							COLUMNS};

/* Open the disassembler if a column needs it.  If that fails, the rows without text count as
 * doubts. */
static void
open_disassembler(struct fields_run *run)
{
	struct err ignored = {0};
	for (size_t i = 0; i < run->count; i++)
		run->textless |= columns[run->chosen[i]].add == add_text;
	if (run->textless)
		run->disassembler = disassembler_new(&ignored);
	run->textless &= !run->disassembler;
}

/* --- rows -------------------------------------------------------------- */

/* Append a cell, with quotes where needed. */
static void
make_cell(const struct fields_run *run, const struct insn_column *column,
	  const struct insn_row *row, struct text *out)
{
	size_t start = out->length;
	column->add(run, row, out);
	export_csv_end_cell(out, start);
}

static const struct insn_cells *
cells_of(struct fields_run *run, const struct insn_row *row)
{
	struct insn_cells *cells = &run->cells[row->address >> 1 & (SLOTS - 1)];
	if (cells->filled && cells->address == row->address && cells->space == row->step->space)
		return cells;
	text_clear(&cells->text);
	cells->space = row->step->space;
	cells->filled = true;
	cells->address = row->address;
	for (size_t i = 0; i < run->count; i++) {
		if (columns[run->chosen[i]].fixed)
			make_cell(run, &columns[run->chosen[i]], row, &cells->text);
		cells->end[i] = cells->text.length;
	}
	return cells;
}

static void
write_row(struct fields_run *run, const struct insn_row *row)
{
	struct text *out = run->flow.sink->out;
	const struct insn_cells *cells = row->insn ? cells_of(run, row) : NULL;
	for (size_t i = 0, from; i < run->count; i++) {
		from = cells && i ? cells->end[i - 1] : 0;
		if (i)
			text_add_char(out, ',');
		if (!cells || !columns[run->chosen[i]].fixed)
			make_cell(run, &columns[run->chosen[i]], row, out);
		else if (cells->end[i] > from)
			text_add_bytes(out, cells->text.data + from, cells->end[i] - from);
	}
	text_add_char(out, '\n');
	run->flow.result->doubts.count[DOUBT_TEXTLESS] += run->textless && row->insn;
	export_flow_flush(&run->flow);
}

/* Write a row for each instruction.  Code that the program lacks ends the run with one row. */
static void
write_run(struct fields_run *run, struct insn_row *row)
{
	struct flow_code *code = flow_code_of(run->flow.flow);
	struct flow_step rest = *row->step;
	for (; rest.count && !run->flow.failed; rest.count--) {
		const struct insn *insn = flow_code_find_in(code, rest.space, row->address);
		uint64_t length = insn->length;
		row->insn = length ? insn : NULL;
		row->step = &rest;
		write_row(run, row);
		if (!length) {
			run->flow.result->doubts.count[DOUBT_CODELESS] += rest.count;
			return;
		}
		row->address += length;
	}
}

static uint64_t
depth_behind(struct fields_run *run, const struct flow_place *place, const struct flow_step *step)
{
	uint64_t *found = map_add(&run->calls_by, place->origin);
	if (!*found) {
		*vec_add(&run->calls) = (struct call_stack){0};
		*found = run->calls.count;
	}
	struct call_stack *stack = &run->calls.at[*found - 1];
	call_stack_step(stack, step);
	return stack->frames.count + stack->above;
}

static void
take_step(void *context, const struct flow_place *place, const struct flow_step *step)
{
	struct fields_run *run = context;
	struct insn_row row = {.place = place,
			       .step = step,
			       .address = step->first,
			       .depth = depth_behind(run, place, step)};
	if (!place->chosen || step->kind == FLOW_STEP_CYCLES)
		return;
	if (step->kind == FLOW_STEP_RUN)
		write_run(run, &row);
	else
		write_row(run, &row);
}

int
export_insn_fields(struct trace *trace, const struct export_options *options,
		   const struct export_sink *sink, struct export_result *result, struct err *err)
{
	struct fields_run *run = mem_new(sizeof *run);
	run->flow.take = take_step;
	run->flow.named = true;
	int failed = export_flow_choose(&export_insn_columns, options->fields, run->chosen,
					&run->count, err);
	if (!failed) {
		open_disassembler(run);
		text_addf(sink->out, "%s\n", options->fields);
		failed = export_flow_run(&run->flow, trace, options, sink, result, err);
		export_flow_end(&run->flow);
	}
	for (size_t i = 0; i < SLOTS; i++)
		text_free(&run->cells[i].text);
	for (size_t i = 0; i < run->calls.count; i++)
		call_stack_free(&run->calls.at[i]);
	vec_free(&run->calls);
	map_free(&run->calls_by);
	disassembler_free(run->disassembler);
	free(run);
	return failed;
}
