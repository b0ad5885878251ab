/*
 * Holds steps back until they are proven, or found to be a guess.
 *
 * A wrong packet rarely shows at once: the walk takes another way, and packets and program
 * disagree only later.  So steps are given out when an address in a packet agrees with the
 * program: an address reached without a jump, or a return to after its call.  In a loop one may
 * agree by chance, as every turn leads there, so FLOW_HOLD_PROOFS more are needed.  The first one
 * after a synchronisation proves the steps before that synchronisation.  If packets and program
 * disagree first, all unproven steps are given out as `doubtful`, before the damage step.
 *
 * Belongs to one thread.  Memory: at most FLOW_HOLD_MOST steps; older ones are given out
 * unproven.
 */
#ifndef TRAWL_FLOW_FLOW_HOLD_H
#define TRAWL_FLOW_FLOW_HOLD_H

#include "flow/flow_step.h"

#include <stddef.h>

enum { FLOW_HOLD_MOST = 1 << 16, FLOW_HOLD_PROOFS = 16 };

/* Time at which a message was sent. */
struct flow_time {
	bool known, estimated;
	int64_t nanoseconds;
};

/* Message that a step comes from. */
struct flow_place {
	uint64_t number; /* in its trace */
	uint64_t origin;
	bool chosen;	       /* passed through for the receiver of the steps */
	struct flow_time time; /* as set by flow_set_time */
};

/* Gets the steps in the order in which they were added.  Both pointers are valid for the call
 * only. */
typedef void flow_take(void *context, const struct flow_place *, const struct flow_step *);

struct flow_hold;
struct flow_hold *flow_hold_new(flow_take *, void *context);
void flow_hold_free(struct flow_hold *); /* NULL is fine; drops the held steps */

/* Copy the held steps and the newest FRAMES calls of each processor.  flow_hold_size returns the
 * bytes of such a copy. */
struct flow_hold *flow_hold_copy(const struct flow_hold *, size_t frames, flow_take *,
				 void *context);
size_t flow_hold_size(const struct flow_hold *, size_t frames);

/* Add the next step of PROCESSOR.  Processors are numbered from 0, without gaps. */
void flow_hold_add(struct flow_hold *, unsigned processor, const struct flow_place *,
		   const struct flow_step *);

/* Give out all held steps unproven. */
void flow_hold_end(struct flow_hold *);

#endif
