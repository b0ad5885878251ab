/*
 * A folder for the files of a test, which are forgotten with it.
 */
#ifndef TRAWL_TESTS_UNIT_FOLDER_H
#define TRAWL_TESTS_UNIT_FOLDER_H

#include "test.h"

#include "base/text.h"
#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct folder {
	char path[32];
	VEC(char *) files; /* and folders in it, with their path */
};

static inline void
folder_make(struct folder *f)
{
	*f = (struct folder){.path = "/tmp/trawl_test.XXXXXX"};
	assert_non_null(mkdtemp(f->path));
}

/* The path of NAME in the folder; it lives as long as the folder. */
static inline const char *
folder_path(struct folder *f, const char *name)
{
	struct text path = {0};
	text_addf(&path, "%s/%s", f->path, name);
	return *vec_add(&f->files) = path.data;
}

static inline void
folder_put(struct folder *f, const char *name, const void *bytes, size_t length)
{
	FILE *file = fopen(folder_path(f, name), "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

static inline void
folder_put_text(struct folder *f, const char *name, const char *text)
{
	folder_put(f, name, text, strlen(text));
}

static inline void
folder_put_folder(struct folder *f, const char *name)
{
	assert_int_equal(mkdir(folder_path(f, name), 0700), 0);
}

static inline void
folder_remove(struct folder *f)
{
	while (f->files.count) {
		char *path = f->files.at[--f->files.count];
		if (remove(path)) {
			/* a path that was only asked for, or is there twice */
		}
		free(path);
	}
	vec_free(&f->files);
	assert_int_equal(rmdir(f->path), 0);
}

#endif
