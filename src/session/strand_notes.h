/*
 * Notes on the cells of a trace, for each of its strands. They order its messages
 * among other traces' messages. A strand has a note for each cell in which it occurs:
 * the number of its messages up to there, and the key of the last one. A key is the
 * latest time up to a message: in strand 0 the transport's times of all messages, in
 * other strands the messages' own times. So keys never fall along a strand.
 *
 * Cost: 8 bytes per cell, and 24 for each strand in it. With one strand, the summaries
 * of most cells suffice. With several, every cell is decoded once.
 *
 * Threads: one thread may add notes while others read them.
 */
#ifndef TRAWL_SESSION_STRAND_NOTES_H
#define TRAWL_SESSION_STRAND_NOTES_H

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

struct strand_notes {
	pthread_mutex_t lock;		 /* protects all up to `indexed` */
	VEC(int64_t) latest;		 /* the key of strand 0 at the end of each noted cell */
	VEC(struct noted_cell) *strands; /* for each strand */
	size_t strand_count;
	unsigned epoch;	  /* of the clocks at the last renewal */
	unsigned indexed; /* epoch of the index then */

	struct trace *trace;
	struct reader *reader; /* of the thread that adds notes; NULL at first */
};

void strand_notes_open(struct strand_notes *, struct trace *);
void strand_notes_close(struct strand_notes *);

/* Drop all notes if they are out of date: EPOCH is the current one of the clocks. Return true if
 * they were. */
bool strand_notes_renew(struct strand_notes *, unsigned epoch);
/* Note the next indexed cell. Return false if there is none. */
bool strand_notes_add(struct strand_notes *);

/* The functions below find nothing unless the notes are of the clocks' EPOCH. */

/* Return the number of noted cells. */
uint64_t strand_notes_count(struct strand_notes *, unsigned epoch);

/* Find the state before a cell: the key of each strand's last message, and the number of its
 * messages. Both arrays have STRANDS_MAX elements. Return false unless all cells up to there are
 * noted. */
bool strand_notes_before(struct strand_notes *, unsigned epoch, uint64_t cell, int64_t *keys,
			 uint64_t *counts);

/* Find the first noted cell of a strand with a last key not before KEY. Return false if there is
 * none. *BEFORE, unless NULL: the messages of the strand up to the previous cell. */
bool strand_notes_find_key(struct strand_notes *, unsigned epoch, size_t strand, int64_t key,
			   struct noted_cell *found, uint64_t *before);

/* Find the first cell with more than NUMBER messages of a strand up to its end. */
bool strand_notes_find_number(struct strand_notes *, unsigned epoch, size_t strand, uint64_t number,
			      struct noted_cell *found);

/* Find the first cell with messages of a strand from CELL on, or the last before it (DIRECTION
 * -1). */
bool strand_notes_find_cell(struct strand_notes *, unsigned epoch, size_t strand, uint64_t cell,
			    int direction, struct noted_cell *found);

/* Make the keys of consecutive messages, and find the strand of each. LAST has the keys before
 * the first message, by strand; on return, those at the last. */
void strand_keys_make(struct trace *, size_t strand_count, const struct message *, size_t count,
		      int64_t *last, int64_t *keys, uint8_t *strands);

#endif
