/*
 * Spooling a stream to an unlinked file: see spool.h.
 *
 * The copying thread publishes the size after the bytes are in the file, so
 * whoever sees a size may read that far.  It tells its owner of growth at once
 * but at most ten times a second, and of the end.  It sleeps in poll(), with the
 * worker's own descriptor beside the stream's.  If it cannot go on, what came so
 * far stays, and the reason with it.
 */
#include "config.h"

#include "capture/spool.h"
#include "base/thread.h"
#include "base/vec.h"
#include "base/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK = 256 * 1024, QUIET_MS = 100 };

struct spool {
	int stream, file;
	struct worker worker;
	_Atomic uint64_t size;
	uint64_t limit; /* of what is of use */
	atomic_bool ended, interrupted;
	char *folder;
	int error;	      /* both valid once it ended */
	bool reading;	      /* what failed */
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

/* Writes at AT as much as can be; sets spool->error if that is not all. */
static size_t
write_most(struct spool *spool, uint64_t at, const char *data, size_t length)
{
	size_t done = 0;
	while (done < length) {
		ssize_t n = pwrite(spool->file, data + done, length - done, (off_t)(at + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			spool->error = n ? errno : ENOSPC;
			break;
		}
		done += (size_t)n;
	}
	return done;
}

/* False if not all could be kept; what could is. */
static bool
write_all(struct spool *spool, const char *data, size_t length)
{
	uint64_t at = atomic_load_explicit(&spool->size, memory_order_relaxed);
	uint64_t room = spool->limit > at ? spool->limit - at : 0;
	size_t done = write_most(spool, at, data, length < room ? length : (size_t)room);
	if (done == room && done < length)
		spool->error = ENOMEM;
	atomic_store_explicit(&spool->size, at + done, memory_order_release);
	wake_waiting(spool);
	return done == length;
}

/* Reads once; 0 at the end, also if reading fails. */
static size_t
read_some(struct spool *spool, char *buffer, bool *again)
{
	ssize_t n = read(spool->stream, buffer, CHUNK);
	*again = n < 0 && (errno == EINTR || errno == EAGAIN);
	if (n < 0 && !*again) {
		spool->error = errno;
		spool->reading = true;
	}
	return n < 0 ? 0 : (size_t)n;
}

static void
spool_copy(void *context)
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
		struct pollfd wait[] = {
		    {.fd = spool->stream, .events = POLLIN},
		    {.fd = worker_stop_event(&spool->worker), .events = POLLIN}};
		int ready = poll(wait, 2, unsaid ? QUIET_MS : -1);
		if (ready < 0 && errno == EINTR)
			continue;
		if (ready < 0 || wait[1].revents)
			break;
		if (ready == 0)
			continue;
		bool again;
		size_t n = read_some(spool, buffer, &again);
		if (!again && (!n || !write_all(spool, buffer, n)))
			break;
		unsaid |= n > 0;
	}
	free(buffer);
	atomic_store_explicit(&spool->ended, true, memory_order_release);
	wake_waiting(spool);
	spool->notify(spool->notify_context);
}

static const char *
folder_for(const struct capture_options *options)
{
	const char *folder = options ? options->spool_dir : NULL;
	if (!folder)
		folder = getenv("TMPDIR");
	return folder && *folder ? folder : "/tmp";
}

static int
unlinked_file(const char *folder, struct err *err)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s/trawl.XXXXXX", folder);
	int file = mkostemp(path, O_CLOEXEC);
	if (file < 0) {
		err_set(err, ERR_IO,
			"cannot keep the stream in %s: %s; --spool=DIR names another folder",
			folder, strerror(errno));
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

static void
spool_free(struct spool *spool)
{
	worker_stop(&spool->worker);
	close(spool->stream);
	close(spool->file);
	free(spool->folder);
	free(spool);
}

struct spool *
spool_open(int stream, const struct capture_options *options, struct err *err)
{
	const char *folder = folder_for(options);
	int file = unlinked_file(folder, err);
	if (file < 0) {
		close(stream);
		return NULL;
	}
	struct spool *spool = mem_new(sizeof *spool);
	spool->stream = stream;
	spool->file = file;
	worker_init(&spool->worker, spool_copy, spool);
	spool->folder = mem_text(folder);
	pthread_mutex_init(&spool->lock, NULL);
	pthread_cond_init(&spool->grown, NULL);
	spool->notify = options && options->notify ? options->notify : say_nothing;
	spool->notify_context = options ? options->notify_context : NULL;
	if (worker_stop_event(&spool->worker) >= 0)
		return spool;
	err_set(err, ERR_IO, "cannot read the stream: %s", strerror(errno));
	spool_free(spool);
	return NULL;
}

int
spool_start(struct spool *spool, uint64_t limit, struct err *err)
{
	spool->limit = limit;
	return worker_start_once(&spool->worker)
		   ? 0
		   : err_set(err, ERR_IO,
			     "cannot read the stream: no thread can be started (ulimit -u)");
}

void
spool_stop(struct spool *spool)
{
	if (spool)
		spool_free(spool);
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

struct spool_failure
spool_failure(const struct spool *spool)
{
	struct spool_failure failure = {.folder = spool->folder};
	if (spool_ended(spool)) {
		failure.error = spool->error;
		failure.reading = spool->reading;
	}
	return failure;
}
