/*
 * Texts that cannot contain a search string, judged without making them.
 *
 * The texts of a format differ only in their conversions.  Add the pieces of the format in order:
 * its own bytes, and for each conversion the letters that it can make.  A search string may lie
 * partly in one piece and partly in others: each way to split it counts.
 */
#ifndef TRAWL_DECODE_PIECES_H
#define TRAWL_DECODE_PIECES_H

#include "base/needle.h"

/* All texts that are made of some pieces.  Zero-initialise, set `needles`, add the pieces. */
struct text_pieces {
	const struct needles *needles;
	/* for each needle: bit N is set if a text so far ends with its first N + 1 bytes */
	uint32_t open[NEEDLES_MAX];
	bool found; /* a text may contain a needle */
};

void pieces_add(struct text_pieces *, const char *text, size_t length);

/* Add any number of some letters, or none. */
void pieces_add_letters(struct text_pieces *, const char *letters);

/* Add one byte of any value, or none. */
void pieces_add_any(struct text_pieces *);

/* Add any bytes that are searched by themselves: only needles that lie partly in them count. */
void pieces_add_unknown(struct text_pieces *);

/* Allow the texts of OTHER as well.  Both have the same needles. */
void pieces_join(struct text_pieces *, const struct text_pieces *other);

#endif
