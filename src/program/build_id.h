/*
 * Build IDs, which distinguish ELF files of the same name, and the search for the file with a
 * build ID.
 */
#ifndef TRAWL_PROGRAM_BUILD_ID_H
#define TRAWL_PROGRAM_BUILD_ID_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

enum { BUILD_ID_MOST = 20 };

struct build_id {
	uint8_t bytes[BUILD_ID_MOST];
	uint8_t size; /* 0: unknown */
};

/* Read the build ID of an ELF file of either class and byte order.  Return false if it has none. */
bool build_id_read(const char *path, struct build_id *);

/* Append the hexadecimal digits. */
void build_id_add(const struct build_id *, struct text *);

/*
 * Find the file NAME, an absolute path on another machine, with that build ID.  Search FOLDER
 * (may be NULL), the caches of debuginfod and perf, and NAME itself.  Without a build ID only
 * FOLDER counts.  Return NULL if there is none.  REFUSED then has a file of that name in FOLDER
 * with another build ID, if one exists.  The caller frees the result.
 */
char *build_id_find(const struct build_id *, const char *name, const char *folder,
		    struct text *refused);

#endif
