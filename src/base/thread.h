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

/* Milliseconds of a clock that only goes forward. */
int64_t thread_now_ms(void);

/* The time MILLISECONDS from now, for pthread_cond_timedwait. */
void thread_deadline(struct timespec *, int milliseconds);

#endif
