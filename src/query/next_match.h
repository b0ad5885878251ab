/*
 * A cursor that finds the next or previous message that passes two filters. It serves the
 * rows of a list, searches, jumps and exports of a part. Batch output uses it only to skip
 * cells of several traces (`whole`): it filters in the threads that format messages
 * (export_pool.c).
 *
 * The cursor goes over the strands of a sequence. It stores its position in each strand, so
 * no cell is searched twice. It uses match sets where it has them, and can wait for them.
 * Cells that a summary rules out are skipped. Other cells are decoded, up to a bound in
 * this thread, or in a thread of the cursor's own.
 *
 * Threads: a cursor belongs to one thread, as the sequence does.
 */
#ifndef TRAWL_QUERY_NEXT_MATCH_H
#define TRAWL_QUERY_NEXT_MATCH_H

#include "query/filter/filter_pair.h"
#include "query/scan.h"
#include "session/sequence.h"

struct next_match;

/* The part of a strand to search: from a message to the end of cell `last`. */
struct next_part {
	bool any;
	struct position first;
	uint64_t last;
};

/* Borrowed members must stay valid and unchanged until the cursor is freed. */
struct next_query {
	struct sequence *sequence;     /* borrowed */
	const struct filter *want;     /* borrowed */
	const struct filter *also;     /* borrowed; a second condition; NULL: none */
	struct sequence_position from; /* where to start, not necessarily at a message; only a
					  full round finds this message */
	int direction;		       /* +1 or -1 */
	bool alone;		       /* search the trace of `from` only, even if hidden; else
					  all traces shown */
	bool wrap;		       /* continue at the other end, once for each match */
	bool whole;		       /* find all messages of cells that may have a match or a
					  doubt (scan.h), from the first cell regardless of
					  `from` */
	const struct next_part *parts; /* parts to search forward, one per strand, regardless of
					  `from` and `alone`; borrowed; NULL: no bounds. The
					  sequence must not be renewed until the cursor is freed */
};

/* How much work a call may do, and where. */
struct next_bound {
	struct matches *const *known; /* match sets of both filters, one per trace; NULL: none.
					 They must last until the cursor is freed or no longer
					 waits */
	unsigned near;		      /* cells of each strand to decode before any wait; skipped
					 cells cost little */
	bool background;	      /* continue in a thread that signals the session */
	int64_t until;		      /* else continue here until this time of thread_now_ms() */
};

enum next_result {
	NEXT_FOUND,
	NEXT_END,     /* no match follows */
	NEXT_MORE,    /* the bound is reached: call again */
	NEXT_WAITING, /* call again after the session's signal, or after renewing the sequence if
			 clocks changed */
	NEXT_REFUSED  /* no thread could start: result unknown, call again */
};

struct next_match *next_match_new(const struct next_query *);
void next_match_free(struct next_match *); /* cancels the search; NULL is fine */

/* Find the next match: the first, or the one after the last match found. */
enum next_result next_match(struct next_match *, const struct next_bound *,
			    struct sequence_position *found);

/* True if the last match was found after wrapping. */
bool next_match_wrapped(const struct next_match *);

/* Return the position up to which strand LANE was searched. */
struct position next_match_reached(const struct next_match *, size_t lane);

/* Find the first match of a query, if it lies within CELLS cells. */
bool next_match_near(const struct next_query *, unsigned cells, struct sequence_position *found);

#endif
