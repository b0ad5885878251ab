/*
 * Runs a fuzz target without a fuzzer: over the files, and the files in the
 * folders, that are named on the command line.  What a target finds ends the
 * process.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
run_file(FILE *file)
{
	uint8_t *data = NULL;
	size_t size = 0, room = 0, n;
	do {
		if (size == room) {
			room = room ? 2 * room : 4096;
			data = realloc(data, room);
			if (!data)
				abort();
		}
		n = fread(data + size, 1, room - size, file);
		size += n;
	} while (n);

	/* of exactly that size, so that a sanitizer sees what reads past it */
	uint8_t *exact = malloc(size ? size : 1);
	if (!exact)
		abort();
	memcpy(exact, data, size);
	free(data);
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
}

static int
run_path(const char *path)
{
	DIR *folder = opendir(path);
	if (!folder) {
		FILE *file = errno == ENOTDIR ? fopen(path, "rb") : NULL;
		if (!file) {
			fprintf(stderr, "%s: %s\n", path, strerror(errno));
			return 1;
		}
		fprintf(stderr, "%s\n", path);
		run_file(file);
		fclose(file);
		return 0;
	}
	int failed = 0;
	for (struct dirent *entry; (entry = readdir(folder));) {
		char below[4096];
		snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
		if (entry->d_name[0] != '.')
			failed |= run_path(below);
	}
	closedir(folder);
	return failed;
}

int
main(int argc, char **argv)
{
	int failed = argc < 2;
	for (int i = 1; i < argc; i++)
		failed |= run_path(argv[i]);
	return failed;
}
