/*
 * How far the processors of a trace are followed, and from where to go on.
 *
 * A worker follows all messages once, in order, behind the index of the trace, and keeps at
 * the beginning of cells all that it takes to go on from there: the walks and the stacks.
 * Nothing is kept of a step but what a tree of calls counts (flow_tree.h).  Memory: beside that
 * FLOW_INDEX_MOST bytes at most; where it would be more, every other place is dropped, so that
 * more has to be followed again.
 *
 * Threads: the owner's, unless it says otherwise.
 */
#ifndef TRAWL_FLOW_FLOW_INDEX_H
#define TRAWL_FLOW_FLOW_INDEX_H

#include "flow/flow.h"
#include "flow/flow_frames.h"
#include "flow/flow_tree.h"

enum { FLOW_INDEX_MOST = 64 << 20 };

struct flow_index;

/* Who finds out when messages were sent, in the thread of the worker. */
struct flow_timer {
	void (*begin)(void *context); /* from the first message on, again if times changed; NULL:
					 nobody does */
	struct flow_time (*find)(void *context, const struct message *);
	void *context;
	unsigned ahead; /* cells that have to be indexed behind that of the message */
};

/* Begins to follow TRACE, and tells its host of news.  NULL with a reason: see flow_new. */
struct flow_index *flow_index_new(struct trace *, const struct flow_timer *, struct err *);
void flow_index_free(struct flow_index *); /* stops it; NULL is fine */

/* The trace's index went on, or its capture grew; from any thread. */
void flow_index_wake(struct flow_index *);

/* Follows all that is indexed in the caller's thread, and no more. */
void flow_index_build(struct flow_index *);

/* Has the tree of calls count times too, which costs up to as much again: all is followed anew,
 * if they are not counted yet.  Any thread. */
void flow_index_want_times(struct flow_index *);

/* Counts up when more is known, and when the tree of calls is another one, whose functions have
 * other numbers: who keeps some of them compares this while the tree is held.  Any thread. */
unsigned flow_index_generation(const struct flow_index *);

/* How many cells of the trace are followed: those before this one.  Any thread. */
uint64_t flow_index_known(const struct flow_index *);

/* Whether all cells of the trace that there are now are followed, with times if they are
 * wanted.  Any thread. */
bool flow_index_is_whole(const struct flow_index *);

/* Which functions were called in which, in what is followed so far (flow_tree.h); nothing
 * changes in it until it is given back.  Any thread. */
const struct flow_tree *flow_index_hold(struct flow_index *);
void flow_index_release(struct flow_index *);

/* How often the instruction at ADDRESS was executed, in what is followed so far; of any
 * memory that has one there; *MORE: perhaps more often.  Any thread. */
uint64_t flow_index_count(struct flow_index *, uint64_t address, bool *more);

/* Has a flow of the same trace, and stacks, go on from the last place that is kept up to the
 * begin of CELL; the cell that is to be given first.  Any thread. */
uint64_t flow_index_restore(struct flow_index *, uint64_t cell, struct flow *,
			    struct flow_stacks *);

#endif
