/*
 * Spooling: a stream, a live source (capture/live.h), or what is packed or dumped in a file
 * becomes a file that can be mapped.
 *
 * A thread copies what the stream gives, unpacked (capture/unpack.h) where it is packed,
 * to an unlinked file; the space is given back when the program ends, however it ends.
 */
#ifndef TRAWL_CAPTURE_SPOOL_H
#define TRAWL_CAPTURE_SPOOL_H

#include "capture/capture.h"

#include <stdatomic.h>

struct losses;
struct spool;

/* Takes over STREAM, which is closed at the end, and makes the file.  NAME is for
 * sentences.  What is missing in a dump is noted in LOSSES.  NULL on error. */
struct spool *spool_open(int stream, const char *name, const struct capture_options *,
			 struct losses *, struct err *);
/* The same for a regular file that is packed or a dump; for others no file is made.  NULL
 * on error, and then FILE stays the caller's:
 * ERR_UNSUPPORTED and ERR_DATA as those of unpack_open. */
struct spool *spool_open_file(int file, const char *name, const struct capture_options *,
			      struct losses *, struct err *);
/* The same for a live source: NAME is what live_is_named holds for. */
struct spool *spool_open_live(const char *name, const struct capture_options *, struct err *);
/* The same for pieces of a regular file, one behind the other; FILE stays the caller's. */
struct spool *spool_open_pieces(int file, const char *name, const struct capture_piece *pieces,
				size_t count, const struct capture_options *, struct err *);
/* Starts to copy; a live source is opened first, as far as it can be.  No more than LIMIT
 * bytes are of use: copying fails there, with ENOMEM.  0, or an error. */
int spool_start(struct spool *, uint64_t limit, struct err *);
void spool_stop(struct spool *); /* NULL is fine */

int spool_file(const struct spool *); /* descriptor of the file, borrowed */
uint64_t spool_size(const struct spool *);
/* Blocks until there is more than SIZE, another link than LINK, the end, or MILLISECONDS
 * passed: then false. */
bool spool_wait(struct spool *, uint64_t size, enum capture_link link, int milliseconds);
/* Blocks until there is more than SIZE, the end, or *STOP, of which spool_wake tells. */
void spool_wait_stop(struct spool *, uint64_t size, const atomic_bool *stop);
void spool_wake(struct spool *);      /* lets all who wait look again; any thread */
void spool_interrupt(struct spool *); /* ends all waiting, from now on; any thread */
bool spool_ended(const struct spool *);

/* As capture_limit, capture_begin, capture_due, capture_drop and capture_hold. */
uint64_t spool_limit(const struct spool *);
uint64_t spool_begin(const struct spool *);
uint64_t spool_due(const struct spool *);
void spool_drop(struct spool *, uint64_t offset);
void spool_hold(struct spool *, bool on);
/* From now on bytes from OFFSET on stay; UINT64_MAX: any may go.  One caller; any thread. */
void spool_keep_from(struct spool *, uint64_t offset);

/* How it is packed; false if it is not, or that is not known yet. */
bool spool_packing(const struct spool *, struct capture_packing *);

/* As capture_link and capture_next_break; any thread. */
enum capture_link spool_link(const struct spool *, struct text *why);
bool spool_next_break(const struct spool *, uint64_t offset, struct capture_break *);

/* Why copying ended before the stream did. */
struct spool_failure {
	int error;	    /* errno; 0: it did not */
	bool reading;	    /* the stream could not be read; else not kept */
	const char *packed; /* why no more can be unpacked; NULL: that is not what failed */
	bool refused;	    /* since it is an archive with several members */
	const char *folder; /* where it is kept, borrowed from the spool as PACKED */
};
struct spool_failure spool_failure(const struct spool *);

#endif
