/*
 * The calls that a processor is in: see call_stack.h.
 *
 * What the last instruction of a step does to the stack is known with the step behind it,
 * as returns are told by where they lead: a return to behind a call further out ends all
 * calls within that (unwinding); one to elsewhere changes nothing, and what it leaves too
 * much is taken off when a caller further out is returned to.
 *
 * Behind code that is not seen the same is done with where the next run begins, whatever
 * came before: a call into such code returns in most cases.  Elsewhere it is not known which
 * calls came and went, and what is called from there stands on an `unsure` place.
 */
#include "config.h"

#include "flow/call_stack.h"
#include "program/riscv.h"

#include <string.h>

/* Frames that are looked through for where a return leads: no more, as a hostile capture
 * may have many returns that lead nowhere. */
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

/* Nothing is known of the calls any more. */
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

/* Returns do not lead out of the handler of a trap. */
static bool
pop_to(struct call_stack *stack, uint64_t address)
{
	size_t count = stack->frames.count;
	if (stack->above) {
		stack->above--;
		return false;
	}
	if (!count && stack->below) { /* to where is not kept */
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

/* Code that is not seen led to ADDRESS; after a trace had ended, that may be anywhere. */
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

/* The stack of calls within the handler ends with it. */
static void
pop_trap(struct call_stack *stack)
{
	for (size_t i = stack->frames.count; i; i--)
		if (stack->frames.at[i - 1].trap) {
			cut_frames(stack, i - 1);
			stack->above = 0;
			return;
		}
	if (stack->below) { /* in which of these is not kept */
		cut_frames(stack, 0);
		stack->above = 0;
		stack->below--;
	}
}

/* What was executed last led to ADDRESS. */
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
		/* a return that came to where the trap took over leads there */
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
		/* what was executed last may be a call into it */
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
