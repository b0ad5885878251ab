/*
 * Where view, theme and keys come from, and reading them again.
 */
#ifndef TRAWL_CONFIG_LOOKS_H
#define TRAWL_CONFIG_LOOKS_H

#include "base/vec.h"
#include "ui/looks.h"

/* One of the files that make a part. */
struct looks_layer {
	char *what;  /* a name or a file, owned */
	bool config; /* it is one part of that file; see looks_options_table */
};

struct looks_source {
	/* A name or a file first, then configs; each is laid over those before. */
	VEC(struct looks_layer) parts[LOOKS_PARTS];
	const char *format; /* of all captures, as "syst", or NULL; for the view `auto` */
	const char *theme;  /* that suits the terminal, or NULL; for the theme `auto` */
};

/* The names that are used where none is given. */
void looks_standard(struct looks_source *);
void looks_free(struct looks_source *);

/*
 * Each of these leaves source and looks as they were on an error, whose text
 * says where it is.  LOOKS must be zeroed or filled.
 */

/* Reads all parts again from where they came. */
int looks_load(struct looks_source *, struct looks *, struct err *);
/* Reads one part from a name or a file. */
int looks_choose(struct looks_source *, struct looks *, enum looks_part, const char *what,
		 struct err *);
/* Reads the theme again, with the one of that name, which is borrowed, as `auto`. */
int looks_suit(struct looks_source *, struct looks *, const char *theme, struct err *);
/* Lays what PATH says, any of the parts, over what there is. */
int looks_read(struct looks_source *, struct looks *, const char *path, struct err *);

/* Appends, behind each setting of YAML that looks_write made, a comment that says where it
 * is from: a file and its line, what is compiled in, or GIVEN, which may be NULL, tells the
 * option of the command line for `PART.KEY`, or NULL. */
void looks_add_sources(const struct looks_source *, const char *yaml,
		       const char *(*given)(const void *context, const char *keys),
		       const void *context, struct text *out);

/* Appends the I-th name there is for a part; false behind the last. */
bool looks_name(enum looks_part, size_t i, struct text *);

#endif
