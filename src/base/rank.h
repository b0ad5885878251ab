/*
 * Numbers in their order, and percentiles by the nearest rank.
 */
#ifndef TRAWL_BASE_RANK_H
#define TRAWL_BASE_RANK_H

#include <stddef.h>
#include <stdint.h>

/* The rank, from 1, of the least of COUNT numbers that PERCENT % of them, 1 to 100, do not
 * exceed; of none 1. */
static inline uint64_t
rank_nearest(uint64_t count, unsigned percent)
{
	uint64_t rank = (uint64_t)(((unsigned __int128)count * percent + 99) / 100);
	return rank ? rank : 1;
}

/* Sorts numbers from the least; takes as much memory again. */
void rank_sort(uint64_t *numbers, size_t count);

#endif
