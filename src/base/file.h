/*
 * Opening files that people name beside captures: profiles, collateral, programs.
 * And writing those that the program keeps.
 */
#ifndef TRAWL_BASE_FILE_H
#define TRAWL_BASE_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <sys/uio.h>

/* Opens a regular file to be read.  Anything else is refused, as reading it could
 * wait for ever or never end.  Negative, with the reason in *WHY: a constant, or
 * of strerror. */
int file_open(const char *path, const char **why);

/* The same as a stream; NULL. */
FILE *file_open_stream(const char *path, const char **why);

/*
 * Writes COUNT pieces to a file with MODE, less the umask, which takes the place of
 * the one before in one step.  Folders that are missing are made with FOLDERS; 0: they
 * are an error.  Negative with errno; then the file before is as it was.
 */
int file_replace(const char *path, mode_t mode, mode_t folders, const struct iovec *pieces,
		 int count);

/* Makes a file in FOLDER that has no name, to be written and read; negative with errno. */
int file_unnamed(const char *folder);

/* Removes the files of the folder that PATH lies in which were written longest ago,
 * until there are at most so many FILES of at most so many BYTES: those whose names
 * have ENDING. */
void file_prune(const char *path, const char *ending, uint64_t files, uint64_t bytes);

#endif
