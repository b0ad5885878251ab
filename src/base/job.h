/*
 * A job: work in a thread of its own, and the state that it shares with its owner.
 *
 * A job can start in two ways.  job_start_once() runs it once; then it is done.  job_start() runs
 * it at once and again after each wake; in between it sleeps.
 *
 * Threads: the owner is the thread that starts and frees the job.  Only one thread at a time may
 * be the owner.  Any thread may wake, cancel, lock and query the job until it is freed.  The job
 * decides when to report news.  Results of a job that ran once may be read without the lock once
 * it is done.
 *
 * A start fails if the system has no thread to give.  thread_refusals() counts that, and the
 * screen shows it.  The owner then does the work itself, or skips it and reports that.
 *
 * The thread that awaits signals is no job: neither a wake nor a descriptor ends sigwait().
 */
#ifndef TRAWL_BASE_JOB_H
#define TRAWL_BASE_JOB_H

#include "base/generation.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct job {
	/* set before the start */
	int nice;		/* of the thread, 0 to 19 */
	void (*notify)(void *); /* reports news to the owner, in the job's thread; may be NULL */
	void *owner;		/* argument of `notify` */

	int64_t news_ms;	/* thread_now_ms() of the last news; only the job uses it */
	struct generation news; /* number of news */
	atomic_bool stopping;	/* see job_is_stopping() */

	/* private */
	void (*run)(void *context);
	void *context;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool running, once, woken, resting;
	atomic_bool done;
	int stop_event; /* eventfd, or -1 */
};

void job_init(struct job *, void (*run)(void *context), void *context);

/* Stop the job and free its resources.  It need not have been started. */
void job_free(struct job *);

/* --- start and stop ---------------------------------------------------- */

/* Start the thread, or wake it if it runs.  Return false if the start fails: try again later. */
bool job_start(struct job *);

/* Start the thread for a single run, which happens even if the job is cancelled meanwhile. */
bool job_start_once(struct job *);

/* Same, but do the run here if the start fails. */
void job_run_once(struct job *);

/* True from the start until the job is stopped or joined. */
bool job_is_running(const struct job *);

/* Run the job once more, after the current run.  A wake between two runs is never lost; waking a
 * job that is not started has no effect.  Do not call with the lock held. */
void job_wake(struct job *);

/* Request the job to end soon, without waiting for it.  Do not call with the lock held. */
void job_cancel(struct job *);

/* True if the job must end soon.  The job checks this often. */
static inline bool
job_is_stopping(const struct job *job)
{
	return atomic_load_explicit(&job->stopping, memory_order_relaxed);
}

/*
 * Return a descriptor that becomes readable when the job must end, for a job that sleeps in
 * poll().  Return -1 and set errno if the system has none.  The job owns it.  The first call
 * creates it and must come before the start.
 */
int job_stop_event(struct job *);

/* Wait until a job that was started once has ended.  It may then start again. */
void job_join(struct job *);

/* Cancel the job, wait for its end, and make it ready to start again. */
void job_stop(struct job *);

/* --- shared state ------------------------------------------------------ */

/* Take or release the lock of the shared state.  It is never held when a run begins. */
void job_lock(struct job *);
void job_unlock(struct job *);

/* Wait for job_changed(), with the lock held.  Return false if UNTIL (thread_deadline()) passes
 * first; NULL waits without limit.  May return early: check your condition again. */
bool job_await(struct job *, const struct timespec *until);

/* Wake all threads in job_await(). */
void job_changed(struct job *);

/* Report news to the owner: count it, then notify. */
void job_tell(struct job *);

/* True if the job reported news within the last MILLISECONDS, so that it can limit its rate. */
bool job_told_within(const struct job *, int milliseconds);

/* Return the epoch of the news. */
static inline unsigned
job_generation(const struct job *job)
{
	return generation_now(&job->news);
}

/* True if the single run has returned.  Becomes true just before the job reports that as news. */
bool job_is_done(const struct job *);

/* --- rest -------------------------------------------------------------- */

/*
 * A job rests while it has no run to do.  It also rests between the two calls below, while it
 * waits for an event from outside the program.  While all jobs rest, only such an event or the
 * owner of a job can start new work.
 */
bool jobs_rest(void);

/* Return a descriptor that becomes readable, as an eventfd, each time the last busy job begins
 * to rest.  Return -1 and set errno if the system has none.  It stays open.  Owner's thread
 * only. */
int jobs_rest_event(void);

/* Called by a job before and after it waits for an event from outside the program. */
void job_begin_rest(void);
void job_end_rest(void);

/* Call poll() and rest while it waits.  A job does not rest if a file is ready at once. */
int job_poll(struct pollfd *files, nfds_t count, int milliseconds);

#endif
