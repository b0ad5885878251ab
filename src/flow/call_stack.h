/*
 * The calls that a processor is in, out of its steps: a call puts a frame on the stack, a
 * return takes it off, a trap and the return from it likewise.
 *
 * Where code runs that is not seen, and returns are missed, calls pile up: of a stack that more
 * than CALL_STACK_UNSURE of its frames rest on such a place nothing is known any more.
 *
 * Belongs to one thread.  Memory: 16 bytes a frame, of CALL_STACK_MOST at most; those above
 * are only counted.
 */
#ifndef TRAWL_FLOW_CALL_STACK_H
#define TRAWL_FLOW_CALL_STACK_H

#include "base/vec.h"
#include "flow/flow_step.h"

enum { CALL_STACK_MOST = 1 << 16, CALL_STACK_UNSURE = 128 };

struct call_frame {
	uint64_t link; /* where it returns to: behind the call, or where the trap came */
	bool trap;
	bool known;  /* `link` is: not of each trap */
	bool unsure; /* calls may be missing below it: code ran there that is not seen */
};

/* Zero-initialise. */
struct call_stack {
	VEC(struct call_frame) frames; /* the outermost first */
	size_t kept;	 /* the first of them that did not change since its user set this */
	uint64_t above;	 /* that are not in `frames`: behind them, */
	uint64_t below;	 /* and before them: call_stack_copy */
	unsigned places; /* in it that are `unsure` */
	bool unknown;	 /* what `frames` stand on: the path was lost before */
	bool unseen;	 /* code ran since the last run that is not seen */
	bool ended;	 /* and the trace was ended for that time */
	bool unsure;	 /* calls may be missing above the last frame */
	uint8_t last;	 /* enum insn_class, of what was executed last */
	uint64_t link;	 /* the address behind it */
};

void call_stack_free(struct call_stack *);

/* Into what is zero: with the newest MOST frames. */
void call_stack_copy(struct call_stack *, const struct call_stack *, size_t most);

/* How many calls there are. */
static inline uint64_t
call_stack_depth(const struct call_stack *stack)
{
	return stack->below + stack->frames.count + stack->above;
}

/* Takes the next step of the processor; true: a return led to behind the call that it
 * belongs to. */
bool call_stack_step(struct call_stack *, const struct flow_step *);

#endif
