/*
 * Stills: what is painted last, as text and as SVG.
 */
#include "config.h"

#include "test.h"

#include "ui/screen/still.h"
#include "ui/screen/term.h"

#include <locale.h>
#include <string.h>

enum { ROWS = 4, COLS = 12 };

/* Paints rows of different roles, and returns what the still makes of them. */
static void
take(struct still *still, struct theme *theme)
{
	struct canvas canvas = {0};
	const struct area all = {0, 0, ROWS, COLS};
	char *const colours[] = {(char[]){"#123456"}};
	int rows, cols;
	still->rows = ROWS;
	still->cols = COLS;
	struct term *term = still_open(still);
	term_size(term, &rows, &cols);
	assert_int_equal(rows, ROWS);
	assert_int_equal(cols, COLS);
	assert_int_equal(term_key(term), KEYCODE_NONE);
	assert_int_equal(term->file, -1);
	term_theme(term, theme, colours, 1);
	canvas_resize(&canvas, ROWS, COLS);
	canvas_puts(&canvas, &all, 0, 0, ROLE_NORMAL, "not the last");
	term_paint(term, &canvas);
	canvas_clear(&canvas);
	canvas_puts(&canvas, &all, 0, 1, ROLE_NORMAL, "a<b> & \"c\"");
	canvas_puts(&canvas, &all, 1, 0, ROLE_ERROR, "e");
	canvas_puts(&canvas, &all, 1, 2, ROLE_CURSOR, " x ");
	canvas_puts(&canvas, &all, 1, 6, ROLE_MARK, " u");
	canvas_puts(&canvas, &all, 1, 9, (enum role)ROLE_COUNT, "own");
	canvas_puts(&canvas, &all, 2, 0, ROLE_DEBUG, "a\xe6\xbc\xa2z e\xcc\x81\xe2\x96\x88");
	term_paint(term, &canvas);
	term_close(term);
	canvas_free(&canvas);
}

static void
test_text(void **state)
{
	(void)state;
	struct still still = {0};
	struct theme theme = {0};
	theme.styles[ROLE_ERROR].fg = (char[]){"red"};
	take(&still, &theme);
	assert_string_equal(text_get(&still.out), " a<b> & \"c\"\n"
						  "e  x   u own\n"
						  "a\xe6\xbc\xa2z e\xcc\x81\xe2\x96\x88\n"
						  "\n");
	text_free(&still.out);
}

/* Each cell is 9 by 18 pixels; rows begin at 0, 18, 36. */
static void
test_svg(void **state)
{
	static const char *const parts[] = {
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"108\" height=\"72\" ",
	    "<rect width=\"108\" height=\"72\" fill=\"#121212\"/>\n",
	    "<text x=\"9\" y=\"14\" textLength=\"90\" fill=\"#d0d0d0\">"
	    "a&lt;b&gt; &amp; \"c\"</text>\n",
	    "<rect x=\"0\" y=\"18\" width=\"9\" height=\"18\" fill=\"#ffaf00\"/>\n",
	    "<text x=\"0\" y=\"32\" textLength=\"9\" fill=\"#abcdef\" "
	    "font-weight=\"bold\">e</text>\n",
	    /* reversed: the background is the text's colour, the text the background's */
	    "<rect x=\"18\" y=\"18\" width=\"27\" height=\"18\" fill=\"#d0d0d0\"/>\n"
	    "<text x=\"27\" y=\"32\" textLength=\"9\" fill=\"#121212\">x</text>\n",
	    "<text x=\"54\" y=\"32\" textLength=\"18\" fill=\"#d0d0d0\" "
	    "text-decoration=\"underline\"> u</text>\n",
	    "<text x=\"81\" y=\"32\" textLength=\"27\" fill=\"#123456\" "
	    "font-weight=\"bold\">own</text>",
	    /* of other fonts, perhaps, or wide: texts of their own */
	    ">a</text>\n<text x=\"9\" y=\"50\" textLength=\"18\" fill=\"#d0d0d0\" "
	    "lengthAdjust=\"spacingAndGlyphs\" fill-opacity=\"0.6\">\xe6\xbc\xa2</text>\n",
	    "<text x=\"27\" y=\"50\" textLength=\"9\" fill=\"#d0d0d0\" "
	    "fill-opacity=\"0.6\">z</text>\n",
	    "<text x=\"45\" y=\"50\" textLength=\"18\" fill=\"#d0d0d0\" "
	    "lengthAdjust=\"spacingAndGlyphs\" fill-opacity=\"0.6\">e\xcc\x81\xe2\x96\x88</text>\n",
	    "</g>\n</svg>\n",
	};
	(void)state;
	struct still still = {.svg = true};
	struct theme theme = {0};
	theme.styles[ROLE_ERROR] =
	    (struct style){.fg = (char[]){"#abcdef"}, .bg = (char[]){"color214"}, .bold = true};
	theme.styles[ROLE_CURSOR].reverse = true;
	theme.styles[ROLE_MARK].underline = true;
	theme.styles[ROLE_DEBUG].dim = true;
	theme.styles[ROLE_NOTE].fg = (char[]){"bright-yellow"};
	take(&still, &theme);
	const char *at = text_get(&still.out);
	assert_null(strstr(at, "not the last"));
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		const char *found = strstr(at, parts[i]);
		if (!found)
			fail_msg("no %s in order in:\n%s", parts[i], text_get(&still.out));
		at = found + strlen(parts[i]);
	}
	text_free(&still.out);
}

/* Dark texts stand on a light background. */
static void
test_background(void **state)
{
	(void)state;
	struct still still = {.svg = true};
	struct theme theme = {0};
	theme.styles[ROLE_NOTE].fg = (char[]){"color243"};
	theme.styles[ROLE_ERROR].fg = (char[]){"color160"};
	take(&still, &theme);
	assert_non_null(
	    strstr(text_get(&still.out), "<rect width=\"108\" height=\"72\" fill=\"#ffffff\"/>\n"));
	text_free(&still.out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_text),
	    cmocka_unit_test(test_svg),
	    cmocka_unit_test(test_background),
	};
	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
