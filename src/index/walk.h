/*
 * Walking one cell: from bytes to its sums and the state behind it.
 *
 * A walker decodes a cell at a time, through a buffer of its own.  What it
 * finds does not depend on what lies before the cell but for the state it
 * starts with: so cells may be walked in any order, and put together later.
 *
 * Threads: a walker belongs to one.
 */
#ifndef TRAWL_INDEX_WALK_H
#define TRAWL_INDEX_WALK_H

#include "index/origin_totals.h"

#define NO_END UINT64_MAX

/* What is kept behind a cell: the checkpoint of the state, then the bits of the cell that
 * are in no message, a uint64_t for each row of the decoder's table. */
enum { RECORD_MAX = CHECKPOINT_MAX + DECODE_SILENT_MAX * sizeof(uint64_t) };

static inline size_t
record_size(const struct decoder_ops *ops)
{
	return ops->checkpoint_size + ops->silent_count * sizeof(uint64_t);
}

typedef VEC(struct index_reading) index_readings;

/* A cell that was walked. */
struct cell_result {
	struct index_cell cell; /* `first` is not known here */
	uint64_t ticks_first;	/* of its timed messages, if it is CELL_TIMED */
	uint64_t ticks_last;
	uint64_t end; /* size of the capture, if it seemed to end here; else NO_END */
	uint64_t flagged[MESSAGE_FLAGS_DOUBT]; /* see index_get_flags */
	bool unnamed;
	tally_rows rows;	   /* its origins */
	index_readings readings;   /* if walker_read_clocks asks for them */
	uint8_t after[RECORD_MAX]; /* the state behind it, and what it passed over */
};

void cell_result_free(struct cell_result *);

/* What a summary says, as a cell whose `first` is not known. */
struct index_cell index_cell_of(const struct summary *);

struct walker;

/* Both are borrowed until walker_free.  CHECKED as in struct index_options. */
struct walker *walker_new(struct capture *, const struct decoder *, unsigned cell_shift,
			  uint8_t checked);
void walker_free(struct walker *);

/* Whether cells are walked with what their messages tell of clocks, from the next cell
 * on: of a format whose clock source is plain, and not together with CHECKED. */
void walker_read_clocks(struct walker *, bool on);

/* Drops bytes that were read before the capture changed. */
void walker_forget(struct walker *);

/* Puts the walker where CHECKPOINT is, that of a cell's beginning. */
void walker_place(struct walker *, uint64_t cell, const uint8_t *checkpoint);

/* Puts it at the beginning of a cell, as well as that can be told from bytes
 * some way before it; false if it cannot.  The checkpoint of the state it
 * assumes there goes to ENTRY. */
bool walker_start_before(struct walker *, uint64_t cell, uint8_t *entry);

/* Walks the cell at whose beginning the walker stands.  All of it, and the
 * decoder's reach behind it, must be there if more bytes may come. */
void walker_cell(struct walker *, uint64_t cell, struct cell_result *);

/* Whether the record that walker_cell left behind in W differs from BEFORE,
 * that of the cell's beginning, by the distance alone.  If so, moves it on over
 * another cell. */
bool walker_steady(struct walker *, const uint8_t *before, const struct cell_result *w);
void walker_shift(struct walker *, uint8_t *checkpoint, uint64_t bytes);

size_t walker_memory(const struct walker *);

#endif
