/*
 * The table of panes: where cells stand, by columns drawn by hand.
 */
#include "config.h"

#include "test.h"

#include "ui/panes/table.h"
#include "ui/screen/screen.h"

#include <locale.h>
#include <string.h>

enum { COLS = 24, NAME = 0, COUNT, NOTE };

static const char *const names[] = {"a", "much too long", "b", "c", "d", "e", "f"};

static void
fill(struct screen *screen, struct table_row *row, size_t i)
{
	(void)screen;
	table_putf(row, NAME, row->current ? ROLE_CURSOR : ROLE_NORMAL, "%s", names[i]);
	table_putf(row, COUNT, ROLE_NORMAL, "%zu", i * i * i);
	if (i % 2)
		table_put(row, NOTE, ROLE_NOTE, "x", 1);
	if (i == 3)
		table_put(row, NOTE, ROLE_MARK, "yz", 2);
}

static struct text
row_text(const struct canvas *c, int row)
{
	struct text text = {0};
	for (int col = 0; col < c->cols; col++)
		text_add_char(&text, (char)c->cells[row * c->cols + col].code[0]);
	return text;
}

static void
assert_row(const struct canvas *c, int row, const char *expected)
{
	struct text text = row_text(c, row);
	assert_string_equal(text.data, expected);
	text_free(&text);
}

static int
draw(const struct table_column *columns, struct canvas *c, struct table *table, int rows)
{
	struct screen screen = {.focus = PANE_MARKS};
	const struct table_spec spec = {.pane = PANE_MARKS,
					.columns = columns,
					.column_count = 3,
					.left = 1,
					.count = sizeof names / sizeof *names,
					.fill = fill};
	const struct area area = {0, 0, rows, COLS};
	canvas_resize(c, rows, COLS);
	return table_draw(table, &screen, &spec, c, &area);
}

/* Fixed widths: cut, and at the right edge; a cell of two pieces behind them. */
static void
test_fixed(void **state)
{
	(void)state;
	static const struct table_column columns[] = {
	    {"name", 6, .gap = 1}, {"n", 5, .gap = 2, .right = true}, {NULL, TABLE_FLOW}};
	struct canvas c = {0};
	struct table table = {0};
	assert_int_equal(draw(columns, &c, &table, 6), 5);
	assert_row(&c, 0, " name   n               ");
	assert_row(&c, 1, " a          0           ");
	assert_row(&c, 2, " much >     1  x        ");
	assert_row(&c, 4, " c         27  x yz     ");
	assert_int_equal(c.cells[COLS + 1].role, ROLE_CURSOR);
	assert_int_equal(c.cells[2 * COLS + 1].role, ROLE_NORMAL);
	assert_int_equal(c.cells[4 * COLS + 17].role, ROLE_MARK);
	table.cursor.line = 6; /* the last row: the first scroll away, and the header */
	assert_int_equal(draw(columns, &c, &table, 3), 3);
	assert_row(&c, 0, " d         64           ");
	assert_row(&c, 2, " f        216           ");
	assert_int_equal(c.cells[2 * COLS + 1].role, ROLE_CURSOR);
	table_free(&table);
	canvas_free(&c);
}

/* Widths by the cells on the screen, of the rest, and of cells one after another. */
static void
test_measured(void **state)
{
	(void)state;
	static const struct table_column fit[] = {
	    {"name", TABLE_REST, .gap = 1}, {"n", TABLE_FIT, .gap = 1, .right = true}, {NULL, 4}};
	static const struct table_column flow[] = {
	    {NULL, TABLE_HIDDEN, .gap = 9}, {.least = 3, .gap = 1}, {.until = 12}};
	struct canvas c = {0};
	struct table table = {0};
	draw(fit, &c, &table, 6);
	assert_row(&c, 2, " much too long    1 x   ");
	assert_row(&c, 5, " d               64     ");
	draw(flow, &c, &table, 4);
	assert_row(&c, 1, " 1   x                  ");
	assert_row(&c, 2, " 8                      ");
	table_free(&table);
	canvas_free(&c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_fixed),
	    cmocka_unit_test(test_measured),
	};
	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
