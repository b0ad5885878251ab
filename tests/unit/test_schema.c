/* YAML to structs: values, defaults, and the exact words and place of every
 * kind of error.  Lines and columns are counted by hand from the texts. */
#include "config.h"

#include "config/schema.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/text.h"
#include "config/survey.h"

enum mode { MODE_AUTO, MODE_FAST, MODE_SLOW };

struct clock {
	double hz;
};

struct part {
	uint64_t type;
	int mode;
};

struct thing {
	char *name;
	bool on;
	uint64_t width;
	int64_t id;
	int mode;
	struct clock clock;
	struct option_list files; /* char * */
	struct option_list parts; /* struct part */
};

struct root {
	struct option_list things; /* struct thing */
	struct thing single;
	char *title;
};

static const char *const modes[] = {"auto", "fast", "slow", NULL};

static const struct option_row clock_rows[] = {
    {.name = "hz", .type = OPTION_NUMBER, .member = offsetof(struct clock, hz)},
};
static const struct option_table clock_table = OPTION_TABLE("clock", struct clock, clock_rows);

static const struct option_row part_rows[] = {
    {.name = "type",
     .type = OPTION_UINT,
     .member = offsetof(struct part, type),
     .max = 15,
     .required = true,
     .help = "type of the packet"},
    {.name = "mode",
     .type = OPTION_CHOICE,
     .member = offsetof(struct part, mode),
     .choices = modes,
     .default_text = "slow"},
};
static const struct option_table part_table = OPTION_TABLE("part", struct part, part_rows);

static const struct option_row thing_rows[] = {
    {.name = "name", .type = OPTION_TEXT, .member = offsetof(struct thing, name)},
    {.name = "on",
     .type = OPTION_BOOL,
     .member = offsetof(struct thing, on),
     .default_text = "true"},
    {.name = "width",
     .type = OPTION_UINT,
     .member = offsetof(struct thing, width),
     .max = 16,
     .default_text = "8"},
    {.name = "id",
     .type = OPTION_INT,
     .member = offsetof(struct thing, id),
     .min = -1,
     .max = 99,
     .default_text = "-1"},
    {.name = "mode",
     .type = OPTION_CHOICE,
     .member = offsetof(struct thing, mode),
     .choices = modes},
    {.name = "clock",
     .type = OPTION_STRUCT,
     .member = offsetof(struct thing, clock),
     .table = &clock_table},
    {.name = "files", .type = OPTION_LIST, .member = offsetof(struct thing, files)},
    {.name = "parts",
     .type = OPTION_LIST,
     .member = offsetof(struct thing, parts),
     .table = &part_table},
    {.name = "later", .type = OPTION_ANY},
};
static const struct option_table thing_table = OPTION_TABLE("thing", struct thing, thing_rows);

static const struct option_row root_rows[] = {
    {.name = "things",
     .type = OPTION_LIST,
     .member = offsetof(struct root, things),
     .table = &thing_table},
    {.name = "single",
     .type = OPTION_STRUCT,
     .member = offsetof(struct root, single),
     .table = &thing_table},
    {.name = "title",
     .type = OPTION_TEXT,
     .member = offsetof(struct root, title),
     .default_text = "untitled"},
    {.name = "symbols", .type = OPTION_ANY},
};
static const struct option_table root_table = OPTION_TABLE("root", struct root, root_rows);

static int
load_bytes(const char *text, size_t length, struct root *root, struct err *err)
{
	*err = (struct err){0};
	memset(root, 0xa5, sizeof *root); /* loading must not rely on what was there */
	return schema_load_text("p.yaml", text, length, &root_table, root, err);
}

static void
load(const char *text, struct root *root)
{
	struct err err;
	int result = load_bytes(text, strlen(text), root, &err);
	if (result)
		fail_msg("%s", err.what);
}

static void
release(struct root *root)
{
	option_release(&root_table, root);
}

static const struct thing *
thing_at(const struct root *root, size_t i)
{
	assert_true(i < root->things.count);
	return (const struct thing *)root->things.at + i;
}

static void
assert_defaults(const struct root *root)
{
	assert_int_equal(root->things.count, 0);
	assert_string_equal(root->title, "untitled");
	assert_null(root->single.name);
	assert_true(root->single.on);
	assert_int_equal(root->single.width, 8);
	assert_int_equal(root->single.id, -1);
	assert_int_equal(root->single.mode, MODE_AUTO);
	assert_int_equal(root->single.files.count, 0);
}

static void
test_nothing_is_defaults(void **state)
{
	static const char *const texts[] = {"",
					    "\n\n",
					    "# only this\n",
					    "---\n",
					    "~\n",
					    "{}\n",
					    "null",
					    "things:\n",
					    "things: []\ntitle: ~\n",
					    "single: ~\ntitle: ''\n",
					    "\xef\xbb\xbf"};
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct root root;
		load(texts[i], &root);
		assert_defaults(&root);
		release(&root);
	}
}

static void
test_values(void **state)
{
	struct root root;
	(void)state;
	load("title: \"two words\"\n"
	     "things:\n"
	     "  - name: a\n"
	     "    on: no\n"
	     "    width: 0x10\n"
	     "    id: 0\n"
	     "    mode: fast\n"
	     "    clock: {hz: 1.5e6}\n"
	     "    files: [x.xml, 'y z.xml']\n"
	     "    parts:\n"
	     "      - {type: 0}\n"
	     "      - {type: 15, mode: auto}\n"
	     "    later: {a: [b, {c: d}], a: 2}\n"
	     "  - {}\n"
	     "  - {width: ~, id: null, name: \"\"}\n"
	     "symbols: [{file: fw.elf}]\n",
	     &root);
	assert_string_equal(root.title, "two words");
	assert_int_equal(root.things.count, 3);

	const struct thing *thing = thing_at(&root, 0);
	assert_string_equal(thing->name, "a");
	assert_false(thing->on);
	assert_int_equal(thing->width, 16);
	assert_int_equal(thing->id, 0);
	assert_int_equal(thing->mode, MODE_FAST);
	assert_true(thing->clock.hz == 1.5e6);
	assert_int_equal(thing->files.count, 2);
	assert_string_equal(((char **)thing->files.at)[0], "x.xml");
	assert_string_equal(((char **)thing->files.at)[1], "y z.xml");
	const struct part *parts = thing->parts.at;
	assert_int_equal(thing->parts.count, 2);
	assert_int_equal(parts[0].type, 0);
	assert_int_equal(parts[0].mode, MODE_SLOW);
	assert_int_equal(parts[1].type, 15);
	assert_int_equal(parts[1].mode, MODE_AUTO);

	for (size_t i = 1; i < 3; i++) {
		thing = thing_at(&root, i);
		assert_null(thing->name);
		assert_true(thing->on);
		assert_int_equal(thing->width, 8);
		assert_int_equal(thing->id, -1);
		assert_int_equal(thing->parts.count, 0);
	}
	release(&root);
}

static void
test_aliases(void **state)
{
	struct root root;
	(void)state;
	load("symbols: &clock {hz: 5}\n"
	     "things:\n"
	     "  - &first {name: &n one, clock: *clock, files: &f [a, b]}\n"
	     "  - *first\n"
	     "  - {name: *n, files: *f}\n",
	     &root);
	assert_int_equal(root.things.count, 3);
	assert_true(thing_at(&root, 1)->clock.hz == 5);
	assert_string_equal(thing_at(&root, 2)->name, "one");
	assert_int_equal(thing_at(&root, 2)->files.count, 2);
	release(&root);
}

/* An anchor's name may be used again: the latest counts. */
static void
test_anchor_again(void **state)
{
	struct root root;
	(void)state;
	load("things: [{name: &a x}, {name: *a}, {name: &a y}, {name: *a}]\n", &root);
	assert_string_equal(thing_at(&root, 1)->name, "x");
	assert_string_equal(thing_at(&root, 3)->name, "y");
	release(&root);
}

static void
assert_error(const char *text, const char *expected)
{
	struct root root;
	struct err err;
	assert_int_equal(load_bytes(text, strlen(text), &root, &err), ERR_CONFIG);
	assert_string_equal(err.what, expected);
	assert_int_equal(err.code, ERR_CONFIG);
	assert_defaults(&root);
	release(&root);
	assert_int_equal(schema_load_text("p.yaml", text, strlen(text), &root_table, &root, NULL),
			 ERR_CONFIG);
	release(&root);
}

/* Between PLACE and END stand words of libyaml, which its versions choose. */
static void
assert_broken(const char *text, const char *place, const char *end)
{
	struct root root;
	struct err err;
	assert_int_equal(load_bytes(text, strlen(text), &root, &err), ERR_CONFIG);
	size_t length = strlen(err.what), before = strlen(place), after = strlen(end);
	if (length <= before + after || strncmp(err.what, place, before) != 0 ||
	    strcmp(err.what + length - after, end) != 0)
		fail_msg("%s is not `%s...%s`", err.what, place, end);
	assert_defaults(&root);
	release(&root);
}

static void
test_unknown_keys(void **state)
{
	(void)state;
	assert_error("things:\n"
		     "  - name: a\n"
		     "    witdh: 3\n",
		     "p.yaml:3:5: unknown key witdh in things[0]; did you mean width?");
	assert_error("title: t\n"
		     "thing: []\n",
		     "p.yaml:2:1: unknown key thing in the file; did you mean things?");
	assert_error("things: [{}, {clock: {hz: 1, offset: 2}}]\n",
		     "p.yaml:1:30: unknown key offset in things[1].clock; expected one of hz");
	assert_error("things:\n"
		     "  - parts: [{type: 1}, {xyzzyx: 2}]\n",
		     "p.yaml:2:25: unknown key xyzzyx in things[0].parts[1]; "
		     "expected one of type, mode");
	assert_error("single:\n"
		     "  <<: {name: a}\n",
		     "p.yaml:2:3: unknown key << in single; expected one of name, on, width, id, "
		     "mode, clock, files, parts, later");
	assert_error("symbols: &a {name: x, widht: y}\n"
		     "things: [*a]\n",
		     "p.yaml:2:10: unknown key widht in things[0]; did you mean width?");
	/* Columns are characters: the two before the key are of two bytes. */
	assert_error("things: [{name: \"\xc3\xa4\xc3\xb6\", nme: b}]\n",
		     "p.yaml:1:23: unknown key nme in things[0]; did you mean name?");
}

static void
test_keys_twice(void **state)
{
	(void)state;
	assert_error("things:\n"
		     "  - name: a\n"
		     "    id: 1\n"
		     "    name: a\n",
		     "p.yaml:4:5: things[0].name stands here twice; expected it once");
	assert_error("title: a\n"
		     "things: []\n"
		     "title: b\n",
		     "p.yaml:3:1: title stands here twice; expected it once");
}

static void
test_shapes(void **state)
{
	(void)state;
	assert_error("[a]\n", "p.yaml:1:1: the file is a list; expected a mapping");
	assert_error("\n  word\n", "p.yaml:2:3: the file is a single value; expected a mapping");
	assert_error(
	    "things: {name: a}\n",
	    "p.yaml:1:9: things is a mapping; expected a list, for example \"things: [...]\"");
	assert_error("things:\n"
		     "  - name: a\n"
		     "  - name: [b]\n",
		     "p.yaml:3:11: things[1].name is a list; expected a single value, for example "
		     "\"name: WORD\"");
	assert_error("single:\n"
		     "  clock: 5\n",
		     "p.yaml:2:10: single.clock is a single value; expected a mapping");
	assert_error("things: [~]\n",
		     "p.yaml:1:10: things[0] is a single value; expected a mapping");
	assert_error("things:\n"
		     "- files: [a, [b]]\n",
		     "p.yaml:2:14: things[0].files[1] is a list; expected a single value");
	assert_error("things:\n"
		     "- files: a.xml\n",
		     "p.yaml:2:10: things[0].files is a single value; expected a list, for example "
		     "\"files: [...]\"");
	assert_error("things:\n"
		     "- files: [a, ~]\n",
		     "p.yaml:2:14: things[0].files[1] is empty; expected text");
	assert_error("? [a]\n"
		     ": b\n",
		     "p.yaml:1:3: a key that is not a single word; expected a name");
}

static void
test_wrong_values(void **state)
{
	(void)state;
	assert_error("things:\n"
		     "  - name: a\n"
		     "    width: 17\n",
		     "p.yaml:3:12: things[0].width is \"17\"; expected a number from 0 to 16");
	assert_error("things: [{}, {width: 12abc}]\n",
		     "p.yaml:1:22: things[1].width is \"12abc\"; expected a number from 0 to 16");
	assert_error("single: {id: -2}\n",
		     "p.yaml:1:14: single.id is \"-2\"; expected a whole number from -1 to 99");
	assert_error("single: {on: maybe}\n",
		     "p.yaml:1:14: single.on is \"maybe\"; expected true or false");
	assert_error("single:\n"
		     "  mode: quick\n",
		     "p.yaml:2:9: single.mode is \"quick\"; expected one of auto fast slow");
	assert_error("single:\n"
		     "  clock:\n"
		     "    hz:  1 MHz\n",
		     "p.yaml:3:10: single.clock.hz is \"1 MHz\"; expected a number, for example "
		     "\"hz: 1000000\"");
	assert_error("single: {clock: {hz: inf}}\n",
		     "p.yaml:1:22: single.clock.hz is \"inf\"; expected a number");
	assert_error(
	    "things:\n"
	    "  - parts:\n"
	    "      - {type: 1}\n"
	    "      - {type: 2, mode: x}\n",
	    "p.yaml:4:25: things[0].parts[1].mode is \"x\"; expected one of auto fast slow");
	/* Through an alias: its place. */
	assert_error("symbols: &c {hz: x}\n"
		     "single:\n"
		     "  clock: *c\n",
		     "p.yaml:3:10: single.clock.hz is \"x\"; expected a number");
	assert_error(
	    "single: {mode: \"a\\e[31m\\nb\"}\n",
	    "p.yaml:1:16: single.mode is \"a\\x1b[31m\\nb\"; expected one of auto fast slow");
}

/* All mistakes are told at once, in the order of the file, whatever they are; a key that is
 * missing is not told where another is misspelt.  Syntax is told alone. */
static void
test_all_at_once(void **state)
{
	(void)state;
	assert_error("titel: t\n"
		     "things:\n"
		     "  - {width: 17, nme: x}\n"
		     "  - clock: [1]\n"
		     "    parts: [{mode: fast}, {tpye: 1}, 3]\n"
		     "    name: a\n"
		     "    name: b\n"
		     "single: {on: maybe, files: [a, ~]}\n",
		     "p.yaml:1:1: unknown key titel in the file; did you mean title?\n"
		     "p.yaml:3:13: things[0].width is \"17\"; expected a number from 0 to 16\n"
		     "p.yaml:3:17: unknown key nme in things[0]; did you mean name?\n"
		     "p.yaml:4:12: things[1].clock is a list; expected a mapping\n"
		     "p.yaml:5:13: things[1].parts[0] has no type; expected type: type of the "
		     "packet\n"
		     "p.yaml:5:28: unknown key tpye in things[1].parts[1]; did you mean type?\n"
		     "p.yaml:5:38: things[1].parts[2] is a single value; expected a mapping\n"
		     "p.yaml:7:5: things[1].name stands here twice; expected it once\n"
		     "p.yaml:8:14: single.on is \"maybe\"; expected true or false\n"
		     "p.yaml:8:32: single.files[1] is empty; expected text");
	/* what is missing has the place of its mapping, before what is in it */
	assert_error(
	    "things:\n"
	    "  - parts:\n"
	    "      - mode: fast\n"
	    "        mode: 3k\n",
	    "p.yaml:3:9: things[0].parts[0] has no type; expected type: type of the packet\n"
	    "p.yaml:4:9: things[0].parts[0].mode stands here twice; expected it once\n"
	    "p.yaml:4:15: things[0].parts[0].mode is \"3k\"; expected one of auto fast slow");
	assert_error("titel: t\n"
		     "things: [&a {widht: 1}, *a, *a]\n"
		     "title: *b\n",
		     "p.yaml:3:8: unknown alias *b; expected &b before it");
	assert_error("things: [&a {widht: 1, mode: x}, *a]\n",
		     "p.yaml:1:14: unknown key widht in things[0]; did you mean width?\n"
		     "p.yaml:1:30: things[0].mode is \"x\"; expected one of auto fast slow\n"
		     "p.yaml:1:34: unknown key widht in things[1]; did you mean width?\n"
		     "p.yaml:1:34: things[1].mode is \"x\"; expected one of auto fast slow");
}

/* Of very many mistakes the first are told, and how many more there are. */
static void
test_many_mistakes(void **state)
{
	struct text text = {0}, expected = {0};
	(void)state;
	for (int i = 1; i <= 30; i++) {
		text_addf(&text, "qqqqqqqqq%d: 1\n", i);
		if (i <= 20)
			text_addf(&expected,
				  "p.yaml:%d:1: unknown key qqqqqqqqq%d in the file; expected one "
				  "of things, single, title, symbols\n",
				  i, i);
	}
	text_add(&expected, "and 10 more");
	assert_error(text.data, expected.data);
	text_free(&text);
	text_free(&expected);
}

static void
test_missing_keys(void **state)
{
	(void)state;
	assert_error("things:\n"
		     "  - parts:\n"
		     "      - {type: 1}\n"
		     "      - {mode: fast}\n",
		     "p.yaml:4:9: things[0].parts[1] has no type; expected type: "
		     "type of the packet");
	assert_error("things:\n"
		     "  - parts:\n"
		     "      - mode: fast\n"
		     "        type: ~\n",
		     "p.yaml:3:9: things[0].parts[0] has no type; expected type: "
		     "type of the packet");
}

static void
test_broken_yaml(void **state)
{
	(void)state;
	assert_broken("things: [a, b\n"
		      "title: c\n",
		      "p.yaml:2:6: not YAML: ", " from 1:9 on)");
	assert_broken("title: \"a\n", "p.yaml:2:1: not YAML: ", " from 1:8 on)");
	assert_error("title: a\n"
		     "\tsingle: b\n",
		     "p.yaml:2:1: not YAML: a tab indents the line; expected blanks in its "
		     "place");
	assert_error("things:\n"
		     "  - name: a\n"
		     "  \twidth: 3\n",
		     "p.yaml:3:3: not YAML: a tab indents the line; expected blanks in its "
		     "place");
	assert_broken("title: a\n"
		      "things: \xff\n",
		      "p.yaml:2:9: not YAML: ", "; expected UTF-8 text");
	assert_broken("title: a\x01\n", "p.yaml:1:9: not YAML: ", "; expected UTF-8 text");
	assert_error("title: a\n"
		     "---\n"
		     "title: b\n",
		     "p.yaml:2:1: a second document; expected one");
	assert_error("title: \"a\\0b\"\n", "p.yaml:1:8: a NUL character; expected text");
	assert_error("title: *t\n", "p.yaml:1:8: unknown alias *t; expected &t before it");
	assert_error("symbols: &s [*s]\n",
		     "p.yaml:1:14: alias *s is inside what it names; write the value out");
}

static void
test_nesting(void **state)
{
	struct text text = {0};
	(void)state;
	/* The file is the first mapping, so SURVEY_NESTING - 1 lists fit. */
	text_add(&text, "symbols: ");
	for (int i = 0; i < SURVEY_NESTING - 1; i++)
		text_add(&text, "[");
	struct text deeper = {0};
	text_add(&deeper, text.data);
	text_add(&deeper, "[");
	for (int i = 0; i < SURVEY_NESTING - 1; i++) {
		text_add(&text, "]");
		text_add(&deeper, "]");
	}
	text_add(&deeper, "]");
	struct root root;
	load(text.data, &root);
	release(&root);
	assert_error(deeper.data, "p.yaml:1:73: more than 64 lists and mappings inside each other; "
				  "nest less");
	text_free(&text);
	text_free(&deeper);
}

/* A file may be as long as it is: 300,000 values without an alias. */
static void
test_many_values(void **state)
{
	struct text text = {0};
	struct root root;
	(void)state;
	text_add(&text, "symbols: [x");
	for (int i = 1; i < 300000; i++)
		text_add(&text, ",x");
	text_add(&text, "]");
	load(text.data, &root);
	release(&root);
	text_free(&text);
}

static void
test_alias_bomb(void **state)
{
	struct text text = {0};
	(void)state;
	text_add(&text, "symbols:\n- &a0 [x,x,x,x,x,x,x,x,x]\n");
	for (int i = 1; i < 20; i++)
		text_addf(&text, "- &a%d [*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d]\n", i,
			  i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
	/*
	 * Values: a0 has 1 + 9 = 10, and an a(n) 1 + 9 a(n-1): 91, 820, 7381,
	 * 66430.  Aliases stand for 9 (10 + 91 + 820 + 7381) = 74718 when a5
	 * begins; of its aliases, at columns 8, 12, 16, two fit in 262144.
	 */
	assert_error(text.data,
		     "p.yaml:7:16: more than 262144 values, aliases expanded; split the file");
	text_free(&text);
}

static void
test_anchors(void **state)
{
	struct text text = {0};
	(void)state;
	text_add(&text, "symbols:\n");
	for (int i = 0; i <= SURVEY_ANCHORS; i++)
		text_addf(&text, "- &a%d x\n", i);
	assert_error(text.data, "p.yaml:258:3: more than 256 anchors; use fewer");
	text_free(&text);
}

static void
test_size(void **state)
{
	struct root root;
	struct err err;
	char *text = calloc(1, SCHEMA_SIZE_MAX + 1);
	(void)state;
	assert_non_null(text);
	memset(text, '\n', SCHEMA_SIZE_MAX + 1);
	assert_int_equal(load_bytes(text, SCHEMA_SIZE_MAX, &root, &err), 0);
	release(&root);
	assert_int_equal(load_bytes(text, SCHEMA_SIZE_MAX + 1, &root, &err), ERR_CONFIG);
	assert_string_equal(err.what, "p.yaml:1:1: more than 16 MiB; expected less");
	assert_defaults(&root);
	release(&root);
	free(text);
}

static void
test_file(void **state)
{
	char path[] = "test_schema.XXXXXX", expected[128];
	struct root root;
	struct err err;
	(void)state;
	int file = mkstemp(path);
	assert_true(file >= 0);
	assert_int_equal(write(file, "title: [\n", 9), 9);
	assert_int_equal(schema_load_file(path, &root_table, &root, &err), ERR_CONFIG);
	snprintf(expected, sizeof expected, "%s:2:1: not YAML: ", path);
	assert_int_equal(strncmp(err.what, expected, strlen(expected)), 0);
	release(&root);
	assert_int_equal(pwrite(file, "title: x\n", 9, 0), 9);
	assert_int_equal(schema_load_file(path, &root_table, &root, &err), 0);
	assert_string_equal(root.title, "x");
	release(&root);
	close(file);
	unlink(path);

	assert_int_equal(schema_load_file(path, &root_table, &root, &err), ERR_IO);
	snprintf(expected, sizeof expected, "cannot open %s: No such file or directory", path);
	assert_string_equal(err.what, expected);
	assert_defaults(&root);
	release(&root);
	assert_int_equal(schema_load_file(".", &root_table, &root, &err), ERR_IO);
	assert_string_equal(err.what, "cannot open .: it is a folder; name a file");
	release(&root);
}

/* A text cut anywhere, or with any byte changed, is read or refused. */
static void
test_any_bytes(void **state)
{
	static const char text[] = "title: &t \"t\"\n"
				   "symbols: [&s {hz: 1}, *t]\n"
				   "things:\n"
				   "  - {name: *t, clock: *s, parts: [{type: 1, mode: slow}]}\n"
				   "  - files: [a, b]\n";
	static const char bytes[] = {'\0', '\n', '\t', ' ', '-', ':', '[', ']', '{',	'}',   '&',
				     '*',  '"',	 '#',  '?', '|', '%', '!', '~', '\x80', '\xff'};
	(void)state;
	for (size_t i = 0; i < sizeof text - 1; i++) {
		struct root root;
		struct err err;
		load_bytes(text, i, &root, &err);
		release(&root);
		for (size_t j = 0; j < sizeof bytes; j++) {
			char copy[sizeof text];
			memcpy(copy, text, sizeof text);
			copy[i] = bytes[j];
			load_bytes(copy, sizeof text - 1, &root, &err);
			release(&root);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_nothing_is_defaults),
	    cmocka_unit_test(test_values),
	    cmocka_unit_test(test_aliases),
	    cmocka_unit_test(test_anchor_again),
	    cmocka_unit_test(test_unknown_keys),
	    cmocka_unit_test(test_keys_twice),
	    cmocka_unit_test(test_shapes),
	    cmocka_unit_test(test_wrong_values),
	    cmocka_unit_test(test_missing_keys),
	    cmocka_unit_test(test_all_at_once),
	    cmocka_unit_test(test_many_mistakes),
	    cmocka_unit_test(test_broken_yaml),
	    cmocka_unit_test(test_nesting),
	    cmocka_unit_test(test_many_values),
	    cmocka_unit_test(test_alias_bomb),
	    cmocka_unit_test(test_anchors),
	    cmocka_unit_test(test_size),
	    cmocka_unit_test(test_file),
	    cmocka_unit_test(test_any_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
