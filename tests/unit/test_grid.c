/*
 * The grid by itself: numbers past 2^32, and what comes back from bytes.
 */
#include "config.h"

#include "test.h"

#include "base/vec.h"
#include "index/grid.h"
#include "index/walk.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE = RECORD_MAX };

static struct index_cell
cell_of(uint32_t debug, uint32_t errors)
{
	struct index_cell cell = {.count = debug + errors};
	cell.severities[SEVERITY_DEBUG] = debug;
	cell.severities[SEVERITY_ERROR] = errors;
	return cell;
}

static struct grid *
filled(uint64_t cells, uint32_t debug, uint32_t errors)
{
	uint8_t checkpoint[SIZE] = "start";
	struct grid *grid = grid_new(SIZE, 0, checkpoint);
	struct index_cell cell = cell_of(debug, errors);
	for (uint64_t i = 0; i < cells; i++) {
		memcpy(checkpoint, &i, sizeof i);
		checkpoint[SIZE - 1] = (uint8_t)i;
		grid_add(grid, &cell, checkpoint);
	}
	return grid;
}

/* 3000 cells of three thousand million messages: more than 2^43. */
static void
test_large(void **state)
{
	(void)state;
	const uint64_t each = 3000000007, cells = 3000;
	struct grid *grid = filled(cells, 3000000000, 7);
	uint64_t cell, first;
	assert_int_equal(grid_messages(grid), cells * each);
	for (uint64_t c = 0; c < cells; c += 37) {
		struct index_cell found;
		assert_true(grid_find(grid, c * each, &cell));
		assert_int_equal(cell, c);
		assert_true(grid_find(grid, c * each + each - 1, &cell));
		assert_int_equal(cell, c);
		assert_true(grid_cell(grid, c, &found));
		assert_int_equal(found.first, c * each);
		assert_non_null(grid_checkpoint(grid, c, &first));
		assert_int_equal(first, c * each);
	}
	struct index_cell none;
	assert_string_equal(grid_checkpoint(grid, 0, &first), "start");
	memcpy(&cell, grid_checkpoint(grid, 2000, &first), sizeof cell);
	assert_int_equal(cell, 1999); /* the one behind the cell before */
	assert_false(grid_find(grid, cells * each, &cell));
	assert_false(grid_cell(grid, cells, &none));
	assert_non_null(grid_checkpoint(grid, cells, &first));
	assert_null(grid_checkpoint(grid, cells + 1, &first));
	grid_free(grid);
}

/* Memory grows by whole chunks: what the cells in it take, and their checkpoints. */
static void
test_memory(void **state)
{
	(void)state;
	const size_t chunk = GRID_CHUNK * (sizeof(struct index_cell) + SIZE);
	struct grid *empty = filled(0, 0, 0);
	/* and the directory of chunks, 16384 pointers */
	assert_in_range(grid_memory(empty) - chunk, 128 << 10, 129 << 10);
	for (size_t chunks = 0; chunks < 3; chunks++) {
		struct grid *grid = filled(GRID_CHUNK * chunks + GRID_CHUNK / 2, 1, 0);
		assert_int_equal(grid_memory(grid) - grid_memory(empty), chunks * chunk);
		grid_free(grid);
	}
	grid_free(empty);
}

static struct grid *
copy(const struct text *bytes, uint64_t cells, bool *good)
{
	uint8_t start[SIZE] = "start";
	struct grid *grid = grid_new(SIZE, 0, start);
	struct bytes_rest rest = {(const uint8_t *)text_get(bytes), bytes->length};
	*good = grid_read(grid, &rest, cells);
	return grid;
}

static void
test_bytes(void **state)
{
	(void)state;
	struct grid *grid = filled(2500, 30, 4);
	struct text bytes = {0};
	bool good;
	grid_write(grid, &bytes);
	struct grid *back = copy(&bytes, 2500, &good);
	assert_true(good);
	assert_int_equal(grid_messages(back), 2500 * 34);
	for (uint64_t c = 0; c <= 2500; c++) {
		uint64_t first[2];
		assert_memory_equal(grid_checkpoint(grid, c, &first[0]),
				    grid_checkpoint(back, c, &first[1]), SIZE);
		assert_int_equal(first[0], first[1]);
	}
	grid_free(back);

	back = copy(&bytes, 100, &good); /* the first of them */
	assert_true(good);
	assert_int_equal(grid_known(back), 100);
	grid_free(back);
	grid_free(copy(&bytes, 2501, &good)); /* more than there are */
	assert_false(good);
	bytes.length--;
	grid_free(copy(&bytes, 2500, &good)); /* the last one is cut */
	assert_false(good);
	grid_free(grid);
	text_free(&bytes);
}

/* Losses add up, also of what comes back from bytes; what is dropped is one. */
static void
test_losses(void **state)
{
	(void)state;
	const uint64_t cells = 2 * GRID_CHUNK + 10, dropped = GRID_CHUNK + 1;
	uint8_t checkpoint[SIZE] = "start";
	struct grid *grid = grid_new(SIZE, 0, checkpoint);
	struct text bytes = {0};
	bool good;
	uint64_t all = 0, front = 0;
	for (uint64_t i = 0; i < cells; i++) {
		struct index_cell cell = cell_of(7, 3);
		cell.losses = i % 11;
		all += cell.losses;
		front += i < dropped ? cell.losses : 0;
		grid_add(grid, &cell, checkpoint);
	}
	assert_int_equal(grid_losses(grid), all);
	grid_write(grid, &bytes);
	struct grid *back = copy(&bytes, cells, &good);
	assert_true(good);
	assert_int_equal(grid_losses(back), all);
	grid_drop(grid, dropped);
	grid_clear(grid);
	assert_int_equal(grid_losses(grid), all - front + 1);
	grid_free(back);
	grid_free(grid);
	text_free(&bytes);
}

/* Cells that no walk can have found are refused. */
static void
test_impossible(void **state)
{
	(void)state;
	struct grid *grid = filled(3, 30, 4);
	struct text bytes = {0};
	bool good;
	grid_write(grid, &bytes);
	const size_t record = sizeof(struct index_cell) + SIZE;
	static const size_t members[] = {
	    offsetof(struct index_cell, first), offsetof(struct index_cell, count),
	    offsetof(struct index_cell, severities), offsetof(struct index_cell, losses),
	    offsetof(struct index_cell, flags)};
	for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
		bytes.data[record + members[i]] ^= 0x40;
		grid_free(copy(&bytes, 3, &good));
		assert_false(good);
		bytes.data[record + members[i]] ^= 0x40;
	}
	grid_free(copy(&bytes, 3, &good));
	assert_true(good);
	grid_free(grid);
	text_free(&bytes);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_large), cmocka_unit_test(test_memory),
	    cmocka_unit_test(test_bytes), cmocka_unit_test(test_losses),
	    cmocka_unit_test(test_impossible)};
	return cmocka_run_group_tests_name("grid", tests, NULL, NULL);
}
