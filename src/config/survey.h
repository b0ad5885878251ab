/*
 * Where things are in a YAML text, and whether it is fit to be loaded.
 *
 * A path names a value by the keys and positions above it:
 * "traces[0].clock.hz".
 */
#ifndef TRAWL_CONFIG_SURVEY_H
#define TRAWL_CONFIG_SURVEY_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum survey_limit {
	SURVEY_NESTING = 64,	  /* lists and mappings in each other */
	SURVEY_ANCHORS = 256,	  /* &names */
	SURVEY_VALUES = 256 << 10 /* that aliases stand for; texts count one more for
				     each 64 bytes */
};

struct survey_place {
	size_t line, column; /* from 1; columns are characters */
};

/* Reads all of the text.  0, or ERR_CONFIG with the place and a sentence
 * without it: broken syntax, an unknown or endless alias, one of the limits,
 * a key that is no single value, a second document. */
int survey_check(const char *text, size_t length, struct survey_place *, struct err *);

enum survey_shape { SURVEY_VALUE, SURVEY_LIST, SURVEY_MAPPING };

/* A value, with all that is in it. */
struct survey_node {
	enum survey_shape shape;
	struct survey_place place;
	bool alias;		   /* what is in it stands elsewhere */
	const char *text;	   /* of a single value */
	struct survey_node *first; /* in a list; in a mapping keys and their values in turn */
	struct survey_node *next;  /* in the same list or mapping */
};

/* The values of a text that survey_check found fit, in ARENA; NULL: there is none. */
const struct survey_node *survey_read(const char *text, size_t length, struct arena *);

/* The place of the value at PATH or, if KEY, of the last key of PATH (the
 * last one where it stands twice).  Where PATH leads through an alias, the
 * alias. */
struct survey_place survey_find(const char *text, size_t length, const char *path, bool key);

/* The line in which the last key of PATH stands; 0: it is not there. */
size_t survey_find_line(const char *text, size_t length, const char *path);

/* Whether a list stands at PATH, be it empty. */
bool survey_has_list(const char *text, size_t length, const char *path);

/* The version of libyaml that is linked. */
const char *survey_version(void);

#endif
