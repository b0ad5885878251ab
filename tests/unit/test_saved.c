/*
 * Indexes in files: what is read is what was written, of a capture that grew
 * what stays true; a file that is damaged, cut, or about another capture is not
 * used; one that lies is found out.
 */
#include "config.h"

#include "test.h"

#include "base/file.h"
#include "base/vec.h"
#include "index/saved.h"
#include "same_index.h"
#include "toy.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RECORDS = 1600000, GROWN = 400000 }; /* 24 MiB: 390 cells; and 6 more */

struct fixture {
	char *path;
	char folder[64], cache[128];
	struct capture *capture;
	struct decoder *decoder;
};

static void
add_records(const char *path, uint32_t first, uint32_t count)
{
	FILE *file = fopen(path, "a");
	assert_non_null(file);
	for (uint32_t i = first; i < first + count; i++) {
		uint8_t bytes[TOY_RECORD];
		toy_write(bytes, i * 7 % 8, i / 1000 % 11, i, 1000 + i - i % 977 / 976 * 10);
		fwrite(bytes, sizeof bytes, 1, file);
	}
	assert_int_equal(fclose(file), 0);
}

static struct fixture
set_up(void)
{
	struct fixture f = {.path = toy_file("", 0), .folder = "/tmp/trawl-saved-XXXXXX"};
	assert_non_null(mkdtemp(f.folder));
	snprintf(f.cache, sizeof f.cache, "%s/in/there/a.index", f.folder);
	add_records(f.path, 0, RECORDS);
	f.capture = capture_open(f.path, NULL, NULL);
	f.decoder = toy_open();
	return f;
}

static void
tear_down(struct fixture *f)
{
	char command[256];
	f->decoder->ops->close(f->decoder);
	capture_close(f->capture);
	unlink(f->path);
	free(f->path);
	snprintf(command, sizeof command, "rm -r %s", f->folder);
	assert_int_equal(system(command), 0);
}

static void
reopen(struct fixture *f)
{
	capture_close(f->capture);
	f->capture = capture_open(f->path, NULL, NULL);
	assert_non_null(f->capture);
}

static struct index *
build(struct fixture *f, const char *cache)
{
	struct index_options options = {.cache = cache, .settings = 1};
	struct index *index = index_new(f->capture, f->decoder, &options);
	index_build(index);
	return index;
}

/* Builds with the cache and compares with an index that has none. */
static void
check(struct fixture *f, const char *name)
{
	struct index *kept = build(f, f->cache), *fresh = build(f, NULL);
	same_index(f->decoder, kept, fresh, name);
	index_free(kept);
	index_free(fresh);
}

/* A file that is written again has another inode. */
static ino_t
written(const struct fixture *f)
{
	struct stat st = {0};
	stat(f->cache, &st);
	return st.st_ino;
}

static void
test_again(void **state)
{
	(void)state;
	struct fixture f = set_up();
	check(&f, "written");
	struct stat st;
	assert_int_equal(stat(f.cache, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	ino_t before = written(&f);
	reopen(&f);
	check(&f, "read");
	assert_int_equal(written(&f), before); /* there was nothing to add */
	tear_down(&f);
}

/* All is there before anything is walked. */
static void
test_at_once(void **state)
{
	(void)state;
	struct fixture f = set_up();
	index_free(build(&f, f.cache));
	struct index_options options = {.cache = f.cache, .settings = 1};
	struct index *index = index_new(f.capture, f.decoder, &options);
	index_pause(index, true); /* no worker walks a cell */
	index_start(index);
	struct index_progress progress;
	do {
		usleep(1000);
		index_get_progress(index, &progress);
	} while (progress.messages < RECORDS);
	index_free(index);
	tear_down(&f);
}

static void
test_grown(void **state)
{
	(void)state;
	struct fixture f = set_up();
	check(&f, "before");
	add_records(f.path, RECORDS, GROWN);
	reopen(&f);
	check(&f, "grown");
	reopen(&f);
	check(&f, "and kept");
	tear_down(&f);
}

/* Also of a capture that grew by little all is kept. */
static void
test_grown_little(void **state)
{
	(void)state;
	struct fixture f = set_up();
	struct saved_file file;
	assert_int_equal(truncate(f.path, 260 * 65536), 0);
	reopen(&f);
	check(&f, "before");
	add_records(f.path, 260 * 65536 / TOY_RECORD, 10000);
	reopen(&f);
	check(&f, "grown");
	assert_true(saved_open(f.cache, &file));
	assert_int_equal(file.about.size, capture_size(f.capture));
	saved_close(&file);
	tear_down(&f);
}

/* The index of a capture that grows while it is open keeps what stays true. */
static void
test_growing(void **state)
{
	(void)state;
	struct fixture f = set_up();
	struct index *index = build(&f, NULL);
	add_records(f.path, RECORDS, GROWN);
	assert_int_equal(capture_refresh(f.capture), CAPTURE_GREW);
	index_wake(index);
	index_build(index);
	struct index *fresh = build(&f, NULL);
	same_index(f.decoder, index, fresh, "growing");
	index_free(index);
	index_free(fresh);
	tear_down(&f);
}

static void
test_other_settings(void **state)
{
	(void)state;
	struct fixture f = set_up();
	index_free(build(&f, f.cache));
	struct index_options options = {.cache = f.cache, .settings = 2};
	struct index *index = index_new(f.capture, f.decoder, &options);
	index_pause(index, true);
	index_start(index);
	usleep(50000);
	assert_int_equal(index_known(index), 0);
	index_free(index);
	tear_down(&f);
}

static void
overwrite(const char *path, long at, uint8_t byte)
{
	int file = open(path, O_RDWR);
	assert_true(file >= 0);
	assert_int_equal(pwrite(file, &byte, 1, at), 1);
	close(file);
}

/* Whether the file is used. */
static bool
is_used(struct fixture *f)
{
	struct saved_about now;
	size_t size = f->decoder->ops->checkpoint_size;
	uint8_t start[CHECKPOINT_MAX] = {0};
	struct grid *grid = grid_new(size, 0, start);
	struct origin_totals *totals = origin_totals_new(0, false);
	saved_describe(&now, f->capture, capture_size(f->capture), 1, 16, size);
	bool used =
	    saved_read_index(f->cache, &now, f->capture, f->decoder->ops->reach, grid, totals);
	grid_free(grid);
	origin_totals_free(totals);
	return used;
}

/* Any byte of it changed, or its end missing: as if there were none. */
static void
test_damaged(void **state)
{
	(void)state;
	struct fixture f = set_up();
	index_free(build(&f, f.cache));
	struct stat st;
	assert_int_equal(stat(f.cache, &st), 0);
	uint8_t *bytes = mem_new((size_t)st.st_size);
	FILE *file = fopen(f.cache, "r");
	assert_int_equal(fread(bytes, 1, (size_t)st.st_size, file), st.st_size);
	fclose(file);
	assert_true(is_used(&f));
	for (long at = 0; at < st.st_size; at += at < 200 ? 1 : 97) {
		overwrite(f.cache, at, bytes[at] ^ 0x10);
		assert_false(is_used(&f));
		overwrite(f.cache, at, bytes[at]);
	}
	for (long length = st.st_size - 1; length >= 0; length -= length > 300 ? 1009 : 7) {
		assert_int_equal(truncate(f.cache, length), 0);
		assert_false(is_used(&f));
	}
	check(&f, "a new one in its place");
	assert_true(is_used(&f));
	vec_release(bytes);
	tear_down(&f);
}

/* What else was found: given back for the same bytes and settings, once all cells
 * are known. */
static void
test_more(void **state)
{
	(void)state;
	struct fixture f = set_up();
	struct text body = {0}, back = {0};
	text_add(&body, "found");
	struct index_options options = {.cache = f.cache, .settings = 1};
	struct index *index = index_new(f.capture, f.decoder, &options);
	assert_false(index_store(index, "more", index_generation(index), &body)); /* not complete */
	index_build(index);
	assert_false(index_recall(index, "more", &back));
	assert_false(index_store(index, "more", index_generation(index) - 1, &body));
	assert_true(index_store(index, "more", index_generation(index), &body));
	assert_false(index_recall(index, "less", &back));
	assert_true(index_recall(index, "more", &back));
	assert_string_equal(text_get(&back), "found");
	char path[160], other[160];
	snprintf(path, sizeof path, "%s/in/there/a.more.index", f.folder);
	snprintf(other, sizeof other, "%s/in/there/a.less.index", f.folder);
	assert_int_equal(link(path, other), 0);
	assert_false(index_recall(index, "less", &back)); /* it says what it is */
	index_free(index);

	index = index_new(f.capture, f.decoder, &options);
	assert_false(index_recall(index, "more", &back)); /* no cell is known */
	index_build(index);
	assert_true(index_recall(index, "more", &back));
	index_free(index);
	options.settings = 2;
	index = index_new(f.capture, f.decoder, &options);
	index_build(index);
	assert_false(index_recall(index, "more", &back));
	index_free(index);
	options = (struct index_options){.settings = 1};
	index = index_new(f.capture, f.decoder, &options);
	index_build(index);
	assert_false(index_store(index, "more", index_generation(index), &body)); /* nowhere */
	assert_false(index_recall(index, "more", &back));
	index_free(index);
	text_free(&body);
	text_free(&back);
	tear_down(&f);
}

static void
put_aged(struct fixture *f, const char *name, size_t size, time_t written)
{
	char path[128];
	struct timespec times[2] = {{.tv_sec = written}, {.tv_sec = written}};
	snprintf(path, sizeof path, "%s/%s", f->folder, name);
	int file = open(path, O_RDWR | O_CREAT, 0600);
	assert_true(file >= 0);
	assert_int_equal(pwrite(file, "trawl 7", 8, 0), 8);
	assert_int_equal(ftruncate(file, (off_t)size), 0);
	assert_int_equal(futimens(file, times), 0);
	close(file);
}

static bool
is_there(const struct fixture *f, const char *name)
{
	char path[128];
	snprintf(path, sizeof path, "%s/%s", f->folder, name);
	return access(path, F_OK) == 0;
}

/* The oldest go, of all that is kept and of nothing else. */
static void
test_prune(void **state)
{
	(void)state;
	struct fixture f = set_up();
	char path[128];
	put_aged(&f, "a.index", 1000, 3000);
	put_aged(&f, "b.index", 1000, 1000);
	put_aged(&f, "a.points.index", 500, 2000);
	put_aged(&f, "other", 10000, 0);
	snprintf(path, sizeof path, "%s/a.index", f.folder);
	file_prune(path, &saved_kind, UINT64_MAX, 2500);
	assert_true(is_there(&f, "b.index"));
	file_prune(path, &saved_kind, UINT64_MAX, 2499);
	assert_false(is_there(&f, "b.index"));
	assert_true(is_there(&f, "a.points.index"));
	file_prune(path, &saved_kind, UINT64_MAX, 1499);
	assert_false(is_there(&f, "a.points.index"));
	put_aged(&f, "c.index", 10, 2000);
	file_prune(path, &saved_kind, 2, UINT64_MAX);
	assert_true(is_there(&f, "c.index"));
	file_prune(path, &saved_kind, 1, UINT64_MAX);
	assert_false(is_there(&f, "c.index"));
	assert_true(is_there(&f, "a.index") && is_there(&f, "other"));
	tear_down(&f);
}

/* An index that was read is younger than one that was written after it. */
static void
test_prune_unused(void **state)
{
	(void)state;
	struct fixture f = set_up();
	struct saved_file file;
	const struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
	index_free(build(&f, f.cache));
	put_aged(&f, "in/there/b.index", 1000, 2000);
	assert_int_equal(utimensat(AT_FDCWD, f.cache, times, 0), 0);
	assert_true(saved_open(f.cache, &file));
	saved_close(&file);
	file_prune(f.cache, &saved_kind, 1, UINT64_MAX);
	assert_true(is_there(&f, "in/there/a.index"));
	assert_false(is_there(&f, "in/there/b.index"));
	tear_down(&f);
}

/* Files of others stay: another name, other bytes, a link. */
static void
test_prune_foreign(void **state)
{
	(void)state;
	struct fixture f = set_up();
	char path[128], link[128];
	put_aged(&f, "zoo.index", 1000, 1000);
	put_aged(&f, "1-2-3.index", 1000, 1000);
	put_aged(&f, "1-2-5.index", 1000, 1000);
	snprintf(path, sizeof path, "%s/1-2-3.index", f.folder);
	int foreign = open(path, O_RDWR);
	assert_int_equal(pwrite(foreign, "MINE", 4, 0), 4);
	close(foreign);
	snprintf(path, sizeof path, "%s/other", f.folder);
	put_aged(&f, "other", 10, 0);
	snprintf(link, sizeof link, "%s/1-2-6.index", f.folder);
	assert_int_equal(symlink("other", link), 0);
	file_prune(path, &saved_kind, 0, 0);
	assert_true(is_there(&f, "zoo.index") && is_there(&f, "1-2-3.index"));
	assert_true(is_there(&f, "1-2-6.index") && is_there(&f, "other"));
	assert_false(is_there(&f, "1-2-5.index"));
	tear_down(&f);
}

/* The capture was changed where no sample is taken; nothing but the time of the change
 * tells. */
static void
test_lie(void **state)
{
	(void)state;
	struct fixture f = set_up();
	index_free(build(&f, f.cache));
	for (long record = 300000; record < 300100; record++)
		overwrite(f.path, record * TOY_RECORD, 0); /* no mark: junk */
	reopen(&f);
	check(&f, "changed");
	tear_down(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_again),	 cmocka_unit_test(test_at_once),
	    cmocka_unit_test(test_grown),	 cmocka_unit_test(test_grown_little),
	    cmocka_unit_test(test_growing),	 cmocka_unit_test(test_other_settings),
	    cmocka_unit_test(test_damaged),	 cmocka_unit_test(test_lie),
	    cmocka_unit_test(test_more),	 cmocka_unit_test(test_prune),
	    cmocka_unit_test(test_prune_unused), cmocka_unit_test(test_prune_foreign),
	};
	return cmocka_run_group_tests_name("saved", tests, NULL, NULL);
}
