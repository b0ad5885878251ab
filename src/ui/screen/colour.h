/*
 * Colours as themes name them, and their substitutes on terminals with fewer
 * colours.
 */
#ifndef TRAWL_UI_COLOUR_H
#define TRAWL_UI_COLOUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text;

enum colour_kind {
	COLOUR_OWN,	/* the terminal's default */
	COLOUR_PALETTE, /* an entry of its palette */
	COLOUR_RGB
};

struct colour {
	enum colour_kind kind;
	uint32_t value; /* 0..255, or 0xrrggbb */
};

/* Parse `default`, `red`, `bright-red`, `color208` or `#ff8700`.  NULL is `default`.  Return
 * false for any other text. */
bool colour_parse(const char *text, struct colour *);

/* For option tables: describe the expected values if TEXT is not a colour.  Return NULL if it is
 * one. */
const char *colour_check(const char *text, char buffer[static 256]);

/* Return the I-th colour without `bright-`, for nearest_hint(). */
const char *colour_next_name(void *unused, size_t i);

/* Append the I-th named colour.  Return false, and append nothing, past the last. */
bool colour_add_name(size_t i, struct text *out);

/* Return a similar colour from a palette of COUNT (8, 16 or 256) entries, or COLOUR_OWN if it
 * has none.  With 8 or 16 entries greys have none unless PAIRED, when text and background both
 * have colours. */
struct colour colour_degrade(struct colour, int count, bool paired);

/* Return red, green and blue of a palette entry, as in xterm. */
uint32_t colour_of_palette(uint32_t entry);

#endif
