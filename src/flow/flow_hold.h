/*
 * Steps are held back until they are proven, or found to be a guess.
 *
 * A wrong packet is rarely seen to be wrong where it stands: the walk goes another way, and
 * packets and program disagree only later.  So steps are given out when addresses in packets
 * are those that the program leads to: an address that is come to without a jump, a return to
 * behind its call.  In a loop one of these fits by chance, as any turn leads there, so
 * FLOW_HOLD_PROOFS more of them prove it; what lies before a synchronisation is proven by the
 * first one behind it.  Where packets and program disagree before that, all since what is proven
 * is given out as `doubtful`, before the step that says so.
 *
 * Belongs to one thread.  Memory: FLOW_HOLD_MOST steps at most; what is older is given out
 * as it is.
 */
#ifndef TRAWL_FLOW_FLOW_HOLD_H
#define TRAWL_FLOW_FLOW_HOLD_H

#include "flow/flow_step.h"

#include <stddef.h>

enum { FLOW_HOLD_MOST = 1 << 16, FLOW_HOLD_PROOFS = 16 };

/* When a message was sent. */
struct flow_time {
	bool known, estimated;
	int64_t nanoseconds;
};

/* The message by which a step is known. */
struct flow_place {
	uint64_t number; /* in its trace */
	uint64_t origin;
	bool chosen;	       /* for whoever gets the steps */
	struct flow_time time; /* if it was told (flow_set_time) */
};

/* Gets steps in the order in which they were held; both live for the call. */
typedef void flow_take(void *context, const struct flow_place *, const struct flow_step *);

struct flow_hold;
struct flow_hold *flow_hold_new(flow_take *, void *context);
void flow_hold_free(struct flow_hold *); /* NULL is fine; what is held is not given out */

/* Another one that holds the same, with the newest FRAMES calls of each processor, and what
 * it takes in bytes. */
struct flow_hold *flow_hold_copy(const struct flow_hold *, size_t frames, flow_take *,
				 void *context);
size_t flow_hold_size(const struct flow_hold *, size_t frames);

/* Takes the next step of PROCESSOR, which are numbered from 0, all used up to there. */
void flow_hold_add(struct flow_hold *, unsigned processor, const struct flow_place *,
		   const struct flow_step *);

/* Gives out all that is held, as it is. */
void flow_hold_end(struct flow_hold *);

#endif
