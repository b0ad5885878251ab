/*
 * Seeking: the next or previous message that a filter wants, far away.
 *
 * seek_near() looks a bounded way in this thread, so that the usual jump is
 * instant; seek_start() goes on in a thread of its own while the screen stays
 * alive, and can be cancelled within a block.
 */
#ifndef TRAWL_QUERY_SEEK_H
#define TRAWL_QUERY_SEEK_H

#include "query/filter/filter.h"

enum seek_result { SEEK_RUNNING, SEEK_FOUND, SEEK_NOT_FOUND, SEEK_CANCELLED };

struct matches;

struct seek_query {
	struct trace *trace;
	const struct filter *want; /* copied */
	const struct filter *also; /* the list's filter, ANDed; NULL = all; copied */
	struct matches *known;	   /* of both filters, to pass cells without hits;
				      borrowed; NULL: none */
	struct position from;	   /* start next to this one, which is not a hit */
	int direction;		   /* +1 or -1 */
	bool wrap;		   /* go on at the other end, once */
	uint64_t silence;	   /* ticks; not 0: the message after so long without any,
				      no wrap, and not for seek_near */
};

struct seek;

/* Looks at most CELLS cells (those skipped by their summaries count little).
 * SEEK_FOUND with *hit and *wrapped, SEEK_NOT_FOUND if the whole trace was
 * covered, SEEK_RUNNING if there is more to look at: *hit is where to go on
 * from then (which is no message, only a start for another query). */
enum seek_result seek_near(const struct seek_query *, struct reader *, unsigned cells,
			   struct position *hit, bool *wrapped);

/* The same in a thread; NOTIFY is called from it when it is done. */
struct seek *seek_start(const struct seek_query *, void (*notify)(void *), void *context);
enum seek_result seek_poll(struct seek *, struct position *hit, bool *wrapped,
			   uint64_t *cells_looked_at);
void seek_cancel(struct seek *);
void seek_free(struct seek *); /* cancels and joins */

#endif
