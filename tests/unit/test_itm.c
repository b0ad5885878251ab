/* ITM packets (Armv7-M Architecture Reference Manual, appendix D4) as
 * elements, whole and cut anywhere. */
#include "config.h"

#include "test.h"

#include "decode/coresight/itm.h"
#include "hex.h"

#include <stdlib.h>
#include <string.h>

#define SYNC "0000000000 80 "

struct found {
	VEC(struct opencsd_element) elements;
	VEC(uint64_t) packets; /* index and length */
};

static void
take_element(void *context, const struct opencsd_element *e)
{
	*vec_add(&((struct found *)context)->elements) = *e;
}

static void
take_packet(void *context, uint64_t index, const uint8_t *bytes, size_t length, const char *text)
{
	struct found *found = context;
	assert_non_null(bytes);
	assert_true(*text);
	*vec_add(&found->packets) = index;
	*vec_add(&found->packets) = length;
}

static struct found
decode(const char *digits, size_t piece)
{
	struct found found = {0};
	struct hex hex = hex_bytes(digits);
	struct itm itm;
	const struct itm_sink sink = {&found, take_element, take_packet};
	itm_start(&itm, true);
	for (size_t at = 0; at < hex.bytes.count; at += piece) {
		size_t left = hex.bytes.count - at;
		/* a copy of its size, so that reads past it are seen */
		size_t length = left < piece ? left : piece;
		uint8_t *copy = malloc(length);
		memcpy(copy, hex.bytes.at + at, length);
		itm_feed(&itm, 100 + at, copy, length, &sink);
		free(copy);
	}
	itm_end(&itm, &sink);
	hex_free(&hex);
	assert_true(found.elements.count >= 2);
	assert_int_equal(found.elements.at[0].type, OPENCSD_NO_SYNC);
	assert_int_equal(found.elements.at[0].reason, OPENCSD_UNSYNC_INIT);
	assert_int_equal(found.elements.at[found.elements.count - 1].type, OPENCSD_EO_TRACE);
	return found;
}

static void
found_free(struct found *found)
{
	vec_free(&found->elements);
	vec_free(&found->packets);
}

/* The lines that the elements between the first and the last give. */
static void
assert_lines(const char *digits, const char *const *lines)
{
	for (size_t piece = 1; piece < 20; piece += 6) {
		struct found found = decode(digits, piece);
		struct text line = {0};
		size_t n = 1;
		for (; *lines && lines[n - 1]; n++) {
			assert_true(n + 1 < found.elements.count);
			text_clear(&line);
			opencsd_element_line(&found.elements.at[n], &line);
			assert_string_equal(text_get(&line), lines[n - 1]);
		}
		assert_int_equal(found.elements.count, n + 1);
		text_free(&line);
		found_free(&found);
	}
}

#define ELEMENT "; ID:0; OCSD_GEN_TRC_ELEM_"
#define LINES(...) (const char *const[]){__VA_ARGS__, NULL}

static void
test_payloads(void **state)
{
	(void)state;
	assert_lines("1122 " SYNC "09 41  12 3412  1b 78563412  15 07  8f efbeadde",
		     LINES("Idx:108" ELEMENT "ITMTRACE(ITM_SWIT (ch: 0x1; Data: 0x41) )",
			   "Idx:110" ELEMENT "ITMTRACE(ITM_SWIT (ch: 0x2; Data: 0x1234) )",
			   "Idx:113" ELEMENT "ITMTRACE(ITM_SWIT (ch: 0x3; Data: 0x12345678) )",
			   "Idx:118" ELEMENT "ITMTRACE(ITM_DWT (desc: 0x2; Data: 0x07) )",
			   "Idx:120" ELEMENT "ITMTRACE(ITM_DWT (desc: 0x11; Data: 0xdeadbeef) )"));
}

static void
test_pages(void **state)
{
	(void)state;
	/* page 3: port 3 * 32 + 1 */
	assert_lines(SYNC "38 09 41", LINES("Idx:107" ELEMENT
					    "ITMTRACE(ITM_SWIT (ch: 0x61; Data: 0x41) )"));
}

/* Behind a synchronisation packet elements are those of who begins there. */
static void
test_restart(void **state)
{
	(void)state;
#define HEAD SYNC "18 09bb 9481828304 b48102 30 70 "
#define TAIL SYNC "30 09aa 948102 c003"
	struct found all = decode(HEAD TAIL, 20), tail = decode(TAIL, 20);
	size_t before = all.elements.count - tail.elements.count;
	assert_int_equal(tail.elements.count, 6);
	for (size_t i = 1; i < tail.elements.count; i++) {
		struct opencsd_element *one = &all.elements.at[before + i];
		struct opencsd_element *other = &tail.elements.at[i];
		assert_int_equal(one->index - other->index, strlen("000000000080") / 2 + 13);
		one->index = other->index;
		/* what is lost is told where it was */
		one->flags &= i == 1 ? ~(unsigned)OPENCSD_OVERFLOW : ~0u;
		assert_memory_equal(one, other, sizeof *one);
	}
	found_free(&all);
	found_free(&tail);
}

static void
test_local_times(void **state)
{
	(void)state;
	assert_lines(SYNC "30 c0 8502 f0 01",
		     LINES("Idx:106" ELEMENT "ITMTRACE(ITM_TS_LOCAL ( TS delta: 0x00000003, "
					     "{ TS Sync}; TS cumulative: 0x3) )",
			   "Idx:107" ELEMENT "ITMTRACE(ITM_TS_LOCAL ( TS delta: 0x00000105, "
					     "{ TS Sync}; TS cumulative: 0x108) )",
			   "Idx:110" ELEMENT "ITMTRACE(ITM_TS_LOCAL ( TS delta: 0x00000001, "
					     "{ TS and Packet Delay}; TS cumulative: 0x109) )"));
}

static void
test_global_times(void **state)
{
	(void)state;
	/* high bits first: 1 << 26; then all 26 low bits; then 7 of them */
	assert_lines(SYNC "b4 01  94 ffffff1f  94 05",
		     LINES("Idx:106" ELEMENT
			   "ITMTRACE(ITM_TS_GLOBAL ( TS: 0x0000000004000000) )",
			   "Idx:108" ELEMENT
			   "ITMTRACE(ITM_TS_GLOBAL ( TS: 0x0000000007ffffff) )",
			   "Idx:113" ELEMENT
			   "ITMTRACE(ITM_TS_GLOBAL ( TS: 0x0000000007ffff85) )"));
	struct found found = decode(SYNC "94 80808060", 1); /* wrapped, frequency changed */
	const struct opencsd_element *e = &found.elements.at[1];
	assert_true(e->flags & OPENCSD_FREQ_CHANGE);
	assert_false(e->flags & OPENCSD_HAS_TIMESTAMP);
	found_free(&found);
}

static void
test_overflow(void **state)
{
	(void)state;
	assert_lines(SYNC "70 01 41 01 42",
		     LINES("Idx:107" ELEMENT
			   "ITMTRACE(ITM_OVERFLOW; ITM_SWIT (ch: 0x0; Data: 0x41) )",
			   "Idx:109" ELEMENT "ITMTRACE(ITM_SWIT (ch: 0x0; Data: 0x42) )"));
}

/* What is no packet is shown, and decoding goes on behind it. */
static void
test_damage(void **state)
{
	(void)state;
	assert_lines(SYNC "04 01 41  c0ffffffff 01 42  0000 01 43 " SYNC "01 44",
		     LINES("Idx:106" ELEMENT "UNKNOWN()",
			   "Idx:107" ELEMENT "ITMTRACE(ITM_SWIT (ch: 0x0; Data: 0x41) )",
			   "Idx:109" ELEMENT "UNKNOWN()",
			   "Idx:114" ELEMENT "ITMTRACE(ITM_SWIT (ch: 0x0; Data: 0x42) )",
			   "Idx:116" ELEMENT "UNKNOWN()",
			   "Idx:118" ELEMENT "ITMTRACE(ITM_SWIT (ch: 0x0; Data: 0x43) )",
			   "Idx:126" ELEMENT "ITMTRACE(ITM_SWIT (ch: 0x0; Data: 0x44) )"));
}

/* Nothing before synchronisation, which is told at the end if none comes, and nothing of a
 * packet that is cut off. */
static void
test_ends(void **state)
{
	(void)state;
	assert_lines("01 41 01 42", LINES("Idx:103" ELEMENT "UNKNOWN()"));
	assert_lines(SYNC "01 41 03 1234",
		     LINES("Idx:106" ELEMENT "ITMTRACE(ITM_SWIT (ch: 0x0; Data: 0x41) )"));
}

static void
test_packets(void **state)
{
	(void)state;
	static const uint64_t expected[] = {102, 6, 108, 2, 110, 3};
	struct found found = decode("aabb" SYNC "0141 c0 8502", 3);
	assert_int_equal(found.packets.count, 6);
	assert_memory_equal(found.packets.at, expected, sizeof expected);
	found_free(&found);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_payloads),	 cmocka_unit_test(test_pages),
	    cmocka_unit_test(test_restart),
	    cmocka_unit_test(test_local_times),	 cmocka_unit_test(test_global_times),
	    cmocka_unit_test(test_overflow),	 cmocka_unit_test(test_damage),
	    cmocka_unit_test(test_ends),	 cmocka_unit_test(test_packets),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
