/*
 * The calls that a processor is in: see call_stack.h.
 *
 * What the last instruction of a step does to the stack is known with the step behind it,
 * as returns are told by where they lead: a return to behind a call further out ends all
 * calls within that (unwinding); one to elsewhere changes nothing, and what it leaves too
 * much is taken off when a caller further out is returned to.
 */
#include "config.h"

#include "flow/call_stack.h"
#include "program/riscv.h"

/* Frames that are looked through for where a return leads: no more, as a hostile capture
 * may have many returns that lead nowhere. */
enum { UNWIND_MOST = 256 };

void
call_stack_free(struct call_stack *stack)
{
	vec_free(&stack->frames);
}

static void
push_frame(struct call_stack *stack, struct call_frame frame)
{
	if (stack->frames.count < CALL_STACK_MOST)
		*vec_add(&stack->frames) = frame;
	else
		stack->above++;
}

static void
cut_frames(struct call_stack *stack, size_t count)
{
	stack->frames.count = count;
	if (stack->kept > count)
		stack->kept = count;
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
	for (size_t i = 1; i <= count && i <= UNWIND_MOST; i++) {
		const struct call_frame *frame = &stack->frames.at[count - i];
		if (frame->trap)
			return false;
		if (frame->link != address)
			continue;
		cut_frames(stack, count - i);
		return i == 1;
	}
	return false;
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
}

/* What was executed last led to ADDRESS. */
static bool
follow_last(struct call_stack *stack, uint64_t address)
{
	const struct call_frame call = {.link = stack->link, .known = true};
	bool fits = false;
	switch (stack->last) {
	case RISCV_SWAP:
		fits = pop_to(stack, address);
		push_frame(stack, call);
		break;
	case RISCV_CALL:
	case RISCV_INDIRECT_CALL:
		push_frame(stack, call);
		break;
	case RISCV_RETURN:
		fits = pop_to(stack, address);
		break;
	case RISCV_TRAP_RETURN:
		pop_trap(stack);
		break;
	default:
		break;
	}
	stack->last = RISCV_OTHER;
	return fits;
}

bool
call_stack_step(struct call_stack *stack, const struct flow_step *step)
{
	bool fits = false;
	switch ((enum flow_step_kind)step->kind) {
	case FLOW_STEP_RUN:
		fits = follow_last(stack, step->first);
		stack->last = step->class;
		stack->link = step->end;
		break;
	case FLOW_STEP_TRAP:
		/* a return that came to where the trap took over leads there */
		if (step->has_epc || stack->last != RISCV_RETURN)
			follow_last(stack, step->epc);
		push_frame(stack, (struct call_frame){
				      .link = step->epc, .trap = true, .known = step->has_epc});
		stack->last = RISCV_OTHER;
		break;
	case FLOW_STEP_DAMAGE:
		cut_frames(stack, 0);
		stack->above = 0;
		stack->last = RISCV_OTHER;
		stack->unknown = true;
		break;
	case FLOW_STEP_PROOF:
		break;
	}
	return fits;
}
