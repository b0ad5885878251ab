/*
 * Epochs: counters that go up when something changes.
 *
 * The owner of the data counts up.  A cache stores the epoch of its source data, and is made again
 * when the epoch differs.  A cache of several data stores the sum of their epochs.  That is sound
 * because no epoch goes down: an equal sum means that none changed.
 *
 * Numbers begin at 1, so the 0 of zeroed memory never matches.
 *
 * Threads: any.  Count a change after making it.  Read the number before reading the data.
 */
#ifndef TRAWL_BASE_GENERATION_H
#define TRAWL_BASE_GENERATION_H

#include <stdatomic.h>
#include <stdbool.h>

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
generation_renew(unsigned *seen, unsigned now)
{
	bool changed = *seen != now;
	*seen = now;
	return changed;
}

#endif
