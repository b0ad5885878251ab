/*
 * Files that trawl does not read as captures: compressed files, containers, programs,
 * traces from other tools.  Their first bytes identify them.  Each has a sentence of
 * advice for the user.
 */
#ifndef TRAWL_CAPTURE_FOREIGN_H
#define TRAWL_CAPTURE_FOREIGN_H

#include "base/text.h"

#include <stddef.h>
#include <stdint.h>

struct foreign {
	const char *name; /* `zstd-compressed data` */
	const char *help; /* advice; FILE stands for the file name */
	const char *pack; /* packing that capture/unpack.h may read, or NULL */
};

/* Identify a file by its first bytes.  Return NULL if it is not in the table.  HEAD may be NULL if
 * LENGTH is 0. */
const struct foreign *foreign_find(const uint8_t *head, size_t length);

/* Return the length of a file name without the endings of packed files: `trace.bin` for both
 * `trace.bin.zst` and `trace.bin.tar.gz`. */
size_t foreign_plain_length(const char *name);

/* Append the name and advice for the file PATH as one sentence. */
void foreign_explain(const struct foreign *, const char *path, struct text *out);

#endif
