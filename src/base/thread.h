/*
 * Starting threads: all of ours leave signals to the main thread, save SIGBUS,
 * which is raised where a shrunk capture is read.
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

/* The time MILLISECONDS from now, for pthread_cond_timedwait. */
void thread_deadline(struct timespec *, int milliseconds);

/* A thread that does its work when it is woken, and sleeps otherwise. */
struct background {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool running, stopping, woken;
	void (*work)(void *context);
	void *context;
};

void background_init(struct background *, void (*work)(void *), void *context);
void background_start(struct background *); /* and wakes it */
void background_wake(struct background *);
bool background_is_stopping(struct background *); /* work should end soon */
void background_stop(struct background *);	  /* waits for it; started or not */

#endif
