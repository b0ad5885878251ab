/*
 * The calls that a processor is in, out of its steps: a call puts a frame on the stack, a
 * return takes it off, a trap and the return from it likewise.
 *
 * Belongs to one thread.  Memory: 16 bytes a frame, of CALL_STACK_MOST at most; those above
 * are only counted.
 */
#ifndef TRAWL_FLOW_CALL_STACK_H
#define TRAWL_FLOW_CALL_STACK_H

#include "base/vec.h"
#include "flow/flow_step.h"

enum { CALL_STACK_MOST = 1 << 16 };

struct call_frame {
	uint64_t link; /* where it returns to: behind the call, or where the trap came */
	bool trap;
	bool known; /* `link` is: not of each trap */
};

/* Zero-initialise. */
struct call_stack {
	VEC(struct call_frame) frames; /* the outermost first */
	size_t kept;	/* the first of them that did not change since its user set this */
	uint64_t above; /* that are not in `frames` */
	bool unknown;	/* what `frames` stand on: the path was lost before */
	uint8_t last;	/* enum riscv_class, of what was executed last */
	uint64_t link;	/* the address behind it */
};

void call_stack_free(struct call_stack *);

/* Takes the next step of the processor; true: a return led to behind the call that it
 * belongs to. */
bool call_stack_step(struct call_stack *, const struct flow_step *);

#endif
