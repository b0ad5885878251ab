/*
 * Find messages of aligned origins that come later after their aligned predecessor
 * in BAD than in GOOD: see compare.h.
 */
#ifndef TRAWL_QUERY_COMPARE_COMPARE_SLOWER_H
#define TRAWL_QUERY_COMPARE_COMPARE_SLOWER_H

#include "query/compare/compare_align.h"
#include "query/compare/compare_side.h"

/* An origin of both runs. If only one run has it, the other is NULL and there are no runs. */
struct compare_aligned {
	const struct compare_stream *good, *bad; /* borrowed */
	compare_runs runs;			 /* in order; A is in GOOD */
	size_t before; /* messages of GOOD before the current differences */
};

struct compare_delay {
	size_t stream;	 /* index in the aligned origins */
	size_t a, b;	 /* position in GOOD and BAD */
	int64_t took[2]; /* ns since the predecessor in GOOD and BAD */
	uint64_t with;	 /* number of further origins with the same delay */
};
typedef VEC(struct compare_delay) compare_delays;

/* Append the delays that took FACTOR times as long and LEAST ns longer, in order of time. */
void compare_find_delays(const struct compare_aligned *, size_t count, double factor, int64_t least,
			 compare_delays *);

#endif
