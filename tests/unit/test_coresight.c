/* The CoreSight formatter undone: frames, frames of a trace port with
 * synchronisation in and between them, blocks of a DSTREAM. */
#include "config.h"

#include "test.h"

#include "decode/coresight/coresight.h"
#include "formatter.h"
#include "random.h"

struct found {
	VEC(struct sourced) bytes;
	VEC(uint64_t) offsets;
	uint64_t last_index;
	size_t nobody; /* bytes without an ID */
	enum coresight_format format;
};

static void
take(void *context, const struct coresight_run *run)
{
	struct found *found = context;
	if (run->id == CORESIGHT_NOBODY)
		found->nobody += run->count;
	if (run->id == 0 || run->id == CORESIGHT_NOBODY)
		return;
	assert_true(run->count > 0);
	assert_true(run->index >= found->last_index);
	assert_true(run->anchor <= run->offsets[0]);
	found->last_index = run->index;
	for (unsigned i = 0; i < run->count; i++) {
		*vec_add(&found->bytes) = (struct sourced){run->id, run->bytes[i]};
		*vec_add(&found->offsets) = run->offsets[i];
	}
}

static void
assert_found(const struct found *found, const struct formatter *f)
{
	assert_int_equal(found->bytes.count, f->input.count);
	for (size_t i = 0; i < f->input.count; i++) {
		assert_int_equal(found->bytes.at[i].id, f->input.at[i].id);
		assert_int_equal(found->bytes.at[i].byte, f->input.at[i].byte);
	}
}

static void
found_free(struct found *found)
{
	vec_free(&found->bytes);
	vec_free(&found->offsets);
}

/* Sources change after as many bytes as a generator says. */
static struct formatter
sample(size_t count, unsigned longest)
{
	struct formatter f = {0};
	uint64_t seed = 1;
	while (f.input.count < count) {
		uint8_t id = (uint8_t)(1 + random_below(&seed, 3) * 0x30);
		for (unsigned n = random_below(&seed, longest) + 1; n; n--) {
			uint8_t byte = (uint8_t)random_next(&seed);
			formatter_add(&f, id, &byte, 1);
		}
	}
	formatter_run(&f);
	return f;
}

static void
test_aligned(void **state)
{
	(void)state;
	for (unsigned longest = 1; longest < 40; longest += 3) {
		struct formatter f = sample(3000, longest);
		struct found found = {0};
		struct coresight c;
		coresight_start(&c, CORESIGHT_ALIGNED, 0);
		coresight_feed(&c, f.frames.at, f.frames.count, 0, take, &found);
		assert_found(&found, &f);
		found_free(&found);
		formatter_free(&f);
	}
}

/* Two bytes in a frame by hand (architecture specification, figure of a
 * frame): source 3 from the first pair on, source 5 after its second byte. */
static void
test_by_hand(void **state)
{
	(void)state;
	static const uint8_t frame[16] = {
	    0x07, 0xaa, 0x0b, 0xbb, 0x10, 0xcc, 0x20, 0xdd,
	    0x30, 0xee, 0x40, 0xff, 0x50, 0x11, 0x60, 1 << 1 | 1 << 2 | 1 << 7};
	static const struct sourced expected[] = {
	    {3, 0xaa}, {3, 0xbb}, {5, 0x11}, {5, 0xcc}, {5, 0x20}, {5, 0xdd}, {5, 0x30},
	    {5, 0xee}, {5, 0x40}, {5, 0xff}, {5, 0x50}, {5, 0x11}, {5, 0x61}};
	static const uint64_t places[] = {33, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46};
	struct found found = {0};
	struct coresight c;
	coresight_start(&c, CORESIGHT_ALIGNED, 32);
	coresight_feed(&c, frame, sizeof frame, 32, take, &found);
	assert_int_equal(found.bytes.count, 13);
	assert_memory_equal(found.bytes.at, expected, sizeof expected);
	assert_memory_equal(found.offsets.at, places, sizeof places);
	found_free(&found);
}

static void
put(struct formatter *out, const void *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		*vec_add(&out->frames) = ((const uint8_t *)bytes)[i];
}

/* The frames of F as a trace port sends them. */
static struct formatter
port(const struct formatter *f)
{
	struct formatter out = {0};
	put(&out, "\x12\x34\x56", 3); /* from the middle of a frame */
	for (size_t i = 0; i < f->frames.count; i += 2) {
		if (i % 80 == 0)
			put(&out, "\xff\xff\xff\x7f", 4);
		if (i % 14 == 0)
			put(&out, "\xff\x7f", 2);
		put(&out, f->frames.at + i, 2);
	}
	return out;
}

static void
test_port(void **state)
{
	(void)state;
	struct formatter f = sample(3000, 9), bytes = port(&f);
	for (size_t piece = 1; piece < 100; piece += 11) {
		struct found found = {0};
		struct coresight c;
		coresight_start(&c, CORESIGHT_TPIU, 0);
		for (size_t at = 0; at < bytes.frames.count; at += piece) {
			size_t left = bytes.frames.count - at;
			coresight_feed(&c, bytes.frames.at + at, left < piece ? left : piece, at,
				       take, &found);
		}
		assert_found(&found, &f);
		assert_int_equal(found.nobody, 3);
		found_free(&found);
	}
	formatter_free(&bytes);
	formatter_free(&f);
}

/* Frame synchronisation in the middle of a frame: the frame is nobody's, nothing
 * else is. */
static void
test_port_damage(void **state)
{
	(void)state;
	static const uint8_t bytes[] = {0xff, 0xff, 0xff, 0x7f, 0x03, 0x11, 0x22, 0x33, 0xff, 0xff,
					0xff, 0x7f, 0x05, 0xaa, 0xba, 0xcb, 0xdc, 0xed, 0xfe, 0x0f,
					0x10, 0x21, 0x32, 0x43, 0x54, 0x65, 0x76, 0x00};
	struct found found = {0};
	struct coresight c;
	coresight_start(&c, CORESIGHT_TPIU, 0);
	coresight_feed(&c, bytes, sizeof bytes, 0, take, &found);
	assert_int_equal(found.bytes.count, 14);
	assert_int_equal(found.nobody, 4);
	assert_int_equal(found.bytes.at[0].id, 2);
	assert_int_equal(found.bytes.at[0].byte, 0xaa);
	assert_int_equal(found.offsets.at[0], 13);
	found_free(&found);
}

static void
test_dstream(void **state)
{
	(void)state;
	struct formatter f = sample(3000, 9), bytes = port(&f), blocks = {0};
	for (size_t i = 0; i < bytes.frames.count; i++) {
		if (i && i % 504 == 0)
			put(&blocks, "footer!!", 8);
		put(&blocks, bytes.frames.at + i, 1);
	}
	struct found found = {0};
	struct coresight c;
	coresight_start(&c, CORESIGHT_DSTREAM, 0);
	coresight_feed(&c, blocks.frames.at, blocks.frames.count, 0, take, &found);
	assert_found(&found, &f);
	for (size_t i = 0; i < found.offsets.count; i++)
		assert_true(found.offsets.at[i] % 512 < 504);
	found_free(&found);
	formatter_free(&blocks);
	formatter_free(&bytes);
	formatter_free(&f);
}

static void
test_places(void **state)
{
	(void)state;
	assert_int_equal(coresight_index(CORESIGHT_ALIGNED, 1000), 1000);
	assert_int_equal(coresight_offset(CORESIGHT_SOURCE, 1000), 1000);
	assert_int_equal(coresight_index(CORESIGHT_DSTREAM, 503), 503);
	assert_int_equal(coresight_index(CORESIGHT_DSTREAM, 508), 504);
	assert_int_equal(coresight_index(CORESIGHT_DSTREAM, 512), 504);
	assert_int_equal(coresight_index(CORESIGHT_DSTREAM, 1024), 1008);
	for (uint64_t i = 0; i < 3000; i++)
		assert_int_equal(
		    coresight_index(CORESIGHT_DSTREAM, coresight_offset(CORESIGHT_DSTREAM, i)), i);
}

static void
take_count(void *context, const struct coresight_run *run)
{
	*(uint64_t *)context += run->count;
}

/* Every byte is in a run or counted, whatever is in a capture and however it comes. */
static void
check_account(enum coresight_format format, const uint8_t *bytes, size_t length, uint64_t *seed)
{
	struct coresight c;
	uint64_t taken = 0, at = 0;
	coresight_start(&c, format, 0);
	while (at < length) {
		size_t piece = 16 * (1 + random_below(seed, 40));
		if (format != CORESIGHT_ALIGNED)
			piece -= random_below(seed, 16);
		if (piece > length - at)
			piece = length - at;
		coresight_feed(&c, bytes + at, piece, at, take_count, &taken);
		at += piece;
	}
	if (format == CORESIGHT_ALIGNED)
		length -= length % CORESIGHT_FRAME;
	else
		coresight_finish(&c, take_count, &taken);
	assert_int_equal(taken + c.counts.frame + c.counts.sync + c.counts.block, length);
}

static void
test_account(void **state)
{
	(void)state;
	static const enum coresight_format formats[] = {CORESIGHT_ALIGNED, CORESIGHT_TPIU,
							CORESIGHT_DSTREAM};
	struct formatter f = sample(3000, 9), whole = port(&f);
	uint8_t *bytes = mem_new(whole.frames.count);
	for (uint64_t seed = 1, run = 0; run < 600; run++) {
		size_t length = whole.frames.count;
		memcpy(bytes, whole.frames.at, length);
		for (unsigned n = random_below(&seed, 4); n; n--) {
			size_t from = random_below(&seed, length);
			size_t cut = random_below(&seed, length - from);
			if (random_below(&seed, 2)) {
				memset(bytes + from, random_below(&seed, 2) ? 0xff : 0x7f, cut / 8);
				continue;
			}
			memmove(bytes + from, bytes + from + cut, length - from - cut);
			length -= cut;
		}
		check_account(formats[run % 3], bytes, length, &seed);
	}
	vec_release(bytes);
	formatter_free(&whole);
	formatter_free(&f);
}

/* Bytes before the first frame of a grid are nobody's, however many the frame has. */
static void
test_grid(void **state)
{
	(void)state;
	for (unsigned phase = 0; phase < CORESIGHT_FRAME; phase++) {
		uint8_t bytes[3 * CORESIGHT_FRAME] = {0};
		struct found found = {.format = CORESIGHT_TPIU};
		struct coresight c;
		memset(bytes, 0x55, phase);
		for (size_t i = 0; i < 2 * CORESIGHT_FRAME - 1; i++) /* low bits are 0 */
			bytes[phase + i] = i % CORESIGHT_FRAME == 15 ? 0 : (uint8_t)(2 * i);
		bytes[phase] = 5 << 1 | 1; /* source 5 from here on */
		coresight_start_grid(&c, phase, 0);
		coresight_feed(&c, bytes, phase + 2 * CORESIGHT_FRAME, 0, take, &found);
		assert_int_equal(found.nobody, phase);
		assert_int_equal(found.bytes.count, 14 + 15);
		for (size_t i = 0; i < found.bytes.count; i++)
			assert_int_equal(found.bytes.at[i].id, 5);
		found_free(&found);
	}
	/* a frame of data alone, without a source */
	for (unsigned phase = 0; phase < CORESIGHT_FRAME; phase++) {
		uint8_t bytes[2 * CORESIGHT_FRAME] = {0};
		struct found found = {.format = CORESIGHT_TPIU};
		struct coresight c;
		coresight_start_grid(&c, phase, 0);
		coresight_feed(&c, bytes, phase + CORESIGHT_FRAME, 0, take, &found);
		assert_int_equal(found.nobody, phase + 15);
		found_free(&found);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_aligned), cmocka_unit_test(test_by_hand),
	    cmocka_unit_test(test_port),    cmocka_unit_test(test_port_damage),
	    cmocka_unit_test(test_dstream), cmocka_unit_test(test_places),
	    cmocka_unit_test(test_grid),    cmocka_unit_test(test_account),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
