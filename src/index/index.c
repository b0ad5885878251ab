/*
 * The index: a sequential builder over the grid of cells; see index.h.
 *
 * The builder reads the capture through a buffer of its own: boundary walking
 * is bound by latency, and a buffer that stays in the cache is faster than
 * fresh mapped pages (and its bytes cannot change between two looks).  It
 * steps a batch of messages at a time and adds each batch to the sums of its
 * cell, so that nothing is stored per message.
 *
 * Cells live in chunks that never move; `known` is stored with release order
 * after a cell and its checkpoint are in place, so readers need no lock.  The
 * checkpoint of the first unknown cell is there too: whoever decodes the end
 * of a growing capture starts there.
 *
 * Holes of a sparse file are not read.  When two cells in a row lie in the same
 * hole, give equal sums, and leave the decoder in states that differ only by
 * the distance, so will all others in that hole: they are filled in by copying.
 */
#include "config.h"

#include "index/index.h"
#include "base/thread.h"
#include "base/vec.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum {
	CHUNK_CELLS = 1024,
	CHUNKS_MAX = 16384,	 /* times 64 MiB: 1 TiB at the least */
	BUFFER = 512 * 1024,	 /* and the decoder's reach */
	BATCH = 256,		 /* messages a step; 12 KiB stay in the first cache */
	ORIGINS_MAX = 65536,	 /* further ones are counted together */
	GROUP_ORIGINS_MAX = 512, /* of one group; further ones as well */
	NOTIFY_MS = 500,
	PATIENCE_MS = 250, /* a large capture waits so long for the first screen */
	LARGE = 4 << 20
};

#define OTHER_ORIGINS UINT64_MAX

struct chunk {
	struct index_cell cells[CHUNK_CELLS];
	uint8_t checkpoints[];
};

/* Counts of one origin in one group of cells. */
struct group_count {
	uint32_t origin; /* position in `origins` */
	uint32_t severities[SEVERITY_COUNT];
};

struct group {
	struct group_count *counts;
	uint32_t count;
};

struct index {
	struct capture *capture;
	const struct decoder *decoder;
	struct index_options options;
	unsigned cell_shift;
	_Atomic(struct chunk *) *chunks;
	_Atomic uint64_t known;
	_Atomic uint64_t messages; /* in known cells */
	_Atomic uint64_t walked;   /* bytes */
	atomic_bool frontier;	   /* the checkpoint of cell `known` is there */
	atomic_bool complete;

	/* the builder's own, under `lock` where others look */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t thread;
	bool running, stopping, paused, restart, woken;
	VEC(struct index_origin) origins;
	uint32_t *slots; /* hash of origins: position + 1, 0 = free */
	size_t slot_count;
	VEC(struct group) groups;
	uint64_t severities[SEVERITY_COUNT];
	double rate;

	/* the builder's alone */
	struct decode_state *state, *probe;
	uint8_t *buffer;
	size_t buffer_size, filled;
	uint64_t buffer_offset;
	uint32_t (*group_counts)[SEVERITY_COUNT]; /* by origin */
	size_t group_counts_size;
	uint64_t last_key;
	uint32_t last_origin;
	bool have_last;
	uint64_t last_ticks;
	struct timespec notified;
	uint64_t bytes_at_notice;
};

/* --- the grid ---------------------------------------------------------- */

/* The first screen decodes one cell, so cells stay small for long: 64 GiB in
 * cells of 64 KiB, then they double. */
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

uint64_t
index_known(const struct index *index)
{
	return atomic_load_explicit(&index->known, memory_order_acquire);
}

static struct chunk *
chunk_of(const struct index *index, uint64_t cell)
{
	return cell / CHUNK_CELLS < CHUNKS_MAX
		   ? atomic_load_explicit(&index->chunks[cell / CHUNK_CELLS], memory_order_acquire)
		   : NULL;
}

static uint8_t *
checkpoint_of(const struct index *index, struct chunk *chunk, uint64_t cell)
{
	return chunk->checkpoints + cell % CHUNK_CELLS * index->decoder->ops->checkpoint_size;
}

/* The chunk of a cell, made if need be; NULL past the end of the directory. */
static struct chunk *
chunk_for(struct index *index, uint64_t cell)
{
	struct chunk *chunk = chunk_of(index, cell);
	if (!chunk && cell / CHUNK_CELLS < CHUNKS_MAX) {
		chunk = mem_new(sizeof *chunk + CHUNK_CELLS * index->decoder->ops->checkpoint_size);
		atomic_store_explicit(&index->chunks[cell / CHUNK_CELLS], chunk,
				      memory_order_release);
	}
	return chunk;
}

bool
index_cell(const struct index *index, uint64_t cell, struct index_cell *out)
{
	if (cell >= index_known(index))
		return false;
	*out = chunk_of(index, cell)->cells[cell % CHUNK_CELLS];
	return true;
}

bool
index_restore(const struct index *index, uint64_t cell, struct decode_state *state, uint64_t *first)
{
	uint64_t known = index_known(index);
	if (cell > known || (cell == known && !atomic_load(&index->frontier)))
		return false;
	struct chunk *chunk = chunk_of(index, cell);
	if (!chunk)
		return false;
	index->decoder->ops->restore(index->decoder, state, checkpoint_of(index, chunk, cell));
	*first = chunk->cells[cell % CHUNK_CELLS].first;
	return true;
}

bool
index_find(const struct index *index, uint64_t number, uint64_t *cell)
{
	uint64_t low = 0, high = index_known(index);
	if (!high || number >= atomic_load(&index->messages))
		return false;
	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;
		if (chunk_of(index, middle)->cells[middle % CHUNK_CELLS].first <= number)
			low = middle;
		else
			high = middle;
	}
	*cell = low;
	struct index_cell found;
	return index_cell(index, low, &found) && number - found.first < found.count;
}

/* --- origins ----------------------------------------------------------- */

static uint64_t
mix(uint64_t key)
{
	key ^= key >> 32;
	key *= 0x9e3779b97f4a7c15;
	return key ^ key >> 29;
}

static void
rehash(struct index *index)
{
	free(index->slots);
	index->slot_count = index->slot_count ? 2 * index->slot_count : 256;
	index->slots = mem_new(index->slot_count * sizeof *index->slots);
	for (size_t i = 0; i < index->origins.count; i++) {
		size_t at = mix(index->origins.at[i].key) & (index->slot_count - 1);
		while (index->slots[at])
			at = (at + 1) & (index->slot_count - 1);
		index->slots[at] = (uint32_t)i + 1;
	}
}

static uint32_t
origin_add(struct index *index, size_t slot, uint64_t key, uint64_t place)
{
	pthread_mutex_lock(&index->lock);
	*vec_add(&index->origins) = (struct index_origin){.key = key, .example = place};
	pthread_mutex_unlock(&index->lock);
	uint32_t origin = (uint32_t)index->origins.count - 1;
	index->slots[slot] = origin + 1;
	if (2 * index->origins.count > index->slot_count)
		rehash(index);
	return origin;
}

/* The position of an origin, added when it is new. */
static uint32_t
origin_of(struct index *index, uint64_t key, uint64_t place)
{
	for (;;) {
		size_t at = mix(key) & (index->slot_count - 1);
		while (index->slots[at]) {
			uint32_t origin = index->slots[at] - 1;
			if (index->origins.at[origin].key == key)
				return origin;
			at = (at + 1) & (index->slot_count - 1);
		}
		if (index->origins.count < ORIGINS_MAX || key == OTHER_ORIGINS)
			return origin_add(index, at, key, place);
		key = OTHER_ORIGINS;
	}
}

static void
group_count(struct index *index, uint32_t origin, unsigned severity)
{
	if (origin >= index->group_counts_size) {
		size_t size = 2 * (size_t)origin + 64;
		index->group_counts =
		    mem_resize(index->group_counts, size * sizeof *index->group_counts);
		memset(index->group_counts + index->group_counts_size, 0,
		       (size - index->group_counts_size) * sizeof *index->group_counts);
		index->group_counts_size = size;
	}
	index->group_counts[origin][severity]++;
}

/* Adds the dense counts of the group that ends to the totals, keeps them
 * sparsely, and clears them. */
static void
group_close(struct index *index)
{
	pthread_mutex_lock(&index->lock);
	struct group *group = vec_add(&index->groups);
	size_t count = index->origins.count;
	if (count > index->group_counts_size)
		count = index->group_counts_size;
	VEC(struct group_count) kept = {0};
	for (size_t i = 0; i < count; i++) {
		struct group_count one = {.origin = (uint32_t)i};
		uint64_t any = 0;
		for (unsigned s = 0; s < SEVERITY_COUNT; s++) {
			one.severities[s] = index->group_counts[i][s];
			index->origins.at[i].severities[s] += one.severities[s];
			any += one.severities[s];
		}
		if (any && kept.count < GROUP_ORIGINS_MAX)
			*vec_add(&kept) = one;
	}
	if (count)
		memset(index->group_counts, 0, count * sizeof *index->group_counts);
	group->count = (uint32_t)kept.count;
	group->counts = mem_resize(kept.at, kept.count * sizeof *kept.at);
	pthread_mutex_unlock(&index->lock);
}

void
index_get_origins(struct index *index, index_origins *out)
{
	pthread_mutex_lock(&index->lock);
	vec_clear(out);
	for (size_t i = 0; i < index->origins.count; i++)
		*vec_add(out) = index->origins.at[i];
	pthread_mutex_unlock(&index->lock);
}

/* --- one cell ---------------------------------------------------------- */

/* Adds a batch to the sums of its cell. */
static void
sum(struct index *index, struct index_cell *cell, const struct message *messages, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct message *m = &messages[i];
		cell->severities[m->severity]++;
		cell->kinds |= (uint64_t)1 << m->kind;
		cell->messages |= m->flags;
		if (m->flags & MESSAGE_TIMED) {
			if (m->ticks < cell->time_min)
				cell->time_min = m->ticks;
			if (m->ticks > cell->time_max)
				cell->time_max = m->ticks;
			if (m->ticks < index->last_ticks)
				cell->flags |= CELL_TIME_BACK;
			index->last_ticks = m->ticks;
		}
		if (m->origin != index->last_key || !index->have_last) {
			index->last_origin = origin_of(index, m->origin, message_place(m));
			index->last_key = m->origin;
			index->have_last = true;
		}
		group_count(index, index->last_origin, m->severity);
	}
	cell->count += (uint32_t)count;
}

/* Moves the unread tail of the buffer to its front and reads on.  Returns
 * whether bytes came. */
static bool
refill(struct index *index)
{
	uint64_t at = index->state->offset;
	uint64_t end = index->buffer_offset + index->filled;
	size_t kept = 0;
	if (at >= index->buffer_offset && at < end) {
		kept = (size_t)(end - at);
		memmove(index->buffer, index->buffer + (at - index->buffer_offset), kept);
	}
	index->buffer_offset = at;
	index->filled = kept + capture_read(index->capture, at + kept, index->buffer + kept,
					    index->buffer_size - kept);
	return index->filled > kept;
}

/* Empties the buffer after the state has been put elsewhere. */
static void
discard(struct index *index)
{
	index->buffer_offset = index->state->offset;
	index->filled = 0;
}

/* Walks one cell into CELL; build_available made sure that it is all there. */
static void
walk_cell(struct index *index, uint64_t number, struct index_cell *cell)
{
	const struct decoder_ops *ops = index->decoder->ops;
	struct message batch[BATCH];
	*cell = (struct index_cell){.first = cell->first, .time_min = UINT64_MAX};
	for (;;) {
		bool ended = capture_ended(index->capture);
		/* a note about the end of the capture may lie behind its last cell */
		bool final = ended && number + 1 == index_cell_count(index);
		struct window window = {
		    .bytes = index->buffer,
		    .offset = index->buffer_offset,
		    .length = index->filled,
		    .until = final ? UINT64_MAX : (number + 1) << index->cell_shift,
		    .last = ended &&
			    index->buffer_offset + index->filled >= capture_size(index->capture),
		};
		size_t count = ops->step(index->decoder, index->state, &window, batch, BATCH);
		sum(index, cell, batch, count);
		if (count == BATCH)
			continue;
		uint64_t left = window.offset + window.length - index->state->offset;
		if (left >= ops->reach || window.last)
			break; /* the step stopped at `until`, or at the end */
		if (!refill(index))
			break; /* it shrank; a restart is on its way */
	}
	if (cell->messages & MESSAGE_TIMED)
		cell->flags |= CELL_TIMED;
}

/* Makes a walked cell and the checkpoint behind it known. */
static void
publish(struct index *index, uint64_t number, const struct index_cell *cell)
{
	struct chunk *chunk = chunk_for(index, number);
	/* all but `first`, which is there since the cell before was published, and
	 * which readers of the end of a growing capture look at */
	const size_t rest = offsetof(struct index_cell, time_min);
	char *own = (char *)&chunk->cells[number % CHUNK_CELLS];
	memcpy(own + rest, (const char *)cell + rest, sizeof *cell - rest);
	struct chunk *next = chunk_for(index, number + 1);
	if (next) {
		next->cells[(number + 1) % CHUNK_CELLS].first = cell->first + cell->count;
		index->decoder->ops->save(index->decoder, index->state,
					  checkpoint_of(index, next, number + 1));
	}
	pthread_mutex_lock(&index->lock);
	for (unsigned s = 0; s < SEVERITY_COUNT; s++)
		index->severities[s] += cell->severities[s];
	pthread_mutex_unlock(&index->lock);
	atomic_store(&index->messages, cell->first + cell->count);
	uint64_t end = (number + 1) << index->cell_shift, size = capture_size(index->capture);
	atomic_store(&index->walked, end < size ? end : size);
	atomic_store_explicit(&index->known, number + 1, memory_order_release);
	if ((number + 1) % INDEX_GROUP == 0)
		group_close(index);
}

/* --- holes ------------------------------------------------------------- */

static bool
same_sums(const struct index_cell *a, const struct index_cell *b)
{
	return a->count == b->count && a->kinds == b->kinds && a->messages == b->messages &&
	       !(a->flags & CELL_TIMED) && !(b->flags & CELL_TIMED) &&
	       !memcmp(a->severities, b->severities, sizeof a->severities);
}

/* How many cells from NUMBER on lie wholly in one hole and are not the last. */
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

/* If the states at the ends of cells NUMBER - 1 and NUMBER differ only by the
 * distance, moves the state on over COUNT cells like NUMBER. */
static bool
steady(struct index *index, uint64_t number)
{
	const struct decoder_ops *ops = index->decoder->ops;
	uint8_t before[CHECKPOINT_MAX], after[CHECKPOINT_MAX];
	ops->restore(index->decoder, index->probe,
		     checkpoint_of(index, chunk_of(index, number), number));
	ops->shift(index->probe, index_cell_size(index));
	ops->save(index->decoder, index->probe, before);
	ops->save(index->decoder, index->state, after);
	return !memcmp(before, after, ops->checkpoint_size);
}

/* After CELL, number NUMBER, was published: copies it over the rest of the
 * hole it lies in, if it lies in one. */
static void
skip_hole(struct index *index, uint64_t number, const struct index_cell *cell)
{
	struct index_cell previous;
	if (!index->decoder->ops->shift || !number || cell->count > index_cell_size(index) >> 16 ||
	    !index_cell(index, number - 1, &previous) || !same_sums(&previous, cell) ||
	    capture_hole_end(index->capture, (number - 1) << index->cell_shift) <
		(number + 2) << index->cell_shift)
		return;
	uint64_t count = cells_in_hole(index, number + 1);
	if (!count || !steady(index, number))
		return;
	struct index_cell copy = *cell;
	for (uint64_t i = 1; i <= count; i++) {
		copy.first += copy.count;
		index->decoder->ops->shift(index->state, index_cell_size(index));
		if (index->have_last)
			for (unsigned s = 0; s < SEVERITY_COUNT; s++)
				index->group_counts[index->last_origin][s] += copy.severities[s];
		publish(index, number + i, &copy);
	}
	discard(index);
}

/* --- the builder ------------------------------------------------------- */

static double
seconds_since(const struct timespec *then, struct timespec *now)
{
	clock_gettime(CLOCK_MONOTONIC, now);
	return (double)(now->tv_sec - then->tv_sec) + (double)(now->tv_nsec - then->tv_nsec) * 1e-9;
}

static void
tell(struct index *index, bool now)
{
	struct timespec time;
	double elapsed = seconds_since(&index->notified, &time);
	if (!now && elapsed * 1000 < NOTIFY_MS)
		return;
	uint64_t walked = atomic_load(&index->walked);
	pthread_mutex_lock(&index->lock);
	if (elapsed > 0)
		index->rate = (double)(walked - index->bytes_at_notice) / elapsed;
	pthread_mutex_unlock(&index->lock);
	index->bytes_at_notice = walked;
	index->notified = time;
	if (index->options.notify)
		index->options.notify(index->options.notify_context);
}

static void
forget(struct index *index)
{
	const struct decoder_ops *ops = index->decoder->ops;
	atomic_store(&index->known, 0);
	atomic_store(&index->messages, 0);
	atomic_store(&index->walked, 0);
	atomic_store(&index->complete, false);
	vec_clear(&index->origins);
	memset(index->slots, 0, index->slot_count * sizeof *index->slots);
	for (size_t i = 0; i < index->groups.count; i++)
		free(index->groups.at[i].counts);
	vec_clear(&index->groups);
	if (index->group_counts_size)
		memset(index->group_counts, 0,
		       index->group_counts_size * sizeof *index->group_counts);
	memset(index->severities, 0, sizeof index->severities);
	index->have_last = false;
	index->last_ticks = 0;
	index->bytes_at_notice = 0;
	if (ops->release)
		ops->release(index->state);
	memset(index->state, 0, ops->state_size);
	ops->start(index->decoder, index->state);
	discard(index);

	struct chunk *chunk = chunk_for(index, 0);
	chunk->cells[0].first = 0;
	ops->save(index->decoder, index->state, checkpoint_of(index, chunk, 0));
	atomic_store(&index->frontier, true);
}

/* Walks cells until the end of what is there.  False when told to stop. */
static bool
build_available(struct index *index)
{
	for (;;) {
		pthread_mutex_lock(&index->lock);
		while (index->paused && !index->stopping && !index->restart)
			pthread_cond_wait(&index->changed, &index->lock);
		bool stop = index->stopping || index->restart;
		pthread_mutex_unlock(&index->lock);
		if (stop)
			return false;

		uint64_t number = index_known(index);
		uint64_t size = capture_size(index->capture);
		bool ended = capture_ended(index->capture);
		uint64_t needed = ((number + 1) << index->cell_shift) + index->decoder->ops->reach;
		if (ended ? number >= index_cell_count(index) : needed > size)
			return true;
		struct chunk *chunk = chunk_for(index, number);
		if (!chunk || !chunk_for(index, number + 1))
			return true;
		struct index_cell cell = {.first = chunk->cells[number % CHUNK_CELLS].first};
		walk_cell(index, number, &cell);
		publish(index, number, &cell);
		skip_hole(index, number, &cell);
		tell(index, false);
	}
}

void
index_build(struct index *index)
{
	clock_gettime(CLOCK_MONOTONIC, &index->notified);
	if (!build_available(index))
		return;
	if (capture_ended(index->capture)) {
		group_close(index);
		atomic_store(&index->complete, true);
	}
}

/* Leaves disk and processor to the first screen, unless told to stop. */
static void
let_others_pass(struct index *index)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += PATIENCE_MS * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000L;
	until.tv_nsec %= 1000000000L;
	pthread_mutex_lock(&index->lock);
	while (!index->stopping && !pthread_cond_timedwait(&index->changed, &index->lock, &until))
		continue;
	pthread_mutex_unlock(&index->lock);
}

static void *
run(void *context)
{
	struct index *index = context;
	setpriority(PRIO_PROCESS, (id_t)gettid(), 5);
	if (capture_size(index->capture) > LARGE)
		let_others_pass(index);
	for (;;) {
		index_build(index);
		tell(index, true);
		pthread_mutex_lock(&index->lock);
		while (!index->stopping && !index->restart && !index->woken)
			pthread_cond_wait(&index->changed, &index->lock);
		bool stop = index->stopping, restart = index->restart;
		index->restart = index->woken = false;
		pthread_mutex_unlock(&index->lock);
		if (stop)
			return NULL;
		if (restart)
			forget(index);
	}
}

void
index_start(struct index *index)
{
	index->running = true;
	if (!thread_start(&index->thread, run, index))
		index->running = false;
}

static void
set(struct index *index, bool *flag, bool value)
{
	pthread_mutex_lock(&index->lock);
	*flag = value;
	pthread_cond_broadcast(&index->changed);
	pthread_mutex_unlock(&index->lock);
}

void
index_stop(struct index *index)
{
	set(index, &index->stopping, true);
	if (index->running)
		pthread_join(index->thread, NULL);
	index->running = false;
}

void
index_pause(struct index *index, bool on)
{
	set(index, &index->paused, on);
}

void
index_wake(struct index *index)
{
	set(index, &index->woken, true);
}

void
index_restart(struct index *index)
{
	if (index->running)
		set(index, &index->restart, true);
	else
		forget(index);
}

void
index_get_progress(const struct index *index, struct index_progress *out)
{
	struct index *self = (struct index *)index; /* for the lock only */
	pthread_mutex_lock(&self->lock);
	memcpy(out->severities, index->severities, sizeof out->severities);
	out->rate = index->rate;
	pthread_mutex_unlock(&self->lock);
	out->bytes = atomic_load(&index->walked);
	out->size = capture_size(index->capture);
	out->messages = atomic_load(&index->messages);
	out->complete = atomic_load(&index->complete);
}

size_t
index_memory(const struct index *index)
{
	size_t chunk = sizeof(struct chunk) + CHUNK_CELLS * index->decoder->ops->checkpoint_size;
	return (size_t)(index_known(index) / CHUNK_CELLS + 1) * chunk + index->buffer_size;
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
	index->cell_shift = shift_for(capture_size(capture));
	index->chunks = mem_new(CHUNKS_MAX * sizeof *index->chunks);
	pthread_mutex_init(&index->lock, NULL);
	pthread_cond_init(&index->changed, NULL);
	index->buffer_size = BUFFER + decoder->ops->reach;
	index->buffer = mem_resize(NULL, index->buffer_size);
	index->state = decode_state_new(decoder);
	index->probe = decode_state_new(decoder);
	rehash(index);
	forget(index);
	return index;
}

void
index_free(struct index *index)
{
	if (!index)
		return;
	index_stop(index);
	for (size_t i = 0; i < CHUNKS_MAX; i++)
		free(atomic_load(&index->chunks[i]));
	free(index->chunks);
	vec_free(&index->origins);
	free(index->slots);
	for (size_t i = 0; i < index->groups.count; i++)
		free(index->groups.at[i].counts);
	vec_free(&index->groups);
	free(index->group_counts);
	free(index->buffer);
	decode_state_free(index->decoder, index->state);
	decode_state_free(index->decoder, index->probe);
	pthread_cond_destroy(&index->changed);
	pthread_mutex_destroy(&index->lock);
	free(index);
}
