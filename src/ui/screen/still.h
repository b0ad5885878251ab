/*
 * A still: a term that keeps the last screen as a picture.  It has a size and
 * colours, but no keys.  It uses neither a terminal nor TERM.
 */
#ifndef TRAWL_UI_STILL_H
#define TRAWL_UI_STILL_H

#include "base/text.h"

#include <stdbool.h>

struct term;

struct still {
	int rows, cols;
	bool svg; /* an SVG with the theme's colours; false: text, a line for each row */

	/* The picture, once the term is closed.  The caller frees it. */
	struct text out;
};

/* The still must outlive the term. */
struct term *still_open(struct still *);

#endif
