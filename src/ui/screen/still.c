/*
 * The last screen as text or SVG: see still.h.
 *
 * A text has no colours.  Where a colour alone would mark something, the parts
 * of the screen use characters, as on a terminal without colours.
 *
 * In an SVG each run of cells with the same role is one or more text elements.
 * If its background differs from the picture's, it is also a rectangle.  The
 * viewer's font is not known.  To keep columns aligned, each text is made as
 * wide as its cells (textLength).  Characters that may come from another font
 * are separate texts.
 */
#include "config.h"

#include "ui/screen/still.h"
#include "base/vec.h"
#include "ui/screen/colour.h"
#include "ui/screen/term.h"

#include <stdlib.h>
#include <string.h>

/* Size of a cell in pixels.  Most monospace fonts are 0.6 of their size wide. */
enum { WIDTH = 9, HEIGHT = 18, BASELINE = 14, FONT_SIZE = 15 };

enum { PALETTE = 256, BRIGHTEST = 255 };

static const char fonts[] = "ui-monospace,SFMono-Regular,Menlo,Consolas,DejaVu Sans Mono,"
			    "Liberation Mono,monospace";

/* Style of a role, with its colours parsed. */
struct still_style {
	struct colour fg, bg;
	bool bold, dim, underline, reverse;
};

struct still_term {
	struct term base; /* first: see still_of */
	struct still *still;
	struct canvas shown;
	struct still_style styles[ROLE_STYLES];
	uint32_t text, background; /* the picture's own colours, 0xrrggbb */
};

static struct still_term *
still_of(const struct term *base)
{
	return (struct still_term *)base;
}

/* --- text ---------------------------------------------------------------- */

/* Append the characters of a cell.  Characters that XML does not allow become U+FFFD. */
static void
add_cell(const struct cell *cell, bool xml, struct text *out)
{
	for (int i = 0; i < CELL_CODES && cell->code[i]; i++) {
		char bytes[4];
		uint32_t code = cell->code[i];
		if (xml && (code == 0xfffe || code == 0xffff))
			code = 0xfffd;
		if (xml && (code == '&' || code == '<' || code == '>'))
			text_add(out, code == '&' ? "&amp;" : code == '<' ? "&lt;" : "&gt;");
		else
			text_add_bytes(out, bytes, text_encode(code, bytes));
	}
}

static bool
is_blank(const struct cell *cell)
{
	return cell->code[0] == ' ' && !cell->code[1];
}

static void
add_row(const struct cell *cells, int cols, struct text *out)
{
	while (cols && is_blank(&cells[cols - 1]))
		cols--;
	for (int col = 0; col < cols; col++)
		add_cell(&cells[col], false, out);
	text_add_char(out, '\n');
}

/* --- SVG ----------------------------------------------------------------- */

/* Return the perceived brightness of a colour, up to BRIGHTEST. */
static int
brightness_of(uint32_t rgb)
{
	return (int)((299 * (rgb >> 16) + 587 * (rgb >> 8 & 0xff) + 114 * (rgb & 0xff)) / 1000);
}

static uint32_t
rgb_of(struct colour colour, uint32_t own)
{
	if (colour.kind == COLOUR_PALETTE)
		return colour_of_palette(colour.value);
	return colour.kind == COLOUR_RGB ? colour.value : own;
}

/* Choose the background, dark or light, on which the faintest text of the theme stands
 * out more. */
static void
choose_own_colours(struct still_term *term)
{
	int least = BRIGHTEST, most = 0;
	for (int i = 0; i < ROLE_STYLES; i++) {
		const struct still_style *style = &term->styles[i];
		if (style->fg.kind == COLOUR_OWN || style->bg.kind != COLOUR_OWN)
			continue;
		int brightness = brightness_of(rgb_of(style->fg, 0));
		least = brightness < least ? brightness : least;
		most = brightness > most ? brightness : most;
	}
	bool light = BRIGHTEST - most > least;
	term->text = light ? 0x1c1c1c : 0xd0d0d0;
	term->background = light ? 0xffffff : 0x121212;
}

/* Cells of a row, from column COL up to END. */
struct still_run {
	const struct cell *cells; /* of the row */
	int row, col, end;
};

static bool
is_plain(const struct cell *cell)
{
	return cell->code[0] < 0x80 && !cell->code[1];
}

/* True if a cell belongs to the text element of FIRST, which has the same role. */
static bool
goes_on(const struct cell *first, const struct cell *cell)
{
	return !cell->columns ||
	       (cell->columns == first->columns && is_plain(cell) == is_plain(first));
}

/* Return the column after the cells from COL on, up to END, that share one role.  With TEXT,
 * they also share one text element. */
static int
run_end(const struct cell *cells, int col, int end, bool text)
{
	const struct cell *first = &cells[col];
	while (++col < end && cells[col].role == first->role &&
	       (!text || goes_on(first, &cells[col])))
		continue;
	return col;
}

static void
add_rectangle(const struct still_run *run, uint32_t rgb, struct text *out)
{
	text_addf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%06x\"/>\n",
		  run->col * WIDTH, run->row * HEIGHT, (run->end - run->col) * WIDTH, HEIGHT, rgb);
}

/* Append a text element.  Leave out blanks at its ends unless they are underlined. */
static void
add_text(struct still_run run, const struct still_style *style, uint32_t rgb, struct text *out)
{
	while (!style->underline && run.col < run.end && is_blank(&run.cells[run.col]))
		run.col++;
	while (!style->underline && run.col < run.end && is_blank(&run.cells[run.end - 1]))
		run.end--;
	if (run.col == run.end)
		return;
	text_addf(out, "<text x=\"%d\" y=\"%d\" textLength=\"%d\" fill=\"#%06x\"%s%s%s%s>",
		  run.col * WIDTH, run.row * HEIGHT + BASELINE, (run.end - run.col) * WIDTH, rgb,
		  is_plain(&run.cells[run.col]) ? "" : " lengthAdjust=\"spacingAndGlyphs\"",
		  style->bold ? " font-weight=\"bold\"" : "",
		  style->dim ? " fill-opacity=\"0.6\"" : "",
		  style->underline ? " text-decoration=\"underline\"" : "");
	for (int col = run.col; col < run.end; col++)
		add_cell(&run.cells[col], true, out);
	text_add(out, "</text>\n");
}

/* Append the elements for cells with the same role. */
static void
add_run(const struct still_term *term, const struct still_run *run, struct text *out)
{
	const struct still_style *style = &term->styles[run->cells[run->col].role];
	uint32_t fg = rgb_of(style->fg, term->text), bg = rgb_of(style->bg, term->background);
	uint32_t behind = style->reverse ? fg : bg;
	struct still_run text = *run;
	if (behind != term->background)
		add_rectangle(run, behind, out);
	for (; text.col < run->end; text.col = text.end) {
		text.end = run_end(run->cells, text.col, run->end, true);
		add_text(text, style, style->reverse ? bg : fg, out);
	}
}

static void
add_svg(const struct still_term *term, struct text *out)
{
	const struct canvas *canvas = &term->shown;
	int width = canvas->cols * WIDTH, height = canvas->rows * HEIGHT;
	text_addf(out,
		  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		  "viewBox=\"0 0 %d %d\" xml:space=\"preserve\">\n"
		  "<rect width=\"%d\" height=\"%d\" fill=\"#%06x\"/>\n"
		  "<g font-family=\"%s\" font-size=\"%d\" "
		  "shape-rendering=\"crispEdges\">\n",
		  width, height, width, height, width, height, term->background, fonts, FONT_SIZE);
	for (int row = 0; row < canvas->rows; row++) {
		const struct cell *cells = canvas->cells + (ptrdiff_t)row * canvas->cols;
		struct still_run run = {.cells = cells, .row = row};
		for (; run.col < canvas->cols; run.col = run.end) {
			run.end = run_end(cells, run.col, canvas->cols, false);
			add_run(term, &run, out);
		}
	}
	text_add(out, "</g>\n</svg>\n");
}

/* --- the term -------------------------------------------------------------- */

static void
still_size(const struct term *base, int *rows, int *cols)
{
	const struct still *still = still_of(base)->still;
	*rows = still->rows;
	*cols = still->cols;
}

static void
still_theme(struct term *base, const struct theme *theme, char *const *colours, size_t count)
{
	struct still_term *term = still_of(base);
	for (size_t i = 0; i < ROLE_STYLES; i++) {
		const struct style from = theme_style(theme, i, colours, count);
		struct still_style *style = &term->styles[i];
		*style = (struct still_style){.bold = from.bold,
					      .dim = from.dim,
					      .underline = from.underline,
					      .reverse = from.reverse};
		colour_parse(from.fg, &style->fg);
		colour_parse(from.bg, &style->bg);
	}
	const struct still_style *error = &term->styles[ROLE_ERROR];
	base->has_colours =
	    term->still->svg && (error->fg.kind != COLOUR_OWN || error->bg.kind != COLOUR_OWN);
}

static void
still_paint(struct term *base, const struct canvas *canvas)
{
	struct canvas *shown = &still_of(base)->shown;
	canvas_resize(shown, canvas->rows, canvas->cols);
	memcpy(shown->cells, canvas->cells,
	       (size_t)canvas->rows * (size_t)canvas->cols * sizeof *canvas->cells);
}

static void
still_close(struct term *base)
{
	struct still_term *term = still_of(base);
	struct text *out = &term->still->out;
	choose_own_colours(term);
	if (term->still->svg)
		add_svg(term, out);
	for (int row = 0; row < term->shown.rows && !term->still->svg; row++)
		add_row(term->shown.cells + (ptrdiff_t)row * term->shown.cols, term->shown.cols,
			out);
	canvas_free(&term->shown);
	free(term);
}

static const struct term_ops still_ops = {
    .close = still_close, .size = still_size, .theme = still_theme, .paint = still_paint};

struct term *
still_open(struct still *still)
{
	struct still_term *term = mem_new(sizeof *term);
	term->base =
	    (struct term){.ops = &still_ops, .file = -1, .colours = still->svg ? PALETTE : -1};
	term->still = still;
	return &term->base;
}
