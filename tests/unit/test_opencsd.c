/*
 * CoreSight trace buffers from the snapshot's files to messages.  The trace is
 * written by hand: STM packets as nibbles (MIPI STP 2.1, nibbles.h), ITM
 * packets as bytes (Armv7-M Architecture Reference Manual, appendix D4),
 * frames by formatter.h.  Expected lines have the form of trc_pkt_lister's; a
 * packet that begins in the high half of a byte has the index of the next
 * byte there.
 */
#include "config.h"

#include "test.h"

#include "capture/snapshot.h"
#include "decode/coresight/coresight.h"
#include "decode/coresight/opencsd.h"
#include "decode/coresight/opencsd_element.h"
#include "drive.h"
#include "folder.h"
#include "formatter.h"
#include "hex.h"
#include "nibbles.h"
#include "random.h"
#include "walk.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define START ASYNC "F003 "
#define STM_ID 0x10
#define ITM_ID 0x21
#define OTHER_ID 0x33

/* --- captures ---------------------------------------------------------- */

struct shot {
	struct folder folder;
	struct snapshot *snapshot;
	struct drive drive;
	struct drive_messages all;
	struct expansion e;
};

/* The files of a snapshot with an STM and an ITM in one buffer. */
static void
put_snapshot(struct folder *f, const char *format, const void *bytes, size_t length)
{
	struct text trace = {0};
	folder_make(f);
	folder_put_text(f, "snapshot.ini",
			"[snapshot]\nversion=1.0\ndescription=made by a test\n"
			"[device_list]\ndevice0=stm.ini\ndevice1=itm.ini\n"
			"[trace]\nmetadata=trace.ini\n");
	/* trace ID in bits 16 to 22 of both registers */
	folder_put_text(f, "stm.ini",
			"[device]\nname=STM_0\nclass=trace_source\ntype=STM\n"
			"[regs]\nSTMTCSR(0x3A0)=0x00100007\n");
	folder_put_text(f, "itm.ini",
			"[device]\nname=ITM_0\nclass=trace_source\ntype=ITM\n"
			"[regs]\nITMTCR(0x3A0)=0x00210001\n");
	text_addf(&trace,
		  "[trace_buffers]\nbuffers=buffer0\n"
		  "[buffer0]\nname=ETB\nfile=etb.bin\nformat=%s\n"
		  "[source_buffers]\nSTM_0=ETB\nITM_0=ETB\n",
		  format);
	folder_put_text(f, "trace.ini", text_get(&trace));
	folder_put(f, "etb.bin", bytes, length);
	text_free(&trace);
}

static bool
shot_try(struct shot *s, const char *format, const uint8_t *bytes, size_t length, struct err *err)
{
	memset(s, 0, sizeof *s);
	put_snapshot(&s->folder, format, bytes, length);
	s->snapshot = snapshot_read(s->folder.path, err);
	assert_non_null(s->snapshot);
	assert_int_equal(s->snapshot->buffers.count, 1);
	drive_open(&s->drive, "opencsd", bytes, length);
	opencsd_use_snapshot(s->drive.options, s->snapshot, &s->snapshot->buffers.at[0],
			     &s->snapshot->notes);
	assert_string_equal(text_get(&s->snapshot->notes), "");
	return drive_try(&s->drive, err);
}

static void
shot_open(struct shot *s, const char *format, const uint8_t *bytes, size_t length)
{
	struct err err = {0};
	if (!shot_try(s, format, bytes, length, &err))
		fail_msg("%s", err.what);
	drive_all(&s->drive, &s->all);
}

static void
shot_close(struct shot *s)
{
	expansion_free(&s->e);
	vec_free(&s->all.list);
	drive_close(&s->drive);
	snapshot_free(s->snapshot);
	folder_remove(&s->folder);
}

/* Built without the library, only ITM is decoded. */
static bool
has_library(void)
{
	struct shot s;
	struct err err = {0};
	bool has = shot_try(&s, "source_data", (const uint8_t *)"", 0, &err);
	if (!has)
		assert_non_null(strstr(err.what, "without the OpenCSD library"));
	shot_close(&s);
	return has;
}

/* --- looking at messages ----------------------------------------------- */

/* The listing's line of a message, NULL if it has none. */
static const char *
line_of(const struct shot *s, const struct message *m, struct text *line)
{
	struct window w = drive_window(&s->drive);
	struct expansion e = {0};
	text_clear(line);
	bool printed = opencsd_ops.print(s->drive.decoder, m, &w, &e, line);
	expansion_free(&e);
	return printed ? text_get(line) : NULL;
}

/* A line without what comes before the element's name. */
static const char *
element_of(const char *line)
{
	static const char prefix[] = "OCSD_GEN_TRC_ELEM_";
	const char *at = strstr(line, prefix);
	assert_non_null(at);
	return at + sizeof prefix - 1;
}

/* The elements of one trace ID, in order, are WANT (which ends with NULL). */
static void
assert_elements(const struct shot *s, unsigned id, const char *const *want)
{
	struct text line = {0}, prefix = {0};
	text_addf(&prefix, "; ID:%x; ", id);
	for (size_t i = 0; i < s->all.list.count; i++) {
		const char *got = line_of(s, &s->all.list.at[i], &line);
		if (!got || !strstr(got, text_get(&prefix)))
			continue;
		assert_non_null(*want);
		assert_string_equal(element_of(got), *want++);
	}
	assert_null(*want);
	text_free(&line);
	text_free(&prefix);
}

static const struct message *
find_kind(const struct shot *s, unsigned kind, size_t n)
{
	for (size_t i = 0; i < s->all.list.count; i++)
		if (s->all.list.at[i].kind == kind && !n--)
			return &s->all.list.at[i];
	return NULL;
}

static const struct message *
expand(struct shot *s, const struct message *m)
{
	assert_non_null(m);
	walk_expand(s->drive.decoder, s->drive.bytes, s->drive.length, m, &s->e);
	return m;
}

/* --- STM --------------------------------------------------------------- */

/* Packets, each after a mark, and what they are in a listing. */
static const struct {
	const char *nibbles, *element;
} packets[] = {
    {"F08 0124F800", "SWTRACE((Ma:0x\?\?; Ch:0x\?\?) 0x0124f800; Freq)"},
    {"1 40 F3 0480 | FA 01021010", "SWTRACE( (Ma:0x40; Ch:0x480) 0x01021010; +Mrk )"},
    {"6 00000015", "SWTRACE( (Ma:0x40; Ch:0x480) 0x00000015; )"},
    {"4 ab", "SWTRACE( (Ma:0x40; Ch:0x480) 0xab; )"},
    {"5 1234", "SWTRACE( (Ma:0x40; Ch:0x480) 0x1234; )"},
    {"7 0123456789abcdef", "SWTRACE( (Ma:0x40; Ch:0x480) 0x0123456789abcdef; )"},
    {"C a", "SWTRACE( (Ma:0x40; Ch:0x480) 0xa; )"},
    /* seven nibbles of time, then two and three that replace the low ones */
    {"F6 00000001 7 1234567", "SWTRACE( (Ma:0x40; Ch:0x480) 0x00000001;  [ TS=0x000001234567]; )"},
    {"8 55 2 89", "SWTRACE( (Ma:0x40; Ch:0x480) 0x55; +Mrk  [ TS=0x000001234589]; )"},
    {"FE", "SWTRACE( (Ma:0x40; Ch:0x480) +Mrk )"},
    {"E 3 abc", "SWTRACE( (Ma:0x40; Ch:0x480) +Mrk  [ TS=0x000001234abc]; )"},
    /* C8 keeps the upper half of the channel */
    {"0 3 05 | F8 77", "SWTRACE( (Ma:0x40; Ch:0x405) 0x77; +Mrk )"},
    {"F9 1234", "SWTRACE( (Ma:0x40; Ch:0x405) 0x1234; +Mrk )"},
    {"FB fedcba9876543210", "SWTRACE( (Ma:0x40; Ch:0x405) 0xfedcba9876543210; +Mrk )"},
    {"FD c", "SWTRACE( (Ma:0x40; Ch:0x405) 0xc; +Mrk )"},
    {"B 1111222233334444 E 8877665544332211",
     "SWTRACE( (Ma:0x40; Ch:0x405) 0x1111222233334444; +Mrk  [ TS=0x8877665544332211]; )"},
    {"D 7 0", "SWTRACE( (Ma:0x40; Ch:0x405) 0x7; +Mrk  [ TS=0x8877665544332211]; )"},
    {"F06 05", "SWTRACE( (Ma:0x40; Ch:0x405) 0x05; Trig )"},
    {"2 06", "SWTRACE( (Ma:0x40; Ch:0x00) 0x06; {Master Error.})"},
    {"1 41 | 4 01", "SWTRACE( (Ma:0x41; Ch:0x00) 0x01; )"},
    {"F2 07", "SWTRACE({Global Error.})"},
};

static void
test_packets(void **state)
{
	(void)state;
	struct nibbles n = {0};
	struct shot s;
	struct text line = {0}, want = {0};
	uint64_t ends[COUNT(packets)];
	nibbles_add(&n, START);
	for (size_t i = 0; i < COUNT(packets); i++) {
		if (!strchr(packets[i].nibbles, '|'))
			nibbles_add(&n, "|");
		nibbles_add(&n, packets[i].nibbles);
		ends[i] = n.count;
	}
	nibbles_fill(&n, n.count + 3);
	shot_open(&s, "source_data", n.bytes.at, n.bytes.count);
	assert_int_equal(s.all.list.count, COUNT(packets) + 2);
	assert_string_equal(line_of(&s, &s.all.list.at[0], &line),
			    "Idx:0; ID:10; OCSD_GEN_TRC_ELEM_NO_SYNC( [init-decoder])");
	for (size_t i = 0; i < COUNT(packets); i++) {
		const struct message *m = &s.all.list.at[i + 1];
		uint64_t index = (n.marks.at[i] + 1) / 2;
		uint64_t first = n.marks.at[i] / 2, last = (ends[i] - 1) / 2;
		text_clear(&want);
		text_addf(&want, "Idx:%u; ID:10; OCSD_GEN_TRC_ELEM_%s", (unsigned)index,
			  packets[i].element);
		assert_string_equal(line_of(&s, m, &line), text_get(&want));
		assert_int_equal(m->offset, index);
		assert_int_equal(m->offset + m->length - 1, last);
		/* the packet's own bytes, the one that it shares too */
		expand(&s, m);
		assert_int_equal(s.e.payload_length, last - first + 1);
		assert_memory_equal(s.e.payload, n.bytes.at + first, last - first + 1);
		assert_int_equal(s.e.extents.at[0].capture_bit, 8 * first);
	}
	assert_string_equal(element_of(line_of(&s, &s.all.list.at[COUNT(packets) + 1], &line)),
			    "EO_TRACE( [end-of-trace])");
	assert_true(s.drive.decoder->hz == 0x124f800);
	drive_everything(&s.drive);
	text_free(&line);
	text_free(&want);
	nibbles_free(&n);
	shot_close(&s);
}

/* Times as a Gray code: 1111 stands for 1010, 1110 for 1011. */
static void
test_gray(void **state)
{
	(void)state;
	struct nibbles n = {0};
	struct shot s;
	static const char *const want[] = {
	    "NO_SYNC( [init-decoder])",
	    "SWTRACE( (Ma:0x01; Ch:0x00) 0x11; +Mrk  [ TS=0x00000000000a]; )",
	    "SWTRACE( (Ma:0x01; Ch:0x00) 0x12; +Mrk  [ TS=0x00000000000b]; )",
	    "EO_TRACE( [end-of-trace])",
	    NULL,
	};
	nibbles_add(&n, ASYNC "F004 1 01 8 11 1 F 8 12 1 E 0");
	shot_open(&s, "source_data", n.bytes.at, n.bytes.count);
	assert_elements(&s, STM_ID, want);
	nibbles_free(&n);
	shot_close(&s);
}

/* --- SyS-T over STM ---------------------------------------------------- */

/*
 * Two messages at once on two channels, and a SHORT32 (MIPI SyS-T 1.0): header
 * 0x01000042 is STRING:GENERIC INFO without GUID, module or unit 0.  Packets
 * carry their bytes least significant first.
 */
#define SYST_NIBBLES                                                                               \
	START "F08 000186A0 "                                                                      \
	      "1 40 3 01 F6 01000042 4 0010 " /* at 0x10 */                                        \
	      "3 02 F6 01000022 4 0020 "      /* at 0x20 */                                        \
	      "3 01 6 6C6C6548 4 6F | FE "    /* Hello */                                          \
	      "3 02 5 6F77 F8 73 "	      /* wos, marked */                                    \
	      "3 03 A 12345671 4 0030 "	      /* SHORT32 */                                        \
	      "3 04 F6 01000042 4 0040 "      /* has no end */                                     \
	      "F6 01000042 4 0050 F9 6F48 "   /* but the next one has */

static const struct {
	const char *type, *text;
	uint64_t ticks;
	uint8_t severity;
} systs[] = {
    {"STRING:GENERIC", "Hello", 0x10, SEVERITY_INFO},
    {"STRING:GENERIC", "wos", 0x20, SEVERITY_ERROR},
    {"SHORT32", "0x01234567", 0x30, SEVERITY_NONE},
    {"STRING:GENERIC", "Ho", 0x50, SEVERITY_INFO},
};

static void
test_syst(void **state)
{
	(void)state;
	struct nibbles n = {0};
	struct shot s;
	nibbles_add(&n, SYST_NIBBLES "00");
	shot_open(&s, "source_data", n.bytes.at, n.bytes.count);
	for (size_t i = 0; i < COUNT(systs); i++) {
		const struct message *m = expand(&s, find_kind(&s, OPENCSD_SYST, i));
		assert_string_equal(text_get(&s.e.type), systs[i].type);
		assert_string_equal(text_get(&s.e.text), systs[i].text);
		assert_int_equal(m->severity, systs[i].severity);
		assert_true(m->flags & MESSAGE_TIMED);
		assert_int_equal(m->ticks, systs[i].ticks);
		assert_int_equal(walk_number(&s.e, "master"), 0x40);
	}
	assert_null(find_kind(&s, OPENCSD_SYST, COUNT(systs)));

	/* the first one stands where its flag does, and has its bytes */
	const struct message *m = expand(&s, find_kind(&s, OPENCSD_SYST, 0));
	assert_int_equal(m->offset, (n.marks.at[0] + 1) / 2);
	assert_int_equal(s.e.payload_length, 9);
	assert_memory_equal(s.e.payload, "\x42\0\0\x01Hello", 9);

	/* other packets of the same channels are elements as ever */
	assert_int_equal(walk_number(&s.e, "channel"), 1);
	drive_everything(&s.drive);
	nibbles_free(&n);
	shot_close(&s);
}

/* --- frames ------------------------------------------------------------ */

static const char *const stm_elements[] = {
    "NO_SYNC( [init-decoder])",
    "SWTRACE((Ma:0x\?\?; Ch:0x\?\?) 0x000186a0; Freq)",
    "SWTRACE( (Ma:0x40; Ch:0x01) 0x01000042;  [ TS=0x000000000010]; )",
    "SWTRACE( (Ma:0x40; Ch:0x02) 0x01000022;  [ TS=0x000000000020]; )",
    "SWTRACE( (Ma:0x40; Ch:0x01) 0x6c6c6548; )",
    "SWTRACE( (Ma:0x40; Ch:0x01) 0x6f; )",
    "SWTRACE( (Ma:0x40; Ch:0x01) +Mrk )",
    "SWTRACE( (Ma:0x40; Ch:0x02) 0x6f77; )",
    "SWTRACE( (Ma:0x40; Ch:0x02) 0x73; +Mrk )",
    "SWTRACE( (Ma:0x40; Ch:0x03) 0x12345671; +Mrk  [ TS=0x000000000030]; )",
    "SWTRACE( (Ma:0x40; Ch:0x04) 0x01000042;  [ TS=0x000000000040]; )",
    "SWTRACE( (Ma:0x40; Ch:0x04) 0x01000042;  [ TS=0x000000000050]; )",
    "SWTRACE( (Ma:0x40; Ch:0x04) 0x6f48; +Mrk )",
    "EO_TRACE( [end-of-trace])",
    NULL,
};

#define ITM_BYTES "000000000080 0941 123412 1b78563412 1507 c08502"

static const char *const itm_elements[] = {
    "NO_SYNC( [init-decoder])",
    "ITMTRACE(ITM_SWIT (ch: 0x1; Data: 0x41) )",
    "ITMTRACE(ITM_SWIT (ch: 0x2; Data: 0x1234) )",
    "ITMTRACE(ITM_SWIT (ch: 0x3; Data: 0x12345678) )",
    "ITMTRACE(ITM_DWT (desc: 0x2; Data: 0x07) )",
    "ITMTRACE(ITM_TS_LOCAL ( TS delta: 0x00000105, { TS Sync}; TS cumulative: 0x105) )",
    "EO_TRACE( [end-of-trace])",
    NULL,
};

/* STM and ITM in turns of TURN bytes, and some bytes of a source that nobody
 * knows. */
static struct formatter
mixed_frames(size_t turn)
{
	struct formatter f = {0};
	struct nibbles stm = {0};
	struct hex itm = hex_bytes(ITM_BYTES);
	nibbles_add(&stm, SYST_NIBBLES "00");
	for (size_t i = 0; i < stm.bytes.count || i < itm.bytes.count; i += turn) {
		if (i < stm.bytes.count)
			formatter_add(&f, STM_ID, stm.bytes.at + i,
				      i + turn < stm.bytes.count ? turn : stm.bytes.count - i);
		if (i < itm.bytes.count)
			formatter_add(&f, ITM_ID, itm.bytes.at + i,
				      i + turn < itm.bytes.count ? turn : itm.bytes.count - i);
		if (!i)
			formatter_add(&f, OTHER_ID, "who?", 4);
	}
	formatter_run(&f);
	nibbles_free(&stm);
	hex_free(&itm);
	return f;
}

static void
test_frames(void **state)
{
	(void)state;
	for (size_t turn = 1; turn < 40; turn += 6) {
		struct formatter f = mixed_frames(turn);
		struct shot s;
		shot_open(&s, "coresight", f.frames.at, f.frames.count);
		assert_elements(&s, STM_ID, stm_elements);
		assert_elements(&s, ITM_ID, itm_elements);
		for (size_t i = 0; i < COUNT(systs); i++) {
			expand(&s, find_kind(&s, OPENCSD_SYST, i));
			assert_string_equal(text_get(&s.e.text), systs[i].text);
		}
		assert_int_equal(expand(&s, find_kind(&s, OPENCSD_STRAY, 0))->flags, MESSAGE_LOST);
		assert_string_equal(text_get(&s.e.text),
				    "4 bytes of trace ID 0x33 are not decoded: no source has it");
		assert_null(find_kind(&s, OPENCSD_STRAY, 1));
		drive_everything(&s.drive);
		formatter_free(&f);
		shot_close(&s);
	}
}

/* The same through a DSTREAM: half-frame and frame synchronisation, eight
 * bytes in 512 that are no trace. */
static void
test_dstream(void **state)
{
	(void)state;
	struct formatter f = mixed_frames(5);
	struct shot s;
	VEC(uint8_t) bytes = {0};
	for (size_t i = 0; i < 512; i++)
		*vec_add(&bytes) = 0xff;
	memcpy(bytes.at + 500, "\xff\xff\xff\x7f", 4); /* the first frame starts behind it */
	for (size_t i = 0; i < f.frames.count; i++)
		*vec_add(&bytes) = f.frames.at[i];
	shot_open(&s, "dstream_coresight", bytes.at, bytes.count);
	assert_elements(&s, STM_ID, stm_elements);
	assert_elements(&s, ITM_ID, itm_elements);
	drive_everything(&s.drive);
	vec_free(&bytes);
	formatter_free(&f);
	shot_close(&s);
}

/* ITM needs no library. */
static void
test_itm(void **state)
{
	(void)state;
	struct hex itm = hex_bytes(ITM_BYTES);
	struct formatter f = {0};
	struct shot s;
	formatter_add(&f, ITM_ID, itm.bytes.at, itm.bytes.count);
	formatter_run(&f);
	shot_open(&s, "coresight", f.frames.at, f.frames.count);
	assert_elements(&s, ITM_ID, itm_elements);
	expand(&s, find_kind(&s, OPENCSD_ITMTRACE, 1));
	assert_string_equal(text_get(&s.e.origin), "ITM_0");
	assert_int_equal(walk_number(&s.e, "port"), 2);
	assert_int_equal(walk_number(&s.e, "value"), 0x1234);
	drive_everything(&s.drive);
	hex_free(&itm);
	formatter_free(&f);
	shot_close(&s);
}

/* --- damage ------------------------------------------------------------ */

static bool
is_same(const struct message *a, const struct message *b)
{
	return a->offset == b->offset && a->length == b->length && a->kind == b->kind &&
	       a->flags == b->flags && a->origin == b->origin && a->ticks == b->ticks &&
	       a->aux == b->aux;
}

/* Of all messages whose last byte lies before CUT, none is lost or changed in
 * OTHER. */
static void
assert_kept(const struct drive_messages *all, const struct drive_messages *other, uint64_t cut)
{
	size_t at = 0;
	for (size_t i = 0; i < all->list.count; i++) {
		const struct message *m = &all->list.at[i];
		if (m->offset + m->length > cut || m->kind == OPENCSD_EO_TRACE ||
		    m->kind == OPENCSD_STRAY)
			continue;
		while (at < other->list.count && !is_same(m, &other->list.at[at]))
			at++;
		assert_true(at < other->list.count);
		at++;
	}
}

/* The lines of a capture, cut off at every byte. */
static void
check_cuts(const char *format, const uint8_t *bytes, size_t length, size_t unit)
{
	struct shot s;
	shot_open(&s, format, bytes, length);
	for (size_t cut = 0; cut < length; cut++) {
		struct shot part;
		uint8_t *copy = mem_new(cut + 1);
		memcpy(copy, bytes, cut);
		shot_open(&part, format, copy, cut);
		/* a packet's end may be known only with the next byte */
		uint64_t safe = cut / unit * unit;
		assert_kept(&s.all, &part.all, safe);
		drive_everything(&part.drive);
		shot_close(&part);
		vec_release(copy);
	}
	shot_close(&s);
}

static void
test_truncated(void **state)
{
	(void)state;
	struct nibbles n = {0};
	struct formatter f = mixed_frames(7);
	nibbles_add(&n, SYST_NIBBLES "00");
	check_cuts("source_data", n.bytes.at, n.bytes.count, 1);
	check_cuts("coresight", f.frames.at, f.frames.count, CORESIGHT_FRAME);
	nibbles_free(&n);
	formatter_free(&f);
}

static void
test_flipped(void **state)
{
	(void)state;
	struct formatter f = mixed_frames(7);
	struct shot s;
	shot_open(&s, "coresight", f.frames.at, f.frames.count);
	uint8_t *copy = mem_new(f.frames.count);
	for (size_t bit = 0; bit < 8 * f.frames.count; bit++) {
		struct shot flipped = {0};
		memcpy(copy, f.frames.at, f.frames.count);
		copy[bit / 8] ^= (uint8_t)(1 << bit % 8);
		shot_open(&flipped, "coresight", copy, f.frames.count);
		assert_kept(&s.all, &flipped.all, bit / 8 / CORESIGHT_FRAME * CORESIGHT_FRAME);
		if (bit % 5 == 0)
			drive_everything(&flipped.drive);
		shot_close(&flipped);
	}
	vec_release(copy);
	formatter_free(&f);
	shot_close(&s);
}

/* A packet that is none: the decoder gives up, which is a message, and goes on
 * at the next ASYNC. */
static void
test_bad_packet(void **state)
{
	(void)state;
	struct nibbles n = {0};
	struct shot s;
	static const char *const want[] = {
	    "NO_SYNC( [init-decoder])",
	    "SWTRACE( (Ma:0x01; Ch:0x00) 0x11; )",
	    "SWTRACE( (Ma:0x02; Ch:0x00) 0x22; )",
	    "EO_TRACE( [end-of-trace])",
	    NULL,
	};
	/* F0E is reserved */
	nibbles_add(&n, START "1 01 4 11 |F0E| 4 12 4 13 00000000" START "1 02 4 22 00");
	shot_open(&s, "source_data", n.bytes.at, n.bytes.count);
	assert_elements(&s, STM_ID, want);
	const struct message *m = expand(&s, find_kind(&s, OPENCSD_FATAL, 0));
	assert_int_equal(m->severity, SEVERITY_ERROR);
	assert_int_equal(m->flags, MESSAGE_DAMAGED);
	assert_in_range(m->offset, n.marks.at[0] / 2, n.marks.at[1] / 2);
	assert_string_equal(text_get(&s.e.origin), "STM_0");
	drive_everything(&s.drive);
	nibbles_free(&n);
	shot_close(&s);
}

/* --- large ones -------------------------------------------------------- */

/* STM trace of about SIZE bytes: messages on three channels, those of the
 * first are open for long; an ASYNC every now and then; and ITM beside it. */
static struct formatter
long_frames(size_t size, size_t turn)
{
	static const unsigned lengths[] = {900, 30, 25}; /* in packets */
	struct formatter f = {0};
	struct nibbles stm = {0};
	struct hex itm = {0};
	for (unsigned i = 0; stm.bytes.count < size; i++) {
		unsigned channel = i % 3, n = i / 3 % lengths[channel];
		char digits[64];
		if (i % 150 == 0)
			nibbles_add(&stm, START "1 40 ");
		snprintf(digits, sizeof digits, "3 %02x %s%04x ", channel,
			 n ? "6 2020" : "F6 01000042 4 ", i & 0xffff);
		nibbles_add(&stm, digits);
		if (n + 1 == lengths[channel])
			nibbles_add(&stm, "FE ");
	}
	for (unsigned i = 0; itm.bytes.count < size; i++) {
		if (i % 500 == 0)
			hex_add(&itm, "000000000080");
		hex_add(&itm, "0941 123412 c005");
	}
	for (size_t i = 0; i < size; i += turn) {
		size_t left = size - i < turn ? size - i : turn;
		formatter_add(&f, STM_ID, stm.bytes.at + i, left);
		formatter_add(&f, ITM_ID, itm.bytes.at + i, left);
	}
	formatter_run(&f);
	nibbles_free(&stm);
	hex_free(&itm);
	return f;
}

static void
test_checkpoints(void **state)
{
	(void)state;
	struct formatter f = long_frames(50000, 11);
	struct shot s;
	shot_open(&s, "coresight", f.frames.at, f.frames.count);
	assert_non_null(find_kind(&s, OPENCSD_SYST, 50));
	drive_checkpoints(&s.drive, &s.all, 61);
	drive_blocks(&s.drive, &s.all, 1000);
	drive_blocks(&s.drive, &s.all, 8192);
	drive_growing(&s.drive, &s.all, 5000);
	drive_expand(&s.drive, &s.all);
	formatter_free(&f);
	shot_close(&s);
}

/* A message is found again by whoever starts for it alone. */
static void
test_expand_alone(void **state)
{
	(void)state;
	struct formatter f = long_frames(50000, 11);
	struct shot s;
	struct text text = {0};
	shot_open(&s, "coresight", f.frames.at, f.frames.count);
	for (size_t i = 0; i < s.all.list.count; i++) {
		struct drive alone = s.drive;
		const struct message *m = &s.all.list.at[i];
		if (m->kind != OPENCSD_SYST && i % 97)
			continue;
		expand(&s, m);
		text_clear(&text);
		text_add_bytes(&text, text_get(&s.e.text), s.e.text.length);
		text_add_hex(&text, s.e.payload, s.e.payload_length);
		assert_true(drive_try(&alone, NULL));
		walk_expand(alone.decoder, alone.bytes, alone.length, m, &s.e);
		text_add_hex(&s.e.text, s.e.payload, s.e.payload_length);
		assert_string_equal(text_get(&s.e.text), text_get(&text));
		alone.ops->close(alone.decoder);
	}
	text_free(&text);
	formatter_free(&f);
	shot_close(&s);
}

/* A source that falls silent for long in the middle of a packet and a message:
 * its element comes late, and no checkpoint loses it. */
static void
test_quiet_source(void **state)
{
	(void)state;
	struct nibbles stm = {0};
	struct hex itm = hex_bytes("000000000080");
	struct formatter f = {0};
	struct shot s;
	nibbles_add(&stm, START "1 40 3 01 F6 01000042 4 0010 0 6 6C6C6548 FE 0000");
	while (itm.bytes.count < 60000)
		hex_add(&itm, "0941");
	size_t half = stm.bytes.count - 4; /* in the middle of Hell */
	formatter_add(&f, STM_ID, stm.bytes.at, half);
	formatter_add(&f, ITM_ID, itm.bytes.at, itm.bytes.count);
	formatter_add(&f, STM_ID, stm.bytes.at + half, stm.bytes.count - half);
	formatter_run(&f);
	shot_open(&s, "coresight", f.frames.at, f.frames.count);
	expand(&s, find_kind(&s, OPENCSD_SYST, 0));
	assert_string_equal(text_get(&s.e.text), "Hell");
	drive_checkpoints(&s.drive, &s.all, 2003);
	drive_blocks(&s.drive, &s.all, 8000);
	nibbles_free(&stm);
	hex_free(&itm);
	formatter_free(&f);
	shot_close(&s);
}

/* From a start anywhere, the elements from the second ASYNC on are those of
 * the whole. */
static void
test_resync(void **state)
{
	(void)state;
	enum { ENOUGH = 50000 }; /* no message is open for so long */
	struct formatter f = long_frames(50000, 11);
	struct shot s;
	struct text want = {0}, got = {0};
	shot_open(&s, "coresight", f.frames.at, f.frames.count);
	struct decode_state *at = decode_state_new(s.drive.decoder);
	struct window whole = drive_window(&s.drive);
	for (size_t from = 1; from < f.frames.count - ENOUGH; from += 5003) {
		struct window w = whole;
		struct message m;
		size_t next = 0;
		w.bytes += from;
		w.offset = from;
		w.length -= from;
		assert_int_equal(s.drive.ops->resync(s.drive.decoder, at, &w), 0);
		while (s.drive.ops->step(s.drive.decoder, at, &w, &m, 1) == 1) {
			if (m.offset < from + ENOUGH)
				continue;
			while (s.all.list.at[next].offset < from + ENOUGH)
				next++;
			const struct message *expected = &s.all.list.at[next++];
			assert_int_equal(m.offset, expected->offset);
			assert_int_equal(m.kind, expected->kind);
			assert_int_equal(m.origin, expected->origin);
			assert_int_equal(m.flags, expected->flags);
			text_clear(&got);
			struct expansion e = {0};
			opencsd_ops.print(s.drive.decoder, &m, &whole, &e, &got);
			expansion_free(&e);
			assert_string_equal(text_get(&got), line_of(&s, expected, &want) ?: "");
		}
		assert_int_equal(next, s.all.list.count);
	}
	decode_state_free(s.drive.decoder, at);
	text_free(&want);
	text_free(&got);
	formatter_free(&f);
	shot_close(&s);
}

/* Anonymous memory of this process, in KiB; 0 where the system does not say. */
static uint64_t
anonymous_memory(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	unsigned long size = 0;
	char line[128];
	while (file && !size && fgets(line, sizeof line, file))
		(void)!sscanf(line, "RssAnon: %lu", &size);
	if (file)
		fclose(file);
	return size;
}

/* A state holds the messages of a few chunks, however long the trace is, and
 * though in dense trace a message always waits for the next chunk. */
static void
test_memory(void **state)
{
	(void)state;
	enum { SIZE = 2 << 20, ROOM = 8192 };
	struct hex itm = hex_bytes("000000000080");
	struct formatter f = {0};
	struct message out[64];
	struct shot s;
	struct err err = {0};
	while (itm.bytes.count < SIZE)
		hex_add(&itm, "0141");
	formatter_add(&f, ITM_ID, itm.bytes.at, itm.bytes.count);
	formatter_run(&f);
	assert_true(shot_try(&s, "coresight", f.frames.at, f.frames.count, &err));
	struct decode_state *at = decode_state_new(s.drive.decoder);
	struct window w = drive_window(&s.drive);
	s.drive.ops->start(s.drive.decoder, at);
	uint64_t early = 0, count = 0;
	for (size_t got; (got = s.drive.ops->step(s.drive.decoder, at, &w, out, 64)); count += got)
		if (!early && at->offset >= SIZE / 16)
			early = anonymous_memory();
	assert_true(count >= SIZE / 2 - 3); /* each of two bytes, but the sync packet */
	assert_in_range(anonymous_memory(), 0, early + ROOM);
	decode_state_free(s.drive.decoder, at);
	hex_free(&itm);
	formatter_free(&f);
	shot_close(&s);
}

/* --- every byte -------------------------------------------------------- */

/* Cuts a region out, or writes over it. */
static void
mangle(struct formatter *f, uint64_t *seed)
{
	size_t from = random_below(seed, f->frames.count);
	size_t length = random_below(seed, f->frames.count - from) / 4;
	if (random_below(seed, 2)) {
		memset(f->frames.at + from, (int)random_below(seed, 256), length);
		return;
	}
	f->frames.count -= length;
	memmove(f->frames.at + from, f->frames.at + from + length, f->frames.count - from);
}

/* Bytes of sources, of none, and those that frames are made of are all bytes there
 * are, and what nobody decodes is flagged. */
static void
check_account(const char *format, const struct formatter *f)
{
	struct shot s;
	shot_open(&s, format, f->frames.at, f->frames.count);
	struct decode_state *at = decode_state_new(s.drive.decoder);
	struct window w = drive_window(&s.drive);
	struct message m;
	uint64_t bits = 0;
	s.drive.ops->start(s.drive.decoder, at);
	while (s.drive.ops->step(s.drive.decoder, at, &w, &m, 1)) {
		if (m.kind != OPENCSD_STRAY)
			continue;
		bits += 8 * (uint32_t)m.aux;
		assert_true(m.offset < 8192 || m.flags & (MESSAGE_LOST | MESSAGE_TRUNCATED));
	}
	for (size_t i = 0; i < s.drive.ops->silent_count; i++)
		bits += at->silent[i];
	assert_int_equal(bits, 8 * (uint64_t)f->frames.count);
	drive_checkpoints(&s.drive, &s.all, 97);
	decode_state_free(s.drive.decoder, at);
	shot_close(&s);
}

static void
test_account(void **state)
{
	(void)state;
	static const char *const formats[] = {"coresight", "dstream_coresight"};
	for (uint64_t seed = 1, run = 0; run < 40; run++) {
		struct formatter f = {0};
		uint8_t bytes[200];
		if (run % 2)
			for (unsigned i = 0; i < 4; i++)
				*vec_add(&f.frames) = i < 3 ? 0xff : 0x7f;
		for (unsigned i = 0; i < sizeof bytes; i++)
			bytes[i] = (uint8_t)(i | 2);
		for (unsigned i = 0; i < 150; i++) {
			static const uint8_t ids[] = {ITM_ID, OTHER_ID, CORESIGHT_ID_TRIGGER,
						      CORESIGHT_ID_NULL, 0x72};
			formatter_add(&f, ids[random_below(&seed, 5)], bytes,
				      1 + random_below(&seed, sizeof bytes));
		}
		formatter_run(&f);
		for (unsigned n = random_below(&seed, 3); n; n--)
			mangle(&f, &seed);
		check_account(formats[run % 2], &f);
		formatter_free(&f);
	}
}

/* A profile with the wrong trace ID: all that was lost is told, chunk by chunk. */
static void
test_wrong_id(void **state)
{
	(void)state;
	uint8_t bytes[30000] = {0};
	struct formatter f = {0};
	struct shot s;
	formatter_add(&f, OTHER_ID, bytes, sizeof bytes);
	formatter_run(&f);
	shot_open(&s, "coresight", f.frames.at, f.frames.count);
	uint64_t count = 0;
	for (size_t i = 0; i < s.all.list.count; i++) {
		const struct message *m = &s.all.list.at[i];
		if (m->kind != OPENCSD_STRAY)
			continue;
		assert_int_equal(m->flags, MESSAGE_LOST);
		assert_int_equal(m->severity, SEVERITY_ERROR);
		assert_int_equal(m->offset / 8192, (m->offset + m->length - 1) / 8192);
		count += (uint32_t)m->aux;
	}
	assert_int_equal(count, sizeof bytes);
	drive_everything(&s.drive);
	formatter_free(&f);
	shot_close(&s);
}

/* --- options ----------------------------------------------------------- */

static void
test_no_sources(void **state)
{
	(void)state;
	struct drive d;
	struct err err = {0};
	drive_open(&d, "opencsd", (const uint8_t *)"0123456789abcdef", 16);
	assert_false(drive_try(&d, &err));
	assert_non_null(strstr(err.what, "list the sources in a profile"));
	drive_close(&d);
}

/* What stepping hands on is what decoding again finds. */
static void
test_handed_on(void **state)
{
	(void)state;
	struct formatter f = mixed_frames(7);
	struct shot s, again;
	struct expansion e = {0};
	struct text line = {0}, other = {0};
	shot_open(&s, "coresight", f.frames.at, f.frames.count);
	shot_open(&again, "coresight", f.frames.at, f.frames.count);
	for (size_t i = 0; i < s.all.list.count; i++) {
		const struct message *m = &s.all.list.at[i];
		struct window w = drive_window(&s.drive);
		opencsd_ops.expand(s.drive.decoder, m, &w, EXPAND_TEXT, NULL, &s.e);
		expansion_clear(&s.e);
		vec_free(&again.all.list);
		drive_all(&again.drive, &again.all); /* it hands on what it was asked for last */
		assert_true(message_is_same(m, &again.all.list.at[i]));
		w = drive_window(&again.drive);
		expansion_clear(&e);
		opencsd_ops.expand(again.drive.decoder, m, &w, EXPAND_TEXT, NULL, &e);
		opencsd_ops.expand(s.drive.decoder, m, &w, EXPAND_TEXT, NULL, &s.e);
		assert_string_equal(text_get(&e.text), text_get(&s.e.text));
		assert_string_equal(text_get(&e.type), text_get(&s.e.type));
		assert_string_equal(text_get(&e.origin), text_get(&s.e.origin));
		const char *is = line_of(&again, m, &other), *should = line_of(&s, m, &line);
		assert_int_equal(is != NULL, should != NULL);
		if (is)
			assert_string_equal(is, should);
	}
	expansion_free(&e);
	text_free(&line);
	text_free(&other);
	formatter_free(&f);
	shot_close(&again);
	shot_close(&s);
}

int
main(void)
{
	const struct CMUnitTest all[] = {
	    cmocka_unit_test(test_itm),
	    cmocka_unit_test(test_memory),
	    cmocka_unit_test(test_account),
	    cmocka_unit_test(test_wrong_id),
	    cmocka_unit_test(test_no_sources),
	    /* these need the library */
	    cmocka_unit_test(test_packets),
	    cmocka_unit_test(test_gray),
	    cmocka_unit_test(test_syst),
	    cmocka_unit_test(test_frames),
	    cmocka_unit_test(test_dstream),
	    cmocka_unit_test(test_truncated),
	    cmocka_unit_test(test_flipped),
	    cmocka_unit_test(test_bad_packet),
	    cmocka_unit_test(test_checkpoints),
	    cmocka_unit_test(test_expand_alone),
	    cmocka_unit_test(test_handed_on),
	    cmocka_unit_test(test_quiet_source),
	    cmocka_unit_test(test_resync),
	};
	const struct CMUnitTest some[] = {all[0], all[1], all[2], all[3], all[4]};
	return has_library() ? cmocka_run_group_tests(all, NULL, NULL)
			     : cmocka_run_group_tests(some, NULL, NULL);
}
