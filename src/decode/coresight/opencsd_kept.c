/*
 * Elements made a moment ago: see opencsd_kept.h.
 *
 * The table is in sets of a few entries each, of which the oldest goes: so hardly any goes
 * before half as many as there is room for came.  Short tags are compared first.
 */
#include "config.h"

#include "decode/coresight/opencsd_kept.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
	WAYS = 8,
	SETS = 1 << 13,	  /* what waits to be written by several workers fits in */
	CHUNKS_KEPT = 256 /* are kept after each question */
};

struct opencsd_kept_set {
	uint32_t tags[WAYS]; /* 0: none */
	uint32_t next;	     /* that goes */
	struct opencsd_kept_element entries[WAYS];
};

struct opencsd_kept {
	_Atomic unsigned chunks_left; /* chunks that are still to be kept */
	pthread_mutex_t lock;
	struct opencsd_kept_set *sets; /* NULL until the first is kept */
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

void
opencsd_kept_add(struct opencsd_kept *kept, const struct opencsd_kept_element *list, size_t count)
{
	pthread_mutex_lock(&kept->lock);
	if (!kept->sets)
		kept->sets = mem_new(SETS * sizeof *kept->sets);
	for (size_t i = 0; i < count; i++) {
		uint32_t tag;
		struct opencsd_kept_set *set = set_of(kept, &list[i].message, &tag);
		size_t at = set->next++ % WAYS;
		set->tags[at] = tag;
		set->entries[at] = list[i];
	}
	pthread_mutex_unlock(&kept->lock);
}

static const struct opencsd_kept_element *
find_in(const struct opencsd_kept_set *set, uint32_t tag, const struct message *m)
{
	for (size_t i = 0; i < WAYS; i++)
		if (set->tags[i] == tag && message_is_same(&set->entries[i].message, m))
			return &set->entries[i];
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
		entry = find_in(set, tag, m);
	}
	if (entry)
		*element = entry->element;
	pthread_mutex_unlock(&kept->lock);
	return entry;
}
