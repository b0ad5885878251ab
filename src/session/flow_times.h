/*
 * The send times of messages for code that follows the processors of a trace: on
 * the session's clock, or derived from cycle counts.
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
	bool has_part;		    /* a time was found; only times of its part are
				       comparable */
	size_t part;
};

/* CYCLES may be NULL; flow_times_end() frees it. */
void flow_times_begin(struct flow_times *, struct trace *, struct cycles_walk *cycles);
void flow_times_end(struct flow_times *);

struct flow_time flow_times_find(struct flow_times *, struct message);

#endif
