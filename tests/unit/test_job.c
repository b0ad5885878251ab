/* Workers: each wake leads to a call, a job that runs once runs to its end, a stop
 * ends both ways and a sleep in poll(), and a refused start is told. */
#include "config.h"

#include "base/thread.h"
#include "base/job.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#include "test.h"

struct fixture {
	struct job job;
	atomic_uint calls, ended;
	atomic_bool may_end; /* the job's call */
	bool saw_stop;
	pid_t thread; /* of the last call */
	bool several; /* not all calls were in one thread */
};

/* Waits up to ten seconds for COUNT to be WANTED. */
static void
await(atomic_uint *count, unsigned wanted)
{
	for (int i = 0; i < 10000 && atomic_load(count) != wanted; i++)
		usleep(1000);
	assert_int_equal(atomic_load(count), wanted);
}

static void
run_until_allowed(void *context)
{
	struct fixture *f = context;
	pid_t thread = gettid();
	f->several |= f->thread && f->thread != thread;
	f->thread = thread;
	atomic_fetch_add(&f->calls, 1);
	while (!atomic_load(&f->may_end) && !job_is_stopping(&f->job))
		usleep(100);
	f->saw_stop = job_is_stopping(&f->job);
	atomic_fetch_add(&f->ended, 1);
}

static void
poll_for_stop(void *context)
{
	struct fixture *f = context;
	struct pollfd wait = {.fd = job_stop_event(&f->job), .events = POLLIN};
	atomic_fetch_add(&f->calls, 1);
	assert_int_equal(poll(&wait, 1, 10000), 1);
	f->saw_stop = job_is_stopping(&f->job);
}

/* The same as an event from outside; then polls again, and goes on until allowed. */
static void
rest_in_poll(void *context)
{
	struct fixture *f = context;
	struct pollfd wait = {.fd = job_stop_event(&f->job), .events = POLLIN};
	atomic_fetch_add(&f->calls, 1);
	assert_int_equal(job_poll(&wait, 1, 10000), 1);
	assert_int_equal(job_poll(&wait, 1, -1), 1);
	atomic_fetch_add(&f->ended, 1);
	while (!atomic_load(&f->may_end))
		usleep(100);
}

/* Calls at the start and for each wake, also for one during a call, and no more, all in
 * the same thread. */
static void
test_wakes(void **state)
{
	struct fixture f = {0};
	(void)state;
	job_init(&f.job, run_until_allowed, &f);
	job_wake(&f.job);
	assert_false(job_is_running(&f.job));
	assert_true(job_start(&f.job));
	assert_true(job_is_running(&f.job));
	await(&f.calls, 1);
	job_wake(&f.job);
	job_wake(&f.job);
	atomic_store(&f.may_end, true);
	await(&f.ended, 2);
	assert_true(job_start(&f.job)); /* of one that runs: a wake */
	await(&f.ended, 3);
	assert_false(f.several);
	usleep(20000);
	assert_int_equal(atomic_load(&f.calls), 3);
	job_free(&f.job);
	assert_int_equal(atomic_load(&f.calls), 3);
	assert_false(f.saw_stop);
}

static void
test_stop_during_a_call(void **state)
{
	struct fixture f = {0};
	(void)state;
	job_init(&f.job, run_until_allowed, &f);
	assert_true(job_start(&f.job));
	await(&f.calls, 1);
	job_wake(&f.job);
	job_free(&f.job);
	assert_true(f.saw_stop);
	assert_int_equal(atomic_load(&f.ended), 1);
	assert_false(job_is_running(&f.job));
}

static void
test_stop_without_a_start(void **state)
{
	struct fixture f = {0};
	(void)state;
	job_init(&f.job, run_until_allowed, &f);
	assert_true(job_stop_event(&f.job) >= 0);
	job_free(&f.job);
	assert_int_equal(atomic_load(&f.calls), 0);
}

static void
test_once(void **state)
{
	struct fixture f = {0};
	(void)state;
	atomic_store(&f.may_end, true);
	job_init(&f.job, run_until_allowed, &f);
	for (unsigned i = 1; i <= 3; i++) {
		assert_true(job_start_once(&f.job));
		job_join(&f.job);
		assert_false(job_is_running(&f.job));
		assert_int_equal(atomic_load(&f.ended), i);
	}
	assert_false(f.saw_stop);
	job_cancel(&f.job);
	assert_true(job_start_once(&f.job)); /* the call is made all the same */
	job_free(&f.job);
	assert_int_equal(atomic_load(&f.ended), 4);
	assert_true(f.saw_stop);
}

static void
test_poll(void **state)
{
	struct fixture f = {0};
	(void)state;
	job_init(&f.job, poll_for_stop, &f);
	int event = job_stop_event(&f.job);
	assert_true(event >= 0);
	assert_int_equal(job_stop_event(&f.job), event);
	assert_true(job_start_once(&f.job));
	await(&f.calls, 1);
	job_cancel(&f.job);
	job_free(&f.job);
	assert_true(f.saw_stop);
}

/* Waits until all workers rest, as the event says. */
static void
await_rest(void)
{
	struct pollfd wait = {.fd = jobs_rest_event(), .events = POLLIN};
	uint64_t count;
	while (!jobs_rest()) {
		assert_int_equal(poll(&wait, 1, 10000), 1);
		assert_int_equal(read(wait.fd, &count, sizeof count), sizeof count);
	}
}

/* Busy from the start and from a wake on, until the job has returned. */
static void
test_rest(void **state)
{
	struct fixture f = {0};
	(void)state;
	assert_true(jobs_rest_event() >= 0);
	assert_true(jobs_rest());
	job_init(&f.job, run_until_allowed, &f);
	job_wake(&f.job); /* no effect before the start */
	assert_true(jobs_rest());
	for (unsigned i = 1; i <= 3; i++) {
		atomic_store(&f.may_end, false);
		assert_true(job_start(&f.job));
		assert_false(jobs_rest());
		await(&f.calls, i);
		assert_false(jobs_rest());
		atomic_store(&f.may_end, true);
		await_rest();
		assert_int_equal(atomic_load(&f.ended), i);
	}
	job_wake(&f.job);
	job_free(&f.job);
	assert_true(jobs_rest());
}

/* The same of a job that is called once, and of one that a stop ends. */
static void
test_rest_once(void **state)
{
	struct fixture f = {0};
	(void)state;
	job_init(&f.job, run_until_allowed, &f);
	assert_true(job_start_once(&f.job));
	job_wake(&f.job);
	assert_false(jobs_rest());
	atomic_store(&f.may_end, true);
	await_rest();
	job_join(&f.job);
	atomic_store(&f.may_end, false);
	assert_true(job_start_once(&f.job));
	job_free(&f.job);
	assert_true(jobs_rest());
}

/* A job that waits for an event from outside rests, unless the event is there. */
static void
test_rest_in_poll(void **state)
{
	struct fixture f = {0};
	(void)state;
	job_init(&f.job, rest_in_poll, &f);
	assert_true(job_stop_event(&f.job) >= 0);
	assert_true(job_start_once(&f.job));
	await_rest();
	assert_int_equal(atomic_load(&f.calls), 1);
	job_cancel(&f.job);
	await(&f.ended, 1);
	assert_false(jobs_rest());
	atomic_store(&f.may_end, true);
	job_free(&f.job);
	assert_true(jobs_rest());
}

/* A stack that no machine has room for makes the system refuse. */
static void
test_refusal(void **state)
{
	struct fixture f = {0};
	pthread_attr_t before, huge;
	unsigned refusals = thread_refusals();
	(void)state;
	job_init(&f.job, run_until_allowed, &f);
	atomic_store(&f.may_end, true);
	assert_int_equal(pthread_getattr_default_np(&before), 0);
	assert_int_equal(pthread_attr_init(&huge), 0);
	assert_int_equal(pthread_attr_setstacksize(&huge, (size_t)1 << 60), 0);
	assert_int_equal(pthread_setattr_default_np(&huge), 0);
	bool started = job_start(&f.job) || job_start_once(&f.job);
	assert_int_equal(pthread_setattr_default_np(&before), 0);
	assert_false(started);
	assert_false(job_is_running(&f.job));
	assert_int_equal(thread_refusals(), refusals + 2);
	assert_true(jobs_rest());
	job_join(&f.job);
	assert_true(job_start(&f.job)); /* once there is room again */
	await(&f.calls, 1);
	job_free(&f.job);
	pthread_attr_destroy(&before);
	pthread_attr_destroy(&huge);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_wakes),
	    cmocka_unit_test(test_stop_during_a_call),
	    cmocka_unit_test(test_stop_without_a_start),
	    cmocka_unit_test(test_once),
	    cmocka_unit_test(test_poll),
	    cmocka_unit_test(test_rest),
	    cmocka_unit_test(test_rest_once),
	    cmocka_unit_test(test_rest_in_poll),
	    cmocka_unit_test(test_refusal),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
