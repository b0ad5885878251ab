/*
 * Texts that cannot contain a search string, judged without making them.
 *
 * The texts of a format differ only in their conversions.  A verdict on the
 * format holds for all of them, so each format is judged once and its verdict
 * is kept.  A search string may lie partly in the format and partly in a
 * conversion: the verdict covers each way to split it.
 *
 * Threads: one at a time, like the filter that owns the verdicts.
 */
#ifndef TRAWL_DECODE_VERDICT_H
#define TRAWL_DECODE_VERDICT_H

#include "base/byte_map.h"
#include "base/needle.h"

enum verdict {
	VERDICT_UNKNOWN,   /* not judged yet */
	VERDICT_MAY,	   /* a text may contain a needle */
	VERDICT_ARGUMENTS, /* only a text argument may, as a whole */
	VERDICT_NEVER
};

/* Zero-initialise, then set `needles`. */
struct verdicts {
	const struct needles *needles;
	struct byte_map formats; /* verdicts by the bytes of a format */
};

void verdicts_free(struct verdicts *);

/* Return the verdict on a format.  JUDGE finds it the first time. */
enum verdict verdict_of(struct verdicts *, const char *format, size_t length,
			enum verdict (*judge)(const struct needles *, const char *format,
					      size_t length));

/* All texts that are made of some pieces.  Zero-initialise, set `needles`, add the pieces. */
struct verdict_walk {
	const struct needles *needles;
	/* for each needle: bit N is set if a text so far ends with its first N + 1 bytes */
	uint32_t open[NEEDLES_MAX];
	bool found; /* a text may contain a needle */
};

void verdict_add(struct verdict_walk *, const char *text, size_t length);

/* Add any number of some letters, or none. */
void verdict_add_letters(struct verdict_walk *, const char *letters);

/* Add any bytes that are searched by themselves: only needles that lie partly in them count. */
void verdict_add_unknown(struct verdict_walk *);

#endif
