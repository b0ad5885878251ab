/*
 * A cache for the texts of table rows.
 *
 * A table (table.h) fills its rows in each drawing, up to twice. A pane with expensive cells
 * makes them once and keeps them here until they may change. The key is the row's number or, in
 * a list that scrolls, its message.
 */
#ifndef TRAWL_UI_KEPT_CELLS_H
#define TRAWL_UI_KEPT_CELLS_H

#include "base/text.h"
#include "base/vec.h"
#include "trace/reader.h"
#include "ui/screen/canvas.h"

#include <stdbool.h>
#include <stddef.h>

struct row;
struct table_row;

enum { KEPT_CELLS_MAX = 6 }; /* in a row */

struct kept_row {
	bool made;
	size_t lane;
	struct message_id id;
	struct text cells[KEPT_CELLS_MAX];
};

/* Zero-initialise. */
struct kept_cells {
	VEC(struct kept_row) rows;
	uint64_t generation; /* epoch of the texts */
};

/* Return the cells of row number I, or of a row of a list; a pane uses only one of the two. If
 * *MADE is false, the cells are empty and the caller must fill them. Borrowed until the next call
 * of any function here. */
struct text *kept_cells_at(struct kept_cells *, size_t i, bool *made);
struct text *kept_cells_of(struct kept_cells *, const struct row *, bool *made);

/* Drop the cells if their epoch (base/generation.h) is another. */
void kept_cells_renew(struct kept_cells *, uint64_t generation);
void kept_cells_clear(struct kept_cells *);
void kept_cells_free(struct kept_cells *);

/* Put COUNT cells into a table row. Show the cursor on the first. */
void kept_cells_put(const struct text *cells, size_t count, enum role, struct table_row *);

#endif
