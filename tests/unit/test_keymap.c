/*
 * Names of keys, sequences, scopes, and the table of commands: every default
 * key is reachable, every command has a handler's name, help and one way in.
 */
#include "config.h"

#include "test.h"

#include "command/keymap.h"

#include <stdio.h>
#include <string.h>

static struct keys
parse(const char *text)
{
	struct keys keys;
	assert_true(keys_parse(text, strlen(text), &keys));
	return keys;
}

static void
test_names(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		size_t count;
		uint32_t keys[KEYS_MAX];
	} rows[] = {
	    {"j", 1, {'j'}},
	    {"Ctrl-D", 1, {4}},
	    {"Ctrl-Ww", 2, {23, 'w'}},
	    {"Ctrl-WCtrl-W", 2, {23, 23}},
	    {"]e", 2, {']', 'e'}},
	    {"ZZ", 2, {'Z', 'Z'}},
	    {"Down", 1, {KEYCODE_DOWN}},
	    {"PgDn", 1, {KEYCODE_PAGE_DOWN}},
	    {"F1", 1, {KEYCODE_F1}},
	    {"F12", 1, {KEYCODE_F12}},
	    {"Shift-F11", 1, {KEYCODE_SHIFT_F1 + 10}},
	    {"F", 1, {'F'}},
	    {"Space", 1, {' '}},
	    {"\u00e9", 1, {0xe9}},
	    {"BackTab", 1, {KEYCODE_BACKTAB}},
	    {"Escv", 2, {27, 'v'}},
	    {"Escgg", 3, {27, 'g', 'g'}},
	    {"<Ctrl-X>rm", 3, {24, 'r', 'm'}},
	    {"<Home>x", 2, {KEYCODE_HOME, 'x'}},
	    {"<A>bc", 3, {'A', 'b', 'c'}},
	    {"<F>1", 2, {'F', '1'}},
	    {"Esc<", 2, {27, '<'}},
	    {"<<>x>", 3, {'<', 'x', '>'}},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct keys keys = parse(rows[i].text);
		struct text text = {0};
		assert_int_equal(keys.count, rows[i].count);
		assert_memory_equal(keys.at, rows[i].keys, keys.count * sizeof *keys.at);
		keys_format(&keys, &text); /* and back */
		assert_string_equal(text_get(&text), rows[i].text);
		text_free(&text);
	}
	static const char *const shown[][2] = {
	    {"]e", "]e"},	   {"Ctrl-Ww", "Ctrl-W w"},	  {"Ctrl-WCtrl-W", "Ctrl-W Ctrl-W"},
	    {"gSpace", "g Space"}, {"<F1>a\u00e9", "F1 a\u00e9"},
	};
	for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
		struct keys keys = parse(shown[i][0]);
		struct text text = {0};
		keys_show(&keys, &text);
		assert_string_equal(text_get(&text), shown[i][1]);
		text_free(&text);
	}
	struct keys keys;
	static const char *const wrong[] = {"Ctrl-Foo", "Crtl-F", "Ctrl-Home", "Homee", "Pgdn",
					    "Tba",	"F13",	  "Foo",       "Upx",	"F1a"};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		if (keys_parse(wrong[i], strlen(wrong[i]), &keys))
			fail_msg("%s is read as keys", wrong[i]);
	assert_false(keys_parse("", 0, &keys));
	assert_false(keys_parse("abcde", 5, &keys));
	assert_false(keys_parse("\xff", 1, &keys));
}

static void
test_lookup(void **state)
{
	(void)state;
	struct keymap map = {0};
	struct err err;
	enum command_id id;
	struct keys keys = parse("]e"), start = parse("]");
	assert_int_equal(keymap_bind(&map, SCOPE_ANY, "]e", 2, COMMAND_NEXT_ERROR, &err), 0);
	assert_int_equal(keymap_look(&map, SCOPE_LIST, &start, &id), KEYMAP_PREFIX);
	assert_int_equal(keymap_look(&map, SCOPE_LIST, &keys, &id), KEYMAP_FOUND);
	assert_int_equal(id, COMMAND_NEXT_ERROR);
	keys = parse("]x");
	assert_int_equal(keymap_look(&map, SCOPE_LIST, &keys, &id), KEYMAP_NONE);
	assert_int_equal(keymap_bind(&map, SCOPE_ANY, "", 0, COMMAND_NEXT, &err), ERR_CONFIG);
	keymap_free(&map);
}

/* A pane's own binding is looked at before that of all panes, and a later one
 * replaces an earlier one. */
static void
test_scopes(void **state)
{
	(void)state;
	struct keymap map = {0};
	enum command_id id;
	struct keys l = parse("l");
	keymap_bind(&map, SCOPE_ANY, "l", 1, COMMAND_RIGHT, NULL);
	keymap_bind(&map, SCOPE_DETAIL, "l", 1, COMMAND_UNFOLD, NULL);
	keymap_look(&map, SCOPE_DETAIL, &l, &id);
	assert_int_equal(id, COMMAND_UNFOLD);
	keymap_look(&map, SCOPE_HEX, &l, &id);
	assert_int_equal(id, COMMAND_RIGHT);
	keymap_bind(&map, SCOPE_ANY, "l", 1, COMMAND_LAYOUT, NULL);
	keymap_look(&map, SCOPE_HEX, &l, &id);
	assert_int_equal(id, COMMAND_LAYOUT);
	assert_int_equal(map.bindings.count, 2);
	keymap_free(&map);
}

/* Each default key leads to its command: no two share one, and none is the
 * beginning of another. */
/* The list of differences from vi and less is true: a key has the command that the list names, or
 * none, and then the list names another. */
static void
test_habits(void **state)
{
	(void)state;
	struct keymap map = {0};
	keymap_standard(&map);
	assert_true(habit_count > 0);
	for (size_t i = 0; i < habit_count; i++) {
		const struct habit *habit = &habits[i];
		struct keys keys = parse(habit->keys);
		enum command_id id = COMMAND_COUNT;
		enum keymap_answer answer = keymap_look(&map, SCOPE_LIST, &keys, &id);
		assert_int_equal(answer, habit->here < COMMAND_COUNT ? KEYMAP_FOUND : KEYMAP_NONE);
		assert_int_equal(id, habit->here);
		assert_true(habit->here != habit->instead);
	}
	keymap_free(&map);
}

static void
test_defaults(void **state)
{
	(void)state;
	struct keymap map = {0};
	keymap_standard(&map);
	size_t alternatives = 0;
	for (int i = 0; i < COMMAND_COUNT; i++) {
		const char *at = commands[i].keys;
		for (size_t length; *at; at += length, at += strspn(at, " ")) {
			struct keys keys;
			enum command_id id;
			length = strcspn(at, " ");
			alternatives++;
			assert_true(keys_parse(at, length, &keys));
			assert_int_equal(keymap_look(&map, commands[i].scope, &keys, &id),
					 KEYMAP_FOUND);
			assert_string_equal(commands[id].name, commands[i].name);
			for (size_t n = 1; n < keys.count; n++) {
				struct keys start = keys;
				start.count = n;
				assert_int_equal(keymap_look(&map, commands[i].scope, &start, &id),
						 KEYMAP_PREFIX);
			}
		}
	}
	assert_int_equal(map.bindings.count, alternatives);
	keymap_free(&map);
}

static void
test_commands(void **state)
{
	(void)state;
	for (int i = 0; i < COMMAND_COUNT; i++) {
		const struct command *c = &commands[i];
		assert_true(strlen(c->name) > 0 && strlen(c->help) > 0);
		assert_null(strchr(c->name, ' '));
		assert_int_not_equal(c->help[strlen(c->help) - 1], '.');
		assert_int_equal(command_find(c->name, strlen(c->name)), i);
	}
	assert_int_equal(command_find("q", 1), COMMAND_QUIT);
	assert_int_equal(command_find("sev", 3), COMMAND_SEVERITY);
	assert_int_equal(command_find("next-", 5), COMMAND_COUNT); /* several */
	assert_int_equal(command_find("nonsense", 8), COMMAND_COUNT);
	assert_int_equal(command_find("", 0), COMMAND_COUNT);
	assert_int_equal(command_find("quit!", 5), COMMAND_QUIT); /* hands of vi and less */
	assert_int_equal(command_find("qall", 4), COMMAND_QUIT);
	assert_int_equal(command_find("nohl", 4), COMMAND_CANCEL);
	assert_int_equal(command_find("tail", 4), COMMAND_FOLLOW);
}

/* A user's key goes before those of the list and of all panes, which begin so or with which it
 * begins; a pane of its own keeps them.  Its line stands in for no key of its command. */
static void
test_own_keys(void **state)
{
	static const struct {
		const char *key, *line, *was;
		enum command_scope scope; /* where it is typed */
		enum command_id means;	  /* there */
		const char *runs;	  /* NULL: the command alone */
	} rows[] = {
	    {"F5", "filter severity >= error", "", SCOPE_LIST, COMMAND_COMMAND,
	     "filter severity >= error"},
	    {"F5", "/x y", "filter severity >= error", SCOPE_HEX, COMMAND_COMMAND, "/x y"},
	    {"F6", " :next-err ", "", SCOPE_LIST, COMMAND_NEXT_ERROR, NULL},
	    {"F7", "write! out.txt", "", SCOPE_LIST, COMMAND_COMMAND, "write! out.txt"},
	    {"F8", "write!", "", SCOPE_LIST, COMMAND_COMMAND, "write!"},
	    {"r", "facts", "open-row", SCOPE_LIST, COMMAND_FACTS, NULL},
	    {"e", "facts", "next-error", SCOPE_FILTERS, COMMAND_FILTER_EDIT, NULL},
	    {"af1", "facts", "only-this-trace", SCOPE_LIST, COMMAND_FACTS, NULL},
	    {"]", "facts", NULL, SCOPE_LIST, COMMAND_FACTS, NULL},
	    {"Space", "timeline-fit", "timeline-lanes", SCOPE_LIST, COMMAND_PAGE_DOWN, NULL},
	};
	(void)state;
	struct keymap map = {0};
	keymap_standard(&map);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct keys keys = parse(rows[i].key);
		struct text was = {0};
		enum command_id id = COMMAND_COUNT;
		keymap_bind_line(&map, rows[i].key, rows[i].line, &was);
		if (rows[i].was)
			assert_string_equal(text_get(&was), rows[i].was);
		else
			assert_non_null(strstr(text_get(&was), "next-error, next-warning, "));
		assert_int_equal(keymap_look(&map, rows[i].scope, &keys, &id), KEYMAP_FOUND);
		assert_int_equal(id, rows[i].means);
		const char *line = keymap_line(&map, rows[i].scope, &keys);
		if (rows[i].runs)
			assert_string_equal(line, rows[i].runs);
		else
			assert_null(line);
		text_free(&was);
	}
	struct text hint = {0};
	keymap_keys(&map, COMMAND_COMMAND, &hint);
	assert_string_equal(hint.data, ":");
	text_free(&hint);
	keymap_free(&map);
}

/* What a key can run is a command by its name or an unambiguous beginning, or what is typed. */
static void
test_lines(void **state)
{
	static const struct {
		const char *line, *expected;
	} rows[] = {
	    {"next-error", NULL},
	    {"sev error", NULL},
	    {":q!", NULL},
	    {"/", NULL},
	    {"&lost", NULL},
	    {"write! x", NULL},
	    {"next-", "a command as after :; did you mean next-error?"},
	    {"nxt-error x", "a command as after :; did you mean next-error?"},
	    {"", "a command as after :"},
	    {" : ", "a command as after :"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char buffer[256];
		const char *expected = keymap_check_line(rows[i].line, buffer);
		if (rows[i].expected)
			assert_string_equal(expected, rows[i].expected);
		else
			assert_null(expected);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_names),    cmocka_unit_test(test_lookup),
	    cmocka_unit_test(test_scopes),   cmocka_unit_test(test_defaults),
	    cmocka_unit_test(test_habits),   cmocka_unit_test(test_commands),
	    cmocka_unit_test(test_own_keys), cmocka_unit_test(test_lines),
	};
	return cmocka_run_group_tests_name("keymap", tests, NULL, NULL);
}
