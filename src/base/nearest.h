/*
 * The known name that is nearest to a mistyped word, for "did you mean".
 *
 * A name is near if it differs in few letters, or if the word is its beginning and has at least
 * three letters.
 *
 * Threads: any; a search belongs to one.
 */
#ifndef TRAWL_BASE_NEAREST_H
#define TRAWL_BASE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

struct nearest {
	const char *word; /* borrowed */
	size_t least;	  /* distance of the nearest name so far; farther ones are ignored */
};

struct nearest nearest_to(const char *word);

/* True if NAME is nearer than all names before. */
bool nearest_is(struct nearest *, const char *name);

/* "; did you mean NAME?", or empty. */
struct nearest_hint {
	char text[96];
};

/* Make the hint for WORD.  NEXT returns name number AT, valid until the next call, or NULL. */
struct nearest_hint nearest_hint(const char *word, const char *(*next)(void *context, size_t at),
				 void *context);

/* Return the text of HINT, or OTHERWISE if no name is near. */
const char *nearest_hint_or(const struct nearest_hint *hint, const char *otherwise);

/* NEXT for the names in an array that ends with NULL, which is CONTEXT. */
const char *nearest_in_array(void *context, size_t at);

#endif
