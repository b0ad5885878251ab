/*
 * The next message that passes two filters, behind a position or before it: one cursor
 * for the rows of a list, searches, jumps, parts that are written and who looks for a
 * neighbour.  Batch output has one only where it passes cells by (`by_cell`): what else it
 * writes is found in all messages by the threads that format them (export_pool.c).
 *
 * It goes over the strands of a sequence.  In each it keeps where it looked last, so a
 * call goes on where the last one ended, and no cell is looked through twice.  Match
 * sets give what they have, and are waited for; cells that their summary rules out are
 * passed without decoding; the others are decoded, in this thread up to a bound or in
 * one of its own.
 *
 * Threads: a cursor belongs to one thread, as the sequence does.
 */
#ifndef TRAWL_QUERY_NEXT_MATCH_H
#define TRAWL_QUERY_NEXT_MATCH_H

#include "query/filter/filter_pair.h"
#include "query/matches.h"
#include "session/sequence.h"

struct next_match;

/* What to look through of a strand: from a message on, to the end of a cell. */
struct next_part {
	bool any;
	struct position first;
	uint64_t last;
};

/* What is borrowed lasts, and stays as it is, until the cursor is freed. */
struct next_query {
	struct sequence *sequence;     /* borrowed */
	const struct filter *want;     /* borrowed */
	const struct filter *also;     /* borrowed; holds too; NULL: all */
	struct sequence_position from; /* itself not found, but by a whole round; need not be a
					   message */
	int direction;		       /* +1 or -1 */
	bool alone;		       /* the lane of `from` only, shown or not; else those that
					   the sequence shows */
	bool wrap;		       /* go on at the other end, once for each match */
	bool by_cell;		       /* all messages of cells that may have a match are found */
	const struct next_part *parts; /* borrowed; of each strand, to be looked through forward,
					  whatever `from` and `alone` say; NULL: no bounds.  The
					  sequence is not renewed until the cursor is freed */
};

/* How much work a call may do, and where. */
struct next_bound {
	struct matches *const *known; /* of each lane, of both filters; NULL: none.  Lasts until
					 the cursor is freed or waits no more */
	unsigned near;		      /* cells of each lane to decode before anything is waited
					 for; those passed by their summary count little */
	bool background;	      /* go on in a thread that tells the session */
	int64_t until;		      /* else here, by thread_now_ms() */
};

enum next_result {
	NEXT_FOUND,
	NEXT_END,     /* there is none */
	NEXT_MORE,    /* the bound is reached: call again */
	NEXT_WAITING, /* the session will be told: call again then.  Or the clocks changed: call
			 again once the sequence is renewed */
	NEXT_REFUSED  /* no thread could be started to go on: it is not known, call again */
};

struct next_match *next_match_new(const struct next_query *);
void next_match_free(struct next_match *); /* cancels what runs; NULL is fine */

/* The next match, or the one behind that which was found last. */
enum next_result next_match(struct next_match *, const struct next_bound *,
			    struct sequence_position *found);

/* Whether the match found last is behind the end. */
bool next_match_wrapped(const struct next_match *);

/* Up to where a lane has been looked through. */
struct position next_match_reached(const struct next_match *, size_t lane);

/* The first one of a cursor, if it is within so many cells. */
bool next_match_near(const struct next_query *, unsigned cells, struct sequence_position *found);

#endif
