/*
 * Fisher's exact test of a 2x2 table, one-sided.
 */
#ifndef TRAWL_QUERY_WHY_FISHER_H
#define TRAWL_QUERY_WHY_FISHER_H

#include <stdint.h>

/* Return the natural logarithm of the probability that chance alone gives A or more of SLOW a
 * mark that A + B of the SLOW + OTHERS have.  A is at most SLOW and B at most OTHERS.  The result
 * is exact to about nine digits, and finite where the probability itself is too small. */
double fisher_log_p(uint64_t a, uint64_t slow, uint64_t b, uint64_t others);

#endif
