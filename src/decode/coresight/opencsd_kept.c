/*
 * Keep recent elements: see opencsd_kept.h.
 *
 * The elements are in a ring, in the order they were made.  Each links to the next element of its
 * source.  So a caller that reads a source in order finds each element right after the last one.
 *
 * For other access, a table of sets has a few slots each, where a new entry replaces the oldest.
 * An entry is rarely replaced before half of ELEMENTS newer ones came.  A set is one cache line
 * with short tags, which are compared first.  New elements enter the table only when a link does
 * not find an element.
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
	ELEMENTS = WAYS * SETS, /* fits a cell of dense trace plus the chunks decoded ahead */
	SKIPPED_MOST = 64,	/* most elements without a request between two requested ones */
	SOURCES = 256,
	NONE = -ELEMENTS, /* a place outside the ring */
	CHUNKS_KEPT = 256 /* chunks kept after each call of opencsd_kept_find() */
};

struct opencsd_kept_set {
	uint32_t tags[WAYS];   /* 0: empty */
	uint32_t places[WAYS]; /* `count` when the element was added */
};

struct opencsd_kept {
	_Atomic unsigned chunks_left; /* chunks still to be kept */
	pthread_mutex_t lock;
	struct opencsd_kept_set *sets;	   /* NULL until the first element is kept */
	struct opencsd_kept_element *ring; /* also NULL until then; ELEMENTS entries */
	uint32_t *links;		   /* also NULL until then: next of the source, or itself */
	uint32_t count;			   /* number of elements kept in total; wraps around */
	uint32_t entered;		   /* elements up to here are in the sets, or replaced */
	uint32_t newest[SOURCES];	   /* last element kept of each source */
	uint32_t found[SOURCES];	   /* last element found of each source */
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
	/* a race of two threads may lose a decrement: this is only a hint */
	if (left)
		atomic_store_explicit(&kept->chunks_left, left - 1, memory_order_relaxed);
	return left;
}

static uint8_t
source_of(const struct message *m)
{
	return opencsd_aux_id(m->aux);
}

/* Return the set of a message, and set its tag in the set. */
static struct opencsd_kept_set *
set_of(struct opencsd_kept *kept, const struct message *m, uint32_t *tag)
{
	uint64_t hash = (m->offset * 0x9e3779b97f4a7c15u ^ m->aux) * 0xbf58476d1ce4e5b9u;
	*tag = (uint32_t)hash | 1;
	return &kept->sets[(hash >> 40) % SETS];
}

/* Return the slot of a set for the next entry: the oldest one. */
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

/* Enter new elements into the sets. */
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

/* Find M by the links, within a few elements after the last one found of its source. */
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

/* Find M in the sets.  A replaced element is not found, because its place now holds another
 * message. */
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
