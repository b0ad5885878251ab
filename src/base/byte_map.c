/* A hash table with linear probing.  Its keys are in an arena.  See byte_map.h. */
#include "config.h"

#include "base/byte_map.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_FIRST = 64 };

struct byte_map_slot {
	uint64_t hash;
	struct byte_map_entry *entry; /* NULL: free */
};

static uint64_t
mix_word(uint64_t hash, uint64_t word)
{
	unsigned __int128 product = (unsigned __int128)(hash ^ word) * 0x9e3779b97f4a7c15u;
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Hash eight bytes at a time.  From eight bytes on, the last word may overlap the one before. */
uint64_t
byte_map_hash(const void *data, size_t length)
{
	const char *bytes = data;
	uint64_t hash = 0xcbf29ce484222325 ^ length, word = 0;
	size_t at = 0;
	for (; length - at > sizeof word; at += sizeof word) {
		memcpy(&word, bytes + at, sizeof word);
		hash = mix_word(hash, word);
	}
	if (length >= sizeof word)
		memcpy(&word, bytes + length - sizeof word, sizeof word);
	else
		for (word = 0; at < length; at++)
			word = word << 8 | (unsigned char)bytes[at];
	hash = mix_word(hash, word);
	return mix_word(hash, hash >> 32);
}

static struct byte_map_slot *
slot_of(const struct byte_map *map, uint64_t hash)
{
	return &map->slots[hash & (map->size - 1)];
}

static void
grow_slots(struct byte_map *map)
{
	struct byte_map old = *map;
	map->size = old.size ? 2 * old.size : SLOTS_FIRST;
	map->slots = mem_new_wide(map->size * sizeof *map->slots);
	for (size_t i = 0; i < old.size; i++) {
		struct byte_map_slot *slot = slot_of(map, old.slots[i].hash);
		while (old.slots[i].entry && slot->entry)
			slot = slot + 1 < map->slots + map->size ? slot + 1 : map->slots;
		if (old.slots[i].entry)
			*slot = old.slots[i];
	}
	free(old.slots);
}

struct byte_map_entry *
byte_map_add(struct byte_map *map, uint64_t hash, const void *bytes, size_t length)
{
	if (4 * (map->count + 1) > 3 * map->size)
		grow_slots(map);
	struct byte_map_slot *slot = slot_of(map, hash);
	for (; slot->entry; slot = slot + 1 < map->slots + map->size ? slot + 1 : map->slots) {
		struct byte_map_entry *entry = slot->entry;
		if (slot->hash == hash && entry->length == length &&
		    (!length || !memcmp(entry->bytes, bytes, length)))
			return entry;
	}
	struct byte_map_entry *entry = arena_alloc(&map->arena, sizeof *entry + length);
	entry->value = 0;
	entry->length = length;
	if (length)
		memcpy(entry->bytes, bytes, length);
	*slot = (struct byte_map_slot){hash, entry};
	map->count++;
	return entry;
}

void
byte_map_near(const struct byte_map *map, uint64_t hash)
{
	if (map->size)
		__builtin_prefetch(slot_of(map, hash));
}

void
byte_map_nearer(const struct byte_map *map, uint64_t hash)
{
	const struct byte_map_slot *slot = map->size ? slot_of(map, hash) : NULL;
	if (slot && slot->entry)
		__builtin_prefetch(slot->entry);
}

void
byte_map_end(struct byte_map *map)
{
	free(map->slots);
	map->slots = NULL;
	map->size = 0;
}

size_t
byte_map_size(const struct byte_map *map)
{
	return map->size * sizeof *map->slots + map->arena.size;
}

void
byte_map_clear(struct byte_map *map)
{
	byte_map_end(map);
	arena_reset(&map->arena);
	map->count = 0;
}

void
byte_map_free(struct byte_map *map)
{
	byte_map_clear(map);
	arena_free(&map->arena);
}
