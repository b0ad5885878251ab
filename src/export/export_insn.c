/*
 * `-t insn`: see export_insn.h.
 *
 *	NUMBER PC OPCODE CLASS ORIGIN NAME
 *
 * NUMBER is that of the message by which it is known.  A trap has the address where it came
 * as PC, and no OPCODE; where the path is not known both are missing, and the reason stands
 * for the name.  What was found out to be a guess has `doubtful` at its end.
 *
 * A program executes few instructions again and again: what follows from the address alone
 * is formatted once and kept, so a line is three copies.
 */
#include "config.h"

#include "export/export_insn.h"
#include "base/map.h"
#include "flow/flow.h"
#include "trace/naming.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	BATCH = 256,
	FULL = 256 * 1024,
	LINES = 1 << 14,
	COLUMN_ORIGIN = 16,
	ORIGINS_MOST = 1 << 12 /* whose names are kept, whatever a capture says */
};

/* What a line of an address has before and behind the origin. */
struct insn_line {
	uint64_t address;
	bool filled;
	uint8_t length; /* of the instruction, in bytes */
	size_t split;	/* where the origin belongs */
	struct text text;
};

struct insn_run {
	struct trace *trace;
	const struct export_options *options;
	struct reader *reader;
	struct flow *flow;
	struct text *out;
	int (*flush)(void *, struct err *);
	void *context;
	struct export_result *result;
	struct err *err;
	int failed;
	uint64_t count;	    /* messages */
	struct text number; /* of message `numbered`, in columns */
	uint64_t numbered;
	struct map places; /* of senders by origin: place in `origins` and one */
	VEC(struct text) origins;
	struct expansion scratch;
	struct insn_line lines[LINES]; /* by the low bits of the address */
};

static int
pc_digits(const struct insn_run *run)
{
	return flow_code_of(run->flow)->isa.wide ? 16 : 8;
}

/* Appends CELL and spaces up to COLUMNS, then one. */
static void
add_cell(struct text *out, const char *cell, int columns)
{
	text_addf(out, "%-*s ", columns, cell);
}

static void
fill_line(struct insn_run *run, struct insn_line *line, uint64_t address)
{
	const struct riscv_insn *insn = flow_code_find(flow_code_of(run->flow), address);
	char opcode[16];
	text_clear(&line->text);
	line->address = address;
	line->filled = true;
	line->length = insn->length;
	snprintf(opcode, sizeof opcode, "%0*" PRIx32, 2 * insn->length, insn->opcode);
	text_addf(&line->text, "%0*" PRIx64 " ", pc_digits(run), address);
	add_cell(&line->text, opcode, 8);
	add_cell(&line->text, riscv_class_name(insn->class), 13);
	line->split = line->text.length;
	naming_name(trace_host(run->trace)->naming, trace_name(run->trace), address, &line->text);
}

/* Keeps how the sender of M is called, in columns. */
static void
keep_origin(struct insn_run *run, const struct message *m)
{
	if (map_find(&run->places, m->origin) || run->origins.count == ORIGINS_MOST)
		return;
	struct text *origin = vec_add(&run->origins);
	*map_add(&run->places, m->origin) = run->origins.count;
	expansion_clear(&run->scratch);
	reader_expand(run->reader, m, EXPAND_TEXT, &run->scratch);
	text_add_safe(origin, text_get(&run->scratch.origin), run->scratch.origin.length,
		      run->options->charset);
	while (text_columns(origin->data, origin->length) < COLUMN_ORIGIN)
		text_add_char(origin, ' ');
	text_add_char(origin, ' ');
}

static const struct text *
origin_of(const struct insn_run *run, const struct flow_place *place)
{
	static char name[] = "?                ";
	static const struct text unknown = {.data = name, .length = sizeof name - 1};
	const uint64_t *found = map_find(&run->places, place->origin);
	return found ? &run->origins.at[*found - 1] : &unknown;
}

static const struct text *
number_of(struct insn_run *run, const struct flow_place *place)
{
	if (run->number.length && run->numbered == place->number)
		return &run->number;
	text_clear(&run->number);
	text_addf(&run->number, "%8" PRIu64 " ", place->number);
	run->numbered = place->number;
	return &run->number;
}

static void
add_text(struct text *out, const struct text *text)
{
	text_add_bytes(out, text_get(text), text->length);
}

static void
end_line(struct insn_run *run, const struct flow_step *step)
{
	text_add(run->out, step->doubtful ? " doubtful\n" : "\n");
	if (run->out->length >= FULL && !run->failed)
		run->failed = run->flush(run->context, run->err);
}

static void
add_instructions(struct insn_run *run, const struct flow_place *place, const struct flow_step *step)
{
	const struct text *number = number_of(run, place), *origin = origin_of(run, place);
	uint64_t address = step->first;
	for (uint32_t i = 0; i < step->count && !run->failed; i++) {
		struct insn_line *line = &run->lines[address >> 1 & (LINES - 1)];
		if (!line->filled || line->address != address)
			fill_line(run, line, address);
		add_text(run->out, number);
		text_add_bytes(run->out, line->text.data, line->split);
		add_text(run->out, origin);
		text_add_bytes(run->out, line->text.data + line->split,
			       line->text.length - line->split);
		address += line->length;
		end_line(run, step);
	}
}

/* A line of what is no instruction. */
static void
add_event(struct insn_run *run, const struct flow_place *place, const char *pc, const char *class)
{
	add_text(run->out, number_of(run, place));
	add_cell(run->out, pc, pc_digits(run));
	add_cell(run->out, "-", 8);
	add_cell(run->out, class, 13);
	add_text(run->out, origin_of(run, place));
}

static void
add_trap(struct insn_run *run, const struct flow_place *place, const struct flow_step *step)
{
	char pc[24] = "-";
	if (step->has_epc)
		snprintf(pc, sizeof pc, "%0*" PRIx64, pc_digits(run), step->epc);
	add_event(run, place, pc, step->interrupt ? "interrupt" : "exception");
	text_addf(run->out, "cause %" PRIu64, step->cause);
	if (!step->interrupt)
		text_addf(run->out, " tval 0x%" PRIx64, step->tval);
	end_line(run, step);
}

static void
add_damage(struct insn_run *run, const struct flow_place *place, const struct flow_step *step)
{
	add_event(run, place, "-", "damage");
	text_add(run->out, step->why);
	if (step->has_at)
		text_addf(run->out, " at 0x%" PRIx64, step->at);
	end_line(run, step);
}

static void
take_step(void *context, const struct flow_place *place, const struct flow_step *step)
{
	struct insn_run *run = context;
	if (step->kind == FLOW_STEP_DAMAGE)
		run->result->doubts.count[DOUBT_UNFOLLOWED]++;
	if (!place->chosen || run->failed)
		return;
	if (step->kind == FLOW_STEP_RUN)
		add_instructions(run, place, step);
	else if (step->kind == FLOW_STEP_TRAP)
		add_trap(run, place, step);
	else
		add_damage(run, place, step);
}

static void
take_message(struct insn_run *run, const struct message *m)
{
	doubts_add_flags(&run->result->doubts, m->flags);
	bool passes = filter_is_all(&run->options->filter) ||
		      filter_match(&run->options->filter, run->reader, m, &run->scratch);
	run->result->messages += passes;
	keep_origin(run, m);
	flow_message(run->flow, run->reader, m, run->count++, passes);
}

static void
walk_messages(struct insn_run *run)
{
	struct message messages[BATCH];
	size_t count;
	while (!run->failed && (count = reader_walk(run->reader, messages, BATCH)))
		for (size_t i = 0; i < count && !run->failed; i++)
			take_message(run, &messages[i]);
	flow_end(run->flow);
	doubts_add_walk(&run->result->doubts, run->reader);
}

int
export_insn(struct trace *trace, const struct export_options *options, struct text *out,
	    int (*flush)(void *context, struct err *), void *context, struct export_result *result,
	    struct err *err)
{
	struct insn_run *run = mem_new(sizeof *run);
	*run = (struct insn_run){.trace = trace,
				 .options = options,
				 .out = out,
				 .flush = flush,
				 .context = context,
				 .result = result,
				 .err = err};
	run->flow = flow_new(trace, take_step, run, err);
	run->failed = run->flow ? 0 : (int)err->code;
	run->reader = reader_new(trace);
	if (run->flow)
		walk_messages(run);
	int failed = run->failed;
	for (size_t i = 0; i < LINES; i++)
		text_free(&run->lines[i].text);
	text_free(&run->number);
	for (size_t i = 0; i < run->origins.count; i++)
		text_free(&run->origins.at[i]);
	vec_free(&run->origins);
	map_free(&run->places);
	expansion_free(&run->scratch);
	reader_free(run->reader);
	flow_free(run->flow);
	free(run);
	return failed;
}
