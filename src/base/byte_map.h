/*
 * A map from strings of bytes to 64-bit values.
 *
 * Open addressing, at most half full.  A slot has the hash of its key, so another key costs
 * one line of the cache, the right one two or three: its bytes are compared.  Who has many
 * keys to look for says so before, for the lines of all of them come at once then: first
 * byte_map_near for each, then byte_map_nearer for each, then byte_map_add.
 */
#ifndef TRAWL_BASE_BYTE_MAP_H
#define TRAWL_BASE_BYTE_MAP_H

#include "base/arena.h"

#include <stdint.h>

/* A key with its value, which stays where it is. */
struct byte_map_entry {
	uint64_t value;
	size_t length;
	char bytes[];
};

struct byte_map_slot;

/* Zero-initialise to start; `count` may be read, the rest is its own. */
struct byte_map {
	struct byte_map_slot *slots;
	size_t count, size;
	struct arena arena;
};

uint64_t byte_map_hash(const void *bytes, size_t length);

/* The entry of a key of that hash; a key that is not there is copied, with the value 0. */
struct byte_map_entry *byte_map_add(struct byte_map *, uint64_t hash, const void *bytes,
				    size_t length);

/* Fetches what byte_map_add will look at for a key of that hash: its slot, its entry. */
void byte_map_near(const struct byte_map *, uint64_t hash);
void byte_map_nearer(const struct byte_map *, uint64_t hash);

void byte_map_clear(struct byte_map *); /* forgets all keys; keeps memory for the next */
void byte_map_free(struct byte_map *);	/* empties it */

#endif
