/*
 * Painting a new screen in few bytes.
 *
 * A painter remembers the terminal's contents and writes the bytes that turn
 * them into another canvas.  It shifts rows by scrolling a region, then writes
 * the cells that differ.  It uses only the terminal strings it is given, and
 * sends nothing itself.
 */
#ifndef TRAWL_UI_PAINT_H
#define TRAWL_UI_PAINT_H

#include "ui/screen/canvas.h"

enum { PAINT_STYLE_SIZE = 64, PAINT_COSTS = 256 };

/* Abilities of the terminal.  Strings are NULL if it has none. */
struct paint_terminal {
	const char *clear;	   /* clear all, cursor to the top left */
	const char *erase;	   /* erase from the cursor to the end of the row */
	const char *reverse_index; /* up one row; at the region's top, scroll down */
	const char *plain;	   /* no attributes */
	const char *show_cursor, *hide_cursor;
	char style[ROLE_STYLES][PAINT_STYLE_SIZE]; /* from plain; "" = plain */
	char anew[ROLE_STYLES][PAINT_STYLE_SIZE];  /* from any other style */
	bool covers[ROLE_STYLES][ROLE_STYLES];	   /* [a][b]: style a can follow style b directly */
	bool marks_blanks[ROLE_STYLES];		   /* the style shows on a blank */
	bool wraps_late; /* the cursor stays in the last column until the next character */
	bool wide_lines; /* lines and blocks may be two columns wide */

	void (*move)(struct text *, int row, int col);
	void (*forward)(struct text *, int columns);	    /* NULL: cannot */
	void (*region)(struct text *, int top, int bottom); /* NULL: cannot scroll */
};

struct painter {
	struct canvas shown;
	bool known; /* the terminal shows `shown` */
	bool cursor_shown;
	int row, col;	 /* terminal's cursor; row -1 = not known */
	int top, bottom; /* scroll region */
	uint64_t *hashes; /* scratch: of the rows shown, then of the new ones */
	enum role role;	 /* role of the current style; NORMAL = plain, if its style is empty */
	/* bytes to move forward by that number of columns; 0: not measured */
	uint8_t costs[PAINT_COSTS];
};

/* Append to OUT the bytes that turn the screen into CANVAS. */
void painter_paint(struct painter *, const struct paint_terminal *, const struct canvas *,
		   struct text *out);

/* Make the next paint draw everything, because the screen has changed. */
void paint_forget(struct painter *);
void paint_free(struct painter *);

#endif
