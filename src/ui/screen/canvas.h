/*
 * A canvas: the screen as cells, without a terminal.
 *
 * Panes draw text with roles into parts of a canvas.  term.c sends the changes
 * to the terminal.  Nothing here uses curses, so tests can inspect cells.  All
 * text is made safe here, so a cell never contains a control character.  Panes
 * may draw bytes of captures, file names and settings unchanged.
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

/* After the roles of a theme: text in colours given without a role.  Then all of them again, for
 * text under the cursor. */
enum { ROLE_COLOURS = 16, ROLE_ALL = ROLE_COUNT + ROLE_COLOURS, ROLE_STYLES = 2 * ROLE_ALL };

enum { CELL_CODES = 3 };

/* No padding, so that rows can be compared as bytes. */
struct cell {
	uint32_t code[CELL_CODES]; /* a character and its combining characters, 0 = none */
	uint8_t role;
	uint8_t columns; /* 1 or 2; 0 for the right half of a wide character */
	uint16_t unused;
};

struct canvas {
	int rows, cols;
	struct cell *cells;	    /* rows * cols, owned */
	enum text_charset charset;  /* of the terminal; set by the owner of the canvas */
	bool draws_lines;	    /* with line-drawing characters, not ASCII; as charset */
	int cursor_row, cursor_col; /* position of the terminal's cursor; row -1 = hidden */
};

/* A rectangle of the canvas; it may reach outside or be empty. */
struct area {
	int row, col, rows, cols;
};

void canvas_resize(struct canvas *, int rows, int cols); /* clears it too */
void canvas_clear(struct canvas *);
void canvas_clear_area(struct canvas *, const struct area *);
void canvas_free(struct canvas *);

/*
 * Draw LENGTH bytes of any text, made safe as by text_add_safe, from a row and
 * column of an area on.  Cut it at the borders of area and canvas.  Return the
 * column after it, in the area; that is text_columns further, unless it was
 * cut.
 */
int canvas_put(struct canvas *, const struct area *, int row, int col, enum role, const char *text,
	       size_t length);
int canvas_puts(struct canvas *, const struct area *, int row, int col, enum role,
		const char *text);
int canvas_putf(struct canvas *, const struct area *, int row, int col, enum role,
		const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Draw a cell of COLUMNS columns.  If the text needs more, the last column shows SIGN_CUT.  Cut
 * text then does not read as another text. */
int canvas_put_cell(struct canvas *, const struct area *, int row, int col, int columns, enum role,
		    const char *text, size_t length);

/* Fill COLUMNS columns of a row with a printable ASCII character, or only set their role. */
void canvas_fill(struct canvas *, const struct area *, int row, int col, int columns, enum role,
		 char c);
void canvas_role(struct canvas *, const struct area *, int row, int col, int columns, enum role);

/* Draw a line over COLUMNS columns of a row. */
enum canvas_line { LINE_RULE, LINE_FOCUS, LINE_BAR };
void canvas_line(struct canvas *, const struct area *, int row, int col, int columns, enum role,
		 enum canvas_line);

/* Draw the cursor over COLUMNS columns of a row.  Text that stands out keeps its colour. */
void canvas_cursor(struct canvas *, const struct area *, int row, int col, int columns);

/* Draw the first row of another canvas over a row of an area, from its column 0 on. */
void canvas_copy(struct canvas *, const struct area *, int row, const struct canvas *from);

#endif
