/*
 * An E-Trace encoder for tests: see etrace_encode.h.
 *
 * What needs a packet is decided instruction by instruction, one back and one ahead, as in
 * [E-Trace 2.0, "Reference Compressed Branch Trace Algorithm"]; other sentences stand where
 * they decide.
 *
 * Packets do not tell everything: what is executed before a trap, say, may have been come to
 * before without a packet.  A hart can report any instruction ("notify"), so where a path
 * that is read by the rules for `address` would end too early an instruction on the way is
 * reported so, and all is encoded again.
 */
#include "config.h"

#include "test.h"

#include "etrace_encode.h"
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the program --------------------------------------------------------- */

enum kind { OTHER, BRANCH, DIRECT, INDIRECT, TRAP_RETURN };

static uint64_t
number_at(const uint8_t *at, unsigned size)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)at[i] << 8 * i;
	return value;
}

static uint8_t *
read_file(const char *name, const char *end, size_t *length)
{
	const char *srcdir = getenv("srcdir");
	char path[4096];
	snprintf(path, sizeof path, "%s/tests/flow/%s.%s", srcdir ? srcdir : ".", name, end);
	FILE *f = fopen(path, "rb");
	if (!f)
		fail_msg("%s: cannot be read", path);
	size_t room = 1 << 20;
	uint8_t *bytes = mem_new(room + 1);
	*length = fread(bytes, 1, room, f);
	fclose(f);
	assert_true(*length && *length < room);
	return bytes;
}

/* The loaded segment with code of an ELF file. */
static void
read_elf(struct etrace_run *run, const char *name)
{
	size_t length;
	run->file = read_file(name, "elf", &length);
	const uint8_t *elf = run->file;
	run->wide = elf[4] == 2;
	uint64_t heads = run->wide ? number_at(elf + 32, 8) : number_at(elf + 28, 4);
	unsigned size = (unsigned)number_at(elf + (run->wide ? 54 : 42), 2);
	unsigned count = (unsigned)number_at(elf + (run->wide ? 56 : 44), 2);
	for (unsigned i = 0; i < count; i++) {
		const uint8_t *head = elf + heads + i * size;
		unsigned flags = (unsigned)number_at(head + (run->wide ? 4 : 24), 4);
		if (number_at(head, 4) != 1 || !(flags & 1))
			continue;
		uint64_t at = run->wide ? number_at(head + 8, 8) : number_at(head + 4, 4);
		run->base = run->wide ? number_at(head + 16, 8) : number_at(head + 8, 4);
		run->length = run->wide ? number_at(head + 32, 8) : number_at(head + 16, 4);
		run->bytes = elf + at;
		assert_true(at + run->length <= length);
	}
	assert_non_null(run->bytes);
}

static int64_t
signed_number(uint64_t value, unsigned bits)
{
	uint64_t sign = (uint64_t)1 << (bits - 1);
	return (int64_t)(((value & (2 * sign - 1)) ^ sign) - sign);
}

/* [RISC-V I, "RVC Instruction Set Listings"]: by quadrant and the three bits on top. */
static void
classify_short(bool wide, uint32_t o, struct etrace_ran *ran)
{
	unsigned top = o >> 13, reg = o >> 7 & 31;
	if ((o & 3) == 1) {
		bool c_jal = top == 1 && !wide;
		if (top >= 6)
			ran->kind = BRANCH;
		else if (top == 5 || c_jal)
			ran->kind = DIRECT;
		ran->rd = c_jal;
		ran->loads = top == 3 && reg != 2;
		if (ran->loads) {
			ran->rd = (uint8_t)reg;
			uint64_t value = (o >> 12 & 1) << 17 | (o >> 2 & 31) << 12;
			ran->value = (uint64_t)signed_number(value, 18);
		}
	} else if ((o & 3) == 2 && top == 4 && reg && !(o >> 2 & 31)) {
		ran->kind = INDIRECT;
		ran->rs1 = (uint8_t)reg;
		ran->rd = o >> 12 & 1;
	}
}

/* [RISC-V I, "RV32/64G Instruction Set Listings"]; xRET are of SYSTEM, in
 * [RISC-V II, "Trap-Return Instructions"]. */
static void
classify_long(uint32_t o, uint64_t pc, struct etrace_ran *ran)
{
	uint8_t rd = o >> 7 & 31, rs1 = o >> 15 & 31;
	switch (o & 0x7f) {
	case 0x63:
		ran->kind = BRANCH;
		break;
	case 0x6f:
		ran->kind = DIRECT;
		ran->rd = rd;
		break;
	case 0x67:
		ran->kind = rs1 ? INDIRECT : DIRECT;
		ran->rd = rd;
		ran->rs1 = rs1;
		ran->value = (uint64_t)signed_number(o >> 20, 12);
		break;
	case 0x37:
	case 0x17:
		ran->loads = true;
		ran->rd = rd;
		ran->value = (uint64_t)signed_number(o & 0xfffff000, 32);
		ran->value += (o & 0x7f) == 0x17 ? pc : 0;
		break;
	case 0x73:
		if (!(o & 0xfff80) && ((o >> 20 & 0x0ff) == 0x02))
			ran->kind = TRAP_RETURN;
		break;
	default:
		break;
	}
}

static struct etrace_ran
classify(const struct etrace_run *run, uint64_t pc, uint8_t privilege)
{
	struct etrace_ran ran = {.pc = pc, .privilege = privilege};
	assert_true(pc >= run->base && pc - run->base + 2 <= run->length);
	const uint8_t *at = run->bytes + (pc - run->base);
	ran.length = (*at & 3) == 3 ? 4 : 2;
	if (ran.length == 2)
		classify_short(run->wide, (uint32_t)number_at(at, 2), &ran);
	else
		classify_long((uint32_t)number_at(at, 4), pc, &ran);
	return ran;
}

bool
etrace_run_add(struct etrace_run *run, uint64_t pc, uint8_t privilege)
{
	bool there = pc >= run->base && pc - run->base + 2 <= run->length;
	if (there)
		*vec_add(&run->ran) = classify(run, pc, privilege);
	return there;
}

/* --- the log: its form is in tests/flow/renew ---------------------------- */

static void
read_trap(struct etrace_run *run, const char *line, uint8_t privilege)
{
	struct etrace_ran trap = {.trap = true, .privilege = privilege};
	char kind[16];
	unsigned long long cause, epc, tval;
	assert_int_equal(sscanf(line, "! %15s %llx %llx %llx", kind, &cause, &epc, &tval), 4);
	trap.interrupt = *kind == 'i';
	trap.cause = cause;
	trap.pc = run->base + epc;
	trap.tval = tval;
	*vec_add(&run->ran) = trap;
}

static void
read_steps(struct etrace_run *run, const char *line, uint8_t privilege)
{
	unsigned long long first;
	unsigned times = 1;
	char steps[4096];
	assert_true(sscanf(line, "%llx %4095s *%u", &first, steps, &times) >= 2);
	for (; times; times--) {
		uint64_t pc = run->base + first;
		*vec_add(&run->ran) = classify(run, pc, privilege);
		for (const char *step = steps; *step >= '0' && *step <= '9'; step++) {
			pc += (uint64_t)(*step - '0');
			*vec_add(&run->ran) = classify(run, pc, privilege);
		}
	}
}

static void
read_log(struct etrace_run *run, const char *name)
{
	size_t length;
	uint8_t *bytes = read_file(name, "log", &length);
	char *rest = (char *)bytes;
	uint8_t privilege = 3;
	rest[length] = '\0';
	for (char *line; (line = strsep(&rest, "\n")) && *line;) {
		if (*line == 'p')
			privilege = (uint8_t)(line[2] - '0');
		else if (*line == '!')
			read_trap(run, line, privilege);
		else
			read_steps(run, line, privilege);
	}
	free(bytes);
}

void
etrace_run_read(struct etrace_run *run, const char *name)
{
	*run = (struct etrace_run){0};
	read_elf(run, name);
	read_log(run, name);
	assert_true(run->ran.count > 100);
}

void
etrace_run_free(struct etrace_run *run)
{
	vec_free(&run->ran);
	free(run->file);
}

/* --- an encoder ---------------------------------------------------------- */

/* What a packet does with the instruction that it reports. */
struct report {
	bool notify, updiscon, irreport;
	unsigned depth;
};

struct encoder {
	const struct etrace_run *run;
	const struct etrace_style *style;
	struct etrace_sent *sent;
	uint64_t random;
	const struct etrace_ran *ran; /* the run as this encoder sees it */
	size_t count;
	bool *wanted; /* reports that tell what packets would not, by instruction */
	unsigned *branches_before, *depth_before;

	size_t at, start;  /* the instruction, and the one that the last packet reported */
	bool unknown;	   /* the one before it leads to where the program does not say */
	bool mispredicted; /* likewise: a return elsewhere than the stack says */
	bool returned, returned_since, branched_since; /* inferred; the one before, since a call */
	bool reported;				       /* the trap before it */
	bool ambiguous;				       /* found one: all again */
	bool give_up;				       /* there is none to help */
	unsigned packets;			       /* since a synchronisation */
	uint64_t address;			       /* that was reported last */
	uint64_t context;

	uint32_t map; /* of the oldest 31 branches */
	unsigned branches, wrong;
	bool failed; /* the instruction is a branch that was not predicted */
	uint64_t stack[1 << 10];
	unsigned depth, limit;
	uint8_t predictor[1 << 10];
	uint64_t cache[1 << 8];
};

static const struct etrace_ran *
current(const struct encoder *e)
{
	return &e->ran[e->at];
}

static bool
is_branch(const struct etrace_ran *ran)
{
	return !ran->trap && ran->kind == BRANCH;
}

/* Where the program goes behind instruction I, which is not the last one. */
static uint64_t
target_of(const struct encoder *e, size_t i)
{
	return e->ran[i + 1].pc;
}

/* --- packets ------------------------------------------------------------- */

static void
send_bits(struct encoder *e, unsigned format, struct bits *bits)
{
	const struct etrace_style *style = e->style;
	uint64_t stamp = e->sent->ends.count;
	bits_shorten(bits);
	stream_packet(&e->sent->stream, &style->encap, 0, 0, style->stamped ? &stamp : NULL, 0,
		      bits);
	*vec_add(&e->sent->ends) = e->sent->stream.length;
	*vec_add(&e->sent->kinds) = (uint8_t)format;
	e->sent->formats[format]++;
	e->packets += format < PACKET_START;
}

/* privilege, time, context [E-Trace 2.0, "Format 3 packets"] */
static void
add_mode(const struct encoder *e, struct bits *bits, uint8_t privilege)
{
	bits_add(bits, privilege, e->style->privilege);
	bits_add(bits, e->at * 3, e->style->time);
	bits_add(bits, e->context, e->style->context);
}

static void
add_full(const struct encoder *e, struct bits *bits, uint64_t address)
{
	bits_add(bits, address >> e->style->address_lsb,
		 e->style->address_width - e->style->address_lsb);
}

/* "Values of all instruction trace run-time configuration bits" in two layouts: see
 * layouts in decode/encap/etrace.c for where they are from. */
static void
send_support(struct encoder *e, unsigned status)
{
	const struct etrace_style *s = e->style;
	struct bits bits = {0};
	bits_add(&bits, 15, 4);
	bits_add(&bits, 1, 1); /* ienable */
	bits_add(&bits, 0, 1); /* encoder_mode */
	bits_add(&bits, status, 2);
	if (s->pulp) {
		bits_add(&bits, s->jump_target_cache, 1);
		bits_add(&bits, s->branch_prediction, 1);
		bits_add(&bits, s->implicit_return, 1);
		bits_add(&bits, s->sijump, 1);
		bits_add(&bits, s->implicit_exception, 1);
		bits_add(&bits, s->full_address, 1);
		bits_add(&bits, !s->full_address, 1);
	} else {
		bits_add(&bits, s->implicit_return, 1);
		bits_add(&bits, s->implicit_exception, 1);
		bits_add(&bits, s->full_address, 1);
		bits_add(&bits, s->jump_target_cache, 1);
		bits_add(&bits, s->branch_prediction, 1);
		bits_add(&bits, 0, 6); /* denable, dloss, doptions */
	}
	send_bits(e, PACKET_SUPPORT, &bits);
}

static void
send_context(struct encoder *e)
{
	struct bits bits = {0};
	e->context++;
	bits_add(&bits, 11, 4);
	add_mode(e, &bits, current(e)->privilege);
	send_bits(e, PACKET_CONTEXT, &bits);
}

/* "The lookup table entries are initialized to 01 when a synchronization packet is sent"
 * [E-Trace 2.0, "Branch prediction mode"]; "the cache entries are all invalidated"
 * ["Jump target cache mode"]; "reset to 0" ["Implicit return mode"]. */
static void
forget(struct encoder *e)
{
	e->branches = e->wrong = 0;
	e->map = 0;
	e->depth = 0;
	e->returned = e->returned_since = e->branched_since = false;
	memset(e->predictor, 1, sizeof e->predictor);
	memset(e->cache, 0, sizeof e->cache);
	e->packets = 0;
}

static void predict(struct encoder *e, const struct etrace_ran *ran);

/* The instruction is where execution goes on for whoever reads the packet. */
static void
begin_here(struct encoder *e)
{
	forget(e);
	if (is_branch(current(e)))
		predict(e, current(e));
	e->start = e->at;
}

static void check_path(struct encoder *e, const struct report *report, bool sync);

/* [E-Trace 2.0, "Format 3 subformat 0 - Synchronisation"]; "set to 0 if the address points to
 * a branch instruction, and the branch was taken". */
static void
send_start(struct encoder *e)
{
	const struct etrace_ran *ran = current(e);
	struct bits bits = {0};
	if (e->at && !e->ran[e->at - 1].trap)
		check_path(e, &(const struct report){0}, true);
	bits_add(&bits, 3, 4);
	bits_add(&bits, !(is_branch(ran) && ran->taken), 1);
	add_mode(e, &bits, ran->privilege);
	add_full(e, &bits, ran->pc);
	send_bits(e, PACKET_START, &bits);
	e->address = ran->pc;
	begin_here(e);
}

/* [E-Trace 2.0, "Format 3 subformat 1 - Trap"]: TRAP, with the address of its handler, the
 * instruction, or with that of the trap. */
static void
send_trap(struct encoder *e, const struct etrace_ran *trap, bool handler)
{
	const struct etrace_ran *ran = current(e);
	struct bits bits = {0};
	bits_add(&bits, 7, 4);
	bits_add(&bits, !(handler && is_branch(ran) && ran->taken), 1);
	add_mode(e, &bits, ran->privilege);
	bits_add(&bits, trap->cause, e->style->cause);
	bits_add(&bits, trap->interrupt, 1);
	bits_add(&bits, handler, 1);
	/* "the trap handler address is omitted if thaddr is 1" in implicit exception mode */
	if (!handler || !e->style->implicit_exception)
		add_full(e, &bits, handler ? ran->pc : trap->pc);
	if (!trap->interrupt)
		bits_add(&bits, trap->tval, e->style->address_width);
	send_bits(e, PACKET_TRAP, &bits);
	e->address = handler ? ran->pc : trap->pc;
	if (handler)
		begin_here(e);
	else
		forget(e);
}

/* 1, 3, 7, 15 or 31 bits [E-Trace 2.0, "Format 1 packets"] */
static void
add_map(struct encoder *e, struct bits *bits, unsigned count)
{
	unsigned size = 1;
	while (size < count)
		size = 2 * size + 1;
	bits_add(bits, e->map, size);
}

static bool
last_bit(const struct bits *bits)
{
	return bits_get(bits, bits->count - 1);
}

/* "If the value of this bit is different from" the one before it. */
static void
add_return(const struct encoder *e, struct bits *bits, const struct report *report)
{
	const struct etrace_style *s = e->style;
	unsigned width = s->stack_size + (s->stack_size > 0) + s->counter_size;
	bool same = last_bit(bits);
	bits_add(bits, same ^ report->irreport, 1);
	bits_add(bits, report->irreport ? report->depth : same ? UINT64_MAX : 0, width);
}

static void
add_address(const struct encoder *e, struct bits *bits, const struct report *report)
{
	uint64_t to = current(e)->pc;
	add_full(e, bits, e->style->full_address ? to : to - e->address);
	bits_add(bits, last_bit(bits) ^ report->notify, 1);
	bits_add(bits, last_bit(bits) ^ report->updiscon, 1);
	add_return(e, bits, report);
}

static unsigned
place_in(const struct encoder *e, uint64_t address, unsigned size)
{
	/* "bits 1 to bpred_size_p ..., or from bit 2 on without compressed instructions" */
	unsigned from = e->style->address_lsb < 2 ? 1 : 2;
	return (unsigned)(address >> from) & ((1u << size) - 1);
}

/* Correctly predicted branches that are not reported, of which 31 are worth a count. */
static unsigned
count_right(const struct encoder *e)
{
	if (!e->style->branch_prediction || e->wrong > e->failed)
		return 0;
	return e->branches - e->wrong;
}

/* Whether a jump's target is sent as an index.  "However, the encoder may chose to output the
 * equivalent format 1 or 2 packet" [E-Trace 2.0, "Format selection"]. */
static bool
is_indexed(const struct encoder *e, const struct report *report, unsigned place)
{
	unsigned will = e->style->will ? e->style->will[e->at] : 0;
	return e->style->jump_target_cache && e->unknown && e->cache[place] == current(e)->pc &&
	       !report->notify && (!report->updiscon || will & ETRACE_WILL_INDEX) &&
	       !(will & ETRACE_WILL_SPELL);
}

/* The choice is that of [E-Trace 2.0, "Format selection"]. */
static void
send_report(struct encoder *e, const struct report *report)
{
	struct bits bits = {0};
	unsigned subformat = e->style->cache_size && e->style->predictor_size;
	unsigned place = place_in(e, current(e)->pc, e->style->cache_size), right = count_right(e);
	unsigned format = PACKET_ADDRESS;
	if (right >= 31) {
		format = PACKET_COUNT;
		bits_add(&bits, 0, 2);
		bits_add(&bits, 0, subformat);
		bits_add(&bits, right - 31, 32);
		bits_add(&bits, e->failed ? 3 : 2, 2);
		add_address(e, &bits, report);
	} else if (is_indexed(e, report, place)) {
		format = PACKET_INDEX;
		bits_add(&bits, 0, 2);
		bits_add(&bits, 1, subformat);
		bits_add(&bits, place, e->style->cache_size);
		bits_add(&bits, e->branches, 5);
		if (e->branches)
			add_map(e, &bits, e->branches);
		add_return(e, &bits, report);
	} else if (e->branches) {
		format = PACKET_BRANCHES;
		bits_add(&bits, 1, 2);
		bits_add(&bits, e->branches, 5);
		add_map(e, &bits, e->branches);
		add_address(e, &bits, report);
	} else {
		bits_add(&bits, 2, 2);
		add_address(e, &bits, report);
	}
	send_bits(e, format, &bits);
	/* "Each uninferable jump target is first compared" */
	if (e->unknown)
		e->cache[place] = current(e)->pc;
	e->address = current(e)->pc;
	e->branches = e->wrong = 0;
	e->map = 0;
	e->start = e->at;
}

/* "No packets are generated until there are at least 31 branches to report", "as soon as one
 * of the branch outcomes is not correctly predicted" [E-Trace 2.0, "Format selection"]. */
static void
send_branches(struct encoder *e)
{
	struct bits bits = {0};
	unsigned subformat = e->style->cache_size && e->style->predictor_size;
	bool counted = count_right(e) >= 31;
	if (e->branches < 31 || (counted && !e->failed))
		return;
	if (counted) {
		bits_add(&bits, 0, 2);
		bits_add(&bits, 0, subformat);
		bits_add(&bits, count_right(e) - 31, 32);
		bits_add(&bits, 0, 2);
	} else {
		bits_add(&bits, 1, 2);
		bits_add(&bits, 0, 5);
		add_map(e, &bits, 31);
	}
	send_bits(e, counted ? PACKET_COUNT : PACKET_BRANCHES, &bits);
	e->branches = e->wrong = 0;
	e->map = 0;
	e->start = e->at;
}

/* --- what an instruction changes ----------------------------------------- */

/* "00: predict not taken, transition to 01 if prediction fails; 01: predict not taken,
 * transition to 00 if prediction succeeds, else 11; 11: predict taken, transition to 10 if
 * prediction fails; 10: predict taken, transition to 11 if prediction succeeds, else 00"
 * [E-Trace 2.0, "Branch prediction mode"]. */
static void
predict(struct encoder *e, const struct etrace_ran *ran)
{
	static const uint8_t next[4][2] = {{0, 1}, {0, 3}, {0, 3}, {2, 3}}; /* not taken, taken */
	uint8_t *state = &e->predictor[place_in(e, ran->pc, e->style->predictor_size)];
	e->failed = *state >> 1 != ran->taken;
	*state = next[*state][ran->taken];
}

static void
take_branch(struct encoder *e)
{
	const struct etrace_ran *ran = current(e);
	e->failed = false;
	if (!is_branch(ran))
		return;
	predict(e, ran);
	if (e->branches < 31)
		e->map |= (uint32_t)!ran->taken << e->branches;
	e->branches++;
	e->wrong += e->failed;
}

/* A jump "preceded by LUI, AUIPC or C.LUI" [E-Trace 2.0, "Sequentially inferable jump
 * mode"]: "both the constant load and the jump must be traced". */
static bool
is_sequential_pair(const struct encoder *e)
{
	const struct etrace_ran *ran = current(e), *before = ran - 1;
	return e->style->sijump && e->at && !before->trap && before->loads &&
	       before->rd == ran->rs1;
}

static bool
is_sequential(struct encoder *e)
{
	const struct etrace_ran *ran = current(e), *before = ran - 1;
	if (!is_sequential_pair(e))
		return false;
	uint64_t mask = e->run->wide ? UINT64_MAX : UINT32_MAX;
	uint64_t target = (before->value + ran->value) & ~(uint64_t)1 & mask;
	e->give_up |= target != target_of(e, e->at);
	return true;
}

/* "The counter increments on calls (but not tail calls), and decrements on returns", "only
 * treat a return as inferable if the actual return address matches the prediction" [E-Trace
 * 2.0, "Implicit return mode"]; which they are is is_call and is_implicit_return of "Decoder
 * pseudo code", where what was not predicted stays on the stack. */
static void
take_jump(struct encoder *e)
{
	const struct etrace_ran *ran = current(e);
	bool indirect = ran->kind == INDIRECT;
	bool returns = indirect && ran->rs1 == 1 && ran->rd == 0;
	e->unknown = ran->kind == TRAP_RETURN || (indirect && !is_sequential(e));
	e->mispredicted = e->returned = false;
	if (!e->style->implicit_return)
		return;
	if (e->unknown && returns && e->depth) {
		e->mispredicted =
		    e->style->stack_size && e->stack[e->depth - 1] != target_of(e, e->at);
		e->returned = !e->mispredicted;
		if (e->returned) {
			e->give_up |= e->stack[--e->depth] != target_of(e, e->at);
			e->unknown = false;
			e->returned_since = true;
			e->branched_since = false;
		}
	} else if ((indirect || ran->kind == DIRECT) && ran->rd == 1) {
		if (e->depth == e->limit)
			memmove(e->stack, e->stack + 1, --e->depth * sizeof *e->stack);
		e->stack[e->depth++] = ran->pc + ran->length;
		e->returned_since = false;
	}
	e->branched_since |= is_branch(ran);
}

/* --- what packets do not tell -------------------------------------------- */

/* Branches that are executed behind instruction I and up to the one before LAST are all that
 * are left there. */
static bool
are_used_up(const struct encoder *e, size_t i, size_t last)
{
	unsigned left = e->branches_before[last + 1] - e->branches_before[i];
	return left == is_branch(&e->ran[i]);
}

/* Whether the way to instruction LAST, reported so, seems to end at I, before it. */
static bool
ends_early(const struct encoder *e, size_t i, size_t last, const struct report *report, bool sync,
	   bool more)
{
	const struct etrace_ran *ran = &e->ran[i];
	if (e->style->stack_size && report->irreport && i + 1 < last && ran->kind == INDIRECT &&
	    ran->rs1 == 1 && !ran->rd && e->depth_before[i] == report->depth &&
	    e->ran[i + 1].pc != e->ran[last].pc &&
	    e->branches_before[last + 1] - e->branches_before[i] == is_branch(&e->ran[last]))
		return true; /* "the entry number of the return that failed" */
	if (ran->pc != e->ran[last].pc || !are_used_up(e, i, last) || report->updiscon)
		return false;
	if (report->notify || sync)
		return true;
	if (report->irreport && e->depth_before[i] != report->depth)
		return false;
	/* of a jump's target the packet that follows says that it is the second */
	return !(e->unknown && more);
}

static size_t
early_end(const struct encoder *e, size_t last, const struct report *report, bool sync, bool more)
{
	size_t i = e->start + 1;
	while (i < last && !ends_early(e, i, last, report, sync, more))
		i++;
	return i;
}

static bool is_followed(const struct encoder *e);

/* Sees to it that the way to the instruction is what its packet tells. */
static void
check_path(struct encoder *e, const struct report *report, bool sync)
{
	bool last = e->at + 1 == e->count;
	bool more = !is_followed(e) || last;
	e->depth_before[e->at] = e->depth;
	if (e->ambiguous || early_end(e, e->at, report, sync, more) >= e->at)
		return;
	e->ambiguous = true;
	e->give_up = e->style->will;
	for (size_t i = e->at - 1; i > e->start && !e->give_up; i--) {
		const struct report notify = {.notify = true};
		bool unknown = e->unknown, right;
		e->unknown = false;
		right = early_end(e, i, &notify, false, false) >= i;
		e->unknown = unknown;
		if (right && !e->wanted[i]) {
			e->wanted[i] = true;
			e->sent->helped++;
			return;
		}
	}
	e->give_up = true;
}

/* --- the algorithm ------------------------------------------------------- */

/* Whether the instruction is a return whose target has to be reported: that cannot be done
 * by a resynchronisation, which has no irreport. */
static bool
fails_to_return(const struct encoder *e)
{
	const struct etrace_ran *ran = current(e);
	return e->style->implicit_return && e->style->stack_size && e->depth &&
	       ran->kind == INDIRECT && ran->rs1 == 1 && ran->rd == 0 && !is_sequential_pair(e) &&
	       e->stack[e->depth - 1] != target_of(e, e->at);
}

/* Whether the one behind the instruction is resynchronised at, if a packet reports it now. */
static bool
is_resync_next(const struct encoder *e)
{
	const struct etrace_style *s = e->style;
	if (s->will)
		return s->will[e->at + 1] & ETRACE_WILL_START;
	return s->resync && e->packets + 1 > s->resync && !fails_to_return(e);
}

/* Whether the instruction is resynchronised at; and whether it has to be reported as the one
 * before such a one: a resynchronisation tells of no branches. */
static bool
is_resync(const struct encoder *e)
{
	const struct etrace_style *s = e->style;
	if (s->will)
		return s->will[e->at] & ETRACE_WILL_START;
	return s->resync && e->packets > s->resync && !e->mispredicted;
}

static bool
is_before_resync(const struct encoder *e)
{
	const struct etrace_style *s = e->style;
	if (!e->branches || e->at + 1 == e->count)
		return false;
	return s->will ? is_resync_next(e)
		       : s->resync && e->packets == s->resync && !fails_to_return(e);
}

/* Whether a trigger reports the instruction. */
static bool
is_chosen(struct encoder *e)
{
	const struct etrace_style *s = e->style;
	if (s->will)
		return s->will[e->at] & ETRACE_WILL_NOTIFY;
	return random_below(&e->random, 1000) < s->notify || e->wanted[e->at];
}

/* Whether a packet of format 3 follows the instruction, if a packet reports it now. */
static bool
is_followed(const struct encoder *e)
{
	const struct etrace_ran *next = current(e) + 1;
	if (e->at + 1 == e->count)
		return false;
	return next->trap || next->privilege != current(e)->privilege || is_resync_next(e);
}

/* "must report the current stack depth or call count if it is non-zero", "unless: there have
 * been no returns since the last call, or there has been at least one branch since the last
 * return" [E-Trace 2.0, "Format 2 irreport and irdepth"]. */
static bool
needs_depth(const struct encoder *e)
{
	bool will = e->style->will && e->style->will[e->at] & ETRACE_WILL_DEPTH;
	return e->style->implicit_return && is_followed(e) && (e->depth || will) &&
	       e->returned_since && !e->branched_since;
}

static void
report_address(struct encoder *e, bool notify)
{
	const struct report report = {
	    .notify = notify && !e->unknown,
	    /* "following an uninferable discontinuity and is also the instruction before an
	     * exception, privilege change or resync" */
	    .updiscon = e->unknown && is_followed(e),
	    .irreport = e->mispredicted || needs_depth(e),
	    .depth = e->depth,
	};
	check_path(e, &report, false);
	send_report(e, &report);
}

/* One instruction; the order of questions is that of the figure. */
static void
encode_instruction(struct encoder *e)
{
	const struct etrace_ran *ran = current(e), *before = ran - 1, *next = ran + 1;
	bool last = e->at + 1 == e->count, after_trap = e->at && before->trap;
	bool chosen = is_chosen(e);
	e->depth_before[e->at] = e->depth;
	take_branch(e);
	if (after_trap && !e->reported)
		send_trap(e, before, true);
	else if (after_trap || !e->at || ran->privilege != before->privilege || is_resync(e))
		send_start(e);
	else if (e->unknown)
		report_address(e, false);
	else if (chosen || is_before_resync(e))
		report_address(e, chosen);
	else if (last || next->trap || (next->privilege != ran->privilege && e->branches))
		report_address(e, false);
	else
		send_branches(e);
	e->reported = false;
}

/* A trap by itself: nothing retires.  "If an exception occurs at the target of an uninferable
 * PC discontinuity ... address contains the EPC and thaddr is set to 0" [E-Trace 2.0, "Format
 * 3 thaddr and address fields"]. */
static void
encode_trap(struct encoder *e)
{
	bool last = e->at + 1 == e->count;
	bool enters = e->style->will && e->style->will[e->at] & ETRACE_WILL_ENTER;
	e->reported = (e->unknown && !enters) || last || current(e)[1].trap;
	if (e->reported)
		send_trap(e, current(e), false);
	e->unknown = false;
}

static void
encode_all(struct encoder *e)
{
	if (!e->style->unannounced)
		send_support(e, 0);
	forget(e);
	for (e->at = 0; e->at < e->count && !e->ambiguous && !e->give_up; e->at++) {
		bool unknown = e->unknown;
		if (random_below(&e->random, 1000) < e->style->contexts)
			send_context(e);
		if (current(e)->trap) {
			encode_trap(e);
			continue;
		}
		encode_instruction(e);
		if (e->at + 1 < e->count)
			take_jump(e);
		else /* "would have been sent anyway", or not */
			send_support(e, unknown ? 3 : 1);
	}
}

/* The run as the encoder is told of it. */
static void
fill_want(const struct etrace_run *run, const struct etrace_style *style, struct etrace_sent *sent)
{
	for (size_t i = 0; i < run->ran.count; i++) {
		const struct etrace_ran *ran = &run->ran.at[i];
		bool retires = style->trap_retires && ran->trap && !ran->interrupt &&
			       (ran->cause == 3 || (ran->cause >= 8 && ran->cause <= 11));
		if (retires)
			*vec_add(&sent->want) = classify(run, ran->pc, ran[-1].privilege);
		*vec_add(&sent->want) = *ran;
	}
	for (size_t i = 0; i + 1 < sent->want.count; i++) {
		struct etrace_ran *ran = &sent->want.at[i];
		ran->taken = is_branch(ran) && ran[1].pc != ran->pc + ran->length;
	}
}

void
etrace_encode(const struct etrace_run *run, const struct etrace_style *style,
	      struct etrace_sent *sent)
{
	struct encoder *e = mem_new(sizeof *e);
	*sent = (struct etrace_sent){0};
	fill_want(run, style, sent);
	size_t count = sent->want.count;
	bool *wanted = mem_new(count);
	unsigned *branches = mem_new((count + 1) * sizeof *branches);
	unsigned *depths = mem_new(count * sizeof *depths);
	for (size_t i = 0; i < count; i++)
		branches[i + 1] = branches[i] + is_branch(&sent->want.at[i]);
	do {
		sent->stream.length = sent->ends.count = sent->kinds.count = 0;
		memset(sent->formats, 0, sizeof sent->formats);
		memset(e, 0, sizeof *e);
		*e = (struct encoder){.run = run, .style = style, .sent = sent};
		e->random = style->seed;
		e->ran = sent->want.at;
		e->count = count;
		e->wanted = wanted;
		e->branches_before = branches;
		e->depth_before = depths;
		e->limit = 1u << (style->stack_size ? style->stack_size : style->counter_size);
		encode_all(e);
	} while (e->ambiguous && !e->give_up);
	sent->unsure = e->give_up;
	free(wanted);
	free(branches);
	free(depths);
	free(e);
}

void
etrace_sent_free(struct etrace_sent *sent)
{
	stream_free(&sent->stream);
	vec_free(&sent->kinds);
	vec_free(&sent->ends);
	vec_free(&sent->want);
}
