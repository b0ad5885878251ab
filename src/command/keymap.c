/*
 * Keys to commands: see keymap.h.
 *
 * Each key searches a list of some hundred bindings.  That is fast enough: a person types at most
 * some thirty keys a second.
 *
 * Keys clash in a scope if they are equal, or if one sequence begins with the other.  In that case
 * the longer one is never reached.  A user's keys win over defaults, but must not clash with each
 * other.
 */
#include "config.h"

#include "command/keymap.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Skip blanks at *AT and return the length of the next alternative, 0 at the end. */
static size_t
next_alternative(const char **at)
{
	*at += strspn(*at, " ");
	return strcspn(*at, " ");
}

static void
bind_all(struct keymap *map, enum command_id id, const char *at)
{
	size_t length;
	for (; (length = next_alternative(&at)); at += length) {
		int failed = keymap_bind(map, commands[id].scope, at, length, id, NULL);
		assert(!failed);
		(void)failed;
	}
}

void
keymap_standard(struct keymap *map)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		bind_all(map, (enum command_id)i, commands[i].keys);
}

void
keymap_free(struct keymap *map)
{
	for (size_t i = 0; i < map->bindings.count; i++)
		free(map->bindings.at[i].line);
	vec_free(&map->bindings);
}

static bool
starts_with(const struct keys *keys, const struct keys *start)
{
	return keys->count >= start->count &&
	       !memcmp(keys->at, start->at, start->count * sizeof *start->at);
}

static struct binding *
find_binding(const struct keymap *map, enum command_scope scope, const struct keys *keys)
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
	struct binding *binding = find_binding(map, scope, &keys);
	if (!binding)
		binding = vec_add(&map->bindings);
	*binding = (struct binding){.keys = keys, .scope = scope, .command = command};
	return 0;
}

static enum keymap_answer
look_up(const struct keymap *map, enum command_scope scope, const struct keys *keys,
	enum command_id *command)
{
	const struct binding *found = find_binding(map, scope, keys);
	if (found) {
		*command = found->command;
		return KEYMAP_FOUND;
	}
	for (size_t i = 0; i < map->bindings.count; i++) {
		const struct binding *b = &map->bindings.at[i];
		if (b->scope == scope && starts_with(&b->keys, keys))
			return KEYMAP_PREFIX;
	}
	return KEYMAP_NONE;
}

enum keymap_answer
keymap_look(const struct keymap *map, enum command_scope scope, const struct keys *keys,
	    enum command_id *command)
{
	enum keymap_answer answer = look_up(map, scope, keys, command);
	return answer == KEYMAP_NONE ? look_up(map, SCOPE_ANY, keys, command) : answer;
}

const char *
keymap_line(const struct keymap *map, enum command_scope scope, const struct keys *keys)
{
	const struct binding *found = find_binding(map, scope, keys);
	if (!found)
		found = find_binding(map, SCOPE_ANY, keys);
	return found ? found->line : NULL;
}

const struct binding *
keymap_continuation(const struct keymap *map, enum command_scope scope, enum command_id command,
		    const struct keys *start)
{
	for (size_t i = 0; i < map->bindings.count; i++) {
		const struct binding *b = &map->bindings.at[i];
		if (b->command == command && (b->scope == scope || b->scope == SCOPE_ANY) &&
		    b->keys.count > start->count && starts_with(&b->keys, start))
			return b;
	}
	return NULL;
}

/* Append the keys of a command, each with ADD, separated by BETWEEN. */
static void
add_keys(const struct keymap *map, enum command_id command,
	 void (*add)(const struct keys *, struct text *), const char *between, struct text *out)
{
	bool first = true;
	for (size_t i = 0; i < map->bindings.count; i++) {
		const struct binding *b = &map->bindings.at[i];
		if (b->command != command || b->line)
			continue;
		text_add(out, first ? "" : between);
		add(&b->keys, out);
		first = false;
	}
}

void
keymap_keys(const struct keymap *map, enum command_id command, struct text *out)
{
	add_keys(map, command, keys_show, "  ", out);
}

void
keymap_hint(const struct keymap *map, enum command_id command, struct text *out)
{
	for (size_t i = 0; i < map->bindings.count; i++) {
		const struct binding *b = &map->bindings.at[i];
		if (b->command == command && !b->line) {
			keys_show(&b->keys, out);
			return;
		}
	}
	text_addf(out, ":%s", commands[command].name);
}

/* --- a user's file ----------------------------------------------------- */

static const char no_keys[] = "none";
static const char typed_first[] = "/?&"; /* characters that open a prompt */

static bool
bindings_clash(const struct binding *a, const struct binding *b)
{
	return a->scope == b->scope &&
	       (starts_with(&a->keys, &b->keys) || starts_with(&b->keys, &a->keys));
}

/* Return the alternatives that the user gave for a command. */
static const char *
given_keys(const struct keymap_options *options, size_t command)
{
	const char *keys = options->keys[command];
	return !keys || !strcmp(keys, no_keys) ? "" : keys;
}

/* Return the binding of MAP that clashes with NEW, or NULL. */
static const struct binding *
find_clash(const struct keymap *map, const struct binding *new)
{
	for (size_t i = 0; i < map->bindings.count; i++)
		if (bindings_clash(new, &map->bindings.at[i]))
			return &map->bindings.at[i];
	return NULL;
}

/* Remove the bindings of commands in OPTIONS, and those that clash with OWN. */
static void
give_way(struct keymap *map, const struct keymap_options *options, const struct keymap *own)
{
	size_t kept = 0;
	for (size_t i = 0; i < map->bindings.count; i++) {
		const struct binding *b = &map->bindings.at[i];
		if (!options->keys[b->command] && !find_clash(own, b))
			map->bindings.at[kept++] = *b;
	}
	map->bindings.count = kept;
}

/* Apply OPTIONS to a map. */
static void
lay_over(struct keymap *map, const struct keymap_options *options)
{
	struct keymap own = {0};
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		bind_all(&own, (enum command_id)i, given_keys(options, i));
	give_way(map, options, &own);
	for (size_t i = 0; i < own.bindings.count; i++)
		*vec_add(&map->bindings) = own.bindings.at[i];
	keymap_free(&own);
}

void
keymap_make(struct keymap *map, const struct keymap_options *options)
{
	keymap_standard(map);
	lay_over(map, options);
}

void
keymap_describe(const struct keymap *map, struct keymap_options *options)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		struct text keys = {0};
		add_keys(map, (enum command_id)i, keys_format, " ", &keys);
		options->keys[i] = mem_text(keys.length ? keys.data : no_keys);
		text_free(&keys);
	}
}

/* Describe the expected keys for WORD, which is no key. */
static const char *
explain_keys(const char *word, char buffer[static 256])
{
	char what[200];
	snprintf(what, sizeof what,
		 "keys like j, Ctrl-D, PgDn, ]e or <Ctrl-X>ab with blanks between them, or none; "
		 "%s is not a key",
		 word);
	return option_check_name(what, keys_word, word, buffer);
}

static const char *
check_keys(const char *text, char buffer[static 256])
{
	size_t length;
	struct keys keys;
	char word[32];
	if (!strcmp(text, no_keys))
		return NULL;
	for (; (length = next_alternative(&text)); text += length) {
		snprintf(word, sizeof word, "%.*s", (int)length, text);
		if (!keys_parse(text, length, &keys))
			return explain_keys(word, buffer);
	}
	return NULL;
}

/* Add the keys of a row.  Return false at the first clash. */
static bool
add_row(struct keymap *map, size_t command, const char *at, struct option_fault *fault)
{
	size_t length;
	for (; (length = next_alternative(&at)); at += length) {
		struct binding new = {.scope = commands[command].scope,
				      .command = (enum command_id)command};
		keys_parse(at, length, &new.keys);
		const struct binding *other = find_clash(map, &new);
		if (other) {
			fault->member = commands[command].name;
			snprintf(fault->what, sizeof fault->what,
				 "%.*s is a key of %s, or begins like one; give each key to one "
				 "command",
				 (int)length, at, commands[other->command].name);
			return false;
		}
		*vec_add(&map->bindings) = new;
	}
	return true;
}

/* --- keys with a line -------------------------------------------------- */

static const char *
command_name_at(size_t i)
{
	return command_next_name(NULL, i);
}

/* Return the command that LINE names, or COMMAND_COUNT.  *REST is the text after the name. */
static enum command_id
read_line(const char *line, const char **rest)
{
	line += strspn(line, ": ");
	size_t length = strcspn(line, " ");
	enum command_id id = command_find(line, length);
	if (id == COMMAND_COUNT && length && line[length - 1] == '!')
		id = command_find(line, length - 1);
	*rest = line + length + strspn(line + length, " ");
	return id;
}

const char *
keymap_check_key(const char *text, char buffer[static 256])
{
	struct keys keys;
	if (keys_parse(text, strlen(text), &keys))
		return NULL;
	return option_check_name("a key like F5, x, Ctrl-D, PgDn or ]e", keys_word, text, buffer);
}

const char *
keymap_check_line(const char *text, char buffer[static 256])
{
	const char *rest;
	char name[64];
	text += strspn(text, ": ");
	if (*text && (strchr(typed_first, *text) || read_line(text, &rest) < COMMAND_COUNT))
		return NULL;
	snprintf(name, sizeof name, "%.*s", (int)strcspn(text, " "), text);
	return option_check_name("a command as after :", command_name_at, name, buffer);
}

/* True if NEW removes the binding B. */
static bool
takes_away(const struct binding *new, const struct binding *b)
{
	struct binding other = *b;
	if (new->scope == SCOPE_ANY && b->scope == SCOPE_LIST)
		other.scope = SCOPE_ANY;
	return bindings_clash(new, &other);
}

static void
remove_clashes(struct keymap *map, const struct binding *new, struct text *was)
{
	size_t kept = 0;
	for (size_t i = 0; i < map->bindings.count; i++) {
		struct binding b = map->bindings.at[i];
		if (!takes_away(new, &b)) {
			map->bindings.at[kept++] = b;
			continue;
		}
		text_addf(was, "%s%s", was->length ? ", " : "",
			  b.line ? b.line : commands[b.command].name);
		free(b.line);
	}
	map->bindings.count = kept;
}

void
keymap_bind_line(struct keymap *map, const char *key, const char *line, struct text *was)
{
	struct binding new = {.scope = SCOPE_ANY, .command = COMMAND_COMMAND};
	const char *rest = line;
	line += strspn(line, ": ");
	if (!keys_parse(key, strlen(key), &new.keys))
		return;
	enum command_id id = strchr(typed_first, *line) ? COMMAND_COUNT : read_line(line, &rest);
	if (id < COMMAND_COUNT && !*rest && rest[-1] != '!') {
		new.command = id;
		new.scope = commands[id].scope;
	} else {
		new.line = mem_text(line);
	}
	remove_clashes(map, &new, was);
	*vec_add(&map->bindings) = new;
}

static bool
check_clashes(const void *object, struct option_fault *fault)
{
	const struct keymap_options *options = object;
	struct keymap map = {0};
	bool good = true;
	for (size_t i = 0; i < COMMAND_COUNT && good; i++)
		good = add_row(&map, i, given_keys(options, i), fault);
	keymap_free(&map);
	return good;
}

/* Merge a layer of keys.  They win over the layers below, as a user's keys do over defaults.
 * Then write out the keys of every command. */
static void
merge_options(void *lower, void *upper)
{
	struct keymap map = {0};
	keymap_make(&map, lower);
	lay_over(&map, upper);
	option_release(&keymap_options_table, lower);
	keymap_describe(&map, lower);
	keymap_free(&map);
}

static const struct option_row keymap_rows[COMMAND_COUNT] = {
#define COMMAND(id_, name_, group_, scope_, keys_, argument_, handler_, help_)                     \
	[COMMAND_##id_] = {.name = (name_),                                                        \
			   .type = OPTION_TEXT,                                                    \
			   .member = offsetof(struct keymap_options, keys[COMMAND_##id_]),         \
			   .check = check_keys,                                                    \
			   .help = (help_)},
#include "command/command.def"
#undef COMMAND
};

const struct option_table keymap_options_table = {.name = "keys",
						  .size = sizeof(struct keymap_options),
						  .rows = keymap_rows,
						  .count = COMMAND_COUNT,
						  .check = check_clashes,
						  .merge = merge_options};
