/*
 * SyS-T without framing: how bytes are cut into messages.  Streams are written
 * by hand from the message layout; what is expected is where each message
 * starts, its length, kind and flags.  drive_everything() then checks that
 * growing windows, blocks and checkpoints give the same messages.
 */
#include "config.h"

#include "test.h"

#include "decode/syst/syst_frame.h"
#include "drive.h"
#include "hex.h"
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Messages with a length, 9 bytes each; headers with nothing after them. */
#define OK_1 "42 12 03 01 0300 'ok' 00 "
#define OK_3                                                                                       \
	OK_1 "22 22 04 01 0300 'no' 00 "                                                           \
	     "72 12 05 01 0300 'hi' 00 "
#define ZEROS_8 "0000000000000000 "
#define ZEROS_16 ZEROS_8 ZEROS_8

enum {
	DAMAGED = MESSAGE_DAMAGED,
	TRUNCATED = MESSAGE_TRUNCATED,
	SUSPECT = MESSAGE_SUSPECT,
	ESTIMATED = MESSAGE_ESTIMATED,
	SYNC = MESSAGE_SYNC,
	TIMED = MESSAGE_TIMED,
	FILLER = MESSAGE_FILLER
};

struct expected {
	uint32_t length;
	uint8_t kind;
	uint16_t flags;
};

static void
compare(const char *what, const struct drive_messages *got, const struct expected *expected)
{
	uint64_t offset = 0;
	size_t count = 0;
	for (; expected[count].length; count++) {
		const struct message *m = count < got->list.count ? &got->list.at[count] : NULL;
		if (!m || m->offset != offset || m->length != expected[count].length ||
		    m->kind != expected[count].kind ||
		    (m->flags & ~MESSAGE_CHECKED) != expected[count].flags)
			fail_msg("%s: message %zu is %zu+%u kind %u flags %x", what, count,
				 m ? (size_t)m->offset : 0, m ? m->length : 0, m ? m->kind : 0,
				 m ? m->flags : 0);
		offset += m->length;
	}
	if (got->list.count != count)
		fail_msg("%s: %zu messages", what, got->list.count);
}

static void
check(const char *what, const uint8_t *bytes, size_t length, const struct expected *expected)
{
	struct drive d;
	struct drive_messages all;
	drive_open(&d, "syst/raw", bytes, length);
	drive_start(&d);
	drive_all(&d, &all);
	compare(what, &all, expected);
	drive_everything(&d);
	vec_free(&all.list);
	drive_close(&d);
}

static const struct {
	const char *digits;
	struct expected messages[8];
} streams[] = {
    /* what delimits itself */
    {OK_3, {{9, SYST_STRING, 0}, {9, SYST_STRING, 0}, {9, SYST_STRING, 0}}},
    {"81 67 45 23"
     "87 78 67 56 45 34 23 12"
     "10 00 00 C0"
     "10 00 00 C1 00000000" OK_1,
     {{4, SYST_SHORT32, 0},
      {8, SYST_SHORT64, 0},
      {4, SYST_BUILD, 0},
      {8, SYST_BUILD, 0},
      {9, SYST_STRING, 0}}},
    {"08 10 03 01 0100000000000000 E803000000000000" OK_1,
     {{20, SYST_CLOCK, SYNC}, {9, SYST_STRING, 0}}},
    {"08 1E 83 01 00112233445566778899AABBCCDDEEFF 1000 2A00000000000000"
     "0100000000000000 E803000000000000 00000000" OK_1,
     {{50, SYST_CLOCK, SYNC | TIMED}, {9, SYST_STRING, 0}}},
    {OK_1 "46 12 03 12 0000" OK_1, {{9, SYST_STRING, 0}, {6, SYST_RAW, 0}, {9, SYST_STRING, 0}}},

    /* what does not: text with NUL, format with arguments, build, and the CRC */
    {"42 10 03 01 'hello' 00" OK_3,
     {{10, SYST_STRING, ESTIMATED}, {9, SYST_STRING, 0}, {9, SYST_STRING, 0}, {9, SYST_STRING, 0}}},
    {"42 10 03 0B '%d %s' 00 07000000 'ab' 00" OK_3,
     {{17, SYST_STRING, ESTIMATED}, {9, SYST_STRING, 0}, {9, SYST_STRING, 0}, {9, SYST_STRING, 0}}},
    {"40 10 03 02 0100000000000000" OK_3,
     {{12, SYST_BUILD, ESTIMATED}, {9, SYST_STRING, 0}, {9, SYST_STRING, 0}, {9, SYST_STRING, 0}}},
    {"42 14 03 01 'ok' 00 C446EFB5"
     "42 14 03 01 'ok' 00 C446EFB5",
     {{11, SYST_STRING, 0}, {11, SYST_STRING, 0}}},
    /* nothing to go by but the next messages, or the end */
    {"46 10 03 12 DEADBEEFDEADBEEF" OK_3,
     {{12, SYST_RAW, ESTIMATED}, {9, SYST_STRING, 0}, {9, SYST_STRING, 0}, {9, SYST_STRING, 0}}},
    {OK_1 "42 10 03 01 'no end'", {{9, SYST_STRING, 0}, {10, SYST_STRING, ESTIMATED}}},

    /* zero bytes: few are builds number 0, many are filler */
    {OK_1 "00000000 00000000" OK_3,
     {{9, SYST_STRING, 0},
      {4, SYST_BUILD, 0},
      {4, SYST_BUILD, 0},
      {9, SYST_STRING, 0},
      {9, SYST_STRING, 0},
      {9, SYST_STRING, 0}}},
    {ZEROS_16 OK_3,
     {{16, SYST_FILLER, FILLER}, {9, SYST_STRING, 0}, {9, SYST_STRING, 0}, {9, SYST_STRING, 0}}},
    /* headers that begin with one, two and three zero bytes of their own */
    {ZEROS_16 "00 12 03 02 0800 0100000000000000" OK_3,
     {{16, SYST_FILLER, FILLER},
      {14, SYST_BUILD, 0},
      {9, SYST_STRING, 0},
      {9, SYST_STRING, 0},
      {9, SYST_STRING, 0}}},
    {ZEROS_16 "00"
	      "00 00 03 00" OK_3,
     {{17, SYST_FILLER, FILLER},
      {4, SYST_BUILD, 0},
      {9, SYST_STRING, 0},
      {9, SYST_STRING, 0},
      {9, SYST_STRING, 0}}},
    {ZEROS_16 "00 00 00 80" OK_3,
     {{16, SYST_FILLER, FILLER},
      {4, SYST_BUILD, 0},
      {9, SYST_STRING, 0},
      {9, SYST_STRING, 0},
      {9, SYST_STRING, 0}}},
    {OK_1 ZEROS_16 ZEROS_8, {{9, SYST_STRING, 0}, {24, SYST_FILLER, FILLER}}},

    /* reserved: over it by its length, else to the next messages */
    {"44 12 03 01 0200 0102" OK_3,
     {{8, SYST_UNKNOWN, SUSPECT}, {9, SYST_STRING, 0}, {9, SYST_STRING, 0}, {9, SYST_STRING, 0}}},
    {"42 12 03 09 0200 0102" OK_3,
     {{8, SYST_UNKNOWN, SUSPECT}, {9, SYST_STRING, 0}, {9, SYST_STRING, 0}, {9, SYST_STRING, 0}}},
    {"44 10 03 01 0102030405" OK_3,
     {{9, SYST_DAMAGE, DAMAGED}, {9, SYST_STRING, 0}, {9, SYST_STRING, 0}, {9, SYST_STRING, 0}}},
    {"C2 12 03 01 0300 'ok' 00" OK_1, {{9, SYST_STRING, SUSPECT}, {9, SYST_STRING, 0}}},

    /* lengths that are wrong: too small for the kind, past the end, past
	 * messages that are there */
    {"43 12 03 01 0200 0102" OK_1, {{8, SYST_BAD, DAMAGED | TRUNCATED}, {9, SYST_STRING, 0}}},
    {OK_1 "42 12 03 01 0900 'ok'", {{9, SYST_STRING, 0}, {8, SYST_BAD, DAMAGED | TRUNCATED}}},
    {OK_1 "42 12 83 01 0011", {{9, SYST_STRING, 0}, {6, SYST_BAD, DAMAGED | TRUNCATED}}},
    {OK_1 "42 12", {{9, SYST_STRING, 0}, {2, SYST_BAD, DAMAGED | TRUNCATED}}},
    {OK_1 "87 78 67 56 45", {{9, SYST_STRING, 0}, {5, SYST_BAD, DAMAGED | TRUNCATED}}},
    {"42 12 03 01 FF7F 'ok' 00" OK_3,
     {{9, SYST_BAD, DAMAGED | TRUNCATED},
      {9, SYST_STRING, 0},
      {9, SYST_STRING, 0},
      {9, SYST_STRING, 0}}},
    {"", {{0, 0, 0}}},
};

static void
test_streams(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(streams); i++) {
		struct hex hex = hex_bytes(streams[i].digits);
		check(streams[i].digits, hex.bytes.at, hex.bytes.count, streams[i].messages);
		hex_free(&hex);
	}
}

/* A capture of COUNT messages of SIZE bytes with length and time. */
static struct hex
regular(size_t count, size_t size)
{
	struct hex hex = {0};
	for (size_t i = 0; i < count; i++) {
		char time[24];
		snprintf(time, sizeof time, "%02X%02X%02X0000000000", (unsigned)(i & 255),
			 (unsigned)(i >> 8 & 255), (unsigned)(i >> 16 & 255));
		char length[8];
		snprintf(length, sizeof length, "%02X00", (unsigned)(size - 14));
		hex_add(&hex, "42 1A 03 01");
		hex_add(&hex, length);
		hex_add(&hex, time);
		for (size_t k = 14; k < size - 1; k++)
			hex_add(&hex, "'m'");
		hex_add(&hex, "00");
	}
	return hex;
}

static void
test_regular(void **state)
{
	enum { MESSAGES = 5000 };
	struct hex hex = regular(MESSAGES, 32);
	struct drive d;
	struct drive_messages all;
	(void)state;
	drive_open(&d, "syst/raw", hex.bytes.at, hex.bytes.count);
	drive_start(&d);
	drive_all(&d, &all);
	assert_int_equal(all.list.count, MESSAGES);
	for (size_t i = 0; i < MESSAGES; i++) {
		assert_int_equal(all.list.at[i].offset, 32 * i);
		assert_int_equal(all.list.at[i].length, 32);
		assert_int_equal(all.list.at[i].ticks, i);
		assert_int_equal(all.list.at[i].flags, TIMED);
	}
	drive_everything(&d);

	/* from anywhere, the next message is found */
	struct decode_state *at = decode_state_new(d.decoder);
	for (size_t from = 1; from < 200; from++) {
		struct window w = drive_window(&d);
		w.bytes += from;
		w.offset += from;
		w.length -= from;
		assert_int_equal(d.ops->resync(d.decoder, at, &w), 0);
		assert_int_equal(at->offset, (from + 31) / 32 * 32);
	}
	decode_state_free(d.decoder, at);
	vec_free(&all.list);
	drive_close(&d);
	hex_free(&hex);
}

/* A long message with a reserved bit, whose payload could be taken for words: a
 * header and those that follow it speak for its length. */
static void
test_long_suspect(void **state)
{
	enum { PAYLOAD = 2000, MESSAGES = 8 };
	struct hex hex = {0};
	struct drive d;
	struct drive_messages all;
	(void)state;
	hex_add(&hex, "C6 12 03 01 D007");
	for (int i = 0; i < PAYLOAD / 4; i++)
		hex_add(&hex, "11 01 00 00");
	for (int i = 0; i < MESSAGES; i++)
		hex_add(&hex, OK_1);
	drive_open(&d, "syst/raw", hex.bytes.at, hex.bytes.count);
	drive_start(&d);
	drive_all(&d, &all);
	assert_int_equal(all.list.count, MESSAGES + 1);
	assert_int_equal(all.list.at[0].kind, SYST_RAW);
	assert_int_equal(all.list.at[0].length, 6 + PAYLOAD);
	assert_int_equal(all.list.at[0].flags, SUSPECT);
	drive_everything(&d);
	vec_free(&all.list);
	drive_close(&d);
	hex_free(&hex);
}

/* A long text, in which every "g" looks like a SHORT64 with seven bytes, before a message of a
 * reserved subtype: it ends with its NUL where its length says, so the length is right. */
static void
test_long_text(void **state)
{
	enum { PAYLOAD = 1201 };
	struct hex hex = {0};
	struct drive d;
	struct drive_messages all;
	(void)state;
	hex_add(&hex, "42 22 01 01 B104");
	for (int i = 0; i < PAYLOAD - 1; i++)
		*vec_add(&hex.bytes) = (uint8_t) "long"[i % 4];
	hex_add(&hex, "00");
	hex_add(&hex, "40 22 01 09 0800 0500000000000000"); /* BUILD has no subtype 9 */
	hex_add(&hex, OK_1);
	drive_open(&d, "syst/raw", hex.bytes.at, hex.bytes.count);
	drive_start(&d);
	drive_all(&d, &all);
	assert_int_equal(all.list.count, 3);
	assert_int_equal(all.list.at[0].kind, SYST_STRING);
	assert_int_equal(all.list.at[0].length, 6 + PAYLOAD);
	assert_int_equal(all.list.at[0].flags & (MESSAGE_DAMAGED | MESSAGE_SUSPECT), 0);
	assert_int_equal(all.list.at[1].length, 6 + 8);
	drive_everything(&d);
	vec_free(&all.list);
	drive_close(&d);
	hex_free(&hex);
}

/* The start of the capture is a boundary, whatever is there. */
static void
test_resync_at_start(void **state)
{
	static const uint8_t bytes[] = "no messages at all";
	struct decode_state at = {.offset = 5};
	struct window w = {.bytes = bytes, .length = sizeof bytes, .until = UINT64_MAX};
	(void)state;
	assert_int_equal(syst_raw_ops.resync(NULL, &at, &w), 0);
	assert_int_equal(at.offset, 0);
	w.offset = 100;
	assert_int_equal(syst_raw_ops.resync(NULL, &at, &w), ERR_SYNC);
}

/* A flipped bit costs the messages that it is in, not those that follow. */
static void
test_flips(void **state)
{
	enum { MESSAGES = 40, SIZE = 33 }; /* no power of two: a wrong length misses */
	struct hex hex = regular(MESSAGES, SIZE);
	(void)state;
	for (size_t bit = 0; bit < 8 * SIZE; bit++) {
		struct drive d;
		struct drive_messages all;
		size_t byte = 10 * SIZE + bit / 8, right = 0;
		hex.bytes.at[byte] ^= (uint8_t)(1 << bit % 8);
		drive_open(&d, "syst/raw", hex.bytes.at, hex.bytes.count);
		drive_start(&d);
		drive_all(&d, &all);
		drive_expand(&d, &all);
		for (size_t i = 0; i < all.list.count; i++) {
			const struct message *m = &all.list.at[i];
			right += m->offset % SIZE == 0 && m->length == SIZE && m->flags == TIMED;
		}
		if (right < MESSAGES - 2)
			fail_msg("bit %zu: only %zu messages are right", bit, right);
		vec_free(&all.list);
		drive_close(&d);
		hex.bytes.at[byte] ^= (uint8_t)(1 << bit % 8);
	}
	hex_free(&hex);
}

/* Long runs of zeros are cut at multiples of 64 KiB, at least 64 bytes on; a
 * rest too short to be filler is not left behind. */
static void
test_long_filler(void **state)
{
	static const struct {
		size_t zeros;
		struct expected messages[8];
	} cases[] = {
	    {65536 - 9,
	     {{9, SYST_STRING, 0},
	      {65527, SYST_FILLER, FILLER},
	      {9, SYST_STRING, 0},
	      {9, SYST_STRING, 0},
	      {9, SYST_STRING, 0}}},
	    {65527 + 18,
	     {{9, SYST_STRING, 0},
	      {65545, SYST_FILLER, FILLER},
	      {9, SYST_STRING, 0},
	      {9, SYST_STRING, 0},
	      {9, SYST_STRING, 0}}},
	    {65527 + 100,
	     {{9, SYST_STRING, 0},
	      {65527, SYST_FILLER, FILLER},
	      {100, SYST_FILLER, FILLER},
	      {9, SYST_STRING, 0},
	      {9, SYST_STRING, 0},
	      {9, SYST_STRING, 0}}},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct hex hex = hex_bytes(OK_1);
		for (size_t k = 0; k < cases[i].zeros; k++)
			*vec_add(&hex.bytes) = 0;
		hex_add(&hex, OK_3);
		check("filler", hex.bytes.at, hex.bytes.count, cases[i].messages);
		hex_free(&hex);
	}
}

/* No message is longer than what fits in reach, whatever the bytes are. */
static void
test_noise(void **state)
{
	enum { SIZE = 300000 };
	static const char letters[] = "any text at all, 0123456789\n";
	uint8_t *bytes = mem_new(SIZE);
	uint64_t seed = 3;
	(void)state;
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < SIZE; i++) {
			bytes[i] = round ? (uint8_t)letters[random_below(&seed, sizeof letters - 1)]
					 : (uint8_t)random_next(&seed);
		}
		struct drive d;
		struct drive_messages all;
		drive_open(&d, "syst/raw", bytes, SIZE);
		drive_start(&d);
		drive_all(&d, &all);
		uint64_t at = 0;
		for (size_t i = 0; i < all.list.count; i++) {
			assert_int_equal(all.list.at[i].offset, at);
			assert_in_range(all.list.at[i].length, 1, SYST_MESSAGE_MAX);
			at += all.list.at[i].length;
		}
		assert_int_equal(at, SIZE);
		drive_growing(&d, &all, SIZE / 3);
		vec_free(&all.list);
		drive_close(&d);
	}
	free(bytes);
}

static int
score(const struct hex *hex)
{
	struct window head = {
	    .bytes = hex->bytes.at, .length = hex->bytes.count, .until = UINT64_MAX, .last = true};
	struct probe probe = {0};
	syst_raw_ops.probe(&head, &probe);
	assert_in_range(probe.score, 0, 100);
	assert_true(*probe.reason);
	return probe.score;
}

static void
test_probe(void **state)
{
	static const char *const others[] = {
	    "",
	    ZEROS_16 ZEROS_16,
	    "'SYS-T RAW DATA: 42120301'",
	    "'plain text, no trace at all'",
	    "7F 'ELF' 0201010000000000 0000000003003E00",
	    "FFFFFFFFFFFFFFFFFFFF0F00F3000000",
	};
	struct hex hex = regular(100, 32);
	(void)state;
	assert_in_range(score(&hex), 70, 90);
	hex.bytes.count -= 5; /* a head may end anywhere */
	assert_in_range(score(&hex), 70, 90);
	hex_free(&hex);
	hex = hex_bytes("42 14 03 01 'ok' 00 C446EFB5");
	assert_in_range(score(&hex), 90, 100);
	hex_free(&hex);
	for (size_t i = 0; i < COUNT(others); i++) {
		hex = hex_bytes(others[i]);
		assert_int_equal(score(&hex), 0);
		hex_free(&hex);
	}
	uint64_t seed = 5;
	for (int i = 0; i < 4096; i++) {
		*vec_add(&hex.bytes) = (uint8_t)random_next(&seed);
	}
	assert_int_equal(score(&hex), 0);
	hex_free(&hex);
}

static void
test_texts(void **state)
{
	struct hex hex = hex_bytes("44 10 03 01 0102030405" OK_3 ZEROS_16 ZEROS_16 OK_3);
	struct drive d;
	struct drive_messages all;
	struct expansion e = {0};
	(void)state;
	drive_open(&d, "syst/raw", hex.bytes.at, hex.bytes.count);
	drive_start(&d);
	drive_all(&d, &all);
	struct window w = drive_window(&d);
	assert_int_equal(all.list.count, 8);

	d.ops->expand(d.decoder, &all.list.at[0], &w, EXPAND_FIELDS, NULL, &e);
	assert_string_equal(text_get(&e.type), "DAMAGE");
	assert_string_equal(text_get(&e.text), "9 undecoded bytes: 441003010102030405");
	assert_int_equal(all.list.at[0].severity, SEVERITY_ERROR);
	assert_int_equal(e.fields.count, 1);
	assert_int_equal(e.fields.at[0].s.length, 9);

	expansion_clear(&e);
	d.ops->expand(d.decoder, &all.list.at[1], &w, EXPAND_FIELDS, NULL, &e);
	assert_string_equal(text_get(&e.text), "ok");
	assert_int_equal(e.extents.count, 1);
	assert_int_equal(e.extents.at[0].capture_bit, 8 * 9);
	assert_int_equal(e.extents.at[0].bits, 8 * 9);
	assert_int_equal(e.extents.at[0].form, EXTENT_PLAIN);

	expansion_clear(&e);
	d.ops->expand(d.decoder, &all.list.at[4], &w, EXPAND_FIELDS, NULL, &e);
	assert_string_equal(text_get(&e.type), "FILLER");
	assert_string_equal(text_get(&e.text), "32 zero bytes");
	assert_int_equal(all.list.at[4].severity, SEVERITY_DEBUG);
	struct text row = {0};
	assert_false(d.ops->print(d.decoder, &all.list.at[4], &w, &e, &row));

	text_free(&row);
	expansion_free(&e);
	vec_free(&all.list);
	drive_close(&d);
	hex_free(&hex);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_streams),	    cmocka_unit_test(test_regular),
	    cmocka_unit_test(test_long_suspect),    cmocka_unit_test(test_long_text),
	    cmocka_unit_test(test_resync_at_start), cmocka_unit_test(test_flips),
	    cmocka_unit_test(test_long_filler),	    cmocka_unit_test(test_noise),
	    cmocka_unit_test(test_probe),	    cmocka_unit_test(test_texts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
