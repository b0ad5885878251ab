/*
 * The texts of a table's rows, kept until what they say may have changed.
 *
 * A table (table.h) fills a row twice, and with each drawing; a pane whose cells are dear
 * to make makes them once and keeps them here: by the number of the row, or, of a list that
 * scrolls, by its message.
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

enum { KEPT_CELLS_MAX = 6 }; /* of a row */

struct kept_row {
	bool made;
	size_t lane;
	struct message_id id;
	struct text cells[KEPT_CELLS_MAX];
};

/* Zero-initialise. */
struct kept_cells {
	VEC(struct kept_row) rows;
	unsigned generation; /* of what they say */
};

/* The cells of row number I, or of a row of a list; one pane uses one of the two.  *MADE:
 * they are filled; else they are empty, and the caller fills them.  Borrowed until the next
 * call of any function here. */
struct text *kept_cells_at(struct kept_cells *, size_t i, bool *made);
struct text *kept_cells_of(struct kept_cells *, const struct row *, bool *made);

/* Drops them where they are of another generation (base/generation.h) than that. */
void kept_cells_renew(struct kept_cells *, unsigned generation);
void kept_cells_clear(struct kept_cells *);
void kept_cells_free(struct kept_cells *);

/* Puts COUNT cells into the row of a table, the cursor on the first. */
void kept_cells_put(const struct text *cells, size_t count, enum role, struct table_row *);

#endif
