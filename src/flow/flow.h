/*
 * What the processors of a trace executed: its messages in, steps of each processor out.
 *
 * Belongs to one thread.
 */
#ifndef TRAWL_FLOW_FLOW_H
#define TRAWL_FLOW_FLOW_H

#include "flow/flow_code.h"
#include "flow/flow_step.h"
#include "trace/reader.h"

struct flow;

/* Gets each step of M's processor, which lives for the call. */
typedef void flow_take(void *context, const struct message *m, const struct flow_step *);

/* NULL with a reason and what to do: the format says nothing of the flow, there is no
 * program, or it is of another machine. */
struct flow *flow_new(struct trace *, flow_take *, void *context, struct err *);
void flow_free(struct flow *); /* NULL is fine */

/* The program's code. */
struct flow_code *flow_code_of(struct flow *);

/* Follows the next message of the trace: all are to be given, in order, as R reads them. */
void flow_message(struct flow *, struct reader *r, const struct message *);

#endif
