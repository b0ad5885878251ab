/*
 * Copying a capture to a file while it grows: see recorder.h.
 *
 * A thread sleeps until the spool has more and copies that.  It reads the spool, not the
 * source: so it never delays what is read, and may begin late.
 */
#include "config.h"

#include "capture/recorder.h"
#include "base/vec.h"
#include "base/worker.h"
#include "capture/spool.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

enum { CHUNK = 256 * 1024 };

struct recorder {
	struct spool *spool; /* the capture's */
	int file;
	char *buffer;
	uint64_t begin; /* of the spool, at first */
	atomic_bool stopping;
	_Atomic uint64_t size;
	atomic_bool ended;
	int error; /* valid once it ended */
	void (*notify)(void *);
	void *context;
	struct worker worker;
};

/* Copies up to LENGTH bytes at OFFSET; how many, or negative with errno. */
static ssize_t
copy_some(struct recorder *recorder, uint64_t offset, size_t length)
{
	ssize_t done = 0;
	ssize_t n = pread(spool_file(recorder->spool), recorder->buffer,
			  length < CHUNK ? length : CHUNK, (off_t)offset);
	while (done < n) {
		ssize_t written =
		    write(recorder->file, recorder->buffer + done, (size_t)(n - done));
		if (written < 0 && errno != EINTR)
			return -1;
		done += written > 0 ? written : 0;
	}
	return n < 0 ? n : done;
}

/* Copies what the spool has; false if that cannot be written. */
static bool
copy_available(struct recorder *recorder)
{
	uint64_t size = spool_size(recorder->spool);
	uint64_t at = recorder->begin + recorder_size(recorder);
	while (at < size) {
		ssize_t n = copy_some(recorder, at, (size_t)(size - at));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			recorder->error = n ? errno : EIO;
			return false;
		}
		at += (uint64_t)n;
		atomic_store_explicit(&recorder->size, at - recorder->begin, memory_order_relaxed);
		spool_keep_from(recorder->spool, at);
	}
	return true;
}

static void
recorder_copy(void *context)
{
	struct recorder *recorder = context;
	bool good, stopping, ended;
	do {
		/* before the size: what comes later need not be copied */
		stopping = atomic_load(&recorder->stopping);
		ended = spool_ended(recorder->spool);
		good = copy_available(recorder);
		if (good && !stopping && !ended)
			spool_wait_stop(recorder->spool, recorder->begin + recorder_size(recorder),
					&recorder->stopping);
	} while (good && !stopping && !ended);
	spool_keep_from(recorder->spool, UINT64_MAX);
	atomic_store(&recorder->ended, true);
	if (!stopping)
		recorder->notify(recorder->context);
}

static void
recorder_free(struct recorder *recorder)
{
	worker_stop(&recorder->worker);
	free(recorder->buffer);
	free(recorder);
}

struct recorder *
recorder_start(struct capture *capture, int file, void (*notify)(void *), void *context,
	       struct err *err)
{
	struct recorder *recorder = mem_new(sizeof *recorder);
	recorder->spool = capture_spool(capture);
	recorder->begin = spool_begin(recorder->spool);
	spool_keep_from(recorder->spool, recorder->begin);
	recorder->file = file;
	recorder->buffer = mem_resize(NULL, CHUNK);
	recorder->notify = notify;
	recorder->context = context;
	worker_init(&recorder->worker, recorder_copy, recorder);
	if (worker_start_once(&recorder->worker))
		return recorder;
	spool_keep_from(recorder->spool, UINT64_MAX);
	err_set(err, ERR_IO, "no thread can be started (ulimit -u)");
	close(file);
	recorder_free(recorder);
	return NULL;
}

uint64_t
recorder_size(const struct recorder *recorder)
{
	return atomic_load_explicit(&recorder->size, memory_order_relaxed);
}

bool
recorder_ended(const struct recorder *recorder, int *error)
{
	bool ended = atomic_load(&recorder->ended);
	*error = ended ? recorder->error : 0;
	return ended;
}

int
recorder_stop(struct recorder *recorder)
{
	atomic_store(&recorder->stopping, true);
	spool_wake(recorder->spool);
	worker_join(&recorder->worker);
	int error = recorder->error;
	if (close(recorder->file) && !error)
		error = errno;
	recorder_free(recorder);
	return error;
}
