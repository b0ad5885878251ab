/*
 * Opening files that the user names next to captures: profiles, collateral, programs; and
 * pruning those that the program keeps.  writer.h writes files.
 */
#ifndef TRAWL_BASE_FILE_H
#define TRAWL_BASE_FILE_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* Opens a regular file to be read.  Anything else is refused, as reading it could
 * wait for ever or never end.  Negative, with the reason in *WHY: a constant, or
 * of strerror. */
int file_open(const char *path, const char **why);

/* The same as a stream; NULL. */
FILE *file_open_stream(const char *path, const char **why);

/* Reads LENGTH bytes at OFFSET; false if there are fewer. */
bool file_read_at(int file, void *bytes, size_t length, uint64_t offset);

/* Makes a file in FOLDER that has no name, to be written and read; negative with errno. */
int file_unnamed(const char *folder);

/* Files that we keep in a folder: their names are hexadecimal numbers with this ending, and
 * they begin with HEAD, of at most 32 bytes. */
struct file_kind {
	const char *ending, *head;
};

/* Remove the oldest files of this kind from the folder of PATH until at most FILES of at most
 * BYTES in total are left.  Other files, links, and files that another process has locked
 * (flock) stay. */
void file_prune(const char *path, const struct file_kind *, uint64_t files, uint64_t bytes);

#endif
