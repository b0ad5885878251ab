/*
 * The grid: what is known of each cell, and a checkpoint for each.
 *
 * Cells are added in order, by one thread at a time; what was added never
 * changes and may be read by any thread without a lock.  They lie in chunks
 * that never move.  Only the first ones go, when they are dropped: what stands for them
 * then is one message of what is lost, in the last of them.  Behind the last known cell
 * there is always one more checkpoint: where decoding goes on.
 */
#ifndef TRAWL_INDEX_GRID_H
#define TRAWL_INDEX_GRID_H

#include "base/bytes.h"
#include "index/index.h"

enum { GRID_CHUNK = 1024 }; /* cells */

struct grid;

/* START is the checkpoint of the first cell, RECORD_SIZE bytes; cells before BEGIN are
 * dropped from the beginning, and as one message was lost with them. */
struct grid *grid_new(size_t record_size, uint64_t begin, const uint8_t *start);
void grid_free(struct grid *); /* NULL is fine */

/* How many cells are known, and the messages in them. */
uint64_t grid_known(const struct grid *);
uint64_t grid_messages(const struct grid *);
/* The messages with a flag of MESSAGE_LOSS, of those that are not dropped, and the one that
 * stands for the others. */
uint64_t grid_losses(const struct grid *);

/* The first cell that is not dropped. */
uint64_t grid_begin(const struct grid *);
/* Drops the cells before BEGIN, which is known.  Their memory is given back by grid_clear,
 * once no thread looks at it that came before. */
void grid_drop(struct grid *, uint64_t begin);
void grid_clear(struct grid *);

/* The summary of a known cell; false if it is not known. */
bool grid_cell(const struct grid *, uint64_t cell, struct index_cell *);

/* The checkpoint at the beginning of a cell that is known or the next to be,
 * and the number of messages before it; NULL for any other.  It is there
 * until grid_free, or grid_clear. */
const uint8_t *grid_checkpoint(const struct grid *, uint64_t cell, uint64_t *first);

/* The known cell that holds message NUMBER; false if none does. */
bool grid_find(const struct grid *, uint64_t number, uint64_t *cell);

/* Adds the next cell (its `first` is set here) and the checkpoint behind it.
 * False if the grid can hold no more. */
bool grid_add(struct grid *, const struct index_cell *, const uint8_t *after);

/* Appends the grid, of which nothing was dropped, as bytes.  grid_read adds the
 * first CELLS of its cells to a new grid, which may come from anywhere: false, and
 * some may have been added, if it is not what grid_write writes, or no cells can be
 * like that. */
void grid_write(const struct grid *, struct text *);
bool grid_read(struct grid *, struct bytes_rest *, uint64_t cells);

/* Bytes of memory. */
size_t grid_memory(const struct grid *);

#endif
