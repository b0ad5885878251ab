/*
 * Match sets: how many messages of a trace pass a filter, and which.
 *
 * A set holds the number of matches in each cell of the index. A filtered list of any size
 * thus has a length, row numbers and far jumps. To list the matches of a cell, the cell is
 * walked again. Only a cell with few matches keeps their ordinals.
 *
 * matches_new() and matches_update() count at once the cells whose summary gives the number
 * of matches. The other cells are undecided until threads of low priority, one for each
 * processor, decode them. Cells near matches_around() come first. Only indexed cells are
 * counted. The caller must search the rest, and undecided cells, on its own.
 *
 * The threads call session_signal() on the first match, on awaited matches, and at
 * intervals while they work. They also call it when one runs out of work.
 *
 * Threads: the thread that made the set makes all calls, with its own reader. Any thread
 * may call matches_in_cell. A call waits for other threads no longer than it takes to store
 * a cell. Only matches_free waits until a cell is decoded or a message filtered.
 *
 * Memory: 5.2 bytes a cell, the rows of 8 cells, and 2 bytes for each kept ordinal.
 * Ordinals use at most 2 MiB (3 with the spare capacity of vectors).
 */
#ifndef TRAWL_QUERY_MATCHES_H
#define TRAWL_QUERY_MATCHES_H

#include "query/filter/filter_pair.h"

struct matches;

/* Count the messages that pass both WANT and ALSO (NULL: all pass). Both are copied. If
 * cells must be decoded, start at cell AROUND. */
struct matches *matches_new(struct trace *, const struct filter *want, const struct filter *also,
			    uint64_t around);
/* Same as matches_new(), but decide cells around AROUND with READER until the time UNTIL
 * (thread_now_ms()). If that decides all cells, no thread starts. FORMER is another set of the
 * trace, or NULL. If it passes all that the new set passes, the cells without matches in it
 * are decided, too. FORMER is not needed after the call. */
struct matches *matches_new_here(struct trace *, const struct filter *want,
				 const struct filter *also, uint64_t around, struct matches *former,
				 struct reader *, int64_t until);
void matches_free(struct matches *); /* NULL is fine */

/* Take in changes after a session signal. Cheap if nothing changed. Return true if the old
 * counts were stale and counting starts again. They are stale if the capture shrank, or if
 * the filter uses texts that changed. */
bool matches_update(struct matches *);

/* Continue counting outward from this cell. */
void matches_around(struct matches *, uint64_t cell);

/* Stop decoding, so that undecided cells remain undecided; or allow it again. The next
 * matches_update() then restarts it. */
void matches_stop(struct matches *, bool stop);

/* True if the set counts the messages that pass WANT alone (filter_is_same). */
bool matches_is_of(const struct matches *, const struct filter *want);

struct matches_progress {
	uint64_t count;	 /* matches; a lower bound unless exact */
	bool exact;	 /* includes the end of the capture */
	bool working;	 /* threads decode cells */
	uint64_t cells;	 /* decided */
	uint64_t of;	 /* cells of the capture */
	uint64_t looked; /* decided cells that had to be decoded */
	double seconds;	 /* time spent on them */
};
void matches_get_progress(struct matches *, struct matches_progress *);

/* Get the progress, and count the last cells of a growing capture, which are not indexed
 * yet. The count is exact for the bytes present. */
void matches_get_progress_here(struct matches *, struct reader *, struct matches_progress *);

/* Get the number of matches in a cell. Return false if it is undecided. */
bool matches_in_cell(struct matches *, uint64_t cell, uint64_t *matches);

/* The current count of a cell. */
struct matches_cell {
	uint32_t count;
	bool decided;
	uint16_t severities; /* bit set; where the summary decided, all severities that may pass */
};
/* Fill in the first COUNT cells. Cells not swept yet are undecided. Any thread may call
 * this. */
void matches_copy_cells(struct matches *, size_t count, struct matches_cell *);

/* Return the number of matches in the cells before CELL. A lower bound while some are
 * undecided. */
uint64_t matches_before(struct matches *, uint64_t cell);

/* Find the matches of a decided cell, as ordinals among its messages in rising order.
 * Return false if the cell is undecided. Borrowed until the next call of any function with a
 * reader. */
struct matches_rows {
	const uint32_t *at;
	size_t count;
};
bool matches_rows(struct matches *, struct reader *, uint64_t cell, struct matches_rows *);

/* True if the message at a position is a match of a decided cell. *RANK is the number of
 * matches before it, a lower bound unless *EXACT. */
bool matches_rank(struct matches *, struct reader *, struct position, uint64_t *rank, bool *exact);

/* Find the match with RANK matches before it. Return false if that is not known. */
bool matches_find(struct matches *, struct reader *, uint64_t rank, struct position *);

enum matches_result {
	MATCHES_FOUND,
	MATCHES_END,	  /* no match follows */
	MATCHES_UNDECIDED /* the next cell that may have one is undecided */
};

/* Find the next match after FROM (DIRECTION +1) or before it (-1). FROM need not be a
 * message. On MATCHES_UNDECIDED, *MATCH is the position from which to continue, next to the
 * undecided cell. */
enum matches_result matches_next(struct matches *, struct reader *, struct position from,
				 int direction, struct position *match);

/* After MATCHES_UNDECIDED, with *MATCH as FROM: let the threads continue there and signal
 * as soon as they find matches. Return false if they will not reach the cell. The caller
 * must then search it. */
bool matches_await(struct matches *, struct position from, int direction);

/* Return the memory held, in bytes, without the readers of the threads. */
size_t matches_memory(struct matches *);

#endif
