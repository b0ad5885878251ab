/*
 * SyS-T in lines of hexadecimal digits: which lines are messages, where they
 * stand, and how their bytes lie in the capture.
 */
#include "config.h"

#include "test.h"

#include "decode/syst/syst.h"
#include "drive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define MARKER "SYS-T RAW DATA: "
#define OK_1 MARKER "4212030103006F6B00"

struct test {
	struct drive d;
	struct drive_messages all;
	struct window w;
	struct expansion e;
};

static void
setup(struct test *t, const char *text, size_t length)
{
	*t = (struct test){0};
	drive_open(&t->d, "syst/hex", (const uint8_t *)text, length);
	drive_start(&t->d);
	drive_all(&t->d, &t->all);
	t->w = drive_window(&t->d);
}

static void
teardown(struct test *t)
{
	expansion_free(&t->e);
	vec_free(&t->all.list);
	drive_close(&t->d);
}

static void
expand(struct test *t, size_t n)
{
	expansion_clear(&t->e);
	t->d.ops->expand(t->d.decoder, &t->all.list.at[n], &t->w, EXPAND_FIELDS, NULL, &t->e);
}

struct expected {
	uint64_t offset;
	uint32_t length;
	uint8_t kind, severity;
	const char *type, *text;
};

static const struct {
	const char *text;
	struct expected messages[5];
} captures[] = {
    {OK_1 "\n" OK_1 "\r\n" OK_1,
     {{0, 34, SYST_STRING, SEVERITY_INFO, "STRING:GENERIC", "ok"},
      {35, 34, SYST_STRING, SEVERITY_INFO, "STRING:GENERIC", "ok"},
      {71, 34, SYST_STRING, SEVERITY_INFO, "STRING:GENERIC", "ok"}}},
    /* either case, more or no blanks, anywhere in the line */
    {MARKER "4212030103006f6B00\n", {{0, 34, SYST_STRING, SEVERITY_INFO, "STRING:GENERIC", "ok"}}},
    {"SYS-T RAW DATA:4212030103006F6B00 \t\n",
     {{0, 35, SYST_STRING, SEVERITY_INFO, "STRING:GENERIC", "ok"}}},
    {"Booting.." OK_1 "\n", {{0, 43, SYST_STRING, SEVERITY_INFO, "STRING:GENERIC", "ok"}}},
    /* other text; empty lines are nothing */
    {"\n\r\nhello\x1b[0m\n\n" OK_1 "\n",
     {{3, 9, SYST_LINE, SEVERITY_INFO, "TEXT", "hello\x1b[0m"},
      {14, 34, SYST_STRING, SEVERITY_INFO, "STRING:GENERIC", "ok"}}},
    {"SYS-T RAW DATA\n", {{0, 14, SYST_LINE, SEVERITY_INFO, "TEXT", "SYS-T RAW DATA"}}},
    /* digits that are none, or one too few; a message that is too short */
    {MARKER "421\n",
     {{0, 19, SYST_BAD, SEVERITY_ERROR, "BAD", "odd number of hexadecimal digits: " MARKER "421"}}},
    {MARKER "42X2030103006F6B00\n",
     {{0, 34, SYST_BAD, SEVERITY_ERROR, "BAD",
       "other characters among the hexadecimal digits: " MARKER "42X2030103006F6B00"}}},
    {MARKER "4212\n", {{0, 20, SYST_BAD, SEVERITY_ERROR, "BAD", "too short, 2 bytes of 4: 4212"}}},
    {MARKER "\n", {{0, 16, SYST_BAD, SEVERITY_ERROR, "BAD", "too short, 0 bytes of 4: "}}},
    {MARKER "81674523\n", {{0, 24, SYST_SHORT32, SEVERITY_NONE, "SHORT32", "0x02345678"}}},
    {"", {{0}}},
};

static void
test_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(captures); i++) {
		const struct expected *x = captures[i].messages;
		struct test t;
		size_t n = 0;
		setup(&t, captures[i].text, strlen(captures[i].text));
		for (; x->length; x++, n++) {
			assert_true(n < t.all.list.count);
			const struct message *m = &t.all.list.at[n];
			expand(&t, n);
			if (m->offset != x->offset || m->length != x->length ||
			    m->kind != x->kind || m->severity != x->severity ||
			    strcmp(text_get(&t.e.type), x->type) != 0 ||
			    strcmp(text_get(&t.e.text), x->text) != 0)
				fail_msg("%s: %zu+%u kind %u %s '%s'", captures[i].text,
					 (size_t)m->offset, m->length, m->kind, text_get(&t.e.type),
					 text_get(&t.e.text));
		}
		assert_int_equal(t.all.list.count, n);
		drive_everything(&t.d);
		teardown(&t);
	}
}

/* Prefixes of all sizes reach the frame's own code whole. */
static void
test_prefix(void **state)
{
	static const char longest[] = MARKER "421F8001"
					     "00112233445566778899AABBCCDDEEFF"
					     "010400000009000000"
					     "0300"
					     "1122334455667788"
					     "6F6B00"
					     "6E21ED04\n";
	struct test t;
	(void)state;
	setup(&t, longest, sizeof longest - 1);
	assert_int_equal(t.all.list.count, 1);
	assert_int_equal(t.all.list.at[0].kind, SYST_STRING);
	assert_int_equal(t.all.list.at[0].flags, MESSAGE_TIMED | MESSAGE_CHECKED);
	assert_int_equal(t.all.list.at[0].ticks, 0x8877665544332211u);
	expand(&t, 0);
	assert_string_equal(text_get(&t.e.text), "ok");
	assert_int_equal(t.e.payload_length, 46);
	assert_int_equal(t.e.extents.count, 1);
	assert_int_equal(t.e.extents.at[0].form, EXTENT_HEX);
	assert_int_equal(t.e.extents.at[0].capture_bit, 8 * 16);
	assert_int_equal(t.e.extents.at[0].bits, 8 * 46);
	teardown(&t);
}

/* The printer takes only lines that start with its marker and a blank, and
 * skips what has no digits. */
static void
test_rows(void **state)
{
	static const struct {
		const char *text;
		bool row;
	} cases[] = {
	    {OK_1 "\n", true},	     {MARKER "4212\n", true},
	    {"x" OK_1 "\n", false},  {"SYS-T RAW DATA:4212030103006F6B00\n", false},
	    {MARKER "421\n", false}, {MARKER "4X\n", false},
	    {"text\n", false},	     {OK_1 " \n", false},
	    {OK_1 "\"\n", false},    {OK_1 " " OK_1 "\n", false},
	    {OK_1 OK_1 "\n", false}, {MARKER "0x4212\n", false},
	    {OK_1 "\r\n", true},     {OK_1, true},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct test t;
		struct text out = {0};
		setup(&t, cases[i].text, strlen(cases[i].text));
		expand(&t, 0);
		if (t.d.ops->print(t.d.decoder, &t.all.list.at[0], &t.w, &t.e, &out) !=
		    cases[i].row)
			fail_msg("%s", cases[i].text);
		text_free(&out);
		teardown(&t);
	}
}

static void
test_builds(void **state)
{
	static const char text[] = MARKER "10108002AABBCCDD000000000000000000000001"
					  "0700000000000000"
					  "76310000\n";
	struct test t;
	(void)state;
	setup(&t, text, sizeof text - 1);
	expansion_clear(&t.e);
	t.d.ops->expand(t.d.decoder, &t.all.list.at[0], &t.w, EXPAND_FLAGS, NULL, &t.e);
	assert_true(t.e.announces);
	assert_int_equal(t.e.build, 7);
	assert_int_equal(t.e.guid[0], 0xaa);
	assert_true(t.d.ops->kinds_history >> t.all.list.at[0].kind & 1);
	teardown(&t);
}

/* A line without end is cut into pieces that fit in reach. */
static void
test_long_lines(void **state)
{
	enum { SIZE = 700000, PIECE = 256 * 1024 };
	char *text = mem_new(SIZE);
	struct test t;
	(void)state;
	memset(text, 'x', SIZE);
	memcpy(text + 600000, "\n" OK_1 "\n", sizeof OK_1 + 1);
	setup(&t, text, SIZE);
	assert_int_equal(t.all.list.count, 5);
	assert_int_equal(t.all.list.at[0].length, PIECE);
	assert_int_equal(t.all.list.at[1].length, PIECE);
	assert_int_equal(t.all.list.at[2].length, 600000 - 2 * PIECE);
	assert_int_equal(t.all.list.at[3].offset, 600001);
	assert_int_equal(t.all.list.at[3].kind, SYST_STRING);
	assert_int_equal(t.all.list.at[4].kind, SYST_LINE);
	drive_growing(&t.d, &t.all, 100000);
	drive_blocks(&t.d, &t.all, 65536);
	teardown(&t);
	free(text);
}

static void
test_resync(void **state)
{
	static const char text[] = OK_1 "\n" OK_1 "\n";
	struct test t;
	(void)state;
	setup(&t, text, sizeof text - 1);
	struct decode_state *at = decode_state_new(t.d.decoder);
	for (size_t from = 0; from < sizeof text - 1; from++) {
		struct window w = t.w;
		w.bytes += from;
		w.offset += from;
		w.length -= from;
		assert_int_equal(t.d.ops->resync(t.d.decoder, at, &w), 0);
		assert_int_equal(at->offset, !from ? 0 : from < 35 ? 35 : 70);
	}
	decode_state_free(t.d.decoder, at);
	teardown(&t);
}

static void
test_probe(void **state)
{
	static const struct {
		const char *text;
		int least, most;
	} cases[] = {
	    {OK_1 "\n", 90, 100},
	    {"a\nb\n" OK_1 "\r\n", 90, 100},
	    {MARKER "4\n", 1, 70},
	    {"text\nand more text\n", 0, 0},
	    {"no lines", 0, 0},
	    {"a \001\n", 0, 0},
	    {"a \xff\n", 0, 0},
	    {"a\n\xe2\x82", 0, 0},
	    {"", 0, 0},
	    {"\x81\x67\x45\x23", 0, 0},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct window head = {.bytes = (const uint8_t *)cases[i].text,
				      .length = strlen(cases[i].text),
				      .until = UINT64_MAX,
				      .last = true};
		struct probe probe = {0};
		syst_hex_ops.probe(&head, &probe);
		assert_in_range(probe.score, cases[i].least, cases[i].most);
		assert_false(probe.plain);
		assert_true(*probe.reason);
	}
}

/* Every cut and every flipped bit: the contract holds. */
static void
test_damage(void **state)
{
	static const char whole[] = "boot" OK_1 "\r\n\n" MARKER "81674523\nx\n" OK_1;
	char text[sizeof whole];
	struct test t;
	(void)state;
	for (size_t cut = 0; cut < sizeof whole; cut++) {
		char *tight = mem_new(cut ? cut : 1);
		memcpy(tight, whole, cut);
		setup(&t, tight, cut);
		drive_expand(&t.d, &t.all);
		teardown(&t);
		free(tight);
	}
	memcpy(text, whole, sizeof text);
	for (size_t bit = 0; bit < 8 * (sizeof whole - 1); bit++) {
		text[bit / 8] = (char)(text[bit / 8] ^ 1 << bit % 8);
		setup(&t, text, sizeof whole - 1);
		drive_everything(&t.d);
		teardown(&t);
		text[bit / 8] = (char)(text[bit / 8] ^ 1 << bit % 8);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lines),      cmocka_unit_test(test_prefix),
	    cmocka_unit_test(test_rows),       cmocka_unit_test(test_builds),
	    cmocka_unit_test(test_long_lines), cmocka_unit_test(test_resync),
	    cmocka_unit_test(test_probe),      cmocka_unit_test(test_damage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
