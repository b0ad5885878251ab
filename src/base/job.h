/*
 * A worker: a thread that does one job in the background.
 *
 * There are two ways to start it: with a job that runs to its end, and with a job
 * that is called again for each wake and sleeps between them.  All calls but
 * job_is_stopping() belong to whoever owns the worker; job_wake() and
 * job_cancel() may also be called by any other thread while it is not stopped.
 *
 * A start is refused if the system has no thread to give.  The refusal is counted
 * (thread_refusals(), which the screen shows); whoever starts the worker does the
 * job itself, or leaves out what it is for and says so.
 *
 * Not a worker is the thread that awaits signals: sigwait() ends neither
 * by a wake nor by a descriptor.
 */
#ifndef TRAWL_BASE_JOB_H
#define TRAWL_BASE_JOB_H

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct job {
	int nice; /* value of the thread, 0 to 19; set before the start */

	/* the worker's own */
	void (*job)(void *context);
	void *context;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool running, once, woken, resting;
	atomic_bool stopping;
	int stop_event; /* eventfd, or -1 */
};

void job_init(struct job *, void (*job)(void *context), void *context);

/*
 * A descriptor that can be read from the moment on when the worker is to stop, for
 * a job that sleeps in poll(); -1 and errno if the system has none.  It is the
 * worker's, and is made by the first call, which comes before the start.
 */
int job_stop_event(struct job *);

/* Starts the thread, whose job is called at once and for each wake; one that runs is
 * woken.  False if the start is refused: it may be tried again. */
bool job_start(struct job *);

/* Starts the thread for one call of the job, which is made even if the worker is
 * cancelled meanwhile. */
bool job_start_once(struct job *);

/* Started, and neither stopped nor joined. */
bool job_is_running(const struct job *);

/* Lets the job be called once more, after the call that is under way.  Nothing is
 * lost between the two; wakes of a worker not started have no effect. */
void job_wake(struct job *);

/* Asks the job to end soon, without waiting for it. */
void job_cancel(struct job *);

/* Whether the job is to end soon: for the job, to be asked often. */
static inline bool
job_is_stopping(const struct job *w)
{
	return atomic_load_explicit(&w->stopping, memory_order_relaxed);
}

/* Waits until a job that was started once has ended; then it may be started anew. */
void job_join(struct job *);

/* Cancels, waits for the thread and gives all up; whether started or not. */
void job_free(struct job *);

/*
 * A worker rests while its job neither runs nor is to be called again, and while the job
 * waits for an event from outside the program, between the two calls below.  While all
 * workers rest, only such an event or the owner of a worker can start new work.
 */
bool jobs_rest(void);

/* A descriptor that becomes readable, as an eventfd, each time the last busy worker begins
 * to rest; -1 and errno if the system has none.  It stays open.  Owner's thread only. */
int jobs_rest_event(void);

/* For a job, before and after it waits for an event from outside the program. */
void job_begin_rest(void);
void job_end_rest(void);

/* Same as poll(), as such a wait.  A job does not rest if a file is ready at once. */
int job_poll(struct pollfd *files, nfds_t count, int milliseconds);

#endif
