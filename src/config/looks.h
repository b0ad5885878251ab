/*
 * Where view, theme and keys come from, and reading them again.
 */
#ifndef TRAWL_CONFIG_LOOKS_H
#define TRAWL_CONFIG_LOOKS_H

#include "ui/looks.h"

struct looks_origin {
	char *what;  /* a name or a file, owned */
	bool config; /* it is one part of that file; see looks_options_table */
};

struct looks_source {
	struct looks_origin parts[LOOKS_PARTS];
	const char *format; /* of all captures, as "syst", or NULL; for the view `auto` */
};

/* The names that are used where nobody says anything. */
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
/* Reads what PATH says, any of the parts. */
int looks_read(struct looks_source *, struct looks *, const char *path, struct err *);

/* Appends the I-th name there is for a part; false behind the last. */
bool looks_name(enum looks_part, size_t i, struct text *);

#endif
