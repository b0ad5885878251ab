/* Threads without signals, those that wait for work, and how long one waits: see
 * thread.h. */
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
thread_deadline(struct timespec *until, int milliseconds)
{
	clock_gettime(CLOCK_REALTIME, until);
	until->tv_sec += milliseconds / 1000;
	until->tv_nsec += milliseconds % 1000 * 1000000L;
	if (until->tv_nsec >= 1000000000L) {
		until->tv_nsec -= 1000000000L;
		until->tv_sec++;
	}
}

void
background_init(struct background *w, void (*work)(void *), void *context)
{
	*w = (struct background){.work = work, .context = context};
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->changed, NULL);
}

static void *
run(void *context)
{
	struct background *w = context;
	pthread_mutex_lock(&w->lock);
	while (!w->stopping) {
		w->woken = false;
		pthread_mutex_unlock(&w->lock);
		w->work(w->context);
		pthread_mutex_lock(&w->lock);
		while (!w->stopping && !w->woken)
			pthread_cond_wait(&w->changed, &w->lock);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

void
background_start(struct background *w)
{
	w->running = thread_start(&w->thread, run, w);
}

static void
set(struct background *w, bool *flag)
{
	pthread_mutex_lock(&w->lock);
	*flag = true;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

void
background_wake(struct background *w)
{
	set(w, &w->woken);
}

bool
background_is_stopping(struct background *w)
{
	pthread_mutex_lock(&w->lock);
	bool stopping = w->stopping;
	pthread_mutex_unlock(&w->lock);
	return stopping;
}

void
background_stop(struct background *w)
{
	set(w, &w->stopping);
	if (w->running)
		pthread_join(w->thread, NULL);
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->changed);
}
