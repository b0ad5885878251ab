/*
 * Fills the flow columns of the list: the call depth at a message, and where its last jump went.
 */
#ifndef TRAWL_FLOW_FLOW_MARKS_H
#define TRAWL_FLOW_FLOW_MARKS_H

#include "flow/flow_look.h"

/* How the last step of a message ended. */
enum flow_exit {
	FLOW_EXIT_NONE,	  /* no jump */
	FLOW_EXIT_PASSED, /* a jump that was not taken */
	FLOW_EXIT_TAKEN,  /* a jump that was taken, a trap, or a return from one */
	FLOW_EXIT_UNKNOWN /* a branch with an unknown outcome */
};

struct flow_mark {
	bool any;	 /* the message has steps */
	bool doubtful;	 /* one of its steps is doubtful */
	bool has_target; /* `target` is known */
	uint8_t exit;	 /* enum flow_exit */
	uint64_t depth;	 /* call_stack_depth after the message */
	uint64_t target; /* address in `space` */
	uint16_t space;
};

/* Fill MARKS of COUNT messages from number FIRST on, which is in CELL.  A target that is more
 * than LOOK_AHEAD messages after the last of them stays unknown. */
void flow_marks_read(struct flow_looker *, struct reader *, uint64_t cell, uint64_t first,
		     size_t count, struct flow_mark *marks);

#endif
