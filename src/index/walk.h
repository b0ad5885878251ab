/*
 * Walker: computes the sums of a cell and the state after it.
 *
 * A walker decodes one cell at a time, through its own buffer. The result depends
 * only on the cell and the state at its beginning. So cells may be walked in any
 * order and put together later.
 *
 * Threads: a walker belongs to one.
 */
#ifndef TRAWL_INDEX_WALK_H
#define TRAWL_INDEX_WALK_H

#include "index/origin_totals.h"

#define NO_END UINT64_MAX

/* Size of a record after a cell: the checkpoint of the state, then the bits of the cell in no
 * message, a uint64_t for each row of the decoder's table. */
enum { RECORD_MAX = CHECKPOINT_MAX + DECODE_SILENT_MAX * sizeof(uint64_t) };

static inline size_t
record_size(const struct decoder_ops *ops)
{
	return ops->checkpoint_size + ops->silent_count * sizeof(uint64_t);
}

typedef VEC(struct index_reading) index_readings;

/* Result of walking a cell. */
struct cell_result {
	struct index_cell cell; /* without `first` */
	uint64_t ticks_first;	/* of its timed messages, if CELL_TIMED */
	uint64_t ticks_last;
	uint64_t end; /* size of the capture, if it seemed to end here, or NO_END */
	uint64_t flagged[MESSAGE_FLAGS_DOUBT]; /* see index_get_flags */
	bool unnamed;
	tally_rows rows;	   /* one per origin */
	index_readings readings;   /* empty unless walker_read_clocks is on */
	uint8_t after[RECORD_MAX]; /* record after the cell */
};

void cell_result_free(struct cell_result *);

struct walker;

/* CAPTURE and DECODER are borrowed until walker_free. CHECKED as in struct index_options. */
struct walker *walker_new(struct capture *, const struct decoder *, unsigned cell_shift,
			  uint16_t checked);
void walker_free(struct walker *);

/* Collect clock readings from the next cell on, or stop. For a format with a plain clock
 * source, and not together with CHECKED. */
void walker_read_clocks(struct walker *, bool on);

/* Drop bytes that were read before the capture changed. */
void walker_forget(struct walker *);

/* Position the walker at the beginning of a cell, with its CHECKPOINT. */
void walker_place(struct walker *, uint64_t cell, const uint8_t *checkpoint);

/* Position the walker at the beginning of a cell, by resync from bytes before it. Store the
 * checkpoint of the assumed state in ENTRY. Return false if there is no resync point. */
bool walker_start_before(struct walker *, uint64_t cell, uint8_t *entry);

/* Walk the cell at the walker's position. If the capture may grow, the whole cell and the
 * decoder's reach after it must be present. */
void walker_cell(struct walker *, uint64_t cell, struct cell_result *);

/* True if the record after W differs from BEFORE, that of the cell's beginning, only by the
 * distance. decode_checkpoint_shift() then moves a record over another cell. */
bool walker_steady(struct walker *, const uint8_t *before, const struct cell_result *w);

size_t walker_memory(const struct walker *);

#endif
