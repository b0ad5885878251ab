/*
 * Starting threads.  All of ours leave signals to the main thread, except SIGBUS, which is raised
 * where a shrunk capture is read.  Background work is a job (base/job.h), which starts its thread
 * here.
 */
#ifndef TRAWL_BASE_THREAD_H
#define TRAWL_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Start a thread.  Return false if the system has none to give. */
bool thread_start(pthread_t *, void *(*run)(void *), void *context);

/* Return the number of failed starts.  The work of such a thread is not done. */
unsigned thread_refusals(void);

/* Return how many processors this process may use, at least 1. */
unsigned thread_processors(void);

/* Return milliseconds of a monotonic clock. */
int64_t thread_now_ms(void);

/* Initialise a condition variable on that clock, as all of ours are.  A timed wait then ends in
 * time even if the system's clock is set. */
void thread_cond_init(pthread_cond_t *);

/* Set UNTIL to MILLISECONDS from now, for pthread_cond_timedwait on such a condition variable. */
void thread_deadline(struct timespec *, int milliseconds);

#endif
