/*
 * Aligning two sequences of tokens: which of one are which of the other, in order.
 *
 * What is equal at the head and at the tail goes first.  The rest is aligned with the
 * fewest differences (Myers' algorithm) while these are few, else it is divided at tokens,
 * or runs of tokens, that either has once (patience), and where there are none, aligned
 * piece by piece with few differences each.  Work is proportional to the lengths, whatever
 * they hold; memory of the same order, while it runs.
 *
 * Threads: any.
 */
#ifndef TRAWL_QUERY_COMPARE_COMPARE_ALIGN_H
#define TRAWL_QUERY_COMPARE_COMPARE_ALIGN_H

#include "base/vec.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* COUNT tokens from A on in one sequence are those from B on in the other. */
struct compare_run {
	size_t a, b, count;
};
typedef VEC(struct compare_run) compare_runs;

/* Appends the runs, in order; neighbours that touch in both are one.  False if *STOP
 * (may be NULL) was set meanwhile. */
bool compare_align(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count,
		   const atomic_bool *stop, compare_runs *);

#endif
