/*
 * Jobs: see job.h.
 *
 * A wake is a flag under the lock that the thread clears before each call of the
 * job, so a wake during a call leads to another one.
 *
 * A counter of busy workers shows when all of them rest.  Starts and wakes count the
 * worker as busy before its thread runs, so no work is pending while the counter is zero.
 */
#include "config.h"

#include "base/job.h"
#include "base/thread.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

static atomic_uint busy; /* workers that do not rest */
static atomic_int rest_event = -1;

void
job_end_rest(void)
{
	atomic_fetch_add(&busy, 1);
}

void
job_begin_rest(void)
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
jobs_rest(void)
{
	return !atomic_load(&busy);
}

int
jobs_rest_event(void)
{
	if (atomic_load(&rest_event) < 0)
		atomic_store(&rest_event, eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
	return atomic_load(&rest_event);
}

int
job_poll(struct pollfd *files, nfds_t count, int milliseconds)
{
	int ready = poll(files, count, 0);
	if (ready || !milliseconds)
		return ready;
	job_begin_rest();
	ready = poll(files, count, milliseconds);
	job_end_rest();
	return ready;
}

void
job_init(struct job *w, void (*job)(void *context), void *context)
{
	*w = (struct job){.job = job, .context = context, .stop_event = -1};
	pthread_mutex_init(&w->lock, NULL);
	thread_cond_init(&w->changed);
}

int
job_stop_event(struct job *w)
{
	if (w->stop_event < 0)
		w->stop_event = eventfd(0, EFD_CLOEXEC);
	return w->stop_event;
}

/* Rest until the job is to be called again or to end.  The lock is held. */
static void
await_wake(struct job *w)
{
	w->resting = true;
	job_begin_rest();
	while (!w->stopping && !w->woken)
		pthread_cond_wait(&w->changed, &w->lock);
	if (w->resting)
		job_end_rest();
	w->resting = false;
}

static void
call_for_wakes(struct job *w)
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
job_run(void *context)
{
	struct job *w = context;
	if (w->nice)
		setpriority(PRIO_PROCESS, (id_t)gettid(), w->nice);
	if (w->once)
		w->job(w->context);
	else
		call_for_wakes(w);
	job_begin_rest(); /* for good */
	return NULL;
}

void
job_wake(struct job *w)
{
	pthread_mutex_lock(&w->lock);
	w->woken = true;
	if (w->resting)
		job_end_rest();
	w->resting = false;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

static bool
job_start_thread(struct job *w, bool once)
{
	if (w->running) {
		job_wake(w);
		return true;
	}
	w->once = once;
	job_end_rest();
	w->running = thread_start(&w->thread, job_run, w);
	if (!w->running)
		job_begin_rest();
	return w->running;
}

bool
job_start(struct job *w)
{
	return job_start_thread(w, false);
}

bool
job_start_once(struct job *w)
{
	return job_start_thread(w, true);
}

bool
job_is_running(const struct job *w)
{
	return w->running;
}

void
job_cancel(struct job *w)
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
job_join(struct job *w)
{
	if (w->running)
		pthread_join(w->thread, NULL);
	w->running = false;
}

void
job_free(struct job *w)
{
	job_cancel(w);
	job_join(w);
	if (w->stop_event >= 0)
		close(w->stop_event);
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->changed);
}
