/*
 * The spans of a session's contexts: each value of each context and origin, with its start
 * and its length.
 *
 * A span ends at the start of the next span of its lane.  The last one ends at the last
 * message of its trace that has a time.  A new span also begins where a doubtful value is
 * repeated.  Times are those used for lengths (gap_times).  All times of a lane are by one
 * clock, that of its first turn with a time.
 *
 * Each user of spans makes a store, which walks once over the cells that carry contexts.
 * Memory: 32 bytes for each turn of a context (context.h), and a text for each value.
 *
 * Threads: one thread at a time extends it; any thread may read the spans found.
 */
#ifndef TRAWL_QUERY_SPANS_H
#define TRAWL_QUERY_SPANS_H

#include "session/context/context.h"

struct session;
struct spans;

enum span_flag {
	SPAN_BEGINS = 1 << 0,	/* otherwise the span before continues, doubtful */
	SPAN_DOUBTFUL = 1 << 1, /* the value is doubtful from here on */
	SPAN_TIMED = 1 << 2,	/* its message has a time; otherwise the time is the transport's
				   or that of the turn before */
	SPAN_TICKS = 1 << 3	/* `time` is ticks, not nanoseconds */
};

/* A message where a context of an origin changes, is repeated or becomes doubtful. */
struct span_turn {
	int64_t time;	 /* as `order` of struct message_time */
	uint64_t offset; /* with `ordinal`: ID of the message */
	uint32_t ordinal;
	uint32_t label; /* text of the value: spans_label */
	uint32_t part;	/* part of the session's clocks with `time` */
	uint8_t flags;	/* enum span_flag */
};
typedef VEC(struct span_turn) span_turns;

/* A context of an origin, or of a whole trace if ORIGIN is 0. */
struct span_lane {
	unsigned context;
	size_t trace;
	uint64_t origin;
	span_turns turns;
};

struct spans *spans_new(struct session *); /* the session must outlive it */
void spans_free(struct spans *);	   /* NULL is fine */

/* Read the turns available now, until STOP(CONTEXT) returns true; it is called after each cell.
 * Start over if messages or their times changed.  Return true at the end. */
bool spans_extend(struct spans *, bool (*stop)(void *), void *context);

/* Return the number of lanes.  Lanes are in the order of discovery. */
size_t spans_count(const struct spans *);
const struct span_lane *spans_lane(const struct spans *, size_t lane);
const char *spans_label(const struct spans *, uint32_t label); /* not safe */

/* True if the times of a lane can be compared with those of its trace (clocks_part). */
bool spans_is_related(const struct spans *, const struct span_lane *);

/* Find the time of the last message of a trace that has one.  Return false if none has. */
bool spans_end(const struct spans *, size_t trace, int64_t *time);

/* Find the length of the span of a context that starts at a message.  Return false if no span
 * starts there, or its length is unknown. */
bool spans_find(const struct spans *, unsigned context, struct reader *, const struct message *,
		int64_t *length, bool *ticks);

#endif
