/*
 * Files that a test writes at once: below /tmp with a name of their own, or where it
 * says.  The test removes them.
 */
#ifndef TRAWL_TESTS_UNIT_TEMP_FILE_H
#define TRAWL_TESTS_UNIT_TEMP_FILE_H

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEMP_PATH = 32 };

/* A new file whose name has ENDING (at most 9 bytes). */
static inline void
temp_make(char path[static TEMP_PATH], const char *ending, const void *bytes, size_t length)
{
	snprintf(path, TEMP_PATH, "/tmp/trawl-test.XXXXXX%s", ending);
	int file = mkstemps(path, (int)strlen(ending));
	assert_true(file >= 0);
	assert_int_equal(write(file, bytes, length), length);
	close(file);
}

static inline void
temp_make_text(char path[static TEMP_PATH], const char *ending, const char *text)
{
	temp_make(path, ending, text, strlen(text));
}

/* The file at PATH, new or again, with TEXT. */
static inline void
temp_write(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

#endif
