/*
 * The views, themes and keys that the program carries in itself.
 *
 * The build compiles every file named in $(builtin_yaml), src/local.mk, into
 * one table (config/mkbuiltin.awk writes builtin.c), so that a program copied
 * to a machine alone still has its defaults.  The installed files are the same
 * text.
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
