/*
 * Lines of source files, as debugging information names them.
 *
 * The file that was asked for last is kept, SOURCE_MOST bytes of it at most.  Belongs to one
 * thread.
 */
#ifndef TRAWL_PROGRAM_SOURCE_H
#define TRAWL_PROGRAM_SOURCE_H

#include "base/text.h"

enum { SOURCE_MOST = 8 << 20 };

/* Zero-initialise. */
struct source {
	char *path;
	struct text text;
	const char *why; /* there is none */
};

void source_free(struct source *);

/* Appends line LINE (from 1) of PATH without the blanks before it, as it is there, not safe; false
 * with a reason: there is no such file, or line. */
bool source_add_line(struct source *, const char *path, int line, struct text *out,
		     const char **why);

#endif
