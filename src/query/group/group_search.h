/*
 * A group of the shown messages, counted in the background.
 *
 * A worker reads the messages in the order of the session and signals the session at
 * intervals. The current counts can be read meanwhile.
 *
 * Threads: a search belongs to one thread.
 */
#ifndef TRAWL_QUERY_GROUP_SEARCH_H
#define TRAWL_QUERY_GROUP_SEARCH_H

#include "query/filter/filter.h"
#include "query/group/group.h"

struct group_search;

/* Start a search. SPEC is borrowed. The filter and HIDDEN (the hidden traces; NULL: none)
 * are copied. The session must outlive the search. It ends early once the rows take more
 * than MOST bytes. */
struct group_search *group_search_new(struct session *, const struct group_spec *,
				      const struct filter *, const bool *hidden, size_t most);
void group_search_free(struct group_search *); /* stops it; NULL is fine */

/* Return the current counts. They stay unchanged until the release. */
struct group *group_search_hold(struct group_search *);
void group_search_release(struct group_search *);

/* True if the search has ended: all messages are counted, or the rows take too much memory. */
bool group_search_is_done(struct group_search *);
bool group_search_is_full(struct group_search *); /* true in the latter case */

/* Return an epoch that goes up with new counts and at the end. */
unsigned group_search_generation(struct group_search *);

#endif
