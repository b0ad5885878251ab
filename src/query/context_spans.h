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

struct context_spans;
struct session;

struct context_spans *context_spans_new(struct session *);
void context_spans_free(struct context_spans *); /* NULL is fine */

struct context_spans_query {
	const struct track *track;
	struct reader *reader; /* of its trace */
	size_t trace;
	uint64_t origin; /* whose contexts */
	const struct density_window *window;
	const struct generation *questions; /* another than QUESTION: this one is cancelled */
	unsigned question;
};

/* Adds the spans, of one context after the other, to the answer; false if it
 * was cancelled. */
bool context_spans_find(struct context_spans *, const struct context_spans_query *,
			struct density_answer *);

#endif
