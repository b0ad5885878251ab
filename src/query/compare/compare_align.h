/*
 * Align two sequences of tokens: find the equal tokens, in order.
 *
 * Equal tokens at both ends are removed first. Myers' algorithm then finds the
 * fewest differences, if they are few. Otherwise the range is divided at tokens, or
 * runs of tokens, that each side has exactly once (patience). If none exist, the
 * range is aligned piece by piece, with few differences each. The work is
 * proportional to the lengths, whatever the tokens are, and so is the memory while
 * it runs.
 *
 * Threads: any.
 */
#ifndef TRAWL_QUERY_COMPARE_COMPARE_ALIGN_H
#define TRAWL_QUERY_COMPARE_COMPARE_ALIGN_H

#include "base/vec.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* COUNT tokens from A on in one sequence equal those from B on in the other. */
struct compare_run {
	size_t a, b, count;
};
typedef VEC(struct compare_run) compare_runs;

/* Append the runs, in order; runs that touch in both sequences are joined. Return false if *STOP
 * (may be NULL) was set in the meantime. */
bool compare_align(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count,
		   const atomic_bool *stop, compare_runs *);

/*
 * Improve an alignment of A and B by the exact tokens of the same messages: equal exact tokens
 * imply equal tokens. Exact tokens that each side has exactly once make another alignment.
 * Between the places where both agree, it replaces the first if it has no fewer pairs, more exact
 * ones and an exact partner for each message that had one. Return false if *STOP (may be NULL) was
 * set in the meantime.
 */
bool compare_align_exact(const uint64_t *a, const uint64_t *exact_a, size_t a_count,
			 const uint64_t *b, const uint64_t *exact_b, size_t b_count,
			 const atomic_bool *stop, compare_runs *);

#endif
