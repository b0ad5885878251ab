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

#include "capture/capture.h"

struct recorder;

/* Starts to copy CAPTURE, which is spooled and outlives the recording, to FILE, which is
 * open to be written and is taken over.  NOTIFY is called once it has ended by itself, from
 * any thread.  NULL with a reason, and FILE is closed. */
struct recorder *recorder_start(struct capture *, int file, void (*notify)(void *), void *context,
				struct err *);

/* Bytes that were written. */
uint64_t recorder_size(const struct recorder *);

/* Whether it has ended by itself: *ERROR is errno, or 0 at the end of the stream. */
bool recorder_ended(const struct recorder *, int *error);

/* Writes what is there and ends; 0 or errno of the first that could not be written. */
int recorder_stop(struct recorder *);

#endif
