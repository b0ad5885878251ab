/*
 * Spooling: a stream becomes a file that can be mapped.
 *
 * A thread copies what the stream gives to an unlinked file; the space is
 * given back when the program ends, however it ends.
 */
#ifndef TRAWL_CAPTURE_SPOOL_H
#define TRAWL_CAPTURE_SPOOL_H

#include "capture/capture.h"

struct spool;

/* Takes over STREAM, which is closed at the end, and makes the file.  NULL on error. */
struct spool *spool_open(int stream, const struct capture_options *, struct err *);
/* Starts to copy.  No more than LIMIT bytes are of use: copying fails there, with ENOMEM.
 * 0, or an error. */
int spool_start(struct spool *, uint64_t limit, struct err *);
void spool_stop(struct spool *); /* NULL is fine */

int spool_file(const struct spool *); /* descriptor of the file, borrowed */
uint64_t spool_size(const struct spool *);
/* Blocks until there is more than SIZE, the end, or MILLISECONDS passed: then
 * false. */
bool spool_wait(struct spool *, uint64_t size, int milliseconds);
void spool_interrupt(struct spool *); /* ends all waiting, from now on; any thread */
bool spool_ended(const struct spool *);

/* Why copying ended before the stream did. */
struct spool_failure {
	int error;	    /* errno; 0: it did not */
	bool reading;	    /* the stream could not be read; else not kept */
	const char *folder; /* where it is kept, borrowed from the spool */
};
struct spool_failure spool_failure(const struct spool *);

#endif
