/*
 * Spooling: copy a stream, a live source (capture/live.h) or a file to an unlinked file
 * that can be mapped.
 *
 * A thread makes the copy.  It unpacks packed data on the way (capture/unpack.h) and
 * converts dumps (capture/dump.h).  The unlinked file frees its space however the program
 * ends.
 */
#ifndef TRAWL_CAPTURE_SPOOL_H
#define TRAWL_CAPTURE_SPOOL_H

#include "capture/capture.h"

#include <stdatomic.h>

struct losses;
struct spool;

/* Take over STREAM and create the file.  spool_stop, or an error, closes STREAM.  NAME appears in
 * error messages.  Missing bytes of a dump are added to LOSSES.  Return NULL on error. */
struct spool *spool_open(int stream, const char *name, const struct capture_options *,
			 struct losses *, struct err *);
/* As spool_open, for a regular file that is packed or a dump.  FILE stays the caller's.  Return
 * NULL on error, with ERR_UNSUPPORTED and ERR_DATA as in unpack_open.  No file is created for files
 * that are neither. */
struct spool *spool_open_file(int file, const char *name, const struct capture_options *,
			      struct losses *, struct err *);
/* As spool_open, for a live source; live_is_named(NAME) must be true. */
struct spool *spool_open_live(const char *name, const struct capture_options *, struct err *);
/* As spool_open, for pieces of a regular file, one after the other.  FILE stays the caller's. */
struct spool *spool_open_pieces(int file, const char *name, const struct capture_piece *pieces,
				size_t count, const struct capture_options *, struct err *);
/* Start to copy.  Try to open a live source first.  Copying fails with ENOMEM after LIMIT bytes.
 * Return 0 or an error. */
int spool_start(struct spool *, uint64_t limit, struct err *);
void spool_stop(struct spool *); /* NULL is fine */

int spool_file(const struct spool *); /* descriptor, borrowed */
uint64_t spool_size(const struct spool *);
/* Block until the size exceeds SIZE, the link differs from LINK, the spool ended or was
 * interrupted, or MILLISECONDS passed.  Return false on a timeout. */
bool spool_wait(struct spool *, uint64_t size, enum capture_link link, int milliseconds);
/* Block until the size exceeds SIZE, the spool ended, or *STOP is set.  Call spool_wake after
 * setting *STOP. */
void spool_wait_stop(struct spool *, uint64_t size, const atomic_bool *stop);
void spool_wake(struct spool *);      /* makes all waiting threads check again; any thread */
void spool_interrupt(struct spool *); /* ends all waits, current and future; any thread */
bool spool_ended(const struct spool *);

/* See capture_limit, capture_begin, capture_due, capture_drop and capture_hold. */
uint64_t spool_limit(const struct spool *);
uint64_t spool_begin(const struct spool *);
uint64_t spool_due(const struct spool *);
void spool_drop(struct spool *, uint64_t offset);
void spool_hold(struct spool *, bool on);
/* Keep the bytes from OFFSET on; UINT64_MAX allows dropping any.  One caller; any thread. */
void spool_keep_from(struct spool *, uint64_t offset);

/* Return how the spooled bytes were packed or dumped.  Return false if they were neither, or that
 * is not known yet. */
bool spool_packing(const struct spool *, struct capture_packing *);

/* See capture_link and capture_next_break.  Any thread. */
enum capture_link spool_link(const struct spool *, struct text *why);
bool spool_next_break(const struct spool *, uint64_t offset, struct capture_break *);

/* Why copying ended before the stream did. */
struct spool_failure {
	int error;	    /* errno; 0: no failure */
	bool reading;	    /* true if reading failed, false if keeping did */
	const char *packed; /* why unpacking failed, borrowed from the spool; or NULL */
	bool refused;	    /* it is an archive with several members */
	const char *folder; /* of the spool file, borrowed from the spool */
};
struct spool_failure spool_failure(const struct spool *);

#endif
