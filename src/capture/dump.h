/*
 * Dumps: the bytes of memory that a trace was written to, in the order of the trace.
 *
 * Text printed by a tool is converted to bytes (words.h).  Swapped bytes of words are
 * swapped back.  A circular buffer that was filled once has its oldest bytes after the
 * write pointer.  These come first.
 *
 * Text is converted as it is read.  Reordering needs all bytes first: those of a text or
 * of a packed file are kept in an unnamed file.
 *
 * One thread at a time.
 */
#ifndef TRAWL_CAPTURE_DUMP_H
#define TRAWL_CAPTURE_DUMP_H

#include "capture/capture.h"
#include "capture/unpack.h"

struct dump;

/*
 * Open the bytes of SOURCE, or those unpacked by BELOW if it is not NULL.  Both must
 * outlive the dump.  FOLDER is for temporary files.  Return NULL:
 *  without a reason    the bytes need no conversion
 *  ERR_USAGE           the write pointer is not in the dump
 *  ERR_IO, ERR_DATA    the bytes cannot be read or kept
 */
struct dump *dump_open(const struct unpack_source *source, struct unpack *below,
		       const struct capture_dump *, const char *folder, struct err *);
void dump_close(struct dump *); /* NULL is fine */

/* Return the form: `xxd`; `mdw, bytes of 4-byte words swapped`.  Return "" if only the order
 * differs. */
const char *dump_name(const struct dump *);

/* Return the order of the bytes: `rotated at 0x400`, or NULL. */
const char *dump_order(const struct dump *);

/* Set *BYTES to the next bytes, valid until the next call, or to NULL for missing bytes.  Return
 * their number, 0 at the end, or negative with a reason, as unpack_read does. */
ssize_t dump_read(struct dump *, const void **bytes, struct err *);

#endif
