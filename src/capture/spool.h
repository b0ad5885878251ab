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

/* Starts copying STREAM (taken over and closed at the end).  NULL on error. */
struct spool *spool_start(int stream, const struct capture_options *, struct err *);
void spool_stop(struct spool *); /* NULL is fine */

int spool_file(const struct spool *); /* descriptor of the file, borrowed */
uint64_t spool_size(const struct spool *);
/* Blocks until there is more than SIZE, the end, or MILLISECONDS passed: then
 * false. */
bool spool_wait(struct spool *, uint64_t size, int milliseconds);
void spool_interrupt(struct spool *); /* ends all waiting, from now on; any thread */
bool spool_ended(const struct spool *);

#endif
