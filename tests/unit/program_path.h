/*
 * Programs of tests by path, as the files of test folders are: opened, read, and closed again.
 */
#ifndef TRAWL_TESTS_UNIT_PROGRAM_PATH_H
#define TRAWL_TESTS_UNIT_PROGRAM_PATH_H

#include "test.h"

#include "base/file.h"
#include "program/image.h"
#include "program/symbols.h"

#include <unistd.h>

static inline struct symbols *
symbols_open_path(const char *path, struct err *err)
{
	const char *why;
	int file = file_open_copy(path, &why);
	assert_true(file >= 0);
	struct symbols *symbols = symbols_open(file, path, err);
	close(file);
	return symbols;
}

static inline int
image_add_path(struct image *image, const char *path, const struct image_place *place,
	       struct err *err)
{
	const char *why;
	int file = file_open(path, &why);
	assert_true(file >= 0);
	int failed = image_add(image, file, path, place, err);
	close(file);
	return failed;
}

#endif
