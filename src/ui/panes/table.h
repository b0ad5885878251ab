/*
 * A table: rows of cells in columns, with a cursor among them.
 *
 * A pane describes its columns and fills a row when it is asked to; the table has the
 * header, the cursor, the scrolling, the widths, and where the cells stand.  A cell
 * may have pieces of different looks, with a blank between.  What does not fit into a
 * column of a given width ends in the sign of that.
 *
 * The state of such a pane starts with a struct table, so that lines.h moves its
 * cursor, or it has a list (list.h), whose rows the table then shows.
 */
#ifndef TRAWL_UI_TABLE_H
#define TRAWL_UI_TABLE_H

#include "base/vec.h"
#include "ui/panes/lines.h"

struct list;

enum {
	TABLE_FLOW = 0,	   /* as long as the cell; without one nothing, gap included */
	TABLE_FIT = -1,	   /* as the widest cell on the screen, or the title */
	TABLE_REST = -2,   /* what the others leave; no column behind it flows */
	TABLE_HIDDEN = -3, /* not shown */
	TABLE_COLUMNS_MAX = 16
};

struct table_column {
	const char *title; /* in the header; NULL: none */
	int width;	   /* in columns of the screen, or one of those above */
	int least, until;  /* TABLE_FLOW: how wide a cell is, and how far it reaches, at least */
	int gap;	   /* blanks behind it */
	bool right;	   /* its cells end at its right edge */
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
	struct text text; /* of the row that is filled */
	enum text_charset charset;
	VEC(struct table_piece) pieces;
};

/* A row that is to be filled. */
struct table_row {
	struct table *table;
	bool current; /* the cursor is on it, and in this pane */
	/* for a row that is drawn without columns */
	struct canvas *canvas;
	const struct area *area;
	int y;
};

/* What is shown; made for each drawing. */
struct table_spec {
	enum pane_id pane;
	const struct table_column *columns;
	size_t column_count;
	int left;	   /* columns of the screen before the first */
	bool head;	   /* columns have names wherever all rows have room */
	size_t count;	   /* of rows, where they are no list's */
	struct list *list; /* or NULL */
	/* Fills row number I: of COUNT, or that many below the top of the list.  It may be
	 * called twice. */
	void (*fill)(struct screen *, struct table_row *, size_t i);
};

/* Draws the header, where columns have titles and there is room, and the rows; how
 * many rows. */
int table_draw(struct table *, struct screen *, const struct table_spec *, struct canvas *,
	       const struct area *);

/* The part of an area that the rows have. */
struct area table_body(const struct table_spec *, const struct area *);

/* Adds a piece to a cell of the row: a safe text, or a format whose texts are safe. */
void table_put(struct table_row *, size_t column, enum role, const char *text, size_t length);
void table_putf(struct table_row *, size_t column, enum role, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

void table_free(struct table *);

#endif
