/*
 * A job: work in a thread of its own, and what it shares with its owner.
 *
 * There are two ways to start it.  Started once, it is called once; then it is done.  Started
 * plainly, it is called at the start and again for each wake, and sleeps in between.
 *
 * Threads: the owner is the thread that starts and frees the job, or one at a time.  Any
 * thread may wake, cancel, lock and ask, until the job is freed.  Telling news is up to the
 * job.  What a job that is called once wrote may be read without the lock once it is done.
 *
 * A start is refused if the system has no thread to give.  The refusal is counted
 * (thread_refusals(), which the screen shows).  The owner then does the work itself, or
 * leaves it out and says so.
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
	void (*notify)(void *); /* tells the owner that there is news, in the job's thread; */
	void *owner;		/* with this.  NULL: nobody is told */

	int64_t news_ms;	/* when it told last, by thread_now_ms(); the job's */
	struct generation news; /* how often it told */
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

/* Stops the job and frees what it holds.  It need not have been started. */
void job_free(struct job *);

/* --- start and stop ---------------------------------------------------- */

/* Start the thread, or wake it if it runs.  False if the start is refused: try again later. */
bool job_start(struct job *);

/* Start the thread for one call, which is made even if the job is cancelled meanwhile. */
bool job_start_once(struct job *);

/* The same.  If the start is refused, the call is made here. */
void job_run_once(struct job *);

/* Started, and neither stopped nor joined. */
bool job_is_running(const struct job *);

/* Call once more, after the call under way.  No wake is lost between two calls; waking a job
 * that is not started has no effect.  Not to be called with the lock held. */
void job_wake(struct job *);

/* Ask the job to end soon, without waiting for it.  Not to be called with the lock held. */
void job_cancel(struct job *);

/* True if the job has to end soon: for the job, which asks often. */
static inline bool
job_is_stopping(const struct job *job)
{
	return atomic_load_explicit(&job->stopping, memory_order_relaxed);
}

/*
 * A descriptor that is readable once the job has to end, for a job that sleeps in poll(); -1
 * and errno if the system has none.  It is the job's.  The first call makes it, and comes
 * before the start.
 */
int job_stop_event(struct job *);

/* Wait until a job that was started once has ended.  It may then be started again. */
void job_join(struct job *);

/* Cancel, wait, and make ready to be started again. */
void job_stop(struct job *);

/* --- what is shared ---------------------------------------------------- */

/* One lock for what the job and other threads share; it is never held while a call begins. */
void job_lock(struct job *);
void job_unlock(struct job *);

/* Wait for job_changed(), with the lock held.  False if UNTIL (thread_deadline()) comes first;
 * NULL waits without limit.  It may return early: check what is awaited. */
bool job_await(struct job *, const struct timespec *until);

/* Wake all who wait in job_await(). */
void job_changed(struct job *);

/* Tell the owner of news: count it, then notify. */
void job_tell(struct job *);

/* True if it told within the last MILLISECONDS: it does not tell all the time. */
bool job_told_within(const struct job *, int milliseconds);

/* Another number after each news. */
static inline unsigned
job_generation(const struct job *job)
{
	return generation_now(&job->news);
}

/* True if the one call has returned.  It becomes true just before that is told as news. */
bool job_is_done(const struct job *);

/* --- rest -------------------------------------------------------------- */

/*
 * A job rests while it is neither called nor to be called again, and while it waits for an
 * event from outside the program, between the two calls below.  While all jobs rest, only
 * such an event or the owner of a job can start new work.
 */
bool jobs_rest(void);

/* A descriptor that becomes readable, as an eventfd, each time the last busy job begins
 * to rest; -1 and errno if the system has none.  It stays open.  Owner's thread only. */
int jobs_rest_event(void);

/* For a job, before and after it waits for an event from outside the program. */
void job_begin_rest(void);
void job_end_rest(void);

/* Same as poll(), as such a wait.  A job does not rest if a file is ready at once. */
int job_poll(struct pollfd *files, nfds_t count, int milliseconds);

#endif
