/*
 * Epochs: counters that go up when something changes.
 *
 * The owner of the data counts up.  A cache stores the epoch of its source data, and is made again
 * when the epoch differs.  A cache of several data stores generation_join() of their epochs, and
 * of other numbers and flags that it depends on.
 *
 * Numbers begin at 1, so the 0 of zeroed memory never matches.
 *
 * Threads: any.  Count a change after making it.  Read the number before reading the data.
 */
#ifndef TRAWL_BASE_GENERATION_H
#define TRAWL_BASE_GENERATION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GENERATION_FIRST = 1 };

struct generation {
	atomic_uint changes;
};

static inline unsigned
generation_now(const struct generation *generation)
{
	return atomic_load(&generation->changes) + GENERATION_FIRST;
}

static inline void
generation_bump(struct generation *generation)
{
	atomic_fetch_add(&generation->changes, 1);
}

/* Store NOW in *SEEN.  Return true if it differs from the old value. */
static inline bool
generation_renew(uint64_t *seen, uint64_t now)
{
	bool changed = *seen != now;
	*seen = now;
	return changed;
}

/* Each step is a bijection of either side.  So if one number changes, the result does.  If several
 * do, it stays the same in one of 2^64 cases. */
static inline uint64_t
generation_mix(const uint64_t *numbers, size_t count)
{
	uint64_t mixed = 0;
	for (size_t i = 0; i < count; i++)
		mixed = (mixed ^ mixed >> 32) * UINT64_C(0x9e3779b97f4a7c15) + numbers[i];
	return mixed;
}

/* Join several numbers into one, which is equal only if all are equal. */
#define generation_join(...)                                                                       \
	generation_mix((const uint64_t[]){__VA_ARGS__},                                            \
		       sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

#endif
