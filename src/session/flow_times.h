/*
 * When messages were sent, for what follows the processors of a trace: their times on the
 * session's clock, or those that cycles tell.
 *
 * Belongs to one thread.
 */
#ifndef TRAWL_SESSION_FLOW_TIMES_H
#define TRAWL_SESSION_FLOW_TIMES_H

#include "flow/flow_hold.h"
#include "trace/cycles_walk.h"

struct flow_times {
	struct trace *trace;
	struct cycles_walk *cycles; /* or NULL */
	bool has_part;		    /* there was a time; only times of its part can be compared */
	size_t part;
};

/* CYCLES may be NULL, and is freed by flow_times_end. */
void flow_times_begin(struct flow_times *, struct trace *, struct cycles_walk *cycles);
void flow_times_end(struct flow_times *);

struct flow_time flow_times_find(struct flow_times *, struct message);

#endif
