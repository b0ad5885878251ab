/*
 * Fills the flow columns of the list: see flow_marks.h.
 *
 * The target of a jump is in the next step of its processor, maybe of a much later message.  So
 * each processor has one mark that waits for it.
 */
#include "config.h"

#include "flow/flow_marks.h"
#include "program/insn.h"

#include <string.h>

/* The mark of a processor that waits for its target. */
struct mark_waiting {
	uint64_t origin;
	struct flow_mark *mark; /* NULL if none waits */
	bool branch;		/* not taken if the processor went on at `behind` */
	uint64_t behind;
};

struct marks_reading {
	uint64_t first;
	size_t count;
	struct flow_mark *marks;
	struct flow_code *code;
	VEC(struct mark_waiting) waiting;
	size_t left; /* number of waiting marks */
};

static struct mark_waiting *
waiting_of(struct marks_reading *reading, uint64_t origin)
{
	for (size_t i = 0; i < reading->waiting.count; i++)
		if (reading->waiting.at[i].origin == origin)
			return &reading->waiting.at[i];
	*vec_add(&reading->waiting) = (struct mark_waiting){.origin = origin};
	return &reading->waiting.at[reading->waiting.count - 1];
}

/* Complete the waiting mark with the next step. */
static void
end_waiting(struct marks_reading *reading, struct mark_waiting *waiting,
	    const struct flow_step *step)
{
	struct flow_mark *mark = waiting->mark;
	if (!mark)
		return;
	waiting->mark = NULL;
	reading->left--;
	if (step->kind != FLOW_STEP_RUN)
		return;
	mark->has_target = !waiting->branch || step->first != waiting->behind;
	mark->exit = mark->has_target ? FLOW_EXIT_TAKEN : FLOW_EXIT_PASSED;
	mark->target = step->first;
	mark->space = step->space;
}

static void
wait_behind(struct marks_reading *reading, struct mark_waiting *waiting, struct flow_mark *mark)
{
	waiting->mark = mark;
	reading->left++;
}

/* Take the target from a direct jump, in case no step follows. */
static void
mark_direct(struct marks_reading *reading, struct flow_mark *mark, const struct flow_step *step)
{
	if (!step->last)
		return;
	const struct insn *insn =
	    flow_code_find_in(reading->code, step->space, step->end - step->last);
	mark->has_target = insn->length && insn_is_direct(insn);
	mark->target = insn->target;
	mark->space = step->space;
}

static void
mark_run(struct marks_reading *reading, struct mark_waiting *waiting, struct flow_mark *mark,
	 const struct flow_step *step)
{
	bool jumps = step->class >= INSN_JUMP && step->class <= INSN_TRAP_RETURN;
	if (!jumps && step->class != INSN_BRANCH)
		return;
	mark->exit = step->passed ? FLOW_EXIT_PASSED : jumps ? FLOW_EXIT_TAKEN : FLOW_EXIT_UNKNOWN;
	if (step->passed)
		return;
	waiting->branch = !jumps;
	waiting->behind = step->end;
	wait_behind(reading, waiting, mark);
	mark_direct(reading, mark, step);
}

static void
mark_step(struct marks_reading *reading, struct mark_waiting *waiting, struct flow_mark *mark,
	  const struct flow_step *step)
{
	mark->exit = FLOW_EXIT_NONE;
	mark->has_target = false;
	switch ((enum flow_step_kind)step->kind) {
	case FLOW_STEP_RUN:
		mark_run(reading, waiting, mark, step);
		break;
	case FLOW_STEP_TRAP:
	case FLOW_STEP_RETURN:
		mark->exit = FLOW_EXIT_TAKEN;
		waiting->branch = false;
		wait_behind(reading, waiting, mark);
		break;
	case FLOW_STEP_UNSEEN:
	case FLOW_STEP_DAMAGE:
	case FLOW_STEP_CYCLES:
	case FLOW_STEP_PROOF:
		break;
	}
}

static bool
watch_step(void *context, const struct flow_place *place, const struct flow_step *step,
	   const struct flow_frames *frames)
{
	struct marks_reading *reading = context;
	bool beyond = place->number - reading->first >= reading->count;
	if (step->kind == FLOW_STEP_CYCLES || step->kind == FLOW_STEP_PROOF)
		return true;
	struct mark_waiting *waiting = waiting_of(reading, place->origin);
	end_waiting(reading, waiting, step);
	if (beyond)
		return reading->left > 0;
	struct flow_mark *mark = &reading->marks[place->number - reading->first];
	mark->any = true;
	mark->doubtful |= step->doubtful;
	mark->depth = call_stack_depth(&frames->calls);
	mark_step(reading, waiting, mark, step);
	return true;
}

void
flow_marks_read(struct flow_looker *looker, struct reader *reader, uint64_t cell, uint64_t first,
		size_t count, struct flow_mark *marks)
{
	struct marks_reading reading = {
	    .first = first, .count = count, .marks = marks, .code = flow_looker_code(looker)};
	memset(marks, 0, count * sizeof *marks);
	flow_look_steps(looker, reader, cell, first, count, watch_step, &reading);
	vec_free(&reading.waiting);
}
