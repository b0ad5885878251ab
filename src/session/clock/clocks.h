/*
 * The clocks of a session: what time it was when a message was sent.
 *
 * Traces have clocks of their own, and so may senders in them.  What relates
 * two clocks is found in the captures (SyS-T CLOCK messages, sync points of
 * UIA, serial numbers of GEM, times in E-Trace, changes of STP's frequency) or
 * said by the profile or the user (ties, offsets, epochs); relation.h makes
 * times of it.  The captures are not read for that: the index is built for it,
 * and reads them on the way, or cells whose summary has sync points are decoded,
 * in a thread of its own.
 *
 * The session's common clock is the wall clock if one is related to it, else
 * that of the first trace whose rate is known.  Traces that no relation leads
 * to are apart: their times are their own.
 *
 * Threads: times can be asked for from any thread; the rest is the owner's.
 */
#ifndef TRAWL_SESSION_CLOCK_CLOCKS_H
#define TRAWL_SESSION_CLOCK_CLOCKS_H

#include "trace/trace.h"

struct clocks;
struct session;
struct sync_options;

/* The session must outlive it.  Made by session_link. */
struct clocks *clocks_new(struct session *);
void clocks_free(struct clocks *); /* stops its thread */

/* Finds all there is, in this thread, and builds the indexes that it takes: for
 * batch output, after serial_load.  Waits for the end of streams, or leaves them
 * out. */
void clocks_load(struct clocks *, bool wait);

/* Whether clocks_load, which finds nothing unless a message tells of clocks, can be left out
 * until there is one: of a single trace whose capture has ended, and where no index is kept
 * that makes it cheap. */
bool clocks_can_wait(struct clocks *);

/* Whether one of COUNT messages, which are READER's, tells of clocks. */
bool clocks_are_told(struct reader *, const struct message *, size_t count);

/* As clocks_load in a thread of its own, as far as the indexes are known; the session
 * is notified.  clocks_wake: an index went on, or words found their events. */
void clocks_start(struct clocks *);
void clocks_wake(struct clocks *);

/* Counts up when times or the order may have changed: in the same step, so that all that was
 * asked between two equal numbers follows from the same clocks and the same order. */
unsigned clocks_generation(const struct clocks *);

/* Whether all that is indexed has been looked at. */
bool clocks_are_settled(const struct clocks *);

/* A message's time. */
struct message_time {
	int64_t nanoseconds; /* on the common clock of its part */
	double error;	     /* how far off that may be, in ns; INFINITY: no telling */
	size_t part;	     /* only times of one part can be compared */
	bool known;	     /* `nanoseconds` is; else only `order` is */
	bool wall;	     /* they count from 1970-01-01 00:00 UTC */
	bool plain;	     /* the trace's times are its own, by its own rate */
	bool estimated;	     /* made from the times of its neighbours, by a sync point
				that no other confirms, or against its sender's clock */
	int64_t order;	     /* what to sort by in its part */
};

/* Whether what lies between two times is a length: both are by clocks that something relates,
 * and in one unit.  Every length that is shown, filtered by, counted or written asks this. */
static inline bool
clocks_can_subtract(const struct message_time *from, const struct message_time *to)
{
	return from->part == to->part && from->known == to->known;
}

/* The session's time of a message: its sender's own where that clock is related and
 * within CLOCKS_OWN_APART of the transport's, else the transport's, `estimated` and with an
 * error that covers the sender's.  Every view, jump,
 * filter and export means this one.  False if the message has no time.  Works without
 * clocks as well. */
bool clocks_time(struct trace *, const struct message *, struct message_time *);

/* The same of COUNT messages of a trace: ANY, whether each has a time. */
void clocks_times(struct trace *, const struct message *, size_t count, struct message_time *,
		  bool *any);

/* How times of messages that have no timestamp of their sender follow from their ticks: by a
 * whole number of nanoseconds, or they are the ticks. */
struct clocks_scale {
	struct message_time zero; /* at tick 0 */
	uint64_t tick;
	uint64_t most; /* ticks; of more it is not so */
};

/* False where they do not. */
bool clocks_scale(struct trace *, struct clocks_scale *);

static inline bool
clocks_scale_fits(const struct clocks_scale *scale, const struct message *m)
{
	return !(m->flags & MESSAGE_SENDER_TIMED) &&
	       (!(m->flags & MESSAGE_TIMED) || m->ticks <= scale->most);
}

/* What of the time at TICKS differs from that of tick 0; and all of it. */
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

/* When the transport carried the message, whatever its sender says: what the order of
 * messages of several traces follows. */
bool clocks_transport_time(struct trace *, const struct message *, struct message_time *);

/* What messages are in order of: when the transport carried them, or when they were sent.
 * By the latter a trace is several strands: the messages whose time is by one clock of a
 * sender are one, numbered from 1; all others are strand 0, in the transport's order. */
enum clocks_order { CLOCKS_BY_TRANSPORT, CLOCKS_BY_TIME };

enum { CLOCKS_STRANDS_MAX = 64 }; /* in a session; messages of further clocks are in 0 */

/* Sets it, from the owner's thread: a change counts the generation up. */
void clocks_set_order(struct clocks *, enum clocks_order);
enum clocks_order clocks_get_order(const struct clocks *);

/* How many strands a trace is by the order that is set: 1 by the transport's. */
size_t clocks_strand_count(struct trace *);

/* The strand of a message by CLOCKS_BY_TIME, and its time (clocks_time) if that is not 0.
 * *CARRIED, if it is not NULL, is set to the transport's time, if there is one.
 * Between two calls the generation may change, and with it the numbers of strands. */
size_t clocks_strand(struct trace *, const struct message *, struct message_time *,
		     struct message_time *carried);

/* How many senders' clocks of a session have strands, and how many are left to strand 0. */
size_t clocks_sender_strands(struct clocks *, size_t *left_out);

/* How the times of a trace come about. */
struct clocks_nature {
	bool rising;	/* the transport's times follow from ticks alone, in their order */
	bool own;	/* senders may have clocks of their own: a message's time is up to
			CLOCKS_OWN_APART off the transport's */
	bool by_offset; /* messages without ticks have times too */
	bool known;	/* times of its main clock are, in nanoseconds, */
	bool wall;	/* and they count from 1970 */
};
#define CLOCKS_OWN_APART INT64_C(10000000000) /* ns */
struct clocks_nature clocks_nature(struct trace *);

/* Whether relations may still be found that change what is known of times. */
bool clocks_may_change(const struct clocks *);

/* The part that a trace's times are in. */
size_t clocks_part(struct trace *);

/* What the times of a cell's messages (clocks_time) lie between, to sort by, from its
 * summary; *FROM > *TO: they have none.  Where senders have clocks of their own they need
 * not reach that far.  False if the summary cannot tell and the cell must be decoded. */
bool clocks_cell_span(struct trace *, uint64_t cell, const struct index_cell *, int64_t *from,
		      int64_t *to);

/* Wider bounds, for less: no sender's clock is asked. */
bool clocks_cell_reach(struct trace *, uint64_t cell, const struct index_cell *, int64_t *from,
		       int64_t *to);

/* The same of the transport's times, of which *FROM and *TO are the first and the last. */
bool clocks_cell_transport_span(struct trace *, uint64_t cell, const struct index_cell *,
				int64_t *from, int64_t *to);

/* Whether the time at an end of such a span may be a damaged one's alone: the cell's times
 * step back, and reach far. */
bool clocks_is_doubtful(const struct index_cell *, int64_t from, int64_t to);

/* The transport's latest time in a cell, INT64_MIN: it has none; false as above, and if
 * it is doubtful. */
bool clocks_cell_time(struct trace *, uint64_t cell, const struct index_cell *, int64_t *order);

/* A time that two traces have in common: a word and its event, tied messages. */
struct clocks_link {
	size_t a, b;		/* the traces, two different ones */
	int64_t time_a, time_b; /* when it was in each, to sort by; the same but for what
				   the relation is off, or an offset that was said */
	size_t part;		/* of both times */
	bool rejected;		/* as it contradicts those around it */
};

/* How many relations there are, and the first link of one of them that is not
 * before TIME in its trace A, or AT_B in trace B; false: it has none.  Links are
 * searched for as if the times of that trace rose from one to the next, for which
 * rejected ones, that may lie anywhere in B, are passed by there. */
size_t clocks_relations(struct clocks *);
bool clocks_find_link(struct clocks *, size_t relation, bool at_b, int64_t time,
		      struct clocks_link *);

/* The user says that two messages were sent at the same time.  0, or ERR_USAGE
 * if one has no time, both have the same clock, or they are tied already. */
int clocks_tie(struct clocks *, struct trace *a, const struct message *, struct trace *b,
	       const struct message *, struct err *);

/* Which of these ties has a message as one of its ends, the last one made if several
 * have; SIZE_MAX: none. */
size_t clocks_find_tie(struct clocks *, struct trace *, const struct message *);

/* Which one has the same two ends, either way round; SIZE_MAX: none. */
size_t clocks_find_equal_tie(const struct clocks *, const struct sync_options *);

/* One end of tie NUMBER, from 0, of clocks_ties: its trace, and the transport's time there, to
 * sort by.  False where the trace is not open or the time not known. */
bool clocks_tie_end(struct clocks *, size_t number, bool at_b, size_t *trace, int64_t *order);

/* Whether a message of TRACE is at that end; several are where they have the same ticks. */
bool clocks_is_tie_end(struct clocks *, size_t number, bool at_b, struct trace *,
		       const struct message *);

/* Takes back tie NUMBER, from 0, of clocks_ties. */
void clocks_untie(struct clocks *, size_t number);

/* What the user tied, as a profile's `sync:` says it: valid until the next change.
 * And ties from before, copied, which all have two ends; those of traces that are
 * not open are kept. */
const struct sync_options *clocks_ties(const struct clocks *, size_t *count);
void clocks_add_ties(struct clocks *, const struct sync_options *, size_t count);

/* How many messages of a trace are of senders whose clocks, *COUNT, nothing relates to that of
 * the trace; as far as is indexed. */
uint64_t clocks_apart(struct trace *, size_t *count);

/* Appends the name of the clock that stands for the part of a trace; *RESIDUAL is the largest
 * of the relations in it, in seconds.  False, and nothing, where none is known. */
bool clocks_reference(struct clocks *, const struct trace *, struct text *name, double *residual);

/* Appends a line for each part, each relation and, numbered from 1, each tie of the
 * user; then these ties as a profile would say them. */
void clocks_describe(struct clocks *, struct text *);

#endif
