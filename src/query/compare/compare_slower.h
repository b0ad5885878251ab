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
	const struct compare_stream *good; /* borrowed */
	struct compare_stream *bad;	   /* the same */
	compare_runs runs;		   /* in order; A is in GOOD */
	size_t before; /* messages of GOOD before the current differences */
};

struct compare_delay {
	size_t stream;	 /* index in the aligned origins */
	size_t a, b;	 /* position in GOOD and BAD */
	int64_t took[2]; /* ns since the predecessor in GOOD, the slowest, and BAD */
	uint64_t runs;	 /* number of good runs with that step */
	uint64_t with;	 /* number of further origins with the same delay */
};
typedef VEC(struct compare_delay) compare_delays;

/* Add a good run to the spans of BAD. */
void compare_add_spans(const struct compare_aligned *, size_t count);

/* Append the delays that took FACTOR times as long and LEAST ns longer, in order of time. With
 * several good RUNS more than half of them have the step. It took longer than in all: by LEAST, by
 * their spread, and by FACTOR times the usual excess: the second largest time by which the slowest
 * run of a step of the origin exceeds the second one. */
void compare_find_delays(const struct compare_aligned *, size_t count, double factor, int64_t least,
			 size_t runs, compare_delays *);

#endif
