/*
 * Turns the elements of a CoreSight origin into steps: see flow_walk.h.
 *
 * The trace decoder has followed the program already, so each element is a step: a range of
 * instructions, an exception, or unseen code.  The program's bytes are read only to find the
 * indirect branches of A32 and T32 that are returns.
 *
 * Repeated elements are dropped: unseen code gives one step up to the next seen code, and so does
 * lost trace.
 */
#include "config.h"

#include "flow/flow_walk.h"

#include <stdlib.h>

struct coresight_walk {
	struct flow_code *code;
	flow_walk_take *take;
	void *context;
	struct flow_space space; /* its `whose` is the current context */
	struct {
		bool known;
		uint16_t number;
	} spaces[INSN_MACHINE_COUNT]; /* number of `space` in CODE, for each machine */
	uint16_t newest;	      /* space of the last range */
	bool unseen;		      /* the step for unseen code was given */
	bool lost;		      /* the step for lost trace was given */
	/* templates of the most frequent steps; their other members never change */
	struct flow_step run, passed;
};

static void *
open_walk(struct flow_code *code, const struct flow_space *space, flow_walk_take *take,
	  void *context)
{
	struct coresight_walk *walk = mem_new(sizeof *walk);
	*walk = (struct coresight_walk){.code = code,
					.take = take,
					.context = context,
					.space = *space,
					.run = {.kind = FLOW_STEP_RUN, .reported = true},
					.passed = {.kind = FLOW_STEP_CYCLES}};
	return walk;
}

static void *
copy_walk(const void *walk, struct flow_code *code, const void *memory, flow_walk_take *take,
	  void *context)
{
	struct coresight_walk *copy = mem_new(sizeof *copy);
	*copy = *(const struct coresight_walk *)walk;
	copy->code = code;
	copy->take = take;
	copy->context = context;
	copy->space.memory = memory;
	for (size_t i = 0; i < INSN_MACHINE_COUNT; i++)
		copy->spaces[i].known = false;
	return copy;
}

static size_t
walk_size(const void *walk)
{
	(void)walk;
	return sizeof(struct coresight_walk);
}

static uint16_t
space_of(struct coresight_walk *walk, enum insn_machine machine)
{
	if (!walk->spaces[machine].known) {
		walk->space.machine = machine;
		walk->spaces[machine].number = flow_code_space(walk->code, &walk->space);
		walk->spaces[machine].known = true;
	}
	return walk->spaces[machine].number;
}

static void
take_context(struct coresight_walk *walk, const struct flow_element *e)
{
	struct decode_memory *whose = &walk->space.whose;
	walk->run.mode = e->mode;
	if (whose->context_id == e->context_id && whose->vmid == e->vmid)
		return;
	whose->context_id = e->context_id;
	whose->vmid = e->vmid;
	for (size_t i = 0; i < INSN_MACHINE_COUNT; i++)
		walk->spaces[i].known = false;
}

static void
say_unseen(struct coresight_walk *walk, const struct flow_element *e)
{
	if (walk->unseen || walk->lost)
		return;
	walk->unseen = true;
	walk->take(walk->context, &(const struct flow_step){.kind = FLOW_STEP_UNSEEN,
							    .space = walk->newest,
							    .has_at = e->has_address,
							    .at = e->first,
							    .why = e->why});
}

static void
say_lost(struct coresight_walk *walk, const char *why)
{
	if (walk->lost)
		return;
	walk->lost = true;
	walk->run.mode = NULL; /* a context may be missing */
	walk->take(walk->context, &(const struct flow_step){.kind = FLOW_STEP_DAMAGE, .why = why});
}

/* Return the class of an element.  Elements mark only the usual forms of returns; A32 and T32
 * have more. */
static enum insn_class
class_of(const struct coresight_walk *walk, uint16_t space, const struct flow_element *e)
{
	if (e->class != INSN_INDIRECT_JUMP)
		return (enum insn_class)e->class;
	const struct insn *insn = flow_code_find_in(walk->code, space, e->end - e->last);
	return insn_is_indirect(insn) ? (enum insn_class)insn->class : INSN_INDIRECT_JUMP;
}

/* True if that many instructions of 2 or 4 bytes fit in the range. */
static bool
is_possible(const struct flow_element *e)
{
	uint64_t bytes = e->end - e->first;
	return e->end > e->first && bytes >= 2 * (uint64_t)e->count &&
	       bytes <= 4 * (uint64_t)e->count;
}

static void
give_cycles(struct coresight_walk *walk, const struct flow_element *e)
{
	walk->passed.cycles = e->cycles;
	if (e->cycles)
		walk->take(walk->context, &walk->passed);
}

static void
take_range(struct coresight_walk *walk, const struct flow_element *e)
{
	if (!e->count)
		return;
	if (!is_possible(e)) {
		say_lost(walk, "so many instructions are not in that range");
		return;
	}
	walk->unseen = walk->lost = false;
	uint16_t space = space_of(walk, (enum insn_machine)e->machine);
	walk->newest = space;
	walk->run.class = (uint8_t)class_of(walk, space, e);
	walk->run.passed = e->passed;
	walk->run.last = e->last;
	walk->run.space = space;
	walk->run.count = e->count;
	walk->run.first = e->first;
	walk->run.end = e->end;
	walk->take(walk->context, &walk->run);
	give_cycles(walk, e);
}

static void
take_exception(struct coresight_walk *walk, const struct flow_element *e)
{
	walk->unseen = walk->lost = false;
	walk->take(walk->context, &(const struct flow_step){.kind = FLOW_STEP_TRAP,
							    .space = walk->newest,
							    .interrupt = e->interrupt,
							    .has_epc = e->has_address,
							    .epc = e->first,
							    .cause = e->number,
							    .name = e->name,
							    .irq = e->irq});
}

static void
take_packet(void *context, const struct flow_packet *p)
{
	struct coresight_walk *walk = context;
	if (p->kind == FLOW_RANGE)
		take_range(walk, &p->element);
	else if (p->kind == FLOW_UNSEEN)
		say_unseen(walk, &p->element);
	else if (p->kind == FLOW_CONTEXT)
		take_context(walk, &p->element);
	else if (p->kind == FLOW_EXCEPTION)
		take_exception(walk, &p->element);
	else if (p->kind == FLOW_CYCLES || p->kind == FLOW_TIME)
		give_cycles(walk, &p->element);
	else if (p->kind == FLOW_EXCEPTION_RETURN)
		walk->take(walk->context, &(const struct flow_step){.kind = FLOW_STEP_RETURN});
	else if (p->kind == FLOW_LOST)
		say_lost(walk, p->element.why);
}

const struct flow_walk_form coresight_walk_form = {
    .open = open_walk,
    .close = free,
    .copy = copy_walk,
    .size = walk_size,
    .packet = take_packet,
};
