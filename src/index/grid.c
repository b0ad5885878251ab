/*
 * Grid: cells and checkpoints in chunks of 1024; see grid.h.
 *
 * `known` is stored with release order after a cell and the checkpoint after it are
 * in place. A thread that reads a number thus sees those cells. The directory of
 * chunks has its full size from the start: 128 KiB, but only used parts take memory.
 */
#include "config.h"

#include "index/grid.h"
#include "base/vec.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNKS_MAX = 16384 }; /* times 64 MiB: at least 1 TiB */

struct chunk {
	struct index_cell cells[GRID_CHUNK];
	uint8_t checkpoints[];
};

struct grid {
	size_t record_size;
	_Atomic uint64_t known;
	_Atomic uint64_t begin;
	_Atomic uint64_t losses; /* of the known cells from `begin` on */
	uint64_t cleared;	 /* number of freed chunks */
	_Atomic(struct chunk *) chunks[CHUNKS_MAX];
};

static struct chunk *
chunk_of(const struct grid *grid, uint64_t cell)
{
	return cell / GRID_CHUNK < CHUNKS_MAX
		   ? atomic_load_explicit(&grid->chunks[cell / GRID_CHUNK], memory_order_acquire)
		   : NULL;
}

static size_t
chunk_size(const struct grid *grid)
{
	return sizeof(struct chunk) + GRID_CHUNK * grid->record_size;
}

/* Return the chunk of a cell, allocated if needed. Return NULL past the end of the directory. */
static struct chunk *
chunk_for(struct grid *grid, uint64_t cell)
{
	struct chunk *chunk = chunk_of(grid, cell);
	if (!chunk && cell / GRID_CHUNK < CHUNKS_MAX) {
		chunk = mem_new(chunk_size(grid));
		atomic_store_explicit(&grid->chunks[cell / GRID_CHUNK], chunk,
				      memory_order_release);
	}
	return chunk;
}

static struct index_cell *
cell_of(struct chunk *chunk, uint64_t cell)
{
	return &chunk->cells[cell % GRID_CHUNK];
}

static uint8_t *
checkpoint_of(const struct grid *grid, struct chunk *chunk, uint64_t cell)
{
	return chunk->checkpoints + cell % GRID_CHUNK * grid->record_size;
}

struct grid *
grid_new(size_t record_size, uint64_t begin, const uint8_t *start)
{
	struct grid *grid = mem_new(sizeof *grid);
	grid->record_size = record_size;
	grid->cleared = begin / GRID_CHUNK;
	atomic_store(&grid->begin, begin);
	atomic_store(&grid->known, begin);
	struct chunk *chunk = chunk_for(grid, begin);
	memcpy(checkpoint_of(grid, chunk, begin), start, record_size);
	cell_of(chunk, begin)->first = begin > 0;
	return grid;
}

void
grid_free(struct grid *grid)
{
	for (uint64_t i = grid ? grid->cleared : 0; grid && i < CHUNKS_MAX && grid->chunks[i]; i++)
		free(atomic_load(&grid->chunks[i]));
	free(grid);
}

uint64_t
grid_known(const struct grid *grid)
{
	return atomic_load_explicit(&grid->known, memory_order_acquire);
}

uint64_t
grid_messages(const struct grid *grid)
{
	uint64_t known = grid_known(grid);
	return cell_of(chunk_of(grid, known), known)->first;
}

uint64_t
grid_losses(const struct grid *grid)
{
	struct index_cell last;
	uint64_t begin = grid_begin(grid);
	bool dropped = begin && grid_cell(grid, begin - 1, &last) && last.losses;
	return atomic_load(&grid->losses) + dropped;
}

uint64_t
grid_begin(const struct grid *grid)
{
	return atomic_load_explicit(&grid->begin, memory_order_acquire);
}

void
grid_drop(struct grid *grid, uint64_t begin)
{
	for (uint64_t cell = grid_begin(grid); cell < begin; cell++)
		atomic_fetch_sub(&grid->losses, cell_of(chunk_of(grid, cell), cell)->losses);
	atomic_store(&grid->begin, begin);
}

void
grid_clear(struct grid *grid)
{
	for (; grid->cleared < grid_begin(grid) / GRID_CHUNK; grid->cleared++)
		free(atomic_exchange(&grid->chunks[grid->cleared], NULL));
}

/* Return the summary that stands for a dropped cell, before BEGIN. */
static struct index_cell
dropped_cell(const struct grid *grid, uint64_t cell, uint64_t begin)
{
	uint64_t lost = cell_of(chunk_of(grid, begin), begin)->first;
	struct index_cell dropped = {.first = lost - (lost > 0), .sender_min = UINT64_MAX};
	if (lost && cell == begin - 1) {
		dropped.count = dropped.severities[SEVERITY_ERROR] = 1;
		dropped.losses = 1;
		dropped.kinds = (uint64_t)1 << DECODE_KIND_LOSS;
		dropped.message_flags = MESSAGE_LOST;
	}
	return dropped;
}

bool
grid_cell(const struct grid *grid, uint64_t cell, struct index_cell *out)
{
	uint64_t begin = grid_begin(grid);
	if (cell >= grid_known(grid))
		return false;
	if (cell < begin)
		*out = dropped_cell(grid, cell, begin);
	else
		*out = *cell_of(chunk_of(grid, cell), cell);
	return true;
}

const uint8_t *
grid_checkpoint(const struct grid *grid, uint64_t cell, uint64_t *first)
{
	if (cell > grid_known(grid) || cell < grid_begin(grid))
		return NULL;
	struct chunk *chunk = chunk_of(grid, cell);
	*first = cell_of(chunk, cell)->first;
	return checkpoint_of(grid, chunk, cell);
}

bool
grid_find(const struct grid *grid, uint64_t number, uint64_t *cell)
{
	uint64_t begin = grid_begin(grid), low = begin, high = grid_known(grid);
	if (begin && number < cell_of(chunk_of(grid, begin), begin)->first)
		low = high = begin - 1;
	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;
		if (cell_of(chunk_of(grid, middle), middle)->first <= number)
			low = middle;
		else
			high = middle;
	}
	*cell = low;
	struct index_cell found;
	return grid_cell(grid, low, &found) && number - found.first < found.count;
}

bool
grid_has_room(const struct grid *grid)
{
	return (grid_known(grid) + 1) / GRID_CHUNK < CHUNKS_MAX;
}

void
grid_add(struct grid *grid, const struct index_cell *cell, const uint8_t *after)
{
	uint64_t number = grid_known(grid);
	struct chunk *chunk = chunk_of(grid, number), *next = chunk_for(grid, number + 1);
	/* All but `first`: that was set with the cell before, and readers of the next cell
	 * already use it. */
	struct index_cell *own = cell_of(chunk, number);
	const size_t rest = offsetof(struct index_cell, time_min);
	memcpy((char *)own + rest, (const char *)cell + rest, sizeof *cell - rest);
	cell_of(next, number + 1)->first = own->first + cell->count;
	memcpy(checkpoint_of(grid, next, number + 1), after, grid->record_size);
	atomic_fetch_add(&grid->losses, cell->losses);
	atomic_store_explicit(&grid->known, number + 1, memory_order_release);
}

/* Write a record for each cell: its summary and the checkpoint after it. */
void
grid_write(const struct grid *grid, struct text *out)
{
	uint64_t known = grid_known(grid), first;
	for (uint64_t cell = 0; cell < known; cell++) {
		text_add_bytes(out, cell_of(chunk_of(grid, cell), cell), sizeof(struct index_cell));
		text_add_bytes(out, grid_checkpoint(grid, cell + 1, &first), grid->record_size);
	}
}

static bool
is_possible(const struct index_cell *cell, uint64_t first)
{
	uint64_t count = 0;
	for (unsigned s = 0; s < SEVERITY_COUNT; s++)
		count += cell->severities[s];
	return cell->first == first && cell->count == count && cell->losses <= count &&
	       !(cell->flags & ~(CELL_TIME_BACK | CELL_TIMED | CELL_BY_SENDERS));
}

bool
grid_read(struct grid *grid, struct bytes_rest *rest, uint64_t cells)
{
	struct index_cell cell;
	const uint8_t *after;
	for (uint64_t i = 0; i < cells; i++) {
		if (!bytes_take(rest, &cell, sizeof cell) ||
		    !(after = bytes_pass(rest, grid->record_size)) ||
		    !is_possible(&cell, grid_messages(grid)) || !grid_has_room(grid))
			return false;
		grid_add(grid, &cell, after);
	}
	return true;
}

size_t
grid_memory(const struct grid *grid)
{
	uint64_t chunks = grid_known(grid) / GRID_CHUNK + 1 - grid->cleared;
	return sizeof *grid + (size_t)chunks * chunk_size(grid);
}
