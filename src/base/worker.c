/*
 * Workers: see worker.h.
 *
 * A wake is a flag under the lock that the thread clears before each call of the
 * job, so a wake during a call leads to another one.
 *
 * A counter of busy workers shows when all of them rest.  Starts and wakes count the
 * worker as busy before its thread runs, so no work is pending while the counter is zero.
 */
#include "config.h"

#include "base/worker.h"
#include "base/thread.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

static atomic_uint busy; /* workers that do not rest */
static atomic_int rest_event = -1;

void
worker_end_rest(void)
{
	atomic_fetch_add(&busy, 1);
}

void
worker_begin_rest(void)
{
	uint64_t one = 1;
	if (atomic_fetch_sub(&busy, 1) > 1)
		return;
	int event = atomic_load(&rest_event);
	if (event >= 0 && write(event, &one, sizeof one) < 0) {
		/* full: it can be read anyway */
	}
}

bool
workers_rest(void)
{
	return !atomic_load(&busy);
}

int
workers_rest_event(void)
{
	if (atomic_load(&rest_event) < 0)
		atomic_store(&rest_event, eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
	return atomic_load(&rest_event);
}

int
worker_poll(struct pollfd *files, nfds_t count, int milliseconds)
{
	int ready = poll(files, count, 0);
	if (ready || !milliseconds)
		return ready;
	worker_begin_rest();
	ready = poll(files, count, milliseconds);
	worker_end_rest();
	return ready;
}

void
worker_init(struct worker *w, void (*job)(void *context), void *context)
{
	*w = (struct worker){.job = job, .context = context, .stop_event = -1};
	pthread_mutex_init(&w->lock, NULL);
	thread_cond_init(&w->changed);
}

int
worker_stop_event(struct worker *w)
{
	if (w->stop_event < 0)
		w->stop_event = eventfd(0, EFD_CLOEXEC);
	return w->stop_event;
}

/* Rest until the job is to be called again or to end.  The lock is held. */
static void
await_wake(struct worker *w)
{
	w->resting = true;
	worker_begin_rest();
	while (!w->stopping && !w->woken)
		pthread_cond_wait(&w->changed, &w->lock);
	if (w->resting)
		worker_end_rest();
	w->resting = false;
}

static void
call_for_wakes(struct worker *w)
{
	pthread_mutex_lock(&w->lock);
	while (!w->stopping) {
		w->woken = false;
		pthread_mutex_unlock(&w->lock);
		w->job(w->context);
		pthread_mutex_lock(&w->lock);
		if (!w->stopping && !w->woken)
			await_wake(w);
	}
	pthread_mutex_unlock(&w->lock);
}

static void *
worker_run(void *context)
{
	struct worker *w = context;
	if (w->nice)
		setpriority(PRIO_PROCESS, (id_t)gettid(), w->nice);
	if (w->once)
		w->job(w->context);
	else
		call_for_wakes(w);
	worker_begin_rest(); /* for good */
	return NULL;
}

void
worker_wake(struct worker *w)
{
	pthread_mutex_lock(&w->lock);
	w->woken = true;
	if (w->resting)
		worker_end_rest();
	w->resting = false;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

static bool
worker_start_thread(struct worker *w, bool once)
{
	if (w->running) {
		worker_wake(w);
		return true;
	}
	w->once = once;
	worker_end_rest();
	w->running = thread_start(&w->thread, worker_run, w);
	if (!w->running)
		worker_begin_rest();
	return w->running;
}

bool
worker_start(struct worker *w)
{
	return worker_start_thread(w, false);
}

bool
worker_start_once(struct worker *w)
{
	return worker_start_thread(w, true);
}

bool
worker_is_running(const struct worker *w)
{
	return w->running;
}

void
worker_cancel(struct worker *w)
{
	uint64_t one = 1;
	pthread_mutex_lock(&w->lock);
	atomic_store(&w->stopping, true);
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
	if (w->stop_event >= 0 && write(w->stop_event, &one, sizeof one) != sizeof one)
		abort();
}

void
worker_join(struct worker *w)
{
	if (w->running)
		pthread_join(w->thread, NULL);
	w->running = false;
}

void
worker_stop(struct worker *w)
{
	worker_cancel(w);
	worker_join(w);
	if (w->stop_event >= 0)
		close(w->stop_event);
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->changed);
}
