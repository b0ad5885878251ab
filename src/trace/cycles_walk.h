/*
 * Times between times, by the cycles that a processor counted.
 *
 * Program trace has a time now and then and counts cycles all along.  A message
 * between two times of its processor lies as far between them as its cycles do; one
 * that no time follows is as far behind the last as the cycles since then took
 * before.  Across a loss, or where trace began again, nothing is measured.
 *
 * Threads: a walk belongs to one.
 */
#ifndef TRAWL_TRACE_CYCLES_WALK_H
#define TRAWL_TRACE_CYCLES_WALK_H

#include "trace/reader.h"

/* In how many cells before and after a message's own its two times are looked for. */
enum { CYCLES_CELLS = 8 };

/* When a message without a time was sent, in ticks of its trace. */
struct cycles_estimate {
	uint64_t ticks;
	uint64_t from, to; /* the times before and after it: it was not sent earlier,
			      nor later; TO is UINT64_MAX where none is known */
	bool known;	   /* else the rest is not valid */
};

/* How many ticks it may be off, of which one is lost in the telling of times;
 * UINT64_MAX: nothing limits that. */
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

/* Of a trace whose decoder counts cycles. */
struct cycles_walk *cycles_walk_new(struct trace *);
void cycles_walk_free(struct cycles_walk *);

/* The estimate for a message; false: there is none.  Its cell is walked if it is not
 * the last one that was. */
bool cycles_walk_find(struct cycles_walk *, const struct message *, struct cycles_estimate *);

/* The messages of a cell that is indexed, or of the next, and an estimate for each of them;
 * both until the next call.  Messages that tell a time have none. */
const struct decoded_cell *cycles_walk_cell(struct cycles_walk *, uint64_t cell,
					    const struct cycles_estimate **);

#endif
