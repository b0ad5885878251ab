/* Listings of trc_pkt_lister: lines of every form it prints, and what is left
 * of them when something comes between. */
#include "config.h"

#include "test.h"

#include "decode/lines.h"
#include "decode/coresight/opencsd.h"
#include "decode/coresight/opencsd_element.h"
#include "drive.h"
#include "walk.h"

#include <string.h>

#define ELEMENT(index, name) "Idx:" #index "; ID:10; OCSD_GEN_TRC_ELEM_" name

/* A line, its kind, and its text for people. */
static const struct row {
	const char *line;
	unsigned kind;
	enum severity severity;
	const char *type, *text;
} rows[] = {
    {"** Library Version : 1.3.3", OPENCSD_LINE, SEVERITY_INFO, "TEXT",
     "** Library Version : 1.3.3"},
    {"Trace Packet Lister : reading snapshot from path ./TC2", OPENCSD_LINE, SEVERITY_INFO, "TEXT",
     "Trace Packet Lister : reading snapshot from path ./TC2"},
    {"Gen_Info : FileAcc; Range::0xc0008000:c0057fff; Mem Space::Any S", OPENCSD_LINE,
     SEVERITY_INFO, "TEXT", "Gen_Info : FileAcc; Range::0xc0008000:c0057fff; Mem Space::Any S"},
    {"Idx:0; ID:10;\tNOTSYNC:STM not synchronised", OPENCSD_PACKET, SEVERITY_DEBUG, "PACKET",
     "NOTSYNC:STM not synchronised"},
    {ELEMENT(0, "NO_SYNC( [init-decoder])"), OPENCSD_NO_SYNC, SEVERITY_INFO, "NO_SYNC", NULL},
    {"Idx:39; ID:10; [0x9d 0x13 0x5a 0xfe 0xff 0x00 0x00 0x00 0x00 ];\tI_ADDR_L_64IS0 : Address, "
     "Long, 64 bit, IS0.; Addr=0x00000000FFFEB44C; ",
     OPENCSD_PACKET, SEVERITY_DEBUG, "PACKET",
     "I_ADDR_L_64IS0 : Address, Long, 64 bit, IS0.; Addr=0x00000000FFFEB44C; "},
    {ELEMENT(39, "TRACE_ON( [overflow])"), OPENCSD_TRACE_ON, SEVERITY_ERROR, "TRACE_ON", NULL},
    {ELEMENT(40, "INSTR_RANGE(exec range=0x6951c:[0x69528] num_i(3) last_sz(4) (ISA=A64) E iBR "
		 "A64:ret )"),
     OPENCSD_INSTR_RANGE, SEVERITY_DEBUG, "INSTR_RANGE", NULL},
    {ELEMENT(41, "TIMESTAMP( [ TS=0x0058e90bb867];  [CC=3]; )"), OPENCSD_TIMESTAMP, SEVERITY_DEBUG,
     "TIMESTAMP", NULL},
    {ELEMENT(51, "SWTRACE( (Ma:0x40; Ch:0x480) 0x01021010; +Mrk  [ TS=0x0003aeb284c9]; )"),
     OPENCSD_SWTRACE, SEVERITY_INFO, "SWTRACE", NULL},
    /* perf report -D, pasted: a tab at the begin and one behind the ID are blanks */
    {"0x1d8 [0x30]: PERF_RECORD_AUXTRACE size: 0x180  offset: 0", OPENCSD_LINE, SEVERITY_INFO,
     "TEXT", "0x1d8 [0x30]: PERF_RECORD_AUXTRACE size: 0x180  offset: 0"},
    {"\tIdx:0; ID:10;\tI_ASYNC : Alignment Synchronisation.", OPENCSD_PACKET, SEVERITY_DEBUG,
     "PACKET", "I_ASYNC : Alignment Synchronisation."},
    {"        Idx:12; ID:10;  I_TRACE_INFO : Trace Info.; INFO=0x0 { CC.0 }", OPENCSD_PACKET,
     SEVERITY_DEBUG, "PACKET", "I_TRACE_INFO : Trace Info.; INFO=0x0 { CC.0 }"},
    {"ID:10\tEND OF TRACE DATA", OPENCSD_LINE, SEVERITY_INFO, "TEXT", "ID:10\tEND OF TRACE DATA"},
    {ELEMENT(60, "EO_TRACE( [end-of-trace])"), OPENCSD_EO_TRACE, SEVERITY_INFO, "EO_TRACE", NULL},
    {"Trace Packet Lister : Trace buffer done, processed 65536 bytes.", OPENCSD_LINE, SEVERITY_INFO,
     "TEXT", "Trace Packet Lister : Trace buffer done, processed 65536 bytes."},
};
enum { ROWS = sizeof rows / sizeof *rows };

struct listing {
	struct text text;
	struct drive drive;
	struct drive_messages all;
	struct expansion e;
};

static void
decode(struct listing *l)
{
	drive_open(&l->drive, "ppl", (const uint8_t *)text_get(&l->text), l->text.length);
	drive_start(&l->drive);
	drive_all(&l->drive, &l->all);
}

static struct listing
decode_text(const char *text)
{
	struct listing l = {0};
	text_add(&l.text, text);
	decode(&l);
	return l;
}

static const struct message *
expand(struct listing *l, size_t n)
{
	assert_true(n < l->all.list.count);
	const struct message *m = &l->all.list.at[n];
	walk_expand(l->drive.decoder, l->drive.bytes, l->drive.length, m, &l->e);
	return m;
}

static void
finish(struct listing *l)
{
	drive_everything(&l->drive);
	drive_close(&l->drive);
	vec_free(&l->all.list);
	expansion_free(&l->e);
	text_free(&l->text);
}

/* All rows, a blank line before each third, with this end. */
static void
check_rows(const char *end)
{
	struct listing l = {0};
	uint64_t offsets[ROWS];
	struct text line = {0};
	for (size_t i = 0; i < ROWS; i++) {
		if (i % 3 == 0)
			text_add(&l.text, end);
		offsets[i] = l.text.length;
		text_addf(&l.text, "%s%s", rows[i].line, i + 1 < ROWS ? end : "");
	}
	decode(&l);
	assert_int_equal(l.all.list.count, ROWS);
	for (size_t i = 0; i < ROWS; i++) {
		const struct message *m = expand(&l, i);
		struct window w = drive_window(&l.drive);
		assert_int_equal(m->offset, offsets[i]);
		assert_int_equal(m->length, strlen(rows[i].line));
		assert_int_equal(m->kind, rows[i].kind);
		assert_int_equal(m->severity, rows[i].severity);
		assert_string_equal(text_get(&l.e.type), rows[i].type);
		if (rows[i].text)
			assert_string_equal(text_get(&l.e.text), rows[i].text);
		text_clear(&line);
		assert_int_equal(ppl_ops.print(l.drive.decoder, m, &w, &l.e, &line),
				 rows[i].kind < OPENCSD_ELEMENTS);
		if (line.length)
			assert_string_equal(text_get(&line), rows[i].line);
	}
	text_free(&line);
	finish(&l);
}

static void
test_rows(void **state)
{
	(void)state;
	check_rows("\n");
	check_rows("\r\n");
}

static void
test_fields(void **state)
{
	(void)state;
	struct listing l = decode_text(
	    "Idx:39; ID:1c; [0x9d 0x13 ];\tI_ADDR_S_IS0 : Address, Short.; Addr=0x4C; \n"
	    "Idx:51; ID:10; OCSD_GEN_TRC_ELEM_SWTRACE( (Ma:0x40; Ch:0x480) 0x0102; +Mrk "
	    " [ TS=0x00000000000a]; )\n");
	const struct message *m = expand(&l, 0);
	assert_int_equal(m->flags, 0);
	assert_string_equal(text_get(&l.e.origin), "ID 0x1c");
	assert_int_equal(walk_number(&l.e, "index"), 39);
	assert_int_equal(walk_number(&l.e, "id"), 0x1c);
	walk_assert_text(&l.e, "packet_name", "I_ADDR_S_IS0");
	walk_assert_text(&l.e, "packet_text", "Address, Short.; Addr=0x4C; ");
	m = expand(&l, 1);
	assert_int_equal(m->flags, MESSAGE_TIMED);
	assert_int_equal(m->ticks, 10);
	assert_string_equal(text_get(&l.e.origin), "ID 0x10 64:1152");
	assert_int_equal(walk_number(&l.e, "master"), 64);
	assert_int_equal(walk_number(&l.e, "channel"), 1152);
	assert_int_equal(walk_number(&l.e, "payload"), 0x102);
	finish(&l);
}

/* Text without a line end that stands in front of an element: an error's. */
static void
test_glued(void **state)
{
	(void)state;
	static const char error[] = "LIB ERROR (SEV_ERROR): 0x0014 (OCSD_ERR_INVALID_PCKT_HDR) "
				    "[Idx:12]; Unknown header.";
	struct listing l = {0};
	text_addf(&l.text, "%s" ELEMENT(14, "EXCEPTION_RET()") "\n%s\n", error, error);
	decode(&l);
	assert_int_equal(l.all.list.count, 2);
	const struct message *m = expand(&l, 0);
	struct window w = drive_window(&l.drive);
	struct text line = {0};
	assert_true(ppl_ops.print(l.drive.decoder, m, &w, &l.e, &line));
	assert_string_equal(text_get(&line), ELEMENT(14, "EXCEPTION_RET()"));
	text_free(&line);
	assert_int_equal(m->kind, OPENCSD_EXCEPTION_RET);
	assert_int_equal(walk_number(&l.e, "index"), 14);
	walk_assert_text(&l.e, "note", error);
	assert_int_equal(expand(&l, 1)->kind, OPENCSD_LINE);
	finish(&l);
	/* what stands in front is an element that lost its end */
	static const char *const behind[] = {ELEMENT(14, "EXCEPTION_RET()"),
					     "Idx:14; ID:10;\tASYNC:Alignment"};
	for (size_t i = 0; i < 2; i++) {
		struct listing glued = {0};
		text_addf(&glued.text, "%s%s", ELEMENT(13, "TIMESTAMP( [ TS="), behind[i]);
		decode(&glued);
		m = expand(&glued, 0);
		assert_int_equal(m->kind, i ? OPENCSD_PACKET : OPENCSD_EXCEPTION_RET);
		assert_int_equal(m->flags, MESSAGE_LOST);
		assert_int_equal(m->severity, SEVERITY_ERROR);
		assert_int_equal(walk_number(&glued.e, "index"), 14);
		walk_assert_text(&glued.e, "note", ELEMENT(13, "TIMESTAMP( [ TS="));
		finish(&glued);
	}
}

/* Lines that are almost right are shown as they are, and damaged. */
static void
test_damaged(void **state)
{
	(void)state;
	static const char *const lines[] = {
	    "Idx:; ID:10; OCSD_GEN_TRC_ELEM_NO_SYNC( [init-decoder])",
	    "Idx:12 ID:10; OCSD_GEN_TRC_ELEM_NO_SYNC( [init-decoder])",
	    "Idx:1f; ID:10; OCSD_GEN_TRC_ELEM_NO_SYNC( [init-decoder])",
	    "Idx:12; ID:; OCSD_GEN_TRC_ELEM_NO_SYNC( [init-decoder])",
	    "Idx:12; ID:1g; OCSD_GEN_TRC_ELEM_NO_SYNC( [init-decoder])",
	    "Idx:12; ID:10; OCSD_GEN_TRC_ELEM_NO_SUCH()",
	    "Idx:12; ID:10; [0x12 ]; NAME : without a tab",
	    "Idx:12; ID:10;\t",
	    "Idx:12, ID:10;\tASYNC:Alignment synchronisation packet",
	    "Idx:1f; ID:10;\tASYNC:Alignment synchronisation packet",
	    "Idx:12",
	    "Idx:",
	    "IDX:12; ID:10; OCSD_GEN_TRC_ELEM_NO_SYNC( [init-decoder])",
	    "Idx:12; ID:10; [0x12 0x1 ];\tASYNC:Alignment synchronisation packet",
	    "Idx:12; ID:10; [0x12 0x13 \tASYNC:Alignment synchronisation packet",
	    "Idx:12; ID:100;\tASYNC:Alignment synchronisation packet",
	    ELEMENT(12, "TIMESTAMP(garbage)"),
	    ELEMENT(12, "INSTR_RANGE(exec range=garbage)"),
	    ELEMENT(12, "CYCLE_COUNT()"),
	    "an error: " ELEMENT(12, "MEMTRANS(garbage)"),
	};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct listing l = decode_text(lines[i]);
		assert_int_equal(l.all.list.count, 1);
		const struct message *m = expand(&l, 0);
		assert_int_equal(m->kind, OPENCSD_LINE);
		assert_int_equal(m->flags, MESSAGE_DAMAGED);
		assert_int_equal(m->severity, SEVERITY_ERROR);
		assert_string_equal(text_get(&l.e.text), lines[i]);
		assert_non_null(expansion_find(&l.e, "note"));
		finish(&l);
	}
	/* whose it was is still known, and where it ceases to be right */
	struct listing cut = decode_text(ELEMENT(12, "TIMESTAMP( [ TS=0x00#000000000]; )"));
	assert_int_equal(expand(&cut, 0)->origin, 0x10);
	assert_string_equal(text_get(&cut.e.origin), "ID 0x10");
	walk_assert_text(&cut.e, "note",
			 "not as trc_pkt_lister writes it from byte 43 of the line on");
	finish(&cut);
	/* any byte but a line's end */
	struct listing l = {0};
	for (unsigned byte = 0; byte < 256; byte++)
		if (byte != '\n')
			text_add_char(&l.text, (char)byte);
	decode(&l);
	assert_int_equal(l.all.list.count, 1);
	assert_int_equal(expand(&l, 0)->length, 255);
	assert_int_equal(l.e.text.length, 255);
	finish(&l);
}

/* A line without end is cut into pieces; what comes behind it is read. */
static void
test_long(void **state)
{
	(void)state;
	struct listing l = {0};
	text_add(&l.text, ELEMENT(1, "NO_SYNC( [init-decoder])") "\n");
	for (size_t i = 0; i < LINE_LONGEST + 1000; i += 10)
		text_add(&l.text, "Idx:Idx:x ");
	text_add(&l.text, "\n" ELEMENT(2, "EXCEPTION_RET()") "\n");
	decode(&l);
	assert_int_equal(l.all.list.count, 4);
	assert_int_equal(l.all.list.at[1].length, LINE_LONGEST);
	assert_int_equal(l.all.list.at[3].kind, OPENCSD_EXCEPTION_RET);
	drive_expand(&l.drive, &l.all);
	drive_growing(&l.drive, &l.all, 100000);
	drive_checkpoints(&l.drive, &l.all, 1);
	drive_blocks(&l.drive, &l.all, 65536);
	drive_close(&l.drive);
	vec_free(&l.all.list);
	text_free(&l.text);
}

/* Cut anywhere, the lines before are the same. */
static void
test_cut(void **state)
{
	(void)state;
	struct listing l = {0};
	for (size_t i = 0; i < ROWS; i++)
		text_addf(&l.text, "%s\r\n", rows[i].line);
	decode(&l);
	for (size_t cut = 0; cut < l.text.length; cut++) {
		struct drive part;
		struct drive_messages some;
		uint8_t *copy = mem_new(cut + 1);
		memcpy(copy, l.drive.bytes, cut);
		drive_open(&part, "ppl", copy, cut);
		drive_start(&part);
		drive_all(&part, &some);
		for (size_t i = 0; i < ROWS; i++) {
			const struct message *m = &l.all.list.at[i];
			if (m->offset + m->length > cut)
				break;
			assert_true(i < some.list.count);
			assert_int_equal(some.list.at[i].offset, m->offset);
			assert_int_equal(some.list.at[i].length, m->length);
			assert_int_equal(some.list.at[i].kind, m->kind);
		}
		if (cut % 7 == 0)
			drive_everything(&part);
		drive_close(&part);
		vec_free(&some.list);
		vec_release(copy);
	}
	finish(&l);
}

static int
score(const char *text)
{
	struct window w = {.bytes = (const uint8_t *)text,
			   .length = strlen(text),
			   .until = UINT64_MAX,
			   .last = true};
	struct probe probe = {0};
	ppl_ops.probe(&w, &probe);
	return probe.score;
}

static void
test_probe(void **state)
{
	(void)state;
	struct listing l = {0};
	for (size_t i = 0; i < 6; i++)
		text_addf(&l.text, "%s\n", rows[i].line);
	assert_true(score(text_get(&l.text)) >= 90);
	assert_true(score(rows[7].line) >= 90);
	assert_int_equal(score("a plain text\nof two lines\n"), 0);
	assert_int_equal(score("Idx:12 is what an index looks like\n"), 0);
	assert_int_equal(score(""), 0);
	text_free(&l.text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rows),  cmocka_unit_test(test_fields),
	    cmocka_unit_test(test_glued), cmocka_unit_test(test_damaged),
	    cmocka_unit_test(test_long),  cmocka_unit_test(test_cut),
	    cmocka_unit_test(test_probe),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
