/*
 * Long gaps among the messages that are shown, over all traces on the common clock: the
 * next one, or the longest ones.
 *
 * A worker walks over the messages in order and notifies the session of results.  It skips
 * a cell without decoding if the summary proves that no such gap ends in it or starts
 * there.  Memory: the gaps kept, and a byte for each cell.
 *
 * Threads: a search belongs to one thread.
 */
#ifndef TRAWL_QUERY_GAP_SEARCH_H
#define TRAWL_QUERY_GAP_SEARCH_H

#include "query/filter/filter.h"
#include "query/gap/gap.h"

struct gap_search;

struct gap_message {
	size_t trace;
	struct message_id id;
};

struct gap_found {
	struct gap gap;
	struct gap_message before, after; /* the messages at its two ends */
};

struct gap_query {
	struct session *session;     /* must outlive the search */
	const bool *hidden;	     /* traces that are not shown; NULL: all are shown */
	const struct filter *filter; /* messages that are shown; NULL: all */
	uint64_t least;		     /* shortest gap that counts, at least 1 */
	/* +1 or -1: find the next gap in that direction; FROM must not be its second message.
	 * 0: find the longest gaps. */
	int direction;
	struct gap_message from;
	uint64_t nth; /* number of the gap in that direction, from 1 */
	size_t most;  /* number of longest gaps to keep */
};

/* Start a search.  The filter and `hidden` are copied. */
struct gap_search *gap_search_new(const struct gap_query *);
void gap_search_free(struct gap_search *); /* stops it; NULL is fine */

/* True if the search has ended. */
bool gap_search_is_done(struct gap_search *);

/* Return the number of gaps found until now.  Copy at most MAX of them, longest first; equal ones
 * in the order found. */
size_t gap_search_get(struct gap_search *, struct gap_found *, size_t max);

/* Return a counter that goes up when there are more gaps, or the search has ended. */
unsigned gap_search_generation(struct gap_search *);

#endif
