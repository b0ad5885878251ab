/*
 * E-Trace payloads: each format bit for bit, compression, the program
 * counter of each source however it is reached, data.  Payloads are put
 * together here from the tables of the specification.
 */
#include "config.h"

#include "test.h"

#include "base/needle.h"
#include "base/vec.h"
#include "encap_tool.h"
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct encap_widths one_source = {0};

/* Decodes PAYLOAD as the only packet of a stream, with the options in D. */
static void
read_payload(struct decoded *d, const struct encap_widths *widths, unsigned type,
	     const struct bits *payload)
{
	struct stream stream = {0};
	stream_packet(&stream, widths, 0, 0, NULL, type, payload);
	uint8_t *bytes = mem_new(stream.length);
	memcpy(bytes, stream.bytes, stream.length);
	decoded_open(d, bytes, stream.length);
	assert_int_equal(d->messages.count, 1);
	decoded_expand(d, 0);
	stream_free(&stream);
}

static void
end_payload(struct decoded *d)
{
	free((void *)(uintptr_t)d->window.bytes);
	decoded_close(d);
}

/* --- instruction payloads ---------------------------------------------- */

static void
test_start(void **state)
{
	(void)state;
	struct decoded d = decoded_new(&one_source);
	d.options.etrace.notime = false;
	d.options.etrace.nocontext = false;
	struct bits p = {0};
	bits_add(&p, 3, 2);
	bits_add(&p, 0, 2);
	bits_add(&p, 1, 1);	  /* branch */
	bits_add(&p, 1, 2);	  /* privilege */
	bits_add(&p, 123456, 32); /* time */
	bits_add(&p, 0x5a, 8);	  /* context */
	bits_add(&p, 0x80001234 >> 1, 31);
	bits_shorten(&p);
	read_payload(&d, &one_source, 0, &p);
	const struct message *m = &d.messages.at[0];
	assert_int_equal(m->kind, ETRACE_START);
	assert_int_equal(m->severity, SEVERITY_DEBUG);
	assert_int_equal(m->flags, MESSAGE_RESYNC);
	assert_int_equal(decoded_number(&d, "format"), 3);
	assert_int_equal(decoded_number(&d, "subformat"), 0);
	assert_int_equal(decoded_number(&d, "branch"), 1);
	assert_int_equal(decoded_number(&d, "privilege"), 1);
	assert_string_equal(field_meaning(decoded_field(&d, "privilege")), "S");
	assert_int_equal(decoded_number(&d, "time"), 123456);
	assert_int_equal(decoded_number(&d, "context"), 0x5a);
	assert_int_equal(decoded_number(&d, "address"), 0x80001234);
	assert_int_equal(decoded_number(&d, "pc"), 0x80001234);
	/* bits of a field, from the start of the packet; what was not sent has none */
	const struct field *context = decoded_field(&d, "context");
	assert_int_equal(context->bit, 8 + 2 + 2 + 1 + 2 + 32);
	assert_int_equal(context->bits, 8);
	end_payload(&d);
}

static void
test_trap(void **state)
{
	(void)state;
	for (unsigned interrupt = 0; interrupt < 2; interrupt++) {
		struct decoded d = decoded_new(&one_source);
		struct bits p = {0};
		bits_add(&p, 3, 2);
		bits_add(&p, 1, 2);
		bits_add(&p, 0, 1); /* branch */
		bits_add(&p, 3, 2); /* privilege */
		bits_add(&p, 7, 5); /* ecause */
		bits_add(&p, interrupt, 1);
		bits_add(&p, 1, 1); /* thaddr */
		bits_add(&p, 0x1000 >> 1, 31);
		if (!interrupt)
			bits_add(&p, 0xfffffff0, 32);
		bits_shorten(&p);
		read_payload(&d, &one_source, 0, &p);
		const struct message *m = &d.messages.at[0];
		assert_int_equal(m->kind, ETRACE_TRAP);
		assert_int_equal(m->severity, interrupt ? SEVERITY_INFO : SEVERITY_WARNING);
		assert_int_equal(decoded_number(&d, "ecause"), 7);
		assert_int_equal(decoded_number(&d, "interrupt"), interrupt);
		assert_int_equal(decoded_number(&d, "thaddr"), 1);
		assert_int_equal(decoded_number(&d, "pc"), 0x1000);
		if (interrupt)
			assert_null(decoded_field(&d, "tval"));
		else
			assert_int_equal(decoded_number(&d, "tval"), 0xfffffff0);
		end_payload(&d);
	}
}

struct support {
	unsigned status, ioptions, dloss, doptions;
	int severity;
	unsigned flags;
};

static void
add_support(struct bits *p, const struct support *row, unsigned ioptions)
{
	bits_add(p, 3, 2);
	bits_add(p, 3, 2);
	bits_add(p, 1, 1); /* ienable */
	bits_add(p, 0, 1); /* encoder_mode */
	bits_add(p, row->status, 2);
	bits_add(p, row->ioptions, ioptions);
	bits_add(p, 1, 1); /* denable */
	bits_add(p, row->dloss, 1);
	bits_add(p, row->doptions, 4);
}

static void
test_support(void **state)
{
	(void)state;
	static const struct support rows[] = {
	    {0, 0x1d, 0, 0, SEVERITY_INFO, 0},
	    {0, 0x1f, 0, 0, SEVERITY_ERROR, MESSAGE_LOST}, /* implicit_exception */
	    {1, 0x04, 0, 5, SEVERITY_INFO, 0},
	    {2, 0x00, 0, 0, SEVERITY_ERROR, MESSAGE_LOST},
	    {3, 0x00, 0, 0, SEVERITY_INFO, 0},
	    {0, 0x00, 1, 0, SEVERITY_ERROR, MESSAGE_LOST},
	};
	static const char *const statuses[] = {"no_change", "ended_rep", "trace_lost", "ended_ntr"};
	static const char *const names[] = {"implicit_return", "implicit_exception", "full_address",
					    "jump_target_cache", "branch_prediction"};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct decoded d = decoded_new(&one_source);
		struct bits p = {0};
		d.options.etrace.dtrace = true;
		add_support(&p, &rows[i], 5);
		read_payload(&d, &one_source, 0, &p);
		const struct message *m = &d.messages.at[0];
		assert_int_equal(m->kind, ETRACE_SUPPORT);
		assert_int_equal(m->severity, rows[i].severity);
		assert_int_equal(m->flags, rows[i].flags);
		assert_true(decoded_is(&d, "qual_status", statuses[rows[i].status]));
		assert_int_equal(decoded_number(&d, "dloss"), rows[i].dloss);
		assert_int_equal(decoded_number(&d, "doptions"), rows[i].doptions);
		unsigned set = 0;
		for (size_t k = 0; k < d.e.fields.count; k++) {
			const struct field *field = &d.e.fields.at[k];
			for (unsigned bit = 0; bit < 5; bit++)
				if (!strcmp(field->row->name, "ioption") &&
				    !strncmp(field->s.at, names[bit], field->s.length))
					set |= 1u << bit;
		}
		assert_int_equal(set, rows[i].ioptions);
		end_payload(&d);
	}
	/* 1f 04, an example of the specification */
	struct decoded d = decoded_new(&one_source);
	decoded_open(&d, "\x02\x1f\x04", 3);
	decoded_expand(&d, 0);
	assert_true(decoded_is(&d, "ioption", "full_address"));
	assert_string_equal(text_get(&d.e.text), "sync.support on full_address");
	decoded_close(&d);
}

static void
add_trap(struct bits *p, unsigned interrupt, unsigned thaddr)
{
	*p = (struct bits){0};
	bits_add(p, 3, 2);
	bits_add(p, 1, 2);
	bits_add(p, 1, 1); /* branch */
	bits_add(p, 3, 2); /* privilege */
	bits_add(p, 2, 5); /* ecause */
	bits_add(p, interrupt, 1);
	bits_add(p, thaddr, 1);
}

/* In implicit exception mode the handler's address is not sent, and tval follows thaddr
 * at once; where the handler is, nothing says.  The EPC, thaddr 0, is sent as ever. */
static void
test_implicit_exception(void **state)
{
	(void)state;
	struct decoded d = decoded_new(&one_source);
	struct support on = {.ioptions = 2}, off = {0};
	struct stream stream = {0};
	struct bits p = {0};
	add_support(&p, &on, 5);
	stream_packet(&stream, &one_source, 0, 0, NULL, 0, &p);
	add_trap(&p, 0, 1);
	bits_add(&p, 0x12345678, 32); /* tval */
	bits_shorten(&p);
	stream_packet(&stream, &one_source, 0, 0, NULL, 0, &p);
	p = (struct bits){0};
	bits_add(&p, 2, 2); /* an address, 0x10 on */
	bits_add(&p, 0x10 >> 1, 31);
	bits_shorten(&p);
	stream_packet(&stream, &one_source, 0, 0, NULL, 0, &p);
	add_trap(&p, 1, 0);
	bits_add(&p, 0x2000 >> 1, 31);
	bits_shorten(&p);
	stream_packet(&stream, &one_source, 0, 0, NULL, 0, &p);
	p = (struct bits){0};
	add_support(&p, &off, 5);
	stream_packet(&stream, &one_source, 0, 0, NULL, 0, &p);
	add_trap(&p, 1, 1);
	bits_add(&p, 0x4000 >> 1, 31);
	bits_shorten(&p);
	stream_packet(&stream, &one_source, 0, 0, NULL, 0, &p);
	decoded_open(&d, stream.bytes, stream.length);
	assert_int_equal(d.messages.count, 6);
	decoded_expand(&d, 0);
	assert_int_equal(d.messages.at[0].flags, MESSAGE_LOST);
	assert_string_equal(text_get(&d.e.text), "sync.support on implicit_exception: no "
						 "mtvec in the profile, so the pc is unknown "
						 "after traps");
	decoded_expand(&d, 1);
	assert_int_equal(decoded_number(&d, "tval"), 0x12345678);
	assert_null(decoded_field(&d, "address"));
	assert_null(decoded_field(&d, "pc"));
	assert_string_equal(text_get(&d.e.text), "sync.trap pc=? exception=2 (illegal instruction) "
						 "tval=0x12345678 priv=M");
	decoded_expand(&d, 2);
	assert_null(decoded_field(&d, "pc"));
	decoded_expand(&d, 3);
	assert_int_equal(decoded_number(&d, "pc"), 0x2000);
	assert_int_equal(d.messages.at[4].flags, 0);
	decoded_expand(&d, 5);
	assert_int_equal(decoded_number(&d, "pc"), 0x4000);
	decoded_close(&d);
	stream_free(&stream);
}

/* Where the handlers are said, all modes of [RISC-V II, "Machine Trap-Vector Base-Address
 * Register"]: direct, to the address; vectored, interrupts to four times the cause behind it.
 * From the start on where the profile says that the mode is on. */
static void
test_handlers(void **state)
{
	static const struct {
		unsigned privilege, interrupt, cause;
		uint64_t pc; /* 0: not known */
	} rows[] = {
	    {3, 0, 2, 0x80000100}, {3, 1, 7, 0x80000100}, {1, 0, 8, 0x80000200},
	    {1, 1, 1, 0x80000204}, {1, 1, 9, 0x80000224}, {6, 1, 1, 0},
	    {0, 0, 2, 0},
	};
	static const uint64_t vstvec = 0x80000302; /* reserved */
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct decoded d = decoded_new(&one_source);
		struct bits p = {0};
		d.options.etrace.privilege_width = 3;
		d.options.etrace.implicit_exception = true;
		d.options.etrace.mtvec = 0x80000100;
		d.options.etrace.stvec = 0x80000201;
		d.options.etrace.vstvec = vstvec;
		bits_add(&p, 7, 4);
		bits_add(&p, 1, 1);
		bits_add(&p, rows[i].privilege, 3);
		bits_add(&p, rows[i].cause, 5);
		bits_add(&p, rows[i].interrupt, 1);
		bits_add(&p, 1, 1); /* thaddr */
		if (!rows[i].interrupt)
			bits_add(&p, 0x1234, 32); /* tval */
		bits_add(&p, 0, 1);
		read_payload(&d, &one_source, 0, &p);
		const struct field *pc = decoded_field(&d, "pc");
		assert_true(rows[i].pc ? pc && pc->u == rows[i].pc : !pc);
		assert_null(decoded_field(&d, "address"));
		if (!rows[i].interrupt)
			assert_int_equal(decoded_number(&d, "tval"), 0x1234);
		end_payload(&d);
	}
}

/* Flags are sent as changes from the bit before. */
static void
test_address_flags(void **state)
{
	(void)state;
	for (unsigned set = 0; set < 16; set++) {
		struct decoded d = decoded_new(&one_source);
		struct bits p = {0};
		bool negative = set & 8, bit = negative;
		d.options.etrace.return_stack_size = 3;
		bits_add(&p, 2, 2);
		bits_add(&p, negative ? (uint64_t)-100 >> 1 : 100 >> 1, 31);
		for (unsigned i = 0; i < 3; i++) {
			bit ^= set >> i & 1;
			bits_add(&p, bit, 1);
		}
		bits_add(&p, set & 4 ? 9 : bit ? 15 : 0, 4); /* irdepth */
		bits_shorten(&p);
		read_payload(&d, &one_source, 0, &p);
		assert_int_equal(d.messages.at[0].kind, ETRACE_ADDRESS);
		assert_int_equal((int64_t)decoded_number(&d, "address_delta"),
				 negative ? -100 : 100);
		assert_int_equal(decoded_number(&d, "notify"), set & 1);
		assert_int_equal(decoded_number(&d, "updiscon"), set >> 1 & 1);
		assert_int_equal(decoded_number(&d, "irreport"), set >> 2 & 1);
		if (set & 4)
			assert_int_equal(decoded_number(&d, "irdepth"), 9);
		else
			assert_null(decoded_field(&d, "irdepth"));
		assert_null(decoded_field(&d, "pc"));
		end_payload(&d);
	}
}

/* The map takes 1, 3, 7, 15 or 31 bits. */
static void
test_branches(void **state)
{
	(void)state;
	for (unsigned branches = 0; branches < 32; branches++) {
		unsigned bits = branches == 1	? 1
				: branches < 4	? 3
				: branches < 8	? 7
				: branches < 16 ? 15
						: 31;
		struct decoded d = decoded_new(&one_source);
		struct bits p = {0};
		if (!branches)
			bits = 31;
		uint64_t map = 0x2aaaaaaa & (((uint64_t)1 << (branches ? branches : 31)) - 1);
		bits_add(&p, 1, 2);
		bits_add(&p, branches, 5);
		bits_add(&p, map, bits);
		if (branches)
			bits_add(&p, 6 >> 1, 31 + 3);
		bits_shorten(&p);
		read_payload(&d, &one_source, 0, &p);
		assert_int_equal(d.messages.at[0].kind,
				 branches ? ETRACE_BRANCH : ETRACE_BRANCH_MAP);
		assert_int_equal(decoded_number(&d, "branches"), branches);
		assert_int_equal(decoded_number(&d, "branch_map"), map);
		assert_int_equal(decoded_number(&d, "branch_map_bits"), bits);
		if (branches)
			assert_int_equal(decoded_number(&d, "address_delta"), 6);
		else
			assert_null(decoded_field(&d, "address_delta"));
		end_payload(&d);
	}
	/* oldest first, 0 is taken */
	struct decoded d = decoded_new(&one_source);
	struct bits p = {0};
	bits_add(&p, 1, 2);
	bits_add(&p, 3, 5);
	bits_add(&p, 4, 3);
	bits_add(&p, 0, 34);
	bits_shorten(&p);
	read_payload(&d, &one_source, 0, &p);
	assert_string_equal(decoded_field(&d, "branch_map")->note, "ttn");
	end_payload(&d);
}

static void
test_extensions(void **state)
{
	(void)state;
	static const struct {
		unsigned width, subformat;
		int cache, predictor, kind;
	} rows[] = {
	    {0, 0, 0, 0, ETRACE_BRANCH_COUNT}, {0, 0, 0, 6, ETRACE_BRANCH_COUNT},
	    {0, 0, 5, 0, ETRACE_JUMP_TARGET},  {1, 0, 5, 6, ETRACE_BRANCH_COUNT},
	    {1, 1, 5, 6, ETRACE_JUMP_TARGET},  {2, 2, 5, 6, ETRACE_RESERVED},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct decoded d = decoded_new(&one_source);
		struct bits p = {0};
		d.options.etrace.f0s_width = rows[i].width;
		d.options.etrace.cache_size = rows[i].cache;
		d.options.etrace.bpred_size = rows[i].predictor;
		bits_add(&p, 0, 2);
		bits_add(&p, rows[i].subformat, rows[i].width);
		if (rows[i].kind == ETRACE_BRANCH_COUNT) {
			bits_add(&p, 14, 32);
			bits_add(&p, 3, 2);
			bits_add(&p, (uint64_t)-50 >> 1, 31);
			bits_add(&p, 7, 3);
		} else {
			bits_add(&p, 21, (unsigned)rows[i].cache);
			bits_add(&p, 2, 5);
			bits_add(&p, 1, 3);
			bits_add(&p, 0, 1);
		}
		bits_shorten(&p);
		read_payload(&d, &one_source, 0, &p);
		assert_int_equal(d.messages.at[0].kind, rows[i].kind);
		if (rows[i].kind == ETRACE_BRANCH_COUNT) {
			assert_int_equal(decoded_number(&d, "branch_count"), 14);
			assert_int_equal(decoded_number(&d, "branch_fmt"), 3);
			assert_int_equal((int64_t)decoded_number(&d, "address_delta"), -50);
		} else if (rows[i].kind == ETRACE_JUMP_TARGET) {
			assert_int_equal(decoded_number(&d, "index"), 21);
			assert_int_equal(decoded_number(&d, "branches"), 2);
			assert_int_equal(decoded_number(&d, "branch_map"), 1);
		} else {
			assert_true(decoded_is(&d, "error", "reserved subformat"));
			assert_int_equal(d.messages.at[0].severity, SEVERITY_ERROR);
		}
		end_payload(&d);
	}
	/* branch_fmt 1 is reserved */
	struct decoded d = decoded_new(&one_source);
	struct bits p = {0};
	bits_add(&p, 0, 2);
	bits_add(&p, 5, 32);
	bits_add(&p, 1, 2);
	bits_add(&p, 0, 4);
	read_payload(&d, &one_source, 0, &p);
	assert_int_equal(d.messages.at[0].severity, SEVERITY_ERROR);
	assert_true(d.messages.at[0].flags & MESSAGE_DAMAGED);
	assert_true(decoded_is(&d, "error", "reserved branch_fmt"));
	end_payload(&d);
}

/* With `addr_comp: field` only the address is shortened, to 8k + 1 bits, and
 * four flags follow: whatever the difference, it comes back. */
static void
test_short_field(void **state)
{
	(void)state;
	static const int64_t deltas[] = {6,    -6,    127,    -128,    255,	  256,
					 -300, 65535, -65536, 1 << 20, INT64_MIN, INT64_MAX};
	for (size_t i = 0; i < sizeof deltas / sizeof *deltas; i++) {
		struct decoded d = decoded_new(&one_source);
		struct bits p = {0};
		d.options.etrace.addr_comp = ETRACE_SHORT_FIELD;
		d.options.etrace.ioptions = ETRACE_LAYOUT_PULP;
		d.options.etrace.iaddress_width = 64;
		d.options.etrace.iaddress_lsb = 0;
		unsigned width = 1;
		while (width < 9 || (width < 64 && deltas[i] >> (width - 1) != -(deltas[i] < 0)))
			width += 8;
		bool sign = deltas[i] < 0;
		bits_add(&p, 2, 2);
		bits_add(&p, (uint64_t)deltas[i], width < 64 ? width : 64);
		bits_add(&p, sign, width > 64);
		bits_add(&p, sign, 1);	/* no notify */
		bits_add(&p, !sign, 1); /* updiscon */
		bits_add(&p, !sign, 1);
		bits_add(&p, 0, 1);
		while (p.count % 8)
			bits_add(&p, 0, 1);
		read_payload(&d, &one_source, 0, &p);
		assert_int_equal((int64_t)decoded_number(&d, "address_delta"), deltas[i]);
		assert_int_equal(decoded_number(&d, "notify"), false);
		assert_int_equal(decoded_number(&d, "updiscon"), true);
		assert_int_equal(decoded_number(&d, "irreport"), false);
		assert_int_equal(d.messages.at[0].severity, SEVERITY_DEBUG);
		end_payload(&d);
	}
}

/* Up to 7 bits may be left over. */
static void
test_unused(void **state)
{
	(void)state;
	for (unsigned extra = 0; extra < 24; extra++) {
		struct encap_widths widths = {.srcid = extra % 8};
		struct decoded d = decoded_new(&widths);
		struct bits p = {0};
		bits_add(&p, 2, 2);
		bits_add(&p, 50, 31 + 3);
		bits_add(&p, 0, extra);
		read_payload(&d, &widths, 0, &p);
		const struct message *m = &d.messages.at[0];
		bool over = decoded_number(&d, "payload_bits") > 36 + 7;
		assert_int_equal(m->severity, over ? SEVERITY_WARNING : SEVERITY_DEBUG);
		assert_int_equal(!!(m->flags & MESSAGE_DAMAGED), over);
		end_payload(&d);
	}
}

/* --- the program counter ----------------------------------------------- */

/* A source as its encoder knows it. */
struct model {
	uint64_t pc;
	bool known, full;
};

struct expected {
	bool has_pc;
	uint64_t pc;
};

enum { SOURCES = 3, PACKETS = 3000 };

static void
add_address(struct bits *p, struct model *s, uint64_t *seed)
{
	int64_t delta = ((int64_t)(random_next(seed) % 4000) - 2000) * 2;
	s->pc = (s->pc + (uint64_t)delta) & 0xffffffff;
	bits_add(p, (s->full ? s->pc : (uint64_t)delta) >> 1, 31);
	bits_add(p, bits_get(p, p->count - 1) ? 7 : 0, 3);
	if (s->full)
		s->known = true;
}

static void
add_anchor(struct bits *p, struct model *s, bool trap, uint64_t *seed)
{
	s->pc = random_next(seed) & 0xfffffffe;
	s->known = true;
	bits_add(p, 3, 2);
	bits_add(p, trap, 2);
	bits_add(p, random_next(seed), 3);
	if (trap)
		bits_add(p, 0x40 | random_next(seed), 7); /* interrupt among it or not */
	unsigned interrupt = trap ? bits_get(p, p->count - 2) : 1;
	bits_add(p, s->pc >> 1, 31);
	if (!interrupt)
		bits_add(p, random_next(seed), 32);
}

/* One packet of a source, and what its pc is then. */
static struct expected
add_step(struct bits *p, struct model *s, uint64_t *seed)
{
	uint64_t dice = random_next(seed) % 100;
	bool moves = true;
	if (dice < 4) {
		struct support support = {.status = dice == 0 ? 2 : 0,
					  .ioptions = random_next(seed) % 2 ? 4 : 0};
		add_support(p, &support, 5);
		s->full = support.ioptions;
		s->known &= support.status != 2;
		moves = false;
	} else if (dice < 10) {
		add_anchor(p, s, dice < 7, seed);
	} else if (dice < 12) { /* jump target cache */
		bits_add(p, 0, 2);
		bits_add(p, 1, 1);
		bits_add(p, random_next(seed), 5);
		bits_add(p, 0, 6);
		s->known = moves = false;
	} else if (dice < 20) { /* a full map */
		bits_add(p, 1, 7);
		bits_add(p, random_next(seed), 31);
		moves = false;
	} else {
		bits_add(p, 2, 2);
		add_address(p, s, seed);
	}
	return (struct expected){.has_pc = moves && s->known, .pc = s->pc};
}

static void
check_place(struct decoded *d, size_t i, const struct expected *expected)
{
	decoded_expand(d, i);
	const struct field *pc = decoded_field(d, "pc");
	assert_int_equal(pc != NULL, expected->has_pc);
	if (pc)
		assert_int_equal(pc->u, expected->pc);
}

static void
test_places(void **state)
{
	(void)state;
	static const struct encap_widths widths = {.srcid = 8};
	static const unsigned ids[SOURCES] = {1, 65, 2}; /* two share a memory */
	struct model sources[SOURCES] = {0};
	struct expected *expected = mem_new(PACKETS * sizeof *expected);
	struct stream stream = {0};
	uint64_t seed = 7;
	for (size_t i = 0; i < PACKETS; i++) {
		unsigned source = (unsigned)random_next(&seed) % SOURCES;
		struct bits p = {0};
		expected[i] = add_step(&p, &sources[source], &seed);
		bits_shorten(&p);
		stream_packet(&stream, &widths, 0, ids[source], NULL, 0, &p);
	}
	struct decoded d = decoded_new(&widths);
	d.options.etrace.f0s_width = 1;
	d.options.etrace.cache_size = 5;
	decoded_open(&d, stream.bytes, stream.length);
	assert_int_equal(d.messages.count, PACKETS);
	for (size_t i = 0; i < PACKETS; i++)
		check_place(&d, i, &expected[i]);
	for (size_t i = PACKETS; i > 0; i--)
		check_place(&d, i - 1, &expected[i - 1]);
	void *memory = d.history.memory;
	for (size_t i = 0; i < PACKETS; i++) {
		size_t at = random_next(&seed) % PACKETS;
		d.history.memory = i % 2 ? memory : NULL;
		check_place(&d, at, &expected[at]);
	}
	d.history.memory = memory;
	decoded_close(&d);
	stream_free(&stream);
	free(expected);
}

/* After damage packets may be missing, so the counter is not known. */
static void
test_place_after_damage(void **state)
{
	(void)state;
	static const uint8_t bytes[] = {
	    0x05, 0x73, 0x00, 0x00, 0x00, 0x08,		 /* sync.start */
	    0x01, 0x12,					 /* address +8 */
	    0x01, 0x00,					 /* a count of branches */
	    0x08, 0x02, 0,    0,    0,	  0,	0, 0, 0, /* too long to be */
	    0x01, 0x12,					 /* address +8 */
	};
	struct decoded d = decoded_new(&one_source);
	decoded_open(&d, bytes, sizeof bytes);
	assert_int_equal(d.messages.count, 5);
	decoded_expand(&d, 1);
	uint64_t pc = decoded_number(&d, "pc");
	decoded_expand(&d, 0);
	assert_int_equal(pc, decoded_number(&d, "pc") + 8);
	assert_true(d.messages.at[3].flags & MESSAGE_DAMAGED);
	decoded_expand(&d, 4);
	assert_null(decoded_field(&d, "pc"));
	assert_string_equal(text_get(&d.e.text), "address pc=? (+8)");
	decoded_close(&d);
}

/* --- data payloads ----------------------------------------------------- */

struct data_row {
	unsigned format, subtype, size, diff, bytes, operand_bytes;
	uint64_t data, operand;
	int64_t address;
	const char *name;
};

static void
check_data(const struct data_row *row, int64_t data_width)
{
	static const struct encap_widths typed = {.type = 1};
	struct decoded d = decoded_new(&typed);
	struct bits p = {0};
	unsigned shift = row->format == 1 || row->format == 3 ? 0 : row->size;
	unsigned size_width = data_width < 32 ? 1 : data_width < 128 ? 2 : 3;
	char text[32];
	d.options.etrace.data_width = data_width;
	d.options.etrace.daddress_width = 40;
	bits_add(&p, row->format, 3);
	if (row->format == 6)
		bits_add(&p, row->subtype, 3);
	bits_add(&p, row->size, size_width);
	bits_add(&p, row->diff, 2);
	if (row->format == 6) {
		bits_add(&p, row->operand_bytes - 1, row->size);
		bits_add(&p, row->operand, 8 * row->operand_bytes);
	}
	bits_add(&p, row->bytes - 1, row->size);
	bits_add(&p, row->data, 8 * row->bytes);
	bits_add(&p, (uint64_t)(row->address >> shift), 40);
	bits_shorten(&p);
	read_payload(&d, &typed, 1, &p);
	assert_int_equal(d.messages.at[0].severity, SEVERITY_DEBUG);
	assert_int_equal(decoded_number(&d, "dformat"), row->format);
	assert_true(decoded_is(&d, "name", row->name));
	assert_true(decoded_is(&d, "class", "data"));
	assert_int_equal(decoded_number(&d, "size"), row->size);
	assert_int_equal(decoded_number(&d, "diff"), row->diff);
	assert_int_equal(decoded_number(&d, "data_len"), row->bytes - 1);
	snprintf(text, sizeof text, "0x%llx", (unsigned long long)row->data);
	assert_true(decoded_is(&d, "data", text));
	if (row->format == 6) {
		snprintf(text, sizeof text, "0x%llx", (unsigned long long)row->operand);
		assert_true(decoded_is(&d, "operand", text));
	}
	if (row->diff)
		assert_int_equal((int64_t)decoded_number(&d, "address_delta"), row->address);
	else
		assert_int_equal(decoded_number(&d, "address"), row->address & 0xffffffffff);
	end_payload(&d);
}

static void
test_data(void **state)
{
	(void)state;
	static const struct data_row rows[] = {
	    {0, 0, 2, 0, 4, 0, 0x77e850b5, 0, 0x1234567890, "load.aligned"},
	    {1, 0, 1, 1, 2, 0, 0xbeef, 0, -399, "load.unaligned"},
	    {2, 0, 0, 2, 1, 0, 0x7e, 0, 1468, "store.aligned"},
	    {3, 0, 2, 3, 3, 0, 0x1024af, 0, -188, "store.unaligned"},
	    {6, 0, 2, 0, 4, 1, 0xe22140, 0x35, 0x400000, "atomic.swap"},
	    {6, 4, 2, 1, 3, 2, 0xc21ee4, 0x7eb8, -64, "atomic.xor"},
	    {6, 6, 1, 2, 1, 1, 0xff, 0x80, 16, "atomic.min"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		check_data(&rows[i], 32);
		check_data(&rows[i], 64);
		check_data(&rows[i], 128);
	}
	static const struct data_row wide = {
	    0, 0, 3, 0, 8, 0, 0x0123456789abcdef, 0, 0x88, "load.aligned"};
	check_data(&wide, 64);
	check_data(&wide, 128);
}

/* Which parts there are is said by the support packet before. */
static void
test_data_parts(void **state)
{
	(void)state;
	static const struct encap_widths typed = {.type = 1};
	for (unsigned doptions = 0; doptions < 3; doptions++) {
		struct decoded d = decoded_new(&typed);
		struct support support = {.doptions = doptions};
		struct stream stream = {0};
		struct bits p = {0};
		d.options.etrace.dtrace = true;
		add_support(&p, &support, 5);
		stream_packet(&stream, &typed, 0, 0, NULL, 0, &p);
		p = (struct bits){0};
		bits_add(&p, 2, 3); /* store.aligned */
		bits_add(&p, 2, 2); /* of 4 bytes */
		bits_add(&p, 0, doptions == 2 ? 1 : 2);
		if (doptions == 0)
			bits_add(&p, 3, 2); /* data_len */
		if (doptions != 2)
			bits_add(&p, 0x12345678, 32);
		if (doptions != 1)
			bits_add(&p, 0x1000 >> 2, 32);
		bits_shorten(&p);
		stream_packet(&stream, &typed, 0, 0, NULL, 1, &p);
		decoded_open(&d, stream.bytes, stream.length);
		decoded_expand(&d, 1);
		assert_int_equal(d.messages.at[1].kind, DTRACE_STORE);
		assert_int_equal(decoded_is(&d, "data", "0x12345678"), doptions != 2);
		if (doptions == 1)
			assert_null(decoded_field(&d, "address"));
		else
			assert_int_equal(decoded_number(&d, "address"), 0x1000);
		decoded_close(&d);
		stream_free(&stream);
	}
}

/* With address alone `diff` has one bit, and an atomic operation no operand. */
static void
test_atomic_address(void **state)
{
	(void)state;
	static const struct encap_widths typed = {.type = 1};
	struct decoded d = decoded_new(&typed);
	struct support support = {.doptions = 2};
	struct stream stream = {0};
	struct bits p = {0};
	d.options.etrace.dtrace = true;
	add_support(&p, &support, 5);
	stream_packet(&stream, &typed, 0, 0, NULL, 0, &p);
	p = (struct bits){0};
	bits_add(&p, 6, 3);
	bits_add(&p, 5, 3); /* max */
	bits_add(&p, 2, 2);
	bits_add(&p, 1, 1);
	bits_add(&p, (uint64_t)-8, 32);
	bits_shorten(&p);
	stream_packet(&stream, &typed, 0, 0, NULL, 1, &p);
	decoded_open(&d, stream.bytes, stream.length);
	decoded_expand(&d, 1);
	assert_int_equal(d.messages.at[1].kind, DTRACE_ATOMIC);
	assert_true(decoded_is(&d, "name", "atomic.max"));
	assert_int_equal(decoded_number(&d, "diff"), 1);
	assert_int_equal((int64_t)decoded_number(&d, "address_delta"), -32);
	assert_null(decoded_field(&d, "data"));
	assert_null(decoded_field(&d, "operand"));
	decoded_close(&d);
	stream_free(&stream);
}

/* Data of an earlier transfer: named, the rest is not read. */
static void
test_split(void **state)
{
	(void)state;
	static const struct encap_widths typed = {.type = 1};
	static const char *const names[] = {"split.load", "split.atomic"};
	for (unsigned i = 0; i < 2; i++) {
		struct decoded d = decoded_new(&typed);
		struct bits p = {0};
		bits_add(&p, i ? 7 : 4, 3);
		bits_add(&p, 0x123456789, 40);
		read_payload(&d, &typed, 1, &p);
		assert_int_equal(d.messages.at[0].kind, DTRACE_SPLIT);
		assert_int_equal(d.messages.at[0].severity, SEVERITY_DEBUG);
		assert_true(decoded_is(&d, "name", names[i]));
		end_payload(&d);
	}
}

/* Without accesses of their own kinds a format has two bits. */
static void
test_two_bits(void **state)
{
	(void)state;
	static const struct encap_widths typed = {.type = 1};
	struct decoded d = decoded_new(&typed);
	struct bits p = {0};
	d.options.etrace.dfmt_width = 2;
	bits_add(&p, 3, 2); /* store, unaligned */
	bits_add(&p, 1, 2);
	bits_add(&p, 0, 2);
	bits_add(&p, 1, 1);
	bits_add(&p, 0xbeef, 16);
	bits_add(&p, 0x1001, 32);
	bits_shorten(&p);
	read_payload(&d, &typed, 1, &p);
	assert_true(decoded_is(&d, "name", "store.unaligned"));
	assert_true(decoded_is(&d, "data", "0xbeef"));
	assert_int_equal(decoded_number(&d, "address"), 0x1001);
	end_payload(&d);
}

static void
test_csr(void **state)
{
	(void)state;
	static const struct encap_widths typed = {.type = 1};
	static const unsigned numbers[] = {0x305, 0xc01}; /* mtvec; time is read-only */
	for (size_t i = 0; i < 2; i++) {
		struct decoded d = decoded_new(&typed);
		struct bits p = {0};
		bits_add(&p, 5, 3);
		bits_add(&p, 1, 2); /* read and set */
		bits_add(&p, 0, 2);
		bits_add(&p, 1, 2);
		bits_add(&p, 0xabcd, 16);
		bits_add(&p, numbers[i] >> 6, 6);
		if (i == 0) {
			bits_add(&p, 0, 2);
			bits_add(&p, 0x88, 8);
		}
		bits_add(&p, numbers[i], 6);
		bits_shorten(&p);
		read_payload(&d, &typed, 1, &p);
		assert_int_equal(d.messages.at[0].kind, DTRACE_CSR);
		assert_true(decoded_is(&d, "name", "csr.rs"));
		assert_true(decoded_is(&d, "data", "0xabcd"));
		if (i == 0)
			assert_true(decoded_is(&d, "operand", "0x88"));
		else
			assert_null(decoded_field(&d, "operand"));
		assert_int_equal(decoded_number(&d, "csr"), numbers[i]);
		end_payload(&d);
	}
}

/* A transfer of 128 bytes cannot be. */
static void
test_data_too_wide(void **state)
{
	(void)state;
	static const struct encap_widths typed = {.type = 1};
	struct decoded d = decoded_new(&typed);
	struct bits p = {0};
	d.options.etrace.data_width = 128;
	bits_add(&p, 0, 3);
	bits_add(&p, 7, 3);
	bits_add(&p, 0x55, 20);
	read_payload(&d, &typed, 1, &p);
	assert_int_equal(d.messages.at[0].severity, SEVERITY_ERROR);
	assert_non_null(decoded_field(&d, "error"));
	end_payload(&d);
}

/* --- texts and searches ------------------------------------------------ */

/* True if no message of the kind can have WORDS. */
static bool
kind_lacks(const struct decoded *d, unsigned kind, const char *words, size_t length)
{
	struct needles needles = {.count = 1};
	needle_init(&needles.at[0], words, length, false);
	return encap_ops.in_place(d->decoder, &needles, NULL, UINT64_C(1) << kind, 0);
}

/* Random packets of four sources, some of them damaged. */
static void
fill_random(struct stream *stream, const struct encap_widths *widths, uint64_t *seed)
{
	for (unsigned i = 0; i < 400; i++) {
		struct bits p = {0};
		unsigned type = (unsigned)random_below(seed, 8);
		type = type < 5 ? 0 : type < 7 ? 1 : 2;
		if (!type && !random_below(seed, 4))
			bits_add(&p, 3 | random_below(seed, 4) << 2, 4);
		for (unsigned length = 3 + (unsigned)random_below(seed, 120); p.count < length;)
			bits_add(&p, random_below(seed, 256), 8);
		if (random_below(seed, 8))
			bits_shorten(&p);
		stream_packet(stream, widths, 0, (unsigned)random_below(seed, 4), NULL, type, &p);
		if (!random_below(seed, 20))
			stream_nulls(stream, 1 + random_below(seed, 40));
	}
}

/* A part of a text is ruled out for no kind that has it.  Texts are the same one after the
 * other, where the history remembers, as each alone. */
static void
test_texts(void **state)
{
	static const struct encap_widths widths = {.srcid = 2, .type = 2};
	const char *more = getenv("TRAWL_RUNS");
	uint64_t seed = 1;
	(void)state;
	for (size_t run = 0; run < 60 * (more ? strtoull(more, NULL, 10) : 1); run++) {
		struct stream stream = {0};
		struct decoded d = decoded_new(&widths);
		struct text text = {0};
		d.options.etrace.notime = random_below(&seed, 2);
		d.options.etrace.nocontext = random_below(&seed, 2);
		d.options.etrace.f0s_width = 1 + (int64_t)random_below(&seed, 2);
		d.options.etrace.dtrace = true;
		fill_random(&stream, &widths, &seed);
		uint8_t *bytes = mem_new(stream.length);
		size_t cut = stream.length - random_below(&seed, 40);
		memcpy(bytes, stream.bytes, stream.length);
		stream_free(&stream);
		decoded_open(&d, bytes, cut);
		void *memory = d.history.memory;
		for (size_t i = 0; i < d.messages.count; i++) {
			d.history.memory = NULL;
			decoded_expand(&d, i);
			text_clear(&text);
			text_add_bytes(&text, text_get(&d.e.text), d.e.text.length);
			if (!random_below(&seed, 50))
				continue;
			d.history.memory = memory;
			decoded_expand(&d, i);
			assert_string_equal(text_get(&text), text_get(&d.e.text));
			size_t from = random_below(&seed, text.length);
			size_t length = 1 + random_below(&seed, text.length - from);
			if (kind_lacks(&d, d.messages.at[i].kind, text.data + from, length))
				fail_msg("%s: %.*s", text.data, (int)length, text.data + from);
		}
		d.history.memory = memory;
		text_free(&text);
		end_payload(&d);
	}
}

/* Kinds with a text of their own are told apart. */
static void
test_ruled_out(void **state)
{
	static const struct {
		const char *words;
		unsigned kind; /* the only one, or ENCAP_KIND_COUNT */
	} rows[] = {
	    {"zzqx", ENCAP_KIND_COUNT},	       {"page fault", ETRACE_TRAP},
	    {"tval=0x1", ETRACE_TRAP},	       {"trace_lost", ETRACE_SUPPORT},
	    {"count=13", ETRACE_BRANCH_COUNT}, {"index=3", ETRACE_JUMP_TARGET},
	    {"alignment, s", ENCAP_NULL_RUN},  {"room", ENCAP_MALFORMED},
	    {"of 12 bytes", ENCAP_TRUNCATED},  {"opaque: 00", ENCAP_OPAQUE},
	    {"store.u", DTRACE_STORE},	       {"atomic.max", DTRACE_ATOMIC},
	    {"null_run", ENCAP_NULL_RUN}, /* a type */
	};
	struct decoded d = decoded_new(&one_source);
	(void)state;
	decoded_open(&d, "", 0);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (unsigned kind = 0; kind < ENCAP_KIND_COUNT; kind++)
			assert_int_equal(kind_lacks(&d, kind, rows[i].words, strlen(rows[i].words)),
					 kind != rows[i].kind);
	decoded_close(&d);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_start),	   cmocka_unit_test(test_trap),
	    cmocka_unit_test(test_support),	   cmocka_unit_test(test_implicit_exception),
	    cmocka_unit_test(test_handlers),	   cmocka_unit_test(test_address_flags),
	    cmocka_unit_test(test_branches),	   cmocka_unit_test(test_extensions),
	    cmocka_unit_test(test_short_field),	   cmocka_unit_test(test_unused),
	    cmocka_unit_test(test_places),	   cmocka_unit_test(test_place_after_damage),
	    cmocka_unit_test(test_data),	   cmocka_unit_test(test_data_parts),
	    cmocka_unit_test(test_atomic_address), cmocka_unit_test(test_split),
	    cmocka_unit_test(test_two_bits),	   cmocka_unit_test(test_csr),
	    cmocka_unit_test(test_data_too_wide),  cmocka_unit_test(test_texts),
	    cmocka_unit_test(test_ruled_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
