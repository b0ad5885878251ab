/*
 * Updating the terminal: see paint.h.
 *
 * Curses can do this too.  But it sets its scroll region again for each
 * scrolled row and uses long strings: twice the bytes that a step down a list
 * needs.  Here the region stays where it was, and everything else moves the
 * cursor absolutely.  Rows that survive a shift are corrected before it.  A
 * step is then: correct the old current row, line feed, write the new row.
 *
 * Terminals disagree about the width of some characters.  After such a
 * character the cursor counts as lost and is placed again.
 */
#include "config.h"

#include "ui/screen/paint.h"
#include "base/byte_map.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum {
	LINES_MAX = 3, /* up or down, one at a time */
	BACKSPACES_MAX = 4,
	GAP = 3, /* this many cells are always as cheap to draw again as to skip */
	NEVER_COPIED = 1000,
	RUN_BYTES = 512 /* appended at once */
};

struct brush {
	struct painter *painter;
	const struct paint_terminal *terminal;
	struct text *out;
};

void
paint_forget(struct painter *painter)
{
	painter->known = false;
}

void
paint_free(struct painter *painter)
{
	canvas_free(&painter->shown);
	free(painter->hashes);
	painter->hashes = NULL;
}

/* --- cells ------------------------------------------------------------- */

static const struct cell *
row_of(const struct canvas *canvas, int row)
{
	return canvas->cells + (ptrdiff_t)row * canvas->cols;
}

static inline bool
is_blank(const struct brush *b, const struct cell *cell)
{
	return cell->code[0] == ' ' && !cell->code[1] && !b->terminal->marks_blanks[cell->role];
}

static inline bool
same_cell(const struct brush *b, const struct cell *x, const struct cell *y)
{
	return !memcmp(x, y, sizeof *x) || (is_blank(b, x) && is_blank(b, y));
}

static bool
same_row(const struct canvas *x, int i, const struct canvas *y, int j)
{
	return !memcmp(row_of(x, i), row_of(y, j), (size_t)x->cols * sizeof *x->cells);
}

/* True if most of row I of X is in row J of Y.  Blanks do not count, even with a background. */
static bool
similar_row(const struct canvas *x, int i, const struct canvas *y, int j)
{
	int all = 0, same = 0;
	for (int col = 0; col < x->cols; col++) {
		const struct cell *cell = &row_of(x, i)[col];
		if (cell->code[0] == ' ')
			continue;
		all++;
		same += cell->code[0] == row_of(y, j)[col].code[0];
	}
	return all && 2 * same > all;
}

/* --- the terminal's state ---------------------------------------------- */

/* Move to ROW line by line.  Return false if it is too far, or if that would scroll. */
static bool
add_lines(const struct brush *b, int row, struct text *out)
{
	const struct painter *p = b->painter;
	int down = row - p->row;
	bool leaves =
	    down > 0 ? p->row <= p->bottom && row > p->bottom : p->row >= p->top && row < p->top;
	if (down > LINES_MAX || down < -LINES_MAX || (down && leaves))
		return false;
	if (down < 0 && !b->terminal->reverse_index)
		return false;
	for (; down > 0; down--)
		text_add_char(out, '\n');
	for (; down < 0; down++)
		text_add(out, b->terminal->reverse_index);
	return true;
}

/* Move to COL by backspaces, or by return and forward. */
static bool
add_columns(const struct brush *b, int col, struct text *out)
{
	int from = b->painter->col, back = from - col;
	if (back > 0 && back <= BACKSPACES_MAX && col) {
		while (back--)
			text_add_char(out, '\b');
		return true;
	}
	if (back > 0) {
		text_add_char(out, '\r');
		from = 0;
	}
	if (col > from && !b->terminal->forward)
		return false;
	if (col > from)
		b->terminal->forward(out, col - from);
	return true;
}

/* Leave the last column.  After a character in it, only a return is sure to have an effect. */
static void
leave_edge(const struct brush *b, struct text *out)
{
	struct painter *p = b->painter;
	if (p->row < 0 || p->col < p->shown.cols)
		return;
	text_add_char(out, '\r');
	p->col = 0;
}

/* Move relative to the cursor, if its position is known. */
static bool
relative_way(const struct brush *b, int row, int col, struct text *out)
{
	leave_edge(b, out);
	return b->painter->row >= 0 && add_lines(b, row, out) && add_columns(b, col, out);
}

static void
move_to(struct brush *b, int row, int col)
{
	struct painter *p = b->painter;
	struct text *out = b->out;
	if (p->row == row && p->col == col)
		return;
	size_t start = out->length;
	b->terminal->move(out, row, col);
	size_t end = out->length, length = end - start;
	if (relative_way(b, row, col, out) && out->length - end < length) {
		length = out->length - end;
		memmove(out->data + start, out->data + end, length);
	}
	text_cut(out, start + length);
	p->row = row;
	p->col = col;
}

/* Return the length of the string that moves the cursor forward to COL in its row. */
static size_t
forward_cost(struct brush *b, int col)
{
	struct painter *p = b->painter;
	int count = col - p->col;
	bool kept = b->terminal->forward && count < PAINT_COSTS;
	if (kept && p->costs[count])
		return p->costs[count];
	size_t start = b->out->length;
	if (b->terminal->forward)
		b->terminal->forward(b->out, count);
	else
		b->terminal->move(b->out, p->row, col);
	size_t cost = b->out->length - start;
	text_cut(b->out, start);
	if (kept)
		p->costs[count] = (uint8_t)cost;
	return cost;
}

static void
set_role(struct brush *b, enum role role)
{
	const struct paint_terminal *t = b->terminal;
	enum role before = b->painter->role;
	if (strcmp(t->style[role], t->style[before]) != 0)
		text_add(b->out, t->covers[role][before] ? t->style[role] : t->anew[role]);
	b->painter->role = role;
}

/* --- rows -------------------------------------------------------------- */

/* True if all terminals agree on the width of a character.  They do for letters up to the
 * scripts of India and for those of East Asia.  They also do for lines and blocks outside East
 * Asian locales.  Other symbols, emoji and combining characters vary. */
static bool
sure_width(const struct brush *b, const struct cell *cell)
{
	uint32_t code = cell->code[0];
	bool line = code >= 0x2500 && code < 0x25a0;
	return !cell->code[1] && (code < 0x900 || (code >= 0x2e80 && code < 0xfb00) ||
				  (line && !b->terminal->wide_lines));
}

/* True if a cell can be drawn in the style of ROLE. */
static bool
suits_style(const struct brush *b, const struct cell *cell, enum role role)
{
	return cell->role == role || (is_blank(b, cell) && !b->terminal->marks_blanks[role]);
}

/* Draw cells from column COL, where the cursor is, up to END.  Stop where the style changes or
 * the cursor's position is no longer known.  Return the column after them. */
static int
put_run(struct brush *b, const struct cell *cells, int col, int end)
{
	enum { CELL_BYTES = 4 * CELL_CODES };
	struct painter *p = b->painter;
	char bytes[RUN_BYTES];
	size_t length = 0;
	if (!suits_style(b, &cells[col], p->role))
		set_role(b, (enum role)cells[col].role);
	while (col < end && p->row >= 0 && p->col == col && length + CELL_BYTES <= RUN_BYTES &&
	       suits_style(b, &cells[col], p->role)) {
		const struct cell *cell = &cells[col];
		for (int i = 0; i < CELL_CODES && cell->code[i]; i++) {
			if (cell->code[i] < 0x80) /* nearly always */
				bytes[length++] = (char)cell->code[i];
			else
				length += text_encode(cell->code[i], bytes + length);
		}
		col += cell->columns ? cell->columns : 1;
		p->col += cell->columns;
		if (!sure_width(b, cell) || (p->col >= p->shown.cols && !b->terminal->wraps_late))
			p->row = -1; /* the next position depends on the terminal */
	}
	text_add_bytes(b->out, bytes, length);
	return col;
}

/* Return the bytes needed to get past the cells [from, to) by writing them again. */
static size_t
copy_cost(const struct brush *b, const struct cell *cells, int from, int to)
{
	for (int col = from; col < to; col++) {
		const struct cell *cell = &cells[col];
		if (cell->code[0] >= 0x80 || cell->code[1] || !cell->columns)
			return NEVER_COPIED;
		if (!is_blank(b, cell) && strcmp(b->terminal->style[cell->role],
						 b->terminal->style[b->painter->role]) != 0)
			return NEVER_COPIED;
		if (is_blank(b, cell) && b->terminal->marks_blanks[b->painter->role])
			return NEVER_COPIED;
	}
	return (size_t)(to - from);
}

/* Return the column to draw from, to reach COL in a row.  The cells before COL are right
 * already, and the cell at COL has ROLE.  If the cells after the cursor are as cheap to draw
 * again as to skip, return the cursor's column.  Else move the cursor to COL. */
static int
move_to_cell(struct brush *b, const struct cell *cells, int row, int col, enum role role)
{
	struct painter *p = b->painter;
	if (p->row == row && p->col < col) {
		size_t most = forward_cost(b, col);
		if (copy_cost(b, cells, p->col, col) > most)
			set_role(b, role); /* needed anyway, and may make the cells cheaper */
		if (copy_cost(b, cells, p->col, col) <= most)
			return p->col;
	}
	move_to(b, row, col);
	return col;
}

/* Return the first column of the blank rest of a row. */
static int
blank_from(const struct brush *b, const struct cell *cells, int cols)
{
	while (cols && is_blank(b, &cells[cols - 1]))
		cols--;
	return cols;
}

/* True if the erase sequence is shorter than COUNT blanks. */
static bool
brush_erases(const struct brush *b, int count)
{
	return b->terminal->erase && count > (int)strlen(b->terminal->erase);
}

/* Return the column after the character at COL. */
static int
column_after(const struct cell *cells, int col)
{
	return col + (cells[col].columns ? cells[col].columns : 1);
}

/* Return the first column from COL on, below END, with a cell that must change. */
static int
next_column(const struct brush *b, const struct cell *old, const struct cell *cells, int col,
	    int end)
{
	while (col < end && same_cell(b, &old[col], &cells[col]))
		col = column_after(cells, col);
	return col;
}

/* Return the end, at most END, of a run from COL: cells that must change, with short gaps that
 * need no other style. */
static int
run_end(const struct brush *b, const struct cell *old, const struct cell *cells, int col, int end)
{
	int until = col;
	enum role role = ROLE_NORMAL;
	while (col < end && col - until <= GAP) {
		const struct cell *cell = &cells[col];
		bool right = same_cell(b, &old[col], cell);
		if (right &&
		    (cell->code[0] >= 0x80 || cell->code[1] || !suits_style(b, cell, role)))
			break;
		col = column_after(cells, col);
		if (!right) {
			until = col;
			role = (enum role)cell->role;
		}
	}
	return until;
}

/* Turn row AT of the screen from `old` into `cells`. */
static void
update_row(struct brush *b, int at, struct cell *old, const struct cell *cells)
{
	int cols = b->painter->shown.cols, col = 0;
	int end = blank_from(b, cells, cols), rest = blank_from(b, old, cols);
	bool corner = at == b->painter->shown.rows - 1 && !b->terminal->wraps_late;
	int edge = cols - corner, text_end = brush_erases(b, rest - end) ? end : edge;
	while ((col = next_column(b, old, cells, col, edge)) < edge) {
		if (col >= end && brush_erases(b, rest - col)) {
			int from = move_to_cell(b, cells, at, col, ROLE_NORMAL);
			while (from < col)
				from = put_run(b, cells, from, col);
			move_to(b, at, col);
			set_role(b, ROLE_NORMAL);
			text_add(b->out, b->terminal->erase);
			break;
		}
		int until = run_end(b, old, cells, col, col < end ? text_end : edge);
		while (col < until) {
			col = move_to_cell(b, cells, at, col, (enum role)cells[col].role);
			col = put_run(b, cells, col, until);
		}
	}
	memcpy(old, cells, (size_t)cols * sizeof *cells);
}

/* --- shifts ------------------------------------------------------------ */

/* A move of rows [top, bottom] of the screen up by `by` (down if negative). */
struct shift {
	int by, top, bottom;
};

/* Return how many more rows are right after a shift.  Count rows that it brings into place.
 * Subtract rows between the first and the last one that are already right. */
static int
count_gain(const uint64_t *old, const uint64_t *hashes, int rows, int by)
{
	int gain = 0, right = 0; /* since the last row that gained */
	for (int row = by < 0 ? -by : 0; row < rows && row + by < rows; row++) {
		if (hashes[row] == old[row]) {
			right += gain > 0;
		} else if (hashes[row] == old[row + by]) {
			gain += 1 - right;
			right = 0;
		}
	}
	return gain;
}

static void
hash_rows(const struct canvas *canvas, uint64_t *hashes)
{
	for (int row = 0; row < canvas->rows; row++)
		hashes[row] = byte_map_hash(row_of(canvas, row),
					    (size_t)canvas->cols * sizeof *canvas->cells);
}

/* True if at least two rows differ.  Fewer gain nothing by a shift. */
static bool
differs_twice(const struct canvas *old, const struct canvas *canvas)
{
	int different = 0;
	for (int row = 0; row < canvas->rows && different < 2; row++)
		different += !same_row(canvas, row, old, row);
	return different == 2;
}

/* Return the shift that brings most rows into place.  Rows are compared by hashes: a wrong shift
 * only costs bytes. */
static struct shift
find_shift(struct painter *p, const struct canvas *canvas)
{
	const struct canvas *old = &p->shown;
	int rows = canvas->rows, most = 1;
	struct shift shift = {0};
	if (!differs_twice(old, canvas))
		return shift;
	p->hashes = mem_resize(p->hashes, 2 * (size_t)rows * sizeof *p->hashes);
	hash_rows(old, p->hashes);
	hash_rows(canvas, p->hashes + rows);
	for (int by = 1 - rows; by < rows; by++) {
		int gain = by ? count_gain(p->hashes, p->hashes + rows, rows, by) : 0;
		if (gain > most) {
			most = gain;
			shift.by = by;
		}
	}
	if (!shift.by)
		return shift;
	int first = -1, last = -1; /* surviving rows, at their new place */
	for (int row = 0; row < rows; row++) {
		int from = row + shift.by;
		if (from >= 0 && from < rows && !same_row(canvas, row, old, row) &&
		    similar_row(canvas, row, old, from)) {
			first = first < 0 ? row : first;
			last = row;
		}
	}
	if (first < 0)
		return (struct shift){0};
	shift.top = shift.by > 0 ? first : first + shift.by;
	shift.bottom = shift.by > 0 ? last + shift.by : last;
	return shift;
}

static void
scroll_terminal(struct brush *b, const struct shift *shift)
{
	struct painter *p = b->painter;
	if (p->top != shift->top || p->bottom != shift->bottom) {
		b->terminal->region(b->out, shift->top, shift->bottom);
		p->top = shift->top;
		p->bottom = shift->bottom;
		p->row = -1; /* setting a region moves the cursor */
	}
	set_role(b, ROLE_NORMAL); /* new rows get the background */
	int edge = shift->by > 0 ? shift->bottom : shift->top;
	leave_edge(b, b->out);
	if (p->row != edge)
		move_to(b, edge, 0);
	for (int i = 0; i < shift->by; i++)
		text_add_char(b->out, '\n');
	for (int i = 0; i < -shift->by; i++)
		text_add(b->out, b->terminal->reverse_index);
}

static void
apply_shift(struct brush *b, const struct shift *shift, const struct canvas *canvas)
{
	struct canvas *shown = &b->painter->shown;
	int cols = shown->cols, height = shift->bottom - shift->top + 1;
	int by = shift->by > 0 ? shift->by : -shift->by;
	int from = shift->by > 0 ? shift->top + by : shift->top;
	int to = shift->by > 0 ? shift->top : shift->top + by;
	int blank = shift->by > 0 ? shift->bottom - by + 1 : shift->top;
	for (int row = from; row < from + height - by; row++)
		update_row(b, row, shown->cells + row * cols, row_of(canvas, row - from + to));
	scroll_terminal(b, shift);
	memmove(shown->cells + to * cols, shown->cells + from * cols,
		(size_t)((height - by) * cols) * sizeof *shown->cells);
	struct area area = {blank, 0, by, cols};
	for (int row = 0; row < by; row++)
		canvas_fill(shown, &area, row, 0, cols, ROLE_NORMAL, ' ');
}

/* --- all --------------------------------------------------------------- */

static void
start_anew(struct brush *b, const struct canvas *canvas)
{
	struct painter *p = b->painter;
	canvas_resize(&p->shown, canvas->rows, canvas->cols);
	text_add(b->out, b->terminal->plain);
	if (b->terminal->region)
		b->terminal->region(b->out, 0, canvas->rows - 1);
	text_add(b->out, b->terminal->clear);
	p->known = true;
	p->role = ROLE_NORMAL;
	p->top = p->row = p->col = 0;
	p->bottom = canvas->rows - 1;
	if (*b->terminal->style[ROLE_NORMAL])
		text_add(b->out, b->terminal->style[ROLE_NORMAL]);
}

static void
place_cursor(struct brush *b, const struct canvas *canvas)
{
	struct painter *p = b->painter;
	bool show = canvas->cursor_row >= 0;
	if (show)
		move_to(b, canvas->cursor_row, canvas->cursor_col);
	if (show != p->cursor_shown) {
		const char *string = show ? b->terminal->show_cursor : b->terminal->hide_cursor;
		text_add(b->out, string ? string : "");
	}
	p->cursor_shown = show;
}

void
painter_paint(struct painter *painter, const struct paint_terminal *terminal,
	      const struct canvas *canvas, struct text *out)
{
	struct brush brush = {painter, terminal, out};
	struct canvas *shown = &painter->shown;
	if (!painter->known || shown->rows != canvas->rows || shown->cols != canvas->cols)
		start_anew(&brush, canvas);
	if (terminal->region && terminal->reverse_index) {
		struct shift shift = find_shift(painter, canvas);
		if (shift.by)
			apply_shift(&brush, &shift, canvas);
	}
	for (int row = 0; row < canvas->rows; row++)
		if (!same_row(shown, row, canvas, row))
			update_row(&brush, row, shown->cells + row * shown->cols,
				   row_of(canvas, row));
	if (out->length)
		set_role(&brush, ROLE_NORMAL);
	place_cursor(&brush, canvas);
}
