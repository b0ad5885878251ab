/*
 * Contexts along a window: the value of each context of each origin in each column.
 * Neighbouring columns with equal values are joined.
 *
 * A column shows the value at its end, and is marked if it had several.  Each column and lane
 * costs one search, whatever the number of messages.
 */
#ifndef TRAWL_QUERY_CONTEXT_SPANS_H
#define TRAWL_QUERY_CONTEXT_SPANS_H

#include "query/density.h"
#include "query/span/spans.h"

/* Add the states and their spans to an answer, for the traces that have LANES of it.  TRACKS is
 * indexed by trace. */
void context_spans_add(const struct spans *, const struct track *tracks,
		       const struct density_lane *lanes, struct density_answer *);

#endif
