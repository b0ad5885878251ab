/*
 * The call stack of a processor: see call_stack.h.
 *
 * A return is recognised by where it leads.  So the effect of a step's last instruction is
 * applied with the next step.  A return to after an outer call ends all calls within that one
 * (unwinding).  A return to elsewhere changes nothing; its frame is popped when an outer caller
 * is returned to.
 *
 * Most calls into unseen code return, so the begin of the next run is taken as such a return.  If
 * it leads elsewhere, some calls may be missing, and the next frame is `unsure`.
 */
#include "config.h"

#include "flow/call_stack.h"
#include "program/riscv.h"

#include <string.h>

/* Frames searched for the target of a return.  The limit is for hostile captures with many
 * returns that lead nowhere. */
enum { UNWIND_MOST = 256 };

void
call_stack_free(struct call_stack *stack)
{
	vec_free(&stack->frames);
}

void
call_stack_copy(struct call_stack *copy, const struct call_stack *stack, size_t most)
{
	size_t count = stack->frames.count, from = count > most ? count - most : 0;
	*copy = *stack;
	memset(&copy->frames, 0, sizeof copy->frames);
	vec_fit(&copy->frames, count - from);
	for (size_t i = from; i < count; i++)
		*vec_add(&copy->frames) = stack->frames.at[i];
	copy->below += from;
	copy->kept = stack->kept > from ? stack->kept - from : 0;
}

static void
cut_frames(struct call_stack *stack, size_t count)
{
	if (count < stack->frames.count)
		stack->unsure = stack->frames.at[count].unsure;
	for (size_t i = count; i < stack->frames.count; i++)
		stack->places -= stack->frames.at[i].unsure;
	stack->frames.count = count;
	if (stack->kept > count)
		stack->kept = count;
}

/* Drop all calls: none are known any more. */
static void
lose_path(struct call_stack *stack)
{
	cut_frames(stack, 0);
	stack->above = stack->below = 0;
	stack->places = 0;
	stack->last = INSN_OTHER;
	stack->unknown = true;
	stack->unseen = stack->unsure = stack->ended = false;
}

static void
push_frame(struct call_stack *stack, struct call_frame frame)
{
	if (stack->unsure && stack->places == CALL_STACK_UNSURE)
		lose_path(stack);
	frame.unsure = stack->unsure;
	stack->unsure = false;
	if (stack->frames.count < CALL_STACK_MOST) {
		*vec_add(&stack->frames) = frame;
		stack->places += frame.unsure;
	} else {
		stack->above++;
	}
}

/* Pop the frames up to the one that returns to ADDRESS.  Return true if that is the newest one.
 * Returns do not lead out of a trap handler. */
static bool
pop_to(struct call_stack *stack, uint64_t address)
{
	size_t count = stack->frames.count;
	if (stack->above) {
		stack->above--;
		return false;
	}
	if (!count && stack->below) { /* its return address is not kept */
		stack->below--;
		return false;
	}
	for (size_t i = 1; i <= count && i <= UNWIND_MOST; i++) {
		const struct call_frame *frame = &stack->frames.at[count - i];
		if (frame->trap && !stack->unseen)
			return false;
		if (frame->link != address || !frame->known)
			continue;
		cut_frames(stack, count - i);
		return i == 1;
	}
	return false;
}

/* Apply the step from unseen code to ADDRESS.  After the trace was ended, that may be anywhere. */
static void
follow_unseen(struct call_stack *stack, uint64_t address)
{
	size_t before = stack->frames.count;
	pop_to(stack, address);
	if (stack->ended && stack->frames.count == before)
		lose_path(stack);
	stack->unsure |= stack->unseen && stack->frames.count == before;
	stack->unseen = stack->ended = false;
}

/* Pop the newest trap with all calls of its handler. */
static void
pop_trap(struct call_stack *stack)
{
	for (size_t i = stack->frames.count; i; i--)
		if (stack->frames.at[i - 1].trap) {
			cut_frames(stack, i - 1);
			stack->above = 0;
			return;
		}
	if (stack->below) { /* the trap was left out */
		cut_frames(stack, 0);
		stack->above = 0;
		stack->below--;
	}
}

/* Apply the last instruction, which led to ADDRESS. */
static bool
follow_last(struct call_stack *stack, uint64_t address)
{
	const struct call_frame call = {.link = stack->link, .known = true};
	bool fits = false;
	switch (stack->last) {
	case INSN_SWAP:
		fits = pop_to(stack, address);
		push_frame(stack, call);
		break;
	case INSN_CALL:
	case INSN_INDIRECT_CALL:
		push_frame(stack, call);
		break;
	case INSN_RETURN:
		fits = pop_to(stack, address);
		break;
	case INSN_TRAP_RETURN:
		pop_trap(stack);
		break;
	default:
		break;
	}
	stack->last = INSN_OTHER;
	return fits;
}

bool
call_stack_step(struct call_stack *stack, const struct flow_step *step)
{
	bool fits = false;
	switch ((enum flow_step_kind)step->kind) {
	case FLOW_STEP_RUN:
		if (stack->unseen)
			follow_unseen(stack, step->first);
		else
			fits = follow_last(stack, step->first);
		stack->last = step->passed ? INSN_OTHER : step->class;
		stack->link = step->end;
		break;
	case FLOW_STEP_TRAP:
		/* a last return led to `epc`, so it needs one */
		if (step->has_epc || stack->last != INSN_RETURN)
			follow_last(stack, step->epc);
		if (stack->ended)
			lose_path(stack);
		stack->unsure |= stack->unseen;
		push_frame(stack, (struct call_frame){
				      .link = step->epc, .trap = true, .known = step->has_epc});
		stack->last = INSN_OTHER;
		stack->unseen = false;
		break;
	case FLOW_STEP_RETURN:
		pop_trap(stack);
		stack->last = INSN_OTHER;
		break;
	case FLOW_STEP_UNSEEN:
		/* the last instruction may be a call into the unseen code */
		if (stack->last == INSN_CALL || stack->last == INSN_INDIRECT_CALL)
			follow_last(stack, 0);
		stack->last = INSN_OTHER;
		stack->unseen = true;
		stack->ended = step->ended;
		break;
	case FLOW_STEP_DAMAGE:
		lose_path(stack);
		break;
	case FLOW_STEP_CYCLES:
	case FLOW_STEP_PROOF:
		break;
	}
	return fits;
}
