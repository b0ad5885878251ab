/*
 * When the messages of each cell of a trace were sent, on the common clock.
 *
 * A track has a span for each cell of the index, made from the cell's
 * summary; where several clocks tell a cell's times it is decoded.  Where senders
 * have clocks of their own a span may reach further than its messages do.  Those
 * without a time stand where the transport had got to: at the latest of its times up
 * to them.  A trace without times has its messages at their offsets: these are its
 * time.
 *
 * Cost: 32 bytes per cell, and some 100 ns for each once.
 *
 * Threads: a track belongs to one at a time; its owner has a lock.
 */
#ifndef TRAWL_QUERY_TRACK_H
#define TRAWL_QUERY_TRACK_H

#include "trace/reader.h"

/* Orders of struct message_time; from > to: it has no times. */
struct span {
	int64_t from, to;
	int64_t latest; /* of the transport's in all cells so far; INT64_MIN: there are none */
	bool loose;	/* its messages may not reach that far */
};

enum track_unit { TRACK_NANOSECONDS, TRACK_TICKS, TRACK_OFFSETS };

struct track {
	struct trace *trace;
	VEC(struct span) spans;
	int64_t first; /* earliest of all; INT64_MAX: none so far */
	int64_t last;  /* and the latest; INT64_MIN */
	int64_t start; /* where messages stand before any has a time */
	enum track_unit unit;
	bool wall;	     /* nanoseconds count from 1970 */
	bool plain;	     /* times are the trace's own, by its own rate */
	size_t part;	     /* only tracks of one part can be compared */
	unsigned generation; /* of clocks and index that it was made for */
};

void track_open(struct track *, struct trace *);
void track_free(struct track *);

/* Forgets all if clocks or the capture changed; true if it did. */
bool track_renew(struct track *);

/* Goes on for at most COUNT cells, whose summaries suffice or which READER (may
 * be NULL) decodes; how many there were.  *STUCK: the next one must be decoded. */
size_t track_extend(struct track *, size_t count, struct reader *, bool *stuck);

/* Decodes the cells by whose spans FIRST or LAST may be further off than any message;
 * a few of them. */
void track_settle_ends(struct track *, struct reader *);

/* What the times of a cell's messages lie between; false if that is not known. */
bool track_span(const struct track *, uint64_t cell, int64_t *from, int64_t *to);

/* The transport's latest time before a cell, for those of its messages that have none. */
int64_t track_before(const struct track *, uint64_t cell);

/* Calls EACH with the messages of a cell and their times. */
void track_walk(const struct track *, int64_t before, const struct decoded_cell *,
		void (*each)(void *, const struct message *, int64_t), void *context);

#endif
