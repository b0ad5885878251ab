/*
 * `-t insn`: a line for each executed instruction and each trap.
 *
 *	NUMBER PC OPCODE CLASS ORIGIN NAME
 *
 * NUMBER is the number of the message that reports it.  A trap has its address as PC, and no
 * OPCODE.  Where the path is unknown both are missing, and the reason replaces the name.  Code
 * without an image is one line.  A guess has `doubtful` at its end.  An instruction whose bytes
 * differ in another image of the same place has `patched`.
 *
 * A program executes a few instructions many times.  The text that follows from the address alone
 * is cached, so a line costs three copies.
 */
#include "config.h"

#include "export/export_flow.h"
#include "trace/naming.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	SET_BITS = 13,
	SETS = 1 << SET_BITS,
	WAYS = 8,
	INSNS_NEAR = 8, /* bytes: their instructions share a set, the next ones use the next set */
	COLUMN_ORIGIN = 16,
	LINE_HEAD = 48, /* maximum length of PC, OPCODE and CLASS */
	NUMBER_CELL = 24
};

#define DOUBTFUL " doubtful\n" /* replaces the end of a line */

/* The text of an address before and after the origin.  It fits one cache line, as a trace
 * returns to few addresses, but not soon. */
struct insn_line {
	uint16_t space;
	uint8_t length;	      /* of the instruction, in bytes */
	uint8_t head_length;  /* 0: unused */
	uint32_t name_length; /* with the newline */
	char *name;	      /* NULL: only the newline */
	char head[LINE_HEAD]; /* copied whole */
};
static_assert(sizeof(struct insn_line) <= 64, "a line of the cache");

/* Lines of addresses with the same hash. */
struct insn_set {
	uint64_t addresses[WAYS]; /* adjacent, as they are compared first */
	struct insn_line lines[WAYS];
	unsigned next; /* the next line to replace */
};

struct insn_run {
	struct export_flow flow;  /* must be first */
	char number[NUMBER_CELL]; /* of message `numbered`, padded; copied whole */
	size_t number_length;	  /* 0: none */
	uint64_t numbered;
	struct text origin; /* of the sender with key `origin_key`, padded */
	uint64_t origin_key;
	uint64_t nameless;	    /* instructions without a name */
	struct insn_set sets[SETS]; /* by address */
};

static int
pc_digits(const struct insn_run *run, uint16_t space)
{
	return insn_address_digits(flow_code_machine(flow_code_of(run->flow.flow), space));
}

/* Append CELL, padded to COLUMNS, and a space. */
static void
add_cell(struct text *out, const char *cell, int columns)
{
	size_t length = strlen(cell), least = (size_t)columns;
	text_add_bytes(out, cell, length);
	text_add_fill(out, ' ', 1 + (length < least ? least - length : 0));
}

static void
fill_line(struct insn_run *run, struct insn_line *line, uint16_t space, uint64_t address)
{
	const struct insn *insn = flow_code_find_in(flow_code_of(run->flow.flow), space, address);
	char opcode[16];
	line->space = space;
	line->length = insn->length;
	snprintf(opcode, sizeof opcode, "%0*" PRIx32, 2 * insn->length, insn->opcode);
	line->head_length =
	    (uint8_t)snprintf(line->head, sizeof line->head, "%0*" PRIx64 " %-8s %-13s ",
			      pc_digits(run, space), address, opcode, insn_class_name(insn->class));
	struct text name = {0};
	naming_name(trace_host(run->flow.trace)->naming, trace_name(run->flow.trace), address,
		    &name);
	text_add(&name, insn->patched ? " patched" : "");
	text_add_char(&name, '\n');
	line->name_length = (uint32_t)name.length;
	free(line->name);
	line->name = name.length > 1 ? name.data : NULL;
	if (!line->name)
		text_free(&name);
}

static const struct insn_line *
line_of(struct insn_run *run, uint16_t space, uint64_t address)
{
	uint64_t block = address / INSNS_NEAR, far = (block >> SET_BITS) + space;
	struct insn_set *set = &run->sets[(block + far * 0x9e3779b97f4a7c15u) % SETS];
	for (size_t i = 0; i < WAYS; i++) {
		const struct insn_line *line = &set->lines[i];
		if (set->addresses[i] == address && line->space == space && line->head_length)
			return line;
	}
	size_t next = set->next++ % WAYS;
	set->addresses[next] = address;
	fill_line(run, &set->lines[next], space, address);
	return &set->lines[next];
}

static const struct text *
origin_of(struct insn_run *run, const struct flow_place *place)
{
	struct text *origin = &run->origin;
	if (origin->length && run->origin_key == place->origin)
		return origin;
	const struct text *name = export_flow_origin(&run->flow, place);
	text_clear(origin);
	text_add_bytes(origin, text_get(name), name->length);
	while (text_columns(text_get(origin), origin->length, run->flow.options->charset) <
	       COLUMN_ORIGIN)
		text_add_char(origin, ' ');
	text_add_char(origin, ' ');
	run->origin_key = place->origin;
	return origin;
}

/* Set `number` to that of the message. */
static void
number_line(struct insn_run *run, const struct flow_place *place)
{
	enum { COLUMNS = 8, DIGITS = 20 };
	char digits[DIGITS];
	if (run->number_length && run->numbered == place->number)
		return;
	size_t length = (size_t)(text_put_uint(digits, place->number) - digits);
	size_t blanks = length < COLUMNS ? COLUMNS - length : 0;
	memset(run->number, ' ', sizeof run->number);
	memcpy(run->number + blanks, digits, length);
	run->number_length = blanks + length + 1;
	run->numbered = place->number;
}

/* Append a line for a step without known instructions. */
static void
add_event(struct insn_run *run, const struct flow_place *place, const struct flow_step *step)
{
	struct text *out = run->flow.sink->out;
	const struct text *origin = origin_of(run, place);
	int digits = pc_digits(run, step->space);
	char pc[24] = "-";
	if (step->kind == FLOW_STEP_TRAP && step->has_epc)
		snprintf(pc, sizeof pc, "%0*" PRIx64, digits, step->epc);
	if (step->kind == FLOW_STEP_RUN)
		snprintf(pc, sizeof pc, "%0*" PRIx64, digits, step->first);
	number_line(run, place);
	text_add_bytes(out, run->number, run->number_length);
	add_cell(out, pc, digits);
	add_cell(out, "-", 8);
	add_cell(out, export_flow_class(step), 13);
	text_add_bytes(out, text_get(origin), origin->length);
	export_flow_add_text(step, out);
	text_add(out, step->doubtful ? DOUBTFUL : "\n");
	export_flow_flush(&run->flow);
}

/* Append the line.  Parts copied whole have a fixed size, so their copy needs no length check. */
static void
add_line(struct insn_run *run, const struct insn_line *line, const struct text *origin,
	 bool doubtful)
{
	struct text *out = run->flow.sink->out;
	text_reserve(out, NUMBER_CELL + LINE_HEAD + origin->length + line->name_length +
			      strlen(DOUBTFUL));
	char *at = out->data + out->length;
	memcpy(at, run->number, NUMBER_CELL);
	at += run->number_length;
	memcpy(at, line->head, LINE_HEAD);
	at += line->head_length;
	at = mempcpy(at, origin->data, origin->length);
	if (line->name)
		at = mempcpy(at, line->name, line->name_length);
	else
		*at++ = '\n';
	if (doubtful)
		at = mempcpy(at - 1, DOUBTFUL, strlen(DOUBTFUL));
	*at = '\0';
	out->length = (size_t)(at - out->data);
}

/* Append a line for each instruction.  Code that the program lacks ends the run with one line. */
static void
add_instructions(struct insn_run *run, const struct flow_place *place, const struct flow_step *step)
{
	const struct text *origin = origin_of(run, place);
	uint64_t address = step->first;
	number_line(run, place);
	for (uint32_t i = 0; i < step->count && !run->flow.failed; i++) {
		const struct insn_line *line = line_of(run, step->space, address);
		if (!line->length) {
			struct flow_step rest = *step;
			rest.first = address;
			rest.count -= i;
			run->flow.result->doubts.count[DOUBT_CODELESS] += rest.count;
			add_event(run, place, &rest);
			return;
		}
		add_line(run, line, origin, step->doubtful);
		run->nameless += !line->name;
		address += line->length;
		export_flow_flush(&run->flow);
	}
}

static void
take_step(void *context, const struct flow_place *place, const struct flow_step *step)
{
	struct insn_run *run = context;
	if (!place->chosen || step->kind == FLOW_STEP_CYCLES)
		return;
	if (step->kind == FLOW_STEP_RUN)
		add_instructions(run, place, step);
	else
		add_event(run, place, step);
}

int
export_insn(struct trace *trace, const struct export_options *options,
	    const struct export_sink *sink, struct export_result *result, struct err *err)
{
	if (options->fields)
		return export_insn_fields(trace, options, sink, result, err);
	struct insn_run *run = mem_new(sizeof *run);
	run->flow.named = true;
	run->flow.take = take_step;
	int failed = export_flow_run(&run->flow, trace, options, sink, result, err);
	result->doubts.count[DOUBT_UNNAMED] += run->nameless;
	for (size_t i = 0; i < SETS; i++)
		for (size_t k = 0; k < WAYS; k++)
			free(run->sets[i].lines[k].name);
	text_free(&run->origin);
	export_flow_end(&run->flow);
	free(run);
	return failed;
}
