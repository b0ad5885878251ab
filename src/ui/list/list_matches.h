/*
 * How many messages of a list pass a filter, and which number one has among
 * them: a match set for each trace of the list, together.
 *
 * What match sets promise of cost, memory and threads holds for each of them.
 */
#ifndef TRAWL_UI_LIST_MATCHES_H
#define TRAWL_UI_LIST_MATCHES_H

#include "query/matches.h"

struct list;
struct row;

struct list_matches {
	struct matches **of; /* of each lane of the list; owned */
	size_t count;	     /* 0: nothing is counted */
	struct list *list;   /* borrowed */
};

/* Counts the messages that pass WANT and ALSO (NULL: all do); both are copied.
 * MATCHES must be closed or zero.  FORMER: those of the same list to take from what they
 * have found (matches_new_here); NULL or closed: none. */
void list_matches_open(struct list_matches *, struct list *, const struct filter *want,
		       const struct filter *also, const struct list_matches *former);
void list_matches_close(struct list_matches *);

/* Of NOW and FORMER, either of which may be closed: NOW becomes the former one, and FORMER
 * that of now if it is of WANT; else NOW is closed.  What is former costs memory, and no
 * work. */
void list_matches_turn(struct list_matches *now, struct list_matches *former,
		       const struct filter *want);

/* See matches_update, matches_stop. */
bool list_matches_update(struct list_matches *);
void list_matches_stop(struct list_matches *);

/* Sums of the traces that the list shows; false, and nothing: none are counted. */
bool list_matches_get_progress(const struct list_matches *, struct matches_progress *);

/* Of a row of the list; see matches_rank. */
bool list_matches_rank(const struct list_matches *, const struct row *, uint64_t *rank,
		       bool *exact);

#endif
