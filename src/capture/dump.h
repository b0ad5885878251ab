/*
 * Dumps: the bytes of memory that trace was written to, in the order they were traced.
 *
 * What a tool printed as text becomes bytes (words.h).  Words whose bytes are turned round
 * are turned back.  Of a buffer that is written in a circle, the bytes from the write
 * pointer on are the oldest, if it was filled once, and come first.
 *
 * Text is turned into bytes as it is read.  For another order all bytes must be there:
 * those of a text or of a packed file are first kept in a file without a name.
 *
 * One thread at a time.
 */
#ifndef TRAWL_CAPTURE_DUMP_H
#define TRAWL_CAPTURE_DUMP_H

#include "capture/capture.h"
#include "capture/unpack.h"

struct dump;

/*
 * Opens what SOURCE has, or if BELOW is not NULL what that unpacks; they outlive it.
 * FOLDER is where files are kept.  NULL:
 *   without a reason    the bytes are to stay as they are
 *   ERR_USAGE           the write pointer is not in the dump
 *   ERR_IO, ERR_DATA    it cannot be read or kept
 */
struct dump *dump_open(const struct unpack_source *source, struct unpack *below,
		       const struct capture_dump *, const char *folder, struct err *);
void dump_close(struct dump *); /* NULL is fine */

/* What it is: `xxd`; `mdw, words of 4 bytes turned`.  "" if only its order differs. */
const char *dump_name(const struct dump *);

/* The order of its bytes: `rotated at 0x400`, or NULL. */
const char *dump_order(const struct dump *);

/* The next bytes in *BYTES, good until the next call, or NULL there for bytes that are
 * missing; how many, 0 at the end.  Negative with a reason, as of unpack_read. */
ssize_t dump_read(struct dump *, const void **bytes, struct err *);

#endif
