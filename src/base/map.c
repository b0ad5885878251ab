/* A hash table with linear probing: see map.h. */
#include "config.h"

#include "base/map.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdlib.h>

struct map_slot {
	uint64_t key, value;
	bool used;
};

static uint64_t
mix_key(uint64_t key)
{
	key ^= key >> 32;
	key *= 0x9e3779b97f4a7c15;
	return key ^ key >> 29;
}

/* Return the slot that holds KEY, or the free one where it belongs. */
static struct map_slot *
slot_of(const struct map *map, uint64_t key)
{
	size_t at = mix_key(key) & (map->size - 1);
	while (map->slots[at].used && map->slots[at].key != key)
		at = (at + 1) & (map->size - 1);
	return &map->slots[at];
}

static void
map_grow(struct map *map)
{
	struct map old = *map;
	map->size = old.size ? 2 * old.size : 64;
	map->slots = mem_new(map->size * sizeof *map->slots);
	for (size_t i = 0; i < old.size; i++)
		if (old.slots[i].used)
			*slot_of(map, old.slots[i].key) = old.slots[i];
	free(old.slots);
}

uint64_t *
map_find(const struct map *map, uint64_t key)
{
	struct map_slot *slot = map->size ? slot_of(map, key) : NULL;
	return slot && slot->used ? &slot->value : NULL;
}

uint64_t *
map_add(struct map *map, uint64_t key)
{
	if (2 * (map->count + 1) > map->size)
		map_grow(map);
	struct map_slot *slot = slot_of(map, key);
	if (!slot->used) {
		*slot = (struct map_slot){.key = key, .used = true};
		map->count++;
	}
	return &slot->value;
}

void
map_free(struct map *map)
{
	free(map->slots);
	*map = (struct map){0};
}
