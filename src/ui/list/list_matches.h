/*
 * How many messages of a list a filter wants, and which number one has among
 * them: a match set for each trace of the list, together.
 *
 * What match sets promise of cost, memory and threads holds for each of them.
 */
#ifndef TRAWL_UI_LIST_MATCHES_H
#define TRAWL_UI_LIST_MATCHES_H

#include "query/matches.h"

struct list;
struct row;

struct hits {
	struct matches **of; /* of each lane of the list; owned */
	size_t count;	     /* 0: nothing is counted */
	struct list *list;   /* borrowed */
};

/* Counts the messages that WANT and ALSO (NULL: all) want; both are copied.
 * HITS must be closed or zero. */
void hits_open(struct hits *, struct list *, const struct filter *want, const struct filter *also);
void hits_close(struct hits *);

/* See matches_update, matches_stop. */
bool hits_update(struct hits *);
void hits_stop(struct hits *);

/* Sums of the traces that the list shows; false, and nothing: none are counted. */
bool hits_get_progress(const struct hits *, struct matches_progress *);

/* Of a row of the list; see matches_rank. */
bool hits_rank(const struct hits *, const struct row *, uint64_t *rank, bool *exact);

#endif
