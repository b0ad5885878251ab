/*
 * STP streams written by hand, for tests: nibbles in the order in which they
 * are sent, as hexadecimal digits; blanks do not count, a | marks a place.
 */
#ifndef TRAWL_TESTS_UNIT_NIBBLES_H
#define TRAWL_TESTS_UNIT_NIBBLES_H

#include "base/bytes.h"
#include "base/vec.h"

struct nibbles {
	VEC(uint8_t) bytes; /* low nibble first */
	uint64_t count;
	VEC(uint64_t) marks;
};

#define ASYNC "FFFFFFFFFF FFFFFFFFFF F0 "

static inline void
nibbles_put(struct nibbles *n, unsigned nibble)
{
	if (n->count % 2)
		n->bytes.at[n->count / 2] |= (uint8_t)(nibble << 4);
	else
		*vec_add(&n->bytes) = (uint8_t)nibble;
	n->count++;
}

static inline void
nibbles_add(struct nibbles *n, const char *digits)
{
	for (; *digits; digits++) {
		if (*digits == '|')
			*vec_add(&n->marks) = n->count;
		else if (*digits != ' ')
			nibbles_put(n, (unsigned)bytes_hex_digit((unsigned char)*digits));
	}
}

/* NULL up to nibble COUNT. */
static inline void
nibbles_fill(struct nibbles *n, uint64_t count)
{
	while (n->count < count)
		nibbles_put(n, 0);
}

static inline void
nibbles_free(struct nibbles *n)
{
	vec_free(&n->bytes);
	vec_free(&n->marks);
	n->count = 0;
}

#endif
