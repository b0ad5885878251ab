/*
 * Opening files that people name beside captures: profiles, collateral, programs.
 * And writing those that the program keeps.
 */
#ifndef TRAWL_BASE_FILE_H
#define TRAWL_BASE_FILE_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <sys/uio.h>
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

/*
 * Writes COUNT pieces to a file with MODE, less the umask, which takes the place of
 * the one before in one step.  Folders that are missing are made with FOLDERS; 0: they
 * are an error.  Negative with errno; then the file before is as it was.
 */
int file_replace(const char *path, mode_t mode, mode_t folders, const struct iovec *pieces,
		 int count);

/* The same for what is written bit by bit.  Zero-initialise. */
struct file_draft {
	int file;
	struct text name; /* of its own, until it takes the place of the one before */
	int failed;	  /* errno of the first write that was not done */
};
int file_draft_open(struct file_draft *, const char *path, mode_t mode, mode_t folders);
/* What fails is told by file_draft_place. */
void file_draft_add(struct file_draft *, const void *bytes, size_t length);
/* Ends what file_draft_open began.  USE: else nothing is left of it. */
int file_draft_place(struct file_draft *, const char *path, bool use);

/* Reads LENGTH bytes at OFFSET; false if there are fewer. */
bool file_read_at(int file, void *bytes, size_t length, uint64_t offset);

/* Makes a file in FOLDER that has no name, to be written and read; negative with errno. */
int file_unnamed(const char *folder);

/* Removes the files of the folder that PATH lies in which were written longest ago,
 * until there are at most so many FILES of at most so many BYTES: those whose names
 * have ENDING. */
void file_prune(const char *path, const char *ending, uint64_t files, uint64_t bytes);

#endif
