/*
 * Recording: a stream or a live source is copied to a file as it comes, byte for byte.
 *
 * A recording begins with the first byte that the capture keeps, goes on while the capture
 * grows and ends when it is stopped, the stream ends, or no more can be written.
 *
 * Threads: the owner's.
 */
#ifndef TRAWL_CAPTURE_RECORDER_H
#define TRAWL_CAPTURE_RECORDER_H

#include "base/writer.h"
#include "capture/capture.h"

struct recorder;

/* Start to copy CAPTURE, which is spooled and outlives the recording, to a new file.  NOTIFY is
 * called from any thread once the recording has ended by itself.  Return NULL with a reason. */
struct recorder *recorder_start(struct capture *, const char *path, const struct writer_options *,
				void (*notify)(void *), void *context, struct err *);

/* Bytes that were written. */
uint64_t recorder_size(const struct recorder *);

/* Return true once it has ended by itself. */
bool recorder_ended(const struct recorder *);

/* Write the bytes that have come, as far as the target takes them at once, and end.  Return 0 or
 * a negative err_code with the reason. */
int recorder_stop(struct recorder *, struct err *);

#endif
