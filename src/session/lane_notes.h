/*
 * What is noted of the messages of a trace, so that their order with those of others
 * is known: for each cell the key of its last message, and of a trace of several strands
 * (clocks.h) for each strand its messages and keys, of the cells that have any.  A key is
 * the latest time up to a message: of the transport's times of all messages in strand 0,
 * of the messages' own times in another strand.  So keys never fall along a strand.
 *
 * Cost: 8 bytes per cell, made of the summaries where they suffice.  Of several strands 24
 * more for each strand that a cell has, and every cell is decoded for it, once.
 *
 * Threads: one may note while others ask.
 */
#ifndef TRAWL_SESSION_LANE_NOTES_H
#define TRAWL_SESSION_LANE_NOTES_H

#include "base/vec.h"
#include "session/clock/clocks.h"
#include "trace/reader.h"

#include <pthread.h>

#define KEY_FIRST INT64_MIN /* the key of what comes before any time */

enum { STRANDS_MAX = CLOCKS_STRANDS_MAX + 1 };

/* A cell that has messages of a strand. */
struct noted_cell {
	uint64_t cell;
	uint64_t count; /* of the strand's messages up to its end */
	int64_t key;	/* of the last of them */
};

struct lane_notes {
	pthread_mutex_t lock;		 /* for what follows; only one thread changes it */
	VEC(int64_t) latest;		 /* of each noted cell: the key of strand 0 up to its end */
	VEC(struct noted_cell) *strands; /* if there are several */
	size_t strand_count;
	unsigned generation; /* of the clocks, */
	unsigned indexed;    /* and of the index, then */

	struct trace *trace;
	struct reader *reader; /* of the thread that notes; NULL: none so far */
};

void lane_notes_open(struct lane_notes *, struct trace *);
void lane_notes_close(struct lane_notes *);

/* Drops what does not hold any more, if it is not of GENERATION of the clocks; true if
 * there was something. */
bool lane_notes_renew(struct lane_notes *, unsigned generation);
/* Notes some of the cells that are indexed; false: there are no more. */
bool lane_notes_add(struct lane_notes *);

/* All that follows is of GENERATION: of another nothing is noted. */

/* How many cells are noted. */
uint64_t lane_notes_count(struct lane_notes *, unsigned generation);

/* What is noted before a cell: the key of each strand's last message (of STRANDS_MAX), and
 * how many there are; false if not all is noted. */
bool lane_notes_before(struct lane_notes *, unsigned generation, uint64_t cell, int64_t *keys,
		       uint64_t *counts);

/* The first noted cell of a strand whose last key is not before KEY; false: there is none.
 * *BEFORE, if it is not NULL: the one before it, all before the first being KEY_FIRST.
 * They have no COUNT if the strand is the only one. */
bool lane_notes_find_key(struct lane_notes *, unsigned generation, size_t strand, int64_t key,
			 struct noted_cell *found, struct noted_cell *before);

/* Of several strands: the first cell up to whose end there are more than NUMBER messages;
 * and the first one that is not before CELL and has messages, or the last one before it. */
bool lane_notes_find_number(struct lane_notes *, unsigned generation, size_t strand,
			    uint64_t number, struct noted_cell *found);
bool lane_notes_find_cell(struct lane_notes *, unsigned generation, size_t strand, uint64_t cell,
			  int direction, struct noted_cell *found);

/* How many messages of one of several strands are noted. */
uint64_t lane_notes_total(struct lane_notes *, unsigned generation, size_t strand);

/* Makes the keys of messages that follow each other, and STRANDS of each (NULL: one alone);
 * LAST: the keys before the first, by strand, and then those of the last. */
void lane_keys_make(struct trace *, size_t strand_count, const struct message *, size_t count,
		    int64_t *last, int64_t *keys, uint8_t *strands);

#endif
