/*
 * A table: rows of cells in columns, with a cursor.
 *
 * A pane describes its columns and fills a row on request. The table has the header, the
 * cursor, the scrolling and the widths, and places the cells. A cell may have pieces with
 * different roles, with a blank between. Text too long for a fixed width ends in the truncation
 * sign.
 *
 * A row is filled in each drawing, up to twice. If its texts are expensive, the pane makes them
 * once and the table keeps them until they may change.
 *
 * The state of such a pane starts with a struct table, so that lines.h moves its cursor.
 * Otherwise it has a list (list.h), and the table shows the rows of the list.
 */
#ifndef TRAWL_UI_TABLE_H
#define TRAWL_UI_TABLE_H

#include "base/vec.h"
#include "trace/reader.h"
#include "ui/panes/lines.h"

struct list;

enum {
	TABLE_FLOW = 0,	   /* as wide as the cell; nothing, not even the gap, without a cell */
	TABLE_FIT = -1,	   /* as wide as the widest cell on the screen, or the title */
	TABLE_REST = -2,   /* all columns left by the others; no TABLE_FLOW may follow */
	TABLE_HIDDEN = -3, /* not shown */
	TABLE_COLUMNS_MAX = 16,
	TABLE_KEPT_COLUMNS = 6 /* of a row with kept texts */
};

struct table_column {
	const char *title; /* in the header, or NULL */
	int width;	   /* in screen columns, or one of the values above */
	int least, until;  /* TABLE_FLOW: minimum width; minimum end column */
	int most;	   /* TABLE_FIT: maximum width; 0: none */
	int gap;	   /* blanks after it */
	bool right;	   /* align cells to the right */
};

/* A piece of a cell. */
struct table_piece {
	size_t column;
	enum role role;
	size_t start, length; /* in the row's text */
};

/* Kept texts of a row, with its key. */
struct table_kept {
	size_t number;
	struct message_id id;
	struct text cells[TABLE_KEPT_COLUMNS];
};

/* Zero-initialise. */
struct table {
	struct lines cursor;
	struct text text; /* of the current row */
	enum text_charset charset;
	VEC(struct table_piece) pieces;
	VEC(struct table_kept) kept;
	uint64_t generation; /* epoch of the kept texts */
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

/* Put COUNT texts into a row. Show the cursor on the first. */
void table_put_all(struct table_row *, const struct text *cells, size_t count, enum role);

/* Return the kept texts of a row. The key is its number, or its lane and ID in a list. If *MADE is
 * false, the texts are empty and the caller must fill them. Borrowed until the next call. */
struct text *table_keep(struct table *, size_t number, struct message_id, bool *made);

/* Drop the kept texts; or only if their epoch (base/generation.h) is another. */
void table_forget(struct table *);
void table_renew(struct table *, uint64_t generation);

void table_free(struct table *);

#endif
