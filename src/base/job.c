/*
 * Jobs: see job.h.
 *
 * A wake is a flag under the lock.  The thread clears it before each run, so a wake during a run
 * leads to another one.
 *
 * A counter of busy jobs shows when every job rests.  Starts and wakes count the job as busy
 * before its thread runs.  So no work is pending while the counter is zero.
 */
#include "config.h"

#include "base/job.h"
#include "base/thread.h"

#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

/* --- rest -------------------------------------------------------------- */

static atomic_uint busy; /* jobs that do not rest */
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
		/* full, so it is readable anyway */
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

/* --- shared state ------------------------------------------------------ */

void
job_lock(struct job *job)
{
	pthread_mutex_lock(&job->lock);
}

void
job_unlock(struct job *job)
{
	pthread_mutex_unlock(&job->lock);
}

bool
job_await(struct job *job, const struct timespec *until)
{
	return !(until ? pthread_cond_timedwait(&job->changed, &job->lock, until)
		       : pthread_cond_wait(&job->changed, &job->lock));
}

void
job_changed(struct job *job)
{
	pthread_cond_broadcast(&job->changed);
}

void
job_tell(struct job *job)
{
	job->news_ms = thread_now_ms();
	generation_bump(&job->news);
	if (job->notify)
		job->notify(job->owner);
}

bool
job_told_within(const struct job *job, int milliseconds)
{
	return thread_now_ms() - job->news_ms < milliseconds;
}

bool
job_is_done(const struct job *job)
{
	return atomic_load(&job->done);
}

/* --- start and stop ---------------------------------------------------- */

void
job_init(struct job *job, void (*run)(void *context), void *context)
{
	*job = (struct job){.run = run, .context = context, .stop_event = -1};
	pthread_mutex_init(&job->lock, NULL);
	thread_cond_init(&job->changed);
}

int
job_stop_event(struct job *job)
{
	if (job->stop_event < 0)
		job->stop_event = eventfd(0, EFD_CLOEXEC);
	return job->stop_event;
}

/* Rest until the next run or the end.  The lock is held. */
static void
await_wake(struct job *job)
{
	job->resting = true;
	job_begin_rest();
	while (!job->stopping && !job->woken)
		job_await(job, NULL);
	if (job->resting)
		job_end_rest();
	job->resting = false;
}

static void
call_for_wakes(struct job *job)
{
	job_lock(job);
	while (!job->stopping) {
		job->woken = false;
		job_unlock(job);
		job->run(job->context);
		job_lock(job);
		if (!job->stopping && !job->woken)
			await_wake(job);
	}
	job_unlock(job);
}

static void
call_once(struct job *job)
{
	job->run(job->context);
	job_lock(job);
	atomic_store(&job->done, true);
	job_changed(job);
	job_unlock(job);
	job_tell(job);
}

static void *
run_thread(void *context)
{
	struct job *job = context;
	if (job->nice)
		setpriority(PRIO_PROCESS, (id_t)gettid(), job->nice);
	if (job->once)
		call_once(job);
	else
		call_for_wakes(job);
	job_begin_rest(); /* for ever */
	return NULL;
}

void
job_wake(struct job *job)
{
	job_lock(job);
	job->woken = true;
	if (job->resting)
		job_end_rest();
	job->resting = false;
	job_changed(job);
	job_unlock(job);
}

static bool
start_thread(struct job *job, bool once)
{
	if (job->running) {
		job_wake(job);
		return true;
	}
	job->once = once;
	atomic_store(&job->done, false);
	job_end_rest();
	job->running = thread_start(&job->thread, run_thread, job);
	if (!job->running)
		job_begin_rest();
	return job->running;
}

bool
job_start(struct job *job)
{
	return start_thread(job, false);
}

bool
job_start_once(struct job *job)
{
	return start_thread(job, true);
}

void
job_run_once(struct job *job)
{
	if (!job_start_once(job))
		call_once(job);
}

bool
job_is_running(const struct job *job)
{
	return job->running;
}

void
job_cancel(struct job *job)
{
	uint64_t one = 1;
	job_lock(job);
	atomic_store(&job->stopping, true);
	job_changed(job);
	job_unlock(job);
	if (job->stop_event >= 0 && write(job->stop_event, &one, sizeof one) != sizeof one)
		abort();
}

void
job_join(struct job *job)
{
	if (job->running)
		pthread_join(job->thread, NULL);
	job->running = false;
}

/* End the thread and free the resources that only it needs. */
static void
end_thread(struct job *job)
{
	job_cancel(job);
	job_join(job);
	if (job->stop_event >= 0)
		close(job->stop_event);
	job->stop_event = -1;
}

void
job_stop(struct job *job)
{
	end_thread(job);
	job->woken = false;
	atomic_store(&job->stopping, false);
}

void
job_free(struct job *job)
{
	end_thread(job);
	pthread_mutex_destroy(&job->lock);
	pthread_cond_destroy(&job->changed);
}
