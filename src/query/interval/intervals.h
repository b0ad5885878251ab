/*
 * The intervals of a session: pairs of messages and their lengths.
 *
 * A definition has one filter for begins and one for ends. The values of its keys
 * (query/value.h) must be equal in both messages. Two absent values are equal. Both
 * messages have the same origin unless the definition is `across`. A message that is both
 * ends one interval first, then begins the next. pairing.h describes the pairing. Any lost,
 * damaged or truncated message counts as loss.
 *
 * A length is the difference of the session times of the two messages (gap_times). The pair
 * has no length if a time is missing or if the times cannot be compared
 * (clocks_can_subtract).
 *
 * A worker reads all messages of the session once, in order, as the indexes grow, shown or
 * not. Memory: see pairing.h and, for a screen, interval_tree.h; plus the longest pairs.
 *
 * Threads: the owner makes all calls, except through the hook (session/intervals.h).
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

/* Create the intervals of the session's profile and set session->intervals. Return NULL
 * with a reason if a definition is wrong. The session must outlive the result. */
struct intervals *intervals_new(struct session *, struct err *);
void intervals_free(struct intervals *); /* stops its thread; NULL is fine */

/* Return the intervals of a session, or NULL. */
struct intervals *intervals_of(const struct session *);

/* Add an interval, or redefine the one with this name. Restarts the search for all. Return
 * ERR_USAGE with a reason on error. */
int intervals_define(struct intervals *, const struct interval_options *, struct err *);

size_t intervals_count(const struct intervals *);
const char *intervals_name(const struct intervals *, size_t interval);

/* Return an epoch that goes up when more is found. */
unsigned intervals_generation(const struct intervals *);

/* True if all indexed messages were read. */
bool intervals_are_done(struct intervals *);

enum { INTERVAL_BINS = 10 };

/* Statistics of the pairs that have a length. Percentiles are exact, by nearest rank: pN is
 * the least length that N percent of the pairs do not exceed. */
struct interval_summary {
	struct interval_counts counts;
	bool done; /* all indexed messages were read; else numbers may grow */
	bool ticks;
	uint64_t timed; /* number of pairs with a length; if 0, the rest is not set */
	int64_t min, max, p50, p90, p99;
	long double sum;
	int64_t bin_start, bin_width; /* of the histogram */
	uint64_t bins[INTERVAL_BINS];
	size_t bin_count;
	size_t memory; /* bytes for all intervals */
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

/* Get the longest pairs, longest first: at most MAX, and at most INTERVALS_KEPT. */
size_t intervals_longest(struct intervals *, size_t interval, struct interval_pair *, size_t max);

/* Call VISIT with the pairs found so far that begin in a trace, in the order of their begins. Any
 * thread may call this. */
typedef void interval_visitor(void *context, size_t trace, const struct interval_event *begin,
			      const struct interval_event *end);
void intervals_visit(struct intervals *, size_t trace, interval_visitor *, void *context);

/* Find the other end of the pair that a message ends, else of the pair that it begins. With
 * several intervals, use the one defined first. */
bool intervals_find_other(struct intervals *, struct reader *, const struct message *,
			  struct interval_message *other, size_t *interval);

/* True if a message begins an interval that has no end so far. Any thread may call this. */
bool intervals_is_open(struct intervals *, size_t interval, struct reader *,
		       const struct message *);

/* --- search by time: on a screen only, as found so far ------------------ */

struct interval_span {
	size_t interval;
	struct interval_message begin, end; /* `end` is set if `ended` */
	bool ended, doubtful;
	int64_t since, until; /* times of both, like `order` of struct message_time */
};

/* Find the intervals that hold a time (gap_time), in the order of definitions. For each
 * definition, the last begun comes first. Store up to MAX, an arbitrary choice if there are
 * more, but one of each definition if possible. Return the number stored. *ALL is the
 * number of matches. Pairs without a length are left out. O(log n + *ALL) for each
 * definition. */
size_t intervals_enclosing(struct intervals *, const struct message_time *,
			   struct interval_span *out, size_t max, uint64_t *all);

/* Find the intervals of one definition and one part of the clocks that touch [FROM, TO].
 * Store up to MAX, an arbitrary choice if more match. Times are ticks or nanoseconds. */
size_t intervals_touching(struct intervals *, size_t interval, size_t part, bool ticks,
			  int64_t from, int64_t to, struct interval_span *out, size_t max);

/* Find the next (FORWARD) or previous message of a trace, by offset, that begins a notable
 * interval. Notable intervals are open, or have at least the p99 length of their
 * definition. FROM NULL: find the first or last. Return false if none is known. */
bool intervals_step(struct intervals *, size_t trace, const struct message_id *from, bool forward,
		    struct message_id *);

/* Append the names and values of the keys of a message, as in `seq 70`. The look's
 * expansion is scratch. Not safe yet. Any thread may call this. */
void intervals_add_key(const struct intervals *, size_t interval, struct value_look *,
		       struct text *);

/* Append the keys of the message that begins an interval. READER belongs to its trace.
 * Append nothing if the message no longer exists. */
void intervals_add_span_key(const struct intervals *, const struct interval_span *, struct reader *,
			    struct text *);

#endif
