/*
 * Build IDs: what tells an ELF file from others of the same name, and finding the file that
 * a build ID is of.
 */
#ifndef TRAWL_PROGRAM_BUILD_ID_H
#define TRAWL_PROGRAM_BUILD_ID_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

enum { BUILD_ID_MOST = 20 };

struct build_id {
	uint8_t bytes[BUILD_ID_MOST];
	uint8_t size; /* 0: not known */
};

/* The build ID of an ELF file of either class and byte order; false if it has none. */
bool build_id_read(const char *path, struct build_id *);

/* Appends its hexadecimal digits. */
void build_id_add(const struct build_id *, struct text *);

/*
 * Finds the file NAME, an absolute path on another machine, with that build ID: in FOLDER
 * (may be NULL), in the caches of debuginfod and perf, and under its own name.  Without a
 * build ID it is taken from FOLDER only.  NULL if there is none; then REFUSED says which
 * file of that name in FOLDER has another build ID, if one does.  Caller frees.
 */
char *build_id_find(const struct build_id *, const char *name, const char *folder,
		    struct text *refused);

#endif
