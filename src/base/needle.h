/*
 * Finding a short string among many bytes, at about the speed of memory.
 *
 * A needle has 1 to NEEDLE_MAX places.  Each has a set of allowed bytes: a single byte, a letter
 * in either case, or a class.  Immutable after its init; any thread may use it.
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

/* A place that the search compares first.  The test accepts a byte if it is LOW to LOW + SPAN
 * after setting the bits of EITHER.  It accepts every allowed byte of the place, perhaps more. */
struct needle_test {
	uint8_t place, either, low, span;
};

struct needle {
	uint32_t places[256]; /* for each byte: bit N is set if place N allows it */
	uint8_t length;
	struct needle_test tests[2];
};

/* Alternative needles.  Bytes without a needle cannot match. */
struct needles {
	struct needle at[NEEDLES_MAX];
	size_t count;
};

/* Set up a needle.  LENGTH is at least 1.  Only the first NEEDLE_MAX bytes count, so longer
 * strings may match too often, but never too seldom.  FOLD ignores the case of ASCII letters. */
void needle_init(struct needle *, const char *bytes, size_t length, bool fold);

/* Same from one set of bytes for each place.  No set may be empty. */
void needle_init_sets(struct needle *, const struct byte_set *sets, size_t length);

/* Return the bytes that a place of the needle allows. */
struct byte_set needle_place(const struct needle *, size_t place);

/* Return the offset of the first match in P, or LENGTH if none exists. */
size_t needle_find(const struct needle *, const uint8_t *p, size_t length);

/* True if the needle is at P, which must have enough bytes. */
bool needle_is_at(const struct needle *, const uint8_t *p);

/* True if P contains one of the needles, or if the set is empty. */
bool needles_are_in(const struct needles *, const uint8_t *p, size_t length);

/* Estimate the share of places in a log where one of the needles starts.  Above 1 for an empty
 * set. */
double needles_share(const struct needles *);

#endif
