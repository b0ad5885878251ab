/*
 * The grid, its sums and checkpoints, holes, growth and the end of a capture,
 * with the toy format: what the index says is compared with one walk over all
 * messages.
 */
#include "config.h"

#include "test.h"

#include "base/thread.h"
#include "base/vec.h"
#include "index/index.h"
#include "index/origin_totals.h"
#include "same_index.h"
#include "toy.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RECORDS = 40000, BYTES = RECORDS * TOY_RECORD };

static uint8_t *
records(size_t count)
{
	uint8_t *bytes = mem_new(count * TOY_RECORD);
	for (size_t i = 0; i < count; i++)
		toy_write(bytes + i * TOY_RECORD, (unsigned)(i * 7 % 8), (unsigned)(i % 5),
			  (uint32_t)i, 1000 + i);
	return bytes;
}

struct fixture {
	char *path;
	struct capture *capture;
	struct decoder *decoder;
	struct index *index;
};

static struct fixture *counts; /* counts the origins of its cells; or NULL */
static uint64_t counted;

void __real_origin_totals_add(struct origin_totals *, const struct tally_row *, size_t);
void __wrap_origin_totals_add(struct origin_totals *, const struct tally_row *, size_t);

void
__wrap_origin_totals_add(struct origin_totals *totals, const struct tally_row *rows, size_t count)
{
	if (counts)
		assert_int_equal(index_known(counts->index), counted++);
	__real_origin_totals_add(totals, rows, count);
}

static struct fixture
open_file(char *path)
{
	struct fixture f = {.path = path, .capture = capture_open(path, NULL, NULL)};
	assert_non_null(f.capture);
	f.decoder = toy_open();
	f.index = index_new(f.capture, f.decoder, NULL);
	return f;
}

static void
close_file(struct fixture *f)
{
	index_free(f->index);
	f->decoder->ops->close(f->decoder);
	capture_close(f->capture);
	unlink(f->path);
	free(f->path);
}

static void
test_sums(void **state)
{
	(void)state;
	uint8_t *bytes = records(RECORDS);
	struct fixture f = open_file(toy_file(bytes, BYTES));
	index_build(f.index);

	struct index_progress progress;
	index_get_progress(f.index, &progress);
	assert_true(progress.complete);
	assert_int_equal(progress.messages, RECORDS);
	for (int s = 0; s < SEVERITY_NONE; s++)
		assert_int_equal(progress.severities[s], RECORDS / 8);
	assert_int_equal(progress.severities[SEVERITY_NONE], 0);

	uint64_t cells = index_cell_count(f.index), first = 0;
	assert_int_equal(index_known(f.index), cells);
	for (uint64_t c = 0; c < cells; c++) {
		struct index_cell cell;
		assert_true(index_cell(f.index, c, &cell));
		assert_int_equal(cell.first, first);
		uint64_t last = first + cell.count - 1;
		assert_int_equal(cell.time_min, 1000 + first);
		assert_int_equal(cell.time_max, 1000 + last);
		assert_int_equal(cell.kinds, 1u << TOY_MESSAGE);
		assert_int_equal(first * TOY_RECORD / index_cell_size(f.index), c);
		assert_int_equal(last * TOY_RECORD / index_cell_size(f.index), c);
		first += cell.count;
	}
	assert_int_equal(first, RECORDS);

	index_origins origins = {0};
	index_get_origins(f.index, &origins);
	assert_int_equal(origins.count, 5);
	for (size_t i = 0; i < 5; i++) {
		uint64_t all = 0;
		for (int s = 0; s < SEVERITY_COUNT; s++)
			all += origins.at[i].severities[s];
		assert_int_equal(origins.at[i].key, i); /* in order of appearance */
		assert_int_equal(all, RECORDS / 5);
		assert_int_equal(origins.at[i].example, i * TOY_RECORD);
	}
	vec_free(&origins);
	free(bytes);
	close_file(&f);
}

/* Records with damage, zeros, a step back in time and a cut end among them. */
static uint8_t *
mixed_records(size_t *length)
{
	uint8_t *bytes = records(RECORDS);
	*length = BYTES - 5;
	for (size_t i = 0; i < RECORDS; i += 97)
		bytes[i * TOY_RECORD] = i % 2 ? 0x11 : 0;
	memset(bytes + BYTES / 3, 0, 3 * 65536);
	for (size_t i = 0; i < RECORDS; i += 1009)
		bytes[i * TOY_RECORD + 9] ^= 0x7f;
	return bytes;
}

/* What a decoder counts without filling messages is what its messages add up to. */
static void
test_summarise(void **state)
{
	(void)state;
	size_t length;
	uint8_t *bytes = mixed_records(&length);
	struct fixture f = open_file(toy_file(bytes, length));
	struct decoder_ops plain = toy_ops;
	plain.summarise = NULL;
	struct decoder stepping = *f.decoder;
	stepping.ops = &plain;
	struct index *stepped = index_new(f.capture, &stepping, NULL);
	index_build(f.index);
	index_build(stepped);
	same_index(f.decoder, f.index, stepped, "summarise");
	index_free(stepped);
	close_file(&f);
	free(bytes);
}

/* How often this process has read from files; 0 if the system does not say. */
static unsigned long
count_reads(void)
{
	unsigned long count = 0;
	char line[80];
	FILE *f = fopen("/proc/self/io", "r");
	while (f && fgets(line, sizeof line, f))
		sscanf(line, "syscr: %lu", &count);
	if (f)
		fclose(f);
	return count;
}

/* A capture is read in large pieces, however few messages are stepped over at once. */
static void
test_reads(void **state)
{
	enum { MANY = 500000, PIECE = 256 * 1024 };
	uint8_t *bytes = records(MANY);
	struct fixture f = open_file(toy_file(bytes, (size_t)MANY * TOY_RECORD));
	struct index_options options = {.threads = 1, .checked = UINT8_MAX, .cell_shift = 20};
	struct index *looking = index_new(f.capture, f.decoder, &options);
	(void)state;
	unsigned long before = count_reads();
	if (!before)
		skip();
	index_build(looking);
	assert_in_range(count_reads() - before, 1, MANY * TOY_RECORD / PIECE + 16);
	index_free(looking);
	close_file(&f);
	free(bytes);
}

/* As many origins as the toy can have keep their own counts: none is counted
 * together with others. */
static void
test_many_origins(void **state)
{
	(void)state;
	enum { ORIGINS = 256, EACH = 40 };
	uint8_t *bytes = mem_new(ORIGINS * EACH * TOY_RECORD);
	for (unsigned i = 0; i < ORIGINS * EACH; i++)
		toy_write(bytes + i * TOY_RECORD, SEVERITY_INFO, i * 37 % ORIGINS, i, 1000 + i);
	struct fixture f = open_file(toy_file(bytes, ORIGINS * EACH * TOY_RECORD));
	index_origins origins = {0};
	index_build(f.index);
	index_get_origins(f.index, &origins);
	assert_int_equal(origins.count, ORIGINS);
	for (size_t i = 0; i < ORIGINS; i++) {
		assert_int_equal(origins.at[i].key, i * 37 % ORIGINS);
		assert_int_equal(origins.at[i].severities[SEVERITY_INFO], EACH);
	}
	vec_free(&origins);
	free(bytes);
	close_file(&f);
}

/* The origins of a cell are counted before the cell is known. */
static void
test_origins_first(void **state)
{
	(void)state;
	uint8_t *bytes = records(RECORDS);
	struct fixture f = open_file(toy_file(bytes, BYTES));
	counts = &f;
	counted = 0;
	index_build(f.index);
	counts = NULL;
	assert_int_equal(counted, index_cell_count(f.index));
	free(bytes);
	close_file(&f);
}

static void
test_find(void **state)
{
	(void)state;
	uint8_t *bytes = records(RECORDS);
	struct fixture f = open_file(toy_file(bytes, BYTES));
	index_build(f.index);
	uint64_t per_cell = index_cell_size(f.index) / TOY_RECORD, cell;
	static const uint64_t numbers[] = {0, 1, 4095, 4096, 4097, 20000, RECORDS - 1};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		assert_true(index_find(f.index, numbers[i], &cell));
		assert_int_equal(cell, numbers[i] / per_cell);
	}
	assert_false(index_find(f.index, RECORDS, &cell));
	free(bytes);
	close_file(&f);
}

static void
test_checkpoints(void **state)
{
	(void)state;
	/* odd sizes, so that records straddle the borders of cells */
	size_t size = BYTES + 3 * 64;
	uint8_t *bytes = mem_new(size), *plain = records(RECORDS);
	size_t at = 0;
	for (size_t i = 0; i < RECORDS && at + TOY_RECORD + 1 < size; i++) {
		memcpy(bytes + at, plain + i * TOY_RECORD, TOY_RECORD);
		at += TOY_RECORD + (i % 1000 == 999);
	}
	struct fixture f = open_file(toy_file(bytes, at));
	index_build(f.index);
	struct decode_state *own = decode_state_new(f.decoder);
	for (uint64_t c = 0; c < index_cell_count(f.index); c++) {
		uint64_t first;
		struct message m;
		assert_true(index_restore(f.index, c, own, &first));
		struct window w = {.bytes = bytes, .length = at, .until = UINT64_MAX, .last = true};
		assert_int_equal(f.decoder->ops->step(f.decoder, own, &w, &m, 1), 1);
		assert_true(m.offset >= c * index_cell_size(f.index));
		assert_true(m.offset < c * index_cell_size(f.index) + TOY_RECORD + 1);
	}
	decode_state_free(f.decoder, own);
	free(bytes);
	free(plain);
	close_file(&f);
}

/* A hole in the middle gives the same cells as the same zeros written out. */
static void
test_hole(void **state)
{
	(void)state;
	size_t hole = 40u << 20;
	uint8_t *bytes = records(8000), *dense = mem_new(hole + 2 * 128000);
	memcpy(dense, bytes, 128000);
	memcpy(dense + 128000 + hole, bytes, 128000);
	struct fixture full = open_file(toy_file(dense, hole + 2 * 128000));
	char *path = toy_file(bytes, 128000);
	int file = open(path, O_WRONLY);
	assert_int_equal(pwrite(file, bytes, 128000, (off_t)(128000 + hole)), 128000);
	close(file);
	struct fixture sparse = open_file(path);
	index_build(full.index);
	index_build(sparse.index);
	assert_int_equal(index_known(full.index), index_known(sparse.index));
	for (uint64_t c = 0; c < index_known(full.index); c++) {
		struct index_cell a, b;
		assert_true(index_cell(full.index, c, &a));
		assert_true(index_cell(sparse.index, c, &b));
		assert_memory_equal(&a, &b, sizeof a);
	}
	index_origins a = {0}, b = {0};
	index_get_origins(full.index, &a);
	index_get_origins(sparse.index, &b);
	assert_int_equal(a.count, b.count);
	assert_memory_equal(a.at, b.at, a.count * sizeof *a.at);
	vec_free(&a);
	vec_free(&b);
	free(bytes);
	free(dense);
	close_file(&full);
	close_file(&sparse);
}

static void
test_empty(void **state)
{
	(void)state;
	struct fixture f = open_file(toy_file("", 0));
	index_build(f.index);
	struct index_progress progress;
	index_get_progress(f.index, &progress);
	assert_true(progress.complete);
	assert_int_equal(progress.messages, 0);
	close_file(&f);
}

/* While a capture may grow, its end is not settled; later it is. */
static void
test_growth(void **state)
{
	(void)state;
	uint8_t *bytes = records(RECORDS);
	char *path = toy_file(bytes, BYTES / 2);
	struct fixture f = open_file(path);
	capture_follow(f.capture, true);
	index_build(f.index);
	uint64_t known = index_known(f.index);
	assert_true(known * index_cell_size(f.index) <= BYTES / 2);
	assert_true(known > 0);
	int file = open(path, O_WRONLY | O_APPEND);
	assert_int_equal(write(file, bytes + BYTES / 2, BYTES / 2), BYTES / 2);
	close(file);
	assert_int_equal(capture_refresh(f.capture), CAPTURE_GREW);
	capture_follow(f.capture, false);
	index_build(f.index);
	struct index_progress progress;
	index_get_progress(f.index, &progress);
	assert_true(progress.complete);
	assert_int_equal(progress.messages, RECORDS);
	free(bytes);
	close_file(&f);
}

static void
test_thread(void **state)
{
	(void)state;
	uint8_t *bytes = records(RECORDS);
	struct fixture f = open_file(toy_file(bytes, BYTES));
	index_start(f.index);
	struct index_progress progress;
	do {
		usleep(1000);
		index_get_progress(f.index, &progress);
	} while (!progress.complete);
	assert_int_equal(progress.messages, RECORDS);
	index_restart(f.index);
	index_stop(f.index);
	index_restart(f.index);
	index_build(f.index); /* not when it was stopped, */
	assert_int_equal(index_known(f.index), 0);
	index_allow(f.index); /* until it may */
	index_build(f.index);
	assert_int_equal(index_known(f.index), index_cell_count(f.index));
	free(bytes);
	close_file(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_sums),	  cmocka_unit_test(test_summarise),
	    cmocka_unit_test(test_many_origins),  cmocka_unit_test(test_find),
	    cmocka_unit_test(test_checkpoints),	  cmocka_unit_test(test_hole),
	    cmocka_unit_test(test_empty),	  cmocka_unit_test(test_growth),
	    cmocka_unit_test(test_thread),	  cmocka_unit_test(test_reads),
	    cmocka_unit_test(test_origins_first),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
