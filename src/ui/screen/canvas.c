/*
 * Cells: see canvas.h.
 *
 * canvas_clip() does all clipping, so panes may draw as if space were
 * unlimited.  A wide character that does not fit leaves a blank.  Only
 * canvas_put() turns text into cells, and it makes the text safe.
 */
#include "config.h"

#include "ui/screen/canvas.h"
#include "base/vec.h"
#include "ui/screen/signs.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const struct cell blank = {.code = {' '}, .role = ROLE_NORMAL, .columns = 1};

void
canvas_clear(struct canvas *canvas)
{
	for (int i = 0; i < canvas->rows * canvas->cols; i++)
		canvas->cells[i] = blank;
	canvas->cursor_row = -1;
}

void
canvas_clear_area(struct canvas *canvas, const struct area *area)
{
	for (int row = 0; row < area->rows; row++)
		canvas_fill(canvas, area, row, 0, area->cols, ROLE_NORMAL, ' ');
}

void
canvas_resize(struct canvas *canvas, int rows, int cols)
{
	canvas->rows = rows > 0 ? rows : 0;
	canvas->cols = cols > 0 ? cols : 0;
	size_t count = (size_t)canvas->rows * (size_t)canvas->cols;
	canvas->cells = mem_resize(canvas->cells, count * sizeof *canvas->cells);
	canvas_clear(canvas);
}

void
canvas_free(struct canvas *canvas)
{
	free(canvas->cells);
	*canvas = (struct canvas){0};
}

/* A row of an area: its cells, and the visible columns [from, to), counted in the area.
 * canvas_clip() returns false if none is visible. */
struct canvas_span {
	struct cell *cells; /* cell of column 0 of the area; may lie outside */
	int from, to;
};

static bool
canvas_clip(const struct canvas *canvas, const struct area *area, int row, struct canvas_span *out)
{
	int at = area->row + row;
	if (row < 0 || row >= area->rows || at < 0 || at >= canvas->rows)
		return false;
	out->from = area->col < 0 ? -area->col : 0;
	out->to = area->cols;
	if (area->col + out->to > canvas->cols)
		out->to = canvas->cols - area->col;
	out->cells = canvas->cells + (ptrdiff_t)at * canvas->cols + area->col;
	return out->from < out->to;
}

static void
cell_combine(struct cell *cell, uint32_t code)
{
	for (int i = 1; i < CELL_CODES; i++) {
		if (!cell->code[i]) {
			cell->code[i] = code;
			return;
		}
	}
}

static void
put_character(const struct canvas_span *s, int col, int columns, enum role role, uint32_t code)
{
	if (col < s->from || col >= s->to)
		return;
	struct cell cell = {.code = {code}, .role = (uint8_t)role, .columns = (uint8_t)columns};
	if (columns == 2 && col + 2 > s->to) {
		cell.code[0] = ' ';
		cell.columns = 1;
	}
	s->cells[col] = cell;
	if (cell.columns == 2)
		s->cells[col + 1] = (struct cell){.role = (uint8_t)role};
}

/* Draw a character that is not printable ASCII, or its escape.  Return the column after it. */
static int
put_shown(const struct canvas_span *s, int col, enum role role, const struct text_shown *shown)
{
	if (*shown->escape) {
		for (const char *at = shown->escape; *at; at++)
			put_character(s, col++, 1, role, (unsigned char)*at);
	} else if (shown->columns) {
		put_character(s, col, shown->columns, role, shown->code);
		col += shown->columns;
	} else if (col - 1 >= s->from && col <= s->to) {
		cell_combine(&s->cells[s->cells[col - 1].columns ? col - 1 : col - 2], shown->code);
	}
	return col;
}

int
canvas_put(struct canvas *canvas, const struct area *area, int row, int col, enum role role,
	   const char *text, size_t length)
{
	struct canvas_span s;
	if (!canvas_clip(canvas, area, row, &s))
		return col;
	while (length && col < s.to) {
		size_t taken = 1;
		if (*text >= 0x20 && *text < 0x7f) { /* nearly always */
			put_character(&s, col++, 1, role, (unsigned char)*text);
		} else {
			struct text_shown shown = text_show(text, length, canvas->charset);
			col = put_shown(&s, col, role, &shown);
			taken = shown.taken;
		}
		text += taken;
		length -= taken;
	}
	return col;
}

int
canvas_put_cell(struct canvas *canvas, const struct area *area, int row, int col, int columns,
		enum role role, const char *text, size_t length)
{
	if (columns > area->cols - col)
		columns = area->cols - col;
	size_t fits = text_fit(text, length, canvas->charset, columns, NULL);
	if (fits == length || columns < 1)
		return canvas_put(canvas, area, row, col, role, text, fits);
	int used, end = col + columns - 1;
	fits = text_fit(text, length, canvas->charset, columns - 1, &used);
	canvas_put(canvas, area, row, col, role, text, fits);
	canvas_fill(canvas, area, row, col + used, end - col - used, role, ' ');
	return canvas_puts(canvas, area, row, end, role, signs[SIGN_CUT].text);
}

int
canvas_puts(struct canvas *canvas, const struct area *area, int row, int col, enum role role,
	    const char *text)
{
	return canvas_put(canvas, area, row, col, role, text, strlen(text));
}

int
canvas_putf(struct canvas *canvas, const struct area *area, int row, int col, enum role role,
	    const char *format, ...)
{
	struct text text = {0};
	va_list args;
	va_start(args, format);
	text_addv(&text, format, args);
	va_end(args);
	col = canvas_put(canvas, area, row, col, role, text_get(&text), text.length);
	text_free(&text);
	return col;
}

void
canvas_fill(struct canvas *canvas, const struct area *area, int row, int col, int columns,
	    enum role role, char c)
{
	struct canvas_span s;
	if (!canvas_clip(canvas, area, row, &s))
		return;
	uint32_t code = c >= 0x20 && c < 0x7f ? (uint32_t)c : '?';
	for (int end = col + columns; col < end; col++)
		put_character(&s, col, 1, role, code);
}

void
canvas_line(struct canvas *canvas, const struct area *area, int row, int col, int columns,
	    enum role role, enum canvas_line line)
{
	static const struct {
		char ascii;
		uint32_t code;
	} lines[] = {
	    [LINE_RULE] = {'-', 0x2500}, [LINE_FOCUS] = {'=', 0x2550}, [LINE_BAR] = {'|', 0x2502}};
	uint32_t code = canvas->draws_lines ? lines[line].code : (uint32_t)lines[line].ascii;
	struct canvas_span s;
	if (!canvas_clip(canvas, area, row, &s))
		return;
	for (int end = col + columns; col < end; col++)
		put_character(&s, col, 1, role, code);
}

void
canvas_role(struct canvas *canvas, const struct area *area, int row, int col, int columns,
	    enum role role)
{
	struct canvas_span s;
	if (!canvas_clip(canvas, area, row, &s))
		return;
	for (int end = col + columns; col < end; col++)
		if (col >= s.from && col < s.to)
			s.cells[col].role = (uint8_t)role;
}

/* True if text of a role stands out from other rows: by its severity, as lost, or by a rule. */
static bool
stands_out(unsigned role)
{
	return (role >= ROLE_FATAL && role <= ROLE_WARNING) || role == ROLE_LOSS ||
	       (role >= ROLE_ACCENT1 && role <= ROLE_ACCENT3) ||
	       (role >= ROLE_COUNT && role < ROLE_ALL);
}

void
canvas_cursor(struct canvas *canvas, const struct area *area, int row, int col, int columns)
{
	struct canvas_span s;
	if (!canvas_clip(canvas, area, row, &s))
		return;
	for (int end = col + columns; col < end; col++) {
		if (col < s.from || col >= s.to)
			continue;
		unsigned role = s.cells[col].role;
		s.cells[col].role = (uint8_t)(stands_out(role) ? ROLE_ALL + role : ROLE_CURSOR);
	}
}

void
canvas_copy(struct canvas *canvas, const struct area *area, int row, const struct canvas *from)
{
	struct canvas_span s;
	if (!canvas_clip(canvas, area, row, &s) || !from->rows || s.from >= from->cols)
		return;
	int to = s.to < from->cols ? s.to : from->cols;
	memcpy(s.cells + s.from, from->cells + s.from, (size_t)(to - s.from) * sizeof *from->cells);
}
