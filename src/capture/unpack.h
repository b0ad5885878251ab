/*
 * Unpacking: the bytes of a compressed file, or of the only member of an archive.
 *
 * What is packed is known by its first bytes (capture/foreign.h), layer by layer: a
 * .tar.gz is gzip around tar.  Memory is what the decoders of libarchive need: at most
 * 1 GiB for xz, 128 MiB for zstd, little for others; it does not depend on sizes that
 * the file names.  Without libarchive nothing can be opened.
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

/* Where packed bytes come from. */
struct unpack_source {
	/* Up to LENGTH bytes at OFFSET, which never is before the end of what was read
	 * unless SIZE is known; 0 at the end, negative if they cannot be read. */
	ssize_t (*read)(void *context, uint64_t offset, void *buffer, size_t length);
	void *context;
	uint64_t size;	  /* UINT64_MAX: not known */
	const char *name; /* of the file, for sentences */
	size_t head;	  /* what may take long lies behind so many bytes; 0: nothing does */
};

struct unpack;

/*
 * Opens what SOURCE has, whose read and context outlive it.  NULL with a reason:
 *   ERR_UNSUPPORTED  it is not packed, or trawl is built without libarchive
 *   ERR_DATA         it begins as if it were packed, but nothing can be unpacked
 *   ERR_USAGE        it is an archive with several files
 */
struct unpack *unpack_open(const struct unpack_source *, struct err *);
void unpack_close(struct unpack *); /* NULL is fine */

/* The layers, the outermost first: `gzip, tar`. */
const char *unpack_name(const struct unpack *);

/* Whether one of them is an archive. */
bool unpack_is_archive(const struct unpack *);

/* The next bytes in *BYTES, good until the next call; how many, 0 at the end.  Negative
 * with a reason, of ERR_DATA or ERR_USAGE, once there are no more for another cause. */
ssize_t unpack_read(struct unpack *, const void **bytes, struct err *);

/* The versions of libarchive that is linked, and of what it unpacks with:
 * `libarchive 3.6.2 zlib/1.2.13 ...`; NULL: built without it. */
const char *unpack_version(void);

#endif
