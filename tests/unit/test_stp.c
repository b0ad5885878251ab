/*
 * STP packets.  Streams and expected values are written from the packet
 * formats of MIPI STP 2.x, digit by digit in the order in which the nibbles
 * are sent.
 */
#include "config.h"

#include "test.h"

#include "../drive.h"
#include "base/err.h"
#include "base/vec.h"
#include "decode/stp/stp.h"
#include "nibbles.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct stp_state natural = {.clock = STP_CLOCK_NATURAL};
static const struct stp_order msn, lsn = {.lsn = true};

/* Every packet with a payload of 1234..., and a time of ABC where it has one. */
static const struct example {
	const char *nibbles, *name;
	enum stp_what what;
	uint64_t data, reversed; /* most, least significant nibble first */
	bool timed, marked;
} examples[] = {
    {"0", "NULL", STP_NULL, 0, 0, false, false},
    {"1 12", "M8", STP_MASTER, 0x12, 0x21, false, false},
    {"2 12", "MERR", STP_MERR, 0x12, 0x21, false, false},
    {"3 12", "C8", STP_CHANNEL, 0x12, 0x21, false, false},
    {"4 12", "D8", STP_DATA, 0x12, 0x21, false, false},
    {"5 1234", "D16", STP_DATA, 0x1234, 0x4321, false, false},
    {"6 12345678", "D32", STP_DATA, 0x12345678, 0x87654321, false, false},
    {"7 123456789abcdef0", "D64", STP_DATA, 0x123456789abcdef0, 0x0fedcba987654321, false, false},
    {"8 12 3abc", "D8MTS", STP_DATA, 0x12, 0x21, true, true},
    {"9 1234 3abc", "D16MTS", STP_DATA, 0x1234, 0x4321, true, true},
    {"A 12345678 3abc", "D32MTS", STP_DATA, 0x12345678, 0x87654321, true, true},
    {"B 123456789abcdef0 3abc", "D64MTS", STP_DATA, 0x123456789abcdef0, 0x0fedcba987654321, true,
     true},
    {"C 1", "D4", STP_DATA, 1, 1, false, false},
    {"D 1 3abc", "D4MTS", STP_DATA, 1, 1, true, true},
    {"E 3abc", "FLAG_TS", STP_FLAG, 0, 0, true, true},
    {"F00 3", "VERSION", STP_VERSION, 3, 3, false, false},
    {"F00 B81", "VERSION", STP_VERSION, 0x810b, 0x810b, false, false},
    {"F01 3abc", "NULL_TS", STP_TIME_ONLY, 0, 0, true, false},
    {"F02 0 1", "USER", STP_USER, 1, 1, false, false},
    {"F02 3 1234", "USER", STP_USER, 0x1234, 0x4321, false, false},
    {"F03 F 123456789abcdef0 3abc", "USER_TS", STP_USER, 0x123456789abcdef0, 0x0fedcba987654321,
     true, false},
    {"F04 12 4 1234", "TIME", STP_TIME, 0x1234, 0x4321, false, false},
    {"F05 12 4 1234 3abc", "TIME_TS", STP_TIME, 0x1234, 0x4321, true, false},
    {"F06 12", "TRIG", STP_TRIG, 0x12, 0x21, false, false},
    {"F07 12 3abc", "TRIG_TS", STP_TRIG, 0x12, 0x21, true, false},
    {"F08 12345678", "FREQ", STP_FREQ, 0x12345678, 0x87654321, false, false},
    {"F09 12345678 3abc", "FREQ_TS", STP_FREQ, 0x12345678, 0x87654321, true, false},
    {"F0A 12", "XSYNC", STP_XSYNC, 0x12, 0x21, false, false},
    {"F0B 12 3abc", "XSYNC_TS", STP_XSYNC, 0x12, 0x21, true, false},
    {"F0F0 123456789a", "FREQ_40", STP_FREQ, 0x123456789a, 0xa987654321, false, false},
    {"F0F1 123456789a 3abc", "FREQ_40_TS", STP_FREQ, 0x123456789a, 0xa987654321, true, false},
    {"F0F3 12", "CERR", STP_CERR, 0x12, 0x21, false, false},
    {"F1 1234", "M16", STP_MASTER, 0x1234, 0x4321, false, false},
    {"F2 12", "GERR", STP_GERR, 0x12, 0x21, false, false},
    {"F3 1234", "C16", STP_CHANNEL, 0x1234, 0x4321, false, false},
    {"F4 12 3abc", "D8TS", STP_DATA, 0x12, 0x21, true, false},
    {"F5 1234 3abc", "D16TS", STP_DATA, 0x1234, 0x4321, true, false},
    {"F6 12345678 3abc", "D32TS", STP_DATA, 0x12345678, 0x87654321, true, false},
    {"F7 123456789abcdef0 3abc", "D64TS", STP_DATA, 0x123456789abcdef0, 0x0fedcba987654321, true,
     false},
    {"F8 12", "D8M", STP_DATA, 0x12, 0x21, false, true},
    {"F9 1234", "D16M", STP_DATA, 0x1234, 0x4321, false, true},
    {"FA 12345678", "D32M", STP_DATA, 0x12345678, 0x87654321, false, true},
    {"FB 123456789abcdef0", "D64M", STP_DATA, 0x123456789abcdef0, 0x0fedcba987654321, false, true},
    {"FC 1 3abc", "D4TS", STP_DATA, 1, 1, true, false},
    {"FD 1", "D4M", STP_DATA, 1, 1, false, true},
    {"FE", "FLAG", STP_FLAG, 0, 0, false, true},
    {ASYNC, "ASYNC", STP_ASYNC, 0, 0, false, false},
};

/* Reads the packet at NIBBLE from a copy of exactly LENGTH bytes, so that a
 * read past them is found. */
static int
read_at(const struct stp_state *state, const struct nibbles *n, size_t length, uint64_t nibble,
	struct stp_packet *packet)
{
	uint8_t *copy = mem_new(length);
	if (length)
		memcpy(copy, n->bytes.at, length);
	int got = stp_read(state, copy, length, nibble, packet);
	free(copy);
	return got;
}

static void
check_example(const struct example *example, unsigned odd, bool first_is_least)
{
	struct stp_state state = natural;
	struct stp_packet packet;
	struct nibbles n = {0};
	state.lsn = first_is_least;
	nibbles_fill(&n, odd);
	nibbles_add(&n, example->nibbles);
	unsigned nibbles = (unsigned)(n.count - odd);

	/* alone, and with other packets after it */
	for (int i = 0; i < 2; i++) {
		assert_int_equal(read_at(&state, &n, n.bytes.count, odd, &packet), nibbles);
		assert_int_equal(packet.nibbles, nibbles);
		assert_string_equal(packet.opcode->name, example->name);
		assert_int_equal(packet.opcode->what, example->what);
		assert_int_equal(packet.data, first_is_least ? example->reversed : example->data);
		assert_int_equal(packet.opcode->marked, example->marked);
		assert_int_equal(packet.opcode->timed, example->timed);
		assert_int_equal(packet.time_nibbles, example->timed ? 3 : 0);
		if (example->timed)
			assert_int_equal(packet.time, first_is_least ? 0xcba : 0xabc);
		for (int k = 0; k < 50; k++)
			nibbles_add(&n, "4 A5");
	}
	nibbles_free(&n);
}

static void
test_every_packet(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(examples); i++)
		for (unsigned odd = 0; odd < 2; odd++) {
			check_example(&examples[i], odd, false);
			check_example(&examples[i], odd, true);
		}
}

/* All of the table's packets stand among the examples. */
static void
test_no_other_packet(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(stp_opcodes); i++) {
		size_t k = 0;
		if (stp_opcodes[i].what == STP_RESERVED)
			continue;
		while (k < COUNT(examples) && strcmp(examples[k].name, stp_opcodes[i].name) != 0)
			k++;
		assert_true(k < COUNT(examples));
	}
}

static void
test_cut_off(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(examples); i++) {
		struct nibbles n = {0};
		struct stp_packet packet;
		nibbles_add(&n, examples[i].nibbles);
		unsigned whole = (unsigned)n.count;
		for (size_t length = 0; 2 * length < whole; length++)
			assert_int_equal(read_at(&natural, &n, length, 0, &packet), ERR_MORE);
		nibbles_free(&n);
		nibbles_add(&n, "0");
		nibbles_add(&n, examples[i].nibbles);
		for (size_t length = 1; 2 * length < whole + 1; length++)
			assert_int_equal(read_at(&natural, &n, length, 1, &packet), ERR_MORE);
		nibbles_free(&n);
	}
}

static void
test_no_packet(void **state)
{
	static const char *const wrong[] = {
	    "F0C",
	    "F0D",
	    "F0E",
	    "F0F2",
	    "F0F4",
	    "F0FF",
	    "FF1",
	    "FF2",
	    "FFF0", /* opcodes */
	    "F00 5",
	    "F00 6",
	    "F00 7",
	    "F00 D 01",
	    "F00 F 81", /* versions */
	    "8 12 F",
	    "E F",
	    "F6 12345678 F",
	    "F01 F",
	    "F05 12 F", /* lengths */
	    "FFFFFFFFFF FFFFFFFFFF FF0",
	    "FFFFFFFFFF FFFFFFFFFF 0", /* 22 and 20 nibbles F */
	};
	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++) {
		struct nibbles n = {0};
		struct stp_packet packet;
		nibbles_add(&n, wrong[i]);
		nibbles_fill(&n, 100);
		assert_int_equal(read_at(&natural, &n, n.bytes.count, 0, &packet), ERR_DATA);
		nibbles_free(&n);
	}
}

/* Applies packets to a state. */
static void
apply(struct stp_state *state, const struct stp_order *order, const char *digits)
{
	struct nibbles n = {0};
	nibbles_add(&n, digits);
	uint64_t count = n.count;
	for (uint64_t at = 0; at < count;) {
		struct stp_packet packet;
		int got = read_at(state, &n, n.bytes.count, at, &packet);
		assert_true(got > 0);
		stp_apply(state, &packet, order);
		at += (unsigned)got;
	}
	nibbles_free(&n);
}

static void
test_time_lengths(void **state)
{
	static const struct {
		const char *nibbles;
		uint64_t time;
	} times[] = {
	    {"0", 0x1111111111111111},
	    {"1 2", 0x1111111111111112},
	    {"2 23", 0x1111111111111123},
	    {"3 234", 0x1111111111111234},
	    {"4 2345", 0x1111111111112345},
	    {"5 23456", 0x1111111111123456},
	    {"6 234567", 0x1111111111234567},
	    {"7 2345678", 0x1111111112345678},
	    {"8 23456789", 0x1111111123456789},
	    {"9 23456789a", 0x111111123456789a},
	    {"A 23456789ab", 0x11111123456789ab},
	    {"B 23456789abc", 0x1111123456789abc},
	    {"C 23456789abcd", 0x111123456789abcd},
	    {"D 23456789abcdef", 0x1123456789abcdef},
	    {"E 23456789abcdef01", 0x23456789abcdef01},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(times); i++) {
		struct stp_state s = {.clock = STP_CLOCK_NATURAL, .time = 0x1111111111111111};
		char digits[64] = "E";
		apply(&s, &msn, strcat(digits, times[i].nibbles));
		assert_int_equal(s.time, times[i].time);
		/* only a whole one makes the time certain */
		assert_int_equal(s.certain, times[i].nibbles[0] == 'E');
	}
}

static void
test_clocks(void **state)
{
	struct stp_state s = {0};
	(void)state;
	/* version 1: two nibbles that replace the low ones, no length; what is less
	 * than before has wrapped, once at least */
	s.certain = true;
	apply(&s, &msn, "F00 0  E 34");
	assert_int_equal(s.clock, STP_CLOCK_LEGACY);
	assert_int_equal(s.time, 0x34);
	assert_false(s.certain);
	apply(&s, &msn, "F00 1  E 56  E 07");
	assert_int_equal(s.time, 0x107);
	apply(&s, &msn, "E 07  E 06");
	assert_int_equal(s.time, 0x206);

	s.time = 0;
	apply(&s, &msn, "F00 2  E 25A  E 17  E 0");
	assert_int_equal(s.clock, STP_CLOCK_DELTA);
	assert_int_equal(s.time, 0x5a + 7);

	s.time = 0x105;
	apply(&s, &msn, "F00 3  E 1 3");
	assert_int_equal(s.time, 0x103);

	/* Gray codes: 5 is 111, 8 is 1100, 0x123456789 is 0x1B2E7D44D */
	s.time = 5;
	apply(&s, &msn, "F00 4  E 1 C");
	assert_int_equal(s.clock, STP_CLOCK_GRAY);
	assert_int_equal(s.time, 8);
	apply(&s, &msn, "E 9 1B2E7D44D");
	assert_int_equal(s.time, 0x123456789);
	/* 7 is 100, 9 is 1101: the low three bits are of the code, not of the time */
	s.time = 7;
	apply(&s, &msn, "E 1 D");
	assert_int_equal(s.time, 9);
}

static void
test_version(void **state)
{
	struct stp_state s = {.master = 7, .channel = 8, .time = 9};
	const struct stp_order forced_msn = {.forced = true};
	const struct stp_order forced_lsn = {.forced = true, .lsn = true};
	(void)state;
	apply(&s, &msn, "F00 3");
	assert_int_equal(s.master, 0);
	assert_int_equal(s.channel, 0);
	assert_int_equal(s.time, 9);
	assert_int_equal(s.sync, STP_SYNC_GOOD);
	assert_false(s.lsn);
	apply(&s, &lsn, "F00 3");
	assert_true(s.lsn);
	/* what is declared wins over what was guessed, not over what is forced */
	apply(&s, &lsn, "F00 B 01");
	assert_false(s.lsn);
	apply(&s, &msn, "F00 B 82");
	assert_true(s.lsn);
	apply(&s, &forced_msn, "F00 B 81");
	assert_false(s.lsn);
	apply(&s, &forced_lsn, "F00 C 03");
	assert_true(s.lsn);
	assert_int_equal(s.clock, STP_CLOCK_GRAY);
}

static void
test_senders(void **state)
{
	struct stp_state s = natural;
	(void)state;
	apply(&s, &msn, "F1 1234 F3 5678");
	assert_int_equal(s.master, 0x1234);
	assert_int_equal(s.channel, 0x5678);
	apply(&s, &msn, "3 9A"); /* keeps the upper bits */
	assert_int_equal(s.channel, 0x569a);
	apply(&s, &msn, "1 BC"); /* keeps the upper bits, back to channel 0 */
	assert_int_equal(s.master, 0x12bc);
	assert_int_equal(s.channel, 0);
	apply(&s, &msn, "F3 0102 F1 0003");
	assert_int_equal(s.master, 3);
	assert_int_equal(s.channel, 0);
	apply(&s, &msn, "F3 0102 2 77"); /* MERR */
	assert_int_equal(s.master, 3);
	assert_int_equal(s.channel, 0);
	apply(&s, &msn, "F3 0102 F2 77"); /* GERR */
	assert_int_equal(s.master, 0);
	assert_int_equal(s.channel, 0);
	apply(&s, &msn, "1 05 3 06 F0F3 77"); /* CERR changes neither */
	assert_int_equal(s.master, 5);
	assert_int_equal(s.channel, 6);
}

static uint64_t
find(const char *digits, uint64_t from, uint64_t to)
{
	struct nibbles n = {0};
	nibbles_add(&n, digits);
	uint64_t found = stp_find_async(n.bytes.at, n.bytes.count, from, to);
	for (uint64_t at = 0; at < n.count; at++)
		if (at >= from && at < to)
			assert_int_equal(stp_is_async(n.bytes.at, n.bytes.count, at), at == found);
	nibbles_free(&n);
	return found;
}

static void
test_find_async(void **state)
{
	(void)state;
	assert_int_equal(find(ASYNC, 0, UINT64_MAX), 0);
	assert_int_equal(find("1" ASYNC, 0, UINT64_MAX), 1);
	assert_int_equal(find("12" ASYNC, 0, UINT64_MAX), 2);
	assert_int_equal(find("123" ASYNC "4", 0, UINT64_MAX), 3);
	/* the last 21 nibbles F count, wherever their run begins */
	assert_int_equal(find("12 F" ASYNC, 0, UINT64_MAX), 3);
	assert_int_equal(find("1 FF FF" ASYNC, 0, UINT64_MAX), 5);
	assert_int_equal(find("FFFFFFFFFF FFFFFFFFFF FFFFFFFFFF" ASYNC, 0, UINT64_MAX), 30);
	/* 20 are too few, and so is no 0 */
	assert_int_equal(find("1 FFFFFFFFFF FFFFFFFFFF 0", 0, UINT64_MAX), STP_NOWHERE);
	assert_int_equal(find("FFFFFFFFFF FFFFFFFFFF F1", 0, UINT64_MAX), STP_NOWHERE);
	assert_int_equal(find("FFFFFFFFFF FFFFFFFFFF FF", 0, UINT64_MAX), STP_NOWHERE);
	assert_int_equal(find("FFFF 1" ASYNC, 0, UINT64_MAX), 5);
	/* where it starts decides whether it is in the range */
	assert_int_equal(find("123" ASYNC, 3, 4), 3);
	assert_int_equal(find("123" ASYNC, 0, 3), STP_NOWHERE);
	assert_int_equal(find("123" ASYNC "0", 4, UINT64_MAX), STP_NOWHERE);
	assert_int_equal(find("123 FFF" ASYNC, 5, 7), 6);
	assert_int_equal(find("123 FFF" ASYNC, 6, 7), 6);
}

/* A packet that an ASYNC cuts off takes some of its nibbles; that is noticed
 * wherever it happens. */
static void
test_async_inside(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(examples); i++) {
		struct nibbles n = {0};
		nibbles_add(&n, examples[i].nibbles);
		uint64_t whole = n.count;
		nibbles_free(&n);
		if (examples[i].what == STP_ASYNC)
			continue;
		for (uint64_t cut = 1; cut < whole; cut++) {
			struct stp_packet packet;
			nibbles_add(&n, examples[i].nibbles);
			n.bytes.count = (size_t)((cut + 1) / 2);
			n.count = cut;
			if (cut % 2)
				n.bytes.at[cut / 2] &= 15;
			nibbles_add(&n, ASYNC "F00 3 0 4 12");
			int got = read_at(&natural, &n, n.bytes.count, 0, &packet);
			/* what is left may be a whole packet: FREQ without its time */
			if (got > 0)
				assert_true((unsigned)got <= cut);
			else
				assert_int_equal(got, ERR_DATA);
			nibbles_free(&n);
		}
	}
}

/* Begins a drive over a copy of the first LENGTH bytes; all its messages. */
static void
drive_beginning(struct drive *d, const struct nibbles *n, size_t length, struct drive_messages *all)
{
	uint8_t *copy = mem_new(length + 1);
	memcpy(copy, n->bytes.at, length);
	drive_open(d, "stp", copy, length);
	/* else the head shows it, as far as the cut left one */
	assert_true(drive_set(d, "begin", "timed"));
	drive_start(d);
	drive_all(d, all);
}

static void
drive_end(struct drive *d, struct drive_messages *all)
{
	vec_free(&all->list);
	drive_close(d);
	vec_release((void *)d->bytes);
}

/* A stream of all packets, cut off at every byte, as the format `stp`: what is whole before
 * the cut stays, and all ways of decoding agree. */
static void
test_stream_cut(void **state)
{
	(void)state;
	struct nibbles n = {0};
	struct drive whole, part;
	struct drive_messages all, some;
	nibbles_add(&n, ASYNC "F00 3");
	for (size_t i = 0; i < COUNT(examples); i++)
		if (examples[i].what != STP_VERSION && examples[i].what != STP_ASYNC)
			nibbles_add(&n, examples[i].nibbles);
	if (n.count % 2)
		nibbles_add(&n, "0");
	drive_beginning(&whole, &n, n.bytes.count, &all);
	assert_in_range(all.list.count, 12, COUNT(examples));
	for (size_t cut = 0; cut < n.bytes.count; cut++) {
		drive_beginning(&part, &n, cut, &some);
		for (size_t i = 0; i < all.list.count; i++) {
			const struct message *m = &all.list.at[i];
			if (m->offset + m->length > cut)
				break;
			assert_false(m->flags & (MESSAGE_DAMAGED | MESSAGE_TRUNCATED));
			assert_true(i < some.list.count);
			assert_true(drive_same_message(m, &some.list.at[i]));
		}
		drive_everything(&part);
		drive_end(&part, &some);
	}
	drive_end(&whole, &all);
	nibbles_free(&n);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_packet), cmocka_unit_test(test_no_other_packet),
	    cmocka_unit_test(test_cut_off),	 cmocka_unit_test(test_no_packet),
	    cmocka_unit_test(test_time_lengths), cmocka_unit_test(test_clocks),
	    cmocka_unit_test(test_version),	 cmocka_unit_test(test_senders),
	    cmocka_unit_test(test_find_async),	 cmocka_unit_test(test_async_inside),
	    cmocka_unit_test(test_stream_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
