/*
 * Copying a capture to a file while it grows: see recorder.h.
 *
 * A thread sleeps until the spool has more bytes, then copies them.  It reads the spool
 * instead of the source, so it never delays the source and may start late.
 */
#include "config.h"

#include "capture/recorder.h"
#include "base/vec.h"
#include "base/job.h"
#include "capture/spool.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { CHUNK = 256 * 1024 };

struct recorder {
	struct spool *spool; /* borrowed from the capture */
	struct writer writer;
	char *buffer;
	uint64_t begin; /* first offset to copy in the spool */
	_Atomic uint64_t size;
	atomic_bool ended;
	struct err err; /* valid once `ended` */
	void (*notify)(void *);
	void *context;
	struct job job;
};

/* Copy up to LENGTH bytes at OFFSET.  Return their number or a negative err_code. */
static ssize_t
copy_some(struct recorder *recorder, uint64_t offset, size_t length)
{
	ssize_t n = pread(spool_file(recorder->spool), recorder->buffer,
			  length < CHUNK ? length : CHUNK, (off_t)offset);
	if (n < 0 && errno == EINTR)
		return 0;
	if (n <= 0)
		return err_set(&recorder->err, ERR_IO, "cannot read the capture: %s",
			       strerror(n ? errno : EIO));
	int failed = writer_add(&recorder->writer, recorder->buffer, (size_t)n, &recorder->err);
	return failed ? failed : n;
}

/* Copy the available bytes.  Return false if writing fails. */
static bool
copy_available(struct recorder *recorder)
{
	uint64_t size = spool_size(recorder->spool);
	uint64_t at = recorder->begin + recorder_size(recorder);
	while (at < size) {
		ssize_t n = copy_some(recorder, at, (size_t)(size - at));
		if (n < 0)
			return false;
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
		/* read before the size: later bytes need not be copied */
		stopping = job_is_stopping(&recorder->job);
		ended = spool_ended(recorder->spool);
		good = copy_available(recorder);
		if (good && !stopping && !ended)
			spool_wait_stop(recorder->spool, recorder->begin + recorder_size(recorder),
					&recorder->job.stopping);
	} while (good && !stopping && !ended);
	spool_keep_from(recorder->spool, UINT64_MAX);
	atomic_store(&recorder->ended, true);
	if (!stopping)
		recorder->notify(recorder->context);
}

static void
recorder_free(struct recorder *recorder)
{
	job_free(&recorder->job);
	writer_abandon(&recorder->writer);
	free(recorder->buffer);
	free(recorder);
}

struct recorder *
recorder_start(struct capture *capture, const char *path, const struct writer_options *options,
	       void (*notify)(void *), void *context, struct err *err)
{
	struct recorder *recorder = mem_new(sizeof *recorder);
	recorder->spool = capture_spool(capture);
	recorder->begin = spool_begin(recorder->spool);
	spool_keep_from(recorder->spool, recorder->begin);
	recorder->buffer = mem_resize(NULL, CHUNK);
	recorder->notify = notify;
	recorder->context = context;
	job_init(&recorder->job, recorder_copy, recorder);
	struct writer_options how = *options;
	how.stop = job_stop_event(&recorder->job);
	bool good = writer_open(&recorder->writer, path, &how, err) == 0;
	if (good && job_start_once(&recorder->job))
		return recorder;
	spool_keep_from(recorder->spool, UINT64_MAX);
	if (good)
		err_set(err, ERR_IO, "no thread can be started (ulimit -u)");
	recorder_free(recorder);
	return NULL;
}

uint64_t
recorder_size(const struct recorder *recorder)
{
	return atomic_load_explicit(&recorder->size, memory_order_relaxed);
}

bool
recorder_ended(const struct recorder *recorder)
{
	return atomic_load(&recorder->ended);
}

int
recorder_stop(struct recorder *recorder, struct err *err)
{
	job_cancel(&recorder->job);
	spool_wake(recorder->spool);
	job_join(&recorder->job);
	*err = recorder->err;
	if (!err->code)
		writer_commit(&recorder->writer, err);
	recorder_free(recorder);
	return err->code;
}
