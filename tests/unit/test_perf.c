/*
 * CoreSight trace in perf.data, from the file's bytes to messages.  The files are written
 * by perf_write.h, the trace by hand: packets of ETMv4 [IHI0064, chapter 6], frames by
 * formatter.h.  Expected lines have the form of trc_pkt_lister's.
 */
#include "config.h"

#include "test.h"

#include "capture/capture.h"
#include "decode/coresight/coresight.h"
#include "decode/coresight/opencsd.h"
#include "drive.h"
#include "elf_write.h"
#include "folder.h"
#include "formatter.h"
#include "perf_write.h"
#include "program/kernel.h"
#include "session/session.h"
#include "temp_file.h"
#include "trace/naming.h"
#include "trace/reader.h"

#include <stdlib.h>
#include <string.h>

#define V4 UINT64_C(0x4040404040404040)
#define V3 UINT64_C(0x3030303030303030)
#define ETE UINT64_C(0x5050505050505050)
#define INIT "NO_SYNC( [init-decoder])\n"
#define ON "TRACE_ON( [begin or filter])\n"
#define CONTEXT "PE_CONTEXT((ISA=A64) EL0N; 64-bit; CTXTID=0x4353; )\n"
#define END "EO_TRACE( [end-of-trace])\n"

/* --- trace ------------------------------------------------------------------------ */

static void
add_bytes(byte_list *out, const void *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		*vec_add(out) = ((const uint8_t *)bytes)[i];
}

/* Synchronisation, then execution of one instruction at ADDRESS. */
static void
add_packets(byte_list *out, uint64_t address)
{
	uint8_t packets[] = {0,	   0, 0, 0, 0, 0, 0, 0, 0, 0,	 0,    0x80,	   /* A-Sync */
			     1,	   1, 0,					   /* Trace Info */
			     4,							   /* Trace On */
			     0x85, 0, 0, 0, 0, 0, 0, 0, 0, 0xb0, 0x53, 0x43, 0, 0, /* Address */
			     0xf7};						   /* Atom E */
	packets[17] = address >> 2 & 0x7f;
	packets[18] = address >> 9 & 0x7f;
	for (unsigned i = 2; i < 8; i++)
		packets[17 + i] = (uint8_t)(address >> 8 * i);
	add_bytes(out, packets, sizeof packets);
}

/* Whole frames of packets of one ID. */
static void
add_frames(byte_list *out, uint8_t id, uint64_t address)
{
	struct formatter f = {0};
	byte_list packets = {0};
	add_packets(&packets, address);
	formatter_add(&f, id, packets.at, packets.count);
	formatter_run(&f);
	add_bytes(out, f.frames.at, f.frames.count);
	formatter_free(&f);
	vec_free(&packets);
}

/* --- files ------------------------------------------------------------------------- */

/* AUXTRACE_INFO of COUNT processors with an ETMv4 of trace ID 0x10 + processor. */
static void
put_info(struct perf_writer *w, unsigned version, unsigned count, uint64_t id_flag)
{
	uint64_t info[64] = {version, (uint64_t)8 << 32 | count, 0};
	size_t n = 3;
	for (unsigned cpu = 0; cpu < count; cpu++) {
		const uint64_t block[] = {
		    0x40, id_flag | (0x10 + cpu), 0x28000ea1, 0x4100f423, 0x20001088, 0, 0x8c};
		info[n++] = V4;
		info[n++] = cpu;
		if (version)
			info[n++] = version > 1 ? 8 : 7;
		memcpy(info + n, block, sizeof block);
		n += 7;
		if (version > 1)
			info[n++] = 0; /* TS_SOURCE, which version 2 has more */
	}
	perf_record_info(w, PERF_CS_ETM, info, n);
}

/* The I-th trace of a file, as bytes and options. */
struct part {
	struct perf_data *perf;
	struct perf_part part;
	struct perf_layout layout;
	struct text notes;
	byte_list bytes;
	struct drive drive;
	struct drive_messages all;
	bool open;
};

static void
part_prepare(struct part *p, const struct perf_writer *w, size_t i)
{
	struct err err = {0};
	struct text why = {0};
	*p = (struct part){.perf = perf_data_read(w->out.at, w->out.count, &err)};
	assert_non_null(p->perf);
	if (!opencsd_takes_perf(p->perf, &why))
		fail_msg("%s", text_get(&why));
	assert_true(opencsd_perf_part(p->perf, i, &p->part));
	perf_layout_fill(&p->part, &p->layout);
	for (size_t k = 0; k < p->layout.pieces.count; k++)
		add_bytes(&p->bytes, w->out.at + p->layout.pieces.at[k].offset,
			  (size_t)p->layout.pieces.at[k].length);
	drive_open(&p->drive, "opencsd", p->bytes.at, p->bytes.count);
	opencsd_use_perf(p->drive.options, p->perf, &p->part, &p->layout, NULL, &p->notes);
}

/* False where no library decodes it. */
static bool
part_open(struct part *p, const struct perf_writer *w, size_t i)
{
	struct err err = {0};
	part_prepare(p, w, i);
	p->open = drive_try(&p->drive, &err);
	if (p->open) {
		drive_all(&p->drive, &p->all);
		drive_everything(&p->drive);
	} else {
		assert_non_null(strstr(err.what, "without the OpenCSD library"));
	}
	return p->open;
}

static void
part_close(struct part *p)
{
	vec_free(&p->all.list);
	drive_close(&p->drive);
	vec_free(&p->bytes);
	perf_layout_free(&p->layout);
	perf_data_free(p->perf);
	text_free(&p->notes);
}

static const struct opencsd_options *
options_of(const struct part *p)
{
	return p->drive.options;
}

/* What newer libraries say of an address besides. */
static void
cut_memory_space(struct text *line)
{
	char *at = strstr(line->data, "; Memspace"), *end = at ? strchr(at, ']') : NULL;
	if (end)
		memmove(at, end + 1, strlen(end + 1) + 1);
}

/* Elements, a line each without their head, and what other messages say. */
static void
part_lines(struct part *p, struct text *out)
{
	static const char head[] = "OCSD_GEN_TRC_ELEM_";
	struct window w = drive_window(&p->drive);
	for (size_t i = 0; i < p->all.list.count; i++) {
		const struct message *m = &p->all.list.at[i];
		struct expansion e = {0};
		struct text line = {0};
		if (opencsd_ops.print(p->drive.decoder, m, &w, &e, &line)) {
			const char *at = strstr(line.data, head);
			assert_non_null(at);
			cut_memory_space(&line);
			text_addf(out, "%s\n", at + strlen(head));
		} else {
			expansion_clear(&e);
			opencsd_ops.expand(p->drive.decoder, m, &w, EXPAND_TEXT, NULL, &e);
			text_addf(out, "%s: %s\n", text_get(&e.type), text_get(&e.text));
			assert_true(m->flags & MESSAGE_LOST);
		}
		expansion_free(&e);
		text_free(&line);
	}
}

static void
assert_part(const struct perf_writer *w, size_t i, const char *want)
{
	struct part p;
	struct text got = {0};
	if (part_open(&p, w, i)) {
		part_lines(&p, &got);
		assert_string_equal(text_get(&got), want);
	}
	text_free(&got);
	part_close(&p);
}

/* --- processors ----------------------------------------------------------------------- */

/* Two processors, each with a buffer of its own. */
static void
put_two(struct perf_writer *w, unsigned version, uint64_t id_flag)
{
	byte_list first = {0}, second = {0};
	uint8_t base = id_flag ? 0x30 : 0x10;
	add_frames(&first, base, 0x1000);
	add_frames(&second, base + 1, 0x2000);
	perf_begin(w);
	put_info(w, version, 2, id_flag);
	if (id_flag) {
		perf_record_hw_id(w, 0, 0x30);
		perf_record_hw_id(w, 1, 0x31);
	}
	perf_record_aux(w, 0, 9, 0, first.count, 0);
	perf_record_aux(w, 1, 9, 0, second.count, 0);
	perf_record_auxtrace(w, 1, 1, 9, 0, second.at, second.count);
	perf_record_auxtrace(w, 0, 0, 9, 0, first.at, first.count);
	perf_end(w);
	vec_free(&first);
	vec_free(&second);
}

static void
processors_are_traces(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 16; i++) {
		struct perf_writer w = {.big = i & 1, .piped = i & 2};
		struct part p;
		put_two(&w, i / 4 < 3 ? i / 4 : 2, i / 4 == 3 ? UINT64_C(1) << 31 : 0);
		assert_part(&w, 0, INIT ON CONTEXT "ADDR_NACC( 0x1000 )\n" END);
		assert_part(&w, 1, INIT ON CONTEXT "ADDR_NACC( 0x2000 )\n" END);
		part_prepare(&p, &w, 1);
		assert_int_equal(p.part.buffer->cpu, 1);
		assert_int_equal(options_of(&p)->sources.count, 2);
		const struct opencsd_source_options *o = options_of(&p)->sources.at;
		assert_string_equal(o[1].name, "cpu1");
		assert_int_equal(o[1].id, i / 4 == 3 ? 0x31 : 0x11);
		assert_int_equal(o[1].regs.TRCIDR1, 0x4100f423);
		assert_int_equal(o[1].regs.TRCAUTHSTATUS, 0x8c);
		assert_int_equal(o[1].regs.TRCDEVARCH, -1);
		assert_false(opencsd_perf_part(p.perf, 2, &p.part));
		part_close(&p);
		vec_free(&w.out);
	}
}

/* Sources share a buffer only where they share its sink. */
static void
sinks_tell_sources_apart(void **state)
{
	(void)state;
	for (unsigned shared = 0; shared < 2; shared++) {
		struct perf_writer w = {0};
		struct part p;
		const uint64_t minor = UINT64_C(1) << 56;
		byte_list bytes = {0};
		add_frames(&bytes, 0x30, 0x1000);
		perf_begin(&w);
		put_info(&w, 2, 2, UINT64_C(1) << 31);
		perf_record_hw_id(&w, 0, minor | 7 << 8 | 0x30);
		perf_record_hw_id(&w, 1, minor | (shared ? 7 : 8) << 8 | (shared ? 0x31 : 0x30));
		perf_record_auxtrace(&w, 0, 0, 9, 0, bytes.at, bytes.count);
		perf_end(&w);
		part_prepare(&p, &w, 0);
		assert_int_equal(options_of(&p)->sources.count, shared ? 2 : 1);
		part_close(&p);
		vec_free(&bytes);
		vec_free(&w.out);
	}
}

static void
units_have_their_registers(void **state)
{
	(void)state;
	static const uint64_t info[] = {1, (uint64_t)8 << 32 | 3, 0,
					/* an ETE with its TRCDEVARCH and something new */
					ETE, 0, 10, 1, 0x10, 2, 3, 4, 5, 6, 0x47705a13, 8, 9,
					/* ETMIDR: of a PTM, of an ETMv3 */
					V3, 1, 4, 0x10, 0x11, 0x12, 0x411cf301, V3, 2, 4, 0x20,
					0x12, 0x22, 0x4114f250};
	struct perf_writer w = {0};
	struct part p;
	perf_begin(&w);
	perf_record_info(&w, PERF_CS_ETM, info, sizeof info / sizeof *info);
	perf_record_auxtrace(&w, 0, PERF_NONE, 9, 0, "", 0);
	perf_end(&w);
	part_prepare(&p, &w, 0);
	const struct opencsd_source_options *o = options_of(&p)->sources.at;
	assert_int_equal(options_of(&p)->sources.count, 3);
	assert_int_equal(o[0].protocol, OPENCSD_ETE);
	assert_int_equal(o[0].regs.TRCDEVARCH, 0x47705a13);
	assert_int_equal(o[0].regs.TRCIDR8, 5);
	assert_int_equal(o[1].protocol, OPENCSD_PTM);
	assert_int_equal(o[1].regs.ETMCR, 0x10);
	assert_int_equal(o[1].regs.ETMCCER, 0x12);
	assert_int_equal(o[1].regs.ETMIDR, 0x411cf301);
	assert_int_equal(o[2].protocol, OPENCSD_ETMV3);
	assert_int_equal(o[2].id, 0x12);
	part_close(&p);
	vec_free(&w.out);
}

/* Bytes without frames are of the processor that the run was on. */
static void
raw_bytes_are_of_a_processor(void **state)
{
	(void)state;
	struct perf_writer w = {0};
	byte_list bytes = {0};
	struct part p;
	add_packets(&bytes, 0x1000);
	size_t first = bytes.count;
	add_packets(&bytes, 0x2000);
	perf_begin(&w);
	put_info(&w, 1, 2, 0);
	perf_record_aux(&w, 1, 9, 0, first, 0x100);
	perf_record_aux(&w, 0, 9, first, bytes.count - first, 0x100);
	perf_record_auxtrace(&w, 0, PERF_NONE, 9, 0, bytes.at, bytes.count);
	perf_end(&w);
	assert_part(&w, 0, INIT ON CONTEXT "ADDR_NACC( 0x1000 )\n" END);
	assert_part(&w, 1, INIT ON CONTEXT "ADDR_NACC( 0x2000 )\n" END);
	part_prepare(&p, &w, 0);
	assert_int_equal(options_of(&p)->format, CORESIGHT_SOURCE);
	const struct opencsd_source_options *o = options_of(&p)->sources.at;
	assert_string_equal(o->name, "cpu1");
	assert_false(opencsd_perf_part(p.perf, 2, &p.part));
	part_close(&p);
	vec_free(&bytes);
	vec_free(&w.out);
}

/* --- runs ------------------------------------------------------------------------------- */

/* Trace in frames of processor 0 at so many addresses. */
static void
put_begin(struct perf_writer *w, byte_list *bytes, unsigned count)
{
	for (unsigned i = 1; i <= count; i++)
		add_frames(bytes, 0x10, 0x1000 * i);
	perf_begin(w);
	put_info(w, 1, 1, 0);
}

static void
put_end(struct perf_writer *w, byte_list *bytes)
{
	perf_record_auxtrace(w, 0, 0, 9, 0, bytes->at, bytes->count);
	perf_end(w);
	vec_free(bytes);
}

#define RUN 48 /* bytes of frames that add_frames adds */

/* What one run begins with does not end what the one before left open. */
static void
decoders_start_anew(void **state)
{
	(void)state;
	struct perf_writer w = {0}, whole = {0};
	byte_list bytes = {0};
	put_begin(&w, &bytes, 3);
	assert_int_equal(bytes.count, 3 * RUN);
	/* the first run ends within its address packet, and the second has no ID */
	perf_record_aux(&w, 0, 9, 0, 16, 0);
	perf_record_aux(&w, 0, 9, 16, 16, 0);
	perf_record_aux(&w, 0, 9, RUN, RUN, 0);
	perf_record_aux(&w, 0, 9, 2 * RUN, RUN, 0);
	put_end(&w, &bytes);
	assert_part(&w, 0,
		    INIT "STRAY: 15 bytes without a trace ID or frame synchronisation\n"
			 "LOST: 16 bytes are in no run, and not decoded\n" ON CONTEXT
			 "ADDR_NACC( 0x2000 )\n" ON CONTEXT "ADDR_NACC( 0x3000 )\n" END);
	vec_free(&w.out);
	put_begin(&whole, &bytes, 2);
	perf_record_aux(&whole, 0, 9, 0, 2 * RUN, 0);
	put_end(&whole, &bytes);
	assert_part(&whole, 0,
		    INIT ON CONTEXT "ADDR_NACC( 0x1000 )\n" ON CONTEXT "ADDR_NACC( 0x2000 )\n" END);
	vec_free(&whole.out);
}

static void
flags_are_losses(void **state)
{
	(void)state;
	struct perf_writer w = {0};
	byte_list bytes = {0};
	put_begin(&w, &bytes, 2);
	perf_record_aux(&w, 0, 9, 0, RUN, 0);
	perf_record_aux(&w, 0, 9, RUN, RUN, PERF_RUN_TRUNCATED | PERF_RUN_PARTIAL);
	perf_record_aux(&w, 0, 9, 2 * RUN, 0, PERF_RUN_COLLISION);
	perf_record_lost(&w, 0, 9, 17, 5);
	put_end(&w, &bytes);
	assert_part(&w, 0,
		    INIT ON CONTEXT
		    "ADDR_NACC( 0x1000 )\n"
		    "LOST: trace was lost since the buffer was full (TRUNCATED); the run has gaps "
		    "(PARTIAL)\n" ON CONTEXT "ADDR_NACC( 0x2000 )\n" END
		    "LOST: another user took the hardware (COLLISION)\n"
		    "LOST: perf lost 17 records: trace or memory maps may be missing; "
		    "5 samples of perf were lost (LOST_SAMPLES)\n");
	vec_free(&w.out);
}

static void
missing_bytes_are_losses(void **state)
{
	(void)state;
	struct perf_writer w = {0};
	byte_list bytes = {0};
	put_begin(&w, &bytes, 3);
	perf_record_aux(&w, 0, 9, 0, 2 * RUN, 0);
	perf_record_aux(&w, 0, 9, 2 * RUN, RUN, 0);
	perf_record_auxtrace(&w, 0, 0, 9, 0, bytes.at, RUN);
	perf_record_auxtrace(&w, 0, 0, 9, 2 * RUN, bytes.at + 2 * RUN, RUN);
	perf_end(&w);
	assert_part(&w, 0,
		    INIT ON CONTEXT "ADDR_NACC( 0x1000 )\nLOST: 48 bytes are missing\n" ON CONTEXT
				    "ADDR_NACC( 0x3000 )\n" END);
	vec_free(&bytes);
	vec_free(&w.out);
}

static void
snapshots_overlap(void **state)
{
	(void)state;
	struct perf_writer w = {0};
	byte_list bytes = {0};
	put_begin(&w, &bytes, 3);
	/* the second repeats the last run of the first; both name more than there is */
	perf_record_aux(&w, 0, 9, 2 * RUN, 1 << 20, PERF_RUN_OVERWRITE);
	perf_record_aux(&w, 0, 9, 3 * RUN, 1 << 20, PERF_RUN_OVERWRITE);
	perf_record_auxtrace(&w, 0, 0, 9, 0, bytes.at, 2 * RUN);
	perf_record_auxtrace(&w, 0, 0, 9, RUN, bytes.at + RUN, 2 * RUN);
	perf_end(&w);
	assert_part(&w, 0,
		    INIT ON CONTEXT "ADDR_NACC( 0x1000 )\n" ON CONTEXT
				    "ADDR_NACC( 0x2000 )\n" ON CONTEXT "ADDR_NACC( 0x3000 )\n" END);
	vec_free(&bytes);
	vec_free(&w.out);
}

/* Many runs: each way of decoding comes to the same, from wherever it starts. */
static void
many_runs_are_decoded(void **state)
{
	(void)state;
	enum { COUNT = 700 };
	for (unsigned raw = 0; raw < 2; raw++) {
		struct perf_writer w = {0};
		byte_list bytes = {0};
		struct part p;
		perf_begin(&w);
		put_info(&w, 1, 1, 0);
		for (unsigned i = 0; i < COUNT; i++) {
			size_t before = bytes.count;
			if (raw)
				add_packets(&bytes, 0x1000 * i);
			else
				add_frames(&bytes, 0x10, 0x1000 * i);
			size_t length = bytes.count - before;
			/* some in no run, some cut, some with a flag */
			if (i % 7 == 3 || i % 100 > 80)
				continue;
			perf_record_aux(&w, 0, 9, before, i % 5 == 1 ? length / 3 : length,
					(raw ? 0x100 : 0) | (i % 11 == 2));
		}
		put_end(&w, &bytes);
		if (part_open(&p, &w, 0))
			assert_true(p.all.list.count > COUNT);
		part_close(&p);
		vec_free(&w.out);
	}
}

/* --- images ------------------------------------------------------------------------------- */

/* A file of so many NOPs of A64 before a branch to itself, whose code is mapped at ADDRESS
 * of a process. */
static void
put_program(struct folder *f, struct perf_writer *w, const char *name, uint8_t id_byte,
	    unsigned nops, uint32_t pid, uint64_t address)
{
	byte_list elf = {0}, code = {0};
	const uint8_t id[20] = {id_byte, 2, 3};
	struct text path = {0};
	for (unsigned i = 0; i < nops; i++)
		elf_put(&code, false, 0xd503201f, 4);
	elf_put(&code, false, 0x14000000, 4);
	elf_write(&elf, false, true, id, 20, code.at, code.count);
	if (f)
		folder_put(f, name, elf.at, elf.count);
	text_addf(&path, "/bin/%s", name);
	perf_record_mmap2(w, pid, address, code.count, elf.count - code.count, id, text_get(&path));
	text_free(&path);
	vec_free(&elf);
	vec_free(&code);
}

/* The elements of a session's first trace, as part_lines has them. */
static void
session_lines(struct session *session, struct text *out)
{
	struct trace *trace = session->traces.at[0];
	struct message messages[64];
	trace_build_whole(trace);
	struct reader *reader = reader_new(trace);
	for (size_t count; (count = reader_walk(reader, messages, 64));) {
		for (size_t i = 0; i < count; i++) {
			struct expansion e = {0};
			reader_expand(reader, &messages[i], EXPAND_TEXT, &e);
			text_addf(out, "%s: %s\n", text_get(&e.type), text_get(&e.text));
			expansion_free(&e);
		}
	}
	reader_free(reader);
}

/* Two processes have other programs at one address, and a third thread has none. */
static void
processes_have_their_images(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct folder f;
		struct perf_writer w = {0};
		struct session session = {0};
		struct err err = {0};
		struct text got = {0};
		byte_list bytes = {0};
		folder_make(&f);
		setenv("HOME", f.path, 1);
		put_begin(&w, &bytes, 1);
		/* whose context the trace has: of the first program, of the second, of neither,
		 * and of one whose file is not at hand */
		put_program(i < 3 ? &f : NULL, &w, "one", 1, 2, i == 1 || i == 2 ? 9 : 0x4353,
			    0x1000);
		if (i != 2)
			put_program(&f, &w, "two", 2, 5, i == 1 ? 0x4353 : 9, 0x1000);
		perf_record_aux(&w, 0, 9, 0, RUN, 0);
		put_end(&w, &bytes);
		folder_put(&f, "x.data", w.out.at, w.out.count);
		option_defaults(profile_options_table(), &session.profile);
		session.host.images_dir = f.path;
		if (session_open(&session, folder_path(&f, "x.data"), NULL, NULL, 0, &err)) {
			session_lines(&session, &got);
			/* names of one where there is another would be guesses */
			const struct symbol_options *symbols = session.profile.symbols.at;
			assert_int_equal(session.profile.symbols.count, i == 2);
			if (i == 2) {
				assert_string_equal(symbols->file, folder_path(&f, "one"));
				assert_int_equal(symbols->address, 0x1000);
				assert_int_equal(symbols->length, 12);
				assert_true(symbols->optional);
			}
			const char *want = i == 1   ? "0x1000-0x1018 A64 6 instr"
					   : i == 3 ? "0x1000 is in no memory image"
						    : "0x1000-0x100c A64 3 instr";
			if (!strstr(text_get(&got), want))
				fail_msg("%u: %s", i, text_get(&got));
		}
		session_close(&session);
		text_free(&got);
		vec_free(&w.out);
		folder_remove(&f);
	}
}

/* Writes an ELF file of NOPS NOPs of A64 and a branch to itself, and where in it they are. */
static uint64_t
put_code(struct folder *f, const char *name, unsigned nops, const uint8_t *id)
{
	byte_list elf = {0}, code = {0};
	for (unsigned i = 0; i < nops; i++)
		elf_put(&code, false, 0xd503201f, 4);
	elf_put(&code, false, 0x14000000, 4);
	elf_write(&elf, false, true, id, 20, code.at, code.count);
	uint64_t offset = elf.count - code.count;
	folder_put(f, name, elf.at, elf.count);
	vec_free(&elf);
	vec_free(&code);
	return offset;
}

/* What a file is asked for by, and what is executed at an address with a folder of images. */
static void
run_at(struct folder *f, struct perf_writer *w, uint64_t address, struct text *got,
       struct text *missing)
{
	struct session session = {0};
	struct err err = {0};
	struct text about = {0};
	byte_list bytes = {0};
	put_info(w, 1, 1, 0);
	add_frames(&bytes, 0x10, address);
	perf_record_aux(w, 0, 9, 0, bytes.count, 0);
	put_end(w, &bytes);
	folder_put(f, "x.data", w->out.at, w->out.count);
	setenv("HOME", f->path, 1);
	option_defaults(profile_options_table(), &session.profile);
	session.host.images_dir = f->path;
	text_clear(got);
	text_clear(missing);
	struct trace *trace = session_open(&session, folder_path(f, "x.data"), NULL, NULL, 0, &err);
	if (trace) {
		session_lines(&session, got);
		trace_survey(trace, &about, missing);
	}
	session_close(&session);
	text_free(&about);
	vec_free(&w->out);
}

/* Pieces of one file that are mapped in another order than they have in it. */
static void
pieces_lie_where_they_are_mapped(void **state)
{
	(void)state;
	const uint8_t id[20] = {7, 2, 3};
	struct text got = {0}, missing = {0};
	for (unsigned i = 0; i < 2; i++) {
		struct folder f;
		struct perf_writer w = {0};
		folder_make(&f);
		uint64_t at = put_code(&f, "lib.so", 6, id);
		perf_begin(&w);
		perf_record_mmap2(&w, 0x4353, 0x8000, 8, at, id, "/lib/lib.so");
		if (!i) { /* its end alone: a NOP and the branch */
			perf_record_mmap2(&w, 0x4353, 0x1000, 8, at + 20, id, "/lib/lib.so");
		} else { /* and in two that follow each other */
			perf_record_mmap2(&w, 0x4353, 0x1008, 8, at + 20, id, "/lib/lib.so");
			perf_record_mmap2(&w, 0x4353, 0x1000, 8, at + 4, id, "/lib/lib.so");
		}
		run_at(&f, &w, 0x1000, &got, &missing);
		const char *want = i ? "0x1000-0x1010 A64 4 instr" : "0x1000-0x1008 A64 2 instr";
		bool right = strstr(text_get(&got), want) && !strstr(text_get(&got), "in no ");
		if (got.length && !right)
			fail_msg("%u: %s", i, text_get(&got));
		folder_remove(&f);
	}
	text_free(&got);
	text_free(&missing);
}

/* The kernel, moved as a whole, and a module of it; what lacks is asked for. */
static void
kernels_have_their_memory(void **state)
{
	(void)state;
	const uint8_t id[20] = {7, 2, 3}, other[20] = {8, 2, 3};
	const uint64_t begin = UINT64_C(0xffff800010080000), module = begin - 0x100000;
	static const struct {
		const char *file, *want, *missing;
		bool other, module;
	} rows[] = {
	    {"vmlinux", "0xffff800010080008-0xffff800010080010 A64 2 instr", "", false, false},
	    {"vmlinux", "is in no memory image", "of vmlinux, build ID 0702030000", true, false},
	    {"none", "is in no memory image", "of vmlinux, build ID 0702030000", false, false},
	    {"vmlinux", "is in no memory image", "of [wifi]", false, true},
	};
	struct text got = {0}, missing = {0};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct folder f;
		struct perf_writer w = {0};
		folder_make(&f);
		put_code(&f, rows[i].file, 3, rows[i].other ? other : id);
		perf_begin(&w);
		perf_record_mmap2(&w, PERF_NONE, begin, 0x10000, begin, id,
				  "[kernel.kallsyms]_text");
		perf_record_mmap2(&w, PERF_NONE, module, 0x1000, 0, NULL, "[wifi]");
		run_at(&f, &w, rows[i].module ? module : begin + 8, &got, &missing);
		if (got.length && !strstr(text_get(&got), rows[i].want))
			fail_msg("%zu: %s", i, text_get(&got));
		if (got.length && !strstr(text_get(&missing), rows[i].missing))
			fail_msg("%zu: %s", i, text_get(&missing));
		folder_remove(&f);
	}
	text_free(&got);
	text_free(&missing);
}

/* A kcore has the addresses that kernel and modules ran at. */
static void
kcores_are_memory_as_it_ran(void **state)
{
	(void)state;
	const uint8_t id[20] = {7, 2, 3};
	const char *path;
	struct folder f;
	uint64_t offset, length;
	folder_make(&f);
	uint64_t at = put_code(&f, "kcore", 3, id);
	path = folder_path(&f, "kcore");
	/* what was linked to begin at 0 began at 0x4000, or was at 0 */
	assert_true(kernel_find_memory(path, 0x4000, 0x4004, &offset, &length));
	assert_int_equal(offset, at + 4);
	assert_int_equal(length, 12);
	assert_true(kernel_find_memory(path, 0, 8, &offset, &length));
	assert_int_equal(offset, at + 8);
	assert_int_equal(length, 8);
	assert_false(kernel_find_memory(path, 0, 16, &offset, &length));
	assert_false(kernel_find_memory(path, 0x4000, 0x3fff, &offset, &length));
	assert_false(kernel_find_memory("/nonexistent", 0, 0, &offset, &length));
	folder_remove(&f);
}

/* A file with another build ID is refused, and what is missing is asked for. */
static void
missing_images_are_named(void **state)
{
	(void)state;
	struct folder f;
	struct perf_writer w = {0};
	struct session session = {0};
	struct err err = {0};
	byte_list bytes = {0};
	folder_make(&f);
	setenv("HOME", f.path, 1);
	put_begin(&w, &bytes, 1);
	put_program(&f, &w, "prog", 1, 2, 0x4353, 0x1000);
	put_program(NULL, &w, "gone", 9, 2, 0x4353, 0x8000);
	perf_record_aux(&w, 0, 9, 0, RUN, 0);
	put_end(&w, &bytes);
	/* the file of that name is another one */
	struct perf_writer other = {0};
	put_program(&f, &other, "prog", 3, 2, 1, 0);
	vec_free(&other.out);
	folder_put(&f, "x.data", w.out.at, w.out.count);
	option_defaults(profile_options_table(), &session.profile);
	session.host.images_dir = f.path;
	struct trace *trace =
	    session_open(&session, folder_path(&f, "x.data"), NULL, NULL, 0, &err);
	if (trace) {
		char *notice = trace_take_notice(trace);
		assert_non_null(notice);
		assert_non_null(strstr(notice, "/prog has the build ID 0302030000"));
		assert_non_null(strstr(notice, "is not used: perf.data says 0102030000"));
		free(notice);
		struct text about = {0}, missing = {0};
		assert_true(trace_survey(trace, &about, &missing));
		assert_non_null(strstr(text_get(&missing), "of /bin/prog, build ID 0102030000"));
		assert_non_null(strstr(text_get(&missing), "--images=DIR"));
		assert_null(strstr(text_get(&missing), "gone"));
		assert_non_null(strstr(text_get(&about), "0x8000: /bin/gone is missing"));
		text_free(&about);
		text_free(&missing);
		assert_int_equal(trace_load(trace, &err), 0);
		assert_int_equal(err.code, 0);
	}
	session_close(&session);
	vec_free(&w.out);
	folder_remove(&f);
}

/* --- what is refused ------------------------------------------------------------------------ */

static void
assert_refused(struct perf_writer *w, const char *what)
{
	struct err err = {0};
	struct text why = {0};
	perf_end(w);
	struct perf_data *perf = perf_data_read(w->out.at, w->out.count, &err);
	assert_non_null(perf);
	assert_false(opencsd_takes_perf(perf, &why));
	if (!strstr(text_get(&why), what))
		fail_msg("%s", text_get(&why));
	text_free(&why);
	perf_data_free(perf);
	vec_free(&w->out);
}

static void
others_are_refused(void **state)
{
	(void)state;
	static const struct {
		uint32_t type;
		const char *what;
	} types[] = {{1, "Intel PT"}, {2, "Intel BTS"}, {4, "Arm SPE"}, {99, "this type"}};
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		struct perf_writer w = {0};
		perf_begin(&w);
		perf_record_info(&w, types[i].type, NULL, 0);
		perf_record_auxtrace(&w, 0, 0, 0, 0, "", 0);
		assert_refused(&w, types[i].what);
	}
	struct perf_writer w = {.arch = "riscv64"};
	perf_begin(&w);
	perf_record_info(&w, 8, NULL, 0);
	assert_refused(&w, "RISC-V trace");
	w = (struct perf_writer){0};
	perf_begin(&w);
	perf_start_record(&w, 81, 0);
	perf_end_record(&w);
	assert_refused(&w, "compressed");
	w = (struct perf_writer){0};
	perf_begin(&w);
	assert_refused(&w, "no CoreSight trace");
	w = (struct perf_writer){0};
	perf_begin(&w);
	put_info(&w, 3, 1, 0);
	assert_refused(&w, "of version 3");
	w = (struct perf_writer){0};
	perf_begin(&w);
	put_info(&w, 2, 1, 0);
	perf_record_hw_id(&w, 0, UINT64_C(1) << 60 | 0x10);
	assert_refused(&w, "hardware IDs");
}

/* --- sessions ------------------------------------------------------------------------------- */

static void
a_session_has_the_traces(void **state)
{
	(void)state;
	char path[TEMP_PATH];
	struct perf_writer w = {0};
	struct session session = {0};
	struct err err = {0};
	put_two(&w, 1, 0);
	temp_make(path, ".data", w.out.at, w.out.count);
	option_defaults(profile_options_table(), &session.profile);
	struct trace *trace = session_open(&session, path, NULL, NULL, 0, &err);
	if (trace) {
		assert_int_equal(session.traces.count, 2);
		assert_ptr_equal(trace, session.traces.at[0]);
		assert_non_null(strstr(trace_name(trace), ".data.cpu0"));
		assert_non_null(strstr(trace_name(session.traces.at[1]), ".data.cpu1"));
		assert_non_null(strstr(trace_container(trace), "2 AUXTRACE"));
		assert_null(trace_container(session.traces.at[1]));
		for (size_t i = 0; i < 2; i++) {
			struct capture *c = trace_capture(session.traces.at[i]);
			assert_int_equal(capture_wait(c, RUN - 1, -1), RUN);
			assert_true(capture_is_whole(c));
			trace_build_whole(session.traces.at[i]);
			bool exact;
			assert_int_equal(trace_count(session.traces.at[i], &exact), 5);
		}
	} else {
		assert_non_null(strstr(err.what, "without the OpenCSD library"));
	}
	session_close(&session);
	unlink(path);
	vec_free(&w.out);
}

/* Whether a message of the session's traces is of a loss. */
static bool
has_loss(struct session *session)
{
	bool lost = false;
	for (size_t k = 0; k < session->traces.count; k++) {
		struct message messages[64];
		trace_build_whole(session->traces.at[k]);
		struct reader *reader = reader_new(session->traces.at[k]);
		for (size_t count; (count = reader_walk(reader, messages, 64));)
			for (size_t i = 0; i < count; i++)
				lost |= (messages[i].flags & MESSAGE_LOST) != 0;
		reader_free(reader);
	}
	return lost;
}

/* Every beginning of a file opens: where trace is there a loss says that it is not whole,
 * and where none is, the reason does. */
static void
cut_files_open(void **state)
{
	(void)state;
	char path[TEMP_PATH];
	struct perf_writer w = {0};
	size_t whole = 0, losses = 0;
	put_two(&w, 1, 0);
	temp_make(path, ".data", w.out.at, w.out.count);
	for (size_t cut = w.out.count; cut >= 8; cut--) {
		struct session session = {0};
		struct err err = {0};
		assert_int_equal(truncate(path, (off_t)cut), 0);
		option_defaults(profile_options_table(), &session.profile);
		struct trace *trace = session_open(&session, path, NULL, NULL, 0, &err);
		bool decoded = trace && trace_is_decoded(trace);
		if (!trace)
			assert_non_null(strstr(err.what, "without the OpenCSD library"));
		else if (!decoded)
			assert_non_null(strstr(trace_reason(trace), "perf.data: "));
		else if (has_loss(&session))
			losses++;
		else if (trace_count(trace, &(bool){false}))
			whole++;
		session_close(&session);
	}
	/* but for the whole file no trace is without a loss */
	assert_true(whole <= 1);
	assert_true(!whole || losses > 20);
	unlink(path);
	vec_free(&w.out);
}

static void
a_session_shows_what_is_refused(void **state)
{
	(void)state;
	char path[TEMP_PATH];
	struct perf_writer w = {0};
	struct session session = {0};
	struct err err = {0};
	perf_begin(&w);
	perf_record_info(&w, 1, NULL, 0);
	perf_end(&w);
	temp_make(path, ".data", w.out.at, w.out.count);
	option_defaults(profile_options_table(), &session.profile);
	struct trace *trace = session_open(&session, path, NULL, NULL, 0, &err);
	assert_non_null(trace);
	assert_false(trace_is_decoded(trace));
	assert_non_null(strstr(trace_reason(trace), "Intel PT"));
	assert_non_null(strstr(trace_container(trace), "1 AUXTRACE_INFO"));
	session_close(&session);
	unlink(path);
	vec_free(&w.out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(processors_are_traces),
	    cmocka_unit_test(sinks_tell_sources_apart),
	    cmocka_unit_test(units_have_their_registers),
	    cmocka_unit_test(raw_bytes_are_of_a_processor),
	    cmocka_unit_test(decoders_start_anew),
	    cmocka_unit_test(flags_are_losses),
	    cmocka_unit_test(missing_bytes_are_losses),
	    cmocka_unit_test(snapshots_overlap),
	    cmocka_unit_test(many_runs_are_decoded),
	    cmocka_unit_test(processes_have_their_images),
	    cmocka_unit_test(pieces_lie_where_they_are_mapped),
	    cmocka_unit_test(kernels_have_their_memory),
	    cmocka_unit_test(kcores_are_memory_as_it_ran),
	    cmocka_unit_test(missing_images_are_named),
	    cmocka_unit_test(others_are_refused),
	    cmocka_unit_test(a_session_has_the_traces),
	    cmocka_unit_test(cut_files_open),
	    cmocka_unit_test(a_session_shows_what_is_refused),
	};
	return cmocka_run_group_tests_name("perf", tests, NULL, NULL);
}
