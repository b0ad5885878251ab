/*
 * A group of the messages that are shown, counted in the background.
 *
 * A worker goes over the messages in the order of the session and tells it of news now and
 * then.  What was counted so far can be looked at meanwhile.
 *
 * Threads: a search belongs to one thread.
 */
#ifndef TRAWL_QUERY_GROUP_SEARCH_H
#define TRAWL_QUERY_GROUP_SEARCH_H

#include "query/filter/filter.h"
#include "query/group/group.h"

struct group_search;

/* Starts; SPEC is borrowed, filter and HIDDEN (which traces are not shown, NULL: all are) are
 * copied.  The session outlives it. */
struct group_search *group_search_new(struct session *, const struct group_spec *,
				      const struct filter *, const bool *hidden);
void group_search_free(struct group_search *); /* ends it; NULL is fine */

/* What is counted so far; nothing changes in it until it is given back. */
struct group *group_search_hold(struct group_search *);
void group_search_release(struct group_search *);

/* Whether it is at its end. */
bool group_search_is_done(struct group_search *);

/* Counts up when there is more, or it is at its end. */
unsigned group_search_generation(struct group_search *);

#endif
