/*
 * The clocks of a session: the time at which each message was sent.
 *
 * Traces have clocks of their own, and so may the senders in them. Relations between
 * clocks are found in the captures: SyS-T CLOCK messages, sync points of UIA, serial
 * numbers of GEM, times in E-Trace, changes of STP's frequency. The profile or the user
 * adds others: ties, offsets, epochs. relation.h computes times from the relations. The
 * points are collected while the index is built, or a thread decodes the cells with sync
 * points in their summary.
 *
 * The session's common clock is the wall clock if any clock is related to it. Otherwise it
 * is the clock of the first trace with a known rate. Traces without a relation to it form
 * parts with times of their own.
 *
 * Threads: any thread may read times; all other calls belong to the owner's thread.
 */
#ifndef TRAWL_SESSION_CLOCK_CLOCKS_H
#define TRAWL_SESSION_CLOCK_CLOCKS_H

#include "trace/trace.h"

struct clocks;
struct session;
struct sync_options;

/* Make the clocks of a session, which must outlive them. Called by session_link(). */
struct clocks *clocks_new(struct session *);
void clocks_free(struct clocks *); /* stops the thread */

/* Find all relations in the calling thread and build the indexes they need. For batch output,
 * after serial_load(). WAIT waits for streams to end; without it, open streams are left out. */
void clocks_load(struct clocks *, bool wait);

/* Do the work of clocks_load() in a thread, as far as the indexes are known, and notify the
 * session. clocks_wake(): an index grew, or words found their events. */
void clocks_start(struct clocks *);
void clocks_wake(struct clocks *);

/* Return the epoch of times and order, which goes up when either may have changed. Both change
 * in one step: all results between two equal epochs use the same clocks and the same order. */
unsigned clocks_generation(const struct clocks *); /* 0 for NULL */

/* True if all indexed cells have been searched for points. */
bool clocks_are_settled(const struct clocks *);

struct message_time {
	int64_t nanoseconds; /* on the common clock of its part */
	double error;	     /* largest possible error in ns; INFINITY: unlimited */
	size_t part;	     /* only times in the same part can be compared */
	bool known;	     /* `nanoseconds` is valid; else only `order` is */
	bool wall;	     /* `nanoseconds` counts from 1970-01-01 00:00 UTC */
	bool plain;	     /* a time of the trace's own clock, by its own rate */
	bool estimated;	     /* interpolated, or from a sync point that no other confirms, or in
			      * conflict with the sender's clock */
	int64_t order;	     /* sort key within its part */
};

/* True if the difference of two times is a duration: related clocks and the same unit. Check
 * this before every duration that is shown, filtered by, counted or written. */
static inline bool
clocks_can_subtract(const struct message_time *from, const struct message_time *to)
{
	return from->part == to->part && from->known == to->known;
}

/* Find the session's time of a message. Return false if it has none. The sender's time is used
 * if its clock is related and within CLOCKS_OWN_APART of the transport's. Otherwise the time is
 * the transport's, marked `estimated`, and its error covers the sender's. Every view, jump,
 * filter and export uses this time. Works without clocks, too. */
bool clocks_time(struct trace *, const struct message *, struct message_time *);

/* Find the times of COUNT messages of a trace; ANY[i] is true if message i has one. */
void clocks_times(struct trace *, const struct message *, size_t count, struct message_time *,
		  bool *any);

/* Linear times of a trace: how to compute the time of a message without a sender time from its
 * ticks. A tick is a whole number of nanoseconds, or the times are the ticks themselves. */
struct clocks_scale {
	struct message_time zero; /* the time at tick 0 */
	uint64_t tick;
	uint64_t most; /* largest tick for which this holds */
};

/* Return false if the times are not linear in the ticks. */
bool clocks_scale(struct trace *, struct clocks_scale *);

static inline bool
clocks_scale_fits(const struct clocks_scale *scale, const struct message *m)
{
	return !(m->flags & MESSAGE_SENDER_TIMED) &&
	       (!(m->flags & MESSAGE_TIMED) || m->ticks <= scale->most);
}

/* Return the sort key of the time at TICKS; clocks_scale_time() returns the whole time. */
static inline int64_t
clocks_scale_order(const struct clocks_scale *scale, uint64_t ticks)
{
	return (int64_t)((uint64_t)scale->zero.order + ticks * scale->tick);
}

static inline struct message_time
clocks_scale_time(const struct clocks_scale *scale, uint64_t ticks)
{
	struct message_time time = scale->zero;
	time.order = clocks_scale_order(scale, ticks);
	if (time.known)
		time.nanoseconds = time.order;
	return time;
}

/* Find the time at which the transport carried the message, whatever its sender time. The order
 * of messages of several traces follows it. */
bool clocks_transport_time(struct trace *, const struct message *, struct message_time *);

/* Sort order of messages: by the time the transport carried them, or by the time they were sent.
 * By the latter, a trace has several strands. The messages timed by one sender's clock are a
 * strand, numbered from 1, and so are those of a core that shares the capture with others
 * (`strand_of` of the decoder); all others are strand 0, in the transport's order. */
enum clocks_order { CLOCKS_BY_TRANSPORT, CLOCKS_BY_TIME };

enum { CLOCKS_STRANDS_MAX = 64 }; /* per session; messages of further clocks are in strand 0 */

/* Set the order, from the owner's thread. A change raises the epoch. */
void clocks_set_order(struct clocks *, enum clocks_order);
enum clocks_order clocks_get_order(const struct clocks *);

/* Return the number of strands of a trace in the current order: 1 with the transport's. */
size_t clocks_strand_count(struct trace *);

/* Return the strand of a message in CLOCKS_BY_TIME, and its clocks_time() if that is not 0; its
 * `order` is INT64_MIN for a message of a core that has no time. Set
 * *CARRIED, unless it is NULL, to the transport's time if there is one. The epoch, and with it
 * the strand numbers, may change between two calls. */
size_t clocks_strand(struct trace *, const struct message *, struct message_time *,
		     struct message_time *carried);

/* Return how many senders of the session have strands. *LEFT_OUT: those left to strand 0. */
size_t clocks_sender_strands(struct clocks *, size_t *left_out);

/* Properties of the times of a trace. */
struct clocks_nature {
	bool rising;	/* the transport's times follow from ticks alone and rise with them */
	bool own;	/* senders may have clocks: a message's time is up to CLOCKS_OWN_APART
			 * off the transport's */
	bool by_offset; /* messages without ticks have times, too */
	bool known;	/* times of its main clock are in nanoseconds */
	bool wall;	/* those times count from 1970 */
};
#define CLOCKS_OWN_APART INT64_C(10000000000) /* ns */
struct clocks_nature clocks_nature(struct trace *);

/* True if relations that change times may still be found. */
bool clocks_may_change(const struct clocks *);

/* Return the part of a trace's times. */
size_t clocks_part(struct trace *);

/* Find bounds of the cell's clocks_time() times, to sort by, from its summary. *FROM > *TO: it
 * has no times. With senders' clocks the bounds may be wider than the times. Return false if the
 * summary is not enough and the cell must be decoded. */
bool clocks_cell_span(struct trace *, uint64_t cell, const struct index_cell *, int64_t *from,
		      int64_t *to);

/* Find wider bounds at less cost, without looking at senders' clocks. */
bool clocks_cell_reach(struct trace *, uint64_t cell, const struct index_cell *, int64_t *from,
		       int64_t *to);

/* Find the first and last of the transport's times in a cell. Results as in clocks_cell_span(). */
bool clocks_cell_transport_span(struct trace *, uint64_t cell, const struct index_cell *,
				int64_t *from, int64_t *to);

/* True if one end of such a span may come from a single damaged time: the cell's times step back
 * and span a long period. */
bool clocks_is_doubtful(const struct index_cell *, int64_t from, int64_t to);

/* Find the transport's latest time in a cell; INT64_MIN: it has none. Return false if the
 * summary is not enough or the time is doubtful. */
bool clocks_cell_time(struct trace *, uint64_t cell, const struct index_cell *, int64_t *order);

/* A common time of two traces: a word and its event, or tied messages. */
struct clocks_link {
	size_t a, b;		/* two different traces */
	int64_t time_a, time_b; /* its time in each trace, to sort by; they differ by the
				 * relation's error or a configured offset */
	size_t part;		/* of both times */
	bool rejected;		/* contradicts the links around it */
};

/* Return the number of relations. clocks_find_link() finds the first link of a relation at or
 * after TIME. TIME is in its trace A, or in trace B with AT_B. It returns false if there is
 * none. The search takes the times of that trace as rising. Rejected links may lie anywhere in
 * B, so AT_B skips them. */
size_t clocks_relations(struct clocks *);
bool clocks_find_link(struct clocks *, size_t relation, bool at_b, int64_t time,
		      struct clocks_link *);

/* Tie two messages: the user states that they were sent at the same time. Return 0, or ERR_USAGE
 * if one has no time, both have the same clock, or they are tied already. */
int clocks_tie(struct clocks *, struct trace *a, const struct message *, struct trace *b,
	       const struct message *, struct err *);

/* Return the latest of the user's ties with this message as one end; SIZE_MAX: none. */
size_t clocks_find_tie(struct clocks *, struct trace *, const struct message *);

/* Return the tie with the same two ends, in either direction; SIZE_MAX: none. */
size_t clocks_find_equal_tie(const struct clocks *, const struct sync_options *);

/* Find the trace at an end of tie NUMBER (from 0, as in clocks_ties()) and the transport's time
 * there, to sort by. Return false if the trace is not open or the time is unknown. */
bool clocks_tie_end(struct clocks *, size_t number, bool at_b, size_t *trace, int64_t *order);

/* True if a message of TRACE is at that end. Messages with equal ticks all are. */
bool clocks_is_tie_end(struct clocks *, size_t number, bool at_b, struct trace *,
		       const struct message *);

/* Remove tie NUMBER, from 0, of clocks_ties(). */
void clocks_untie(struct clocks *, size_t number);

/* Return the user's ties as entries of a profile's `sync:`, valid until the next change.
 * clocks_add_ties() copies earlier ties. All have two ends; those of traces that are not open
 * are kept. */
const struct sync_options *clocks_ties(const struct clocks *, size_t *count);
void clocks_add_ties(struct clocks *, const struct sync_options *, size_t count);

/* Count the indexed messages from senders with a clock that is unrelated to the trace's. *COUNT:
 * the number of such clocks. */
uint64_t clocks_apart(struct trace *, size_t *count);

/* Append the name of the root clock of a trace's part. *RESIDUAL is the largest residual of the
 * part's relations, in seconds; INFINITY: one has a single point, as a tie has. Return false and
 * append nothing if none is known. */
bool clocks_reference(struct clocks *, const struct trace *, struct text *name, double *residual);

/* Append a line for each part, each relation and each tie of the user, numbered from 1. Then
 * append the ties in the form of a profile. */
void clocks_describe(struct clocks *, struct text *);

#endif
