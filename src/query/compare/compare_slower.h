/*
 * Which messages of aligned origins come later in BAD than in GOOD, after the aligned one
 * before: see compare.h.
 */
#ifndef TRAWL_QUERY_COMPARE_COMPARE_SLOWER_H
#define TRAWL_QUERY_COMPARE_COMPARE_SLOWER_H

#include "query/compare/compare_align.h"
#include "query/compare/compare_side.h"

/* An origin of both runs, or of one: the other is NULL, and there are no runs. */
struct compare_aligned {
	const struct compare_stream *good, *bad; /* borrowed */
	compare_runs runs;			 /* in order; A is of GOOD */
	size_t before; /* messages of GOOD before those that are looked at */
};

struct compare_delay {
	size_t stream;	 /* of those that are aligned */
	size_t a, b;	 /* the message in both */
	int64_t took[2]; /* ns since the one before, in GOOD and BAD */
	uint64_t with;	 /* further origins that the same delay stops */
};
typedef VEC(struct compare_delay) compare_delays;

/* Appends those that took FACTOR times as long, and LEAST ns longer, in order of time. */
void compare_find_delays(const struct compare_aligned *, size_t count, double factor, int64_t least,
			 compare_delays *);

#endif
