/*
 * Opening files that people name beside captures: profiles, collateral, programs.
 */
#ifndef TRAWL_BASE_FILE_H
#define TRAWL_BASE_FILE_H

#include <stdio.h>

/* Opens a regular file to be read.  Anything else is refused, as reading it could
 * wait for ever or never end.  Negative, with the reason in *WHY: a constant, or
 * of strerror. */
int file_open(const char *path, const char **why);

/* The same as a stream; NULL. */
FILE *file_open_stream(const char *path, const char **why);

#endif
