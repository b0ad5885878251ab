/*
 * Finding a short text among many bytes, at about the speed of memory.
 *
 * A needle is 1 to NEEDLE_MAX bytes, whose ASCII letters may stand for either case.
 * Immutable once made; from any thread.
 */
#ifndef TRAWL_BASE_NEEDLE_H
#define TRAWL_BASE_NEEDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NEEDLE_MAX = 32, NEEDLES_MAX = 8 };

struct needle {
	uint8_t bytes[NEEDLE_MAX];  /* letters in lower case where they stand for both */
	uint8_t either[NEEDLE_MAX]; /* bits that are set before a byte is compared */
	uint8_t length;
	uint8_t rare[2]; /* places of the bytes that are looked for first */
};

/* One of several: none of them is in what has no needle of the set. */
struct needles {
	struct needle at[NEEDLES_MAX];
	size_t count;
};

/* LENGTH is at least 1; of more than NEEDLE_MAX bytes the first are taken, which whatever
 * contains all of them contains as well.  FOLD: whatever the case of ASCII letters. */
void needle_init(struct needle *, const char *bytes, size_t length, bool fold);

/* Where the first one starts in P, or LENGTH if there is none. */
size_t needle_find(const struct needle *, const uint8_t *p, size_t length);

/* Whether one starts at P, where there are as many bytes. */
bool needle_is_at(const struct needle *, const uint8_t *p);

/* Whether P contains one of the set; true for a set of none. */
bool needles_are_in(const struct needles *, const uint8_t *p, size_t length);

#endif
