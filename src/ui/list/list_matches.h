/*
 * The number of messages of a list that pass a filter, and the rank of a message among them.
 * This combines one match set for each trace of the list.
 *
 * Cost, memory and threads of each are those of a match set.
 */
#ifndef TRAWL_UI_LIST_MATCHES_H
#define TRAWL_UI_LIST_MATCHES_H

#include "query/matches.h"

struct list;
struct row;

struct list_matches {
	struct matches **of; /* one per lane of the list; owned */
	size_t count;	     /* number of lanes; 0 if nothing is counted */
	struct list *list;   /* borrowed */
};

/* Count the messages that pass both WANT and ALSO (NULL: no condition).  Both are copied.
 * MATCHES must be closed or zero.  FORMER may be NULL or closed.  Otherwise it belongs to the
 * same list, and its results are reused (matches_new_here). */
void list_matches_open(struct list_matches *, struct list *, const struct filter *want,
		       const struct filter *also, const struct list_matches *former);
void list_matches_close(struct list_matches *);

/* Make NOW the former set.  If FORMER is a set of WANT, it becomes NOW; else NOW is closed.
 * Either may be closed.  A former set costs memory, but no work. */
void list_matches_turn(struct list_matches *now, struct list_matches *former,
		       const struct filter *want);

/* See matches_update() and matches_stop(). */
bool list_matches_update(struct list_matches *);
void list_matches_stop(struct list_matches *);

/* Sum up the progress of the shown traces.  Return false with an empty sum if nothing is
 * counted. */
bool list_matches_get_progress(const struct list_matches *, struct matches_progress *);

/* Return the rank of a row of the list; see matches_rank(). */
bool list_matches_rank(const struct list_matches *, const struct row *, uint64_t *rank,
		       bool *exact);

#endif
