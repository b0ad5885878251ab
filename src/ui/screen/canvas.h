/*
 * A canvas: the screen as cells, before any terminal.
 *
 * Panes draw text with roles into areas of it; term.c brings what changed to
 * the terminal.  Nothing here uses curses, so that tests can look at cells.
 * All text is made safe here, so that a cell never holds a control character:
 * panes draw bytes of captures, file names and settings as they are.
 */
#ifndef TRAWL_UI_CANVAS_H
#define TRAWL_UI_CANVAS_H

#include "base/text.h"

enum role {
#define ROLE(id, name, help) ROLE_##id,
#include "ui/screen/role.def"
#undef ROLE
	ROLE_COUNT
};

/* Behind the roles of a theme: text in colours that are given without one. */
enum { ROLE_COLOURS = 16, ROLE_ALL = ROLE_COUNT + ROLE_COLOURS };

enum { CELL_CODES = 3 };

/* No padding, so that rows can be compared as bytes. */
struct cell {
	uint32_t code[CELL_CODES]; /* a character and what combines with it, 0 = none */
	uint8_t role;
	uint8_t columns; /* 1 or 2; 0 for the right half of a wide character */
	uint16_t unused;
};

struct canvas {
	int rows, cols;
	struct cell *cells;	    /* rows * cols, owned */
	enum text_charset charset;  /* of the terminal; set by the owner */
	int cursor_row, cursor_col; /* of the terminal's cursor; row -1 = hidden */
};

/* A rectangle of the canvas; it may reach outside or be empty. */
struct area {
	int row, col, rows, cols;
};

void canvas_resize(struct canvas *, int rows, int cols); /* and clear */
void canvas_clear(struct canvas *);
void canvas_clear_area(struct canvas *, const struct area *);
void canvas_free(struct canvas *);

/*
 * Draws LENGTH bytes of any text, as text_add_safe makes it safe, from a row and
 * column of an area on, cut off at the area's and the canvas's borders.  Returns
 * the column after it, in the area; that is text_columns further, unless it was cut.
 */
int canvas_put(struct canvas *, const struct area *, int row, int col, enum role, const char *text,
	       size_t length);
int canvas_puts(struct canvas *, const struct area *, int row, int col, enum role,
		const char *text);
int canvas_putf(struct canvas *, const struct area *, int row, int col, enum role,
		const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Draws a cell of COLUMNS columns: where the text has more, the last column is the
 * sign of that, so that what is cut does not read as another text. */
int canvas_put_cell(struct canvas *, const struct area *, int row, int col, int columns, enum role,
		    const char *text, size_t length);

/* Fills COLUMNS columns of a row with a printable ASCII character, as text or as role only. */
void canvas_fill(struct canvas *, const struct area *, int row, int col, int columns, enum role,
		 char c);
void canvas_role(struct canvas *, const struct area *, int row, int col, int columns, enum role);

/* Draws the first row of another canvas over a row of an area, from its column 0 on. */
void canvas_copy(struct canvas *, const struct area *, int row, const struct canvas *from);

#endif
