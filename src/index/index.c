/*
 * Index: builds the grid of cells; see index.h.
 *
 * One worker at a time is the in-order worker: it walks on from the first unknown
 * cell and makes each cell known at once. The others are speculative. Each takes a
 * segment of cells ahead, starts at a resync point before it, and keeps its results
 * apart. When the known cells reach a segment, its cells are adopted from the first
 * correct one on. A cell is correct if its checkpoint equals the true one byte for
 * byte. The cells before that are walked again. So the index equals that of a single
 * walk from the start. If speculation keeps failing (in formats with a state that
 * depends on all earlier bytes), the in-order worker walks everything.
 *
 * Holes of a sparse file are not read. Suppose two cells in a row are in the same
 * hole and have equal sums. If their decoder states differ only by the distance, the
 * same holds for all other cells in that hole: they are copied.
 *
 * When the capture changes, new contents replace the old ones, which are freed once
 * no reader uses them. A stored index is shown at once; building continues from it.
 */
#include "config.h"

#include "index/index.h"
#include "base/file.h"
#include "base/generation.h"
#include "base/option.h"
#include "base/thread.h"
#include "base/vec.h"
#include "base/job.h"
#include "index/saved.h"
#include "index/step.h"
#include "index/walk.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	SEGMENT = 256, /* cells, unless set by an option; each segment costs the decoder's run-up */
	WORKERS_MAX = 16,
	SEGMENTS_EACH = 2, /* per worker */
	/* limit for all segments; if there are more, cells are walked in order */
	READINGS_MAX = 1 << 17,
	/* give up speculation after this many segments in a row that were less than half right */
	MISSES_MAX = 4,
	NOTIFY_MS = 500,
	PATIENCE_MS = 250, /* delay for a large capture, until the first screen is done */
	LARGE = 4 << 20,
	KEEP_CELLS = 64,       /* store an index of more cells than this */
	CACHE_BYTES = 1 << 30, /* limit for all files together */
	DROP_BEHIND = 2	       /* cells to leave: a walk reads the last ones again */
};

enum segment_state { SEGMENT_FREE, SEGMENT_WALKING, SEGMENT_WALKED };

/* Cells for a speculative worker. */
struct segment {
	enum segment_state state;
	uint64_t start;
	unsigned count;		       /* cells walked */
	unsigned adopted;	       /* cells adopted */
	uint8_t entry[CHECKPOINT_MAX]; /* the assumed state before them */
	struct cell_result *cells;
};

struct index_worker {
	struct index *index;
	struct walker *walker;
	struct cell_result result;
	struct job thread;
};

/* The known cells. */
struct contents {
	struct grid *grid;
	struct origin_totals *totals;
};

struct index {
	struct capture *capture;
	const struct decoder *decoder;
	struct index_options options;
	unsigned cell_shift;
	_Atomic(struct contents *) shown;
	atomic_uint readers; /* threads that may be using `shown` */
	struct generation generation;
	atomic_bool complete; /* `shown` is complete */
	bool looked;	      /* the stored index was looked for */
	_Atomic uint64_t end; /* size of the capture, if built to its end, or NO_END */
	uint64_t kept;	      /* cells in the stored file */

	struct job builder; /* walks in the background; starts more workers */
	bool begun;	    /* begin_build was called */
	bool stopping, paused, restart;
	double rate;

	/* for all workers, under the builder's lock */
	bool in_order_busy; /* a worker walks in order */
	bool speculative;   /* speculation is worth it */
	uint64_t claimed;   /* cells before this one are taken, or not to be speculated on */
	struct segment *segments;
	size_t segment_count;
	unsigned segment_cells;

	unsigned misses;

	/* for the in-order worker */
	uint64_t flagged[MESSAGE_FLAGS_DOUBT]; /* in cells walked here, with options.checked */
	bool unnamed;
	bool placed; /* `timed` and `last_ticks` are valid */
	bool timed;  /* an earlier message had a timestamp: */
	uint64_t last_ticks;
	void (*take)(void *context, const struct index_news *); /* or NULL */
	void *take_context;
	struct timespec notified;
	uint64_t bytes_at_notice;

	struct index_worker *workers;
	size_t worker_count;
};

/* --- the grid ---------------------------------------------------------- */

/* Return the shift of the cell size. The first screen decodes one cell, so cells stay small:
 * 64 KiB up to 64 GiB, then they double. */
static unsigned
shift_for(uint64_t size)
{
	unsigned shift = 16;
	while (size >> shift > (uint64_t)1 << 20)
		shift++;
	return shift;
}

uint64_t
index_cell_size(const struct index *index)
{
	return (uint64_t)1 << index->cell_shift;
}

uint64_t
index_cell_count(const struct index *index)
{
	uint64_t size = capture_size(index->capture);
	return size ? ((size - 1) >> index->cell_shift) + 1 : 1;
}

/* Return the known cells, valid until leave_contents(). */
static const struct contents *
enter_contents(const struct index *index)
{
	struct index *self = (struct index *)index; /* only to change the counter */
	atomic_fetch_add(&self->readers, 1);
	return atomic_load(&self->shown);
}

/* Return the known cells to the builder; only the builder replaces them. */
static struct contents *
contents_of(const struct index *index)
{
	return atomic_load(&index->shown);
}

static void
leave_contents(const struct index *index)
{
	struct index *self = (struct index *)index;
	atomic_fetch_sub(&self->readers, 1);
}

uint64_t
index_known(const struct index *index)
{
	uint64_t known = grid_known(enter_contents(index)->grid);
	leave_contents(index);
	return known;
}

uint64_t
index_begin(const struct index *index)
{
	uint64_t begin = grid_begin(enter_contents(index)->grid);
	leave_contents(index);
	return begin;
}

bool
index_dropped(const struct index *index, struct message *m)
{
	struct index_cell last;
	const struct grid *grid = enter_contents(index)->grid;
	uint64_t begin = grid_begin(grid);
	bool any = begin && grid_cell(grid, begin - 1, &last) && last.count;
	leave_contents(index);
	if (any)
		step_fill_dropped(index->decoder, begin << index->cell_shift, m);
	return any;
}

unsigned
index_generation(const struct index *index)
{
	return generation_now(&index->generation);
}

bool
index_cell(const struct index *index, uint64_t cell, struct index_cell *out)
{
	bool known = grid_cell(enter_contents(index)->grid, cell, out);
	leave_contents(index);
	return known;
}

bool
index_restore(const struct index *index, uint64_t cell, struct decode_state *state, uint64_t *first)
{
	const uint8_t *checkpoint = grid_checkpoint(enter_contents(index)->grid, cell, first);
	if (checkpoint) {
		index->decoder->ops->restore(index->decoder, state, checkpoint);
		step_restored(state, cell << index->cell_shift);
	}
	leave_contents(index);
	return checkpoint && state->offset <= capture_size(index->capture);
}

bool
index_offset(const struct index *index, uint64_t cell, uint64_t *offset)
{
	uint64_t first;
	const uint8_t *checkpoint = grid_checkpoint(enter_contents(index)->grid, cell, &first);
	if (checkpoint)
		memcpy(offset, checkpoint, sizeof *offset); /* as decoder_ops.save writes it */
	leave_contents(index);
	return checkpoint;
}

bool
index_find(const struct index *index, uint64_t number, uint64_t *cell)
{
	bool found = grid_find(enter_contents(index)->grid, number, cell);
	leave_contents(index);
	return found;
}

void
index_get_flags(const struct index *index, uint64_t counts[static MESSAGE_FLAGS_DOUBT],
		bool *unnamed)
{
	memcpy(counts, index->flagged, sizeof index->flagged);
	*unnamed = index->unnamed;
}

bool
index_silent(const struct index *index, uint64_t bits[static DECODE_SILENT_MAX])
{
	const struct decoder_ops *ops = index->decoder->ops;
	uint64_t first, cell[DECODE_SILENT_MAX];
	memset(bits, 0, DECODE_SILENT_MAX * sizeof *bits);
	if (ops->silent_repeats)
		return false;
	const struct grid *grid = enter_contents(index)->grid;
	for (uint64_t i = ops->silent_count ? grid_known(grid) : 0; i > grid_begin(grid); i--) {
		memcpy(cell, grid_checkpoint(grid, i, &first) + ops->checkpoint_size,
		       ops->silent_count * sizeof *cell);
		for (size_t row = 0; row < ops->silent_count; row++)
			bits[row] += cell[row];
	}
	leave_contents(index);
	return true;
}

void
index_get_origins(struct index *index, index_origins *out)
{
	origin_totals_get(enter_contents(index)->totals, out);
	leave_contents(index);
}

bool
index_group_origin(const struct index *index, uint64_t group, uint64_t key,
		   uint64_t severities[SEVERITY_COUNT])
{
	bool known = origin_totals_group(enter_contents(index)->totals, group, key, severities);
	leave_contents(index);
	return known;
}

bool
index_each_origin(struct index *index, uint64_t cell, bool (*each)(void *, uint64_t), void *context)
{
	VEC(uint64_t) keys = {0};
	size_t count = 0;
	vec_reserve(&keys, ORIGIN_TOTALS_KEYS);
	bool known =
	    origin_totals_keys(enter_contents(index)->totals, cell / INDEX_GROUP, keys.at, &count);
	leave_contents(index);
	for (size_t i = 0; known && i < count && each(context, keys.at[i]); i++)
		continue;
	vec_free(&keys);
	return known;
}

struct sought_origin {
	uint64_t key;
	bool found;
};

static bool
is_not_sought(void *context, uint64_t key)
{
	struct sought_origin *sought = context;
	sought->found = key == sought->key;
	return !sought->found;
}

bool
index_may_have_origin(struct index *index, uint64_t cell, uint64_t key)
{
	struct sought_origin sought = {.key = key};
	return !index_each_origin(index, cell, is_not_sought, &sought) || sought.found;
}

/* --- contents ---------------------------------------------------------- */

static uint64_t
group_size(const struct index *index)
{
	return (uint64_t)INDEX_GROUP << index->cell_shift;
}

/* Count the message that stands for all dropped ones, if any were dropped. */
static void
count_dropped(const struct index *index, const struct contents *contents)
{
	uint64_t begin = grid_begin(contents->grid), offset = begin << index->cell_shift;
	struct index_cell last;
	if (begin && grid_cell(contents->grid, begin - 1, &last) && last.count)
		origin_totals_lose(contents->totals, index->decoder->ops->origin_none, offset - 1);
}

/* Make contents without cells: only the state at the first kept byte. */
static struct contents *
contents_new(const struct index *index)
{
	const struct decoder_ops *ops = index->decoder->ops;
	uint8_t start[RECORD_MAX] = {0};
	struct contents *contents = mem_new(sizeof *contents);
	struct decode_state *state = decode_state_new(index->decoder);
	uint64_t dropped = capture_begin(index->capture);
	uint64_t groups = (dropped + group_size(index) - 1) / group_size(index);
	if (groups)
		step_start(index->capture, index->decoder, state, groups * group_size(index));
	ops->save(index->decoder, state, start);
	decode_state_free(index->decoder, state);
	contents->grid = grid_new(record_size(ops), groups * INDEX_GROUP, start);
	contents->totals = origin_totals_new(groups, capture_limit(index->capture) > 0);
	count_dropped(index, contents);
	return contents;
}

static void
contents_free(struct contents *contents)
{
	if (!contents)
		return;
	grid_free(contents->grid);
	origin_totals_free(contents->totals);
	free(contents);
}

/* Wait until no reader uses the previous contents. */
static void
await_readers(const struct index *index)
{
	while (atomic_load(&index->readers)) /* readers only copy */
		sched_yield();
}

/* Replace the shown contents. Return the old ones, which no reader uses any more. Call with
 * the lock held, to change related members at the same time. */
static struct contents *
show_contents(struct index *index, struct contents *contents)
{
	struct contents *old = atomic_exchange(&index->shown, contents);
	generation_bump(&index->generation);
	await_readers(index);
	return old;
}

/* Return the first byte needed to decode cell BEGIN and later ones. */
static uint64_t
needed_from(const struct index *index, uint64_t begin)
{
	struct decode_state *state = decode_state_new(index->decoder);
	uint64_t first, offset = begin << index->cell_shift;
	if (index_restore(index, begin, state, &first) && state->offset < offset)
		offset = state->offset;
	decode_state_free(index->decoder, state);
	return offset;
}

uint64_t
index_drop(struct index *index, uint64_t offset)
{
	uint64_t known = index_known(index), last = known > DROP_BEHIND ? known - DROP_BEHIND : 0;
	uint64_t groups = offset / group_size(index);
	if (groups > last / INDEX_GROUP)
		groups = last / INDEX_GROUP;
	uint64_t begin = groups * INDEX_GROUP;
	if (begin <= index_begin(index))
		return 0;
	job_lock(&index->builder);
	struct contents *contents = atomic_load(&index->shown);
	grid_drop(contents->grid, begin);
	origin_totals_drop(contents->totals, groups, group_size(index));
	count_dropped(index, contents);
	generation_bump(&index->generation);
	await_readers(index);
	grid_clear(contents->grid);
	job_unlock(&index->builder);
	return needed_from(index, begin);
}

/* Show CONTENTS, which reach to END as in index->end, and continue building from them. No
 * worker may run. */
static void
build_on(struct index *index, struct contents *contents, uint64_t end)
{
	job_lock(&index->builder);
	atomic_store(&index->complete, false);
	index->end = end;
	struct contents *old = show_contents(index, contents);
	job_unlock(&index->builder);
	contents_free(old);
	for (size_t i = 0; i < index->segment_count; i++)
		index->segments[i].state = SEGMENT_FREE;
	for (size_t i = 0; i < index->worker_count; i++)
		walker_forget(index->workers[i].walker);
	index->claimed = 0;
	index->speculative = true;
	index->misses = 0;
	index->bytes_at_notice = 0;
	index->placed = false;
	memset(index->flagged, 0, sizeof index->flagged);
	index->unnamed = false;
}

static void
start_anew(struct index *index)
{
	build_on(index, contents_new(index), NO_END);
}

/* Copy the first CELLS built cells; NULL if that is impossible. */
static struct contents *
contents_prefix(const struct index *index, uint64_t cells)
{
	if (grid_begin(contents_of(index)->grid))
		return NULL;
	struct contents *prefix = contents_new(index);
	struct text grid = {0}, totals = {0};
	grid_write(contents_of(index)->grid, &grid);
	origin_totals_write(contents_of(index)->totals, &totals);
	struct bytes_rest rest[] = {{(const uint8_t *)text_get(&grid), grid.length},
				    {(const uint8_t *)text_get(&totals), totals.length}};
	if (!grid_read(prefix->grid, &rest[0], cells) ||
	    !origin_totals_read(prefix->totals, &rest[1], cells)) {
		contents_free(prefix);
		prefix = NULL;
	}
	text_free(&grid);
	text_free(&totals);
	return prefix;
}

static uint64_t
cells_built(const struct index *index)
{
	return grid_known(contents_of(index)->grid);
}

/* --- files ------------------------------------------------------------- */

/* Describe the capture and the kind of results in a file: WHAT, or NULL for an index. */
static void
describe_capture(const struct index *index, uint64_t size, const char *what,
		 struct saved_about *about)
{
	uint64_t settings = index->options.settings;
	if (what)
		settings = option_hash_text(what, settings);
	saved_describe(about, index->capture, size, settings, index->cell_shift,
		       record_size(index->decoder->ops));
}

void
index_find_kept(struct index *index)
{
	struct saved_about now;
	uint64_t reach = index->decoder->ops->reach;
	if (index->looked || !index->options.cache)
		return;
	index->looked = true;
	describe_capture(index, capture_size(index->capture), NULL, &now);
	struct contents *found = contents_new(index);
	if (!saved_read_index(index->options.cache, &now, index->capture, reach, found->grid,
			      found->totals)) {
		contents_free(found);
		return;
	}
	index->kept = grid_known(found->grid);
	build_on(index, found, index->kept < index_cell_count(index) ? NO_END : now.size);
}

void
index_read_clocks(struct index *index, void (*take)(void *, const struct index_news *),
		  void *context)
{
	index->take = take;
	index->take_context = context;
}

int
index_save(struct index *index, struct err *err)
{
	struct saved_about about;
	if (!capture_is_whole(index->capture))
		return err_set(err, ERR_IO, "%s: the index is not kept, as bytes are missing",
			       capture_path(index->capture));
	if (index_begin(index))
		return err_set(err, ERR_IO, "%s: the index is not kept, as bytes were dropped",
			       capture_path(index->capture));
	if (index->kept == index_known(index))
		return 0; /* the build wrote or read it */
	describe_capture(index, capture_size(index->capture), NULL, &about);
	const struct contents *contents = enter_contents(index);
	uint64_t known = grid_known(contents->grid);
	int failed =
	    saved_write_index(index->options.cache, &about, contents->grid, contents->totals, err);
	leave_contents(index);
	if (failed)
		return failed;
	index->kept = known;
	file_prune(index->options.cache, &saved_kind, UINT64_MAX, CACHE_BYTES);
	return 0;
}

/* Store a large index as far as it was built. Replace an existing file only if more cells are
 * known. */
static void
save_grown(struct index *index)
{
	struct err unimportant;
	uint64_t known = cells_built(index);
	bool more = index->kept ? known > index->kept : known > KEEP_CELLS;
	if (index->options.cache && more)
		index_save(index, &unimportant);
}

/* Append the path KEY.WHAT.index. */
static void
name_file(const struct index *index, const char *what, struct text *path)
{
	text_add(path, index->options.cache);
	text_cut(path, path->length - (sizeof SAVED_ENDING - 1));
	text_addf(path, ".%s" SAVED_ENDING, what);
}

bool
index_store(struct index *index, const char *what, unsigned generation, const struct text *body)
{
	struct saved_about about;
	struct text path = {0};
	struct err unimportant;
	uint64_t size = atomic_load(&index->end);
	if (!index->options.cache || size == NO_END || !capture_is_whole(index->capture))
		return false;
	describe_capture(index, size, what, &about);
	if (index_generation(index) != generation) /* check last: SIZE may be of newer contents */
		return false;
	name_file(index, what, &path);
	bool good = saved_write(text_get(&path), &about, body, &unimportant) == 0;
	if (good)
		file_prune(text_get(&path), &saved_kind, UINT64_MAX, CACHE_BYTES);
	text_free(&path);
	return good;
}

bool
index_recall(const struct index *index, const char *what, struct text *body)
{
	struct saved_file file;
	struct saved_about now;
	struct text path = {0};
	/* while the end may move, the last cells may change */
	if (!index->options.cache || !capture_ended(index->capture) ||
	    atomic_load(&index->end) != capture_size(index->capture))
		return false;
	name_file(index, what, &path);
	bool good = saved_open(text_get(&path), &file);
	text_free(&path);
	if (!good)
		return false;
	describe_capture(index, capture_size(index->capture), what, &now);
	good = !memcmp(&now, &file.about, sizeof now);
	if (good)
		text_add_bytes(body, file.body.at, file.body.left);
	saved_close(&file);
	return good;
}

/* --- progress ---------------------------------------------------------- */

static uint64_t
bytes_walked(const struct index *index)
{
	uint64_t end = index_known(index) << index->cell_shift;
	uint64_t size = capture_size(index->capture);
	return end < size ? end : size;
}

static double
seconds_since(const struct timespec *then, struct timespec *now)
{
	clock_gettime(CLOCK_MONOTONIC, now);
	return (double)(now->tv_sec - then->tv_sec) + (double)(now->tv_nsec - then->tv_nsec) * 1e-9;
}

static void
report_growth(struct index *index, bool now)
{
	struct timespec time;
	double elapsed = seconds_since(&index->notified, &time);
	if (!now && elapsed * 1000 < NOTIFY_MS)
		return;
	uint64_t bytes = bytes_walked(index);
	job_lock(&index->builder);
	if (elapsed > 0)
		index->rate = (double)(bytes - index->bytes_at_notice) / elapsed;
	job_unlock(&index->builder);
	index->bytes_at_notice = bytes;
	index->notified = time;
	if (index->options.notify)
		index->options.notify(index->options.notify_context);
}

bool
index_is_complete(const struct index *index)
{
	return atomic_load(&index->complete);
}

void
index_get_progress(const struct index *index, struct index_progress *out)
{
	struct index *self = (struct index *)index; /* only for the lock */
	/* read first: if complete, the values below are complete too */
	out->complete = index_is_complete(index);
	job_lock(&self->builder);
	out->rate = index->rate;
	out->paused = index->paused;
	job_unlock(&self->builder);
	out->bytes = bytes_walked(index);
	out->size = capture_size(index->capture);
	const struct contents *shown = enter_contents(index);
	origin_totals_severities(shown->totals, out->severities);
	out->messages = grid_messages(shown->grid);
	out->losses = grid_losses(shown->grid);
	leave_contents(index);
}

/* --- walking in order -------------------------------------------------- */

/* Return how many cells can be walked completely now. */
static uint64_t
cells_available(const struct index *index)
{
	uint64_t reach = index->decoder->ops->reach;
	bool ended = capture_ended(index->capture);
	uint64_t size = capture_size(index->capture);
	if (ended)
		return index_cell_count(index);
	return size > reach ? (size - reach) >> index->cell_shift : 0;
}

/* True if the capture no longer ends at index->end. */
static bool
end_moved(const struct index *index)
{
	return index->end != NO_END &&
	       (index->end != capture_size(index->capture) || !capture_ended(index->capture));
}

static bool
is_interrupted(const struct index *index)
{
	return index->stopping || index->restart || index->paused || end_moved(index);
}

static void
count_flags(struct index *index, const struct cell_result *result)
{
	for (size_t i = 0; i < MESSAGE_FLAGS_DOUBT; i++)
		index->flagged[i] += result->flagged[i];
	index->unnamed |= result->unnamed;
}

/* Pass on the readings of the cell that became known last. */
static void
hand_over(struct index *index, const struct cell_result *result)
{
	struct index_news news = {.number = grid_known(contents_of(index)->grid) - 1,
				  .cell = &result->cell,
				  .ticks_last = result->ticks_last,
				  .readings = result->readings.at,
				  .count = result->readings.count};
	if (index->take)
		index->take(index->take_context, &news);
}

/* Add a cell. Count its origins before it becomes known: a thread that has seen the cell may
 * look for them only once. */
static void
add_cell(struct index *index, const struct index_cell *cell, const struct cell_result *result)
{
	const struct contents *contents = contents_of(index);
	origin_totals_add(contents->totals, result->rows.at, result->rows.count);
	grid_add(contents->grid, cell, result->after);
	count_flags(index, result);
	hand_over(index, result);
}

/* Make the next cell known. Return false if the grid is full. */
static bool
commit_cell(struct index *index, const struct cell_result *result)
{
	struct index_cell cell = result->cell;
	if (!grid_has_room(contents_of(index)->grid))
		return false;
	if (cell.flags & CELL_TIMED) {
		if (index->timed && result->ticks_first < index->last_ticks)
			cell.flags |= CELL_TIME_BACK;
		index->last_ticks = result->ticks_last;
		index->timed = true;
	}
	add_cell(index, &cell, result);
	if (result->end != NO_END)
		index->end = result->end;
	return true;
}

static bool
same_sums(const struct index_cell *a, const struct index_cell *b)
{
	return a->count == b->count && a->kinds == b->kinds && a->losses == b->losses &&
	       a->message_flags == b->message_flags && !(a->flags & CELL_TIMED) &&
	       !(b->flags & CELL_TIMED) &&
	       !memcmp(a->severities, b->severities, sizeof a->severities);
}

/* Return how many cells from NUMBER on are completely in one hole, without the last. */
static uint64_t
cells_in_hole(struct index *index, uint64_t number)
{
	uint64_t start = number << index->cell_shift;
	uint64_t end = capture_hole_end(index->capture, start);
	uint64_t reach = index->decoder->ops->reach;
	if (end < start + reach)
		return 0;
	return (end - reach - start) >> index->cell_shift;
}

/* Fill the rest of a hole with copies of cell NUMBER, just made known. Only if it is in a
 * hole and has the same sums as the cell before. */
static void
skip_hole(struct index_worker *worker, uint64_t number)
{
	struct index *index = worker->index;
	struct grid *grid = contents_of(index)->grid;
	struct cell_result *result = &worker->result;
	struct index_cell previous;
	uint64_t first;
	if (!index->decoder->ops->is_free || !number ||
	    result->cell.count > index_cell_size(index) >> 16 || result->readings.count ||
	    !grid_cell(grid, number - 1, &previous) || !same_sums(&previous, &result->cell) ||
	    capture_hole_end(index->capture, (number - 1) << index->cell_shift) <
		(number + 2) << index->cell_shift)
		return;
	uint64_t count = cells_in_hole(index, number + 1);
	if (!count || !walker_steady(worker->walker, grid_checkpoint(grid, number, &first), result))
		return;
	for (; count && grid_has_room(grid); count--) {
		decode_checkpoint_shift(result->after, index_cell_size(index));
		add_cell(index, &result->cell, result);
	}
	walker_place(worker->walker, grid_known(grid), result->after);
}

/* Return the segment, walking or walked, that contains a cell; or NULL. */
static struct segment *
segment_of(const struct index *index, uint64_t cell)
{
	for (size_t i = 0; i < index->segment_count; i++) {
		struct segment *segment = &index->segments[i];
		if (segment->state != SEGMENT_FREE && cell >= segment->start &&
		    cell - segment->start < index->segment_cells)
			return segment;
	}
	return NULL;
}

static void
place_at_frontier(struct index_worker *worker)
{
	const struct grid *grid = contents_of(worker->index)->grid;
	uint64_t first;
	walker_place(worker->walker, grid_known(grid),
		     grid_checkpoint(grid, grid_known(grid), &first));
}

/* True if the segment's state at the beginning of cell NUMBER is the true one. */
static bool
is_right(const struct index *index, const struct segment *segment, uint64_t number)
{
	uint64_t first, i = number - segment->start;
	if (i >= segment->count)
		return false;
	return !memcmp(i ? segment->cells[i - 1].after : segment->entry,
		       grid_checkpoint(contents_of(index)->grid, number, &first),
		       index->decoder->ops->checkpoint_size);
}

/* Make the cells of a segment known, from NUMBER on. Return false if the grid is full. */
static bool
adopt_segment(struct index_worker *worker, struct segment *segment, uint64_t number)
{
	bool more = true;
	for (uint64_t i = number - segment->start; more && i < segment->count; i++) {
		more = commit_cell(worker->index, &segment->cells[i]);
		vec_free(&segment->cells[i].readings);
		segment->adopted++;
	}
	place_at_frontier(worker);
	return more;
}

/* Free a finished segment, and stop speculation if too many missed. */
static void
release_segment(struct index *index, struct segment *segment)
{
	job_lock(&index->builder);
	bool missed = !segment->adopted || segment->adopted < segment->count / 2;
	index->misses = missed ? index->misses + 1 : 0;
	index->speculative = index->misses < MISSES_MAX;
	segment->state = SEGMENT_FREE;
	job_changed(&index->builder);
	job_unlock(&index->builder);
}

/* True if the in-order worker may continue with cell NUMBER. *SEGMENT is the speculative
 * segment with results for it, or NULL. */
static bool
may_go_on(struct index *index, uint64_t number, struct segment **segment)
{
	job_lock(&index->builder);
	for (size_t i = 0; i < index->segment_count; i++) {
		struct segment *old = &index->segments[i];
		if (old->state == SEGMENT_WALKED && old->start + index->segment_cells <= number)
			old->state = SEGMENT_FREE; /* a hole was skipped */
	}
	*segment = segment_of(index, number);
	bool may = !is_interrupted(index) && number < cells_available(index) &&
		   (!*segment || (*segment)->state == SEGMENT_WALKED);
	job_unlock(&index->builder);
	return may;
}

/* Walk on in order until stopped, all is known, or another worker has the next cell. Return
 * false if the grid is full. */
static bool
walk_in_order(struct index_worker *worker)
{
	struct index *index = worker->index;
	const struct grid *grid = contents_of(index)->grid;
	struct segment *segment;
	uint64_t number;
	bool more = true;
	place_at_frontier(worker);
	while (more && may_go_on(index, number = grid_known(grid), &segment)) {
		if (segment && is_right(index, segment, number)) {
			more = adopt_segment(worker, segment, number);
		} else {
			walker_cell(worker->walker, number, &worker->result);
			more = commit_cell(index, &worker->result);
			skip_hole(worker, number);
		}
		if (segment && grid_known(grid) - segment->start >= segment->count)
			release_segment(index, segment);
		report_growth(index, false);
	}
	return more;
}

/* --- walking ahead ----------------------------------------------------- */

/* Claim the next segment for a speculative worker. Return NULL if none is available now. */
static struct segment *
claim_segment(struct index *index)
{
	uint64_t known = cells_built(index), available = cells_available(index);
	uint64_t least = (known / index->segment_cells + 1) * index->segment_cells;
	uint64_t most = known + index->segment_cells * index->segment_count;
	struct segment *found = NULL;
	for (size_t i = 0; i < index->segment_count; i++) {
		struct segment *segment = &index->segments[i];
		if (segment->state == SEGMENT_FREE)
			found = segment;
	}
	if (!index->speculative || !found)
		return NULL;
	if (index->claimed < least)
		index->claimed = least;
	uint64_t start = index->claimed << index->cell_shift;
	uint64_t hole = capture_hole_end(index->capture, start) >> index->cell_shift;
	if (hole >= index->claimed + index->segment_cells)
		index->claimed = hole / index->segment_cells * index->segment_cells;
	if (index->claimed >= most || index->claimed + index->segment_cells > available)
		return NULL;
	found->state = SEGMENT_WALKING;
	found->start = index->claimed;
	found->count = found->adopted = 0;
	index->claimed += index->segment_cells;
	return found;
}

static void
walk_ahead(struct index_worker *worker, struct segment *segment)
{
	struct index *index = worker->index;
	size_t readings = 0, most = READINGS_MAX / index->segment_count;
	if (!walker_start_before(worker->walker, segment->start, segment->entry))
		return;
	for (unsigned i = 0; i < index->segment_cells; i++) {
		job_lock(&index->builder);
		bool stop = is_interrupted(index) || !index->speculative;
		job_unlock(&index->builder);
		if (stop)
			return;
		walker_cell(worker->walker, segment->start + i, &segment->cells[i]);
		readings += segment->cells[i].readings.count;
		if (readings > most) {
			vec_free(&segment->cells[i].readings);
			return;
		}
		segment->count = i + 1;
	}
}

/* --- workers ----------------------------------------------------------- */

/* Work until nothing is left to do or the index must stop. */
static void
walk_available(void *context)
{
	struct index_worker *worker = context;
	struct index *index = worker->index;
	job_lock(&index->builder);
	while (!index->stopping && !index->restart && !end_moved(index)) {
		uint64_t known = cells_built(index);
		struct segment *segment = segment_of(index, known);
		if (index->paused) {
			job_begin_rest();
			job_await(&index->builder, NULL);
			job_end_rest();
		} else if (known >= cells_available(index)) {
			break;
		} else if (!index->in_order_busy &&
			   (!segment || segment->state == SEGMENT_WALKED)) {
			index->in_order_busy = true;
			job_unlock(&index->builder);
			bool more = walk_in_order(worker);
			job_lock(&index->builder);
			index->in_order_busy = false;
			job_changed(&index->builder);
			if (!more)
				break;
		} else if ((segment = claim_segment(index))) {
			job_unlock(&index->builder);
			walk_ahead(worker, segment);
			job_lock(&index->builder);
			segment->state = SEGMENT_WALKED;
			job_changed(&index->builder);
		} else {
			job_await(&index->builder, NULL);
		}
	}
	job_changed(&index->builder);
	job_unlock(&index->builder);
}

static bool
must_stop(struct index *index)
{
	job_lock(&index->builder);
	bool stop = index->stopping || index->restart;
	job_unlock(&index->builder);
	return stop;
}

/* Create workers in addition to this thread, if there is enough work. Return the number to use. */
static size_t
prepare_workers(struct index *index)
{
	size_t target = index->options.threads ? index->options.threads : thread_processors();
	uint64_t left = cells_available(index) - cells_built(index);
	if (target > WORKERS_MAX)
		target = WORKERS_MAX;
	if (left < (uint64_t)4 * index->segment_cells || left > UINT64_MAX / 2)
		target = 1;
	while (index->worker_count < target) {
		struct index_worker *worker = &index->workers[index->worker_count++];
		worker->index = index;
		worker->walker = walker_new(index->capture, index->decoder, index->cell_shift,
					    index->options.checked);
		job_init(&worker->thread, walk_available, worker);
	}
	if (target > 1 && !index->segments) {
		index->segment_count = SEGMENTS_EACH * target;
		index->segments = mem_new(index->segment_count * sizeof *index->segments);
		for (size_t i = 0; i < index->segment_count; i++)
			index->segments[i].cells =
			    mem_new(index->segment_cells * sizeof(struct cell_result));
	}
	return target;
}

/* Drop the cells that may have changed because the end of the capture moved. */
static void
reopen_end(struct index *index)
{
	uint64_t size = capture_size(index->capture), reach = index->decoder->ops->reach;
	if (!end_moved(index))
		return;
	uint64_t least = size < index->end ? size : index->end;
	uint64_t cells = least > reach ? (least - reach) >> index->cell_shift : 0;
	if (cells > cells_built(index))
		cells = cells_built(index);
	struct contents *prefix = contents_prefix(index, cells / INDEX_GROUP * INDEX_GROUP);
	build_on(index, prefix ? prefix : contents_new(index), NO_END);
}

/* Find the last known timestamp, by walking its cell again. */
static void
find_last_ticks(struct index *index)
{
	struct index_worker *worker = &index->workers[0];
	struct index_cell cell;
	uint64_t number = cells_built(index), first;
	enter_contents(index); /* keeps cells from being dropped */
	index->timed = false;
	while (number-- > grid_begin(contents_of(index)->grid) &&
	       grid_cell(contents_of(index)->grid, number, &cell)) {
		if (!(cell.flags & CELL_TIMED))
			continue;
		walker_place(worker->walker, number,
			     grid_checkpoint(contents_of(index)->grid, number, &first));
		walker_cell(worker->walker, number, &worker->result);
		index->timed = true;
		index->last_ticks = worker->result.ticks_last;
		break;
	}
	leave_contents(index);
	index->placed = true;
}

/* Build all available cells, with as many workers as are useful. */
static void
build_available(struct index *index)
{
	size_t target = prepare_workers(index), started = 1;
	for (size_t i = 0; i < index->worker_count; i++)
		walker_read_clocks(index->workers[i].walker, index->take);
	if (!index->placed)
		find_last_ticks(index);
	while (started < target && job_start_once(&index->workers[started].thread))
		started++;
	walk_available(&index->workers[0]);
	while (started > 1)
		job_join(&index->workers[--started].thread);
}

void
index_build(struct index *index)
{
	clock_gettime(CLOCK_MONOTONIC, &index->notified);
	index_find_kept(index);
	do {
		reopen_end(index);
		build_available(index);
	} while (end_moved(index) && !must_stop(index));
	if (index->end != NO_END && cells_built(index) >= index_cell_count(index)) {
		atomic_store(&index->complete, true);
		save_grown(index);
	}
}

/* Leave disk and processor to the first screen for a while, unless stopped. */
static void
let_others_pass(struct index *index)
{
	struct timespec until;
	thread_deadline(&until, PATIENCE_MS);
	job_lock(&index->builder);
	while (!index->stopping && job_await(&index->builder, &until))
		continue;
	job_unlock(&index->builder);
}

static void
begin_build(struct index *index)
{
	index->begun = true;
	index_find_kept(index);
	if (index_known(index))
		report_growth(index, true);
	if (capture_size(index->capture) > LARGE && !cells_built(index))
		let_others_pass(index);
}

/* Build all available cells, from the start if a restart was requested. */
static void
build_in_background(void *context)
{
	struct index *index = context;
	if (!index->begun)
		begin_build(index);
	job_lock(&index->builder);
	bool restart = index->restart;
	index->restart = false;
	job_unlock(&index->builder);
	if (restart)
		start_anew(index);
	index_build(index);
	report_growth(index, true);
}

void
index_start(struct index *index)
{
	job_start(&index->builder);
}

static void
set_flag(struct index *index, bool *flag, bool value)
{
	job_lock(&index->builder);
	*flag = value;
	job_changed(&index->builder);
	job_unlock(&index->builder);
}

void
index_stop(struct index *index)
{
	set_flag(index, &index->stopping, true);
	if (!job_is_running(&index->builder))
		return;
	job_cancel(&index->builder);
	job_join(&index->builder);
	set_flag(index, &index->restart, false);
	save_grown(index);
}

void
index_allow(struct index *index)
{
	set_flag(index, &index->stopping, false);
}

void
index_pause(struct index *index, bool on)
{
	set_flag(index, &index->paused, on);
}

void
index_wake(struct index *index)
{
	job_wake(&index->builder);
}

void
index_restart(struct index *index)
{
	if (!job_is_running(&index->builder)) {
		start_anew(index);
		return;
	}
	set_flag(index, &index->restart, true);
	job_wake(&index->builder);
}

bool
index_is_stale(const struct index *index)
{
	struct capture_loss range = {0};
	struct index_cell cell;
	uint64_t known = index_known(index);
	while (capture_next_loss(index->capture, &range)) {
		uint64_t last = (range.end - 1) >> index->cell_shift;
		for (uint64_t i = range.offset >> index->cell_shift; i <= last && i < known; i++)
			if (index_cell(index, i, &cell) && !(cell.message_flags & MESSAGE_DAMAGED))
				return true;
	}
	return false;
}

size_t
index_memory(const struct index *index)
{
	const struct contents *shown = enter_contents(index);
	size_t bytes =
	    sizeof *index + origin_totals_memory(shown->totals) + grid_memory(shown->grid);
	leave_contents(index);
	for (size_t i = 0; i < index->worker_count; i++)
		bytes += walker_memory(index->workers[i].walker);
	return bytes + index->segment_count * index->segment_cells * sizeof(struct cell_result);
}

struct index *
index_new(struct capture *capture, const struct decoder *decoder,
	  const struct index_options *options)
{
	struct index *index = mem_new(sizeof *index);
	index->capture = capture;
	index->decoder = decoder;
	if (options)
		index->options = *options;
	if (index->options.cache)
		index->options.cache = mem_text(index->options.cache);
	index->cell_shift = index->options.cell_shift ? index->options.cell_shift
						      : shift_for(capture_size(capture));
	index->segment_cells = index->options.segment ? index->options.segment : SEGMENT;
	job_init(&index->builder, build_in_background, index);
	index->builder.nice = 5; /* its workers inherit this */
	index->workers = mem_new(WORKERS_MAX * sizeof *index->workers);
	start_anew(index);
	return index;
}

void
index_free(struct index *index)
{
	if (!index)
		return;
	index_stop(index);
	job_free(&index->builder);
	contents_free(atomic_load(&index->shown));
	for (size_t i = 0; i < index->worker_count; i++) {
		struct index_worker *worker = &index->workers[i];
		job_free(&worker->thread);
		walker_free(worker->walker);
		cell_result_free(&worker->result);
	}
	free(index->workers);
	for (size_t i = 0; i < index->segment_count; i++) {
		for (unsigned k = 0; k < index->segment_cells; k++)
			cell_result_free(&index->segments[i].cells[k]);
		free(index->segments[i].cells);
	}
	free(index->segments);
	free((char *)index->options.cache);
	free(index);
}
