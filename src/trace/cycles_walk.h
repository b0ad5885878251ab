/*
 * Estimates times between timestamps from cycle counts.
 *
 * Program trace contains a timestamp now and then, but counts cycles all along. A
 * message between two timestamps of its processor is placed by its share of the
 * cycles between them. A message after the last timestamp is placed by the last
 * known rate of ticks per cycle. Nothing is measured across a loss or a restart of
 * the trace.
 *
 * Threads: a walk belongs to one.
 */
#ifndef TRAWL_TRACE_CYCLES_WALK_H
#define TRAWL_TRACE_CYCLES_WALK_H

#include "trace/reader.h"

/* Number of cells before and after a message's own in which to look for timestamps. */
enum { CYCLES_CELLS = 8 };

/* Estimated time of a message without a timestamp, in ticks of its trace. */
struct cycles_estimate {
	uint64_t ticks;
	/* timestamps before and after it: the bounds of its time; TO is UINT64_MAX if unknown */
	uint64_t from, to;
	bool known; /* false: the rest is not valid */
};

/* Return the largest possible error in ticks, one of them for the resolution of timestamps.
 * UINT64_MAX: unbounded. */
static inline uint64_t
cycles_error(const struct cycles_estimate *estimate)
{
	uint64_t before = estimate->ticks - estimate->from;
	uint64_t behind = estimate->to - estimate->ticks;
	if (estimate->to == UINT64_MAX)
		return UINT64_MAX;
	return (before > behind ? before : behind) + 1;
}

struct cycles_walk;

/* Create a walk. The trace's decoder must count cycles. */
struct cycles_walk *cycles_walk_new(struct trace *);
void cycles_walk_free(struct cycles_walk *);

/* Estimate the time of a message; false if there is no estimate. Walks its cell, unless that
 * was walked last. */
bool cycles_walk_find(struct cycles_walk *, const struct message *, struct cycles_estimate *);

/* Return the messages of a cell that is indexed or the next to be, and their estimates. Both
 * are valid until the next call. Messages with a timestamp have no estimate. */
const struct decoded_cell *cycles_walk_cell(struct cycles_walk *, uint64_t cell,
					    const struct cycles_estimate **);

#endif
