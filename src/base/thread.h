/*
 * Starting threads: all of ours leave signals to the main thread, save SIGBUS,
 * which is raised where a shrunk capture is read.  What a room does in the
 * background is a worker (base/job.h), which starts its thread here.
 */
#ifndef TRAWL_BASE_THREAD_H
#define TRAWL_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* False if the system has no thread to give. */
bool thread_start(pthread_t *, void *(*run)(void *), void *context);

/* How often that was so: what such threads were for is not done. */
unsigned thread_refusals(void);

/* How many processors this process may use, at least 1. */
unsigned thread_processors(void);

/* Milliseconds of a clock that only goes forward. */
int64_t thread_now_ms(void);

/* Initialise a condition variable on that clock.  All of ours are: a wait with a limit then
 * ends in time when the system's clock is set. */
void thread_cond_init(pthread_cond_t *);

/* Fill in the time MILLISECONDS from now, for pthread_cond_timedwait on such a condition
 * variable. */
void thread_deadline(struct timespec *, int milliseconds);

#endif
