/*
 * SyS-T over STP: which messages a stream gives, where they stand, and what
 * is in them.  Streams are written by hand (nibbles.h); a | marks where an
 * expected message starts or ends.  SyS-T headers used: 01000042 is
 * STRING:GENERIC INFO without GUID, ...1 a SHORT32.
 */
#include "config.h"

#include "test.h"

#include "base/text.h"
#include "decode/syst/syst.h"
#include "drive.h"
#include "nibbles.h"
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define START ASYNC "F003 "
#define COUNT(array) (sizeof(array) / sizeof *(array))

enum {
	DAMAGED = MESSAGE_DAMAGED,
	LOST = MESSAGE_LOST,
	TRUNCATED = MESSAGE_TRUNCATED,
	ESTIMATED = MESSAGE_ESTIMATED,
	RESYNC = MESSAGE_RESYNC,
	TIMED = MESSAGE_TIMED,
	SCATTERED = MESSAGE_SCATTERED,
	SOUND = TIMED | SCATTERED /* of a message with nothing to say against it */
};

struct test {
	struct nibbles n;
	struct drive drive;
	struct drive_messages all;
	struct expansion e;
	size_t next; /* message to be looked at */
};

static void
decode_with(struct test *t, enum syst_nibbles order)
{
	drive_open(&t->drive, "syst/stp", t->n.bytes.at, t->n.bytes.count);
	((struct syst_options *)t->drive.options)->nibbles = order;
	drive_start(&t->drive);
	drive_all(&t->drive, &t->all);
	t->next = 0;
}

static struct test
decode(const char *digits)
{
	struct test t = {0};
	nibbles_add(&t.n, digits);
	decode_with(&t, SYST_NIBBLES_AUTO);
	return t;
}

/* All ways of stepping give the same; then frees. */
static void
finish(struct test *t)
{
	assert_int_equal(t->next, t->all.list.count);
	drive_everything(&t->drive);
	drive_close(&t->drive);
	vec_free(&t->all.list);
	expansion_free(&t->e);
	nibbles_free(&t->n);
}

/* The next message lies between two marks; FLAGS and KIND as given. */
static const struct message *
expect(struct test *t, enum syst_kind kind, size_t from, size_t to, unsigned flags)
{
	assert_true(t->next < t->all.list.count);
	const struct message *m = &t->all.list.at[t->next++];
	uint64_t first = t->n.marks.at[from] / 2, last = (t->n.marks.at[to] - 1) / 2;
	assert_int_equal(m->kind, kind);
	assert_int_equal(m->offset, first);
	assert_int_equal(m->offset + m->length - 1, last);
	assert_int_equal(m->flags, flags);
	struct window w = drive_window(&t->drive);
	t->drive.ops->expand(t->drive.decoder, m, &w, EXPAND_FIELDS, NULL, &t->e);
	return m;
}

static void
expect_text(const struct test *t, const char *type, const char *text)
{
	assert_string_equal(text_get(&t->e.type), type);
	assert_string_equal(text_get(&t->e.text), text);
}

static const struct field *
find_field(const struct test *t, enum syst_field row)
{
	for (size_t i = 0; i < t->e.fields.count; i++)
		if (t->e.fields.at[i].row == &syst_fields[row])
			return &t->e.fields.at[i];
	fail_msg("no field %s", syst_fields[row].name);
	return NULL;
}

static void
expect_field(const struct test *t, enum syst_field row, uint64_t value)
{
	assert_int_equal(find_field(t, row)->u, value);
}

static void
expect_payload(const struct test *t, const char *hex)
{
	struct text text = {0};
	text_add_hex(&text, t->e.payload, t->e.payload_length);
	assert_string_equal(text_get(&text), hex);
	text_free(&text);
}

static void
expect_start(struct test *t)
{
	assert_int_equal(t->all.list.at[0].kind, SYST_STP_ASYNC);
	t->next = 1;
}

/* --- rows -------------------------------------------------------------- */

static void
test_async(void **state)
{
	(void)state;
	/* a stray NULL in front, as the reference encoder writes */
	struct test t = decode("0|" ASYNC "000 F00 3| 0 |" ASYNC "F00 B81|");
	expect(&t, SYST_STP_ASYNC, 0, 1, RESYNC);
	expect_text(&t, "STP:ASYNC", "STP 2.1, natural times");
	expect_field(&t, SYST_F_STP_VERSION, 3);
	assert_int_equal(t.e.fields.at[1].bit, 4 * 1); /* ASYNC itself */
	assert_int_equal(t.e.fields.at[1].bits, 4 * 22);
	expect(&t, SYST_STP_ASYNC, 2, 3, RESYNC);
	expect_text(&t, "STP:ASYNC", "STP 2.2, natural times, least significant nibble first");
	finish(&t);
}

static void
test_rows(void **state)
{
	(void)state;
	struct test t =
	    decode(START "|F08 03938700| |F07 12 3456| |F06 34| |F0A 56| |F0B 57 0| |F02 2 ABC|"
			 "|F05 12 2 5A 3789| |2 11| |F2 22| |F0F3 33| |F00 4| |F0F0 174876E800|");
	expect_start(&t);
	assert_true(t.drive.decoder->hz == 60000000);
	assert_int_equal(expect(&t, SYST_STP_FREQ, 0, 1, 0)->severity, SEVERITY_DEBUG);
	expect_text(&t, "STP:FREQ", "60000000 Hz");
	expect_field(&t, SYST_F_STP_FREQ, 60000000);
	assert_int_equal(find_field(&t, SYST_F_STP_FREQ)->bit, 4 * (t.n.marks.at[0] + 3));
	assert_int_equal(find_field(&t, SYST_F_STP_FREQ)->bits, 32);

	const struct message *m = expect(&t, SYST_STP_TRIG, 2, 3, TIMED);
	assert_int_equal(m->severity, SEVERITY_WARNING);
	assert_int_equal(m->ticks, 0x456);
	expect_text(&t, "STP:TRIG", "trigger 0x12");
	expect_field(&t, SYST_F_STP_TRIGGER, 0x12);
	expect_field(&t, SYST_F_STP_TIME, 0x456);
	expect(&t, SYST_STP_TRIG, 4, 5, 0);
	expect_text(&t, "STP:TRIG", "trigger 0x34");
	expect(&t, SYST_STP_XSYNC, 6, 7, 0);
	expect_text(&t, "STP:XSYNC", "cross synchronisation 0x56");
	assert_int_equal(expect(&t, SYST_STP_XSYNC, 8, 9, TIMED)->ticks, 0x456);
	expect(&t, SYST_STP_USER, 10, 11, 0);
	expect_text(&t, "STP:USER", "0xabc");
	expect_field(&t, SYST_F_STP_USER, 0xabc);
	assert_int_equal(expect(&t, SYST_STP_TIME, 12, 13, TIMED)->ticks, 0x789);
	expect_text(&t, "STP:TIME", "time 90");

	assert_int_equal(expect(&t, SYST_STP_MERR, 14, 15, 0)->severity, SEVERITY_ERROR);
	expect_text(&t, "STP:MERR", "master error 0x11");
	expect_field(&t, SYST_F_STP_ERROR, 0x11);
	assert_int_equal(expect(&t, SYST_STP_GERR, 16, 17, 0)->severity, SEVERITY_ERROR);
	expect_text(&t, "STP:GERR", "global error 0x22");
	assert_int_equal(expect(&t, SYST_STP_CERR, 18, 19, 0)->severity, SEVERITY_ERROR);
	expect_text(&t, "STP:CERR", "channel error 0x33");
	expect(&t, SYST_STP_ASYNC, 20, 21, 0);
	expect_text(&t, "STP:VERSION", "STP 2.1, Gray code times");
	expect(&t, SYST_STP_FREQ, 22, 23, 0);
	expect_text(&t, "STP:FREQ", "100000000000 Hz");
	finish(&t);
}

/* --- messages ---------------------------------------------------------- */

static void
test_message(void **state)
{
	(void)state;
	struct test t = decode(START "F1 0080 F3 0102 |F6 01000042 4 1234  5 6968 C 1 C 2 FE|"
				     " 00 |A 00000171 2 35|");
	expect_start(&t);
	const struct message *m = expect(&t, SYST_STRING, 0, 1, SOUND);
	assert_int_equal(m->ticks, 0x1234);
	assert_int_equal(m->severity, SEVERITY_INFO);
	expect_payload(&t, "42000001686921");
	expect_text(&t, "STRING:GENERIC", "hi!");
	expect_field(&t, SYST_F_MASTER, 0x80);
	expect_field(&t, SYST_F_CHANNEL, 0x102);
	expect_field(&t, SYST_F_STP_TIME, 0x1234);

	m = expect(&t, SYST_SHORT32, 2, 3, SOUND);
	assert_int_equal(m->ticks, 0x1235);
	expect_payload(&t, "71010000");
	expect_field(&t, SYST_F_VALUE, 0x17);
	finish(&t);
}

/* Two senders take turns; the one that ends first comes first. */
static void
test_interleaved(void **state)
{
	(void)state;
	struct test t = decode(START "1 01 |F6 01000042 0  1 02 |F6 01000042 1 7  4 41"
				     " 1 01 4 42  1 02 F8 43|  1 01 F8 44| 4 45 |FE|");
	expect_start(&t);
	const struct message *a = expect(&t, SYST_STRING, 1, 2, SOUND);
	expect_text(&t, "STRING:GENERIC", "AC");
	expect_field(&t, SYST_F_MASTER, 2);
	const struct message *b = expect(&t, SYST_STRING, 0, 3, SOUND);
	expect_text(&t, "STRING:GENERIC", "BD");
	assert_int_equal(b->ticks, 0);
	assert_int_equal(a->ticks, 7);
	assert_int_not_equal(a->origin, b->origin);
	t.n.marks.at[4] -= 3; /* without time, but behind an end of the same channel */
	expect(&t, SYST_DATA, 4, 5, SCATTERED);
	expect_text(&t, "STP:DATA", "45");
	finish(&t);
}

static void
test_data(void **state)
{
	(void)state;
	struct test t =
	    decode(START "|8 99 1 5| |9 1234 0| |F8 77| |FE| |E 1 8| |F6 0000000F 0 FE|");
	expect_start(&t);
	const struct message *m = expect(&t, SYST_DATA, 0, 1, SOUND);
	assert_int_equal(m->severity, SEVERITY_DEBUG);
	assert_int_equal(m->ticks, 5);
	expect_text(&t, "STP:DATA", "99");
	assert_string_equal(text_get(&t.e.origin), "0:0");
	assert_int_equal(expect(&t, SYST_DATA, 2, 3, SOUND)->ticks, 5);
	expect_text(&t, "STP:DATA", "3412");
	expect(&t, SYST_DATA, 4, 5, SCATTERED);
	expect_text(&t, "STP:DATA", "77");
	/* flags by themselves */
	expect(&t, SYST_DATA, 6, 7, 0);
	expect_text(&t, "STP:FLAG", "");
	assert_int_equal(expect(&t, SYST_DATA, 8, 9, TIMED)->ticks, 8);
	/* a reserved type is no SyS-T */
	expect(&t, SYST_DATA, 10, 11, SOUND);
	expect_text(&t, "STP:DATA", "0f000000");
	finish(&t);
}

/* With reserved header bits only a length that fits makes it SyS-T. */
static void
test_suspect(void **state)
{
	(void)state;
	struct test t = decode(START "|F6 41000242 0 5 0001 4 41 FE| |F6 41000042 0 4 41 FE|");
	expect_start(&t);
	expect(&t, SYST_STRING, 0, 1, SOUND | MESSAGE_SUSPECT);
	expect_text(&t, "STRING:GENERIC", "A");
	expect(&t, SYST_DATA, 2, 3, SOUND);
	finish(&t);
}

/* What closes a message stands at the first byte of what closed it. */
static void
test_truncated(void **state)
{
	(void)state;
	struct test t = decode(START "0 |F6 01000042 0 4 41 | F6 01000042 0 4 42| 0");
	t.n.marks.at[1] += 1;
	expect_start(&t);
	expect(&t, SYST_STRING, 0, 1, SOUND | TRUNCATED);
	expect_text(&t, "STRING:GENERIC", "A");
	t.n.marks.at[1] -= 1;
	t.n.marks.at[2] += 1;
	expect(&t, SYST_STRING, 1, 2, SOUND | TRUNCATED);
	expect_text(&t, "STRING:GENERIC", "B");
	finish(&t);
}

/* A length field that the frame does not keep: header 01000242 has one. */
static void
test_wrong_length(void **state)
{
	(void)state;
	struct test t = decode(START "|F6 01000242 0 5 0002 5 6968 FE|"
				     "|F6 01000242 0 5 0003 5 6968 FE|");
	expect_start(&t);
	expect(&t, SYST_STRING, 0, 1, SOUND);
	expect(&t, SYST_BAD, 2, 3, SOUND | DAMAGED | TRUNCATED);
	finish(&t);
}

/* --- damage ------------------------------------------------------------ */

static void
test_no_async(void **state)
{
	(void)state;
	struct test t = decode("000 |4 12 34 5| " ASYNC "F003 |A 00000171 0|"
			       "|A 00000171 E 0000000000000001|");
	const struct message *m = expect(&t, SYST_DAMAGE, 0, 1, LOST);
	assert_int_equal(m->severity, SEVERITY_ERROR);
	expect_text(&t, "STP:DAMAGE", "no ASYNC before this: 4 bytes");
	t.next++;
	/* until all of the time was sent it is a guess */
	expect(&t, SYST_SHORT32, 2, 3, SOUND | ESTIMATED);
	expect(&t, SYST_SHORT32, 4, 5, SOUND);
	finish(&t);

	t = decode("|123456|");
	expect(&t, SYST_DAMAGE, 0, 1, LOST);
	finish(&t);
}

static void
test_reserved(void **state)
{
	(void)state;
	struct test t = decode(START "1 05 |F6 01000042 0  4 41 |F0C 12345|" ASYNC "F003"
				     "1 05 |4 42 FE| A 00000171 0 0");
	expect_start(&t);
	t.n.marks.at[1] += 1;
	expect(&t, SYST_STRING, 0, 1, SOUND | TRUNCATED);
	expect_text(&t, "STRING:GENERIC", "A");
	t.n.marks.at[1] -= 1;
	expect(&t, SYST_DAMAGE, 1, 2, DAMAGED);
	expect_text(&t, "STP:DAMAGE", "packet with a reserved opcode: 5 bytes");
	t.next++;
	expect(&t, SYST_DATA, 3, 4, LOST | SCATTERED);
	t.next++;
	finish(&t);
}

/* An ASYNC may come in the middle of a packet, and after further nibbles F. */
static void
test_async_inside(void **state)
{
	(void)state;
	struct test t = decode(START "|7 12345|" ASYNC "F003 |F|" ASYNC "F003 |F8 FF|"
				     "|" ASYNC "F003|");
	expect_start(&t);
	expect(&t, SYST_DAMAGE, 0, 1, DAMAGED);
	t.next++;
	expect(&t, SYST_DAMAGE, 2, 3, DAMAGED);
	expect_text(&t, "STP:DAMAGE", "FF that starts no ASYNC: 1 byte");
	t.next++;
	expect(&t, SYST_DATA, 4, 5, LOST | SCATTERED);
	expect_text(&t, "STP:DATA", "ff");
	expect(&t, SYST_STP_ASYNC, 6, 7, RESYNC);
	finish(&t);
}

static void
test_no_version(void **state)
{
	(void)state;
	struct test t = decode(START "|" ASYNC "|4 12 F003 4|" ASYNC "F003 0");
	expect_start(&t);
	assert_int_equal(expect(&t, SYST_STP_ASYNC, 0, 1, DAMAGED)->severity, SEVERITY_ERROR);
	expect_text(&t, "STP:ASYNC", "no VERSION follows");
	expect(&t, SYST_DAMAGE, 1, 2, DAMAGED);
	t.next++;
	finish(&t);
}

static void
test_cut_off(void **state)
{
	static const char stream[] = START
	    "F08 03938700 1 05 F6 01000042 E 0000000000001234 7 6867666564636261 4 69 FE"
	    " 0 F2 12 F1 0006 F3 0007 F7 1234567801000042 2 12 F07 12 1 5 B 1234567812345677 0";
	(void)state;
	for (size_t length = 0;; length++) {
		struct test t = {0};
		nibbles_add(&t.n, stream);
		size_t whole = t.n.bytes.count;
		if (length > whole) {
			nibbles_free(&t.n);
			break;
		}
		t.n.bytes.count = length;
		decode_with(&t, SYST_NIBBLES_AUTO);
		/* whatever is cut off is there and says so */
		const struct message *last = length ? &t.all.list.at[t.all.list.count - 1] : NULL;
		if (length > 13 && length < whole)
			assert_true(message_id_offset(last) +
					    (last->flags & SCATTERED ? 1 : last->length) ==
					length ||
				    !(last->flags & TRUNCATED));
		t.next = t.all.list.count;
		finish(&t);
	}
}

/* --- limits ------------------------------------------------------------ */

static void
add_plain(struct nibbles *n, uint64_t until)
{
	while (n->count < until)
		nibbles_add(n, "7 0123456789abcdef");
}

enum { CUT = 2 * 65536 };

/* A message is closed at the fifth multiple of 64 KiB, data without a start
 * at each. */
static void
test_open_too_long(void **state)
{
	(void)state;
	struct test t = {0};
	nibbles_add(&t.n, START "|F6 01000042 0");
	add_plain(&t.n, 5 * CUT);
	nibbles_add(&t.n, "|");
	add_plain(&t.n, 6 * CUT);
	nibbles_add(&t.n, "|");
	add_plain(&t.n, 6 * CUT + 1000);
	nibbles_add(&t.n, "FE|");
	decode_with(&t, SYST_NIBBLES_AUTO);
	expect_start(&t);
	t.n.marks.at[1]++;
	expect(&t, SYST_STRING, 0, 1, SOUND | TRUNCATED);
	assert_int_equal(t.e.payload_length % 8, 4);
	t.n.marks.at[1]--;
	t.n.marks.at[2]++;
	expect(&t, SYST_DATA, 1, 2, LOST | TRUNCATED | SCATTERED);
	t.n.marks.at[2]--;
	expect(&t, SYST_DATA, 2, 3, LOST | SCATTERED);
	assert_int_equal(t.next, t.all.list.count);
	drive_checkpoints(&t.drive, &t.all, 1);
	drive_blocks(&t.drive, &t.all, 65536);
	drive_blocks(&t.drive, &t.all, 10007);
	drive_growing(&t.drive, &t.all, 99991);
	drive_close(&t.drive);
	vec_free(&t.all.list);
	expansion_free(&t.e);
	nibbles_free(&t.n);
}

/* Zeroes close what is open at the first multiple of 64 KiB, so that a hole
 * can be skipped. */
static void
test_hole(void **state)
{
	(void)state;
	struct test t = {0};
	nibbles_add(&t.n, START "|F6 01000042 0 4 41");
	nibbles_fill(&t.n, 1 * CUT);
	nibbles_add(&t.n, "|");
	nibbles_fill(&t.n, 4 * CUT);
	nibbles_add(&t.n, "|A 00000171 1 7|");
	decode_with(&t, SYST_NIBBLES_AUTO);
	expect_start(&t);
	t.n.marks.at[1]++;
	expect(&t, SYST_STRING, 0, 1, SOUND | TRUNCATED);
	expect(&t, SYST_SHORT32, 2, 3, SOUND);

	/* two blocks are enough to know the rest */
	const struct decoder_ops *ops = t.drive.ops;
	struct decode_state *s = decode_state_new(t.drive.decoder);
	struct window w = drive_window(&t.drive);
	struct message out[4];
	w.until = 3 * 65536;
	assert_int_equal(ops->step(t.drive.decoder, s, &w, out, 4), 2);
	assert_int_equal(s->offset, 3 * 65536);
	uint8_t saved[CHECKPOINT_MAX];
	ops->save(t.drive.decoder, s, saved);
	decode_checkpoint_shift(saved, 65536);
	ops->restore(t.drive.decoder, s, saved);
	w.until = UINT64_MAX;
	assert_int_equal(ops->step(t.drive.decoder, s, &w, out, 4), 1);
	assert_memory_equal(&out[0].offset, &t.all.list.at[2].offset, sizeof out[0].offset);
	assert_int_equal(out[0].ticks, 7);
	decode_state_free(t.drive.decoder, s);
	drive_blocks(&t.drive, &t.all, 4096);
	drive_close(&t.drive);
	vec_free(&t.all.list);
	expansion_free(&t.e);
	nibbles_free(&t.n);
}

/* Damage comes in pieces, each without need of a large window; runs of F. */
static void
test_long_damage(void **state)
{
	(void)state;
	struct test t = {0};
	nibbles_add(&t.n, START "0|F0D");
	while (t.n.count < CUT)
		nibbles_put(&t.n, 5);
	nibbles_add(&t.n, "|");
	while (t.n.count < 2 * CUT)
		nibbles_put(&t.n, 15);
	nibbles_add(&t.n, "|FFFF|" ASYNC "F003");
	decode_with(&t, SYST_NIBBLES_AUTO);
	expect_start(&t);
	expect(&t, SYST_DAMAGE, 0, 1, DAMAGED);
	expect(&t, SYST_DAMAGE, 1, 2, DAMAGED);
	expect(&t, SYST_DAMAGE, 2, 3, DAMAGED);
	t.next++;
	finish(&t);
}

/* --- positions --------------------------------------------------------- */

static void
test_resync(void **state)
{
	(void)state;
	struct test t = decode("4 12" START "A 00000171 2 99 0 | FF " START "1 05 A 00000271 1 7"
			       "A 00000371 E 1234567812345678");
	struct window w = drive_window(&t.drive);
	struct decode_state *s = decode_state_new(t.drive.decoder);
	struct message out[8];
	size_t from = (size_t)t.n.marks.at[0] / 2;
	w.bytes += from;
	w.offset += from;
	w.length -= from;
	assert_int_equal(t.drive.ops->resync(t.drive.decoder, s, &w), 0);
	assert_int_equal(t.drive.ops->step(t.drive.decoder, s, &w, out, 8), 3);
	assert_int_equal(out[0].flags, RESYNC);
	assert_int_equal(out[1].flags, SOUND | ESTIMATED);
	assert_int_equal(out[1].ticks, 7);
	assert_int_equal(out[2].flags, SOUND);
	assert_int_equal(out[2].ticks, 0x1234567812345678);
	w.bytes += 3; /* into the ASYNC */
	w.offset += 3;
	w.length -= 3;
	assert_int_equal(t.drive.ops->resync(t.drive.decoder, s, &w), ERR_SYNC);
	decode_state_free(t.drive.decoder, s);
	t.next = t.all.list.count;
	finish(&t);
}

/* A checkpoint inside an open message; taken again on the way back to it. */
static void
test_repeating(void **state)
{
	(void)state;
	struct test t = decode(START "1 01 F6 01000042 0 1 02 A 00000171 0 | F6 01000042 0 4 41"
				     "1 01 FE 1 02 4 42 | 3 00 00 FE");
	const struct decoder_ops *ops = t.drive.ops;
	struct decode_state *s = decode_state_new(t.drive.decoder);
	struct window w = drive_window(&t.drive);
	struct message out[8];
	uint8_t saved[CHECKPOINT_MAX] = {0}, again[CHECKPOINT_MAX] = {0};

	w.until = t.n.marks.at[1] / 2;
	assert_int_equal(ops->step(t.drive.decoder, s, &w, out, 8), 3);
	ops->save(t.drive.decoder, s, saved);
	ops->restore(t.drive.decoder, s, saved);
	w.until = t.n.marks.at[0] / 2 + 5;
	assert_int_equal(ops->step(t.drive.decoder, s, &w, out, 8), 0);
	ops->save(t.drive.decoder, s, again);
	assert_memory_equal(saved, again, ops->checkpoint_size);
	assert_int_equal(bytes_le64(again), t.n.marks.at[0] / 2);

	w.until = UINT64_MAX;
	assert_int_equal(ops->step(t.drive.decoder, s, &w, out, 8), 1);
	assert_int_equal(out[0].offset, t.all.list.at[3].offset);
	decode_state_free(t.drive.decoder, s);
	t.next = t.all.list.count;
	finish(&t);
}

/* Packets of all kinds, of few senders, so that they meet. */
static void
add_random(struct nibbles *n, uint64_t *seed)
{
	static const char *const packets[] = {
	    "4 12",
	    "5 1234",
	    "6 01000042",
	    "7 0123456789abcdef",
	    "C 5",
	    "F6 01000042 2 12",
	    "F4 42 3 123",
	    "F6 01000042 E 0123456789abcdef",
	    "F8 12",
	    "FB 0123456789abcdef",
	    "FE",
	    "FE0",
	    "E 1 1",
	    "A 12345671 3 123",
	    "B 0123456712345677 0",
	    "D 3 0",
	    "1 01",
	    "1 02",
	    "3 01",
	    "3 02",
	    "3 03",
	    "F1 0003",
	    "F3 0104",
	    "0",
	    "00000",
	    "F01 2 45",
	    "F08 03938700",
	    "F07 12 1 2",
	    "F02 2 123",
	    "2 11",
	    "F2 12",
	    "F0F3 12",
	    START,
	    ASYNC "00 F00 B81",
	    ASYNC "F004",
	    /* rare ones */
	    "F0C",
	    "FFF",
	    "8 12 F",
	    ASYNC,
	    "F007",
	    "7 12 " START,
	};
	unsigned rare = 6, count = COUNT(packets) - rare;
	unsigned which = random_below(seed, 20 * count);
	if (which >= count)
		which %= count;
	else
		which = count + which % rare;
	nibbles_add(n, packets[which]);
}

static void
test_random(void **state)
{
	(void)state;
	for (uint64_t run = 0; run < 40; run++) {
		uint64_t seed = run;
		struct test t = {0};
		nibbles_add(&t.n, run % 4 ? START : "4 12 123 FFF" START);
		while (t.n.count < 3000 + 500 * run)
			add_random(&t.n, &seed);
		for (uint64_t flips = run % 3 ? 0 : run; flips--;)
			t.n.bytes.at[random_below(&seed, t.n.bytes.count)] ^=
			    (uint8_t)(1 << random_below(&seed, 8));
		decode_with(&t, run % 2 ? SYST_NIBBLES_MSN : SYST_NIBBLES_LSN);
		drive_blocks(&t.drive, &t.all, 1);
		drive_blocks(&t.drive, &t.all, 101);
		t.next = t.all.list.count;
		finish(&t);
	}
}

/* --- nibble order and extents ------------------------------------------ */

/* Copies the capture's bits of a field, in payload order. */
struct bits {
	const uint8_t *capture;
	size_t length;
	uint64_t value;
	unsigned count;
};

static void
collect(void *context, uint64_t bit, uint32_t count)
{
	struct bits *b = context;
	assert_true(count <= 64 - b->count);
	b->value |= bytes_bits(b->capture, b->length, bit, count) << b->count;
	b->count += count;
}

/* Whether the capture's bits of each payload byte are that byte. */
static void
check_extents(const struct test *t)
{
	for (size_t i = 0; i < t->e.payload_length; i++) {
		struct bits b = {t->n.bytes.at, t->n.bytes.count, 0, 0};
		const struct field byte = {.row = &syst_fields[SYST_F_DATA],
					   .place = FIELD_PAYLOAD,
					   .bit = 8 * i,
					   .bits = 8};
		bool swapped = t->e.extents.at[0].form == EXTENT_REVERSED;
		expansion_locate(&t->e, &byte, collect, &b);
		assert_int_equal(b.count, 8);
		uint8_t got = (uint8_t)b.value;
		if (swapped)
			got = (uint8_t)(got << 4 | got >> 4);
		assert_int_equal(got, t->e.payload[i]);
	}
}

static void
test_extents(void **state)
{
	static const char *const streams[] = {
	    ASYNC "F00 B01 |F6 01000042 0 4 61 3 05 4 99 3 00 7 6968676665646362 F9 6B6A|",
	    ASYNC "F00 B81 |F6 24000010 0 4 16 3 50 4 99 3 00 7 2636465666768696 F9 A6B6|",
	};
	(void)state;
	for (size_t i = 0; i < COUNT(streams); i++) {
		struct test t = decode(streams[i]);
		expect_start(&t);
		expect(&t, SYST_STRING, 0, 1, SOUND);
		expect_text(&t, "STRING:GENERIC", "abcdefghijk");
		expect_payload(&t, "420000016162636465666768696a6b");
		assert_int_equal(t.e.extents.count, 4);
		check_extents(&t);
		t.n.marks.at[0] += 11 + 3 + 3;
		t.n.marks.at[1] = t.n.count;
		assert_int_equal(t.all.list.at[t.next++].flags, LOST | TRUNCATED | SCATTERED);
		finish(&t);
	}
}

/* What announces nothing of its order, as the reference encoder does. */
static void
test_guess(void **state)
{
	(void)state;
	struct test t = decode(START "F08 00783930 |F6 24000010 0 5 8696 FE|");
	expect_start(&t);
	t.next++;
	assert_true(t.drive.decoder->hz == 60000000);
	expect(&t, SYST_STRING, 0, 1, SOUND);
	expect_text(&t, "STRING:GENERIC", "hi");
	finish(&t);

	t = (struct test){0};
	nibbles_add(&t.n, START "F6 24000010 0 5 8696 FE");
	decode_with(&t, SYST_NIBBLES_MSN);
	assert_int_equal(t.all.list.at[1].kind, SYST_DATA);
	t.next = 2;
	finish(&t);
}

static int
score(const char *digits)
{
	struct nibbles n = {0};
	struct probe probe = {0};
	nibbles_add(&n, digits);
	const struct window head = {
	    .bytes = n.bytes.at, .length = n.bytes.count, .until = UINT64_MAX, .last = true};
	syst_stp_ops.probe(&head, &probe);
	nibbles_free(&n);
	return probe.score;
}

static void
test_probe(void **state)
{
	(void)state;
	assert_true(score("0" START "F6 01000042 0 5 6968 FE") > 90);
	assert_true(score("12345678 12345678 12345678 12345678" START "4 12") >= 70);
	assert_int_equal(score(""), 0);
	assert_int_equal(score("68656c6c6f2c20776f726c64"), 0);
	assert_int_equal(score("FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF0FFFFFFF0000"), 0);
}

/* How much lies behind a message changes nothing of it, also where times are two nibbles
 * without a length, as in version 1 [STP 2, VERSION, second hand: ADI, stm_core]. */
static void
test_far_from_end(void **state)
{
	enum { NULLS = 400 };
	static const struct {
		const char *digits;
		uint64_t ticks;
		unsigned flags;
	} rows[] = {
	    {START "F6 01000042 223 5 6968 FE", 0x23, SOUND},
	    {ASYNC "F001 F6 01000042 23 5 6968 FE", 0x23, SOUND | ESTIMATED},
	};
	(void)state;
	for (size_t i = 0; i < 2 * COUNT(rows); i++) {
		struct test t = {0};
		nibbles_add(&t.n, "0|");
		nibbles_add(&t.n, rows[i / 2].digits);
		for (int null = 0; i % 2 && null < NULLS; null++)
			nibbles_add(&t.n, "0");
		decode_with(&t, SYST_NIBBLES_AUTO);
		assert_int_equal(t.all.list.count, 2);
		const struct message *m = &t.all.list.at[1];
		assert_int_equal(m->kind, SYST_STRING);
		assert_int_equal(m->flags & ~(unsigned)MESSAGE_CHECKED, rows[i / 2].flags);
		assert_int_equal(m->ticks, rows[i / 2].ticks);
		t.next = 2;
		finish(&t);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_async),	 cmocka_unit_test(test_rows),
	    cmocka_unit_test(test_message),	 cmocka_unit_test(test_interleaved),
	    cmocka_unit_test(test_data),	 cmocka_unit_test(test_truncated),
	    cmocka_unit_test(test_wrong_length), cmocka_unit_test(test_no_async),
	    cmocka_unit_test(test_reserved),	 cmocka_unit_test(test_suspect),
	    cmocka_unit_test(test_async_inside), cmocka_unit_test(test_no_version),
	    cmocka_unit_test(test_cut_off),	 cmocka_unit_test(test_open_too_long),
	    cmocka_unit_test(test_hole),	 cmocka_unit_test(test_long_damage),
	    cmocka_unit_test(test_resync),	 cmocka_unit_test(test_repeating),
	    cmocka_unit_test(test_random),	 cmocka_unit_test(test_extents),
	    cmocka_unit_test(test_guess),	 cmocka_unit_test(test_probe),
	    cmocka_unit_test(test_far_from_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
