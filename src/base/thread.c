/* Threads without signals: see thread.h. */
#include "config.h"

#include "base/thread.h"

#include <signal.h>

bool
thread_start(pthread_t *thread, void *(*run)(void *), void *context)
{
	sigset_t all, before;
	sigfillset(&all);
	sigdelset(&all, SIGBUS);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int failed = pthread_create(thread, NULL, run, context);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return !failed;
}
