/*
 * Lines of source files, as debugging information names them.
 *
 * The last file is kept, at most SOURCE_MOST bytes of it.  Belongs to one thread.
 */
#ifndef TRAWL_PROGRAM_SOURCE_H
#define TRAWL_PROGRAM_SOURCE_H

#include "base/text.h"

enum { SOURCE_MOST = 8 << 20 };

/* Zero-initialise. */
struct source {
	char *path;
	struct text text;
	const char *why; /* why the file could not be read, or NULL */
};

void source_free(struct source *);

/* Append line LINE (from 1) of PATH without its leading blanks, unescaped.  Return false with a
 * reason if there is no such file or line. */
bool source_add_line(struct source *, const char *path, int line, struct text *out,
		     const char **why);

#endif
