/*
 * A cache for the texts of table rows: see kept_cells.h.
 */
#include "config.h"

#include "ui/panes/kept_cells.h"
#include "base/generation.h"
#include "ui/list/list.h"
#include "ui/panes/table.h"

enum { LISTED_MAX = 256 /* cached rows of a list */ };

void
kept_cells_clear(struct kept_cells *kept)
{
	for (size_t i = 0; i < kept->rows.count; i++)
		for (size_t c = 0; c < KEPT_CELLS_MAX; c++)
			text_free(&kept->rows.at[i].cells[c]);
	vec_clear(&kept->rows);
}

void
kept_cells_free(struct kept_cells *kept)
{
	kept_cells_clear(kept);
	vec_free(&kept->rows);
}

void
kept_cells_renew(struct kept_cells *kept, uint64_t generation)
{
	if (generation_renew(&kept->generation, generation))
		kept_cells_clear(kept);
}

static struct text *
take_cells(struct kept_row *row, bool *made)
{
	*made = row->made;
	row->made = true;
	return row->cells;
}

struct text *
kept_cells_at(struct kept_cells *kept, size_t i, bool *made)
{
	while (kept->rows.count <= i)
		(void)vec_add(&kept->rows);
	return take_cells(&kept->rows.at[i], made);
}

struct text *
kept_cells_of(struct kept_cells *kept, const struct row *row, bool *made)
{
	for (size_t i = 0; i < kept->rows.count; i++)
		if (kept->rows.at[i].lane == row->lane &&
		    !message_id_compare(kept->rows.at[i].id, row->id))
			return take_cells(&kept->rows.at[i], made);
	if (kept->rows.count >= LISTED_MAX)
		kept_cells_clear(kept);
	struct kept_row *added = vec_add(&kept->rows);
	added->lane = row->lane;
	added->id = row->id;
	return take_cells(added, made);
}

void
kept_cells_put(const struct text *cells, size_t count, enum role role, struct table_row *row)
{
	for (size_t c = 0; c < count; c++)
		table_put(row, c, row->current && !c ? ROLE_CURSOR : role, text_get(&cells[c]),
			  cells[c].length);
}
