/*
 * Contexts along a window: the value of each context of each origin in each column.
 * Neighbouring columns with equal values are joined.
 *
 * A column shows the value at its end, and is marked if it had several.  The first look
 * finds the spans of the session (query/span).  After that each column and lane costs one
 * search, whatever the number of messages.
 *
 * Threads: a context_spans belongs to one thread.
 */
#ifndef TRAWL_QUERY_CONTEXT_SPANS_H
#define TRAWL_QUERY_CONTEXT_SPANS_H

#include "base/generation.h"
#include "query/density.h"

struct context_spans;
struct session;

struct context_spans *context_spans_new(struct session *);
void context_spans_free(struct context_spans *); /* NULL is fine */

struct context_spans_query {
	const struct track *tracks; /* indexed by trace */
	const bool *in_sight;	    /* true for each trace with visible lanes */
	const struct density_window *window;
	const struct generation *questions; /* once it differs from QUESTION, this query is
					       cancelled */
	unsigned question;
};

/* Continue to find spans, for at most MS.  Return false if there are more, or on cancellation. */
bool context_spans_extend(struct context_spans *, const struct context_spans_query *, int ms);

/* Find all spans, and add the states and their spans to the answer.  Return false on
 * cancellation. */
bool context_spans_find(struct context_spans *, const struct context_spans_query *,
			struct density_answer *);

#endif
