/* Watching files: what is told, what is not, and how often. */
#include "config.h"

#include "test.h"

#include "base/thread.h"
#include "base/vec.h"
#include "capture/watch.h"
#include "toy.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEADLINE_MS = 30000, QUIET_MS = 700 }; /* longer than it sleeps, and looks by the clock */

struct fixture {
	char folder[32], path[64], other[64];
	int file;
	struct watch *watch;
	atomic_int told;
};

static void
count(void *context)
{
	atomic_fetch_add((atomic_int *)context, 1);
}

static void
put(const char *path, int flags, const char *text)
{
	int file = open(path, O_WRONLY | O_CREAT | flags, 0600);
	assert_true(file >= 0);
	assert_int_equal(write(file, text, strlen(text)), strlen(text));
	close(file);
}

/* A file `log` in a folder of its own, and not yet a watch. */
static int
setup(void **state)
{
	struct fixture *f = mem_new(sizeof *f);
	strcpy(f->folder, "/tmp/trawl-watch.XXXXXX");
	assert_non_null(mkdtemp(f->folder));
	snprintf(f->path, sizeof f->path, "%s/log", f->folder);
	snprintf(f->other, sizeof f->other, "%s/other", f->folder);
	put(f->path, 0, "one");
	f->file = open(f->path, O_RDONLY);
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;
	watch_stop(f->watch);
	close(f->file);
	unlink(f->path);
	unlink(f->other);
	rmdir(f->folder);
	free(f);
	return 0;
}

static void
start(struct fixture *f, struct watch_options options)
{
	options.file = f->file;
	options.notify = count;
	options.context = &f->told;
	f->watch = watch_start(&options);
	assert_non_null(f->watch);
}

static void
told(struct fixture *f)
{
	int64_t deadline = thread_now_ms() + DEADLINE_MS;
	while (!atomic_load(&f->told)) {
		assert_true(thread_now_ms() < deadline);
		usleep(1000);
	}
	usleep(QUIET_MS * 1000); /* what belongs to it comes too */
	atomic_store(&f->told, 0);
}

static void
not_told(struct fixture *f)
{
	usleep(QUIET_MS * 1000);
	assert_int_equal(atomic_load(&f->told), 0);
}

static void
test_bytes(void **state)
{
	struct fixture *f = *state;
	start(f, (struct watch_options){.path = f->path});
	not_told(f);
	put(f->path, O_APPEND, "more");
	told(f);
	assert_int_equal(truncate(f->path, 2), 0);
	told(f);
	assert_int_equal(chmod(f->path, 0400), 0); /* says nothing of bytes */
	not_told(f);
}

static void
test_name(void **state)
{
	struct fixture *f = *state;
	start(f, (struct watch_options){.path = f->path});
	assert_int_equal(rename(f->path, f->other), 0);
	told(f);
	put(f->path, 0, "two");
	told(f);
	assert_int_equal(rename(f->other, f->path), 0); /* the old one again, over it */
	told(f);
	unlink(f->path);
	told(f);
}

static void
test_renamed_over(void **state)
{
	struct fixture *f = *state;
	start(f, (struct watch_options){.path = f->path});
	put(f->other, 0, "three");
	not_told(f);
	assert_int_equal(rename(f->other, f->path), 0);
	told(f);
}

static void
test_link(void **state)
{
	struct fixture *f = *state;
	char link[64];
	snprintf(link, sizeof link, "%s/link", f->folder);
	assert_int_equal(symlink("log", link), 0);
	start(f, (struct watch_options){.path = link});
	put(f->other, 0, "two");
	not_told(f);
	char next[64];
	snprintf(next, sizeof next, "%s/next", f->folder);
	assert_int_equal(symlink("other", next), 0);
	assert_int_equal(rename(next, link), 0);
	told(f);
	unlink(link);
}

static void
test_no_name(void **state)
{
	struct fixture *f = *state;
	start(f, (struct watch_options){.path = NULL});
	assert_int_equal(rename(f->path, f->other), 0);
	not_told(f);
	put(f->other, O_APPEND, "more");
	told(f);
}

/* However often a file is written, few looks are enough. */
static void
test_often(void **state)
{
	struct fixture *f = *state;
	start(f, (struct watch_options){.path = f->path});
	int64_t from = thread_now_ms();
	while (thread_now_ms() - from < 1000)
		put(f->path, O_APPEND, "x");
	usleep(QUIET_MS * 1000);
	int64_t twentieths = (thread_now_ms() - from) / 50 + 1;
	assert_in_range(atomic_load(&f->told), 2, twentieths);
}

static void
test_once(void **state)
{
	struct fixture *f = *state;
	start(f, (struct watch_options){.path = f->path, .once = true});
	put(f->path, O_APPEND, "more");
	told(f);
	put(f->path, O_APPEND, "more");
	not_told(f);
}

static void
test_by_clock(void **state)
{
	struct fixture *f = *state;
	start(f, (struct watch_options){.path = f->path, .by_clock = true});
	not_told(f);
	put(f->path, O_APPEND, "more");
	told(f);
	put(f->other, 0, "two");
	assert_int_equal(rename(f->other, f->path), 0);
	told(f);
	struct watch_options once = {
	    .path = f->path, .file = f->file, .once = true, .by_clock = true};
	assert_null(watch_start(&once)); /* that would need looking for nothing */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(test_bytes),	TEST(test_name),  TEST(test_renamed_over), TEST(test_link),
	    TEST(test_no_name), TEST(test_often), TEST(test_once),	   TEST(test_by_clock),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
