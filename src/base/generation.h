/*
 * Generations: counters that say something changed.
 *
 * Whoever owns what changes counts up.  Whoever keeps something made from it keeps
 * the number of the generation that it was made at, and makes it anew when that is
 * another.  What rests on several things keeps one number, their sum: no generation
 * ever goes down, so the sum of the same ones is the same only if none changed.
 *
 * Numbers begin at 1; so 0, as in zeroed memory, is of nothing that was made.
 *
 * Threads: any.  A change is counted after it was made, and a number is read before
 * what is made from it.
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

/* Whether NOW is another than *SEEN, which it becomes. */
static inline bool
generation_renew(unsigned *seen, unsigned now)
{
	bool changed = *seen != now;
	*seen = now;
	return changed;
}

#endif
