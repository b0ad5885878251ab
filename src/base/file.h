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
#include <time.h>

/* Opens a regular file to be read.  Anything else is refused, as reading it could
 * wait for ever or never end.  Negative, with the reason in *WHY: a constant, or
 * of strerror. */
int file_open(const char *path, const char **why);

/* The same as a stream; NULL. */
FILE *file_open_stream(const char *path, const char **why);

/*
 * Opens a copy of such a file in memory, for libraries that map what they read.  A library
 * cannot cope with a mapped file that others write: SIGBUS where the file became shorter, and
 * bytes that it checked change afterwards.  The copy has no name and is sealed, so its bytes
 * stay the same.  It costs as much memory as the file is long, FILE_COPY_MOST at most.
 * Negative, with the reason in *WHY.
 */
#define FILE_COPY_MOST ((uint64_t)4 << 30)
int file_open_copy(const char *path, const char **why);

/* Which file a path named, and when it was written.  Take the stamp before the file is read:
 * then no change is missed. */
struct file_stamp {
	const char *path; /* borrowed */
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec written;
};
struct file_stamp file_stamp(const char *path);

/* What happened to the file since then. */
enum file_change {
	FILE_SAME,
	FILE_GONE,   /* nothing has its name */
	FILE_CHANGED /* it was written, or another file has its name */
};
enum file_change file_compare(const struct file_stamp *);

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
