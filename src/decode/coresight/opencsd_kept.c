/*
 * Elements made a moment ago: see opencsd_kept.h.
 *
 * They stand in a ring, one behind the other as they were made, and each leads to the next one
 * of its source: who asks for one after the other finds each behind the last one.  Others are
 * in a table of sets of a few places, of which the oldest goes: hardly any goes before half as
 * many as there is room for came.  A set is one line of the cache, with short tags that are
 * compared first.  What came is entered there when it is not found behind the last one.
 */
#include "config.h"

#include "decode/coresight/opencsd_kept.h"
#include "decode/coresight/opencsd_decoder.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
	WAYS = 8,
	SETS = 1 << 14,
	ELEMENTS =
	    WAYS * SETS,   /* a cell of dense trace fits in, with what is decoded ahead of it */
	SKIPPED_MOST = 64, /* that nobody asks for, between two that are asked for */
	SOURCES = 256,
	NONE = -ELEMENTS, /* a place that is not in the ring */
	CHUNKS_KEPT = 256 /* are kept after each question */
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
	uint32_t *links;		   /* likewise: the next one of the source, or itself */
	uint32_t count;			   /* that were kept; wraps around */
	uint32_t entered;		   /* of them, those that are in the sets, or gone */
	uint32_t newest[SOURCES];	   /* the last one that was kept */
	uint32_t found[SOURCES];	   /* the last one that was found */
};

struct opencsd_kept *
opencsd_kept_new(void)
{
	struct opencsd_kept *kept = mem_new(sizeof *kept);
	pthread_mutex_init(&kept->lock, NULL);
	for (size_t i = 0; i < SOURCES; i++)
		kept->newest[i] = NONE;
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
	free(kept->links);
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

static uint8_t
source_of(const struct message *m)
{
	return opencsd_aux_id(m->aux);
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

static void
add_element(struct opencsd_kept *kept, const struct opencsd_kept_element *element)
{
	uint32_t place = kept->count++, *newest = &kept->newest[source_of(&element->message)];
	kept->ring[place % ELEMENTS] = *element;
	kept->links[place % ELEMENTS] = place;
	if (place - *newest < ELEMENTS)
		kept->links[*newest % ELEMENTS] = place;
	*newest = place;
}

void
opencsd_kept_add(struct opencsd_kept *kept, const struct opencsd_kept_element *list, size_t count)
{
	pthread_mutex_lock(&kept->lock);
	if (!kept->ring) {
		kept->sets = mem_new(SETS * sizeof *kept->sets);
		kept->ring = mem_new(ELEMENTS * sizeof *kept->ring);
		kept->links = mem_new(ELEMENTS * sizeof *kept->links);
	}
	for (size_t i = 0; i < count; i++)
		add_element(kept, &list[i]);
	pthread_mutex_unlock(&kept->lock);
}

/* Enters those that came since into the sets. */
static void
enter_new(struct opencsd_kept *kept)
{
	if (kept->count - kept->entered > ELEMENTS)
		kept->entered = kept->count - ELEMENTS;
	for (; kept->entered != kept->count; kept->entered++) {
		uint32_t tag;
		const struct message *m = &kept->ring[kept->entered % ELEMENTS].message;
		struct opencsd_kept_set *set = set_of(kept, m, &tag);
		size_t at = oldest_of(set, kept->entered);
		set->tags[at] = tag;
		set->places[at] = kept->entered;
	}
}

static bool
is_at(const struct opencsd_kept *kept, uint32_t place, const struct message *m)
{
	return message_is_same(&kept->ring[place % ELEMENTS].message, m);
}

/* Finds the place of M, if that is soon behind the one of its source that was found last. */
static bool
find_next(const struct opencsd_kept *kept, const struct message *m, uint32_t *place)
{
	*place = kept->found[source_of(m)];
	for (unsigned i = 0; i < SKIPPED_MOST; i++) {
		*place = kept->links[*place % ELEMENTS];
		if (is_at(kept, *place, m))
			return true;
	}
	return false;
}

/* An element that another has taken the place of is that of another message. */
static bool
find_entered(struct opencsd_kept *kept, const struct message *m, uint32_t *place)
{
	uint32_t tag;
	enter_new(kept);
	const struct opencsd_kept_set *set = set_of(kept, m, &tag);
	for (size_t i = 0; i < WAYS; i++) {
		*place = set->places[i];
		if (set->tags[i] == tag && is_at(kept, *place, m))
			return true;
	}
	return false;
}

bool
opencsd_kept_find(struct opencsd_kept *kept, const struct message *m,
		  struct opencsd_element *element)
{
	uint32_t place;
	_Atomic unsigned *left = &kept->chunks_left;
	if (atomic_load_explicit(left, memory_order_relaxed) < CHUNKS_KEPT)
		atomic_store_explicit(left, CHUNKS_KEPT, memory_order_relaxed);
	pthread_mutex_lock(&kept->lock);
	bool found = kept->ring && (find_next(kept, m, &place) || find_entered(kept, m, &place));
	if (found) {
		*element = kept->ring[place % ELEMENTS].element;
		kept->found[source_of(m)] = place;
	}
	pthread_mutex_unlock(&kept->lock);
	return found;
}
