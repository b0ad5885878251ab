/*
 * A map from 64-bit keys to 64-bit values.
 *
 * Open addressing, at most half full, so a look-up costs one or two cache lines.  Keys may come
 * from a capture and have any value; the caller limits their number.
 */
#ifndef TRAWL_BASE_MAP_H
#define TRAWL_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct map_slot;

/* Zero-initialise to start.  Callers may read `count`; the rest is private. */
struct map {
	struct map_slot *slots;
	size_t count, size;
};

/* Return the value of KEY, or NULL.  Valid until the next map_add. */
uint64_t *map_find(const struct map *, uint64_t key);
/* Same, but add a missing KEY with the value 0. */
uint64_t *map_add(struct map *, uint64_t key);
void map_free(struct map *); /* empties it */

#endif
