/*
 * The spans of a session's contexts: which value each context of each origin had from when
 * to when, and how long.
 *
 * A span goes from the message that begins it to the one that begins the next of its lane, or
 * to the last message of its trace that has a time; where its value is told again after it
 * became doubtful another one begins.  Times are those that lengths are counted by (gap_times);
 * those of a lane are by one clock, that of its first turn with a time.
 *
 * Who wants spans makes a store of its own, which goes through the cells that carry contexts
 * once.  Memory: 32 bytes for each turn of a context (context.h), and a text for each value.
 *
 * Threads: one at a time makes it; what is loaded may be asked from any.
 */
#ifndef TRAWL_QUERY_SPANS_H
#define TRAWL_QUERY_SPANS_H

#include "session/context/context.h"

struct session;
struct spans;

enum span_flag {
	SPAN_BEGINS = 1 << 0,	/* else the one before goes on, doubtful */
	SPAN_DOUBTFUL = 1 << 1, /* from here on */
	SPAN_TIMED = 1 << 2,	/* its message has a time of its own; else it has that of the
				   transport, or of the turn before */
	SPAN_TICKS = 1 << 3	/* not nanoseconds */
};

/* A turn of a context. */
struct span_turn {
	int64_t time;	 /* as `order` of struct message_time */
	uint64_t offset; /* of the ID of the message that begins the span */
	uint32_t ordinal;
	uint32_t label; /* of its value: span_label */
	uint32_t part;	/* of the session's clocks that `time` is in */
	uint8_t flags;	/* enum span_flag */
};
typedef VEC(struct span_turn) span_turns;

/* A context of an origin, or (ORIGIN 0) of a trace. */
struct span_lane {
	unsigned context;
	size_t trace;
	uint64_t origin;
	span_turns turns;
};

struct spans *spans_new(struct session *); /* which must outlive it */
void spans_free(struct spans *);	   /* NULL is fine */

/* Goes through what can be read by now, until STOP(CONTEXT), asked after each cell, is true;
 * begins anew where messages or their times changed.  True if there is no more. */
bool spans_extend(struct spans *, bool (*stop)(void *), void *context);

/* How many lanes there are, in the order in which they came. */
size_t spans_count(const struct spans *);
const struct span_lane *spans_lane(const struct spans *, size_t lane);
const char *spans_label(const struct spans *, uint32_t label); /* not safe */

/* Whether the times of a lane can be compared with those of its trace (clocks_part). */
bool spans_is_related(const struct spans *, const struct span_lane *);

/* The last message of a trace that has such a time; false: none has. */
bool spans_end(const struct spans *, size_t trace, int64_t *time);

/* How long the context has the value that a message begins; false if it begins none, or no
 * length is known. */
bool spans_find(const struct spans *, unsigned context, struct reader *, const struct message *,
		int64_t *length, bool *ticks);

#endif
