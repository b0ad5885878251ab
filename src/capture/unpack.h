/*
 * Unpacking: the bytes of a compressed file, or of the only member of an archive.
 *
 * The first bytes identify each layer (capture/foreign.h): a .tar.gz is gzip around tar.
 * Memory use is that of libarchive's decoders: at most 1 GiB for xz, 128 MiB for zstd,
 * little for others.  It does not depend on sizes stated in the file.  Without
 * libarchive, unpack_open always fails.
 *
 * One thread at a time.
 */
#ifndef TRAWL_CAPTURE_UNPACK_H
#define TRAWL_CAPTURE_UNPACK_H

#include "base/err.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Source of the packed bytes. */
struct unpack_source {
	/* Read up to LENGTH bytes at OFFSET.  Return 0 at the end, negative if they cannot be
	 * read.  If SIZE is unknown, OFFSET never decreases after unpack_open. */
	ssize_t (*read)(void *context, uint64_t offset, void *buffer, size_t length);
	void *context;
	uint64_t size;	  /* UINT64_MAX: unknown */
	const char *name; /* of the file, for error messages */
	size_t head;	  /* bytes readable without a long wait; 0: all */
};

struct unpack;

/*
 * Open SOURCE, whose read function and context must outlive the result.  Return NULL with
 * a reason:
 *  ERR_UNSUPPORTED  not packed, or trawl is built without libarchive
 *  ERR_DATA         begins like packed data, but nothing can be unpacked
 *  ERR_USAGE        an archive with several files
 */
struct unpack *unpack_open(const struct unpack_source *, struct err *);
void unpack_close(struct unpack *); /* NULL is fine */

/* Return the layers, outermost first: `gzip, tar`. */
const char *unpack_name(const struct unpack *);

/* True if a layer is an archive. */
bool unpack_is_archive(const struct unpack *);

/* Set *BYTES to the next bytes, valid until the next call.  Return their number, or 0 at the end.
 * After an error, return negative with a reason: ERR_DATA, or ERR_USAGE for a second file. */
ssize_t unpack_read(struct unpack *, const void **bytes, struct err *);

/* Return the versions of libarchive and of its libraries: `libarchive 3.6.2 zlib/1.2.13 ...`.
 * Return NULL if built without it. */
const char *unpack_version(void);

#endif
