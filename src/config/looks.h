/*
 * The sources of view, theme and keys, and reading them again.
 */
#ifndef TRAWL_CONFIG_LOOKS_H
#define TRAWL_CONFIG_LOOKS_H

#include "base/vec.h"
#include "ui/looks.h"

/* One of the files that form a part. */
struct looks_layer {
	char *what;  /* a name or a file, owned */
	bool config; /* a file with several parts; see looks_options_table */
};

struct looks_source {
	/* First a name or a file, then configs.  Each overrides those before. */
	VEC(struct looks_layer) parts[LOOKS_PARTS];
	const char *format; /* common to all captures, as "syst", or NULL; for the view `auto` */
	const char *theme;  /* suits the terminal, or NULL; for the theme `auto` */
};

/* Set the default names. */
void looks_standard(struct looks_source *);
void looks_free(struct looks_source *);

/*
 * On an error, these functions leave source and looks unchanged, but looks_suit keeps THEME.  The
 * error contains the place.  LOOKS must be zeroed or filled.
 */

/* Read all parts again from their sources. */
int looks_load(struct looks_source *, struct looks *, struct err *);
/* Read one part from a name or a file. */
int looks_choose(struct looks_source *, struct looks *, enum looks_part, const char *what,
		 struct err *);
/* Read the theme again, with THEME, which is borrowed, as `auto`. */
int looks_suit(struct looks_source *, struct looks *, const char *theme, struct err *);
/* Merge the file PATH, which may contain any of the parts, into LOOKS. */
int looks_read(struct looks_source *, struct looks *, const char *path, struct err *);

/* Copy YAML, which looks_write made, to OUT with a comment after each setting: its source.  That
 * is a file and line, a compiled-in file, or an option of the command line.  GIVEN returns the
 * option for `PART.KEY`, or NULL; it may be NULL. */
void looks_add_sources(const struct looks_source *, const char *yaml,
		       const char *(*given)(const void *context, const char *keys),
		       const void *context, struct text *out);

/* Append the I-th known name of a part.  Return false past the last. */
bool looks_name(enum looks_part, size_t i, struct text *);

#endif
