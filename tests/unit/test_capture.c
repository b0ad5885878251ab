/* Captures: what may be opened, growth, shrinking under the map, streams. */
#include "config.h"

#include "test.h"

#include "base/thread.h"
#include "base/vec.h"
#include "capture/capture.h"
#include "folder.h"
#include "toy.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Locks and condition variables that exist: the linker's --wrap has them counted. */
static atomic_int locks;

int __real_pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *);
int __real_pthread_mutex_destroy(pthread_mutex_t *);
int __real_pthread_cond_init(pthread_cond_t *, const pthread_condattr_t *);
int __real_pthread_cond_destroy(pthread_cond_t *);
int __wrap_pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *);
int __wrap_pthread_mutex_destroy(pthread_mutex_t *);
int __wrap_pthread_cond_init(pthread_cond_t *, const pthread_condattr_t *);
int __wrap_pthread_cond_destroy(pthread_cond_t *);

int
__wrap_pthread_mutex_init(pthread_mutex_t *lock, const pthread_mutexattr_t *attributes)
{
	locks++;
	return __real_pthread_mutex_init(lock, attributes);
}

int
__wrap_pthread_mutex_destroy(pthread_mutex_t *lock)
{
	locks--;
	return __real_pthread_mutex_destroy(lock);
}

int
__wrap_pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attributes)
{
	locks++;
	return __real_pthread_cond_init(cond, attributes);
}

int
__wrap_pthread_cond_destroy(pthread_cond_t *cond)
{
	locks--;
	return __real_pthread_cond_destroy(cond);
}

static int
count_descriptors(void)
{
	int count = 0;
	DIR *folder = opendir("/proc/self/fd");
	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

static void
refused(const char *path, const char *why)
{
	struct err err = {0};
	assert_null(capture_open(path, NULL, &err));
	assert_non_null(strstr(err.what, path));
	assert_non_null(strstr(err.what, why));
}

static void
test_refused(void **state)
{
	(void)state;
	refused("/nonexistent/capture", "No such file");
	struct folder folder;
	folder_make(&folder);
	refused(folder.path, "is a folder; name the capture files in it");
	folder_put_text(&folder, "b.stp", "");
	folder_put_text(&folder, "a.stp", "");
	refused(folder.path, " in it: a.stp, b.stp");
	folder_put_text(&folder, "d.stp", "");
	folder_put_text(&folder, "c.stp", "");
	refused(folder.path, " in it: a.stp, b.stp, c.stp ...");
	folder_remove(&folder);
	refused("/dev/null", "is a device");
}

/* Opens PATH without a folder to spool to. */
static void
refused_spool(const char *path)
{
	struct capture_options options = {.spool_dir = "/nonexistent", .unpack = true};
	struct err err = {0};
	int before = locks, descriptors = count_descriptors();
	assert_null(capture_open(path, &options, &err));
	assert_non_null(strstr(err.what, "/nonexistent"));
	assert_int_equal(locks, before);
	assert_int_equal(count_descriptors(), descriptors);
}

/* A capture that cannot be opened leaves nothing, in particular no lock. */
static void
test_refused_frees(void **state)
{
	(void)state;
	int ends[2];
	char name[32];
	char *packed = toy_file("\x1f\x8b\x08\0\0\0\0\0\0\x03 gzip", 15);
	assert_int_equal(pipe(ends), 0);
	snprintf(name, sizeof name, "/proc/self/fd/%d", ends[0]);
	refused_spool(name);
	refused_spool(packed);
	refused_spool("tcp:127.0.0.1:1");
	close(ends[0]);
	close(ends[1]);
	unlink(packed);
	free(packed);
}

/* A stream frees its locks when it is closed. */
static void
test_closed_frees(void **state)
{
	(void)state;
	int before = locks, ends[2];
	char name[32];
	assert_int_equal(pipe(ends), 0);
	snprintf(name, sizeof name, "/proc/self/fd/%d", ends[0]);
	capture_close(capture_open(name, NULL, NULL));
	assert_int_equal(locks, before);
	close(ends[0]);
	close(ends[1]);
}

static void
test_file(void **state)
{
	(void)state;
	char *path = toy_file("hello", 5), read[8];
	struct capture *c = capture_open(path, NULL, NULL);
	assert_int_equal(capture_size(c), 5);
	assert_memory_equal(capture_bytes(c), "hello", 5);
	assert_true(capture_ended(c));
	assert_int_equal(capture_read(c, 3, read, 8), 2);
	assert_memory_equal(read, "lo", 2);
	assert_int_equal(capture_read(c, 5, read, 8), 0);
	assert_int_equal(capture_refresh(c), CAPTURE_SAME);
	unlink(path);
	assert_int_equal(capture_refresh(c), CAPTURE_GONE);
	assert_memory_equal(capture_bytes(c), "hello", 5);
	capture_close(c);
	free(path);
}

static void
append(const char *path, const void *bytes, size_t length)
{
	int file = open(path, O_WRONLY | O_APPEND);
	assert_int_equal(write(file, bytes, length), length);
	close(file);
}

static void
test_growth(void **state)
{
	(void)state;
	char *path = toy_file("", 0), *block = mem_new(100000);
	struct capture *c = capture_open(path, NULL, NULL);
	const uint8_t *bytes = capture_bytes(c);
	assert_int_equal(capture_size(c), 0);
	memset(block, 'x', 100000);
	for (int i = 1; i <= 10; i++) {
		append(path, block, 100000);
		assert_int_equal(capture_refresh(c), CAPTURE_GREW);
		assert_int_equal(capture_size(c), 100000 * i);
		assert_ptr_equal(capture_bytes(c), bytes);
		assert_int_equal(bytes[100000 * i - 1], 'x');
	}
	capture_close(c);
	unlink(path);
	free(path);
	free(block);
}

static void
test_shrink(void **state)
{
	(void)state;
	size_t size = 1 << 20;
	char *block = mem_new(size);
	memset(block, 'x', size);
	char *path = toy_file(block, size);
	struct capture *c = capture_open(path, NULL, NULL);
	assert_int_equal(capture_bytes(c)[size - 1], 'x');
	assert_int_equal(truncate(path, 10), 0);
	assert_int_equal(capture_bytes(c)[size - 1], 0); /* no crash: a zero page */
	assert_true(capture_damaged(c));
	assert_int_equal(capture_refresh(c), CAPTURE_SHRANK);
	assert_int_equal(capture_size(c), 10);
	append(path, block, size - 10);
	assert_int_equal(capture_refresh(c), CAPTURE_GREW);
	assert_false(capture_damaged(c));
	assert_int_equal(capture_bytes(c)[size - 1], 'x'); /* the zero page is gone */
	capture_close(c);
	unlink(path);
	free(path);
	free(block);
}

static void
test_replaced(void **state)
{
	(void)state;
	char *path = toy_file("one", 3), *other = toy_file("two", 3);
	struct capture *c = capture_open(path, NULL, NULL);
	assert_int_equal(rename(other, path), 0);
	assert_int_equal(capture_refresh(c), CAPTURE_REPLACED);
	assert_memory_equal(capture_bytes(c), "one", 3);
	capture_close(c);
	unlink(path);
	free(path);
	free(other);
}

/* Cut and filled again between two looks: not what it was, whatever its size. */
static void
test_rewritten(void **state)
{
	(void)state;
	char *path = toy_file("first light", 11);
	struct capture *c = capture_open(path, NULL, NULL);
	capture_notice(c);
	unsigned epoch = capture_generation(c);
	append(path, ", more", 6);
	assert_int_equal(capture_refresh(c), CAPTURE_GREW);
	assert_int_equal(capture_generation(c), epoch);
	assert_int_equal(truncate(path, 0), 0);
	append(path, "second sight and more", 21);
	assert_int_equal(capture_refresh(c), CAPTURE_REWRITTEN);
	assert_int_not_equal(capture_generation(c), epoch);
	assert_int_equal(capture_size(c), 21);
	assert_int_equal(capture_refresh(c), CAPTURE_SAME);
	capture_close(c);
	unlink(path);
	free(path);
}

/* A page that was read while its bytes were away shows them again. */
static void
test_zero_page(void **state)
{
	(void)state;
	enum { SIZE = 1 << 16 };
	char *block = mem_new(SIZE);
	memset(block, 'x', SIZE);
	char *path = toy_file(block, SIZE);
	struct capture *c = capture_open(path, NULL, NULL);
	assert_int_equal(truncate(path, 10), 0);
	assert_int_equal(capture_bytes(c)[SIZE - 1], 0);
	append(path, block, SIZE - 10); /* before anybody looks */
	assert_int_equal(capture_refresh(c), CAPTURE_REWRITTEN);
	assert_int_equal(capture_bytes(c)[SIZE - 1], 'x');
	assert_false(capture_damaged(c));
	capture_close(c);
	unlink(path);
	free(path);
	free(block);
}

/* Zeros where the file seems untouched: as far as one can see it is the disk. */
static void
test_unreadable(void **state)
{
	(void)state;
	enum { SIZE = 1 << 16 };
	char *block = mem_new(SIZE);
	memset(block, 'x', SIZE);
	char *path = toy_file(block, SIZE);
	struct capture *c = capture_open(path, NULL, NULL);
	struct stat st;
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(truncate(path, 10), 0);
	assert_int_equal(capture_bytes(c)[SIZE - 1], 0);
	append(path, block, SIZE - 10);
	struct timespec times[] = {st.st_atim, st.st_mtim};
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	assert_int_equal(capture_refresh(c), CAPTURE_UNREADABLE);
	assert_false(capture_damaged(c)); /* told once, however often it is read */
	assert_int_equal(capture_bytes(c)[SIZE - 1], 0);
	assert_int_equal(capture_refresh(c), CAPTURE_SAME);
	append(path, "y", 1);
	assert_int_equal(capture_refresh(c), CAPTURE_REWRITTEN);
	assert_int_equal(capture_bytes(c)[SIZE - 1], 'x');
	capture_close(c);
	unlink(path);
	free(path);
	free(block);
}

/* A late reader finds nothing behind a cut file: no reason to doubt the rest. */
static void
test_zeros_behind(void **state)
{
	(void)state;
	char *path = toy_file("", 0), *block = mem_new(100000);
	struct capture *c = capture_open(path, NULL, NULL);
	memset(block, 'x', 100000);
	assert_int_equal(capture_bytes(c)[50000], 0);
	assert_true(capture_damaged(c));
	assert_int_equal(capture_refresh(c), CAPTURE_SAME);
	append(path, block, 100000);
	assert_int_equal(capture_refresh(c), CAPTURE_GREW);
	assert_int_equal(capture_bytes(c)[50000], 'x');
	capture_close(c);
	unlink(path);
	free(path);
	free(block);
}

/* Who reads without the map notices too. */
static void
test_read_vanished(void **state)
{
	(void)state;
	char *path = toy_file("all of it", 9), read[9];
	struct capture *c = capture_open(path, NULL, NULL);
	assert_int_equal(truncate(path, 3), 0);
	assert_int_equal(capture_read(c, 0, read, 9), 9);
	assert_memory_equal(read, "all\0\0\0\0\0\0", 9);
	assert_true(capture_damaged(c));
	assert_int_equal(capture_refresh(c), CAPTURE_SHRANK);
	assert_false(capture_damaged(c));
	capture_close(c);
	unlink(path);
	free(path);
}

/* A look changes nothing. */
static void
test_look(void **state)
{
	(void)state;
	char *path = toy_file("one", 3);
	struct capture *c = capture_open(path, NULL, NULL);
	uint64_t more;
	assert_int_equal(capture_look(c, &more), CAPTURE_SAME);
	append(path, " two", 4);
	assert_int_equal(capture_look(c, &more), CAPTURE_GREW);
	assert_int_equal(more, 4);
	assert_int_equal(capture_size(c), 3);
	assert_int_equal(capture_look(c, &more), CAPTURE_GREW);
	unlink(path);
	assert_int_equal(capture_look(c, &more), CAPTURE_GONE);
	assert_int_equal(capture_refresh(c), CAPTURE_GONE); /* and adopts what came before */
	assert_int_equal(capture_size(c), 7);
	assert_int_equal(capture_look(c, &more), CAPTURE_SAME);
	capture_close(c);
	free(path);
}

static void
test_reopen(void **state)
{
	(void)state;
	char *path = toy_file("the old one", 11), *other = toy_file("new", 3);
	struct capture *c = capture_open(path, NULL, NULL);
	const uint8_t *bytes = capture_bytes(c);
	struct err err;
	capture_follow(c, FOLLOW_NAME);
	assert_false(capture_ended(c));
	assert_int_equal(rename(other, path), 0);
	assert_true(capture_await(c, 10000)); /* it is told */
	assert_int_equal(capture_refresh(c), CAPTURE_REPLACED);
	assert_true(capture_ended(c)); /* nothing more of the old one */
	assert_memory_equal(bytes, "the old one", 11);
	unsigned epoch = capture_generation(c);
	assert_int_equal(capture_reopen(c, &err), 0);
	assert_int_not_equal(capture_generation(c), epoch);
	assert_false(capture_ended(c));
	assert_ptr_equal(capture_bytes(c), bytes);
	assert_int_equal(capture_size(c), 3);
	assert_memory_equal(bytes, "new", 3);
	append(path, "er", 2);
	assert_int_equal(capture_wait(c, 3, 10000), 5);
	assert_memory_equal(bytes, "newer", 5);
	unlink(path);
	capture_refresh(c);
	assert_true(capture_reopen(c, &err) < 0);
	assert_memory_equal(bytes, "newer", 5);
	capture_close(c);
	free(path);
	free(other);
}

static void *
interrupt_soon(void *context)
{
	usleep(50000);
	capture_interrupt(context);
	return NULL;
}

static void
test_interrupt(void **state)
{
	(void)state;
	char *path = toy_file("one", 3);
	struct capture *c = capture_open(path, NULL, NULL);
	pthread_t thread;
	capture_follow(c, FOLLOW_FILE);
	assert_int_equal(capture_wait(c, 3, 50), 3); /* time is up */
	assert_true(thread_start(&thread, interrupt_soon, c));
	assert_int_equal(capture_wait(c, 3, -1), 3);
	assert_true(capture_interrupted(c));
	assert_false(capture_await(c, -1));
	pthread_join(thread, NULL);
	capture_close(c);
	unlink(path);
	free(path);
}

static void
test_hole(void **state)
{
	(void)state;
	char *path = toy_file("start", 5);
	assert_int_equal(truncate(path, 1 << 20), 0);
	append(path, "end", 3);
	struct capture *c = capture_open(path, NULL, NULL);
	uint64_t end = capture_hole_end(c, 512 << 10);
	/* a file system without holes may say there are none */
	assert_true(end == 512 << 10 || (end > 512 << 10 && end <= 1 << 20));
	assert_int_equal(capture_hole_end(c, 0), 0);
	capture_close(c);
	unlink(path);
	free(path);
}

static void
count(void *context)
{
	++*(_Atomic int *)context;
}

static void
test_stream(void **state)
{
	(void)state;
	char *path = mem_text("/tmp/trawl-fifo.XXXXXX");
	close(mkstemp(path));
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	int next[2];
	assert_int_equal(pipe(next), 0);
	_Atomic int told = 0;
	struct capture_options options = {.notify = count, .notify_context = &told};
	if (!fork()) {
		char go;
		int out = open(path, O_WRONLY);
		ssize_t n = write(out, "abc", 3);
		n += read(next[0], &go, 1);
		n += write(out, "def", 3);
		_exit(n != 7);
	}
	struct capture *c = capture_open(path, &options, NULL);
	assert_non_null(c);
	assert_true(capture_is_stream(c));
	assert_int_equal(capture_wait(c, 2, -1), 3);
	assert_memory_equal(capture_bytes(c), "abc", 3);
	assert_int_equal(write(next[1], "", 1), 1); /* the writer goes on */
	assert_int_equal(capture_wait(c, 5, -1), 6);
	capture_wait(c, 6, -1);
	assert_true(capture_ended(c));
	assert_memory_equal(capture_bytes(c), "abcdef", 6);
	capture_close(c);
	assert_true(told > 0);
	close(next[0]);
	close(next[1]);
	unlink(path);
	free(path);
}

/* A stream that never pauses is told of too. */
static void
test_steady(void **state)
{
	(void)state;
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (!child) {
		while (write(ends[1], "x", 1) == 1)
			usleep(10000);
		_exit(0);
	}
	close(ends[1]);
	_Atomic int told = 0;
	struct capture_options options = {.notify = count, .notify_context = &told};
	char path[32];
	snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
	struct capture *c = capture_open(path, &options, NULL);
	for (int i = 0; i < 1000 && told < 3; i++)
		usleep(10000);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_true(told >= 3); /* the end alone would be one */
	close(ends[0]);
	capture_close(c);
}

static int64_t
now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Milliseconds from a write until the next notice. */
static int64_t
write_and_wait(int to, const _Atomic int *told)
{
	int before = *told;
	int64_t start = now_ms();
	assert_int_equal(write(to, "x", 1), 1);
	while (*told == before && now_ms() - start < 5000)
		usleep(1000);
	return now_ms() - start;
}

/* What comes just before the next notice is due does not delay it. */
static void
test_bursts(void **state)
{
	(void)state;
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	_Atomic int told = 0;
	struct capture_options options = {.notify = count, .notify_context = &told};
	char path[32];
	snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
	struct capture *c = capture_open(path, &options, NULL);
	assert_int_equal(write(ends[1], "first bytes that tell", 21), 21);
	capture_wait(c, 20, -1);
	int64_t least = 5000;
	for (int i = 0; i < 20 && least > 60; i++) { /* others may keep the machine busy */
		usleep(150000);			     /* the next notice comes at once, */
		write_and_wait(ends[1], &told);
		usleep(70000); /* the one behind it 100 ms later */
		int64_t late = write_and_wait(ends[1], &told);
		least = late < least ? late : least;
	}
	assert_in_range(least, 0, 60);
	close(ends[1]);
	close(ends[0]);
	capture_close(c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_refused),	 cmocka_unit_test(test_file),
	    cmocka_unit_test(test_growth),	 cmocka_unit_test(test_shrink),
	    cmocka_unit_test(test_replaced),	 cmocka_unit_test(test_hole),
	    cmocka_unit_test(test_stream),	 cmocka_unit_test(test_rewritten),
	    cmocka_unit_test(test_look),	 cmocka_unit_test(test_zero_page),
	    cmocka_unit_test(test_reopen),	 cmocka_unit_test(test_unreadable),
	    cmocka_unit_test(test_zeros_behind), cmocka_unit_test(test_read_vanished),
	    cmocka_unit_test(test_steady),	 cmocka_unit_test(test_interrupt),
	    cmocka_unit_test(test_bursts),	 cmocka_unit_test(test_refused_frees),
	    cmocka_unit_test(test_closed_frees),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
