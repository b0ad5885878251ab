/*
 * Sorting numbers, and percentiles by the nearest rank.
 */
#ifndef TRAWL_BASE_RANK_H
#define TRAWL_BASE_RANK_H

#include <stddef.h>
#include <stdint.h>

/* Return the rank, from 1, of a percentile of COUNT numbers.  That is the least number that at
 * least PERCENT % (1 to 100) do not exceed.  Return 1 if COUNT is 0. */
static inline uint64_t
rank_nearest(uint64_t count, unsigned percent)
{
	uint64_t rank = (uint64_t)(((unsigned __int128)count * percent + 99) / 100);
	return rank ? rank : 1;
}

/* Sort numbers in rising order.  Needs as much memory again. */
void rank_sort(uint64_t *numbers, size_t count);

#endif
