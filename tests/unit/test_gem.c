/*
 * GEM OVERLAY words: the worked examples of the documented layout, pairs and
 * gaps, layouts of records.  The encoder below follows the documentation of
 * GemTraceSync, not the decoder.
 */
#include "config.h"

#include "test.h"
#include "walk.h"

#include "decode/gem/gem.h"

#include <stdlib.h>
#include <string.h>

enum { MAX = 64 };

static uint32_t
single(uint32_t type, uint32_t value)
{
	return type << 26 | (value & 0xffffff) << 2 | 3;
}

static uint32_t
first_of(uint32_t type, uint32_t data)
{
	return 1u << 31 | type << 26 | (data >> 8) << 2 | 3;
}

static uint32_t
second_of(uint32_t data, uint32_t sequence)
{
	return 3u << 30 | (sequence & 0xfffff) << 10 | (data & 0xff) << 2 | 3;
}

static const struct gem_options bare = {.record_size = 4};

struct fixture {
	struct decoder *d;
	uint8_t bytes[MAX * 32];
	size_t length;
	message_list all;
	struct expansion e;
};

static struct fixture
words(const uint32_t *word, size_t count)
{
	struct fixture f = {.d = gem_ops.open(&bare, &(struct window){0}, NULL),
			    .length = 4 * count};
	for (size_t i = 0; i < 4 * count; i++)
		f.bytes[i] = (uint8_t)(word[i / 4] >> 8 * (i % 4));
	f.all = walk_all(f.d, f.bytes, f.length);
	return f;
}

static const struct expansion *
expand(struct fixture *f, size_t at)
{
	assert_true(at < f->all.count);
	walk_expand(f->d, f->bytes, f->length, &f->all.at[at], &f->e);
	return &f->e;
}

static void
finish(struct fixture *f)
{
	walk_check(f->d, f->bytes, f->length);
	vec_free(&f->all);
	expansion_free(&f->e);
	f->d->ops->close(f->d);
}

static void
test_examples(void **state)
{
	static const uint32_t word[] = {0x04000003, 0x0448D15B, 0x0B37BC4B, 0x0C000007, 0xBE00040B,
					0xC48D1503, 0x10000003, 0x40000003, 0xC48D1503};
	static const struct {
		const char *type, *text;
	} expected[] = {
	    {"syncpoint", "SyncPoint 0"},
	    {"syncpoint", "SyncPoint 1193046, 1193045 missing before it"},
	    {"ctxchg", "ContextChange seq 13496082"}, /* 0xCDEF12 */
	    {"snapshot", "Snapshot 1"},
	    {"first", "User data=0x800102.. first word"},
	    {"second", "User data=0x80010240 seq 0x12345"},
	    {"reserved", "reserved type 4 value 0x000000"},
	    {"reserved", "reserved type 16 value 0x000000"},
	    {"second", "data=0x......40 seq 0x12345 first word lost"},
	};
	(void)state;
	struct fixture f = words(word, 9);
	assert_int_equal(f.all.count, 9);
	for (size_t i = 0; i < 9; i++) {
		const struct expansion *e = expand(&f, i);
		assert_string_equal(text_get(&e->type), expected[i].type);
		assert_string_equal(text_get(&e->text), expected[i].text);
		assert_int_equal(walk_number(e, "word"), word[i]);
		assert_int_equal(walk_number(e, "lsb"), 3);
	}
	const struct expansion *e = expand(&f, 5);
	walk_assert_text(e, "data", "0x80010240");
	walk_assert_text(e, "ctx_name", "User");
	walk_assert_text(e, "pair", "complete");
	assert_int_equal(walk_number(e, "seq20"), 0x12345);
	assert_int_equal(walk_number(e, "data8"), 0x40);
	assert_int_equal(walk_number(e, "first_offset"), 16);
	assert_int_equal(walk_number(expand(&f, 4), "data24"), 0x800102);
	e = expand(&f, 8);
	walk_assert_text(e, "pair", "first_lost");
	walk_assert_text(e, "data", NULL);
	assert_int_equal(f.all.at[8].severity, SEVERITY_ERROR);
	assert_int_equal(f.all.at[6].severity, SEVERITY_WARNING);
	finish(&f);
}

/* As TI's own macros write them: nothing below bit 2. */
static void
test_low_bits(void **state)
{
	static const uint32_t word[] = {0x04000000, 0x04000004, 0x04000008 | 2, 0x0400000c | 2};
	(void)state;
	struct fixture f = words(word, 4);
	assert_int_equal(f.all.at[1].severity, SEVERITY_INFO);
	assert_int_equal(f.all.at[2].severity, SEVERITY_WARNING); /* they changed */
	assert_true(f.all.at[2].flags & MESSAGE_SUSPECT);
	assert_int_equal(f.all.at[3].severity, SEVERITY_INFO);
	assert_int_equal(walk_number(expand(&f, 2), "lsb"), 2);
	finish(&f);
}

static void
test_pairs(void **state)
{
	(void)state;
	const uint32_t word[] = {first_of(15, 0x11223344),  first_of(5, 0x55667788),
				 second_of(0x55667788, 7),  second_of(0x99, 8),
				 first_of(15, 0x01020304),  single(1, 9),
				 second_of(0x04, 9),	    first_of(14, 0xdeadbeef),
				 second_of(0xdeadbeef, 10), first_of(15, 0x0a0b0c0d)};
	static const char *const pair[] = {"second_lost", "complete",	"complete",   "first_lost",
					   "second_lost", NULL,		"first_lost", "complete",
					   "complete",	  "second_lost"};
	struct fixture f = words(word, 10);
	for (size_t i = 0; i < 10; i++) {
		walk_assert_text(expand(&f, i), "pair", pair[i]);
		bool lost = pair[i] && strcmp(pair[i], "complete") != 0;
		assert_int_equal((f.all.at[i].flags & MESSAGE_LOST) != 0, lost);
	}
	walk_assert_text(expand(&f, 2), "data", "0x55667788");
	walk_assert_text(expand(&f, 2), "ctx_name", "Reserved5");
	walk_assert_text(expand(&f, 8), "ctx_name", "Global32bTimestamp");
	assert_true(f.all.at[8].flags & MESSAGE_SYNC);
	finish(&f);
}

static void
test_gaps(void **state)
{
	(void)state;
	const uint32_t word[] = {single(1, 0xfffffe), single(1, 0xffffff), single(1, 0),
				 single(1, 4),	      single(3, 7),	   single(3, 9),
				 single(1, 5),	      single(2, 100),	   single(2, 7)};
	static const char *const missing[] = {NULL, NULL, NULL, "3", NULL, "1", NULL, NULL, NULL};
	struct fixture f = words(word, 9);
	for (size_t i = 0; i < 9; i++)
		walk_assert_text(expand(&f, i), "missing", missing[i]);
	finish(&f);
}

/* Records of 16 bytes: time stamp of 3 bytes at 1, the word at 8, big-endian. */
static void
test_layout(void **state)
{
	static const struct gem_options layout = {.record_size = 16,
						  .word_offset = 8,
						  .endian = GEM_BIG,
						  .timestamp_offset = 1,
						  .timestamp_width = 3};
	static const uint32_t times[] = {0xfffff0, 0xfffffe, 0x000003, 0x000001};
	static const uint64_t ticks[] = {0xfffff0, 0xfffffe, 0x1000003, 0x1000001};
	(void)state;
	struct fixture f = {.d = gem_ops.open(&layout, &(struct window){0}, NULL),
			    .length = 4 * 16 + 5};
	memset(f.bytes, 0xee, sizeof f.bytes);
	for (uint32_t i = 0; i < 4; i++) {
		uint8_t *p = f.bytes + 16 * i;
		uint32_t word = single(1, 100 + i);
		for (int b = 0; b < 3; b++)
			p[1 + b] = (uint8_t)(times[i] >> 8 * (2 - b));
		for (int b = 0; b < 4; b++)
			p[8 + b] = (uint8_t)(word >> 8 * (3 - b));
	}
	f.all = walk_all(f.d, f.bytes, f.length);
	assert_int_equal(f.all.count, 5);
	for (size_t i = 0; i < 4; i++) {
		const struct expansion *e = expand(&f, i);
		assert_int_equal(f.all.at[i].length, 16);
		assert_int_equal(f.all.at[i].ticks, ticks[i]);
		assert_int_equal(walk_number(e, "ts"), times[i]);
		assert_int_equal(walk_number(e, "value"), 100 + i);
	}
	assert_int_equal(f.all.at[4].kind, GEM_TRUNCATED);
	assert_int_equal(f.all.at[4].length, 5);
	finish(&f);
}

static void
test_bad_layout(void **state)
{
	static const struct gem_options wrong[] = {
	    {.record_size = 8, .word_offset = 5},
	    {.record_size = 8, .timestamp_offset = 4, .timestamp_width = 5}};
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct err err = {0};
		assert_null(gem_ops.open(&wrong[i], &(struct window){0}, &err));
		assert_int_equal(err.code, ERR_CONFIG);
	}
}

/* Defaults are those of the profile's documentation: bare words. */
static void
test_defaults(void **state)
{
	struct gem_options o;
	(void)state;
	option_defaults(gem_ops.options, &o);
	assert_int_equal(o.record_size, 4);
	assert_int_equal(o.word_offset, 0);
	assert_int_equal(o.endian, GEM_LITTLE);
	assert_int_equal(o.timestamp_width, 0);
}

static void
test_damage(void **state)
{
	(void)state;
	uint32_t word[MAX];
	for (uint32_t i = 0; i < MAX; i++)
		word[i] = i % 3 == 0   ? first_of(i % 16, i * 0x1234567)
			  : i % 3 == 1 ? second_of((i - 1) * 0x1234567, i)
				       : single(1 + i % 2 * 2, i);
	struct fixture f = words(word, MAX);
	walk_truncate(f.d, f.bytes, f.length, 1);
	walk_flip(f.d, f.bytes, f.length, 100);
	struct probe probe[PROBES_MAX] = {{0}};
	struct window head = {.bytes = f.bytes, .length = f.length};
	gem_ops.probe(&head, probe);
	assert_true(probe->score > 0 && *probe->reason);
	memset(f.bytes, 0, f.length);
	*probe = (struct probe){0};
	gem_ops.probe(&head, probe);
	assert_int_equal(probe->score, 0);
	finish(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_examples), cmocka_unit_test(test_low_bits),
	    cmocka_unit_test(test_pairs),    cmocka_unit_test(test_gaps),
	    cmocka_unit_test(test_layout),   cmocka_unit_test(test_bad_layout),
	    cmocka_unit_test(test_defaults), cmocka_unit_test(test_damage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
