/*
 * The gap before a message: the time without messages that ends there.
 *
 * Its length is the session time since the last earlier message with a time in the same
 * part (clocks.h).  Only messages that count, in the order of a sequence, are compared.
 * Messages are skipped if they have no time, or one that cannot be compared with that of
 * their trace.  There is no gap where time steps back.  Only a message's own time counts,
 * not an interpolated one.
 *
 * Lengths are nanoseconds, or ticks where the rate of the clock is unknown.
 */
#ifndef TRAWL_QUERY_GAP_H
#define TRAWL_QUERY_GAP_H

#include "session/clock/clocks.h"
#include "session/sequence.h"

struct gap {
	uint64_t length;
	bool known; /* nanoseconds; else ticks */
};

/* Find the time of a message for gaps.  Return false if it has none. */
bool gap_time(struct trace *, const struct message *, struct message_time *);

/* Find the times of COUNT messages of a trace, for lengths between any two.  Each may be
 * by any clock of the trace.  ANY is set for each message that has a time. */
void gap_times(struct trace *, const struct message *, size_t count, struct message_time *,
	       bool *any);

/* Find the scale of the trace.  Return true if it gives the time of all these messages that have
 * ticks, and the others have no time. */
bool gap_scale(struct trace *, const struct message *, size_t count, struct clocks_scale *);

/* Compute the gap between two times on one clock.  Return false if the second is before the
 * first. */
static inline bool
gap_of(int64_t from, int64_t to, bool known, struct gap *gap)
{
	/* ticks use all 64 bits, nanoseconds are signed */
	bool back = known ? to < from : (uint64_t)to < (uint64_t)from;
	*gap = (struct gap){(uint64_t)to - (uint64_t)from, known};
	return !back;
}

/* Compute the gap between two successive messages.  Return false if there is none. */
bool gap_between(const struct message_time *from, const struct message_time *to, struct gap *);

/* Return the usual gap: the mean of the lengths without the longest tenth, or 0 if there are too
 * few.  Sorts the lengths. */
uint64_t gap_usual(uint64_t *lengths, size_t count);

/* Append a length with its unit, `20.817 us` or `3.000 s`, or the number of ticks alone.  BRIEF,
 * for use in a sentence: `3 s`, `12 ticks`. */
void gap_format(const struct gap *, bool brief, struct text *);

/* --- the gap before any message, shown or not ------------------------ */

/*
 * A cursor over all messages of a session, for callers that need many gaps.  It moves
 * forward with the messages they pass, at a cost of O(lanes) for each.  Only a distant
 * message needs a new search.  Nothing is expanded.
 *
 * Threads: a cursor belongs to one thread.  The session must outlive it.
 */
struct gap_cursor;

struct gap_cursor *gap_cursor_new(struct session *);
void gap_cursor_free(struct gap_cursor *); /* NULL is fine */

/* Find the gap before a message of TRACE.  Return false if there is none.  The gap may be an
 * estimate until the indexes and clocks of the session are complete. */
bool gap_cursor_find(struct gap_cursor *, struct trace *, const struct message *, struct gap *);

/* Return a counter that goes up when gaps may have changed: a sum over SESSION's traces. */
uint64_t gap_generation(const struct session *);

#endif
