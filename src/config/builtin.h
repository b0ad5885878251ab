/*
 * The views, themes and keys that are compiled in.
 *
 * The build compiles every file listed in $(builtin_yaml), src/local.mk, into one table
 * (config/mkbuiltin.awk writes builtin.c).  A program copied alone to another machine thus still
 * has its defaults.  The installed files contain the same text.
 */
#ifndef TRAWL_CONFIG_BUILTIN_H
#define TRAWL_CONFIG_BUILTIN_H

#include <stddef.h>

struct builtin_file {
	const char *name; /* as in the source tree: "views/default.yaml" */
	const char *text; /* the whole file, NUL-terminated */
};

extern const struct builtin_file builtin_files[];
extern const size_t builtin_file_count;

#endif
