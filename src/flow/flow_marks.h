/*
 * What a row of a list says of the flow: how deep in calls a message is, and where what it
 * executed went.
 */
#ifndef TRAWL_FLOW_FLOW_MARKS_H
#define TRAWL_FLOW_FLOW_MARKS_H

#include "flow/flow_look.h"

/* How the last step of a message ended. */
enum flow_exit {
	FLOW_EXIT_NONE,	  /* no jump */
	FLOW_EXIT_PASSED, /* a jump that was not taken */
	FLOW_EXIT_TAKEN,  /* one that was, or a trap, or the return from one */
	FLOW_EXIT_UNKNOWN /* a branch, behind which it is not known what came */
};

struct flow_mark {
	bool any;	 /* the message has steps */
	bool doubtful;	 /* one of them is */
	bool has_target; /* of what was taken */
	uint8_t exit;	 /* enum flow_exit */
	uint64_t depth;	 /* calls behind the message, as of call_stack_depth */
	uint64_t target; /* address, of: */
	uint16_t space;
};

/* Fills MARKS of COUNT messages from number FIRST on, which is in CELL.  A target that comes
 * more than LOOK_AHEAD messages behind the last of them is not known. */
void flow_marks_read(struct flow_looker *, struct reader *, uint64_t cell, uint64_t first,
		     size_t count, struct flow_mark *marks);

#endif
