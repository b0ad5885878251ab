/*
 * Files that are no capture of ours: compressed files, containers, traces of other
 * programs, programs.  Each is known by its first bytes, and has a sentence that says
 * what to do with it.
 */
#ifndef TRAWL_CAPTURE_FOREIGN_H
#define TRAWL_CAPTURE_FOREIGN_H

#include "base/text.h"

#include <stddef.h>
#include <stdint.h>

struct foreign {
	const char *name; /* `zstd-compressed data` */
	const char *help; /* what to do; FILE stands for its name */
	const char *pack; /* how it is packed, where capture/unpack.h may read it; or NULL */
};

/* What starts with these bytes, or NULL.  HEAD may be NULL if there are none. */
const struct foreign *foreign_find(const uint8_t *head, size_t length);

/* Length of a file name without the endings of compressed files: that of `trace.bin` in
 * `trace.bin.zst` and in `trace.bin.tar.gz`. */
size_t foreign_plain_length(const char *name);

/* Appends name and help for the file PATH as one sentence. */
void foreign_explain(const struct foreign *, const char *path, struct text *out);

#endif
