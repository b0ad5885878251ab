/*
 * Keys to commands: see keymap.h.
 *
 * A list of some hundred bindings, searched from end to end at each key: a
 * person types at most some thirty of them a second.
 */
#include "config.h"

#include "command/keymap.h"

#include <assert.h>
#include <string.h>

void
keymap_standard(struct keymap *map)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		const char *at = commands[i].keys;
		while (*at) {
			size_t length = strcspn(at, " ");
			int failed = keymap_bind(map, commands[i].scope, at, length,
						 (enum command_id)i, NULL);
			assert(!failed);
			(void)failed;
			at += length;
			at += strspn(at, " ");
		}
	}
}

void
keymap_free(struct keymap *map)
{
	vec_free(&map->bindings);
}

static bool
starts_with(const struct keys *keys, const struct keys *start)
{
	return keys->count >= start->count &&
	       !memcmp(keys->at, start->at, start->count * sizeof *start->at);
}

static struct binding *
find(const struct keymap *map, enum command_scope scope, const struct keys *keys)
{
	for (size_t i = 0; i < map->bindings.count; i++) {
		struct binding *b = &map->bindings.at[i];
		if (b->scope == scope && b->keys.count == keys->count &&
		    starts_with(&b->keys, keys))
			return b;
	}
	return NULL;
}

int
keymap_bind(struct keymap *map, enum command_scope scope, const char *text, size_t length,
	    enum command_id command, struct err *err)
{
	struct keys keys;
	if (!keys_parse(text, length, &keys))
		return err_set(err, ERR_CONFIG,
			       "%.*s: no keys; write them as j, Ctrl-D, PgDn or ]e", (int)length,
			       text);
	struct binding *binding = find(map, scope, &keys);
	if (!binding)
		binding = vec_add(&map->bindings);
	*binding = (struct binding){.keys = keys, .scope = scope, .command = command};
	return 0;
}

enum keymap_answer
keymap_look(const struct keymap *map, enum command_scope scope, const struct keys *keys,
	    enum command_id *command)
{
	const struct binding *found = find(map, scope, keys);
	if (!found)
		found = find(map, SCOPE_ANY, keys);
	if (found) {
		*command = found->command;
		return KEYMAP_FOUND;
	}
	for (size_t i = 0; i < map->bindings.count; i++) {
		const struct binding *b = &map->bindings.at[i];
		if ((b->scope == scope || b->scope == SCOPE_ANY) && starts_with(&b->keys, keys))
			return KEYMAP_PREFIX;
	}
	return KEYMAP_NONE;
}

void
keymap_keys(const struct keymap *map, enum command_id command, struct text *out)
{
	bool first = true;
	for (size_t i = 0; i < map->bindings.count; i++) {
		const struct binding *b = &map->bindings.at[i];
		if (b->command != command)
			continue;
		if (!first)
			text_add_char(out, ' ');
		keys_format(&b->keys, out);
		first = false;
	}
}
