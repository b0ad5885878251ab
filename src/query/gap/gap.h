/*
 * The gap before a message: how long none came.
 *
 * It is the session's time from the last message before it, in the order of a sequence
 * and among those that count, that has a time of the same part (clocks.h), to its own.
 * Messages without a time are passed over; so are those whose time cannot be compared
 * with that of their trace.  Where time steps back there is no gap.  Times are those
 * that messages tell; what is interpolated between them tells none.
 *
 * Lengths are nanoseconds, or ticks where the rate of the clock is not known.
 */
#ifndef TRAWL_QUERY_GAP_H
#define TRAWL_QUERY_GAP_H

#include "session/clock/clocks.h"
#include "session/sequence.h"

struct gap {
	uint64_t length;
	bool known; /* nanoseconds; else ticks */
};

/* The time that gaps are counted by; false if the message has none. */
bool gap_time(struct trace *, const struct message *, struct message_time *);

/* The times that lengths between any two of COUNT messages of a trace are counted by, whichever
 * of its clocks each is by: ANY, whether it has one. */
void gap_times(struct trace *, const struct message *, size_t count, struct message_time *,
	       bool *any);

/* Whether the times of all of these that have ticks, and of no others, are those that the scale
 * of their trace makes of them. */
bool gap_scale(struct trace *, const struct message *, size_t count, struct clocks_scale *);

/* The gap between two times of one clock; false if the second is before the first. */
static inline bool
gap_of(int64_t from, int64_t to, bool known, struct gap *gap)
{
	/* ticks have all 64 bits, nanoseconds a sign */
	bool back = known ? to < from : (uint64_t)to < (uint64_t)from;
	*gap = (struct gap){(uint64_t)to - (uint64_t)from, known};
	return !back;
}

/* The gap between two messages that follow each other; false if there is none. */
bool gap_between(const struct message_time *from, const struct message_time *to, struct gap *);

/* The usual gap: the mean of these lengths without the longest tenth; 0 if there are too
 * few.  Sorts them. */
uint64_t gap_usual(uint64_t *lengths, size_t count);

/* Appends a length with its unit, `20.817 us` or `3.000 s`; of ticks the number.  BRIEF, for a
 * sentence: `3 s`, `12 ticks`. */
void gap_format(const struct gap *, bool brief, struct text *);

/* --- the gap before any message, whatever is shown --------------------- */

/*
 * A cursor over all messages of a session, for who asks for many gaps: it moves on with
 * the messages that it is asked about, at a cost of O(lanes) each; only for one that is
 * far away it finds its way anew.  Nothing is expanded.
 *
 * Threads: a cursor belongs to one thread.  The session must outlive it.
 */
struct gap_cursor;

struct gap_cursor *gap_cursor_new(struct session *);
void gap_cursor_free(struct gap_cursor *); /* NULL is fine */

/* The gap before a message of TRACE; false if there is none.  As long as the indexes and
 * clocks of the session are not complete it may be an estimate. */
bool gap_cursor_find(struct gap_cursor *, struct trace *, const struct message *, struct gap *);

/* Counts up when what was found may be another; a sum over SESSION's traces. */
unsigned gap_generation(const struct session *);

#endif
