/*
 * Cut and flipped captures: whatever the bytes are, decoding ends, keeps the
 * contract (drive.c), and loses no message that lies whole before the cut.
 * Most telling when built with sanitizers.
 */
#include "config.h"

#include "test.h"

#include "../drive.h"
#include "base/vec.h"
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 3000, FLIPS = 2000 };

/* The damaged ones come last: where damage ends may depend on what follows,
 * so that a cut may change what lies before it. */
static const struct sample {
	const char *file, *decoder;
	const char *settings[4][2]; /* options and their values */
	size_t ahead;		    /* bytes behind a message that tell about it */
} captures[] = {
    {"all-raw.bin", "syst/raw", {{NULL}}},
    {"short.bin", "syst/raw", {{NULL}}},
    {"all-hex.txt", "syst/hex", {{NULL}}},
    {"all-msn.stp", "syst/stp", {{NULL}}},
    {"gray.stp", "syst/stp", {{NULL}}},
    {"demo.stp", "syst/stp", {{NULL}}},
    {"all-encap.bin",
     "encap",
     {{"srcid_width", "8"}, {"timestamp_bytes", "2"}, {"type_width", "0"}}},
    {"bits-encap.bin",
     "encap",
     {{"srcid_width", "6"}, {"timestamp_bytes", "0"}, {"type_width", "2"}}},
    {"all-gem.bin", "gem", {{NULL}}, .ahead = 4},
    {"all-gem.uia.bin", "uia", {{NULL}}},
    {"all-csel.csel", "csel", {{NULL}}},
    {"damaged-raw.bin", "syst/raw", {{NULL}}},
    {"damaged-hex.txt", "syst/hex", {{NULL}}},
    {"damaged-stp.stp", "syst/stp", {{NULL}}},
    {"damaged-encap.bin", "encap", {{NULL}}}, /* its widths are guessed */
    {"damaged-gem.bin", "gem", {{"record_size", "12"}, {"timestamp_width", "8"}}},
    {"damaged-uia.bin", "uia", {{NULL}}},
    {"damaged-csel.csel", "csel", {{NULL}}},
};
enum { CAPTURES = sizeof captures / sizeof *captures, UNDAMAGED = CAPTURES - 7 };

static void
set_options(struct drive *d, const struct sample *sample)
{
	for (size_t i = 0; sample->settings[i][0]; i++)
		assert_true(drive_set(d, sample->settings[i][0], sample->settings[i][1]));
}

/* The first SIZE bytes of a capture, or fewer. */
static size_t
read_head(const char *name, uint8_t head[static SIZE])
{
	char path[4096];
	const char *srcdir = getenv("srcdir");
	snprintf(path, sizeof path, "%s/testdata/%s", srcdir ? srcdir : ".", name);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	size_t length = fread(head, 1, SIZE, file);
	fclose(file);
	return length;
}

/* Decodes a copy of just LENGTH bytes, so that reads past it are seen. */
static void
decode(const struct sample *sample, const uint8_t *bytes, size_t length, bool expand,
       struct drive_messages *messages)
{
	struct drive d;
	uint8_t *copy = mem_new(length ? length : 1);
	memcpy(copy, bytes, length);
	drive_open(&d, sample->decoder, copy, length);
	set_options(&d, sample);
	drive_start(&d);
	drive_all(&d, messages);
	if (expand)
		drive_expand(&d, messages);
	drive_close(&d);
	vec_release(copy);
}

static bool
same(const struct message *a, const struct message *b)
{
	return a->offset == b->offset && a->length == b->length && a->kind == b->kind &&
	       a->flags == b->flags && a->ticks == b->ticks && a->origin == b->origin;
}

/* Whether the messages of WHOLE that are AHEAD bytes before CUT start off PART. */
static bool
kept(const struct drive_messages *whole, const struct drive_messages *part, size_t cut,
     size_t ahead)
{
	for (size_t i = 0; i < whole->list.count; i++) {
		const struct message *m = &whole->list.at[i];
		if (m->offset + m->length + ahead > cut)
			return true;
		if (i >= part->list.count || !same(m, &part->list.at[i])) {
			print_error("cut at %zu: message %zu at %zu+%u is lost\n", cut, i,
				    (size_t)m->offset, m->length);
			return false;
		}
	}
	return true;
}

static void
test_cuts(void **state)
{
	(void)state;
	for (int i = 0; i < CAPTURES; i++) {
		uint8_t head[SIZE];
		size_t length = read_head(captures[i].file, head);
		struct drive_messages whole, part;
		decode(&captures[i], head, length, true, &whole);
		for (size_t cut = 0; cut < length; cut++) {
			decode(&captures[i], head, cut, cut % 64 == 0, &part);
			if (i < UNDAMAGED && !kept(&whole, &part, cut, captures[i].ahead))
				fail_msg("%s", captures[i].file);
			vec_free(&part.list);
		}
		vec_free(&whole.list);
	}
}

static void
test_flips(void **state)
{
	(void)state;
	uint64_t seed = 1;
	for (int i = 0; i < CAPTURES; i++) {
		uint8_t head[SIZE];
		size_t length = read_head(captures[i].file, head);
		for (int flip = 0; flip < FLIPS; flip++) {
			size_t bit = random_below(&seed, 8 * length);
			struct drive_messages messages;
			head[bit / 8] ^= (uint8_t)(1 << bit % 8);
			decode(&captures[i], head, length, flip % 16 == 0, &messages);
			vec_free(&messages.list);
			if (flip % 4 != 3) /* now and then the damage stays */
				head[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
	}
}

/* The whole contract, on the captures as they are; growth byte by byte. */
static void
test_ways(void **state)
{
	(void)state;
	for (int i = 0; i < CAPTURES; i++) {
		uint8_t head[SIZE];
		size_t length = read_head(captures[i].file, head);
		struct drive d;
		drive_open(&d, captures[i].decoder, head, length);
		set_options(&d, &captures[i]);
		drive_start(&d);
		drive_everything(&d);
		struct drive_messages all;
		drive_all(&d, &all);
		drive_growing(&d, &all, 1);
		vec_free(&all.list);
		drive_close(&d);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cuts),
	    cmocka_unit_test(test_flips),
	    cmocka_unit_test(test_ways),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
