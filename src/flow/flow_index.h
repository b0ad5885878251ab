/*
 * Follows the processors of a trace once in the background, and keeps checkpoints to go on from.
 *
 * A worker follows all messages in order, up to the edge of the trace's index.  At the beginning
 * of cells it keeps a checkpoint: the walks and the stacks.  Of the steps only the tree of calls
 * (flow_tree.h) and the counts are kept.  Memory: at most FLOW_INDEX_MOST bytes for checkpoints.
 * Beyond that every other checkpoint is dropped, and more has to be followed again.
 *
 * Threads: the owner's, unless a comment says otherwise.
 */
#ifndef TRAWL_FLOW_FLOW_INDEX_H
#define TRAWL_FLOW_FLOW_INDEX_H

#include "flow/flow.h"
#include "flow/flow_frames.h"
#include "flow/flow_tree.h"

enum { FLOW_INDEX_MOST = 64 << 20 };

struct flow_index;

/* Finds the time of messages, in the worker's thread. */
struct flow_timer {
	void (*begin)(void *context); /* called when following starts over; NULL: no times */
	struct flow_time (*find)(void *context, const struct message *);
	void *context;
	unsigned ahead; /* cells that must be indexed after the cell of the message */
};

/* Start to follow TRACE and notify its host of progress.  Return NULL with a reason, as
 * flow_new. */
struct flow_index *flow_index_new(struct trace *, const struct flow_timer *, struct err *);
void flow_index_free(struct flow_index *); /* stops the worker; NULL is fine */

/* Wake the worker, after the trace's index or capture grew.  Any thread. */
void flow_index_wake(struct flow_index *);

/* Stop the worker, then follow all indexed cells in the caller's thread. */
void flow_index_build(struct flow_index *);

/* Make the tree count times, too, which costs up to as much again.  Follow the trace again if
 * times were not counted yet.  Any thread. */
void flow_index_want_times(struct flow_index *);

/* Return the epoch, which goes up when more is followed or the tree was replaced.  A new tree
 * numbers its functions differently.  A caller that keeps numbers compares the epoch while it
 * holds the tree.  Any thread. */
unsigned flow_index_generation(const struct flow_index *);

/* Return the number of followed cells.  Any thread. */
uint64_t flow_index_known(const struct flow_index *);

/* True if all current cells of the trace are followed, with times if they are wanted.  Any
 * thread. */
bool flow_index_is_whole(const struct flow_index *);

/* Lock and return the tree of calls (flow_tree.h) of all cells followed so far.  It does not
 * change until it is released.  Any thread. */
const struct flow_tree *flow_index_hold(struct flow_index *);
void flow_index_release(struct flow_index *);

/* Return how often the instruction at ADDRESS was executed so far, in any memory that has one
 * there.  *MORE is true if some runs were not counted.  Any thread. */
uint64_t flow_index_count(struct flow_index *, uint64_t address, bool *more);

/* Restore FLOW and STACKS, of the same trace, from the last checkpoint up to CELL.  Return the
 * cell to follow first.  Any thread. */
uint64_t flow_index_restore(struct flow_index *, uint64_t cell, struct flow *,
			    struct flow_stacks *);

#endif
