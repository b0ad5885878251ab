/*
 * Rows of cells: see table.h.
 *
 * A row becomes one text with a list of its pieces, which is then drawn column by column. Only
 * rows on the screen are filled, and twice if a width depends on the cells.
 */
#include "config.h"

#include "ui/panes/table.h"
#include "base/generation.h"
#include "ui/list/list.h"
#include "ui/screen/screen.h"

#include <stdarg.h>
#include <string.h>

enum {
	HEAD_ROWS = 6, /* show titles from this many rows on */
	KEPT_MAX = 512 /* rows with kept texts */
};

void
table_free(struct table *table)
{
	text_free(&table->text);
	vec_free(&table->pieces);
	table_forget(table);
	vec_free(&table->kept);
}

/* --- cells ------------------------------------------------------------- */

static void
add_piece(struct table *table, size_t column, enum role role, size_t start)
{
	*vec_add(&table->pieces) =
	    (struct table_piece){column, role, start, table->text.length - start};
}

void
table_put(struct table_row *row, size_t column, enum role role, const char *text, size_t length)
{
	struct table *table = row->table;
	size_t start = table->text.length;
	text_add_bytes(&table->text, text, length);
	add_piece(table, column, role, start);
}

void
table_putf(struct table_row *row, size_t column, enum role role, const char *format, ...)
{
	struct table *table = row->table;
	size_t start = table->text.length;
	va_list args;
	va_start(args, format);
	text_addv(&table->text, format, args);
	va_end(args);
	add_piece(table, column, role, start);
}

void
table_put_all(struct table_row *row, const struct text *cells, size_t count, enum role role)
{
	for (size_t c = 0; c < count; c++)
		table_put(row, c, row->current && !c ? ROLE_CURSOR : role, text_get(&cells[c]),
			  cells[c].length);
}

/* Return the width of a column's cell, with blanks between pieces; -1 without a cell. */
static int
cell_columns(const struct table *table, size_t column)
{
	int columns = -1;
	for (size_t i = 0; i < table->pieces.count; i++) {
		const struct table_piece *piece = &table->pieces.at[i];
		if (piece->column == column)
			columns += 1 + text_columns(text_get(&table->text) + piece->start,
						    piece->length, table->charset);
	}
	return columns;
}

static void
fill_row(const struct table_spec *spec, struct screen *screen, struct table_row *row, size_t i)
{
	text_clear(&row->table->text);
	vec_clear(&row->table->pieces);
	spec->fill(screen, row, i);
}

/* --- kept texts --------------------------------------------------------- */

struct text *
table_keep(struct table *table, size_t number, struct message_id id, bool *made)
{
	*made = true;
	for (size_t i = 0; i < table->kept.count; i++)
		if (table->kept.at[i].number == number &&
		    !message_id_compare(table->kept.at[i].id, id))
			return table->kept.at[i].cells;
	*made = false;
	if (table->kept.count >= KEPT_MAX)
		table_forget(table);
	struct table_kept *added = vec_add(&table->kept);
	added->number = number;
	added->id = id;
	return added->cells;
}

void
table_forget(struct table *table)
{
	for (size_t i = 0; i < table->kept.count; i++)
		for (size_t c = 0; c < TABLE_KEPT_COLUMNS; c++)
			text_free(&table->kept.at[i].cells[c]);
	vec_clear(&table->kept);
}

void
table_renew(struct table *table, uint64_t generation)
{
	if (generation_renew(&table->generation, generation))
		table_forget(table);
}

/* --- widths ------------------------------------------------------------ */

/* Return the width of the columns from FROM on. None of them may be TABLE_FLOW. */
static int
columns_behind(const struct table_spec *spec, const int *widths, size_t from)
{
	int columns = 0;
	for (size_t c = from; c < spec->column_count; c++)
		if (widths[c] != TABLE_HIDDEN)
			columns += widths[c] + spec->columns[c].gap;
	return columns;
}

static bool
has_titles(const struct table_spec *spec)
{
	for (size_t c = 0; c < spec->column_count; c++)
		if (spec->columns[c].title)
			return true;
	return false;
}

/* Find the row to fill at screen row Y. False if none. */
static bool
row_at(const struct table *table, const struct table_spec *spec, int y, size_t *i)
{
	*i = spec->list ? (size_t)y : table->cursor.top + (size_t)y;
	return spec->list ? list_row(spec->list, *i) != NULL : *i < spec->count;
}

static void
measure_columns(struct table *table, struct screen *screen, const struct table_spec *spec, int rows,
		int *widths)
{
	struct table_row row = {.table = table};
	bool fits = false;
	size_t i;
	for (size_t c = 0; c < spec->column_count; c++) {
		const struct table_column *column = &spec->columns[c];
		widths[c] = column->width;
		if (column->width == TABLE_FIT)
			widths[c] =
			    column->title
				? text_columns(column->title, strlen(column->title), table->charset)
				: 0;
		fits |= column->width == TABLE_FIT;
	}
	for (int y = 0; fits && y < rows && row_at(table, spec, y, &i); y++) {
		fill_row(spec, screen, &row, i);
		for (size_t c = 0; c < spec->column_count; c++) {
			if (spec->columns[c].width != TABLE_FIT)
				continue;
			int used = cell_columns(table, c);
			widths[c] = used > widths[c] ? used : widths[c];
			if (spec->columns[c].most && widths[c] > spec->columns[c].most)
				widths[c] = spec->columns[c].most;
		}
	}
}

/* --- drawing ----------------------------------------------------------- */

/* Draw the pieces of a cell from X up to column END. Return the column after them. */
static int
draw_cell(const struct table *table, size_t column, struct canvas *canvas, const struct area *area,
	  int y, int x, int end)
{
	bool first = true;
	for (size_t i = 0; i < table->pieces.count; i++) {
		const struct table_piece *piece = &table->pieces.at[i];
		const char *text = text_get(&table->text) + piece->start;
		if (piece->column != column)
			continue;
		x += !first;
		first = false;
		if (x < end)
			x = canvas_put_cell(canvas, area, y, x, end - x, piece->role, text,
					    piece->length);
	}
	return x;
}

/* Draw the cell of a column at X. Return where the next column begins. */
static int
draw_column(const struct table *table, const struct table_spec *spec, const int *widths, size_t c,
	    const struct table_row *row, int x)
{
	const struct table_column *column = &spec->columns[c];
	int width = widths[c], used = cell_columns(table, c), from = x;
	if (width == TABLE_HIDDEN || (width == TABLE_FLOW && used < 0))
		return x;
	if (width == TABLE_FLOW) {
		x = draw_cell(table, c, row->canvas, row->area, row->y, x, row->area->cols);
		x = x < from + column->least ? from + column->least : x;
		x = x < column->until ? column->until : x;
		return x + column->gap;
	}
	if (width == TABLE_REST)
		width = row->area->cols - x - column->gap - columns_behind(spec, widths, c + 1);
	width = width > 0 ? width : 0;
	if (column->right && used >= 0)
		from += width - used;
	draw_cell(table, c, row->canvas, row->area, row->y, from,
		  column->width == TABLE_FIT && used <= width ? row->area->cols : x + width);
	return x + width + column->gap;
}

static void
draw_head(const struct table_spec *spec, const int *widths, struct canvas *canvas,
	  const struct area *area)
{
	int x = spec->left;
	for (size_t c = 0; c < spec->column_count; c++) {
		const struct table_column *column = &spec->columns[c];
		int width = widths[c];
		if (width == TABLE_HIDDEN)
			continue;
		if (width == TABLE_REST)
			width = area->cols - x - column->gap - columns_behind(spec, widths, c + 1);
		if (column->title)
			canvas_puts(canvas, area, 0, x, ROLE_HEADER, column->title);
		x += (width > 0 ? width : column->least) + column->gap;
	}
}

struct area
table_body(const struct table_spec *spec, const struct area *area)
{
	struct area body = *area;
	bool head = area->rows >= HEAD_ROWS ||
		    (spec->head && (size_t)(area->rows > 0 ? area->rows : 0) > spec->count);
	if (head && has_titles(spec)) {
		body.row++;
		body.rows--;
	}
	return body;
}

int
table_draw(struct table *table, struct screen *screen, const struct table_spec *spec,
	   struct canvas *canvas, const struct area *area)
{
	struct area body = table_body(spec, area);
	struct list *list = spec->list;
	struct table_row row = {.table = table, .canvas = canvas, .area = &body};
	int widths[TABLE_COLUMNS_MAX];
	size_t i;
	table->charset = canvas->charset;
	if (list)
		list_resize(list, (size_t)body.rows);
	else
		lines_show(&table->cursor, spec->count, body.rows);
	measure_columns(table, screen, spec, body.rows, widths);
	if (body.rows < area->rows)
		draw_head(spec, widths, canvas, area);
	for (; row.y < body.rows && row_at(table, spec, row.y, &i); row.y++) {
		row.current = screen->focus == spec->pane &&
			      (list ? list->top + i == list->cursor : i == table->cursor.line);
		fill_row(spec, screen, &row, i);
		int x = spec->left;
		for (size_t c = 0; c < spec->column_count; c++)
			x = draw_column(table, spec, widths, c, &row, x);
	}
	return row.y;
}
