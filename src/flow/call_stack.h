/*
 * The call stack of a processor, built from its steps.  A call or a trap pushes a frame, and the
 * return from it pops that frame.
 *
 * Returns are missed where unseen code runs, and then calls pile up.  If more than
 * CALL_STACK_UNSURE frames rest on such places, the stack is dropped as unknown.
 *
 * Belongs to one thread.  Memory: 16 bytes a frame, for at most CALL_STACK_MOST frames.  Calls
 * above that are only counted.
 */
#ifndef TRAWL_FLOW_CALL_STACK_H
#define TRAWL_FLOW_CALL_STACK_H

#include "base/vec.h"
#include "flow/flow_step.h"

enum { CALL_STACK_MOST = 1 << 16, CALL_STACK_UNSURE = 128 };

struct call_frame {
	uint64_t link; /* return address: after the call, or where the trap came */
	bool trap;
	bool known;  /* `link` is known, which some traps do not give */
	bool unsure; /* calls may be missing below it, as unseen code ran there */
};

/* Zero-initialise. */
struct call_stack {
	VEC(struct call_frame) frames; /* outermost first */
	size_t kept;		       /* frames that did not change since the user last set this */
	uint64_t above;		       /* calls newer than `frames`, beyond CALL_STACK_MOST */
	uint64_t below;		       /* calls older than `frames`, left out by call_stack_copy */
	unsigned places;	       /* number of `unsure` frames */
	bool unknown;		       /* the path was lost below `frames` */
	bool unseen;		       /* unseen code ran since the last run */
	bool ended;		       /* the trace was ended while that code ran */
	bool unsure;		       /* calls may be missing above the last frame */
	uint8_t last;		       /* enum insn_class of the last instruction executed */
	uint64_t link;		       /* address after that instruction */
};

void call_stack_free(struct call_stack *);

/* Copy a stack with its newest MOST frames into a zero-initialised one. */
void call_stack_copy(struct call_stack *, const struct call_stack *, size_t most);

/* Return the number of calls. */
static inline uint64_t
call_stack_depth(const struct call_stack *stack)
{
	return stack->below + stack->frames.count + stack->above;
}

/* Take the next step of the processor.  Return true if a return led to after its call. */
bool call_stack_step(struct call_stack *, const struct flow_step *);

#endif
