/*
 * Follows the processors of a trace through its program: messages in, steps of each processor
 * out.
 *
 * Belongs to one thread.
 */
#ifndef TRAWL_FLOW_FLOW_H
#define TRAWL_FLOW_FLOW_H

#include "flow/flow_code.h"
#include "flow/flow_hold.h"
#include "trace/reader.h"

struct flow;

/* Create a flow.  TAKE gets the steps of all processors, once they are proven or doubted
 * (flow_hold.h).  Return NULL with a reason and a remedy on error: the format is not followed,
 * or the program is missing or of another machine. */
struct flow *flow_new(struct trace *, flow_take *, void *context, struct err *);
void flow_free(struct flow *); /* NULL is fine */

/* True if a trace reports execution as ranges of instructions: its decoder has followed the
 * program. */
bool flow_has_elements(const struct trace *);

struct flow_code *flow_code_of(struct flow *);

/* Follow message NUMBER of the trace.  Pass all messages in order, as R reads them.  CHOSEN is
 * copied to the place of each step. */
void flow_message(struct flow *, struct reader *r, const struct message *, uint64_t number,
		  bool chosen);

/* Set the time that the places of the next steps get. */
void flow_set_time(struct flow *, const struct flow_time *);

/*
 * The state after a message, to go on from there: the walks, the held steps, and the newest
 * FLOW_STATE_FRAMES calls of each processor.  A flow of the same trace that restores it gives the
 * same steps as one that followed all messages.  If more calls than these return, steps may be
 * proven later.
 */
struct flow_state;
enum { FLOW_STATE_FRAMES = 256, FLOW_STATE_MOST = 1 << 20 /* bytes, about */ };

/* Save the state.  Return NULL if it would exceed FLOW_STATE_MOST.  *SIZE is its approximate
 * size in bytes. */
struct flow_state *flow_save(const struct flow *, size_t *size);
void flow_state_free(struct flow_state *); /* NULL is fine */

/* Restore a state and drop the held steps.  NULL restores the state after flow_new. */
void flow_restore(struct flow *, const struct flow_state *);

/* Give out all held steps, after the last message. */
void flow_end(struct flow *);

#endif
