/*
 * Gaps: a long time without a message, looked for from one cell to the
 * next.  A part of next_match.c.
 */
#ifndef TRAWL_QUERY_GAP_H
#define TRAWL_QUERY_GAP_H

#include "query/filter/filter.h"

struct gap_search {
	uint64_t least; /* ticks; 0: no gap is looked for */
	int direction;
	bool timed;	    /* a message with a time was passed: */
	uint64_t ticks;	    /* its time */
	struct position at; /* and where it is; at.at SIZE_MAX: the first of its cell */
	bool start;	    /* it is where the search began, which is no match */
};

/* Begins at the message at FROM, if there is one. */
struct gap_search gap_begin(uint64_t least, int direction, struct reader *, struct position from);

/* Whether a cell can be passed by its summary; it counts as passed then.  SHOWN
 * is the filter of the messages that count, or NULL. */
bool gap_passes(struct gap_search *, struct trace *, const struct filter *shown, uint64_t cell);

/* Takes the next message that counts; true if it tells where a gap ends. */
bool gap_ends(struct gap_search *, struct reader *, const struct message *, struct position at,
	      struct position *end);

/* The usual time between messages at these TICKS, which are in their order:
 * the mean of gaps without the longest tenth; 0 if there are too few. */
uint64_t gap_usual(const uint64_t *ticks, size_t count);

#endif
