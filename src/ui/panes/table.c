/*
 * Rows of cells: see table.h.
 *
 * A row becomes one text with a list of its pieces, which is then drawn column by column. Only
 * rows on the screen are filled, and twice if a width depends on the cells. A pane should
 * therefore cache expensive texts.
 */
#include "config.h"

#include "ui/panes/table.h"
#include "ui/list/list.h"
#include "ui/screen/screen.h"

#include <stdarg.h>
#include <string.h>

enum { HEAD_ROWS = 6 }; /* show titles from this many rows on */

void
table_free(struct table *table)
{
	text_free(&table->text);
	vec_free(&table->pieces);
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

static int
piece_columns(const struct table *table, const struct table_piece *piece)
{
	return text_columns(text_get(&table->text) + piece->start, piece->length, table->charset);
}

/* Return the width of a column's cell, with blanks between pieces; -1 without a cell. */
static int
cell_columns(const struct table *table, size_t column)
{
	int columns = -1;
	for (size_t i = 0; i < table->pieces.count; i++)
		if (table->pieces.at[i].column == column)
			columns += 1 + piece_columns(table, &table->pieces.at[i]);
	return columns;
}

static void
fill_row(const struct table_spec *spec, struct screen *screen, struct table_row *row, size_t i)
{
	text_clear(&row->table->text);
	vec_clear(&row->table->pieces);
	spec->fill(screen, row, i);
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
		  column->width == TABLE_FIT ? row->area->cols : x + width);
	return x + width + column->gap;
}

static void
draw_cells(const struct table *table, const struct table_spec *spec, const int *widths,
	   const struct table_row *row)
{
	int x = spec->left;
	for (size_t c = 0; c < spec->column_count; c++)
		x = draw_column(table, spec, widths, c, row, x);
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
		draw_cells(table, spec, widths, &row);
	}
	return row.y;
}
