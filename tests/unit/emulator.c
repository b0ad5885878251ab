/* libvterm as the tests use it: see emulator.h. */
#include "config.h"

#include "emulator.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>
#include <vterm.h>

struct emulator {
	VTerm *vterm;
	VTermScreen *screen;
	int rows, cols;
	struct text row;
};

struct emulator *
emulator_new(int rows, int cols)
{
	struct emulator *e = mem_new(sizeof *e);
	e->vterm = vterm_new(rows, cols);
	vterm_set_utf8(e->vterm, 1);
	e->screen = vterm_obtain_screen(e->vterm);
	vterm_screen_enable_altscreen(e->screen, 1);
	vterm_screen_reset(e->screen, 1);
	e->rows = rows;
	e->cols = cols;
	return e;
}

void
emulator_free(struct emulator *e)
{
	vterm_free(e->vterm);
	text_free(&e->row);
	free(e);
}

void
emulator_resize(struct emulator *e, int rows, int cols)
{
	vterm_set_size(e->vterm, rows, cols);
	e->rows = rows;
	e->cols = cols;
}

void
emulator_feed(struct emulator *e, const char *bytes, size_t length)
{
	vterm_input_write(e->vterm, bytes, length);
	vterm_screen_flush_damage(e->screen);
}

struct emulator_cell
emulator_cell(const struct emulator *e, int row, int col)
{
	VTermScreenCell cell;
	vterm_screen_get_cell(e->screen, (VTermPos){.row = row, .col = col}, &cell);
	return (struct emulator_cell){
	    .code = cell.chars[0] == (uint32_t)-1 ? 0 : cell.chars[0],
	    .bold = cell.attrs.bold,
	    .underline = cell.attrs.underline != VTERM_UNDERLINE_OFF,
	    .reverse = cell.attrs.reverse,
	    .fg = VTERM_COLOR_IS_DEFAULT_FG(&cell.fg) || !VTERM_COLOR_IS_INDEXED(&cell.fg)
		      ? -1
		      : cell.fg.indexed.idx,
	    .coloured =
		!VTERM_COLOR_IS_DEFAULT_FG(&cell.fg) || !VTERM_COLOR_IS_DEFAULT_BG(&cell.bg),
	};
}

void
emulator_ascii_lines(struct text *text)
{
	static const struct {
		const char *line;
		char ascii;
	} lines[] = {{"\u2500", '-'}, {"\u2550", '='}, {"\u2502", '|'}};
	for (size_t i = 0; text->length && i < sizeof lines / sizeof *lines; i++) {
		size_t length = strlen(lines[i].line);
		for (char *at = text->data; (at = strstr(at, lines[i].line));) {
			*at++ = lines[i].ascii;
			memmove(at, at + length - 1, strlen(at + length - 1) + 1);
			text->length -= length - 1;
		}
	}
}

const char *
emulator_row(struct emulator *e, int row)
{
	size_t end = 0;
	text_clear(&e->row);
	for (int col = 0; col < e->cols; col++) {
		VTermScreenCell cell;
		char bytes[4];
		vterm_screen_get_cell(e->screen, (VTermPos){.row = row, .col = col}, &cell);
		if (cell.chars[0] == (uint32_t)-1)
			continue; /* behind a wide one */
		if (!cell.chars[0])
			text_add_char(&e->row, ' ');
		for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell.chars[i]; i++)
			text_add_bytes(&e->row, bytes, text_encode(cell.chars[i], bytes));
		if (cell.chars[0] && cell.chars[0] != ' ')
			end = e->row.length;
	}
	text_cut(&e->row, end);
	emulator_ascii_lines(&e->row);
	return text_get(&e->row);
}

void
emulator_screen(struct emulator *e, struct text *out)
{
	for (int row = 0; row < e->rows; row++) {
		text_add(out, emulator_row(e, row));
		text_add_char(out, '\n');
	}
}
