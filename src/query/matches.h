/*
 * Match sets: how many messages of a trace pass a filter, and which.
 *
 * A set holds a count of matches for each cell of the index, so that a filtered
 * list of any size has a length, row numbers and far jumps.  Which messages of
 * a cell are matches is found by walking it again when it is shown; only few
 * matches in a cell are kept as ordinals.
 *
 * Cells whose summary tells the number of matches are counted by matches_new()
 * and matches_update() at once.  The others are undecided until threads of low priority,
 * one for each processor, have decoded them, those around matches_around() first.  Only
 * cells of the index are counted: for the rest, and for undecided cells, the caller has to
 * look for itself.
 *
 * They call session_signal() of the trace's session: on the first match, on
 * matches that are awaited, now and then while they work, and when one has nothing left to do.
 *
 * Threads: all calls by the thread that made the set, with a reader of that
 * thread; matches_in_cell by any.  No call waits for another thread longer than
 * it takes to store a cell; matches_free, until a cell is decoded or a message
 * looked at.
 *
 * Memory: 5.2 bytes a cell; 2 bytes for each kept ordinal, at most 2 MiB of
 * them (3 with what a vector reserves); the rows of 8 cells.
 */
#ifndef TRAWL_QUERY_MATCHES_H
#define TRAWL_QUERY_MATCHES_H

#include "query/filter/filter_pair.h"

struct matches;

/* Counts the messages that pass WANT and ALSO (NULL: all do); both are copied.
 * AROUND: the cell to begin with, where cells have to be decoded. */
struct matches *matches_new(struct trace *, const struct filter *want, const struct filter *also,
			    uint64_t around);
/* The same, and with READER decides the cells around that one at once, until then by
 * thread_now_ms(): where that suffices for all cells, no thread is started.  What
 * FORMER (or NULL) has found is not looked for again where the two differ in severities
 * alone; it is not needed after the call. */
struct matches *matches_new_here(struct trace *, const struct filter *want,
				 const struct filter *also, uint64_t around, struct matches *former,
				 struct reader *, int64_t until);
void matches_free(struct matches *); /* NULL is fine */

/* Takes notice of what changed: to be called when the session signalled
 * something.  Cheap if nothing did.  True if what was known before is stale (the
 * capture shrank, or a text filter and texts changed) and counting starts anew. */
bool matches_update(struct matches *);

/* Goes on counting outward from this cell. */
void matches_around(struct matches *, uint64_t cell);

/* Decodes no further: what is undecided remains so. */
void matches_stop(struct matches *);
/* Ends that: the next matches_update goes on. */
void matches_resume(struct matches *);

/* Whether it counts what passes WANT and no more (filter_is_same). */
bool matches_is_of(const struct matches *, const struct filter *want);

struct matches_progress {
	uint64_t count;	 /* matches; at least so many unless exact */
	bool exact;	 /* the capture's end included */
	bool working;	 /* cells are being decoded */
	uint64_t cells;	 /* decided */
	uint64_t of;	 /* cells of the capture */
	uint64_t looked; /* of those decided: had to be decoded */
	double seconds;	 /* that took */
};
void matches_get_progress(struct matches *, struct matches_progress *);

/* The same, with those in the last cells of a capture that grows, which the index has not yet:
 * exact as far as the bytes go that are there. */
void matches_get_progress_here(struct matches *, struct reader *, struct matches_progress *);

/* How many matches a cell has; false if it is undecided. */
bool matches_in_cell(struct matches *, uint64_t cell, uint64_t *matches);

/* What is known of the matches of a cell. */
struct matches_cell {
	uint32_t count;
	bool decided;
	uint8_t severities; /* of the matches, a bit each; those of all that may be, where the
			       cell's summary decided */
};
/* Fills in the first COUNT cells; those not swept yet are undecided.  By any thread. */
void matches_copy_cells(struct matches *, size_t count, struct matches_cell *);

/* The matches in the cells before CELL; at least so many while some are undecided. */
uint64_t matches_before(struct matches *, uint64_t cell);

/* The matches of a decided cell, as ordinals among its messages in rising order;
 * false if it is undecided, or without a reader if it has to be walked again.
 * Borrowed until the next call of any function with a reader. */
struct matches_rows {
	const uint32_t *at;
	size_t count;
};
bool matches_rows(struct matches *, struct reader *, uint64_t cell, struct matches_rows *);

/* Whether the message at a position is a match of a decided cell, and how many
 * matches lie before it: at least so many unless *exact. */
bool matches_rank(struct matches *, struct reader *, struct position, uint64_t *rank, bool *exact);

/* The match with RANK matches before it; false unless that is known. */
bool matches_find(struct matches *, struct reader *, uint64_t rank, struct position *);

enum matches_result {
	MATCHES_FOUND,
	MATCHES_END,	  /* there is none */
	MATCHES_UNDECIDED /* the next cell that may have one is undecided */
};

/* The next match after FROM (DIRECTION +1) or before it (-1); FROM need not be a
 * message.  MATCHES_UNDECIDED: *match is where to look on from, next to which the
 * undecided cell begins. */
enum matches_result matches_next(struct matches *, struct reader *, struct position from,
				 int direction, struct position *match);

/* After MATCHES_UNDECIDED, with *match as FROM: asks the threads to go on there, and
 * to tell as soon as there are more matches.  False if it will not come there: then
 * the caller has to look for itself. */
bool matches_await(struct matches *, struct position from, int direction);

/* Memory held, in bytes, without the readers of its threads. */
size_t matches_memory(struct matches *);

#endif
