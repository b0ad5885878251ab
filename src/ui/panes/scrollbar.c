/*
 * The scroll bar of the list: see scrollbar.h.
 *
 * Each row stands for an equal share of the capture's bytes. Its mark comes from the sums of
 * index cells. A cell belongs to the row where it begins, and to all following rows without a
 * cell of their own. In captures of a few cells, the marks come from single messages instead.
 *
 * Cost: matches are differences of sums, some microseconds a row. The errors of a cell are read
 * once, until the screen or the capture changes its size.
 */
#include "config.h"

#include "ui/panes/scrollbar.h"
#include "ui/list/jump.h"
#include "ui/list/list.h"
#include "ui/list/search.h"
#include "ui/screen/screen.h"
#include "ui/state.h"

#include <math.h>
#include <stdlib.h>

enum { FEW_CELLS = 8 };

struct bar {
	struct screen *screen;
	struct list_lane *lane;
	struct index *index;
	struct matches *matches; /* or NULL */
	uint64_t size;		 /* of the capture, at least 1 */
	uint64_t cell_size, cells;
	int rows;
};

void
scrollbar_free(struct scrollbar *bar)
{
	vec_free(&bar->errors);
}

/* Return the match set of the search, or else of the filter. */
static struct matches *
matches_of_lane(struct screen *screen)
{
	struct list *list = screen->list;
	if (screen->search->highlight && screen->search->matches.count)
		return screen->search->matches.of[list->lane];
	return list->matches.count ? list->matches.of[list->lane] : NULL;
}

static struct bar
make_bar(struct screen *screen, int rows)
{
	struct list *list = screen->list;
	struct index *index = trace_index(list->trace);
	uint64_t size = capture_size(trace_capture(list->trace));
	return (struct bar){.screen = screen,
			    .lane = &list->lanes[list->lane],
			    .index = index,
			    .matches = matches_of_lane(screen),
			    .size = size ? size : 1,
			    .cell_size = index_cell_size(index),
			    .cells = index_cell_count(index),
			    .rows = rows};
}

static int
row_of(const struct bar *bar, uint64_t offset)
{
	double row = floor((double)offset * bar->rows / (double)bar->size);
	return row < bar->rows ? (int)row : bar->rows - 1;
}

/* Return the first cell that begins in ROW or later. */
static uint64_t
cell_from(const struct bar *bar, int row)
{
	double at = ceil((double)row * (double)bar->size / bar->rows);
	uint64_t cell = (uint64_t)ceil(at / (double)bar->cell_size);
	return cell < bar->cells ? cell : bar->cells;
}

/* --- the rows ---------------------------------------------------------- */

static void
mark_messages(const struct bar *bar, uint64_t cell, char *marks)
{
	struct matches_rows rows = {0};
	if (bar->matches)
		matches_rows(bar->matches, bar->lane->reader, cell, &rows);
	const struct decoded_cell *decoded = reader_decoded_cell(bar->lane->reader, cell);
	for (size_t i = 0, match = 0; decoded && i < decoded->count; i++) {
		const struct message *m = &decoded->messages[i];
		char *mark = &marks[row_of(bar, m->offset)];
		bool is_match = match < rows.count && rows.at[match] == i;
		match += is_match;
		if (is_match)
			*mark = '=';
		else if (!*mark && (m->severity == SEVERITY_FATAL || m->severity == SEVERITY_ERROR))
			*mark = severity_letter(SEVERITY_ERROR);
	}
}

/* Add the errors of newly indexed cells. */
static void
follow_errors(const struct bar *bar, struct scrollbar *kept)
{
	unsigned generation = index_generation(bar->index);
	if (kept->of != bar->lane->trace || kept->generation != generation ||
	    kept->size != bar->size || kept->errors.count != (size_t)bar->rows) {
		vec_clear(&kept->errors);
		for (int row = 0; row < bar->rows; row++)
			*vec_add(&kept->errors) = false;
		kept->of = bar->lane->trace;
		kept->generation = generation;
		kept->size = bar->size;
		kept->next = 0;
	}
	for (uint64_t known = index_known(bar->index); kept->next < known; kept->next++) {
		struct index_cell sum;
		if (index_cell(bar->index, kept->next, &sum) &&
		    (sum.severities[SEVERITY_FATAL] || sum.severities[SEVERITY_ERROR]))
			kept->errors.at[row_of(bar, kept->next * bar->cell_size)] = true;
	}
}

static void
mark_cells(const struct bar *bar, struct scrollbar *kept, char *marks)
{
	follow_errors(bar, kept);
	for (int row = 0; row < bar->rows; row++) {
		uint64_t from = cell_from(bar, row), to = cell_from(bar, row + 1);
		if (from == to) /* no cell begins here, so the previous one covers the row */
			marks[row] = marks[row - 1];
		else if (bar->matches &&
			 matches_before(bar->matches, to) > matches_before(bar->matches, from))
			marks[row] = '=';
		else if (kept->errors.at[row])
			marks[row] = severity_letter(SEVERITY_ERROR);
	}
}

static void
mark_locations(const struct bar *bar, char *marks)
{
	const struct jumps *jumps = bar->screen->jumps;
	for (size_t i = 0; i < jumps->marks.count; i++) {
		const struct location *location = &jumps->marks.at[i];
		if (location->trace == bar->lane->number)
			marks[row_of(bar, location->id.offset)] = location->letter;
	}
}

/* Find the bar rows of the messages on the screen, in the cursor's trace. */
static void
find_thumb(const struct bar *bar, int *first, int *last)
{
	struct list *list = bar->screen->list;
	const struct row *row;
	*first = bar->rows;
	*last = -1;
	for (size_t i = 0; i < list->height && (row = list_row(list, i)); i++) {
		if (!row->there || row->lane != list->lane)
			continue;
		int at = row_of(bar, row->message.offset);
		*first = *first < at ? *first : at;
		*last = *last > at ? *last : at;
	}
}

/* --- drawing ----------------------------------------------------------- */

static enum role
role_of(char mark)
{
	if (mark == severity_letter(SEVERITY_ERROR))
		return ROLE_ERROR;
	return mark == '=' ? ROLE_MATCH : ROLE_MARK;
}

void
scrollbar_draw(struct screen *screen, struct scrollbar *kept, struct canvas *canvas,
	       const struct area *area)
{
	struct bar bar = make_bar(screen, area->rows);
	int first, last;
	if (area->rows <= 0)
		return;
	char *marks = mem_new((size_t)area->rows);
	if (bar.cells > FEW_CELLS)
		mark_cells(&bar, kept, marks);
	else
		for (uint64_t cell = 0; cell < bar.cells; cell++)
			mark_messages(&bar, cell, marks);
	mark_locations(&bar, marks);
	find_thumb(&bar, &first, &last);
	for (int row = 0; row < area->rows; row++) {
		bool shown = row >= first && row <= last;
		if (shown && (!marks[row] || role_of(marks[row]) == ROLE_ERROR))
			canvas_puts(canvas, area, row, 0, ROLE_CURSOR, "|");
		else if (marks[row])
			canvas_putf(canvas, area, row, 0, shown ? ROLE_CURSOR : role_of(marks[row]),
				    "%c", marks[row]);
	}
	free(marks);
}
