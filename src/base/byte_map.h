/*
 * A map from byte strings to 64-bit values.
 *
 * Open addressing, at most three quarters full.  A slot holds the hash of its key.  A slot with
 * another key thus costs one cache line.  The right one costs two or three, because its bytes are
 * compared.
 *
 * To look up many keys, let their cache lines load at the same time.  Call byte_map_near for each
 * key, then byte_map_nearer for each, then byte_map_add for each.
 */
#ifndef TRAWL_BASE_BYTE_MAP_H
#define TRAWL_BASE_BYTE_MAP_H

#include "base/arena.h"

#include <stdint.h>

/* A key with its value.  Does not move until byte_map_clear. */
struct byte_map_entry {
	uint64_t value;
	size_t length;
	char bytes[];
};

struct byte_map_slot;

/* Zero-initialise to start.  Callers may read `count`; the rest is private. */
struct byte_map {
	struct byte_map_slot *slots;
	size_t count, size;
	struct arena arena;
};

uint64_t byte_map_hash(const void *bytes, size_t length);

/* Find the entry of a key with this hash.  If it is missing, copy the key and set its value to
 * 0. */
struct byte_map_entry *byte_map_add(struct byte_map *, uint64_t hash, const void *bytes,
				    size_t length);

/* Prefetch the cache lines of a key with this hash for byte_map_add: its slot, then its entry. */
void byte_map_near(const struct byte_map *, uint64_t hash);
void byte_map_nearer(const struct byte_map *, uint64_t hash);

/* Free the slots.  The entries remain, but no key can be looked up or added. */
void byte_map_end(struct byte_map *);

size_t byte_map_size(const struct byte_map *); /* bytes of memory of slots and entries */

void byte_map_clear(struct byte_map *); /* drops all keys, keeps memory for new ones */
void byte_map_free(struct byte_map *);	/* also frees the memory */

#endif
