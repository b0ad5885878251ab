/*
 * A map from 64-bit keys to 64-bit values.
 *
 * Open addressing, at most half full, so a look costs one or two lines of the
 * cache.  Keys may be anything a capture says; the caller limits how many.
 */
#ifndef TRAWL_BASE_MAP_H
#define TRAWL_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct map_slot;

/* Zero-initialise to start; `count` may be read, the rest is its own. */
struct map {
	struct map_slot *slots;
	size_t count, size;
};

/* The value of KEY, or NULL.  Lives until the next map_add. */
uint64_t *map_find(const struct map *, uint64_t key);
/* The same; a KEY that is not there is added with the value 0. */
uint64_t *map_add(struct map *, uint64_t key);
void map_free(struct map *); /* empties it */

#endif
