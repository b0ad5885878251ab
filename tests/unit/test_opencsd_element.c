/* Trace elements as lines of a listing, written and read, as fields, as
 * messages.  The lines are those of trc_pkt_lister 1.3.3. */
#include "config.h"

#include "test.h"

#include "decode/coresight/opencsd_element.h"

#include <string.h>

#define LINE "Idx:16; ID:1c; OCSD_GEN_TRC_ELEM_"

/* One line of each form there is. */
static const char *const lines[] = {
    LINE "UNKNOWN()",
    LINE "NO_SYNC( [init-decoder])",
    LINE "NO_SYNC( [overflow])",
    LINE "TRACE_ON( [begin or filter])",
    LINE "TRACE_ON( [overflow] [CC=12]; )",
    LINE "EO_TRACE( [end-of-trace])",
    LINE "PE_CONTEXT((ISA=A64) EL1N; 64-bit; VMID=0x7; CTXTID=0x1f; )",
    LINE "PE_CONTEXT((ISA=T32) S; 32-bit;  [CC=7695]; )",
    LINE "PE_CONTEXT((ISA=A64) EL3Root; 64-bit; )",
    LINE "PE_CONTEXT((ISA=A64) Realm; 64-bit; )",
    LINE "INSTR_RANGE(exec range=0xc00526fc:[0xc0052718] num_i(7) last_sz(4) (ISA=A32) E BR  "
	 "b+link  [CC=3]; )",
    LINE "INSTR_RANGE(exec range=0xffff0000:[0xffff0002] num_i(1) last_sz(2) (ISA=T32) N BR   "
	 "<cond>)",
    LINE "INSTR_RANGE(exec range=0x10:[0x14] num_i(1) last_sz(4) (ISA=A64) E iBR A64:ret )",
    LINE "INSTR_RANGE(exec range=0x10:[0x14] num_i(1) last_sz(4) (ISA=A64) E iBR A64:eret )",
    LINE "INSTR_RANGE(exec range=0x10:[0x14] num_i(1) last_sz(4) (ISA=A32) E iBR V7:impl ret)",
    LINE "INSTR_RANGE(exec range=0x10:[0x14] num_i(1) last_sz(4) (ISA=TEE) E --- )",
    LINE "INSTR_RANGE(exec range=0x10:[0x14] num_i(1) last_sz(4) (ISA=A64) E ISB )",
    LINE "INSTR_RANGE(exec range=0x10:[0x14] num_i(1) last_sz(4) (ISA=A64) N DSB.DMB)",
    LINE "INSTR_RANGE(exec range=0x10:[0x14] num_i(1) last_sz(4) (ISA=A64) E WFI.WFE)",
    LINE "INSTR_RANGE(exec range=0x10:[0x14] num_i(1) last_sz(4) (ISA=A64) E TSTART)",
    LINE "I_RANGE_NOPATH(first 0x6951c:[next 0x63830] num_i(4) )",
    LINE "ADDR_NACC( 0xffffffc000594ac0 )",
    LINE "ADDR_UNKNOWN( [CC=1]; )",
    LINE "EXCEPTION(excep num (0x0e) )",
    LINE "EXCEPTION(pref ret addr:0x5910e8 [addr also prev br tgt]; excep num (0x123) )",
    LINE "EXCEPTION_RET()",
    LINE "TIMESTAMP( [ TS=0x0058e90bb867];  [CC=3]; )",
    LINE "CYCLE_COUNT( [CC=8]; )",
    LINE "EVENT( Trigger; )",
    LINE "EVENT( Numbered:5; )",
    LINE "SWTRACE((Ma:0x\?\?; Ch:0x\?\?) 0x0124f800; Freq)",
    LINE "SWTRACE( (Ma:0x40; Ch:0x480) 0xa; )",
    LINE "SWTRACE( (Ma:0x40; Ch:0x480) 0x01021010; +Mrk  [ TS=0x0003aeb284c9]; )",
    LINE "SWTRACE( (Ma:0x40; Ch:0x480) +Mrk )",
    LINE "SWTRACE( (Ma:0x40; Ch:0x00) 0x05; Trig )",
    LINE "SWTRACE( (Ma:0x40; Ch:0x00) 0x05; {Master Error.})",
    LINE "SWTRACE({Global Error.})",
    LINE "SYNC_MARKER( [Timestamp marker(0x00000001)])",
    LINE "MEMTRANS(Start)",
    LINE "MEMTRANS(Fail)",
    LINE "INSTRUMENTATION(EL1; 0x00000000deadbeef)",
    LINE "ITMTRACE(ITM_OVERFLOW; ITM_SWIT (ch: 0x2; Data: 0x1234) )",
    LINE "ITMTRACE(ITM_TS_GLOBAL ( TS: 0x0000000000001234) )",
    LINE "CUSTOM()",
    LINE "NO_SYNC( [bad-program-image])",
    LINE "ADDR_NACC( 0xffffffc000594ac0; Memspace [0x2:EL1N] )",
    LINE "ADDR_NACC( 0xc02f5b3a; Memspace [0x19:Any S] )",
    LINE "ADDR_NACC( 0x10; Memspace [0x90:EL2S,Root,] )",
    LINE "ADDR_NACC( 0x10; Memspace [0x0:] )",
};
enum { LINES = sizeof lines / sizeof *lines };

static struct opencsd_element
parse(const char *line)
{
	struct opencsd_element e;
	size_t read;
	assert_true(opencsd_element_parse(line, strlen(line), &e, &read));
	assert_int_equal(read, strlen(line));
	return e;
}

static void
test_lines(void **state)
{
	struct text text = {0};
	(void)state;
	for (size_t i = 0; i < LINES; i++) {
		struct opencsd_element e = parse(lines[i]);
		assert_int_equal(e.index, 16);
		assert_int_equal(e.id, 0x1c);
		text_clear(&text);
		opencsd_element_line(&e, &text);
		assert_string_equal(text_get(&text), lines[i]);
	}
	text_free(&text);
}

static void
test_members(void **state)
{
	(void)state;
	struct opencsd_element e = parse(lines[10]);
	assert_int_equal(e.type, OPENCSD_INSTR_RANGE);
	assert_int_equal(e.start, 0xc00526fc);
	assert_int_equal(e.end, 0xc0052718);
	assert_int_equal(e.number, 7);
	assert_int_equal(e.last_size, 4);
	assert_int_equal(e.isa, OPENCSD_A32);
	assert_int_equal(e.last_type, 1);
	assert_int_equal(e.last_subtype, 1);
	assert_int_equal(e.cycles, 3);
	assert_int_equal(e.flags, OPENCSD_EXECUTED | OPENCSD_HAS_CYCLES);
	e = parse(LINE "SWTRACE( (Ma:0x40; Ch:0x480) 0x01021010; +Mrk  [ TS=0x0003aeb284c9]; )");
	assert_int_equal(e.master, 0x40);
	assert_int_equal(e.channel, 0x480);
	assert_int_equal(e.bits, 32);
	assert_int_equal(e.packets, 1);
	assert_int_equal(e.value, 0x01021010);
	assert_int_equal(e.timestamp, 0x3aeb284c9);
	assert_int_equal(e.flags, OPENCSD_HAS_SENDER | OPENCSD_HAS_PAYLOAD | OPENCSD_MARKER |
				      OPENCSD_HAS_TIMESTAMP);
}

static bool
is_element(const char *line, size_t length, struct opencsd_element *e)
{
	size_t read;
	bool whole = opencsd_element_parse(line, length, e, &read);
	assert_true(read <= length);
	return whole;
}

/* No beginning of a line is an element, nor is a line with a byte more anywhere, or
 * one whose byte was changed to what it cannot be; with any other byte changed it is
 * read or refused. */
static void
test_damage(void **state)
{
	(void)state;
	struct opencsd_element e;
	struct text text = {0};
	assert_false(is_element("", 0, &e));
	assert_false(is_element("Idx:; ID:1; OCSD_GEN_TRC_ELEM_UNKNOWN()", 39, &e));
	assert_false(is_element("Idx:1; ID:1; OCSD_GEN_TRC_ELEM_NEW()", 36, &e));
	for (size_t i = 0; i < LINES; i++) {
		size_t length = strlen(lines[i]);
		for (size_t cut = 0; cut <= length; cut++) {
			char *copy = mem_resize(NULL, length + 1);
			memcpy(copy, lines[i], length);
			assert_int_equal(is_element(copy, cut, &e), cut == length);
			if (cut < length) {
				copy[cut] = '#';
				assert_false(is_element(copy, length, &e));
				copy[cut] = ')';
				if (is_element(copy, length, &e))
					opencsd_element_line(&e, &text);
			}
			memcpy(copy, lines[i], cut);
			copy[cut] = '#';
			memcpy(copy + cut + 1, lines[i] + cut, length - cut);
			assert_false(is_element(copy, length + 1, &e));
			vec_release(copy);
		}
	}
	text_free(&text);
}

/* Lines whose arguments are not what their element has. */
static void
test_arguments(void **state)
{
	static const char *const wrong[] = {
	    "TIMESTAMP(garbage)",
	    "TIMESTAMP()",
	    "TIMESTAMP( [ TS=0x12]; )", /* twelve digits at least */
	    "TIMESTAMP( [ TS=0x10000000000000000]; )",
	    "INSTR_RANGE(exec range=garbage)",
	    "INSTR_RANGE(exec range=0x10:[0x14] (ISA=A64) E ISB )",
	    "INSTR_RANGE(exec range=0x10:[0x14] num_i(1) last_sz(4) (ISA=A65) E ISB )",
	    "INSTR_RANGE(exec range=0x10:[0x14] num_i(1) last_sz(256) (ISA=A64) E ISB )",
	    "INSTR_RANGE(exec range=0x10:[0x14] num_i(1) last_sz(4) (ISA=A64) X ISB )",
	    "CYCLE_COUNT()",
	    "CYCLE_COUNT( [CC=4294967296]; )",
	    "EXCEPTION(garbage)",
	    "EXCEPTION(pref ret addr:0x10 excep num (0x0e) )",
	    "EXCEPTION( [addr also prev br tgt]; excep num (0x0e) )",
	    "MEMTRANS(garbage)",
	    "MEMTRANS( Commit)",
	    "PE_CONTEXT((ISA=A64) EL1N; 64-bit; 32-bit; )",
	    "PE_CONTEXT((ISA=A64) ELN; 64-bit; )",
	    "SWTRACE( (Ma:0x40; Ch:0x480) 0x123; )", /* no width */
	    "SWTRACE( (Ma:0x10000; Ch:0x480) 0x12; )",
	    "SWTRACE({Global Error.} (Ma:0x40; Ch:0x480) 0x12; )",
	    "SWTRACE()",
	    "EVENT( Numbered:; )",
	    "TRACE_ON( [why not])",
	    "NO_SYNC()) ID:1;",
	};
	struct text line = {0};
	struct opencsd_element e;
	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		text_clear(&line);
		text_addf(&line, LINE "%s", wrong[i]);
		assert_false(is_element(text_get(&line), line.length, &e));
	}
	text_free(&line);
	/* what versions from 1.5 on add, and what they leave out */
	e = parse(LINE "ADDR_NACC( 0x80004; Memspace [0x20:EL1R] )");
	assert_int_equal(e.start, 0x80004);
	assert_int_equal(parse(LINE "EO_TRACE()").reason, OPENCSD_UNSYNC_UNKNOWN);
}

static void
assert_message(const char *line, enum severity severity, unsigned flags)
{
	struct opencsd_element e = parse(line);
	struct message m = {0};
	opencsd_element_message(&e, &m);
	assert_int_equal(m.kind, e.type);
	assert_int_equal(m.severity, severity);
	assert_int_equal(m.flags, flags);
}

static void
test_messages(void **state)
{
	(void)state;
	assert_message(LINE "UNKNOWN()", SEVERITY_ERROR, MESSAGE_DAMAGED);
	assert_message(LINE "NO_SYNC( [init-decoder])", SEVERITY_INFO, 0);
	assert_message(LINE "NO_SYNC( [overflow])", SEVERITY_ERROR, MESSAGE_LOST);
	assert_message(LINE "NO_SYNC( [bad-packet])", SEVERITY_ERROR, MESSAGE_DAMAGED);
	assert_message(LINE "NO_SYNC( [discard])", SEVERITY_WARNING, 0);
	assert_message(LINE "TRACE_ON( [debug restart])", SEVERITY_INFO, MESSAGE_RESYNC);
	assert_message(LINE "TRACE_ON( [overflow])", SEVERITY_ERROR, MESSAGE_RESYNC | MESSAGE_LOST);
	assert_message(LINE "ADDR_NACC( 0x0 )", SEVERITY_DEBUG, 0);
	assert_message(LINE "I_RANGE_NOPATH(first 0x0:[next 0x0] num_i(0) )", SEVERITY_WARNING, 0);
	assert_message(LINE "MEMTRANS(Commit)", SEVERITY_INFO, 0);
	assert_message(LINE "MEMTRANS(Fail)", SEVERITY_WARNING, 0);
	assert_message(LINE "CYCLE_COUNT( [CC=8]; )", SEVERITY_DEBUG, 0);
	assert_message(LINE "TIMESTAMP( [ TS=0x000000000001]; )", SEVERITY_DEBUG,
		       MESSAGE_SYNC | MESSAGE_TIMED);
	assert_message(LINE "SWTRACE( (Ma:0x40; Ch:0x00) 0x05; {Master Error.})", SEVERITY_ERROR,
		       MESSAGE_LOST);
	struct opencsd_element a = parse(LINE "SWTRACE( (Ma:0x40; Ch:0x01) 0x05; )");
	struct opencsd_element b = parse(LINE "SWTRACE( (Ma:0x40; Ch:0x02) 0x05; )");
	struct opencsd_element c = parse(LINE "SWTRACE( (Ma:0x40; Ch:0x02) 0x05; Freq)");
	assert_int_not_equal(opencsd_element_origin(&a), opencsd_element_origin(&b));
	assert_int_equal(opencsd_element_origin(&c), 0x1c);
}

/* What an element, of which FLAGS are set too, tells of cycles. */
static void
assert_cycles(const char *line, uint32_t flags, struct decode_cycles expected)
{
	struct opencsd_element e = parse(line);
	struct message m = {0};
	struct decode_cycles cycles;
	e.flags |= flags;
	opencsd_element_message(&e, &m);
	assert_true(opencsd_cycles(&m, &cycles));
	assert_int_equal(cycles.source, 0x1c);
	assert_int_equal(cycles.count, expected.count);
	assert_int_equal(cycles.before, expected.before);
	assert_int_equal(cycles.carried, expected.carried);
	assert_int_equal(cycles.ends, expected.ends);
	assert_int_equal(cycles.marks, expected.marks);
	assert_int_equal(cycles.renews, expected.renews);
}

static void
assert_no_cycles(const char *line)
{
	struct opencsd_element e = parse(line);
	struct message m = {0};
	struct decode_cycles cycles;
	opencsd_element_message(&e, &m);
	assert_false(opencsd_cycles(&m, &cycles));
}

static void
test_cycles(void **state)
{
	(void)state;
#define CYCLES(...) (struct decode_cycles){__VA_ARGS__}
	assert_cycles(LINE "INSTR_RANGE(exec range=0x10:[0x14] num_i(1) last_sz(4) (ISA=A64) E ISB "
			   " [CC=1]; )",
		      0, CYCLES(.count = 1, .before = true, .carried = true));
	assert_cycles(LINE "CYCLE_COUNT( [CC=8]; )", 0, CYCLES(.count = 8));
	assert_cycles(LINE "CYCLE_COUNT( [CC=4294967295]; )", 0, CYCLES(.count = UINT32_MAX));
	assert_cycles(LINE "ADDR_UNKNOWN( [CC=0]; )", 0, CYCLES(.carried = true));
	assert_cycles(LINE "TRACE_ON( [begin or filter] [CC=12]; )", 0,
		      CYCLES(.count = 12, .carried = true));
	assert_cycles(LINE "TRACE_ON( [begin or filter])", 0, CYCLES(.ends = false));
	assert_cycles(LINE "TRACE_ON( [overflow])", 0, CYCLES(.ends = true));
	assert_cycles(LINE "TRACE_ON( [debug restart])", 0, CYCLES(.ends = true));
	assert_cycles(LINE "NO_SYNC( [init-decoder])", 0, CYCLES(.ends = true));
	assert_cycles(LINE "EO_TRACE( [end-of-trace])", 0, CYCLES(.ends = true));
	assert_cycles(LINE "UNKNOWN()", 0, CYCLES(.ends = true));
	assert_cycles(LINE "SYNC_MARKER( [Timestamp marker(0x00000000)])", 0,
		      CYCLES(.marks = true));
#define TIME LINE "TIMESTAMP( [ TS=0xffffffffffffffff]; "
	assert_cycles(TIME ")", 0, CYCLES(.count = 0));
	assert_cycles(TIME " [CC=0]; )", 0, CYCLES(.count = 0));
	assert_cycles(TIME " [CC=4093]; )", 0, CYCLES(.count = 4093));
	assert_cycles(TIME " [CC=4094]; )", 0, CYCLES(.ends = true)); /* no room for more */
	assert_cycles(TIME " [CC=4294967295]; )", 0, CYCLES(.ends = true));
	assert_cycles(TIME " [CC=7]; )", OPENCSD_FREQ_CHANGE, CYCLES(.count = 7, .renews = true));
#undef TIME
#undef CYCLES
	assert_no_cycles(LINE "SWTRACE( (Ma:0x40; Ch:0x00) +Mrk  [ TS=0x0003aeb284c9]; )");
	assert_no_cycles(LINE "SWTRACE( (Ma:0x40; Ch:0x01) 0x05; )");
}

/* The names of an element's fields, with commas. */
static void
assert_fields(const char *line, const char *expected)
{
	struct opencsd_element element = parse(line);
	struct expansion e = {0};
	struct text names = {0};
	opencsd_element_fields(&element, NULL, &e);
	for (size_t i = 0; i < e.fields.count; i++) {
		text_addf(&names, "%s%s=", i ? "," : "", e.fields.at[i].row->name);
		field_format(&e.fields.at[i], &names);
	}
	assert_string_equal(text_get(&names), expected);
	text_free(&names);
	expansion_free(&e);
}

static void
test_fields(void **state)
{
	(void)state;
#define COMMON "index=16,id=0x1c,element="
	assert_fields(lines[1], COMMON "NO_SYNC,unsync_eot_info=init-decoder");
	assert_fields(lines[4], COMMON "TRACE_ON,trace_on_reason=overflow,cycle_count=12");
	assert_fields(lines[6], COMMON "PE_CONTEXT,isa=A64,security_level=N,exception_level=1,"
				       "bits64=true,vmid=0x7,context_id=0x1f");
	assert_fields(lines[7], COMMON "PE_CONTEXT,isa=T32,security_level=S,bits64=false,"
				       "cycle_count=7695");
	assert_fields(lines[11],
		      COMMON "INSTR_RANGE,isa=T32,st_addr=0xffff0000,en_addr=0xffff0002,"
			     "num_instr_range=1,last_i_type=BR,last_i_subtype=none,"
			     "last_instr_exec=false,last_instr_sz=2,last_instr_cond=true");
	assert_fields(LINE "EXCEPTION(excep num (0x0e) )",
		      COMMON "EXCEPTION,exception_number=0x0e,excep_ret_addr=false,"
			     "excep_data_marker=false");
	assert_fields(LINE "TIMESTAMP( [ TS=0x000000000010]; )",
		      COMMON "TIMESTAMP,timestamp=16,cpu_freq_change=false");
	assert_fields(LINE "EVENT( Numbered:5; )", COMMON "EVENT,ev_type=numbered,ev_number=0x5");
	assert_fields(LINE "SYNC_MARKER( [Timestamp marker(0x00000001)])",
		      COMMON "SYNC_MARKER,sync_marker_type=Timestamp marker,"
			     "sync_marker_value=0x00000001");
	assert_fields(LINE "SWTRACE( (Ma:0x40; Ch:0x480) +Mrk )",
		      COMMON "SWTRACE,master=64,channel=1152,payload_pkt_bitsize=0,"
			     "payload_num_packets=0,marker_packet=true,marker_first=false,"
			     "frequency=false,trigger_event=false,master_err=false,"
			     "global_err=false");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lines),    cmocka_unit_test(test_members),
	    cmocka_unit_test(test_damage),   cmocka_unit_test(test_arguments),
	    cmocka_unit_test(test_messages), cmocka_unit_test(test_cycles),
	    cmocka_unit_test(test_fields),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
