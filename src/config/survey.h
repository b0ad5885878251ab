/*
 * Finding places in a YAML text, and checking whether it can be loaded.
 *
 * A path names a value by the keys and positions above it: "traces[0].clock.hz".
 */
#ifndef TRAWL_CONFIG_SURVEY_H
#define TRAWL_CONFIG_SURVEY_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum survey_limit {
	SURVEY_NESTING = 64,  /* depth of lists and mappings */
	SURVEY_ANCHORS = 256, /* &names */
	/* Limit for the values that aliases expand to.  A text counts one more for each 64
	 * bytes. */
	SURVEY_VALUES = 256 << 10
};

struct survey_place {
	size_t line, column; /* from 1; columns are characters */
};

/* Check the whole text.  Return 0, or ERR_CONFIG with the place and a sentence without it.
 * Errors are broken syntax, an unknown or endless alias, a limit, a key that is no single value,
 * or a second document. */
int survey_check(const char *text, size_t length, struct survey_place *, struct err *);

enum survey_shape { SURVEY_VALUE, SURVEY_LIST, SURVEY_MAPPING };

/* A value with all its contents. */
struct survey_node {
	enum survey_shape shape;
	struct survey_place place;
	bool alias;		   /* its contents are elsewhere in the text */
	const char *text;	   /* of a single value */
	struct survey_node *first; /* of a list; of a mapping, keys and values in turn */
	struct survey_node *next;  /* in the same list or mapping */
};

/* Read the values of a text that survey_check accepted into ARENA.  Return NULL if it has none. */
const struct survey_node *survey_read(const char *text, size_t length, struct arena *);

/* Return the place of the value at PATH or, if KEY, of the last key of PATH.  The last one
 * counts if the key occurs twice.  If PATH leads through an alias, return the place of the
 * alias. */
struct survey_place survey_find(const char *text, size_t length, const char *path, bool key);

/* Return the line of the last key of PATH, or 0 if it does not exist. */
size_t survey_find_line(const char *text, size_t length, const char *path);

/* True if PATH is a list, even an empty one. */
bool survey_has_list(const char *text, size_t length, const char *path);

/* Return the version of the linked libyaml. */
const char *survey_version(void);

#endif
