/*
 * View, theme and keys: what the files that come with the program say, that
 * what is written loads again as it was, and what a user hears about mistakes.
 * Lines and columns are counted by hand from the texts.
 */
#include "config.h"

#include "test.h"

#include "command/card.h"
#include "config/builtin.h"
#include "config/looks.h"
#include "config/schema.h"
#include "decode/decoder.h"
#include "temp_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- keys -------------------------------------------------------------- */

static int
load_keys(const char *text, struct keymap_options *options, struct err *err)
{
	*err = (struct err){0};
	return schema_load_text("k.yaml", text, strlen(text), &keymap_options_table, options, err);
}

/* What TEXT means in all panes, COMMAND_COUNT if nothing. */
static enum command_id
meaning(const struct keymap *map, enum command_scope scope, const char *text)
{
	struct keys keys;
	enum command_id id = COMMAND_COUNT;
	assert_true(keys_parse(text, strlen(text), &keys));
	return keymap_look(map, scope, &keys, &id) == KEYMAP_FOUND ? id : COMMAND_COUNT;
}

static void
check_hint(const struct keymap *map, enum command_id id, const char *expected)
{
	struct text hint = {0};
	keymap_hint(map, id, &hint);
	assert_string_equal(text_get(&hint), expected);
	text_free(&hint);
}

static void
test_own_keys(void **state)
{
	(void)state;
	struct keymap_options options;
	struct keymap map = {0};
	struct err err;
	assert_int_equal(
	    load_keys("down: \"n Ctrl-J\"\nquit: none\nunfold: \"gx\"\n", &options, &err), 0);
	keymap_make(&map, &options);
	assert_int_equal(meaning(&map, SCOPE_LIST, "n"), COMMAND_DOWN);
	assert_int_equal(meaning(&map, SCOPE_LIST, "Ctrl-J"), COMMAND_DOWN);
	assert_int_equal(meaning(&map, SCOPE_LIST, "j"), COMMAND_COUNT); /* only these */
	assert_int_equal(meaning(&map, SCOPE_LIST, "ZZ"), COMMAND_COUNT);
	assert_int_equal(meaning(&map, SCOPE_LIST, "N"), COMMAND_PREVIOUS);
	check_hint(&map, COMMAND_NEXT, ":next"); /* its n was taken away */
	check_hint(&map, COMMAND_DOWN, "n");
	check_hint(&map, COMMAND_PREVIOUS, "N");
	/* a pane's sequence goes before the same key in all panes */
	assert_int_equal(meaning(&map, SCOPE_DETAIL, "gx"), COMMAND_UNFOLD);
	assert_int_equal(meaning(&map, SCOPE_LIST, "g"), COMMAND_TOP);
	assert_int_equal(meaning(&map, SCOPE_DETAIL, "l"), COMMAND_RIGHT);
	keymap_free(&map);
	option_release(&keymap_options_table, &options);
}

/* One key of the user takes away every default that begins with it. */
static void
test_prefix_is_taken(void **state)
{
	(void)state;
	struct keymap_options options;
	struct keymap map = {0};
	struct err err;
	assert_int_equal(load_keys("page-down: \"]\"\n", &options, &err), 0);
	keymap_make(&map, &options);
	assert_int_equal(meaning(&map, SCOPE_LIST, "]"), COMMAND_PAGE_DOWN);
	assert_int_equal(meaning(&map, SCOPE_LIST, "]e"), COMMAND_COUNT);
	assert_int_equal(meaning(&map, SCOPE_LIST, "[e"), COMMAND_PREVIOUS_ERROR);
	for (size_t i = 0; i < map.bindings.count; i++)
		assert_false(map.bindings.at[i].keys.count > 1 &&
			     map.bindings.at[i].keys.at[0] == ']');
	keymap_free(&map);
	option_release(&keymap_options_table, &options);
}

static void
test_bad_keys(void **state)
{
	(void)state;
	static const struct {
		const char *text, *error;
	} rows[] = {
	    {"donw: j\n", "k.yaml:1:1: unknown key donw in the file; did you mean down?"},
	    {"up: k\ndown: \"j PgDnPgDnPgDnPgDnPgDn\"\n",
	     "k.yaml:2:7: down is \"j PgDnPgDnPgDnPgDnPgDn\"; expected keys like"},
	    {"down: j\nup:\n  \"k j\"\n",
	     "k.yaml:3:3: up: j is a key of down, or begins like one; give each key"},
	    {"down: \"]\"\n\nnext-error: \"]e\"\n",
	     "k.yaml:3:13: next-error: ]e is a key of down, or begins like one; give"},
	    {"down: [j]\n", "k.yaml:1:7: down is a list; expected a single value"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct keymap_options options;
		struct err err;
		assert_int_equal(load_keys(rows[i].text, &options, &err), ERR_CONFIG);
		if (strncmp(err.what, rows[i].error, strlen(rows[i].error)) != 0)
			fail_msg("\"%s\", not \"%s\"", err.what, rows[i].error);
		for (int c = 0; c < COMMAND_COUNT; c++)
			assert_null(options.keys[c]);
	}
}

/* --- views ------------------------------------------------------------- */

static int
load_view(const char *text, struct view *view, struct err *err)
{
	*err = (struct err){0};
	return schema_load_text("v.yaml", text, strlen(text), &view_options_table, view, err);
}

static void
test_view(void **state)
{
	(void)state;
	static const char text[] =
	    "columns:\n"
	    "  - {name: type_id, title: id, width: 4, align: right, raw: true}\n"
	    "severity: warning\n"
	    "unassigned: false\n"
	    "filter: over(run|flow)\n"
	    "rules:\n"
	    "  - {filter: severity >= error, role: accent2}\n"
	    "  - {filter: /Boot/i, role: accent1}\n";
	struct view view;
	struct err err;
	assert_int_equal(load_view(text, &view, &err), 0);
	const struct column *column = view.columns.at;
	assert_int_equal(view.columns.count, 1);
	assert_string_equal(column->title, "id");
	assert_true(column->raw);
	assert_int_equal(view.severity, SEVERITY_WARNING);
	assert_false(view.unassigned);
	assert_string_equal(view.filter, "over(run|flow)");
	const struct view_rule *rules = view.rules.at;
	assert_int_equal(view.rules.count, 2);
	assert_int_equal(rules[0].role, ROLE_ACCENT2);
	assert_string_equal(rules[1].filter, "/Boot/i");
	option_release(&view_options_table, &view);
}

static void
test_bad_view(void **state)
{
	(void)state;
	static const struct {
		const char *text, *error;
	} rows[] = {
	    {"rules:\n  - {filter: \"(\", role: mark}\n",
	     "v.yaml:2:14: rules[0].filter is \"(\"; expected a filter or a regular expression: "},
	    {"rules: [{filter: severity >= bad, role: mark}]\n",
	     "v.yaml:1:18: rules[0].filter is \"severity >= bad\"; expected a filter: "},
	    {"rules: [{filter: x, role: pink}]\n",
	     "v.yaml:1:27: rules[0].role is \"pink\"; expected one of normal title"},
	    {"rules:\n- {role: mark}\n",
	     "v.yaml:2:3: rules[0] has no filter; expected filter: which"},
	    {"rules:\n- {filter: x, fg: pink}\n",
	     "v.yaml:2:19: rules[0].fg is \"pink\"; expected "},
	    {"filter: '['\n",
	     "v.yaml:1:9: filter is \"[\"; expected a filter or a regular expression: "},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct view view;
		struct err err;
		assert_int_equal(load_view(rows[i].text, &view, &err), ERR_CONFIG);
		if (strncmp(err.what, rows[i].error, strlen(rows[i].error)) != 0)
			fail_msg("\"%s\", not \"%s\"", err.what, rows[i].error);
	}
}

/* A format's view is taken where all captures have that format; a user's own
 * file for all formats goes before what came with the program. */
static void
test_auto_view(void **state)
{
	(void)state;
	char folder[] = "/tmp/test_looks.XXXXXX";
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	setenv("XDG_CONFIG_HOME", folder, 1);
	static const struct {
		const char *own, *format, *first; /* name of the first column */
	} rows[] = {
	    {NULL, "gem", "number"},
	    {NULL, "nosuch", "number"},
	    {NULL, NULL, "number"},
	    {"trawl/views/default.yaml", "gem", "offset"},
	    {"trawl/views/gem.yaml", "gem", "offset"},
	    {"trawl/views/gem.yaml", "uia", "number"},
	};
	mkdir("trawl", 0700);
	mkdir("trawl/views", 0700);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct looks_source source = {.format = rows[i].format};
		struct looks looks = {0};
		struct err err = {0};
		if (rows[i].own)
			temp_write(rows[i].own, "columns: [{name: offset}]\n");
		looks_standard(&source);
		assert_int_equal(looks_load(&source, &looks, &err), 0);
		const struct column *column = looks.view.columns.at;
		assert_string_equal(column->name, rows[i].first);
		if (!i) /* what only the view of this format has */
			assert_string_equal(column[3].name, "word");
		option_release(&looks_options_table, &looks);
		looks_free(&source);
		if (rows[i].own)
			unlink(rows[i].own);
	}
	rmdir("trawl/views");
	rmdir("trawl");
	assert_int_equal(chdir("/"), 0);
	rmdir(folder);
}

/* --- what comes with the program --------------------------------------- */

static void
test_shipped(void **state)
{
	(void)state;
	static const struct {
		const char *folder;
		enum looks_part part;
	} kinds[] = {{"views/", LOOKS_VIEW}, {"themes/", LOOKS_THEME}, {"keys/", LOOKS_KEYS}};
	size_t loaded = 0;
	for (size_t i = 0; i < builtin_file_count; i++) {
		const struct builtin_file *file = &builtin_files[i];
		for (size_t k = 0; k < 3; k++) {
			const struct option_table *table =
			    looks_options_table.rows[kinds[k].part].table;
			struct err err = {0};
			struct looks looks = {0};
			if (strncmp(file->name, kinds[k].folder, strlen(kinds[k].folder)) != 0)
				continue;
			if (schema_load_text(file->name, file->text, strlen(file->text), table,
					     &looks, &err) < 0)
				fail_msg("%s", err.what);
			option_release(table, &looks);
			loaded++;
		}
	}
	assert_int_equal(loaded, builtin_file_count);
}

/* A person of less or lnav finds the way out, and to the help. */
static void
test_keymaps(void **state)
{
	(void)state;
	static const struct {
		const char *name, *key;
		enum command_id id;
	} rows[] = {
	    {"default", "j", COMMAND_DOWN},
	    {"default", "?", COMMAND_SEARCH_BACK},
	    {"less", "q", COMMAND_CLOSE},
	    {"less", "e", COMMAND_DOWN},
	    {"less", "y", COMMAND_UP},
	    {"less", "]e", COMMAND_NEXT_ERROR},
	    {"less", "h", COMMAND_HELP},
	    {"less", "p", COMMAND_PERCENT},
	    {"less", "Ctrl-XCtrl-X", COMMAND_BACK},
	    {"emacs", "Ctrl-S", COMMAND_SEARCH},
	    {"emacs", "Escv", COMMAND_PAGE_UP},
	    {"emacs", "Ctrl-G", COMMAND_CANCEL},
	    {"emacs", "Escx", COMMAND_COMMAND},
	    {"emacs", "Ctrl-XCtrl-C", COMMAND_QUIT},
	    {"lnav", "?", COMMAND_HELP},
	    {"lnav", "m", COMMAND_BOOKMARK},
	    {"lnav", "u", COMMAND_NEXT_MARK},
	    {"lnav", "e", COMMAND_NEXT_ERROR},
	    {"lnav", "q", COMMAND_CLOSE},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct looks_source source = {0};
		struct looks looks = {0};
		struct keymap map = {0};
		struct err err = {0};
		looks_standard(&source);
		assert_int_equal(looks_choose(&source, &looks, LOOKS_KEYS, rows[i].name, &err), 0);
		keymap_make(&map, &looks.keys);
		assert_int_equal(meaning(&map, SCOPE_LIST, rows[i].key), rows[i].id);
		keymap_free(&map);
		option_release(&looks_options_table, &looks);
		looks_free(&source);
	}
}

/* That no two bindings of a pane are the same or one the beginning of the other, which then
 * is never reached, and that none of a pane's hides one that begins so in all panes. */
static void
check_reachable(const char *preset, const struct keymap *map)
{
	for (size_t i = 0; i < map->bindings.count; i++) {
		const struct binding *b = &map->bindings.at[i];
		enum command_id id;
		if (keymap_look(map, b->scope, &b->keys, &id) != KEYMAP_FOUND || id != b->command)
			fail_msg("%s: %s is out of reach", preset, commands[b->command].name);
		struct keys start = b->keys;
		while (--start.count)
			if (keymap_look(map, b->scope, &start, &id) != KEYMAP_PREFIX)
				fail_msg("%s: the keys of %s end early", preset,
					 commands[b->command].name);
	}
}

/* That a command can be given: by a key, or by the name that the card shows instead. */
static void
check_on_card(const char *preset, const struct keymap *map, enum command_id id)
{
	struct text hint = {0};
	keymap_hint(map, id, &hint);
	if (!hint.length || (*hint.data == ':' && hint.length > 1 &&
			     command_find(hint.data + 1, hint.length - 1) != id))
		fail_msg("%s: the card does not tell how to %s", preset, commands[id].name);
	text_free(&hint);
}

/* Whether a preset may leave a command without a key: another habit has it there. */
static bool
may_lack(const char *preset, enum command_id id)
{
	static const struct {
		const char *preset;
		enum command_id id;
	} rows[] = {
	    {"less", COMMAND_COPY_PLACE},   {"less", COMMAND_REDO_FILTER},
	    {"lnav", COMMAND_REDO_FILTER},  {"lnav", COMMAND_UNASSIGNED},
	    {"emacs", COMMAND_REDO_FILTER}, {"lnav", COMMAND_SEARCH_BACK},
	    {"less", COMMAND_PAGE_TOP},   {"lnav", COMMAND_PAGE_TOP},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!strcmp(rows[i].preset, preset) && rows[i].id == id)
			return true;
	return false;
}

/* In each preset all keys are reached, and all that the card has can be done. */
static void
test_presets(void **state)
{
	(void)state;
	static const char *const presets[] = {"default", "less", "lnav", "emacs"};
	for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
		struct looks_source source = {0};
		struct looks looks = {0};
		struct keymap map = {0};
		struct err err = {0};
		looks_standard(&source);
		assert_int_equal(looks_choose(&source, &looks, LOOKS_KEYS, presets[i], &err), 0);
		keymap_make(&map, &looks.keys);
		check_reachable(presets[i], &map);
		for (size_t k = 0; k < card_row_count; k++) {
			const enum command_id ids[] = {card_rows[k].first, card_rows[k].second};
			for (size_t n = 0; n < 2; n++) {
				struct keys none = {0};
				check_on_card(presets[i], &map, ids[n]);
				if (*commands[ids[n]].keys && !may_lack(presets[i], ids[n]) &&
				    !keymap_continuation(&map, commands[ids[n]].scope, ids[n],
							 &none))
					fail_msg("%s: no key for %s", presets[i],
						 commands[ids[n]].name);
			}
		}
		keymap_free(&map);
		option_release(&looks_options_table, &looks);
		looks_free(&source);
	}
}

/* --- writing and reading ----------------------------------------------- */

/* What --dump-config prints loads as the same looks, for each shipped file. */
static void
test_round_trip(void **state)
{
	(void)state;
	static const char *const choices[][LOOKS_PARTS] = {
	    {"default", "default", "default"}, {"auto", "light", "less"},
	    {"syst", "dark-256", "less"},      {"uia", "high-contrast", "default"},
	    {"default", "mono", "lnav"},
	};
	char path[] = "/tmp/test_looks.XXXXXX";
	int file = mkstemp(path);
	assert_true(file >= 0);
	close(file);
	for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
		struct looks_source source = {0};
		struct looks first = {0}, second = {0};
		struct text one = {0}, two = {0};
		struct err err = {0};
		looks_standard(&source);
		for (int part = 0; part < LOOKS_PARTS; part++)
			assert_int_equal(looks_choose(&source, &first, (enum looks_part)part,
						      choices[i][part], &err),
					 0);
		looks_write(&first, &one);
		temp_write(path, one.data);
		if (looks_read(&source, &second, path, &err) < 0)
			fail_msg("%s", err.what);
		looks_write(&second, &two);
		assert_string_equal(one.data, two.data);
		/* and again from where it came, as R does */
		assert_int_equal(looks_load(&source, &second, &err), 0);
		text_clear(&two);
		looks_write(&second, &two);
		assert_string_equal(one.data, two.data);
		option_release(&looks_options_table, &first);
		option_release(&looks_options_table, &second);
		text_free(&one);
		text_free(&two);
		looks_free(&source);
	}
	unlink(path);
}

/* A file with some parts changes these only; a bad one changes nothing. */
static void
test_some_parts(void **state)
{
	(void)state;
	char path[] = "/tmp/test_looks.XXXXXX";
	int file = mkstemp(path);
	struct looks_source source = {0};
	struct looks looks = {0};
	struct err err = {0};
	char expected[200];
	close(file);
	looks_standard(&source);
	assert_int_equal(looks_load(&source, &looks, &err), 0);
	size_t columns = looks.view.columns.count;
	assert_true(columns > 1);

	temp_write(path, "keys: {quit: X}\n");
	assert_int_equal(looks_read(&source, &looks, path, &err), 0);
	assert_string_equal(looks.keys.keys[COMMAND_QUIT], "X");
	assert_int_equal(looks.view.columns.count, columns);

	temp_write(path, "keys: {quit: Y}\nview:\n  columns: [{name: text}]\n  headr: true\n");
	assert_int_equal(looks_read(&source, &looks, path, &err), ERR_CONFIG);
	snprintf(expected, sizeof expected, "%s:4:3: unknown key headr in view; did you mean",
		 path);
	assert_memory_equal(err.what, expected, strlen(expected));
	assert_string_equal(looks.keys.keys[COMMAND_QUIT], "X");
	assert_int_equal(looks.view.columns.count, columns);
	assert_int_equal(looks_load(&source, &looks, &err), ERR_CONFIG); /* keys come from it */
	assert_string_equal(looks.keys.keys[COMMAND_QUIT], "X");

	temp_write(path, "{}\n");
	assert_int_equal(looks_read(&source, &looks, path, &err), ERR_CONFIG);
	assert_non_null(strstr(err.what, "has no settings of"));
	unlink(path);
	option_release(&looks_options_table, &looks);
	looks_free(&source);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_own_keys),   cmocka_unit_test(test_prefix_is_taken),
	    cmocka_unit_test(test_bad_keys),   cmocka_unit_test(test_view),
	    cmocka_unit_test(test_bad_view),   cmocka_unit_test(test_auto_view),
	    cmocka_unit_test(test_shipped),    cmocka_unit_test(test_keymaps),
	    cmocka_unit_test(test_presets),    cmocka_unit_test(test_round_trip),
	    cmocka_unit_test(test_some_parts),
	};
	return cmocka_run_group_tests_name("looks", tests, NULL, NULL);
}
