/*
 * What the processors of a trace executed: its messages in, steps of each processor out.
 *
 * Belongs to one thread.
 */
#ifndef TRAWL_FLOW_FLOW_H
#define TRAWL_FLOW_FLOW_H

#include "flow/flow_code.h"
#include "flow/flow_hold.h"
#include "trace/reader.h"

struct flow;

/* TAKE gets the steps of all processors, once they are proven or doubted: flow_hold.h.  NULL
 * with a reason and what to do: the format says nothing of the flow, there is no program, or
 * it is of another machine. */
struct flow *flow_new(struct trace *, flow_take *, void *context, struct err *);
void flow_free(struct flow *); /* NULL is fine */

/* The program's code. */
struct flow_code *flow_code_of(struct flow *);

/* Follows message NUMBER of the trace: all are to be given, in order, as R reads them.  CHOSEN
 * goes to the place of its steps. */
void flow_message(struct flow *, struct reader *r, const struct message *, uint64_t number,
		  bool chosen);

/* When the messages that follow were sent, for the places of their steps. */
void flow_set_time(struct flow *, const struct flow_time *);

/*
 * All that is known behind a message, to go on from there: the walks, what is held, and the
 * newest FLOW_STATE_FRAMES calls of each processor.  A flow of the same trace that it is put
 * into gives the same steps from there on as one that followed all messages; but where more
 * calls than these return, what is proven may be so later.
 */
struct flow_state;
enum { FLOW_STATE_FRAMES = 256, FLOW_STATE_MOST = 1 << 20 /* bytes, about */ };

/* NULL: it would be more than FLOW_STATE_MOST.  *SIZE: in bytes, about. */
struct flow_state *flow_save(const struct flow *, size_t *size);
void flow_state_free(struct flow_state *); /* NULL is fine */

/* What is held is dropped; NULL: nothing is known, as behind flow_new. */
void flow_restore(struct flow *, const struct flow_state *);

/* Behind the last message: gives out what is held. */
void flow_end(struct flow *);

#endif
