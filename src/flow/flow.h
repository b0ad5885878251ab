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

/* Behind the last message: gives out what is held. */
void flow_end(struct flow *);

#endif
