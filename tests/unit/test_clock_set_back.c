/* Waits end in time when the system's clock is set back meanwhile, as NTP does. */
#include "config.h"

#include "test.h"

#include "base/thread.h"
#include "capture/capture.h"
#include "index/index.h"
#include "toy.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
	SET_BACK_S = 25,
	SHORT_MS = 50,
	LATE_MS = 10000 /* on a busy machine, but before the clock has caught up */
};

int __real_clock_gettime(clockid_t, struct timespec *);
int __wrap_clock_gettime(clockid_t, struct timespec *);

/* What was read before the clock was set back; the kernel has the clock after it. */
int
__wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	int failed = __real_clock_gettime(clock, now);
	if (clock == CLOCK_REALTIME)
		now->tv_sec += SET_BACK_S;
	return failed;
}

static void
test_stream(void **state)
{
	(void)state;
	int ends[2];
	char name[32];
	assert_int_equal(pipe(ends), 0);
	snprintf(name, sizeof name, "/proc/self/fd/%d", ends[0]);
	struct capture *c = capture_open(name, NULL, NULL);
	int64_t start = thread_now_ms();
	assert_int_equal(capture_wait(c, 0, SHORT_MS), 0);
	assert_in_range(thread_now_ms() - start, SHORT_MS, LATE_MS);
	capture_close(c);
	close(ends[0]);
	close(ends[1]);
}

static void
test_followed(void **state)
{
	(void)state;
	char *path = toy_file("hello", 5);
	struct capture *c = capture_open(path, NULL, NULL);
	capture_follow(c, FOLLOW_FILE);
	int64_t start = thread_now_ms();
	assert_int_equal(capture_wait(c, 5, SHORT_MS), 5);
	assert_in_range(thread_now_ms() - start, SHORT_MS, LATE_MS);
	capture_close(c);
	unlink(path);
	free(path);
}

/* The index of a large capture waits for the first screen. */
static void
test_index(void **state)
{
	enum { SIZE = 5 << 20 };
	(void)state;
	uint8_t *bytes = calloc(1, SIZE);
	assert_non_null(bytes);
	char *path = toy_file(bytes, SIZE);
	struct capture *c = capture_open(path, NULL, NULL);
	struct decoder *decoder = toy_open();
	struct index *index = index_new(c, decoder, NULL);
	int64_t start = thread_now_ms();
	index_start(index);
	while (!index_known(index) && thread_now_ms() - start < LATE_MS)
		usleep(1000);
	assert_true(index_known(index) > 0);
	index_free(index);
	decoder->ops->close(decoder);
	capture_close(c);
	unlink(path);
	free(path);
	free(bytes);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_stream),
	    cmocka_unit_test(test_followed),
	    cmocka_unit_test(test_index),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
