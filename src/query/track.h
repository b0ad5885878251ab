/*
 * Times of the messages in each cell of a trace, on the common clock.
 *
 * A track has a span for each cell of the index, made from the summary. The cell is decoded
 * if its times come from several clocks. If origins have clocks of their own, a span may be
 * longer than its messages need. Messages without a time get the latest transport time up
 * to them. In a trace without times, offsets serve as times.
 *
 * Cost: 32 bytes per cell, and some 100 ns for each once.
 *
 * Threads: one thread uses a track at a time. The owner has a lock.
 */
#ifndef TRAWL_QUERY_TRACK_H
#define TRAWL_QUERY_TRACK_H

#include "trace/reader.h"

/* Times of a cell (`order` of struct message_time). from > to: no times. */
struct span {
	int64_t from, to;
	int64_t latest; /* latest transport time up to this cell; INT64_MIN: none */
	bool loose;	/* the messages may not fill the span */
};

enum track_unit { TRACK_NANOSECONDS, TRACK_TICKS, TRACK_OFFSETS };

struct track {
	struct trace *trace;
	VEC(struct span) spans;
	int64_t first; /* earliest of all; INT64_MAX: none yet */
	int64_t last;  /* latest of all; INT64_MIN: none yet */
	int64_t start; /* time of messages before the first one with a time */
	enum track_unit unit;
	bool wall;	     /* nanoseconds count from 1970 */
	bool plain;	     /* times are from the trace's clock, at its own rate */
	size_t part;	     /* only tracks of one part can be compared */
	uint64_t generation; /* epochs of clocks and index when the track was made */
};

void track_open(struct track *, struct trace *);
void track_free(struct track *);

/* Clear the track if the clocks or the capture changed. Return true if so. */
bool track_renew(struct track *);

/* Add up to COUNT cells, by summary or decoded with READER (may be NULL). Return how many
 * were added. *STUCK: the next cell must be decoded. */
size_t track_extend(struct track *, size_t count, struct reader *, bool *stuck);

/* Decode a few cells with loose spans that set FIRST or LAST, to correct these. */
void track_settle_ends(struct track *, struct reader *);

/* Find the bounds of the times in a cell. Return false if the cell is not in the track. */
bool track_span(const struct track *, uint64_t cell, int64_t *from, int64_t *to);

/* Return the transport's latest time before a cell. Messages without a time in the cell use
 * it. */
int64_t track_before(const struct track *, uint64_t cell);

/* Call EACH with the messages of a cell and their times. BEFORE: result of track_before(). */
void track_walk(const struct track *, int64_t before, const struct decoded_cell *,
		void (*each)(void *, const struct message *, int64_t), void *context);

#endif
