/* Threads without signals, and time limits of waits: see thread.h. */
#include "config.h"

#include "base/thread.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

static atomic_uint refusals;

unsigned
thread_refusals(void)
{
	return atomic_load(&refusals);
}

bool
thread_start(pthread_t *thread, void *(*run)(void *), void *context)
{
	sigset_t all, before;
	sigfillset(&all);
	sigdelset(&all, SIGBUS);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int failed = pthread_create(thread, NULL, run, context);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (failed)
		atomic_fetch_add(&refusals, 1);
	return !failed;
}

unsigned
thread_processors(void)
{
	cpu_set_t set;
	return sched_getaffinity(0, sizeof set, &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

int64_t
thread_now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void
thread_cond_init(pthread_cond_t *cond)
{
	pthread_condattr_t attributes;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &attributes);
	pthread_condattr_destroy(&attributes);
}

void
thread_deadline(struct timespec *until, int milliseconds)
{
	clock_gettime(CLOCK_MONOTONIC, until);
	until->tv_sec += milliseconds / 1000;
	until->tv_nsec += milliseconds % 1000 * 1000000L;
	if (until->tv_nsec >= 1000000000L) {
		until->tv_nsec -= 1000000000L;
		until->tv_sec++;
	}
}
