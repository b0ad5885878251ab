/*
 * Configuration merges and complains: for files that come with the program and
 * for random parts of them, a key that is left out gives the default, and a name
 * that is misspelt gives an error with file, line, column and what was expected.
 *
 * The place of the misspelling is counted here from the text, which is written so
 * that each value stands on a line of its own.
 */
#include "config.h"

#include "test.h"

#include "config/builtin.h"
#include "config/looks.h"
#include "config/schema.h"
#include "decode/registry.h"
#include "random.h"
#include "session/session.h"
#include "session/session.h"
#include "trace/trace.h"
#include "ui/notebook.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 3 };

static const char *const folders[LOOKS_PARTS] = {
    [LOOKS_VIEW] = "views/", [LOOKS_THEME] = "themes/", [LOOKS_KEYS] = "keys/"};

static uint64_t seed = 1;

static char path[] = "/tmp/test_layers.XXXXXX/file.yaml";
enum { FOLDER = sizeof "/tmp/test_layers.XXXXXX" - 1 };

static int
begin(void **state)
{
	(void)state;
	path[FOLDER] = '\0';
	bool made = mkdtemp(path);
	setenv("XDG_CONFIG_HOME", path, 1);
	path[FOLDER] = '/';
	return made ? 0 : -1;
}

static int
end(void **state)
{
	(void)state;
	unlink(path);
	path[FOLDER] = '\0';
	return rmdir(path);
}

static void
write_file(const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	fclose(file);
}

/* --- what is left out -------------------------------------------------- */

/* The looks of a part, as --dump-config prints them. */
static char *
dump(enum looks_part part, const char *what)
{
	struct looks_source source = {0};
	struct looks looks = {0};
	struct text out = {0};
	struct err err = {0};
	looks_standard(&source);
	if (looks_load(&source, &looks, &err) < 0 ||
	    (what && looks_choose(&source, &looks, part, what, &err) < 0))
		fail_msg("%s", err.what);
	looks_write(&looks, &out);
	option_release(&looks_options_table, &looks);
	looks_free(&source);
	return out.data;
}

/* The lines of KEY in a dump: its own, and those that are indented below. */
static char *
lines_of(const char *all, enum looks_part part, const char *key)
{
	static const char *const heads[LOOKS_PARTS] = {"view:\n", "theme:\n", "keys:\n"};
	char wanted[64];
	snprintf(wanted, sizeof wanted, "\n  %s:", key);
	const char *from = strstr(strstr(all, heads[part]), wanted);
	assert_non_null(from);
	const char *to = from + 1;
	do
		to += strcspn(to, "\n") + 1;
	while (!strncmp(to, "   ", 3));
	return strndup(from + 1, (size_t)(to - from - 1));
}

/* FILE without a part of it, in `path`. */
static void
write_without(const struct builtin_file *file, size_t from, size_t to)
{
	struct text text = {0};
	text_add_bytes(&text, file->text, from);
	text_add(&text, file->text + to);
	write_file(text_get(&text));
	text_free(&text);
}

/* Whether another line of the file takes the keys in WORD. */
static bool
is_taken(const struct builtin_file *file, const char *key, const char *word, size_t length)
{
	struct keymap_options options;
	struct err err;
	struct keys wanted, other;
	bool taken = false;
	assert_true(keys_parse(word, length, &wanted));
	assert_int_equal(schema_load_file(path, &keymap_options_table, &options, &err), 0);
	for (const char *line = file->text; *line; line = strchr(line, '\n') + 1) {
		char name[64], all[128];
		if (sscanf(line, "%63[a-z-]: \"%127[^\"]", name, all) != 2 || !strcmp(name, key))
			continue;
		for (char *at = strtok(all, " "); at; at = strtok(NULL, " ")) {
			assert_true(keys_parse(at, strlen(at), &other));
			size_t least = other.count < wanted.count ? other.count : wanted.count;
			taken |= !memcmp(other.at, wanted.at, least * sizeof *other.at);
		}
	}
	option_release(&keymap_options_table, &options);
	return taken;
}

/* A command has its default keys, save those that the rest of the file takes. */
static void
check_keys(const struct builtin_file *file, const char *key, const char *got)
{
	size_t command = 0, length;
	while (strcmp(commands[command].name, key) != 0)
		command++;
	for (const char *at = commands[command].keys; *at; at += length) {
		at += strspn(at, " ");
		length = strcspn(at, " ");
		char word[32];
		snprintf(word, sizeof word, "%.*s", (int)length, at);
		if (length && !is_taken(file, key, at, length) && !strstr(got, word))
			fail_msg("%s without %s: \"%s\" has no %s", file->name, key, got, word);
	}
}

static void
check_without(const struct builtin_file *file, enum looks_part part, const char *key, size_t from,
	      size_t to)
{
	write_without(file, from, to);
	char *usual = dump(part, NULL), *now = dump(part, path);
	char *expected = lines_of(usual, part, key), *got = lines_of(now, part, key);
	if (part == LOOKS_KEYS)
		check_keys(file, key, got);
	else
		assert_string_equal(got, expected);
	free(usual);
	free(now);
	free(expected);
	free(got);
}

static void
test_left_out(void **state)
{
	(void)state;
	size_t checked = 0;
	for (size_t i = 0; i < builtin_file_count; i++) {
		const struct builtin_file *file = &builtin_files[i];
		int part = 0;
		while (strncmp(file->name, folders[part], strlen(folders[part])) != 0)
			part++;
		for (const char *line = file->text, *next; *line; line = next) {
			char key[64];
			next = strchr(line, '\n') + 1;
			if (sscanf(line, "%63[a-z_0-9-]:", key) != 1)
				continue;
			while (*next == ' ')
				next = strchr(next, '\n') + 1;
			check_without(file, (enum looks_part)part, key, (size_t)(line - file->text),
				      (size_t)(next - file->text));
			checked++;
		}
	}
	assert_true(checked > 150);
}

/* One rule keeps the columns, one colour the others; a list and a role are whole. */
static void
test_one_thing(void **state)
{
	(void)state;
	struct looks_source source = {.format = "gem"};
	struct looks looks = {0}, usual = {0};
	struct err err = {0};
	looks_standard(&source);
	assert_int_equal(looks_load(&source, &usual, &err), 0);
	write_file("rules: [{filter: boot, role: error}]\n");
	assert_int_equal(looks_choose(&source, &looks, LOOKS_VIEW, path, &err), 0);
	assert_int_equal(looks.view.columns.count, usual.view.columns.count);
	assert_string_equal(((struct column *)looks.view.columns.at)[3].name, "word");
	assert_int_equal(looks.view.rules.count, 1);

	write_file("error: {fg: blue}\n");
	assert_int_equal(looks_choose(&source, &looks, LOOKS_THEME, path, &err), 0);
	assert_string_equal(looks.theme.styles[ROLE_ERROR].fg, "blue");
	assert_false(looks.theme.styles[ROLE_ERROR].bold);
	assert_string_equal(looks.theme.styles[ROLE_FATAL].fg, "red");
	assert_true(looks.theme.styles[ROLE_FATAL].bold);

	/* over what there is, and again when all is read anew */
	looks_standard(&source);
	assert_int_equal(looks_load(&source, &looks, &err), 0);
	write_file("theme: {note: {fg: green}}\nview: {rules: []}\nkeys: {down: x}\n");
	for (int round = 0; round < 2; round++) {
		if (round)
			assert_int_equal(looks_load(&source, &looks, &err), 0);
		else
			assert_int_equal(looks_read(&source, &looks, path, &err), 0);
		assert_string_equal(looks.theme.styles[ROLE_NOTE].fg, "green");
		assert_string_equal(looks.theme.styles[ROLE_FATAL].fg, "red");
		assert_int_equal(looks.view.columns.count, usual.view.columns.count);
		assert_int_equal(looks.view.rules.count, 0);
		assert_string_equal(looks.keys.keys[COMMAND_DOWN], "x");
		assert_string_equal(looks.keys.keys[COMMAND_UP], usual.keys.keys[COMMAND_UP]);
	}
	option_release(&looks_options_table, &looks);
	option_release(&looks_options_table, &usual);
	looks_free(&source);
}

/* --- what is misspelt -------------------------------------------------- */

/* Swaps two letters behind the first, so that a name of a key stays one word;
 * false if it cannot be done. */
static bool
misspell(const char *name, char *out, size_t size)
{
	size_t length = strlen(name);
	snprintf(out, size, "%s", name);
	for (int tries = 0; length >= 3 && length < size && tries < 20; tries++) {
		size_t i = 1 + random_below(&seed, length - 2);
		if (out[i] == out[i + 1])
			continue;
		char c = out[i];
		out[i] = out[i + 1];
		out[i + 1] = c;
		return true;
	}
	return false;
}

/* A YAML text on one line, behind a number of comments, with the place of what is
 * wrong in it. */
struct sample {
	struct text text;
	size_t line, column;
	char closers[64]; /* what ends it, backwards */
};

static void
sample_begin(struct sample *sample)
{
	*sample = (struct sample){.line = 1 + random_below(&seed, 5)};
	for (size_t i = 1; i < sample->line; i++)
		text_add(&sample->text, "# comment\n");
	sample->column = sample->text.length;
}

static void
sample_open(struct sample *sample, const char *openers, char closer)
{
	size_t length = strlen(sample->closers);
	text_add(&sample->text, openers);
	memmove(sample->closers + 1, sample->closers, length + 1);
	sample->closers[0] = closer;
}

static void
sample_note(struct sample *sample)
{
	sample->column = sample->text.length - sample->column + 1;
}

/* Values of the keys that TABLE requires, but for ROW. */
static void
sample_require(struct sample *sample, const struct option_table *table,
	       const struct option_row *row)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct option_row *other = &table->rows[i];
		if (!other->required || other == row)
			continue;
		text_addf(&sample->text, "%s: %s, ", other->name,
			  other->type == OPTION_CHOICE	  ? other->choices[0]
			  : !strcmp(other->name, "field") ? "data"
			  : other->type == OPTION_TEXT	  ? "time"
			  : other->type == OPTION_STRUCT  ? "{}"
							  : "1");
	}
}

static void
sample_check(struct sample *sample, const struct option_table *root, const char *wrong,
	     const char *right)
{
	char expected[64];
	void *object = mem_new(root->size);
	struct err err = {0};
	text_add(&sample->text, sample->closers);
	snprintf(expected, sizeof expected, "s.yaml:%zu:%zu: ", sample->line, sample->column);
	const char *text = text_get(&sample->text);
	if (schema_load_text("s.yaml", text, strlen(text), root, object, &err) != ERR_CONFIG)
		fail_msg("%s for %s is accepted: %s", wrong, right, text);
	if (strncmp(err.what, expected, strlen(expected)) != 0 || !strstr(err.what, wrong))
		fail_msg("\"%s\", not \"%s\" for: %s", err.what, expected, text);
	if (!strstr(err.what, "expected ") && !strstr(err.what, "did you mean "))
		fail_msg("\"%s\" does not say what was expected", err.what);
	option_release(root, object);
	free(object);
	text_free(&sample->text);
}

/* Where in the tables a sample goes: the rows from the root on. */
struct way {
	const struct option_table *root, *tables[8];
	const struct option_row *rows[8];
	size_t depth;
};

/* Writes the way to the table at its end, open for keys. */
static void
sample_walk(struct sample *sample, const struct way *way)
{
	sample_begin(sample);
	sample_open(sample, "{", '}');
	for (size_t i = 0; i < way->depth; i++) {
		const struct option_row *row = way->rows[i];
		sample_require(sample, way->tables[i], row);
		text_addf(&sample->text, "%s: ", row->name);
		if (row->type == OPTION_LIST)
			sample_open(sample, "[", ']');
		sample_open(sample, "{", '}');
	}
}

static void
check_key(const struct way *way, const struct option_table *table, const struct option_row *row)
{
	struct sample sample;
	char wrong[64];
	if (!misspell(row->name, wrong, sizeof wrong) || option_find(table, wrong))
		return;
	sample_walk(&sample, way);
	sample_require(&sample, table, NULL);
	sample_note(&sample);
	text_addf(&sample.text, "%s: 1", wrong);
	sample_check(&sample, way->root, wrong, row->name);
}

static void
check_value(const struct way *way, const struct option_table *table, const struct option_row *row,
	    const char *right)
{
	struct sample sample;
	char wrong[64];
	if (!misspell(right, wrong, sizeof wrong))
		return;
	sample_walk(&sample, way);
	sample_require(&sample, table, row);
	text_addf(&sample.text, "%s: ", row->name);
	sample_note(&sample);
	text_addf(&sample.text, "\"%s\"", wrong);
	sample_check(&sample, way->root, wrong, right);
}

static const char *
format_name(size_t i)
{
	return i < decoder_count ? decoders[i]->format : NULL;
}

static const char *
colour_name(size_t i)
{
	static const char *const names[] = {"default", "black",	  "red",  "green", "yellow",
					    "blue",    "magenta", "cyan", "white", "bright-red"};
	return i < sizeof names / sizeof *names ? names[i] : NULL;
}

static const char *
any_column(size_t i)
{
	static const char *const names[] = {"number",	"time", "delta", "trace",  "origin",
					    "severity", "type", "text",	 "offset", "length"};
	const size_t own = sizeof names / sizeof *names;
	return i < own ? names[i] : decoder_field_name(i - own);
}

/* The sets of names beside the keys and the choices of the tables. */
static const struct {
	const char *table, *row;
	const char *(*name)(size_t);
} sets[] = {
    {"columns", "name", any_column}, {"style", "fg", colour_name},
    {"style", "bg", colour_name},    {"traces", "format", format_name},
    {"from", "format", format_name}, {"contexts", "field", decoder_field_name},
    {"keys", "down", keys_word},
};

static bool
is_in(const char *(*name)(size_t), const char *wanted)
{
	const char *at;
	for (size_t i = 0; (at = name(i)); i++)
		if (!strcmp(at, wanted))
			return true;
	return false;
}

static void
check_names(const struct way *way, const struct option_table *table, const struct option_row *row)
{
	const char *right;
	for (size_t i = 0; row->type == OPTION_CHOICE && row->choices[i]; i++)
		check_value(way, table, row, row->choices[i]);
	for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
		if (strcmp(table->name, sets[s].table) != 0 || strcmp(row->name, sets[s].row) != 0)
			continue;
		for (size_t i = 0; (right = sets[s].name(i)); i++) {
			uint64_t before = seed;
			char wrong[64];
			bool good =
			    misspell(right, wrong, sizeof wrong) && !is_in(sets[s].name, wrong);
			seed = before; /* the same letters again */
			if (good)
				check_value(way, table, row, right);
		}
	}
}

static void
check_table(struct way *way, const struct option_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct option_row *row = &table->rows[i];
		check_key(way, table, row);
		check_names(way, table, row);
		if (!row->table)
			continue;
		way->tables[way->depth] = table;
		way->rows[way->depth++] = row;
		check_table(way, row->table);
		way->depth--;
	}
}

static void
test_misspelt(void **state)
{
	(void)state;
	const struct option_table *const roots[] = {
	    &looks_options_table,  &view_options_table,	    &theme_options_table,
	    &keymap_options_table, profile_options_table(), &notebook_options_table};
	for (int round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
			struct way way = {.root = roots[i]};
			check_table(&way, roots[i]);
		}
	}
}

/* One key of a shipped file misspelt, the place counted from its text. */
static void
test_shipped_misspelt(void **state)
{
	(void)state;
	for (size_t i = 0; i < builtin_file_count; i++) {
		const struct builtin_file *file = &builtin_files[i];
		size_t line = 0;
		int part = 0;
		while (strncmp(file->name, folders[part], strlen(folders[part])) != 0)
			part++;
		const struct option_table *table = looks_options_table.rows[part].table;
		for (const char *at = file->text; *at; at = strchr(at, '\n') + 1) {
			char key[64], wrong[64], expected[128];
			struct text text = {0};
			struct looks looks;
			struct err err = {0};
			line++;
			if (sscanf(at, "%63[a-z_0-9-]:", key) != 1 ||
			    !misspell(key, wrong, sizeof wrong))
				continue;
			text_add_bytes(&text, file->text, (size_t)(at - file->text));
			text_add(&text, wrong);
			text_add(&text, at + strlen(key));
			snprintf(expected, sizeof expected, "s.yaml:%zu:1: unknown key %s in", line,
				 wrong);
			assert_int_equal(
			    schema_load_text("s.yaml", text.data, text.length, table, &looks, &err),
			    ERR_CONFIG);
			assert_memory_equal(err.what, expected, strlen(expected));
			text_free(&text);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_left_out),
	    cmocka_unit_test(test_one_thing),
	    cmocka_unit_test(test_misspelt),
	    cmocka_unit_test(test_shipped_misspelt),
	};
	return cmocka_run_group_tests_name("layers", tests, begin, end);
}
