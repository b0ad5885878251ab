/*
 * What contexts were along a window: the value in each column, like neighbours
 * put together.
 *
 * A column has the value that held at its last message; what changed and changed
 * back within a column is not seen.  Costs a look at one or two cells for each
 * column and context.
 *
 * Threads: it belongs to one.
 */
#ifndef TRAWL_QUERY_STRETCH_H
#define TRAWL_QUERY_STRETCH_H

#include "base/generation.h"
#include "query/density.h"
#include "session/context/context.h"

struct stretches;
struct session;

struct stretches *stretches_new(struct session *);
void stretches_free(struct stretches *); /* NULL is fine */

struct stretch_query {
	const struct track *track;
	struct reader *reader; /* of its trace */
	size_t trace;
	uint64_t origin; /* whose contexts */
	const struct density_window *window;
	const struct generation *questions; /* another than QUESTION: this one is cancelled */
	unsigned question;
};

/* Adds the stretches, of one context after the other, to the answer; false if it
 * was cancelled. */
bool stretches_find(struct stretches *, const struct stretch_query *, struct density_answer *);

#endif
