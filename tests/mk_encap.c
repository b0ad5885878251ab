/*
 * A packet is one string of bits, lowest first: header, source, time stamp,
 * type, payload.  Payloads are put together apart, for equal bits at their top
 * are left out.  Each source keeps the state that a reader must follow: where
 * its program is and whether addresses come in full.
 *
 * After each sync sequence every source says anew how it is set and where it
 * is, so damage does no harm beyond the next one.
 */
#include "config.h"

#include "mk_encap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ADDRESS_BITS = 31, LENGTH_MAX = 31, SOURCES_MAX = 64 };
enum payload_type { INSTRUCTION, DATA, OTHER = 3 };
enum { ENDED = 1, LOST = 2 };
enum { IMPLICIT_RETURN = 1 << 0, FULL_ADDRESS = 1 << 2 };

/* --- strings of bits --------------------------------------------------- */

struct bits {
	uint64_t word[4];
	unsigned count;
};

static void
bits_add(struct bits *b, uint64_t value, unsigned count)
{
	unsigned at = b->count % 64;
	uint64_t *word = &b->word[b->count / 64];
	if (!count)
		return;
	if (count < 64)
		value &= (1ull << count) - 1;
	word[0] |= value << at;
	if (at + count > 64)
		word[1] |= value >> (64 - at);
	b->count += count;
}

static unsigned
bits_top(const struct bits *b)
{
	return b->word[(b->count - 1) / 64] >> (b->count - 1) % 64 & 1;
}

static void
bits_append(struct bits *b, const struct bits *more)
{
	for (unsigned at = 0; at < more->count; at += 64)
		bits_add(b, more->word[at / 64], more->count - at < 64 ? more->count - at : 64);
}

/* Leaves out bits at the top that equal the one below them. */
static void
bits_shorten(struct bits *b)
{
	uint64_t flip = bits_top(b) ? UINT64_MAX : 0;
	unsigned kept = 0;
	for (unsigned word = (b->count - 1) / 64 + 1; word-- && !kept;) {
		unsigned here = b->count - 64 * word;
		uint64_t odd = b->word[word] ^ flip;
		if (here < 64)
			odd &= (1ull << here) - 1;
		if (odd)
			kept = 64 * word + 64 - (unsigned)__builtin_clzll(odd);
	}
	if (kept < b->count)
		b->count = kept + 1;
	for (unsigned word = b->count / 64; word < 4; word++)
		b->word[word] &= word == b->count / 64 ? (1ull << b->count % 64) - 1 : 0;
}

/* --- sources ----------------------------------------------------------- */

struct source {
	unsigned id;
	uint32_t pc;
	bool full_address;
	unsigned to_announce; /* 2: how it is set and where; 1: where */
};

struct maker {
	const struct mk_encap_plan *plan;
	struct mk_sink *sink;
	uint64_t seed, time;
	struct source sources[SOURCES_MAX], *source;
	bool doubtful; /* a reader may be off the track */
	struct bits payload;
	struct mk_record record;
};

static uint32_t
below(struct maker *m, uint32_t n)
{
	return random_below(&m->seed, n);
}

static void
put(struct maker *m, uint64_t value, unsigned count)
{
	bits_add(&m->payload, value, count);
}

/* Puts a number that the truth mentions. */
static void
put_named(struct maker *m, const char *name, uint64_t value, unsigned count)
{
	put(m, value, count);
	mk_record_field(&m->record, "%s=%" PRIu64, name, value);
}

static void
put_format(struct maker *m, unsigned format, const char *name)
{
	put_named(m, "format", format, 2);
	mk_record_field(&m->record, "name=%s", name);
}

/* A flag that is sent as a change from the bit before it. */
static void
put_change(struct maker *m, const char *name, bool flag)
{
	put(m, bits_top(&m->payload) ^ flag, 1);
	if (name)
		mk_record_field(&m->record, "%s=%d", name, flag);
}

static uint32_t
any_address(struct maker *m)
{
	return (uint32_t)random_next(&m->seed) & 0x000ffffe;
}

/* Moves the program to PC and says so. */
static void
put_pc(struct maker *m, uint32_t pc)
{
	m->source->pc = pc;
	put(m, pc >> 1, ADDRESS_BITS);
	mk_record_field(&m->record, "address=0x%" PRIx32 "\tpc=0x%" PRIx32, pc, pc);
}

static void
put_certain(struct maker *m)
{
	put_pc(m, 0x80000000u + any_address(m));
}

/* Moves the program: the address in full or as a difference in units of two. */
static void
put_address(struct maker *m, int32_t by)
{
	uint32_t pc = m->source->pc += 2 * (uint32_t)by;
	if (m->source->full_address) {
		put(m, pc >> 1, ADDRESS_BITS);
		mk_record_field(&m->record, "address=0x%" PRIx32, pc);
	} else {
		put(m, (uint32_t)by, ADDRESS_BITS);
		mk_record_field(&m->record, "address_delta=%" PRId64, 2 * (int64_t)by);
	}
	mk_record_field(&m->record, "pc=0x%" PRIx32, pc);
}

/* The same, with flags. */
static void
put_move(struct maker *m)
{
	static const unsigned sizes[] = {8, 8, 8, 12, 12, 16, 24, 30};
	int32_t by = (int32_t)below(m, 1u << sizes[below(m, 8)]);
	if (below(m, 2))
		by = -by;
	put_address(m, by);
	put_change(m, "notify", below(m, 64) == 0);
	put_change(m, "updiscon", below(m, 16) == 0);
	put_change(m, "irreport", 0);
}

/* --- payloads ---------------------------------------------------------- */

static void
put_start(struct maker *m, unsigned branch, unsigned privilege)
{
	put_format(m, 3, "sync.start");
	put_named(m, "subformat", 0, 2);
	put_named(m, "branch", branch, 1);
	put_named(m, "privilege", privilege, 2);
}

static void
make_start(struct maker *m)
{
	unsigned branch = below(m, 2);
	put_start(m, branch, below(m, 2) ? 3 : 0);
	put_certain(m);
}

static void
put_trap(struct maker *m, unsigned branch, unsigned cause, bool interrupt)
{
	m->record.severity = interrupt ? MK_INFO : MK_WARNING;
	put_format(m, 3, "sync.trap");
	put_named(m, "subformat", 1, 2);
	put_named(m, "branch", branch, 1);
	put_named(m, "privilege", 3, 2);
	put_named(m, "ecause", cause, 5);
	put_named(m, "interrupt", interrupt, 1);
	put_named(m, "thaddr", 1, 1);
}

static void
put_tval(struct maker *m, uint32_t tval)
{
	put(m, tval, 32);
	mk_record_field(&m->record, "tval=0x%" PRIx32, tval);
}

static void
make_trap(struct maker *m)
{
	bool interrupt = below(m, 2);
	unsigned branch = below(m, 2), cause = below(m, 16);
	put_trap(m, branch, cause, interrupt);
	put_certain(m);
	if (!interrupt)
		put_tval(m, any_address(m));
}

static void
make_context(struct maker *m)
{
	m->record.severity = MK_INFO;
	put_format(m, 3, "sync.context");
	put_named(m, "subformat", 2, 2);
	put_named(m, "privilege", below(m, 2), 2);
}

static void
put_support(struct maker *m, unsigned status, unsigned options)
{
	static const char *const names[] = {"no_change", "ended_rep", "trace_lost", "ended_ntr"};
	m->source->full_address = options & FULL_ADDRESS;
	m->record.severity = status == LOST ? MK_ERROR : MK_INFO;
	put_format(m, 3, "sync.support");
	put_named(m, "subformat", 3, 2);
	put_named(m, "ienable", status != ENDED, 1);
	put_named(m, "encoder_mode", 0, 1);
	put(m, status, 2);
	mk_record_field(&m->record, "qual_status=%s", names[status]);
	put(m, options, 5);
	if (m->source->full_address)
		mk_record_field(&m->record, "ioption=full_address");
	put_named(m, "denable", m->plan->type_width > 0, 1);
	put_named(m, "dloss", 0, 1);
	put_named(m, "doptions", 0, 4);
}

static void
make_support(struct maker *m)
{
	unsigned status = m->plan->everything && below(m, 4) == 0 ? LOST : 0;
	put_support(m, status, m->plan->everything && below(m, 4) == 0 ? FULL_ADDRESS : 0);
}

static void
make_address(struct maker *m)
{
	put_format(m, 2, "address");
	put_move(m);
}

static void
put_branches(struct maker *m, unsigned count, uint32_t map)
{
	static const unsigned widths[] = {1, 3, 7, 15, 31};
	unsigned i = 0;
	while (widths[i] < count)
		i++;
	put_named(m, "branches", count % 31, 5);
	put_named(m, "branch_map", map & ((1u << count) - 1), widths[i]);
	mk_record_field(&m->record, "branch_map_bits=%u", widths[i]);
}

static void
make_branch(struct maker *m)
{
	put_format(m, 1, "branch.address");
	unsigned count = 1 + below(m, 30);
	put_branches(m, count, (uint32_t)random_next(&m->seed));
	put_move(m);
}

static void
make_full_map(struct maker *m)
{
	put_format(m, 1, "branch.noaddr");
	put_branches(m, 31, (uint32_t)random_next(&m->seed));
}

static void
make_count(struct maker *m)
{
	static const unsigned forms[] = {0, 2, 3};
	unsigned form = forms[below(m, 3)];
	put_format(m, 0, "ext.branch_count");
	put_named(m, "branch_count", below(m, 5000), 32);
	put_named(m, "branch_fmt", form, 2);
	if (form)
		put_move(m);
}

static void
make_data(struct maker *m)
{
	static const char *const names[] = {"load.aligned", "load.unaligned", "store.aligned",
					    "store.unaligned"};
	unsigned format = below(m, 4), size = below(m, 3), bytes = 1 + below(m, 1u << size);
	uint32_t address = any_address(m) >> size << size;
	uint64_t data = random_next(&m->seed) & ((1ull << 8 * bytes) - 1);
	put_named(m, "dformat", format, 3);
	mk_record_field(&m->record, "name=%s", names[format]);
	put_named(m, "size", size, 2);
	put_named(m, "diff", 0, 2);
	put_named(m, "data_len", bytes - 1, size);
	put(m, data, 8 * bytes);
	put(m, format % 2 ? address : address >> size, 32);
	mk_record_field(&m->record, "data=0x%" PRIx64 "\taddress=0x%" PRIx32, data, address);
}

static void
make_opaque(struct maker *m)
{
	for (unsigned bytes = 1 + below(m, 15); bytes; bytes--)
		put(m, random_next(&m->seed), 8);
}

/* --- packets ----------------------------------------------------------- */

/* Puts header, source, time stamp and type around the payload and sends it. */
static void
send_packet(struct maker *m, unsigned type)
{
	const struct mk_encap_plan *p = m->plan;
	struct mk_record *r = &m->record;
	bool extend = p->timestamp_bytes && below(m, 8);
	unsigned flow = below(m, 4);
	if (type != OTHER)
		bits_shorten(&m->payload);
	unsigned length = (p->type_width + m->payload.count + p->srcid_width % 8 + 7) / 8;
	if (length > LENGTH_MAX)
		mk_die("a payload is too long");
	struct bits all = {.count = 0};
	bits_add(&all, length | flow << 5 | (unsigned)extend << 7, 8);
	bits_add(&all, m->source->id, p->srcid_width);
	if (extend)
		bits_add(&all, m->time, 8 * p->timestamp_bytes);
	bits_add(&all, type, p->type_width);
	bits_append(&all, &m->payload);
	bits_add(&all, bits_top(&all) ? UINT64_MAX : 0, -all.count % 8);
	for (unsigned at = 0; at < all.count; at += 8)
		r->bytes[r->length++] = (uint8_t)(all.word[at / 64] >> at % 64);

	r->timed = extend;
	r->ticks = m->time;
	mk_record_field(r, "flow=%u\textend=%d", flow, extend);
	if (p->srcid_width)
		mk_record_field(r, "srcid=%u", m->source->id);
	if (p->type_width)
		mk_record_field(r, "type=%u", type);
	m->doubtful |= mk_record_send(r, m->sink, m->doubtful ? "damaged" : "ok") != 0;
}

static void
begin_packet(struct maker *m)
{
	mk_record_begin(&m->record, m->sink, "normal", MK_DEBUG);
	memset(&m->payload, 0, sizeof m->payload);
}

static void
send_instruction(struct maker *m)
{
	/* how often of 256 */
	static const struct {
		unsigned often;
		void (*make)(struct maker *);
	} kinds[] = {
	    {128, make_branch}, {60, make_address}, {32, make_full_map}, {12, make_trap},
	    {10, make_count},	{8, make_context},  {4, make_start},	 {2, make_support},
	};
	begin_packet(m);
	if (m->source->to_announce == 2) {
		make_support(m);
		m->source->to_announce = 1;
	} else if (m->source->to_announce == 1) {
		make_start(m);
		m->source->to_announce = 0;
	} else {
		unsigned dice = below(m, 256), i = 0;
		while (dice >= kinds[i].often)
			dice -= kinds[i++].often;
		kinds[i].make(m);
		if (kinds[i].make == make_support)
			m->source->to_announce = 1;
	}
	send_packet(m, INSTRUCTION);
}

static void
send_any(struct maker *m)
{
	const struct mk_encap_plan *p = m->plan;
	unsigned dice = below(m, 8);
	m->source = &m->sources[below(m, p->sources)];
	m->time += below(m, 200);
	if (p->type_width && dice == 0) {
		begin_packet(m);
		make_data(m);
		send_packet(m, DATA);
	} else if (p->type_width >= 2 && p->everything && dice == 1) {
		begin_packet(m);
		mk_record_field(&m->record, "class=opaque");
		make_opaque(m);
		send_packet(m, OTHER);
	} else {
		send_instruction(m);
	}
}

/* IDLE null packets, and one for alignment. */
static void
send_nulls(struct maker *m, unsigned idle, bool sync)
{
	struct mk_record *r = &m->record;
	mk_record_begin(r, m->sink, "null_run", MK_DEBUG);
	memset(r->bytes, 0, idle);
	r->bytes[idle] = 0x80;
	r->length = idle + 1;
	mk_record_field(r, "count=%u\tidle=%u\talignment=1\tlast=alignment\tsync=%d", idle + 1,
			idle, sync);
	mk_record_send_whole(r, m->sink, m->doubtful ? "damaged" : "ok");
}

void
mk_encap(const struct mk_encap_plan *plan, struct mk_sink *sink)
{
	/* no packet holds more nulls in a row */
	const unsigned longest = LENGTH_MAX + plan->timestamp_bytes + plan->srcid_width / 8;
	static struct maker maker;
	struct maker *m = &maker;
	*m = (struct maker){.plan = plan, .sink = sink, .seed = plan->seed, .time = 1000};
	uint64_t next_sync = 0;
	for (uint64_t made = 0; !mk_enough(sink, made); made++) {
		if (sink->out->offset >= next_sync) {
			send_nulls(m, longest, true);
			m->doubtful = false;
			for (unsigned i = 0; i < plan->sources; i++) {
				m->sources[i].id = i * 37 & ((1u << plan->srcid_width) - 1);
				m->sources[i].to_announce = 2;
			}
			next_sync = sink->out->offset + plan->sync;
		} else if (plan->everything && below(m, 16) == 0) {
			send_nulls(m, below(m, 6), false);
		}
		send_any(m);
	}
}

/* --- one hart, by a script --------------------------------------------- */

struct mk_hart {
	struct maker maker;
	struct mk_encap_plan plan;
};

struct mk_hart *
mk_hart_new(const struct mk_encap_plan *plan, struct mk_sink *sink, unsigned id)
{
	struct mk_hart *hart = calloc(1, sizeof *hart);
	if (!hart)
		mk_die("no memory");
	hart->plan = *plan;
	hart->maker = (struct maker){.plan = &hart->plan, .sink = sink, .seed = plan->seed};
	hart->maker.source = &hart->maker.sources[0];
	hart->maker.source->id = id;
	return hart;
}

void
mk_hart_free(struct mk_hart *hart)
{
	free(hart);
}

/* The program reached an address, as a trace without returns that are as expected has it. */
static void
put_reached(struct maker *m, const struct mk_hart_packet *packet)
{
	put_format(m, packet->branches ? 1 : 2, packet->branches ? "branch.address" : "address");
	if (packet->branches)
		put_branches(m, packet->branches, packet->branch_map);
	put_address(m, (int32_t)(packet->pc - m->source->pc) / 2);
	put_change(m, "notify", 0);
	put_change(m, "updiscon", 0);
	put_change(m, "irreport", 0);
	for (unsigned i = 0; i < m->plan->call_counter; i++)
		put_change(m, NULL, 0); /* of irdepth */
}

void
mk_hart_send(struct mk_hart *hart, const struct mk_hart_packet *packet, uint64_t time)
{
	struct maker *m = &hart->maker;
	bool interrupt = packet->what == MK_HART_INTERRUPT;
	m->time = time;
	if (packet->what == MK_HART_SYNC) {
		send_nulls(m, LENGTH_MAX + hart->plan.timestamp_bytes, true);
		return;
	}
	begin_packet(m);
	switch (packet->what) {
	case MK_HART_SUPPORT:
	case MK_HART_END:
		put_support(m, packet->what == MK_HART_END ? ENDED : 0,
			    hart->plan.call_counter ? IMPLICIT_RETURN : 0);
		break;
	case MK_HART_START:
		put_start(m, 1, 3);
		put_pc(m, packet->pc);
		break;
	case MK_HART_INTERRUPT:
	case MK_HART_EXCEPTION:
		put_trap(m, 1, packet->cause, interrupt);
		put_pc(m, packet->pc);
		if (!interrupt)
			put_tval(m, packet->tval);
		break;
	case MK_HART_REACHED:
		put_reached(m, packet);
		break;
	case MK_HART_SYNC:
		break;
	}
	send_packet(m, INSTRUCTION);
}
