/*
 * SyS-T frames: what stepping learns from a prefix, what expanding makes of a
 * whole message, and the row of the reference printer.  Frames are written by
 * hand from the message layout; CRCs were computed by a separate bitwise
 * implementation (which gives E3069283 for "123456789").
 */
#include "config.h"

#include "test.h"

#include "decode/syst/syst_frame.h"
#include "hex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define GUID "00112233445566778899AABBCCDDEEFF"
#define GUID_TEXT "{00112233-4455-6677-8899-aabbccddeeff}"

struct test {
	struct hex hex;
	struct syst_options options;
	struct syst_decoder decoder;
	struct message message;
	struct expansion e;
};

static void
setup(struct test *t, const char *digits)
{
	struct err err = {0};
	*t = (struct test){.hex = hex_bytes(digits)};
	option_defaults(&syst_options, &t->options);
	assert_int_equal(syst_open(&t->decoder, &syst_raw_ops, &t->options, &err), 0);
	/* a copy of just its size, so that reads past it are seen */
	vec_reserve(&t->hex.bytes, 1);
	uint8_t *tight = mem_new(t->hex.bytes.count);
	if (t->hex.bytes.count)
		memcpy(tight, t->hex.bytes.at, t->hex.bytes.count);
	hex_free(&t->hex);
	t->hex.bytes.at = tight;
}

static void
setup_frame(struct test *t, const char *digits)
{
	struct hex hex = hex_bytes(digits);
	size_t length = hex.bytes.count;
	hex_free(&hex);
	setup(t, digits);
	t->e.payload = t->hex.bytes.at;
	t->e.payload_length = length;
	t->message.length = (uint32_t)length;
	syst_message(t->e.payload, length, &t->message);
}

static void
expand(struct test *t, enum expand_want want)
{
	syst_expand(&t->decoder, &t->message, t->e.payload, t->e.payload_length, want, NULL, NULL,
		    &t->e);
}

static void
teardown(struct test *t)
{
	syst_close(&t->decoder);
	expansion_free(&t->e);
	free(t->hex.bytes.at);
}

static const struct field *
field(const struct test *t, enum syst_field row)
{
	for (size_t i = 0; i < t->e.fields.count; i++)
		if (t->e.fields.at[i].row == &syst_fields[row])
			return &t->e.fields.at[i];
	return NULL;
}

static void
expect_number(const struct test *t, enum syst_field row, uint64_t value, size_t byte, size_t bytes)
{
	const struct field *f = field(t, row);
	assert_non_null(f);
	assert_int_equal(f->u, value);
	assert_int_equal(f->place, FIELD_PAYLOAD);
	assert_int_equal(f->bit, 8 * byte);
	assert_int_equal(f->bits, 8 * bytes);
}

static void
expect_text(const struct test *t, enum syst_field row, const char *text)
{
	const struct field *f = field(t, row);
	assert_non_null(f);
	assert_int_equal(f->s.length, strlen(text));
	assert_memory_equal(f->s.at, text, f->s.length);
}

/* --- stepping ---------------------------------------------------------- */

enum {
	TIMED = MESSAGE_TIMED,
	SYNC = MESSAGE_SYNC,
	SUSPECT = MESSAGE_SUSPECT,
	CUT = MESSAGE_DAMAGED | MESSAGE_TRUNCATED,
	DAMAGED = MESSAGE_DAMAGED
};

static const struct {
	const char *digits;
	enum syst_extent extent;
	uint32_t length, prefix;
	uint8_t kind, severity; /* of the message that is just that */
	uint16_t flags;
} frames[] = {
    /* single words */
    {"81 67 45 23", SYST_WHOLE, 4, 0, SYST_SHORT32, SEVERITY_NONE, 0},
    {"81 67 45 23 7A", SYST_WHOLE, 4, 0, SYST_SHORT32, SEVERITY_NONE, 0},
    {"87 78 67 56 45 34 23 12", SYST_WHOLE, 8, 0, SYST_SHORT64, SEVERITY_NONE, 0},
    {"87 78 67 56 45 34 23", SYST_SHORT, 8, 0, SYST_BAD, SEVERITY_ERROR, CUT},
    {"10 00 00 C0", SYST_WHOLE, 4, 0, SYST_BUILD, SEVERITY_NONE, 0},
    {"10 00 00 C1 00 00 00 00", SYST_WHOLE, 8, 0, SYST_BUILD, SEVERITY_NONE, 0},
    /* by length field */
    {"42 12 03 01 0300 'ok' 00", SYST_WHOLE, 9, 6, SYST_STRING, SEVERITY_INFO, 0},
    {"02 12 03 01 0300 'ok' 00", SYST_WHOLE, 9, 6, SYST_STRING, SEVERITY_MAX, 0},
    {"42 12 03 01 0400 'ok' 00", SYST_SHORT, 10, 6, SYST_BAD, SEVERITY_ERROR, CUT},
    {"42 12 03 01 0200 'ok' 00", SYST_WHOLE, 8, 6, SYST_BAD, SEVERITY_ERROR, DAMAGED},
    {"42 1A 03 01 0300 0100000000000000 'ok' 00", SYST_WHOLE, 17, 14, SYST_STRING, SEVERITY_INFO,
     TIMED},
    {"26 12 83 01" GUID "0000", SYST_WHOLE, 22, 22, SYST_RAW, SEVERITY_ERROR, 0},
    {"42 17 03 01 00 0100 0200 0100 00 11111111", SYST_WHOLE, 16, 11, SYST_STRING, SEVERITY_INFO,
     MESSAGE_CHECKED},
    {"42 13 03 01 01 01000000 02000000 0100 00", SYST_WHOLE, 16, 15, SYST_STRING, SEVERITY_INFO, 0},
    /* that do not say */
    {"42 10 03 01 'ok' 00", SYST_OPEN, 0, 4, SYST_STRING, SEVERITY_INFO, 0},
    {"40 10 03 02 0100000000000000", SYST_OPEN, 0, 4, SYST_BUILD, SEVERITY_INFO, 0},
    {"40 10 03 02 01000000000000", SYST_OPEN, 0, 4, SYST_BAD, SEVERITY_ERROR, CUT},
    {"43 10 03 02 0100000000000000", SYST_OPEN, 0, 4, SYST_CATALOG, SEVERITY_INFO, MESSAGE_CHECKED},
    {"43 10 03 02 01000000", SYST_OPEN, 0, 4, SYST_BAD, SEVERITY_ERROR, CUT},
    {"43 10 03 01 01000000", SYST_OPEN, 0, 4, SYST_CATALOG, SEVERITY_INFO, MESSAGE_CHECKED},
    {"49 10 03 0D 0100000000000000 0200000000000000", SYST_OPEN, 0, 4, SYST_SBD, SEVERITY_INFO, 0},
    {"49 10 03 0D 0100000000000000 02000000000000", SYST_OPEN, 0, 4, SYST_BAD, SEVERITY_ERROR, CUT},
    /* by kind */
    {"08 10 03 01 0100000000000000 E803000000000000", SYST_WHOLE, 20, 4, SYST_CLOCK, SEVERITY_NONE,
     SYNC},
    {"48 10 03 01 0100000000000000 E803000000000000", SYST_WHOLE, 20, 4, SYST_CLOCK, SEVERITY_INFO,
     SYNC},
    {"08 10 03 01 0100000000000000 E8030000000000", SYST_SHORT, 20, 4, SYST_BAD, SEVERITY_ERROR,
     CUT},
    /* reserved */
    {"44 12 03 01 0200 0102", SYST_RESERVED, 8, 6, SYST_UNKNOWN, SEVERITY_ERROR, SUSPECT},
    {"42 10 03 04 0102", SYST_RESERVED, 0, 4, SYST_UNKNOWN, SEVERITY_ERROR, SUSPECT},
    {"C2 12 03 01 0300 'ok' 00", SYST_WHOLE, 9, 6, SYST_STRING, SEVERITY_INFO, SUSPECT},
    {"42 12 03 41 0300 'ok' 00", SYST_WHOLE, 9, 6, SYST_STRING, SEVERITY_INFO, SUSPECT},
    {"42 13 03 01 04 0100 0200 0100 00", SYST_WHOLE, 12, 11, SYST_STRING, SEVERITY_INFO, SUSPECT},
    {"42 13 03 01 82 01000000 0100 00", SYST_WHOLE, 12, 11, SYST_STRING, SEVERITY_INFO, SUSPECT},
    /* less than a prefix */
    {"42 12 03", SYST_SHORT, 0, 0, SYST_BAD, SEVERITY_ERROR, CUT},
    {"42 12 83 01 001122", SYST_SHORT, 0, 22, SYST_BAD, SEVERITY_ERROR, CUT},
    {"", SYST_SHORT, 0, 0, SYST_BAD, SEVERITY_ERROR, CUT},
};

static void
test_stepping(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(frames); i++) {
		struct test t;
		struct syst_peek peek;
		setup_frame(&t, frames[i].digits);
		syst_peek(t.e.payload, t.e.payload_length, &peek);
		if (peek.extent != frames[i].extent || peek.length != frames[i].length ||
		    peek.prefix != frames[i].prefix || t.message.kind != frames[i].kind ||
		    t.message.severity != frames[i].severity || t.message.flags != frames[i].flags)
			fail_msg("%s: extent %d length %u prefix %u kind %u severity %u flags %x",
				 frames[i].digits, peek.extent, peek.length, peek.prefix,
				 t.message.kind, t.message.severity, t.message.flags);
		teardown(&t);
	}
}

static void
test_origin_keys(void **state)
{
	static const struct {
		const char *a, *b;
		bool same;
	} pairs[] = {
	    {"42 10 03 01 00", "22 10 03 0C 00", true},
	    {"42 10 03 01 00", "42 20 03 01 00", false},
	    {"42 10 03 01 00", "42 10 04 01 00", false},
	    {"42 10 83 01" GUID, "42 20 84 01" GUID, true},
	    {"42 10 83 01" GUID, "42 10 83 01 00112233445566778899AABBCCDDEEFE", false},
	    {"42 10 83 01" GUID, "42 10 83 01 8899AABBCCDDEEFF0011223344556677", false},
	    {"42 10 80 01 00000000000000000000000000000000", "42 10 00 01 00", false},
	    {"42 00 00 01 00", "01 00 00 00", false},
	    {"01 00 00 00", "D7 BC 9A C1 9E 15 8D 04", true},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(pairs); i++) {
		struct test a, b;
		setup_frame(&a, pairs[i].a);
		setup_frame(&b, pairs[i].b);
		if ((a.message.origin == b.message.origin) != pairs[i].same)
			fail_msg("%s and %s", pairs[i].a, pairs[i].b);
		teardown(&a);
		teardown(&b);
	}
}

static void
test_plausible(void **state)
{
	static const struct {
		const char *digits;
		bool plausible;
	} cases[] = {
	    {"42 12 03 01 0300 'ok' 00", true},
	    {"42 10 03 01 'ok' 00", true},
	    {"81 67 45 23", true},
	    {"42 12 03 01 0400 'ok' 00", false},
	    {"C2 12 03 01 0300 'ok' 00", false},
	    {"42 12 03 81 0300 'ok' 00", false},
	    {"42 12 03 04 0300 'ok' 00", false},
	    {"44 12 03 01 0300 'ok' 00", false},
	    {"43 12 03 01 0300 010203", false},
	    {"42 11 03 01 03 1122334455667788", true},
	    {"42 11 03 01 04 11223344", false},
	    {"", false},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct test t;
		setup_frame(&t, cases[i].digits);
		if (syst_plausible(t.e.payload, t.e.payload_length) != cases[i].plausible)
			fail_msg("%s", cases[i].digits);
		teardown(&t);
	}
}

/* --- expanding --------------------------------------------------------- */

static const struct {
	const char *digits, *type, *text, *origin;
} texts[] = {
    {"10 30 04 02 0100000000000000", "BUILD:LONG", "0x0000000000000001", "4:3"},
    {"10 30 04 02 0100000000000000 'v1.2' 00", "BUILD:LONG", "0x0000000000000001 v1.2", "4:3"},
    {"10 30 04 02 0100000000000000 'v1.2'", "BUILD:LONG", "0x0000000000000001 v1.2", "4:3"},
    /* bits 20 and up of a compact build follow the subtype */
    {"F0 FF FF C0", "BUILD:COMPACT32", "0x003FFFFF", ""},
    {"10 00 00 40", "BUILD:COMPACT32", "0x00100001", ""},
    {"F0 FF FF C1 FF FF FF FF", "BUILD:COMPACT64", "0x003FFFFFFFFFFFFF", ""},
    {"10 00 00 41 00 00 00 80", "BUILD:COMPACT64", "0x0020000000100001", ""},
    {"81 67 45 23", "SHORT32", "0x02345678", ""},
    {"81 67 45 23 7A7A", "SHORT32", "0x02345678", ""},
    {"87 78 67 56 45 34 23 12", "SHORT64", "0x0122334455667788", ""},
    {"42 10 03 01 'ok' 00", "STRING:GENERIC", "ok", "3:1"},
    {"42 10 03 01 'no end'", "STRING:GENERIC", "no end", "3:1"},
    {"42 10 03 01 'a' 00 'tail'", "STRING:GENERIC", "a", "3:1"},
    {"42 10 03 01 00", "STRING:GENERIC", "", "3:1"},
    {"42 10 03 01", "STRING:GENERIC", "", "3:1"},
    {"42 10 03 02 'main' 00", "STRING:ENTER", "main", "3:1"},
    {"42 10 03 03 'main' 00", "STRING:EXIT", "main", "3:1"},
    {"42 10 03 05 'x' 00", "STRING:INVPARAM", "x", "3:1"},
    {"42 10 03 07 'a.c:1 x' 00", "STRING:ASSERT", "a.c:1 x", "3:1"},
    {"42 10 03 0B '%d %ld' 00 FFFFFFFF FFFFFFFF", "STRING:PRINTF32", "-1 -1", "3:1"},
    {"42 10 03 0C '%d %ld' 00 FFFFFFFF FFFFFFFFFFFFFFFF", "STRING:PRINTF64", "-1 -1", "3:1"},
    {"42 10 03 0B 'plain'", "STRING:PRINTF32", "plain", "3:1"},
    {"43 10 03 01 EFBEADDE 01000000 0200", "CATALOG:ID32P32",
     "id 0xDEADBEEF args 0x00000001 0x0002", "3:1"},
    {"43 10 03 06 EFBEADDE00000000", "CATALOG:ID64P64", "id 0xDEADBEEF", "3:1"},
    {"46 10 03 12 00AB", "RAW:18", "00ab", "3:1"},
    {"46 10 03 3F", "RAW:63", "", "3:1"},
    {"08 10 03 01 2A00000000000000 40420F0000000000", "CLOCK:SYNC", "clock 42 at 1000000 Hz",
     "3:1"},
    {"49 10 03 00 01000000 BEEF", "SBD:0", "id 0x1: beef", "3:1"},
    {"49 10 03 05 0100000000000000 3412 BEEF", "SBD:5", "id 0x1 at 0x1234: beef", "3:1"},
    {"49 10 03 0A 01000000 78563412 'regs' 00 BEEF", "SBD:10", "id 0x1 at 0x12345678 regs: beef",
     "3:1"},
    {"49 10 03 0E 01000000 EFCDAB8967452301 00", "SBD:14", "id 0x1 at 0x123456789ABCDEF : ", "3:1"},
    {"44 10 03 01 0102", "TYPE4:1", "reserved type 4: 0102", "3:1"},
    {"42 10 03 04 0102", "STRING:4", "reserved subtype 4: 0102", "3:1"},
    {"42 10 83 01" GUID "'ok' 00", "STRING:GENERIC", "ok", GUID_TEXT},
    {"42 12 03 01 0400 'ok' 00", "STRING:GENERIC", "too short, 9 bytes of 10: ok", "3:1"},
    {"42 12 03 01 0200 'ok' 00", "STRING:GENERIC", "too long, 9 bytes of 8: 4212030102006f6b00",
     "3:1"},
    {"42 10 83 01 0011", "STRING:GENERIC", "too short, 6 bytes of 20: 421083010011", ""},
    {"42 10", "BAD", "too short, 2 bytes of 4: 4210", ""},
    {"42 14 03 01 'ok' 00 C446EFB5", "STRING:GENERIC", "ok", "3:1"},
    {"42 14 03 01 'OK' 00 C446EFB5", "STRING:GENERIC", "bad CRC: OK", "3:1"},
};

static void
test_texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * COUNT(texts); i++) {
		size_t n = i / 2;
		struct test t;
		setup_frame(&t, texts[n].digits);
		expand(&t, i % 2 ? EXPAND_FIELDS : EXPAND_TEXT);
		if (strcmp(text_get(&t.e.type), texts[n].type) != 0 ||
		    strcmp(text_get(&t.e.text), texts[n].text) != 0 ||
		    strcmp(text_get(&t.e.origin), texts[n].origin) != 0)
			fail_msg("%s: type '%s' text '%s' origin '%s'", texts[n].digits,
				 text_get(&t.e.type), text_get(&t.e.text), text_get(&t.e.origin));
		assert_int_equal(t.e.depth, 0);
		assert_true(i % 2 ? t.e.payload_length < 4 || t.e.fields.count > 1
				  : !t.e.fields.count);
		teardown(&t);
	}
}

static void
test_fields(void **state)
{
	struct test t;
	(void)state;
	setup_frame(&t, "42 1F 80 01" GUID "01 04000000 09000000 0300 1122334455667788 "
			"'ok' 00 6E21ED04");
	assert_int_equal(t.message.ticks, 0x8877665544332211u);
	assert_int_equal(t.message.flags, MESSAGE_TIMED | MESSAGE_CHECKED);
	expand(&t, EXPAND_FIELDS);
	expect_text(&t, SYST_F_GUID, GUID_TEXT);
	expect_text(&t, SYST_F_LOCATION, "4:9");
	assert_int_equal(field(&t, SYST_F_LOCATION)->bit, 8 * 20);
	assert_int_equal(field(&t, SYST_F_LOCATION)->bits, 8 * 9);
	expect_number(&t, SYST_F_PAYLOAD_LENGTH, 3, 29, 2);
	expect_number(&t, SYST_F_MSG_TS, 0x8877665544332211u, 31, 8);
	expect_text(&t, SYST_F_STRING, "ok");
	expect_number(&t, SYST_F_CRC, 0x04ed216e, 42, 4);
	expect_number(&t, SYST_F_CRC_OK, true, 42, 4);
	assert_int_equal(field(&t, SYST_F_UNIT)->u, 1);
	assert_int_equal(field(&t, SYST_F_UNIT)->bit, 12);
	assert_int_equal(field(&t, SYST_F_UNIT)->bits, 11);
	assert_int_equal(field(&t, SYST_F_HAS_GUID)->u, 1);
	assert_null(field(&t, SYST_F_MODULE));
	assert_null(field(&t, SYST_F_NOTE));
	teardown(&t);

	setup_frame(&t, "C2 1E 85 C1" GUID "0300 0000000000000000 'ok' 00 6E21ED04");
	expand(&t, EXPAND_FIELDS);
	assert_int_equal(field(&t, SYST_F_RESERVED)->u, 1);
	assert_int_equal(field(&t, SYST_F_UNIT)->u, 0x51);
	assert_false(field(&t, SYST_F_CRC_OK)->u);
	assert_non_null(field(&t, SYST_F_NOTE));
	teardown(&t);
}

static void
test_values(void **state)
{
	struct test t;
	(void)state;
	setup_frame(&t, "08 10 03 01 2A00000000000000 40420F0000000000");
	expand(&t, EXPAND_FIELDS);
	expect_number(&t, SYST_F_CLOCK, 42, 4, 8);
	expect_number(&t, SYST_F_FREQ, 1000000, 12, 8);
	teardown(&t);

	setup_frame(&t, "49 10 03 0A 01000000 78563412 'regs' 00 BEEF");
	expand(&t, EXPAND_FIELDS);
	expect_number(&t, SYST_F_ID, 1, 4, 4);
	expect_number(&t, SYST_F_ADDR, 0x12345678, 8, 4);
	expect_text(&t, SYST_F_NAME, "regs");
	expect_text(&t, SYST_F_DATA, "\xbe\xef");
	assert_int_equal(field(&t, SYST_F_DATA)->bit, 8 * 17);
	teardown(&t);

	setup_frame(&t, "87 78 67 56 45 34 23 12");
	expand(&t, EXPAND_FIELDS);
	assert_int_equal(field(&t, SYST_F_VALUE)->u, 0x122334455667788);
	assert_int_equal(field(&t, SYST_F_VALUE)->bit, 4);
	assert_int_equal(field(&t, SYST_F_VALUE)->bits, 60);
	teardown(&t);

	setup_frame(&t, "42 10 03 0B '%d %s' 00 07000000 'ab' 00 FF");
	expand(&t, EXPAND_FIELDS);
	assert_int_equal(field(&t, SYST_F_ARGS)->bit, 8 * 10);
	expect_number(&t, SYST_F_ARG_INT, 7, 10, 4);
	assert_string_equal(field(&t, SYST_F_ARG_INT)->label, "arg.1 %d");
	assert_int_equal(field(&t, SYST_F_ARG_INT)->depth, 1);
	expect_text(&t, SYST_F_ARG_TEXT, "ab");
	expect_text(&t, SYST_F_TRAILING, "\xff");
	assert_int_equal(field(&t, SYST_F_TRAILING)->depth, 0);
	teardown(&t);

	/* an argument is named by the word before its conversion */
	setup_frame(&t, "42 10 03 0B 'no ack: seq %d, given up=%s.' 00 07000000 'ab' 00");
	expand(&t, EXPAND_FIELDS);
	assert_string_equal(field(&t, SYST_F_ARG_INT)->label, "seq %d");
	assert_string_equal(field(&t, SYST_F_ARG_TEXT)->label, "up %s");
	teardown(&t);
}

static void
test_locations(void **state)
{
	static const struct {
		const char *digits, *location;
	} cases[] = {
	    {"42 11 03 01 00 0100 0200 'x' 00", "1:2"},
	    {"42 11 03 01 01 FFFFFFFF 02000000 'x' 00", "4294967295:2"},
	    {"42 11 03 01 02 BEBAFECA 'x' 00", "0xCAFEBABE"},
	    {"42 11 03 01 03 8877665544332211 'x' 00", "0x1122334455667788"},
	    {"42 11 03 01 82 01000000 'x' 00", "0x00000001"}, /* only two bits count */
	};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct test t;
		setup_frame(&t, cases[i].digits);
		expand(&t, EXPAND_FIELDS);
		expect_text(&t, SYST_F_LOCATION, cases[i].location);
		assert_string_equal(text_get(&t.e.text), "x");
		teardown(&t);
	}
}

/* --- the reference printer's row --------------------------------------- */

static const struct {
	const char *digits, *row;
} rows[] = {
    {"42 11 03 01 02 BEBAFECA 'a \"b\"' 0A 00",
     "OK,\"a \"\"b\"\" \",STRING:GENERIC,INFO,3,1,,0x0000000000000000,0xCAFEBABE,16,,"},
    {"42 1C 83 01" GUID "0500000000000000 'ok' 00 00000000",
     "CHECKSUM_ERROR,\"421C8310112233445566778899AABBCCDDEEFF500000006F6B00000\",,,,,,"},
    {"42 14 03 01 'ok' 00 C446EFB5",
     "OK,\"ok\",STRING:GENERIC,INFO,3,1,,0x0000000000000000,,11,0xB5EF46C4,"},
    {"81 67 45 23", "OK,\"0x02345678\",SHORT32,MAX,,0,,0x0000000000000000,,4,,"},
    {"10 30 04 02 0100000000000000 'v1' 00",
     "OK,\"0x0000000000000001 v1\",BUILD:LONG,FATAL,4,3,,0x0000000000000000,,15,,"},
    {"42 10 03 01 'ok'", "TOO_SHORT,\"4210316F6B\",,,,,,"},
    {"42 10 03 01 00", "TOO_SHORT,\"4210310\",,,,,,"},
    {"02 00 00", "TOO_SHORT,\"0200\",,,,,,"},
    {"42 12 03 01 0200 'ok' 00", "UNKNOWN_STATE,\"421231206F6B0\",,,,,,"},
    {"42 12 03 01 0400 'ok' 00", "TOO_SHORT,\"421231406F6B0\",,,,,,"},
    {"44 10 03 01 0102", "UNKNOWN_TYPE,\"44103112\",,,,,,"},
    {"43 10 03 09 0102",
     "MISSING_COLLATERAL,\"43103912\",CATALOG:??,INFO,3,1,,0x0000000000000000,,6,,"},
};

static void
test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct test t;
		struct text out = {0};
		setup_frame(&t, rows[i].digits);
		expand(&t, EXPAND_FIELDS);
		assert_true(syst_systprint(&t.decoder.base, &t.message, NULL, &t.e, &out));
		assert_string_equal(out.data, rows[i].row);
		text_free(&out);
		teardown(&t);
	}
}

/* --- opening, builds --------------------------------------------------- */

static void
test_guids(void **state)
{
	static const char *const wrong[] = {"",
					    "{}",
					    "00112233-4455-6677-8899-aabbccddeef",
					    "{00112233-4455-6677-8899-aabbccddeeff",
					    "00112233445566778899aabbccddeeff",
					    "{00112233-4455-6677-8899-aabbccddeefg}",
					    "{00112233-4455-6677-8899-aabbccddeeff}x"};
	uint8_t guid[16];
	char text[SYST_GUID_TEXT];
	struct syst_decoder decoder = {0};
	struct syst_options options = {0};
	struct err err = {0};
	(void)state;
	assert_true(syst_guid_parse("{00112233-4455-6677-8899-AABBccddeeff}", guid));
	assert_string_equal(syst_guid_text(text, guid), GUID_TEXT);
	assert_true(syst_guid_parse("00112233-4455-6677-8899-aabbccddeeff", guid));
	for (size_t i = 0; i < COUNT(wrong); i++)
		assert_false(syst_guid_parse(wrong[i], guid));
	options.guid = (char *)"{1}";
	assert_int_equal(syst_open(&decoder, &syst_raw_ops, &options, &err), ERR_CONFIG);
	assert_non_null(strstr(err.what, "{1}"));
}

static bool
announced(const struct test *t, const struct syst_sender *sender, uint8_t guid[16], uint64_t *build)
{
	struct expansion e = {0};
	syst_expand(&t->decoder, &t->message, t->e.payload, t->e.payload_length, EXPAND_FLAGS, NULL,
		    sender, &e);
	bool announces = e.announces;
	memcpy(guid, e.guid, sizeof e.guid);
	*build = e.build;
	expansion_free(&e);
	return announces;
}

static void
test_builds(void **state)
{
	struct test t;
	uint8_t guid[16];
	uint64_t build;
	(void)state;
	setup_frame(&t, "10 12 80 02" GUID "0800 8877665544332211");
	assert_true(announced(&t, NULL, guid, &build));
	assert_int_equal(build, 0x1122334455667788);
	assert_int_equal(guid[15], 0xff);
	teardown(&t);

	setup_frame(&t, "10 00 00 40");
	assert_false(announced(&t, NULL, guid, &build));
	const struct syst_sender sender = {0x1234, 0x5678};
	static const uint8_t pseudo[16] = {[4] = 0x12, 0x34, 0x56, 0x78};
	assert_true(announced(&t, &sender, guid, &build));
	assert_memory_equal(guid, pseudo, 16);
	t.decoder.has_guid = true;
	t.decoder.guid[0] = 9;
	assert_true(announced(&t, NULL, guid, &build));
	assert_int_equal(build, 0x100001);
	assert_int_equal(guid[0], 9);
	expand(&t, EXPAND_TEXT); /* the sender of short messages is known now */
	assert_string_equal(text_get(&t.e.origin), "{09000000-0000-0000-0000-000000000000}");
	teardown(&t);

	setup_frame(&t, "42 10 03 01 'ok' 00");
	assert_false(announced(&t, NULL, guid, &build));
	teardown(&t);
}

/* Every beginning and every flipped bit of these frames can be expanded. */
static void
try_bytes(const uint8_t *bytes, size_t length)
{
	struct test t;
	struct text out = {0};
	setup(&t, "");
	uint8_t *tight = mem_new(length ? length : 1);
	memcpy(tight, bytes, length);
	syst_message(tight, length, &t.message);
	t.e.payload = tight;
	t.e.payload_length = length;
	expand(&t, EXPAND_FIELDS);
	assert_true(t.e.type.length > 0);
	assert_true(syst_systprint(&t.decoder.base, &t.message, NULL, &t.e, &out));
	for (size_t i = 0; i < t.e.fields.count; i++)
		if (t.e.fields.at[i].place == FIELD_PAYLOAD)
			assert_true(t.e.fields.at[i].bit + t.e.fields.at[i].bits <= 8 * length);
	text_free(&out);
	free(tight);
	teardown(&t);
}

static void
test_damage(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct hex hex = hex_bytes(texts[i].digits);
		size_t length = hex.bytes.count;
		for (size_t cut = 0; cut <= length; cut++)
			try_bytes(hex.bytes.at, cut);
		for (size_t bit = 0; bit < 8 * length; bit++) {
			hex.bytes.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
			try_bytes(hex.bytes.at, length);
			hex.bytes.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
		hex_free(&hex);
	}
}

/* The tables are complete: every kind, field and option has a name. */
static void
test_tables(void **state)
{
	(void)state;
	for (size_t i = 0; i < SYST_KIND_COUNT; i++)
		assert_true(syst_kinds[i].name && syst_kinds[i].help);
	for (size_t i = 0; i < SYST_F_COUNT; i++) {
		assert_true(syst_fields[i].name && syst_fields[i].help);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(syst_fields[i].name, syst_fields[k].name);
	}
	for (size_t i = 0; i < syst_options.count; i++)
		assert_non_null(syst_options.rows[i].help);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_stepping),  cmocka_unit_test(test_origin_keys),
	    cmocka_unit_test(test_plausible), cmocka_unit_test(test_texts),
	    cmocka_unit_test(test_fields),    cmocka_unit_test(test_values),
	    cmocka_unit_test(test_locations), cmocka_unit_test(test_rows),
	    cmocka_unit_test(test_guids),     cmocka_unit_test(test_builds),
	    cmocka_unit_test(test_damage),    cmocka_unit_test(test_tables),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
