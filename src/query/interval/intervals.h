/*
 * The intervals of a session: pairs of messages and what is known of their lengths.
 *
 * A definition says which messages begin and which end an interval, and by which values
 * (query/value.h) the two belong together; a value that a message does not have is like that
 * of others without it.  Unless it is `across`, both are of one origin.  A message that
 * does both ends one first, then begins the next.  pairing.h says which belong to each
 * other; loss is any message that is lost, damaged or truncated.
 *
 * Lengths are the difference of the session's times that the messages tell (gap_times);
 * where an end tells none, or the two cannot be compared (clocks_can_subtract), there is a pair
 * without a length.
 *
 * All messages of the session are looked at once, in its order, by a worker that follows
 * the indexes, whatever is shown.  Memory: pairing.h, interval_tree.h for a screen, and what
 * is kept of the longest.
 *
 * Threads: the owner's, but for the hook (session/intervals.h).
 */
#ifndef TRAWL_QUERY_INTERVALS_H
#define TRAWL_QUERY_INTERVALS_H

#include "base/err.h"
#include "query/interval/pairing.h"
#include "session/intervals.h"

struct message_time;
struct session;
struct intervals;
struct value_look;

/* Those of the session's profile; sets session->intervals.  NULL with a reason if one is
 * wrong.  The session must outlive it. */
struct intervals *intervals_new(struct session *, struct err *);
void intervals_free(struct intervals *); /* stops its thread; NULL is fine */

/* Those that were made for a session; NULL: none were. */
struct intervals *intervals_of(const struct session *);

/* Adds one, or gives the one of that name another definition; all are looked for anew.
 * ERR_USAGE with a reason. */
int intervals_define(struct intervals *, const struct interval_options *, struct err *);

size_t intervals_count(const struct intervals *);
const char *intervals_name(const struct intervals *, size_t interval);

/* Counts up when more is known. */
unsigned intervals_generation(const struct intervals *);

/* Whether all that is indexed was looked at. */
bool intervals_are_done(struct intervals *);

enum { INTERVAL_BINS = 10 };

/* Of the pairs that have a length; percentiles are exact: the least length that so many per
 * cent do not exceed (nearest rank). */
struct interval_summary {
	struct interval_counts counts;
	bool done; /* all that is indexed was looked at; else all may be more */
	bool ticks;
	uint64_t timed; /* 0: what follows is not set */
	int64_t min, max, p50, p90, p99;
	long double sum;
	int64_t bin_start, bin_width; /* of the histogram, whose first bin has all below too */
	uint64_t bins[INTERVAL_BINS];
	size_t bin_count;
	size_t memory; /* bytes, of all intervals */
};
void intervals_summarise(struct intervals *, size_t interval, struct interval_summary *);

struct interval_message {
	size_t trace;
	struct message_id id;
};

struct interval_pair {
	struct interval_message begin, end;
	int64_t length;
	bool doubtful;
};

enum { INTERVALS_KEPT = 1000 };

/* The longest pairs, the longest first; at most MAX, or INTERVALS_KEPT. */
size_t intervals_longest(struct intervals *, size_t interval, struct interval_pair *, size_t max);

/* The other end of the pair that a message ends, else of the one that it begins; of
 * several intervals, of the one that is defined first. */
bool intervals_find_other(struct intervals *, struct reader *, const struct message *,
			  struct interval_message *other, size_t *interval);

/* Whether a message begins an interval that has no end, by what is found.  From any thread. */
bool intervals_is_open(struct intervals *, size_t interval, struct reader *,
		       const struct message *);

/* --- where they are: while a session is on a screen, of what is found by now ----------- */

struct interval_span {
	size_t interval;
	struct interval_message begin, end; /* end: if it has one */
	bool ended, doubtful;
	int64_t since, until; /* their times, as `order` of struct message_time; until: likewise */
};

/* The intervals that hold a time (gap_time): none begins after it or ends before it.  In the
 * order of their definitions, of each the last begun first; at most MAX, of more any so many,
 * but one of each definition that has any, as far as MAX goes.  Returns how many; *ALL: how many
 * there are.  A pair without a length is not among them.  O(log n + *ALL) for each
 * definition. */
size_t intervals_enclosing(struct intervals *, const struct message_time *,
			   struct interval_span *out, size_t max, uint64_t *all);

/* Those of one definition and one part of the session that begin at TO at the latest and do not
 * end before FROM: at most MAX, of more any so many.  Times are ticks or nanoseconds. */
size_t intervals_touching(struct intervals *, size_t interval, size_t part, bool ticks,
			  int64_t from, int64_t to, struct interval_span *out, size_t max);

/* The next (FORWARD) or previous message of a trace, in the order of its bytes, that begins
 * an interval without an end or one that takes p99 of its kind at least; FROM NULL: the first,
 * or last, of all.  False: none is known. */
bool intervals_step(struct intervals *, size_t trace, const struct message_id *from, bool forward,
		    struct message_id *);

/* Appends the names and values of the keys that a message of an interval has, `seq 70`; its
 * expansion is scratch.  Not safe yet.  From any thread. */
void intervals_add_key(const struct intervals *, size_t interval, struct value_look *,
		       struct text *);

/* The same of the message that begins an interval, with a reader of its trace; nothing where
 * it is there no more. */
void intervals_add_span_key(const struct intervals *, const struct interval_span *, struct reader *,
			    struct text *);

#endif
