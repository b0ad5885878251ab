/*
 * What contexts were along a window: the value that each context of each origin had in each
 * column, like neighbours put together.
 *
 * A column has the value that held at its end; that there were several in it is told.  Made of
 * the spans of the session (query/span), which are found in the first look: a search in
 * them for each column and lane, whatever number of messages there are.
 *
 * Threads: it belongs to one.
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
	const struct track *tracks; /* of all traces */
	const bool *in_sight;	    /* whether the lanes of a trace are shown */
	const struct density_window *window;
	const struct generation *questions; /* another than QUESTION: this one is cancelled */
	unsigned question;
};

/* Goes on finding spans for at most MS; false if there are more, or it was cancelled. */
bool context_spans_extend(struct context_spans *, const struct context_spans_query *, int ms);

/* Finds all and adds the states and their spans to the answer; false if it was cancelled. */
bool context_spans_find(struct context_spans *, const struct context_spans_query *,
			struct density_answer *);

#endif
