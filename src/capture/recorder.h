/*
 * Recording: copy a stream or a live source to a file as it arrives, byte for byte.
 *
 * A recording begins with the first byte that the capture keeps, and continues while the
 * capture grows.  It ends when it is stopped, when the stream ends, or when writing
 * fails.
 *
 * Threads: the owner's.
 */
#ifndef TRAWL_CAPTURE_RECORDER_H
#define TRAWL_CAPTURE_RECORDER_H

#include "base/writer.h"
#include "capture/capture.h"

struct recorder;

/* Start to copy CAPTURE to a new file.  CAPTURE is spooled and outlives the recording.  NOTIFY is
 * called from any thread when the recording ends without recorder_stop.  Return NULL with a
 * reason. */
struct recorder *recorder_start(struct capture *, const char *path, const struct writer_options *,
				void (*notify)(void *), void *context, struct err *);

/* Return the number of bytes written. */
uint64_t recorder_size(const struct recorder *);

/* Return true once the recording has ended without recorder_stop. */
bool recorder_ended(const struct recorder *);

/* Write the bytes that have arrived, as far as the target accepts them at once, and end.  Return 0
 * or a negative err_code with the reason. */
int recorder_stop(struct recorder *, struct err *);

#endif
