/*
 * Random numbers for tests and captures: the same everywhere, from a seed that
 * moves on with each.  testdata/ is made of them, so the sequence is for ever.
 */
#ifndef TRAWL_TESTS_RANDOM_H
#define TRAWL_TESTS_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* splitmix64 (Steele, Lea, Flood 2014). */
static inline uint64_t
random_next(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* 0 .. n - 1, and 0 of 0; n is at most 2^32. */
static inline uint32_t
random_below(uint64_t *seed, size_t n)
{
	return (uint32_t)((random_next(seed) >> 32) * n >> 32);
}

#endif
