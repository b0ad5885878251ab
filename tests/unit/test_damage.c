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
#include "samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 3000, FLIPS = 2000 };

/* The first SIZE bytes of a capture, or fewer. */
static size_t
read_head(const struct sample *sample, uint8_t head[static SIZE])
{
	size_t length;
	char *bytes = sample_read(sample, &length);
	length = length < SIZE ? length : SIZE;
	memcpy(head, bytes, length);
	vec_release(bytes);
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
	sample_open(sample, &d, copy, length);
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
	for (size_t i = 0; i < sample_count; i++) {
		uint8_t head[SIZE];
		size_t length = read_head(&samples[i], head);
		struct drive_messages whole, part;
		/* where damage ends may depend on what follows, which a cut takes away */
		bool may_move = samples[i].damaged && !samples[i].holds;
		decode(&samples[i], head, length, true, &whole);
		for (size_t cut = 0; cut < length; cut++) {
			decode(&samples[i], head, cut, cut % 64 == 0, &part);
			if (!may_move && !kept(&whole, &part, cut, samples[i].ahead))
				fail_msg("%s", samples[i].name);
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
	for (size_t i = 0; i < sample_count; i++) {
		uint8_t head[SIZE];
		size_t length = read_head(&samples[i], head);
		for (int flip = 0; flip < FLIPS; flip++) {
			size_t bit = random_below(&seed, 8 * length);
			struct drive_messages messages;
			head[bit / 8] ^= (uint8_t)(1 << bit % 8);
			decode(&samples[i], head, length, flip % 16 == 0, &messages);
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
	for (size_t i = 0; i < sample_count; i++) {
		uint8_t head[SIZE];
		size_t length = read_head(&samples[i], head);
		struct drive d;
		sample_open(&samples[i], &d, head, length);
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
