/*
 * Why are some pairs of an interval slow?
 *
 * Slow pairs are longer than the p90 of all lengths.  The search counts how many of them, and how
 * many of the others, have each candidate for a cause: an origin's context with a value, a pair of
 * another interval, a kind of message (origin, type, text with numbers masked, see compare_mask.h),
 * no such message, or a gap (no message of a trace for half of the window).  The message at the
 * begin of a pair is inside it, the one at the end is not.
 *
 * A long pair has more of everything by chance, and what comes late in it may be an effect.  So
 * slow pairs count only from their begin for as long as the others take on average, the window.
 * A message is missing only if the whole pair lacks it.
 *
 * A cause is a candidate that at least 5 % of the slow pairs have, 1.5 times as often as the
 * others, and by chance (Fisher's exact test) with a probability below 1 %, divided by the number
 * of candidates (Bonferroni).  The least probable comes first, then the one with the stronger lift:
 * how many times as often slow pairs have it.  A cause is unproven if the test fails when pairs
 * that get it at one time, from one message or one value of a context, count as one.  If the slow
 * pairs are too few for the test, candidates that all of them have are unproven, contexts first.
 *
 * Cost: O(log pairs) a message, however many pairs are open, and O(candidates x pairs) in all, as
 * a pair gets a candidate once; open pairs get it in blocks.  Memory: 100 bytes a pair, 150 a
 * candidate, 24 for each time at which slow pairs get it.  A search works in another thread.
 */
#ifndef TRAWL_QUERY_WHY_WHY_H
#define TRAWL_QUERY_WHY_WHY_H

#include "query/interval/intervals.h"

struct why;

/* Start a search.  The session must outlive it.  Its indexes and clocks must be complete. */
struct why *why_new(struct session *, size_t interval);
void why_free(struct why *); /* stops it; NULL is fine */

/* Return the number of causes, or SIZE_MAX and the progress in percent until the search has ended.
 * PERCENT NULL: wait.  The functions below are for a search that has ended. */
size_t why_count(struct why *, unsigned *percent);

/* Append a line for each remark: how pairs are compared, and all that limits the result. */
void why_describe(const struct why *, struct text *);

/* Append a cause: ` 12x  38 of 41 slow   12 of 370 others  context task loader`; with `?` after the
 * lift if unproven.  Not safe. */
void why_add_row(struct why *, size_t row, struct text *);

/* Find the next slow pair that has a cause, after pair *AT or, BACK, before it.  SIZE_MAX is before
 * the first.  Return false, with *AT unchanged, if there is none. */
bool why_step(const struct why *, size_t row, bool back, size_t *at, struct interval_message *);

/* Return the logarithm of the probability that by chance A or more of SLOW pairs have a mark that
 * A + B of all SLOW + OTHERS have: Fisher's exact test, one-sided. */
double why_log_p(uint64_t a, uint64_t slow, uint64_t b, uint64_t others);

#endif
