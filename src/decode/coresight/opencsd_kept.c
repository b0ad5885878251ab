/*
 * Elements made a moment ago: see opencsd_kept.h.
 *
 * They stand in a ring, one behind the other as they were made, so what is asked for one after
 * the other is near in memory.  Where each stands is in a table of sets of a few places, of
 * which the oldest goes: hardly any goes before half as many as there is room for came.  A set
 * is one line of the cache, with short tags that are compared first.
 */
#include "config.h"

#include "decode/coresight/opencsd_kept.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
	WAYS = 8,
	SETS = 1 << 13,
	ELEMENTS = WAYS * SETS, /* what waits to be written by several workers fits in */
	CHUNKS_KEPT = 256	/* are kept after each question */
};

struct opencsd_kept_set {
	uint32_t tags[WAYS];   /* 0: none */
	uint32_t places[WAYS]; /* as `count` was then */
};

struct opencsd_kept {
	_Atomic unsigned chunks_left; /* chunks that are still to be kept */
	pthread_mutex_t lock;
	struct opencsd_kept_set *sets;	   /* NULL until the first is kept */
	struct opencsd_kept_element *ring; /* likewise; ELEMENTS of them */
	uint32_t count;			   /* that were kept; wraps around */
};

struct opencsd_kept *
opencsd_kept_new(void)
{
	struct opencsd_kept *kept = mem_new(sizeof *kept);
	pthread_mutex_init(&kept->lock, NULL);
	return kept;
}

void
opencsd_kept_free(struct opencsd_kept *kept)
{
	if (!kept)
		return;
	pthread_mutex_destroy(&kept->lock);
	free(kept->sets);
	free(kept->ring);
	free(kept);
}

bool
opencsd_kept_wanted(struct opencsd_kept *kept)
{
	unsigned left = atomic_load_explicit(&kept->chunks_left, memory_order_relaxed);
	/* of two threads at once one may be forgotten: it is only a hint */
	if (left)
		atomic_store_explicit(&kept->chunks_left, left - 1, memory_order_relaxed);
	return left;
}

/* The set that a message belongs to, and its tag there. */
static struct opencsd_kept_set *
set_of(struct opencsd_kept *kept, const struct message *m, uint32_t *tag)
{
	uint64_t hash = (m->offset * 0x9e3779b97f4a7c15u ^ m->aux) * 0xbf58476d1ce4e5b9u;
	*tag = (uint32_t)hash | 1;
	return &kept->sets[(hash >> 40) % SETS];
}

/* Where the next of a set stands: in place of its oldest. */
static size_t
oldest_of(const struct opencsd_kept_set *set, uint32_t count)
{
	size_t oldest = 0;
	for (size_t i = 1; i < WAYS; i++)
		if (count - set->places[i] > count - set->places[oldest])
			oldest = i;
	return oldest;
}

void
opencsd_kept_add(struct opencsd_kept *kept, const struct opencsd_kept_element *list, size_t count)
{
	pthread_mutex_lock(&kept->lock);
	if (!kept->sets) {
		kept->sets = mem_new(SETS * sizeof *kept->sets);
		kept->ring = mem_new(ELEMENTS * sizeof *kept->ring);
	}
	for (size_t i = 0; i < count; i++) {
		uint32_t tag;
		struct opencsd_kept_set *set = set_of(kept, &list[i].message, &tag);
		size_t at = oldest_of(set, kept->count);
		set->tags[at] = tag;
		set->places[at] = kept->count;
		kept->ring[kept->count++ % ELEMENTS] = list[i];
	}
	pthread_mutex_unlock(&kept->lock);
}

/* An element that another has taken the place of is that of another message. */
static const struct opencsd_kept_element *
find_in(const struct opencsd_kept *kept, const struct opencsd_kept_set *set, uint32_t tag,
	const struct message *m)
{
	for (size_t i = 0; i < WAYS; i++) {
		const struct opencsd_kept_element *entry = &kept->ring[set->places[i] % ELEMENTS];
		if (set->tags[i] == tag && message_is_same(&entry->message, m))
			return entry;
	}
	return NULL;
}

bool
opencsd_kept_find(struct opencsd_kept *kept, const struct message *m,
		  struct opencsd_element *element)
{
	const struct opencsd_kept_element *entry = NULL;
	uint32_t tag;
	if (atomic_load_explicit(&kept->chunks_left, memory_order_relaxed) < CHUNKS_KEPT)
		atomic_store_explicit(&kept->chunks_left, CHUNKS_KEPT, memory_order_relaxed);
	pthread_mutex_lock(&kept->lock);
	if (kept->sets) {
		const struct opencsd_kept_set *set = set_of(kept, m, &tag);
		entry = find_in(kept, set, tag, m);
	}
	if (entry)
		*element = entry->element;
	pthread_mutex_unlock(&kept->lock);
	return entry;
}
