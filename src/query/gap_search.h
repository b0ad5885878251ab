/*
 * Long gaps among the messages that are shown, of all traces on the common clock: the
 * next one, or the longest of all.
 *
 * A worker goes over the messages in their order and tells the session of news.  Cells
 * that their summary shows to hold no gap so long, and to leave none beside them, are
 * passed without decoding.  Memory: what is kept of gaps, and a byte per cell.
 *
 * Threads: a search belongs to one thread.
 */
#ifndef TRAWL_QUERY_GAP_SEARCH_H
#define TRAWL_QUERY_GAP_SEARCH_H

#include "query/filter/filter.h"
#include "query/gap/gap.h"

struct gap_search;

/* A message of a session. */
struct gap_message {
	size_t trace;
	struct message_id id;
};

struct gap_found {
	struct gap gap;
	struct gap_message before, after; /* which messages it is between */
};

struct gap_query {
	struct session *session;     /* outlives the search */
	const bool *hidden;	     /* which traces are not shown; NULL: all are */
	const struct filter *filter; /* what is shown; NULL: all */
	uint64_t least;		     /* length of a gap that counts, at least 1 */
	/* The next gap in a direction (+1 or -1), whose second message is not FROM; or, 0,
	 * the longest ones of all. */
	int direction;
	struct gap_message from;
	uint64_t nth; /* of those in that direction, from 1 */
	size_t most;  /* of the longest that are kept */
};

/* Starts; filter and `hidden` are copied. */
struct gap_search *gap_search_new(const struct gap_query *);
void gap_search_free(struct gap_search *); /* ends it; NULL is fine */

/* Whether it is at its end. */
bool gap_search_is_done(struct gap_search *);

/* How many gaps are found so far, the longest first and of equal ones those that came
 * first.  Copies at most MAX of them. */
size_t gap_search_get(struct gap_search *, struct gap_found *, size_t max);

/* Counts up when there are more, or it is at its end. */
unsigned gap_search_generation(struct gap_search *);

#endif
