/*
 * Notes on the cells of a trace. They order its messages among other traces'
 * messages. Each cell has the key of its last message. A trace of several strands
 * (clocks.h) also has a count and last key per strand, in cells where the strand
 * occurs. A key is the latest time up to a message: in strand 0 the transport's
 * times of all messages, in other strands the messages' own times. So keys never
 * fall along a strand.
 *
 * Cost: 8 bytes per cell, taken from the summaries where possible. Several strands
 * take 24 bytes more for each strand in a cell, and every cell is decoded once.
 *
 * Threads: one thread may add notes while others read them.
 */
#ifndef TRAWL_SESSION_LANE_NOTES_H
#define TRAWL_SESSION_LANE_NOTES_H

#include "base/vec.h"
#include "session/clock/clocks.h"
#include "trace/reader.h"

#include <pthread.h>

#define KEY_FIRST INT64_MIN /* key before any time */

enum { STRANDS_MAX = CLOCKS_STRANDS_MAX + 1 };

/* A cell that contains messages of a strand. */
struct noted_cell {
	uint64_t cell;
	uint64_t count; /* messages of the strand up to the cell's end */
	int64_t key;	/* key of the last one */
};

struct lane_notes {
	pthread_mutex_t lock;		 /* protects all up to `indexed` */
	VEC(int64_t) latest;		 /* for each noted cell, the key of strand 0 at
					    its end */
	VEC(struct noted_cell) *strands; /* only with several strands */
	size_t strand_count;
	unsigned generation; /* epoch of the clocks at the last renewal */
	unsigned indexed;    /* epoch of the index then */

	struct trace *trace;
	struct reader *reader; /* of the thread that adds notes; NULL at first */
};

void lane_notes_open(struct lane_notes *, struct trace *);
void lane_notes_close(struct lane_notes *);

/* Drop all notes if they are out of date: GENERATION is the current epoch of the clocks. Return
 * true if they were. */
bool lane_notes_renew(struct lane_notes *, unsigned generation);
/* Note some of the indexed cells. Return false if there are no more. */
bool lane_notes_add(struct lane_notes *);

/* The functions below find nothing unless the notes are of epoch GENERATION. */

/* Return the number of noted cells. */
uint64_t lane_notes_count(struct lane_notes *, unsigned generation);

/* Find the state before a cell: the key of each strand's last message, and with several strands
 * their number of messages. Both arrays have STRANDS_MAX elements. Return false unless all cells
 * up to there are noted. */
bool lane_notes_before(struct lane_notes *, unsigned generation, uint64_t cell, int64_t *keys,
		       uint64_t *counts);

/* Find the first noted cell of a strand with a last key not before KEY. Return false if there is
 * none. Set *BEFORE, unless NULL, to the previous cell; before the first, to KEY_FIRST. Their
 * COUNT is unset if the strand is the only one. */
bool lane_notes_find_key(struct lane_notes *, unsigned generation, size_t strand, int64_t key,
			 struct noted_cell *found, struct noted_cell *before);

/* For several strands: find the first cell with more than NUMBER messages of the strand up to
 * its end. lane_notes_find_cell(): find the first cell with messages from CELL on, or the last
 * before it (DIRECTION -1). */
bool lane_notes_find_number(struct lane_notes *, unsigned generation, size_t strand,
			    uint64_t number, struct noted_cell *found);
bool lane_notes_find_cell(struct lane_notes *, unsigned generation, size_t strand, uint64_t cell,
			  int direction, struct noted_cell *found);

/* With several strands, return the number of noted messages of a strand. */
uint64_t lane_notes_total(struct lane_notes *, unsigned generation, size_t strand);

/* Make the keys of consecutive messages, and with several strands the strand of each (else
 * STRANDS may be NULL). LAST holds the keys before the first message, by strand; on return,
 * those at the last. */
void lane_keys_make(struct trace *, size_t strand_count, const struct message *, size_t count,
		    int64_t *last, int64_t *keys, uint8_t *strands);

#endif
