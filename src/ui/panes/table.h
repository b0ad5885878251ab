/*
 * A table: rows of cells in columns, with a cursor.
 *
 * A pane describes its columns and fills a row on request. The table has the header, the
 * cursor, the scrolling and the widths, and places the cells. A cell may have pieces with
 * different roles, with a blank between. Text too long for a fixed width ends in the truncation
 * sign.
 *
 * The state of such a pane starts with a struct table, so that lines.h moves its cursor.
 * Otherwise it has a list (list.h), and the table shows the rows of the list.
 */
#ifndef TRAWL_UI_TABLE_H
#define TRAWL_UI_TABLE_H

#include "base/vec.h"
#include "ui/panes/lines.h"

struct list;

enum {
	TABLE_FLOW = 0,	   /* as wide as the cell; nothing, not even the gap, without a cell */
	TABLE_FIT = -1,	   /* as wide as the widest cell on the screen, or the title */
	TABLE_REST = -2,   /* all columns left by the others; no TABLE_FLOW may follow */
	TABLE_HIDDEN = -3, /* not shown */
	TABLE_COLUMNS_MAX = 16
};

struct table_column {
	const char *title; /* in the header, or NULL */
	int width;	   /* in screen columns, or one of the values above */
	int least, until;  /* TABLE_FLOW: minimum width; minimum end column */
	int gap;	   /* blanks after it */
	bool right;	   /* align cells to the right */
};

/* A piece of a cell. */
struct table_piece {
	size_t column;
	enum role role;
	size_t start, length; /* in the row's text */
};

/* Zero-initialise. */
struct table {
	struct lines cursor;
	struct text text; /* of the current row */
	enum text_charset charset;
	VEC(struct table_piece) pieces;
};

/* The row that fill() must fill. */
struct table_row {
	struct table *table;
	bool current; /* it has the cursor, and the pane has the focus */
	/* for fill() to draw without columns */
	struct canvas *canvas;
	const struct area *area;
	int y;
};

/* The contents of one drawing. */
struct table_spec {
	enum pane_id pane;
	const struct table_column *columns;
	size_t column_count;
	int left;	   /* screen columns before the first */
	bool head;	   /* show titles whenever all rows still fit */
	size_t count;	   /* of rows, without a list */
	struct list *list; /* or NULL */
	/* Fill row number I: of COUNT, or counted from the top of the list. May run twice for a
	 * row. */
	void (*fill)(struct screen *, struct table_row *, size_t i);
};

/* Draw the rows, and the header if columns have titles and room allows. Return the number of
 * rows. */
int table_draw(struct table *, struct screen *, const struct table_spec *, struct canvas *,
	       const struct area *);

/* Return the part of an area that rows use. */
struct area table_body(const struct table_spec *, const struct area *);

/* Add a piece to a cell of the row: safe text, or a format with safe arguments. */
void table_put(struct table_row *, size_t column, enum role, const char *text, size_t length);
void table_putf(struct table_row *, size_t column, enum role, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

void table_free(struct table *);

#endif
