/*
 * Colours as themes name them, and what a terminal with fewer makes of them.
 */
#ifndef TRAWL_UI_COLOUR_H
#define TRAWL_UI_COLOUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text;

enum colour_kind {
	COLOUR_OWN,	/* the terminal's */
	COLOUR_PALETTE, /* an entry of its palette */
	COLOUR_RGB
};

struct colour {
	enum colour_kind kind;
	uint32_t value; /* 0..255, or 0xrrggbb */
};

/* Reads `default`, `red`, `bright-red`, `color208` or `#ff8700`; NULL is
 * `default`.  False if it is none. */
bool colour_parse(const char *text, struct colour *);

/* For option tables: what was expected instead of TEXT, or NULL. */
const char *colour_check(const char *text, char buffer[static 256]);

/* Appends the I-th of the named colours; false, and nothing, behind the last. */
bool colour_add_name(size_t i, struct text *out);

/* The like of a colour in a palette of COUNT (8, 16 or 256) entries; COLOUR_OWN
 * if there is none, which is so for greys unless PAIRED: the other of text and
 * background has a colour too, so that one's own would not do. */
struct colour colour_degrade(struct colour, int count, bool paired);

/* Red, green and blue of an entry, as xterm has them. */
uint32_t colour_of_palette(uint32_t entry);

#endif
