/*
 * Spooling a stream to an unlinked file: see spool.h.
 *
 * The copying thread publishes the size after the bytes are in the file, so
 * whoever sees a size may read that far.  It tells its owner of growth at once
 * but at most ten times a second, and of the end.  A second descriptor (an
 * eventfd) wakes it when it shall stop.
 */
#include "config.h"

#include "capture/spool.h"
#include "base/thread.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK = 256 * 1024, QUIET_MS = 100 };

struct spool {
	int stream, file, stop;
	pthread_t thread;
	_Atomic uint64_t size;
	atomic_bool ended, interrupted;
	pthread_mutex_t lock; /* only for those who wait on `grown` */
	pthread_cond_t grown;
	void (*notify)(void *);
	void *notify_context;
};

static void
wake_waiting(struct spool *spool)
{
	pthread_mutex_lock(&spool->lock);
	pthread_cond_broadcast(&spool->grown);
	pthread_mutex_unlock(&spool->lock);
}

static bool
write_all(struct spool *spool, const char *data, size_t length)
{
	uint64_t at = atomic_load_explicit(&spool->size, memory_order_relaxed);
	size_t done = 0;
	while (done < length) {
		ssize_t n = pwrite(spool->file, data + done, length - done, (off_t)(at + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	atomic_store_explicit(&spool->size, at + length, memory_order_release);
	wake_waiting(spool);
	return true;
}

static void *
copy(void *context)
{
	struct spool *spool = context;
	char *buffer = mem_resize(NULL, CHUNK);
	int64_t said = thread_now_ms() - QUIET_MS;
	bool unsaid = false;
	for (;;) {
		if (unsaid && thread_now_ms() - said >= QUIET_MS) {
			unsaid = false;
			said = thread_now_ms();
			spool->notify(spool->notify_context);
		}
		struct pollfd wait[] = {{.fd = spool->stream, .events = POLLIN},
					{.fd = spool->stop, .events = POLLIN}};
		int ready = poll(wait, 2, unsaid ? QUIET_MS : -1);
		if (ready < 0 && errno == EINTR)
			continue;
		if (ready < 0 || wait[1].revents)
			break;
		if (ready == 0)
			continue;
		ssize_t n = read(spool->stream, buffer, CHUNK);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0 || !write_all(spool, buffer, (size_t)n))
			break;
		unsaid = true;
	}
	free(buffer);
	atomic_store_explicit(&spool->ended, true, memory_order_release);
	wake_waiting(spool);
	spool->notify(spool->notify_context);
	return NULL;
}

static int
unlinked_file(const char *folder, struct err *err)
{
	if (!folder)
		folder = getenv("TMPDIR");
	if (!folder || !*folder)
		folder = "/tmp";
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s/trawl.XXXXXX", folder);
	int file = mkostemp(path, O_CLOEXEC);
	if (file < 0) {
		err_set(err, ERR_IO, "cannot spool the stream in %s: %s", folder, strerror(errno));
		return -1;
	}
	unlink(path);
	return file;
}

static void
say_nothing(void *context)
{
	(void)context;
}

struct spool *
spool_start(int stream, const struct capture_options *options, struct err *err)
{
	int file = unlinked_file(options ? options->spool_dir : NULL, err);
	if (file < 0) {
		close(stream);
		return NULL;
	}
	struct spool *spool = mem_new(sizeof *spool);
	spool->stream = stream;
	spool->file = file;
	spool->stop = eventfd(0, EFD_CLOEXEC);
	pthread_mutex_init(&spool->lock, NULL);
	pthread_cond_init(&spool->grown, NULL);
	spool->notify = options && options->notify ? options->notify : say_nothing;
	spool->notify_context = options ? options->notify_context : NULL;
	if (!thread_start(&spool->thread, copy, spool)) {
		err_set(err, ERR_IO, "cannot start a thread to read the stream");
		close(spool->stream);
		close(spool->file);
		close(spool->stop);
		free(spool);
		return NULL;
	}
	return spool;
}

void
spool_stop(struct spool *spool)
{
	if (!spool)
		return;
	uint64_t one = 1;
	if (write(spool->stop, &one, sizeof one) != sizeof one)
		abort();
	pthread_join(spool->thread, NULL);
	close(spool->stream);
	close(spool->file);
	close(spool->stop);
	free(spool);
}

int
spool_file(const struct spool *spool)
{
	return spool->file;
}

uint64_t
spool_size(const struct spool *spool)
{
	return atomic_load_explicit(&spool->size, memory_order_acquire);
}

bool
spool_wait(struct spool *spool, uint64_t size, int milliseconds)
{
	struct timespec until;
	int late = 0;
	thread_deadline(&until, milliseconds);
	pthread_mutex_lock(&spool->lock);
	while (spool_size(spool) <= size && !spool_ended(spool) &&
	       !atomic_load(&spool->interrupted) && !late)
		late = milliseconds < 0
			   ? pthread_cond_wait(&spool->grown, &spool->lock)
			   : pthread_cond_timedwait(&spool->grown, &spool->lock, &until);
	pthread_mutex_unlock(&spool->lock);
	return !late;
}

void
spool_interrupt(struct spool *spool)
{
	atomic_store(&spool->interrupted, true);
	wake_waiting(spool);
}

bool
spool_ended(const struct spool *spool)
{
	return atomic_load_explicit(&spool->ended, memory_order_acquire);
}
