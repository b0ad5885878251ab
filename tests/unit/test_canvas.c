/*
 * Cells and areas, and how the panes share out the screen.
 */
#include "config.h"

#include "test.h"

#include "hostile.h"
#include "random.h"
#include "ui/screen/canvas.h"
#include "ui/screen/layout.h"
#include "ui/screen/paint.h"

#include <locale.h>
#include <string.h>

static char
at(const struct canvas *c, int row, int col)
{
	return (char)c->cells[row * c->cols + col].code[0];
}

static const struct cell *
cell(const struct canvas *c, int row, int col)
{
	return &c->cells[row * c->cols + col];
}

static void
test_clipping(void **state)
{
	(void)state;
	struct canvas c = {0};
	canvas_resize(&c, 4, 10);
	struct area area = {1, 2, 2, 4};
	assert_int_equal(canvas_puts(&c, &area, 0, 1, ROLE_ERROR, "abcdef"), 4);
	assert_int_equal(at(&c, 1, 2), ' ');
	assert_int_equal(at(&c, 1, 3), 'a');
	assert_int_equal(at(&c, 1, 5), 'c');
	assert_int_equal(at(&c, 1, 6), ' '); /* the area ends before it */
	assert_int_equal(cell(&c, 1, 3)->role, ROLE_ERROR);
	canvas_puts(&c, &area, 2, 0, ROLE_NORMAL, "below");
	canvas_puts(&c, &area, -1, 0, ROLE_NORMAL, "above");
	for (int col = 0; col < 10; col++) {
		assert_int_equal(at(&c, 3, col), ' ');
		assert_int_equal(at(&c, 0, col), ' ');
	}
	canvas_puts(&c, &area, 1, -2, ROLE_NORMAL, "xyz");
	assert_int_equal(at(&c, 2, 1), ' ');
	assert_int_equal(at(&c, 2, 2), 'z');
	struct area outside = {-5, 8, 20, 20};
	canvas_fill(&c, &outside, 5, -3, 40, ROLE_RULE, '-');
	assert_int_equal(at(&c, 0, 7), ' ');
	assert_int_equal(at(&c, 0, 8), '-');
	assert_int_equal(at(&c, 0, 9), '-');
	canvas_free(&c);
}

static void
put_cell(struct canvas *c, int columns, const char *text, const char *wanted)
{
	const struct area area = {0, 0, 1, 12};
	char got[13] = "............";
	canvas_fill(c, &area, 0, 0, 12, ROLE_NORMAL, '.');
	canvas_put_cell(c, &area, 0, 1, columns, ROLE_NORMAL, text, strlen(text));
	for (int col = 0; col < 12; col++)
		got[col] = cell(c, 0, col)->code[0] < 0x80 ? at(c, 0, col) : 'W';
	assert_string_equal(got, wanted);
}

/* What is cut does not read as another text. */
static void
test_cells(void **state)
{
	(void)state;
	struct canvas c = {0};
	canvas_resize(&c, 1, 12);
	put_cell(&c, 8, "PRINTF3", ".PRINTF3....");
	put_cell(&c, 8, "PRINTF32", ".PRINTF32...");
	put_cell(&c, 7, "PRINTF32", ".PRINTF>....");
	put_cell(&c, 1, "PRINTF32", ".>..........");
	put_cell(&c, 0, "PRINTF32", "............");
	put_cell(&c, -1, "PRINTF32", "............");
	put_cell(&c, 20, "a long text", ".a long text");
	put_cell(&c, 20, "a longer text", ".a longer t>");
	/* half of a wide character has no room */
	assert_int_equal(text_columns("\xe4\xb8\xad", 3, TEXT_UTF8), 2);
	put_cell(&c, 4,
		 "ab\xe4\xb8\xad"
		 "cd",
		 ".ab >.......");
	canvas_free(&c);
}

static void
test_wide_characters(void **state)
{
	(void)state;
	struct canvas c = {0};
	canvas_resize(&c, 1, 5);
	struct area all = {0, 0, 1, 5};
	assert_int_equal(canvas_puts(&c, &all, 0, 0, ROLE_NORMAL, "a\u65e5\u672c\u8a9e"), 5);
	assert_int_equal(cell(&c, 0, 1)->code[0], 0x65e5);
	assert_int_equal(cell(&c, 0, 1)->columns, 2);
	assert_int_equal(cell(&c, 0, 2)->columns, 0);
	assert_int_equal(cell(&c, 0, 3)->code[0], 0x672c);
	canvas_clear(&c);
	struct area narrow = {0, 0, 1, 2}; /* half a character stays out */
	canvas_puts(&c, &narrow, 0, 1, ROLE_NORMAL, "\u65e5");
	assert_int_equal(at(&c, 0, 1), ' ');
	assert_int_equal(at(&c, 0, 2), ' ');
	canvas_puts(&c, &all, 0, 0, ROLE_NORMAL, "e\u0301x"); /* combining acute */
	assert_int_equal(cell(&c, 0, 0)->code[1], 0x301);
	assert_int_equal(at(&c, 0, 1), 'x');
	canvas_free(&c);
}

static void
test_roles(void **state)
{
	(void)state;
	struct canvas c = {0};
	canvas_resize(&c, 1, 4);
	struct area all = {0, 0, 1, 4};
	canvas_puts(&c, &all, 0, 0, ROLE_NORMAL, "abcd");
	canvas_role(&c, &all, 0, 1, 2, ROLE_MATCH);
	assert_int_equal(cell(&c, 0, 0)->role, ROLE_NORMAL);
	assert_int_equal(cell(&c, 0, 1)->role, ROLE_MATCH);
	assert_int_equal(cell(&c, 0, 2)->role, ROLE_MATCH);
	assert_int_equal(cell(&c, 0, 3)->role, ROLE_NORMAL);
	assert_int_equal(at(&c, 0, 1), 'b');
	canvas_free(&c);
}

/* Text with controls is drawn as text_add_safe shows it, and measured like that. */
static void
test_controls(void **state)
{
	(void)state;
	struct canvas c = {0};
	const struct area all = {0, 0, 1, 12};
	canvas_resize(&c, 1, 12);
	put_cell(&c, 11, "a\033b", ".a\\x1bb.....");
	put_cell(&c, 6, "a\033b", ".a\\x1bb.....");
	put_cell(&c, 5, "a\033b", ".a   >......");
	put_cell(&c, 11, "\342\200\256", ".\\u{202e}...");
	put_cell(&c, 11, "\302\233", ".\\x9b.......");
	put_cell(&c, 11, "\233\n", ".\\x9b\\n.....");
	put_cell(&c, 11, "\\x1b", ".\\x1b......."); /* safe already */
	c.charset = TEXT_ASCII;
	put_cell(&c, 11, "\u00e9", ".\\u{00e9}...");
	assert_int_equal(canvas_putf(&c, &all, 0, 0, ROLE_NORMAL, "%s", "\a\u00e9"), 12);
	canvas_fill(&c, &all, 0, 0, 2, ROLE_NORMAL, '\033');
	assert_int_equal(at(&c, 0, 0), '?');
	canvas_free(&c);
}

/* --- a screen of any bytes ---------------------------------------------- */

/* One byte that no text can have: relative movements are never shorter. */
static void
put_move(struct text *out, int row, int col)
{
	(void)row;
	(void)col;
	text_add(out, "\001");
}

static int
random_int(uint64_t *seed, int from, int to)
{
	return from + (int)random_below(seed, (size_t)(to - from));
}

static size_t
random_text(char *text, size_t size, uint64_t *seed)
{
	static const char *const pieces[] = {HOSTILE, "\u65e5\u672c", "e\u0301", "plain"};
	size_t length = 0;
	while (length < size) {
		const char *piece = pieces[random_below(seed, 4)];
		piece += random_below(seed, strlen(piece));
		if (random_below(seed, 2))
			text[length++] = (char)random_next(seed);
		else
			for (; *piece && length < size; piece++)
				text[length++] = *piece;
	}
	return length;
}

/* Calls one of the drawing functions. */
static void
draw_anything(struct canvas *c, const struct canvas *other, uint64_t *seed)
{
	const struct area area = {random_int(seed, -2, 5), random_int(seed, -5, 30),
				  random_int(seed, 0, 6), random_int(seed, 0, 40)};
	int row = random_int(seed, -1, 5), col = random_int(seed, -3, 30);
	int columns = random_int(seed, -1, 30);
	enum role role = (enum role)random_below(seed, ROLE_COUNT);
	char text[41];
	size_t length = random_text(text, random_below(seed, sizeof text), seed);
	text[length] = '\0';
	switch (random_below(seed, 7)) {
	case 0:
		canvas_put(c, &area, row, col, role, text, length);
		break;
	case 1:
		canvas_puts(c, &area, row, col, role, text);
		break;
	case 2:
		canvas_putf(c, &area, row, col, role, "%s%c", text, (char)random_next(seed));
		break;
	case 3:
		canvas_put_cell(c, &area, row, col, columns, role, text, length);
		break;
	case 4:
		canvas_fill(c, &area, row, col, columns, role, (char)random_next(seed));
		break;
	case 5:
		canvas_role(c, &area, row, col, columns, role);
		break;
	default:
		canvas_copy(c, &area, row, other);
		break;
	}
}

/* Whatever is drawn: what is painted holds no control but those of the terminal's strings. */
static void
test_any_bytes(void **state)
{
	(void)state;
	struct paint_terminal terminal = {.clear = "\001", .plain = "", .move = put_move};
	struct painter painter = {0};
	struct canvas c = {0}, other = {.charset = TEXT_ASCII};
	struct text out = {0};
	uint64_t seed = 3;
	canvas_resize(&c, 4, 30);
	canvas_resize(&other, 1, 20);
	for (int round = 0; round < 20000; round++) {
		c.charset = round / 100 & 1 ? TEXT_ASCII : TEXT_UTF8;
		draw_anything(round & 1 ? &other : &c, round & 1 ? &c : &other, &seed);
		text_clear(&out);
		painter_paint(&painter, &terminal, &c, &out);
		const char *bad = hostile_find(text_get(&out), out.length, "\001");
		if (bad)
			fail_msg("round %d: byte 0x%02x of %zu", round, (unsigned char)*bad,
				 out.length);
	}
	text_free(&out);
	paint_free(&painter);
	canvas_free(&c);
	canvas_free(&other);
}

/* --- layout ------------------------------------------------------------ */

static struct layout
layout_of(int rows, int cols, bool detail, bool hex)
{
	struct layout_wish wish = {.rows = rows, .cols = cols};
	wish.open[PANE_LIST] = true;
	wish.open[PANE_DETAIL] = detail;
	wish.open[PANE_HEX] = hex;
	return layout_make(&wish);
}

/* Each row of the screen is given out once, and areas lie on the screen. */
static void
check_layout(const struct layout *l, int rows, int cols)
{
	int used = l->title.rows + l->status.rows;
	bool beside = l->bar.rows > 0;
	for (int i = 0; i < PANE_COUNT; i++) {
		const struct area *a = &l->panes[i];
		assert_true(a->rows >= 0 && a->row >= 0 && a->row + a->rows <= rows);
		assert_true(a->cols >= 0 && a->col >= 0 && a->col + a->cols <= cols);
		if (!beside || (i != PANE_DETAIL && i != PANE_HEX))
			used += a->rows + l->rules[i].rows;
	}
	assert_int_equal(used, rows);
}

static void
test_layout(void **state)
{
	(void)state;
	for (int rows = 1; rows < 60; rows++) {
		for (int cols = 1; cols < 210; cols += 7) {
			for (int open = 0; open < 4; open++) {
				struct layout l = layout_of(rows, cols, open & 1, open & 2);
				check_layout(&l, rows, cols);
				assert_true(l.panes[PANE_LIST].rows >= 1);
			}
		}
	}
}

/* The order in which parts leave: interface, section on the screen. */
static void
test_layout_runs_out(void **state)
{
	(void)state;
	struct layout l = layout_of(24, 80, true, true);
	assert_true(l.panes[PANE_DETAIL].rows && l.panes[PANE_HEX].rows);
	assert_true(l.panes[PANE_HEX].row > l.panes[PANE_DETAIL].row);
	l = layout_of(11, 80, true, true); /* hex leaves first */
	assert_true(l.panes[PANE_DETAIL].rows && !l.panes[PANE_HEX].rows);
	l = layout_of(6, 80, true, true); /* then detail */
	assert_true(!l.panes[PANE_DETAIL].rows && l.title.rows);
	l = layout_of(3, 80, true, true); /* then the title */
	assert_true(!l.title.rows && l.status.rows);
	l = layout_of(1, 80, true, true); /* the current message alone */
	assert_true(!l.status.rows && l.panes[PANE_LIST].rows == 1);
	struct layout_wish wish = {.rows = 5, .cols = 20, .focus = PANE_FILTERS};
	wish.open[PANE_LIST] = wish.open[PANE_FILTERS] = true;
	l = layout_make(&wish); /* but where somebody works stays in sight */
	assert_true(l.panes[PANE_FILTERS].rows == 3 && !l.panes[PANE_LIST].rows);
}

/* A pane alone below the list takes the rows it could fill, up to 55 %. */
static void
test_layout_fill(void **state)
{
	(void)state;
	struct layout_wish wish = {.rows = 24, .cols = 80}; /* 22 without title and status */
	static const struct {
		int fill, rows;
	} cases[] = {{0, 8}, {3, 8}, {8, 8}, {11, 11}, {12, 12}, {13, 12}, {99, 12}};
	wish.open[PANE_LIST] = wish.open[PANE_TIMELINE] = true;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		wish.fill_rows[PANE_TIMELINE] = cases[i].fill;
		struct layout l = layout_make(&wish);
		assert_int_equal(l.panes[PANE_TIMELINE].rows + 1, cases[i].rows);
		check_layout(&l, 24, 80);
	}
	wish.open[PANE_DETAIL] = true; /* but with another one a quarter */
	assert_int_equal(layout_make(&wish).panes[PANE_TIMELINE].rows + 1, 5);
	wish.open[PANE_DETAIL] = false;
	wish.rows = 8; /* the list keeps three */
	assert_int_equal(layout_make(&wish).panes[PANE_TIMELINE].rows + 1, 3);
}

static void
test_layout_wide(void **state)
{
	(void)state;
	struct layout l = layout_of(50, 200, true, true);
	assert_int_equal(l.panes[PANE_DETAIL].row, l.panes[PANE_LIST].row + 1);
	assert_true(l.panes[PANE_DETAIL].col > l.panes[PANE_LIST].cols);
	assert_int_equal(l.panes[PANE_HEX].col, l.panes[PANE_DETAIL].col); /* below it */
	assert_true(l.panes[PANE_HEX].row > l.panes[PANE_DETAIL].row);
	assert_int_equal(layout_of(50, 131, true, false).bar.rows, 0);
	assert_true(layout_of(50, 132, true, false).bar.rows > 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_clipping),	cmocka_unit_test(test_wide_characters),
	    cmocka_unit_test(test_cells),	cmocka_unit_test(test_roles),
	    cmocka_unit_test(test_controls),	cmocka_unit_test(test_any_bytes),
	    cmocka_unit_test(test_layout),	cmocka_unit_test(test_layout_runs_out),
	    cmocka_unit_test(test_layout_fill), cmocka_unit_test(test_layout_wide),
	};
	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests_name("canvas", tests, NULL, NULL);
}
