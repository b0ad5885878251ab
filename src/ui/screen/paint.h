/*
 * From one screen to the next in few bytes.
 *
 * A painter keeps what the terminal shows and writes what it takes to show
 * another canvas: shifted rows by scrolling a region, then the cells that
 * differ.  Of the terminal it has only the strings it is given, and
 * sends nothing itself.
 */
#ifndef TRAWL_UI_PAINT_H
#define TRAWL_UI_PAINT_H

#include "ui/screen/canvas.h"

enum { PAINT_STYLE_SIZE = 64, PAINT_COSTS = 256 };

/* What the terminal understands; strings are NULL where it cannot. */
struct paint_terminal {
	const char *clear;	   /* clears all, cursor to the top left */
	const char *erase;	   /* from the cursor to the end of the row */
	const char *reverse_index; /* up, scrolling down at the region's top */
	const char *plain;	   /* no attributes */
	const char *show_cursor, *hide_cursor;
	char style[ROLE_ALL][PAINT_STYLE_SIZE]; /* from plain; "" = plain */
	char anew[ROLE_ALL][PAINT_STYLE_SIZE];	/* from any other style */
	bool covers[ROLE_ALL][ROLE_ALL];	/* [a][b]: a's style will do after b's */
	bool marks_blanks[ROLE_ALL];		/* the style is seen on a blank */
	bool wraps_late; /* stays in the last column until the next character */
	bool wide_lines; /* lines and blocks may take two columns */

	void (*move)(struct text *, int row, int col);
	void (*forward)(struct text *, int columns);	    /* NULL: cannot */
	void (*region)(struct text *, int top, int bottom); /* NULL: cannot scroll */
};

struct painter {
	struct canvas shown;
	bool known; /* the terminal shows `shown` */
	bool cursor_shown;
	int row, col;		    /* of the terminal's cursor; row -1 = not known */
	int top, bottom;	    /* of the scroll region */
	enum role role;		    /* whose style is on; NORMAL = plain, if that is so */
	uint8_t costs[PAINT_COSTS]; /* bytes to move forward so many columns; 0: not measured */
};

/* Appends to OUT what turns the screen into CANVAS. */
void painter_paint(struct painter *, const struct paint_terminal *, const struct canvas *,
		   struct text *out);

/* The screen is not what it was: the next paint draws all of it. */
void paint_forget(struct painter *);
void paint_free(struct painter *);

#endif
