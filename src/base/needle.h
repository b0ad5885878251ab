/*
 * Finding a short text among many bytes, at about the speed of memory.
 *
 * A needle is 1 to NEEDLE_MAX places, each with the bytes that may stand there: one, a letter
 * in either case, or a class.  Immutable once made; from any thread.
 */
#ifndef TRAWL_BASE_NEEDLE_H
#define TRAWL_BASE_NEEDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NEEDLE_MAX = 32, NEEDLES_MAX = 8 };

struct byte_set {
	uint64_t bits[4];
};

static inline bool
byte_set_has(const struct byte_set *set, uint8_t byte)
{
	return set->bits[byte / 64] >> byte % 64 & 1;
}

static inline void
byte_set_add(struct byte_set *set, uint8_t byte)
{
	set->bits[byte / 64] |= UINT64_C(1) << byte % 64;
}

/* A place that is looked at first.  What may stand there, and perhaps more, is LOW to
 * LOW + SPAN once the bits of EITHER are set. */
struct needle_test {
	uint8_t place, either, low, span;
};

struct needle {
	struct byte_set at[NEEDLE_MAX];
	uint8_t length;
	struct needle_test tests[2];
};

/* One of several: none of them is in what has no needle of the set. */
struct needles {
	struct needle at[NEEDLES_MAX];
	size_t count;
};

/* LENGTH is at least 1; of more than NEEDLE_MAX places the first are taken, which whatever
 * contains all of them contains as well.  FOLD: whatever the case of ASCII letters. */
void needle_init(struct needle *, const char *bytes, size_t length, bool fold);

/* The same of sets, none of which is empty. */
void needle_init_sets(struct needle *, const struct byte_set *sets, size_t length);

/* Where the first one starts in P, or LENGTH if there is none. */
size_t needle_find(const struct needle *, const uint8_t *p, size_t length);

/* Whether one starts at P, where there are as many bytes. */
bool needle_is_at(const struct needle *, const uint8_t *p);

/* Whether P contains one of the set; true for a set of none. */
bool needles_are_in(const struct needles *, const uint8_t *p, size_t length);

/* A guess of the share of places in a log where one of a set starts; of none, it is above 1. */
double needles_share(const struct needles *);

#endif
