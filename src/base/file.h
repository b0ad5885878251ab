/*
 * Opening files that the user names next to captures: profiles, collateral, programs.  Pruning
 * files that the program keeps.  writer.h writes files.
 */
#ifndef TRAWL_BASE_FILE_H
#define TRAWL_BASE_FILE_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>

/*
 * From now on open only files in FOLDER, or in the folders of earlier calls; also FOLDER itself if
 * it is a file.  For files that a case (capture/case.h) names, which may come from anywhere.  Call
 * it before there are threads.
 */
void file_fence(const char *folder);

/* Return NULL if PATH may be opened, else why not: it is outside of the fence, or missing. */
const char *file_outside(const char *path);

/* Open a regular file for reading.  Refuse anything else: reading it could wait for ever or
 * never end.  On failure return a negative value and set *WHY to a constant or to strerror's
 * text. */
int file_open(const char *path, const char **why);

/* Same, as a stream.  Return NULL on failure. */
FILE *file_open_stream(const char *path, const char **why);

/* Same for a file that the user names, which no fence excludes. */
FILE *file_open_settings(const char *path, const char **why);

/*
 * Open a copy of a regular file in memory, for libraries that map their input.  A library cannot
 * cope with a mapped file that others write.  It gets SIGBUS if the file shrinks, and bytes may
 * change after its checks.  The copy has no name and is sealed, so its bytes never change.  It
 * costs as much memory as the file is long, at most FILE_COPY_MOST.  On failure return a negative
 * value with the reason in *WHY.
 */
#define FILE_COPY_MOST ((uint64_t)4 << 30)
int file_open_copy(const char *path, const char **why);

/* Identity and write time of the file that a path named.  Take the stamp before you read the
 * file; then you miss no change. */
struct file_stamp {
	const char *path; /* borrowed */
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec written;
};
struct file_stamp file_stamp(const char *path);

/* What happened to the file after its stamp. */
enum file_change {
	FILE_SAME,
	FILE_GONE,   /* no file has its name */
	FILE_CHANGED /* written, or replaced by another file */
};
enum file_change file_compare(const struct file_stamp *);

/* Read LENGTH bytes at OFFSET.  Return false if fewer exist. */
bool file_read_at(int file, void *bytes, size_t length, uint64_t offset);

/* Create a file without a name in FOLDER, for reading and writing.  Negative with errno on
 * failure. */
int file_unnamed(const char *folder);

/* A kind of file that we keep in a folder.  Names consist of hexadecimal digits and dashes with
 * this ending.  Contents begin with HEAD, at most 32 bytes. */
struct file_kind {
	const char *ending, *head;
};

/* Remove the oldest files of this kind from the folder of PATH.  Stop when at most FILES of at
 * most BYTES in total are left.  Keep other files and links. */
void file_prune(const char *path, const struct file_kind *, uint64_t files, uint64_t bytes);

#endif
