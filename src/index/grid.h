/*
 * The grid: a summary and a checkpoint for each cell.
 *
 * One thread at a time adds cells, in order. Added cells never change, and any
 * thread may read them without a lock. They are stored in chunks that never move.
 * Only the first cells can be dropped. One message then stands for the loss, in the
 * last dropped cell. One extra checkpoint follows the last known cell: decoding
 * continues there.
 */
#ifndef TRAWL_INDEX_GRID_H
#define TRAWL_INDEX_GRID_H

#include "base/bytes.h"
#include "index/index.h"

enum { GRID_CHUNK = 1024 }; /* cells */

struct grid;

/* START is the checkpoint of the first cell, RECORD_SIZE bytes. Cells before BEGIN count as
 * dropped, and one message as lost with them. */
struct grid *grid_new(size_t record_size, uint64_t begin, const uint8_t *start);
void grid_free(struct grid *); /* NULL is fine */

/* Return the number of known cells, and the number of their messages. */
uint64_t grid_known(const struct grid *);
uint64_t grid_messages(const struct grid *);
/* Return the number of messages with a flag of MESSAGE_LOSS: in the remaining cells, and the
 * one that stands for dropped cells. */
uint64_t grid_losses(const struct grid *);

/* Return the first cell that was not dropped. */
uint64_t grid_begin(const struct grid *);
/* Drop the cells before BEGIN, which is known. grid_clear frees their memory; call it once no
 * thread can still read them. */
void grid_drop(struct grid *, uint64_t begin);
void grid_clear(struct grid *);

/* Copy the summary of a cell; false if the cell is not known. */
bool grid_cell(const struct grid *, uint64_t cell, struct index_cell *);

/* Return the checkpoint at the beginning of a cell, and the number of messages before it.
 * Return NULL unless the cell is known or the next to be. Valid until grid_free or
 * grid_clear. */
const uint8_t *grid_checkpoint(const struct grid *, uint64_t cell, uint64_t *first);

/* Find the known cell that contains message NUMBER; false if none does. */
bool grid_find(const struct grid *, uint64_t number, uint64_t *cell);

/* Add the next cell (sets its `first`) and the checkpoint after it. The grid must have room. */
void grid_add(struct grid *, const struct index_cell *, const uint8_t *after);
/* Return false if the grid is full. */
bool grid_has_room(const struct grid *);

/* Append the grid as bytes; nothing may have been dropped. grid_read adds the first CELLS
 * cells to a new grid, from untrusted bytes. It returns false, with some cells perhaps added,
 * if grid_write cannot have written them. */
void grid_write(const struct grid *, struct text *);
bool grid_read(struct grid *, struct bytes_rest *, uint64_t cells);

/* Return the size in bytes. */
size_t grid_memory(const struct grid *);

#endif
