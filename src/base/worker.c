/*
 * Workers: see worker.h.
 *
 * A wake is a flag under the lock that the thread clears before each call of the
 * job, so a wake during a call leads to another one.
 */
#include "config.h"

#include "base/worker.h"
#include "base/thread.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

void
worker_init(struct worker *w, void (*job)(void *context), void *context)
{
	*w = (struct worker){.job = job, .context = context, .stop_event = -1};
	pthread_mutex_init(&w->lock, NULL);
	thread_cond_init(&w->changed);
}

int
worker_stop_event(struct worker *w)
{
	if (w->stop_event < 0)
		w->stop_event = eventfd(0, EFD_CLOEXEC);
	return w->stop_event;
}

static void *
worker_run(void *context)
{
	struct worker *w = context;
	if (w->nice)
		setpriority(PRIO_PROCESS, (id_t)gettid(), w->nice);
	if (w->once) {
		w->job(w->context);
		return NULL;
	}
	pthread_mutex_lock(&w->lock);
	while (!w->stopping) {
		w->woken = false;
		pthread_mutex_unlock(&w->lock);
		w->job(w->context);
		pthread_mutex_lock(&w->lock);
		while (!w->stopping && !w->woken)
			pthread_cond_wait(&w->changed, &w->lock);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

void
worker_wake(struct worker *w)
{
	pthread_mutex_lock(&w->lock);
	w->woken = true;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

static bool
worker_start_thread(struct worker *w, bool once)
{
	if (w->running) {
		worker_wake(w);
		return true;
	}
	w->once = once;
	w->running = thread_start(&w->thread, worker_run, w);
	return w->running;
}

bool
worker_start(struct worker *w)
{
	return worker_start_thread(w, false);
}

bool
worker_start_once(struct worker *w)
{
	return worker_start_thread(w, true);
}

bool
worker_is_running(const struct worker *w)
{
	return w->running;
}

void
worker_cancel(struct worker *w)
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
worker_join(struct worker *w)
{
	if (w->running)
		pthread_join(w->thread, NULL);
	w->running = false;
}

void
worker_stop(struct worker *w)
{
	worker_cancel(w);
	worker_join(w);
	if (w->stop_event >= 0)
		close(w->stop_event);
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->changed);
}
