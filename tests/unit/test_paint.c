/*
 * What the painter sends, seen through a terminal emulator: whatever canvases
 * follow each other, the terminal shows the last one; and a step down a list
 * costs little more than its new row.
 */
#include "config.h"

#include "test.h"

#include "emulator.h"
#include "random.h"
#include "ui/screen/paint.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The strings of xterm, ECMA-48 but for the cursor's visibility. */
static void
move(struct text *out, int row, int col)
{
	text_addf(out, "\033[%d;%dH", row + 1, col + 1);
}

static void
forward(struct text *out, int columns)
{
	text_addf(out, "\033[%dC", columns);
}

static void
region(struct text *out, int top, int bottom)
{
	text_addf(out, "\033[%d;%dr", top + 1, bottom + 1);
}

static struct paint_terminal
xterm(void)
{
	struct paint_terminal t = {.clear = "\033[H\033[2J",
				   .erase = "\033[K",
				   .reverse_index = "\033M",
				   .plain = "\033[m",
				   .show_cursor = "\033[?25h",
				   .hide_cursor = "\033[?25l",
				   .wraps_late = true,
				   .move = move,
				   .forward = forward,
				   .region = region};
	strcpy(t.style[ROLE_ERROR], "\033[1m");
	strcpy(t.style[ROLE_WARNING], "\033[4m");
	strcpy(t.style[ROLE_CURSOR], "\033[7m");
	strcpy(t.style[ROLE_TROUBLE], "\033[1;4m");
	t.marks_blanks[ROLE_WARNING] = t.marks_blanks[ROLE_CURSOR] = true;
	t.marks_blanks[ROLE_TROUBLE] = true;
	for (int role = 0; role < ROLE_COUNT; role++) {
		snprintf(t.anew[role], PAINT_STYLE_SIZE, "%s%s", t.plain, t.style[role]);
		for (int under = 0; under < ROLE_COUNT; under++)
			t.covers[role][under] = !*t.style[under];
	}
	t.covers[ROLE_TROUBLE][ROLE_ERROR] = true; /* bold, and underlined */
	return t;
}

/* A terminal that can only move its cursor and clear. */
static struct paint_terminal
simple(void)
{
	struct paint_terminal t = xterm();
	t.erase = t.reverse_index = NULL;
	t.forward = NULL;
	t.region = NULL;
	return t;
}

static void
check_shown(const struct emulator *e, const struct canvas *c)
{
	for (int row = 0; row < c->rows; row++) {
		for (int col = 0; col < c->cols; col++) {
			const struct cell *want = &c->cells[row * c->cols + col];
			struct emulator_cell got = emulator_cell(e, row, col);
			if (!got.code && want->columns)
				got.code = ' ';
			assert_int_equal(got.code, want->code[0]);
			if (!want->columns)
				continue;
			bool blank = want->code[0] == ' ';
			assert_int_equal(got.reverse, want->role == ROLE_CURSOR);
			assert_int_equal(got.underline,
					 want->role == ROLE_WARNING || want->role == ROLE_TROUBLE);
			assert_true(blank || got.bold == (want->role == ROLE_ERROR ||
							  want->role == ROLE_TROUBLE));
		}
	}
}

/* --- random screens ---------------------------------------------------- */

static void
draw_line(struct canvas *c, int row, uint64_t *seed)
{
	static const char *const words[] = {"alpha", "boot", "\u65e5\u672c", "x", "caf\u00e9",
					    "0x1f",  "    ", "\U0001f319",   "-", "queue full"};
	static const enum role roles[] = {ROLE_NORMAL,	ROLE_NORMAL, ROLE_ERROR,
					  ROLE_WARNING, ROLE_CURSOR, ROLE_TROUBLE};
	struct area all = {0, 0, c->rows, c->cols};
	int col = 0;
	canvas_fill(c, &all, row, 0, c->cols, ROLE_NORMAL, ' ');
	for (uint32_t n = random_below(seed, 9); n && col < c->cols; n--)
		col = canvas_puts(c, &all, row, col, roles[random_below(seed, 6)],
				  words[random_below(seed, 10)]) +
		      (int)random_below(seed, 4);
}

/* Moves rows [from, to) by BY, as a list does. */
static void
shift_lines(struct canvas *c, int from, int to, int by, uint64_t *seed)
{
	size_t size = (size_t)c->cols * sizeof *c->cells;
	struct cell *copy = malloc((size_t)c->rows * size);
	memcpy(copy, c->cells, (size_t)c->rows * size);
	for (int row = from; row < to; row++) {
		if (row + by >= from && row + by < to)
			memcpy(c->cells + row * c->cols, copy + (row + by) * c->cols, size);
		else
			draw_line(c, row, seed);
	}
	free(copy);
}

static void
change(struct canvas *c, uint64_t *seed)
{
	int rows = c->rows;
	int from = (int)random_below(seed, (uint32_t)rows);
	int to = from + 1 + (int)random_below(seed, (uint32_t)(rows - from));
	switch (random_below(seed, 6)) {
	case 0:
		for (int row = 0; row < rows; row++)
			draw_line(c, row, seed);
		break;
	case 1:
		draw_line(c, from, seed);
		break;
	case 2:
		break; /* nothing at all */
	default:
		shift_lines(c, from, to, (int)random_below(seed, 7) - 3, seed);
		draw_line(c, from, seed);
		break;
	}
}

static void
follow(struct paint_terminal *t, int rows, int cols, uint64_t seed)
{
	struct emulator *e = emulator_new(rows, cols);
	struct painter painter = {0};
	struct canvas c = {0};
	struct text out = {0};
	canvas_resize(&c, rows, cols);
	for (int round = 0; round < 300; round++) {
		change(&c, &seed);
		c.cursor_row =
		    random_below(&seed, 4) ? -1 : (int)random_below(&seed, (uint32_t)rows);
		c.cursor_col = 0;
		if (round == 150)
			paint_forget(&painter);
		text_clear(&out);
		painter_paint(&painter, t, &c, &out);
		emulator_feed(e, text_get(&out), out.length);
		check_shown(e, &c);
	}
	text_free(&out);
	canvas_free(&c);
	paint_free(&painter);
	emulator_free(e);
}

static void
test_any_screen_after_any(void **state)
{
	(void)state;
	struct paint_terminal t = xterm();
	for (uint64_t seed = 1; seed <= 20; seed++)
		follow(&t, 2 + (int)seed, 20 + 3 * (int)seed, seed);
	follow(&t, 1, 1, 7);
	follow(&t, 1, 80, 8);
	follow(&t, 24, 1, 9);
}

static void
test_simple_terminal(void **state)
{
	(void)state;
	struct paint_terminal t = simple();
	for (uint64_t seed = 1; seed <= 5; seed++)
		follow(&t, 12, 40, seed);
}

/* A terminal that wraps at once loses its corner, and nothing else. */
static void
test_corner(void **state)
{
	(void)state;
	struct paint_terminal t = xterm();
	struct painter painter = {0};
	struct canvas c = {0};
	struct text out = {0};
	struct area all = {0, 0, 2, 4};
	t.wraps_late = false;
	canvas_resize(&c, 2, 4);
	canvas_puts(&c, &all, 0, 0, ROLE_NORMAL, "abcd");
	canvas_puts(&c, &all, 1, 0, ROLE_NORMAL, "efgh");
	painter_paint(&painter, &t, &c, &out);
	assert_non_null(strstr(text_get(&out), "abcd"));
	assert_non_null(strstr(text_get(&out), "efg"));
	assert_null(strchr(text_get(&out), 'h'));
	text_free(&out);
	canvas_free(&c);
	paint_free(&painter);
}

/* --- what it costs ----------------------------------------------------- */

enum { ROWS = 24, COLS = 80 };

/* A screen as the list draws it, the cursor on the last row. */
static int
draw_list(struct canvas *c, unsigned first, bool cursor_last)
{
	struct area all = {0, 0, ROWS, COLS};
	int length = 0;
	canvas_clear(c);
	canvas_puts(c, &all, 0, 0, ROLE_CURSOR, " title");
	for (int row = 1; row < ROWS - 1; row++) {
		bool current = cursor_last ? row == ROWS - 2 : row == 1;
		enum role role = current ? ROLE_CURSOR : ROLE_NORMAL;
		canvas_puts(c, &all, row, 0, role, current ? "> " : "  ");
		int col = canvas_putf(c, &all, row, 2, role, "%10.6f", 4.1 + (first + row) * 1e-5);
		length = canvas_putf(c, &all, row, col + 1, ROLE_NORMAL,
				     "I ipc:0   mbox %u full, retry", first + (unsigned)row);
	}
	canvas_putf(c, &all, ROWS - 1, 0, ROLE_NORMAL, " rec %u", first + 4711);
	return length;
}

static size_t
cost(struct painter *painter, const struct paint_terminal *t, const struct canvas *c)
{
	struct text out = {0};
	painter_paint(painter, t, c, &out);
	size_t length = out.length;
	text_free(&out);
	return length;
}

/* The promise: a step is the new row and at most 40 bytes, the status
 * included; nothing new is nothing sent. */
static void
test_cost_of_a_step(void **state)
{
	(void)state;
	struct paint_terminal t = xterm();
	struct painter painter = {0};
	struct canvas c = {0};
	canvas_resize(&c, ROWS, COLS);
	draw_list(&c, 100, true);
	cost(&painter, &t, &c);
	draw_list(&c, 101, true); /* sets the region */
	cost(&painter, &t, &c);
	int length = draw_list(&c, 102, true);
	assert_in_range(cost(&painter, &t, &c), length, length + 40);
	assert_int_equal(cost(&painter, &t, &c), 0);
	draw_list(&c, 100, false);
	cost(&painter, &t, &c);
	length = draw_list(&c, 99, false);
	assert_in_range(cost(&painter, &t, &c), length, length + 40);
	canvas_free(&c);
	paint_free(&painter);
}

/* Rows that stay, however many, are no reason not to scroll those above them. */
static void
test_cost_above_a_pane(void **state)
{
	(void)state;
	enum { LIST_ROWS = 6 };
	struct paint_terminal t = xterm();
	struct painter painter = {0};
	struct canvas c = {0};
	struct area all = {0, 0, ROWS, COLS};
	int length = 0;
	canvas_resize(&c, ROWS, COLS);
	for (int row = LIST_ROWS; row < ROWS; row++)
		canvas_putf(&c, &all, row, 0, ROLE_NORMAL, "row %d of a pane that stays", row);
	for (int step = 0; step < 4; step++) {
		for (int row = 0; row < LIST_ROWS; row++) {
			canvas_fill(&c, &all, row, 0, COLS, ROLE_NORMAL, ' ');
			length = canvas_putf(&c, &all, row, 0, ROLE_NORMAL,
					     "%d is a message of its own, %x", 100 + step + row,
					     0x1357u * (unsigned)(step + row));
		}
		size_t bytes = cost(&painter, &t, &c);
		if (step > 1) /* the region is set */
			assert_in_range(bytes, length, length + 20);
	}
	canvas_free(&c);
	paint_free(&painter);
}

/* A title in reverse that changes along stays out of the region: its blanks are no
 * reason to take it for the row below moved up. */
static void
test_cost_beside_a_title(void **state)
{
	(void)state;
	struct paint_terminal t = xterm();
	struct painter painter = {0};
	struct canvas c = {0};
	struct area all = {0, 0, ROWS, COLS};
	canvas_resize(&c, ROWS, COLS);
	for (unsigned step = 0; step < 4; step++) {
		int length = draw_list(&c, 100 + step, true);
		canvas_fill(&c, &all, 0, 0, COLS, ROLE_CURSOR, ' ');
		canvas_puts(&c, &all, 0, 0, ROLE_CURSOR, step % 2 ? " title odd" : " title even");
		canvas_fill(&c, &all, 1, 0, COLS, ROLE_NORMAL, ' ');
		canvas_puts(&c, &all, 1, 0, ROLE_NORMAL, "  time text");
		size_t bytes = cost(&painter, &t, &c);
		if (step > 1) /* the title: to it, reversed, 4 letters, plain */
			assert_in_range(bytes, length, length + 40 + 6 + 4 + 4 + 3);
	}
	canvas_free(&c);
	paint_free(&painter);
}

/* What a frame begins with where the cursor is in the status row and the list's
 * last row comes first: up and to the margin, three bytes. */
static void
test_cost_of_the_way_up(void **state)
{
	(void)state;
	struct paint_terminal t = xterm();
	struct painter painter = {0};
	struct canvas c = {0};
	struct text out = {0};
	canvas_resize(&c, ROWS, COLS);
	for (unsigned first = 100; first < 103; first++) {
		text_clear(&out);
		draw_list(&c, first, true);
		painter_paint(&painter, &t, &c, &out);
	}
	assert_memory_equal(out.data, "\033M\r  ", 5);
	text_free(&out);
	canvas_free(&c);
	paint_free(&painter);
}

/* A style goes on top of another that it covers, without a reset between; what is
 * shorter as blanks is not erased. */
static void
test_cost_of_styles(void **state)
{
	(void)state;
	struct paint_terminal t = xterm();
	struct painter painter = {0};
	struct canvas c = {0};
	struct text out = {0};
	struct area all = {0, 0, 1, COLS};
	canvas_resize(&c, 1, COLS);
	cost(&painter, &t, &c);
	canvas_puts(&c, &all, 0, 0, ROLE_ERROR, "a");
	canvas_puts(&c, &all, 0, 1, ROLE_TROUBLE, "b");
	canvas_puts(&c, &all, 0, 2, ROLE_ERROR, "c");
	painter_paint(&painter, &t, &c, &out);
	assert_string_equal(out.data, "\033[1ma\033[1;4mb\033[m\033[1mc\033[m");
	text_clear(&out);
	canvas_puts(&c, &all, 0, 0, ROLE_NORMAL, "d  ");
	painter_paint(&painter, &t, &c, &out);
	assert_string_equal(out.data, "\rd  ");
	text_clear(&out);
	canvas_puts(&c, &all, 0, 0, ROLE_NORMAL, "de");
	painter_paint(&painter, &t, &c, &out);
	assert_string_equal(out.data, "\b\be");
	text_free(&out);
	canvas_free(&c);
	paint_free(&painter);
}

/* Cells that are right are drawn again where they are few, of one byte each and of the
 * style around them; else they are passed. */
static void
test_cost_of_gaps(void **state)
{
	(void)state;
	static const struct {
		const char *before, *after, *sent;
	} rows[] = {{"abcde", "AbcdE", "\rAbcdE"},
		    {"abcdefg", "AbcdefG", "\rA\033[5CG"},
		    {"a\u00e9c", "A\u00e9C", "\rA\033[1CC"},
		    {"a!c", "A!C", "\rA\033[1CC"}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct paint_terminal t = xterm();
		struct painter painter = {0};
		struct canvas c = {0};
		struct text out = {0};
		struct area all = {0, 0, 1, COLS};
		canvas_resize(&c, 1, COLS);
		for (int after = 0; after < 2; after++) {
			text_clear(&out);
			canvas_puts(&c, &all, 0, 0, ROLE_NORMAL,
				    after ? rows[i].after : rows[i].before);
			if (rows[i].before[1] == '!')
				canvas_puts(&c, &all, 0, 1, ROLE_ERROR, "!");
			painter_paint(&painter, &t, &c, &out);
		}
		assert_string_equal(out.data, rows[i].sent);
		text_free(&out);
		canvas_free(&c);
		paint_free(&painter);
	}
}

/* Blocks follow each other like letters; only where they may be wide, the cursor
 * is placed again after each. */
static void
test_cost_of_blocks(void **state)
{
	(void)state;
	for (int wide = 0; wide < 2; wide++) {
		struct paint_terminal t = xterm();
		struct painter painter = {0};
		struct canvas c = {0};
		struct area all = {0, 0, ROWS, COLS};
		t.wide_lines = wide;
		canvas_resize(&c, ROWS, COLS);
		cost(&painter, &t, &c);
		for (int col = 10; col < 50; col++)
			canvas_puts(&c, &all, 5, col, ROLE_NORMAL, "\u2585");
		size_t bytes = cost(&painter, &t, &c);
		if (wide)
			assert_true(bytes >= 40 * 3 + 40 * 5);
		else
			assert_in_range(bytes, 40 * 3, 40 * 3 + 20);
		canvas_free(&c);
		paint_free(&painter);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_any_screen_after_any),
	    cmocka_unit_test(test_simple_terminal),
	    cmocka_unit_test(test_corner),
	    cmocka_unit_test(test_cost_of_a_step),
	    cmocka_unit_test(test_cost_above_a_pane),
	    cmocka_unit_test(test_cost_beside_a_title),
	    cmocka_unit_test(test_cost_of_the_way_up),
	    cmocka_unit_test(test_cost_of_styles),
	    cmocka_unit_test(test_cost_of_gaps),
	    cmocka_unit_test(test_cost_of_blocks),
	};
	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests_name("paint", tests, NULL, NULL);
}
