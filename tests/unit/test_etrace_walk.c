/*
 * Following E-Trace packets: random programs that run at random, an encoder, and the walk,
 * which must give back every instruction and trap.
 *
 * The encoder is written from the specification's text, apart from the walk: which
 * instruction needs a packet is [E-Trace 2.0, "Reference Compressed Branch Trace
 * Algorithm"]; other sentences stand where they decide.  It looks one instruction back and
 * one ahead, as the encoder there does.
 */
#include "config.h"

#include "test.h"

#include "elf_write.h"
#include "flow/flow_walk.h"
#include "flow/flow_hold.h"
#include "folder.h"
#include "program_path.h"
#include "random.h"

#include <stdlib.h>
#include <string.h>

enum {
	FUNCTIONS = 7, /* 0 runs for ever, 1 is the handler of traps, others return */
	BODY = 24,     /* instructions of each at most */
	MOST = FUNCTIONS * (BODY + 4),
	STEPS = 4000
};
#define BASE 0x80000000u

/* --- a program --------------------------------------------------------- */

enum does {
	PLAIN,
	BRANCH,
	JUMP,
	CALL,
	CALL_REGISTER,
	JUMP_REGISTER,
	RETURN,
	LOAD,
	CALL_LOADED,
	ECALL,
	MRET
};

struct code {
	enum does does;
	unsigned function, target; /* place of an instruction */
	uint64_t address;
	unsigned length;
};

struct program {
	struct code code[MOST];
	unsigned count, first[FUNCTIONS + 1];
	byte_list bytes;
};

static unsigned
below(uint64_t *r, unsigned count)
{
	return random_below(r, count);
}

static bool
chance(uint64_t *r, unsigned percent)
{
	return below(r, 100) < percent;
}

static void
add_code(struct program *p, uint64_t *r, unsigned function, enum does does, unsigned target)
{
	bool shorter = does != CALL && does != LOAD && does != ECALL && does != MRET;
	p->code[p->count++] = (struct code){.does = does,
					    .function = function,
					    .target = target,
					    .length = shorter && chance(r, 50) ? 2 : 4};
}

/* Targets of branches and jumps are counted from the function's first instruction. */
static void
add_body(struct program *p, uint64_t *r, unsigned f, unsigned size, unsigned branches)
{
	while (p->count - p->first[f] < size) {
		unsigned here = p->count - p->first[f], what = below(r, 100);
		unsigned callee = f + 1 + below(r, FUNCTIONS - f);
		bool calls = f != 1 && callee > 1 && callee < FUNCTIONS;
		if (what < branches)
			add_code(p, r, f, BRANCH, below(r, size));
		else if (what < 25)
			add_code(p, r, f, JUMP, here + 1 + below(r, size - here));
		else if (what < 30)
			add_code(p, r, f, JUMP_REGISTER, 0);
		else if (what < 40 && calls)
			add_code(p, r, f, CALL, callee);
		else if (what < 45 && calls)
			add_code(p, r, f, CALL_REGISTER, 0);
		else if (what < 47 && f != 1)
			add_code(p, r, f, ECALL, 0);
		else if (what < 54 && calls && here + 1 < size) {
			add_code(p, r, f, LOAD, callee);
			add_code(p, r, f, CALL_LOADED, callee);
		} else
			add_code(p, r, f, PLAIN, 0);
	}
}

static uint32_t
take(int64_t value, unsigned high, unsigned low, unsigned to)
{
	return (uint32_t)((uint64_t)value >> low & ((1u << (high - low + 1)) - 1)) << to;
}

/* [RISC-V I, "RV32/64G Instruction Set Listings", "RVC Instruction Set Listings"] */
static uint32_t
encode(const struct program *p, const struct code *c)
{
	bool shorter = c->length == 2;
	int64_t by = (int64_t)(p->code[c->target].address - c->address);
	switch (c->does) {
	case BRANCH: /* c.beqz s0; beq x0, x0 */
		return shorter ? 0xc001 | take(by, 8, 8, 12) | take(by, 4, 3, 10) |
				     take(by, 7, 6, 5) | take(by, 2, 1, 3) | take(by, 5, 5, 2)
			       : 0x0063 | take(by, 12, 12, 31) | take(by, 10, 5, 25) |
				     take(by, 4, 1, 8) | take(by, 11, 11, 7);
	case JUMP: /* c.j; jal x0 */
	case CALL: /* jal x1 */
		if (shorter)
			return 0xa001 | take(by, 11, 11, 12) | take(by, 4, 4, 11) |
			       take(by, 9, 8, 9) | take(by, 10, 10, 8) | take(by, 6, 6, 7) |
			       take(by, 7, 7, 6) | take(by, 3, 1, 3) | take(by, 5, 5, 2);
		return (c->does == CALL ? 0xef : 0x6f) | take(by, 20, 20, 31) |
		       take(by, 10, 1, 21) | take(by, 11, 11, 20) | take(by, 19, 12, 12);
	case CALL_REGISTER: /* c.jalr x7; jalr x1, x7 */
		return shorter ? 0x9382 : 0x000380e7;
	case JUMP_REGISTER: /* c.jr x7; jalr x0, x7 */
		return shorter ? 0x8382 : 0x00038067;
	case RETURN:
		return shorter ? 0x8082 : 0x00008067;
	case LOAD: /* auipc x6: the program is shorter than 2 KiB */
		return 0x00000317;
	case CALL_LOADED: /* c.jalr x6 cannot add: long only */
		by = (int64_t)(p->code[c->target].address - (c - 1)->address);
		return 0x000300e7 | take(by, 11, 0, 20);
	case ECALL:
		return 0x00000073;
	case MRET:
		return 0x30200073;
	case PLAIN: /* c.nop; addi x0, x0, 0 */
		break;
	}
	return shorter ? 0x0001 : 0x00000013;
}

static void
make_program(struct program *p, uint64_t *r)
{
	unsigned branches = below(r, 25); /* of 100 */
	*p = (struct program){0};
	for (unsigned f = 0; f < FUNCTIONS; f++) {
		p->first[f] = p->count;
		/* what runs for ever has a branch in each round */
		if (!f)
			add_code(p, r, f, BRANCH, 1);
		add_body(p, r, f, 4 + below(r, BODY - 4), branches);
		add_code(p, r, f, f == 0 ? JUMP : f == 1 ? MRET : RETURN, 0);
	}
	p->first[FUNCTIONS] = p->count;
	uint64_t address = BASE;
	for (unsigned i = 0; i < p->count; i++) {
		struct code *c = &p->code[i];
		bool to_function = c->does == CALL || c->does == LOAD || c->does == CALL_LOADED;
		if (c->does == CALL_LOADED)
			c->length = 4;
		c->target = to_function ? p->first[c->target] : p->first[c->function] + c->target;
		c->address = address;
		address += c->length;
	}
	for (unsigned i = 0; i < p->count; i++)
		elf_put(&p->bytes, false, encode(p, &p->code[i]), p->code[i].length);
}

/* --- a run of it ------------------------------------------------------- */

struct retired {
	unsigned at;   /* instruction */
	uint64_t next; /* where the program is behind it */
	/* what came before it */
	bool trapped, interrupt, handler_reported; /* by an address of its own: thaddr 0 */
	uint64_t cause, epc;
	bool resync;
};

struct execution {
	struct retired step[STEPS];
	unsigned count;
};

static unsigned
place_of(const struct program *p, uint64_t address)
{
	for (unsigned i = 0; i < p->count; i++)
		if (p->code[i].address == address)
			return i;
	fail_msg("no instruction at %llx", (unsigned long long)address);
	return 0;
}

/* A trap needs a packet for the instruction before it, and of those that the program leads
 * to again without a packet or a branch only the first can be named; "updiscon" tells apart
 * what a jump leads to [E-Trace 2.0, "Format 2 notify and updiscon fields"].  There is no
 * trap where that would be ambiguous. */
static void
execute(const struct program *p, uint64_t *r, struct execution *run, unsigned trap_percent,
	bool sijump)
{
	uint64_t stack[64], epc = 0;
	unsigned depth = 0, at = 0, callee;
	bool since[MOST] = {false}, jumped = false, clear = false;
	run->count = 0;
	struct retired pending = {0};
	while (run->count < STEPS) {
		const struct code *c = &p->code[at];
		/* ECALL that does not trap, where it must not: nothing traps behind it */
		bool untrapped =
		    c->function == 1 ||
		    (run->count && p->code[run->step[run->count - 1].at].does == ECALL);
		bool interrupt = !untrapped && chance(r, trap_percent);
		bool fault = !untrapped && c->does == PLAIN && chance(r, trap_percent);
		if (clear && !untrapped && !pending.trapped &&
		    (interrupt || fault || c->does == ECALL)) {
			epc = c->address + (interrupt ? 0 : c->length);
			pending = (struct retired){.trapped = true,
						   .interrupt = interrupt,
						   .cause = interrupt ? 7
							    : fault   ? 2
								      : 11,
						   .epc = c->address,
						   .handler_reported = chance(r, 10)};
			at = p->first[1];
			memset(since, 0, sizeof since);
			jumped = false;
			continue;
		}
		clear = jumped || !since[at];
		since[at] = true;
		pending.at = at;
		uint64_t next = c->address + c->length;
		switch (c->does) {
		case BRANCH:
			next = chance(r, 50) ? p->code[c->target].address : next;
			break;
		case JUMP:
			next = p->code[c->target].address;
			break;
		case CALL:
		case CALL_LOADED:
			stack[depth++] = next;
			next = p->code[c->target].address;
			break;
		case CALL_REGISTER:
			callee = c->function ? c->function + 1 : 2;
			stack[depth++] = next;
			next = p->code[p->first[callee + below(r, FUNCTIONS - callee)]].address;
			break;
		case JUMP_REGISTER: /* anywhere in the function */
			next = p->code[p->first[c->function] +
				       below(r, p->first[c->function + 1] - p->first[c->function])]
				   .address;
			break;
		case RETURN:
			next = stack[--depth];
			break;
		case MRET:
			next = epc;
			break;
		case PLAIN:
		case LOAD:
		case ECALL:
			break;
		}
		pending.next = next;
		jumped = c->does >= CALL_REGISTER && c->does <= MRET && c->does != LOAD &&
			 c->does != ECALL && !(sijump && c->does == CALL_LOADED);
		if (jumped)
			memset(since, 0, sizeof since);
		run->step[run->count++] = pending;
		pending = (struct retired){0};
		at = place_of(p, next);
	}
}

/* --- the encoder ------------------------------------------------------- */

struct encoder {
	const struct program *p;
	struct execution *run;
	struct flow_modes modes;
	struct flow_widths widths;
	uint64_t *random;
	unsigned resync_percent, loss_percent, losing; /* packets that are still to be lost */
	unsigned packets, damaged; /* sent so far; which one is damaged, from 1 */
	void *walk;

	uint64_t reported; /* the last address in a packet */
	uint32_t map;
	unsigned branches;
	uint64_t stack[64];
	unsigned depth, limit;
	bool returned, branched; /* since the last call, by the stack; since the last return */
	bool since[MOST];	 /* executed since the last packet */
};

/* What a flipped bit or two does, WHICH chooses; false: the packet is missing. */
static bool
damage_packet(struct flow_packet *packet, unsigned which)
{
	uint64_t r = which;
	switch (below(&r, 4)) {
	case 0:
		return false;
	case 1:
		packet->branch_map ^= packet->branches ? 1u << below(&r, packet->branches) : 0;
		return true;
	case 2:
		packet->address ^= (uint64_t)1 << (1 + below(&r, 8));
		return true;
	default:
		packet->updiscon = !packet->updiscon;
		packet->branches ^= 1;
		return true;
	}
}

static void
send_packet(struct encoder *e, struct flow_packet packet)
{
	packet.widths = e->widths;
	bool missing = ++e->packets == e->damaged && !damage_packet(&packet, e->packets);
	if (!e->losing && packet.kind != FLOW_SUPPORT && chance(e->random, e->loss_percent))
		e->losing = 1 + below(e->random, 5);
	if (e->losing) {
		e->losing--;
		packet = (struct flow_packet){.kind = FLOW_LOST};
	}
	if (!missing)
		etrace_walk_form.packet(e->walk, &packet);
	memset(e->since, 0, sizeof e->since);
}

static const struct code *
code_of(const struct encoder *e, unsigned i)
{
	return &e->p->code[e->run->step[i].at];
}

static bool
is_taken(const struct encoder *e, unsigned i)
{
	const struct code *c = code_of(e, i);
	return c->does == BRANCH && e->run->step[i].next == e->p->code[c->target].address &&
	       e->p->code[c->target].address != c->address + c->length;
}

/* Format 3: "branch ... set to 0 if the address points to a branch instruction, and the
 * branch was taken" [E-Trace 2.0, "Format 3 branch field"]. */
static void
send_sync(struct encoder *e, unsigned i)
{
	const struct retired *s = &e->run->step[i];
	struct flow_packet sync = {.kind = FLOW_START,
				   .branch = !is_taken(e, i),
				   .privilege = 3,
				   .address = code_of(e, i)->address};
	if (s->trapped) {
		struct flow_packet trap = sync;
		trap.kind = FLOW_TRAP;
		trap.interrupt = s->interrupt;
		trap.cause = s->cause;
		trap.thaddr = !s->handler_reported;
		if (s->handler_reported) /* "the EPC" */
			trap.address = s->epc;
		send_packet(e, trap);
	}
	if (!s->trapped || s->handler_reported)
		send_packet(e, sync);
	e->reported = sync.address;
	e->map = e->branches = 0;
	e->depth = 0; /* "synchronization ... return stack is cleared" */
	e->returned = e->branched = false;
}

/* Formats 1 and 2. */
static void
send_address(struct encoder *e, unsigned i, bool notify, bool updiscon, bool ends)
{
	uint64_t address = code_of(e, i)->address;
	/* "must report the current stack depth", "unless: there have been no returns since the
	 * last call, or there has been at least one branch since the last return" */
	bool told = ends && e->depth && e->returned && !e->branched;
	struct flow_packet packet = {.kind = FLOW_ADDRESS,
				     .notify = notify,
				     .updiscon = updiscon,
				     .irreport = told,
				     .irdepth = told ? e->depth : 0,
				     .branches = (uint8_t)e->branches,
				     .branch_map = e->map,
				     .address = address};
	if (!e->modes.full_address)
		packet.address = address - e->reported;
	send_packet(e, packet);
	e->reported = address;
	e->map = e->branches = 0;
}

static void
send_map(struct encoder *e)
{
	send_packet(
	    e, (struct flow_packet){.kind = FLOW_BRANCHES, .branches = 31, .branch_map = e->map});
	e->map = e->branches = 0;
}

/* "uninferable PC discontinuity": what the program does not say of instruction I, which
 * changes the stack of implicit returns. */
static bool
is_discontinuity(struct encoder *e, unsigned i)
{
	const struct code *c = code_of(e, i);
	uint64_t link = c->address + c->length;
	bool call = c->does == CALL || c->does == CALL_REGISTER || c->does == CALL_LOADED;
	bool inferred = false;
	e->branched |= c->does == BRANCH;
	if (c->does == RETURN && e->modes.implicit_return && e->depth) {
		inferred = e->stack[--e->depth] == e->run->step[i].next;
		e->returned |= inferred;
		e->branched &= !inferred;
	}
	if (call && e->modes.implicit_return) {
		/* "the oldest entry is dropped" */
		if (e->depth == e->limit)
			memmove(e->stack, e->stack + 1, --e->depth * sizeof *e->stack);
		e->stack[e->depth++] = link;
		e->returned = false;
	}
	if (c->does == CALL_LOADED && e->modes.sijump)
		inferred = i && !e->run->step[i].trapped && code_of(e, i - 1)->does == LOAD &&
			   code_of(e, i - 1) + 1 == c;
	return !inferred && (c->does == CALL_REGISTER || c->does == CALL_LOADED ||
			     c->does == JUMP_REGISTER || c->does == RETURN || c->does == MRET);
}

/* Encodes as much of the run as can end; returns how many instructions that is, or 0 if it
 * cannot. */
static unsigned
encode_run(struct encoder *e)
{
	struct execution *run = e->run;
	bool jumped = false; /* the instruction before is a discontinuity */
	for (unsigned i = 0; i < run->count; i++) {
		const struct retired *s = &run->step[i];
		bool again = e->since[s->at], seen = again && !jumped;
		/* best where what is executed last was come to before, and then jumped to */
		bool last =
		    (i + 500 > run->count && again && jumped) || (i + 200 > run->count && !seen);
		bool more = i + 1 < run->count;
		bool ends = more && run->step[i + 1].trapped;
		bool sync = !i || s->trapped || s->resync, synced = sync;
		e->since[s->at] = true;
		/* "an exception at the target of an uninferable PC discontinuity" */
		if (i && s->trapped)
			run->step[i].handler_reported = jumped;
		if (more && !seen && !ends)
			ends = run->step[i + 1].resync = chance(e->random, e->resync_percent);
		if (sync) {
			send_sync(e, i);
		} else {
			if (code_of(e, i)->does == BRANCH)
				e->map |= (uint32_t)!is_taken(e, i) << e->branches++;
			bool notify = !seen && !jumped && chance(e->random, 1);
			if (jumped || ends || notify || last)
				send_address(e, i, notify, jumped && ends, ends);
			else if (e->branches == 31)
				send_map(e);
		}
		if (last) {
			/* "ended_ntr: the final packet would have been sent anyway" */
			bool anyway = jumped && !synced;
			send_packet(e, (struct flow_packet){.kind = FLOW_SUPPORT,
							    .modes = e->modes,
							    .status = anyway ? FLOW_ENDED_NTR
									     : FLOW_ENDED_REP});
			return i + 1;
		}
		jumped = is_discontinuity(e, i);
	}
	return 0;
}

/* --- the comparison ---------------------------------------------------- */

struct got {
	const struct program *p;
	VEC(struct retired) steps; /* `at`, and what came before */
	struct retired before;
	unsigned damaged;
};

static void
take_step(void *context, const struct flow_step *step)
{
	struct got *got = context;
	if (step->kind == FLOW_STEP_DAMAGE) {
		got->damaged++;
		return;
	}
	if (step->kind == FLOW_STEP_PROOF)
		return;
	if (step->kind == FLOW_STEP_TRAP) {
		got->before = (struct retired){.trapped = true,
					       .interrupt = step->interrupt,
					       .cause = step->cause,
					       .epc = step->has_epc ? step->epc : 0};
		return;
	}
	uint64_t address = step->first;
	for (uint32_t i = 0; i < step->count; i++) {
		got->before.at = place_of(got->p, address);
		*vec_add(&got->steps) = got->before;
		got->before = (struct retired){0};
		address += got->p->code[got->steps.at[got->steps.count - 1].at].length;
	}
	assert_int_equal(address, step->end);
}

/* The program as memory. */
static struct image *
image_of(struct folder *f, const struct program *p, bool wide)
{
	byte_list elf = {0};
	struct image *image = image_new();
	elf_write(&elf, false, wide, (const uint8_t[4]){0}, 4, p->bytes.at,
		  (unsigned)p->bytes.count);
	elf.at[18] = 243;
	folder_put(f, "program", elf.at, elf.count);
	const struct image_place place = {
	    .address = BASE, .offset = elf.count - p->bytes.count, .length = p->bytes.count};
	assert_int_equal(image_add_path(image, folder_path(f, "program"), &place, NULL), 0);
	vec_free(&elf);
	return image;
}

/* A run with its packets. */
struct trial {
	struct folder folder;
	struct program program;
	struct execution run;
	struct image *image;
	struct flow_code *code;
	struct got got;
	struct encoder encoder;
};

static void
trial_begin(struct trial *t, uint64_t *r, unsigned trap_percent, bool sijump)
{
	bool wide = chance(r, 50);
	folder_make(&t->folder);
	make_program(&t->program, r);
	execute(&t->program, r, &t->run, trap_percent, sijump);
	t->image = image_of(&t->folder, &t->program, wide);
	t->code = flow_code_new(t->image);
	t->got = (struct got){.p = &t->program};
	t->encoder = (struct encoder){
	    .p = &t->program,
	    .run = &t->run,
	    .random = r,
	    .widths = {.iaddress_width = wide ? 64 : 32},
	    .walk = etrace_walk_form.open(t->code, NULL, take_step, &t->got),
	};
}

static void
trial_end(struct trial *t)
{
	etrace_walk_form.close(t->encoder.walk);
	flow_code_free(t->code);
	image_free(t->image);
	vec_free(&t->got.steps);
	vec_free(&t->program.bytes);
	folder_remove(&t->folder);
}

static void
compare(const struct trial *t, unsigned count, unsigned number)
{
	for (unsigned i = 0; i < count && i < t->got.steps.count; i++) {
		const struct retired *want = &t->run.step[i], *got = &t->got.steps.at[i];
		bool unknown = i && want->trapped && !want->handler_reported && !got->epc;
		if (got->at != want->at || got->trapped != want->trapped ||
		    got->interrupt != want->interrupt || got->cause != want->cause ||
		    (!unknown && got->epc != want->epc))
			fail_msg("trial %u, instruction %u: %u for %u, epc %llx for %llx", number,
				 i, got->at, want->at, (unsigned long long)got->epc,
				 (unsigned long long)want->epc);
	}
	assert_int_equal(t->got.damaged, 0);
	assert_int_equal(t->got.steps.count, count);
}

static void
runs_are_given_back(void **state)
{
	static struct trial t;
	unsigned trials = test_runs(200);
	(void)state;
	for (unsigned i = 0; i < trials; i++) {
		uint64_t r = i + 1;
		/* where returns are implicit a trap or resynchronisation is ambiguous unless
		 * the depth is reported: none of them then */
		bool implicit = i & 1;
		trial_begin(&t, &r, implicit ? 0 : i % 4, i & 4);
		struct encoder *e = &t.encoder;
		e->resync_percent = i % 3;
		e->modes = (struct flow_modes){
		    .full_address = i & 2, .implicit_return = implicit, .sijump = i & 4};
		if (implicit && i & 8)
			e->widths.call_counter_size = 1 + i / 2 % 3;
		else if (implicit)
			e->widths.return_stack_size = 1 + i / 2 % 3;
		e->limit = 1u << (implicit ? 1 + i / 2 % 3 : 0);
		send_packet(e, (struct flow_packet){.kind = FLOW_SUPPORT, .modes = e->modes});
		unsigned count = encode_run(e);
		assert_int_not_equal(count, 0);
		compare(&t, count, i);
		trial_end(&t);
	}
}

/* What is given is what was executed, without what was lost. */
static void
compare_part(const struct trial *t, unsigned number)
{
	unsigned at = 0;
	for (size_t i = 0; i < t->got.steps.count; i++, at++) {
		while (at < t->run.count && t->run.step[at].at != t->got.steps.at[i].at)
			at++;
		if (at >= t->run.count)
			fail_msg("trial %u: instruction %u was not executed there", number,
				 (unsigned)i);
	}
}

static void
losses_are_said(void **state)
{
	static struct trial t;
	unsigned damaged = 0;
	size_t given = 0;
	(void)state;
	for (unsigned i = 0; i < 50; i++) {
		uint64_t r = i + 1000;
		trial_begin(&t, &r, 1, false);
		t.encoder.resync_percent = 2;
		t.encoder.loss_percent = 1;
		send_packet(&t.encoder, (struct flow_packet){.kind = FLOW_SUPPORT});
		encode_run(&t.encoder);
		compare_part(&t, i);
		damaged += t.got.damaged;
		given += t.got.steps.count;
		trial_end(&t);
	}
	assert_true(damaged > 50);
	assert_true(given > 50 * STEPS / 4);
}

/* --- damage ------------------------------------------------------------ */

/* What was executed, by the packets that tell it, and what was found to be a guess. */
struct place {
	unsigned packet;
	uint64_t address;
	bool doubtful;
};
struct told {
	VEC(struct place) places;
	unsigned damaged;
	struct flow_hold *hold;
	struct encoder *encoder;
};

static void
hold_step(void *context, const struct flow_step *step)
{
	const struct told *told = context;
	const struct flow_place place = {.number = told->encoder->packets};
	flow_hold_add(told->hold, 0, &place, step);
}

static void
tell_step(void *context, const struct flow_place *place, const struct flow_step *step)
{
	struct told *told = context;
	told->damaged += step->kind == FLOW_STEP_DAMAGE;
	if (step->kind == FLOW_STEP_RUN)
		*vec_add(&told->places) = (struct place){.packet = (unsigned)place->number,
							 .address = step->first,
							 .doubtful = step->doubtful};
}

/* Encodes the run of trial NUMBER with a packet DAMAGED, or none, and follows it. */
static unsigned
tell_run(unsigned number, unsigned damaged, struct told *told)
{
	static struct trial t;
	uint64_t r = number + 5000;
	trial_begin(&t, &r, 1, false);
	struct encoder *e = &t.encoder;
	etrace_walk_form.close(e->walk);
	*told = (struct told){.encoder = e};
	told->hold = flow_hold_new(tell_step, told);
	e->walk = etrace_walk_form.open(t.code, NULL, hold_step, told);
	e->resync_percent = 1;
	e->damaged = damaged;
	e->modes.full_address = number & 1;
	send_packet(e, (struct flow_packet){.kind = FLOW_SUPPORT, .modes = e->modes});
	encode_run(e);
	flow_hold_end(told->hold);
	flow_hold_free(told->hold);
	trial_end(&t);
	return e->packets;
}

/* Whether what was told by each packet is what it told undamaged, the first or the last part
 * of it. */
static bool
is_right(const struct told *got, const struct told *want, bool guesses)
{
	size_t from = 0, end, at = 0, past;
	for (; from < got->places.count; from = end) {
		unsigned packet = got->places.at[from].packet;
		bool first = true, last = true;
		for (end = from; end < got->places.count && got->places.at[end].packet == packet;)
			end++;
		while (at < want->places.count && want->places.at[at].packet < packet)
			at++;
		for (past = at;
		     past < want->places.count && want->places.at[past].packet == packet;)
			past++;
		for (size_t i = 0; i < end - from; i++) {
			const struct place *front = &got->places.at[from + i];
			const struct place *back = &got->places.at[end - 1 - i];
			first &=
			    (front->doubtful && !guesses) ||
			    (at + i < past && front->address == want->places.at[at + i].address);
			last &= (back->doubtful && !guesses) ||
				(at + i < past &&
				 back->address == want->places.at[past - 1 - i].address);
		}
		if (!first && !last)
			return false;
	}
	return true;
}

/* A packet in each run is damaged.  Some damage leads another way through the program which
 * all that follows fits too, more of it where addresses are no differences; of the rest
 * nothing wrong is given that is not called a guess. */
static void
guesses_are_said(void **state)
{
	enum { TRIALS = 200 };
	unsigned wrong[2] = {0}, unsaid[2] = {0}; /* of differences, of full addresses */
	size_t doubtful = 0, given = 0;
	(void)state;
	for (unsigned i = 0; i < TRIALS; i++) {
		struct told want, got;
		uint64_t r = i;
		unsigned packets = tell_run(i, 0, &want);
		assert_int_equal(want.damaged, 0);
		for (size_t k = 0; k < want.places.count; k++)
			assert_false(want.places.at[k].doubtful);
		tell_run(i, 2 + below(&r, packets - 2), &got);
		wrong[i & 1] += !is_right(&got, &want, true);
		unsaid[i & 1] += !is_right(&got, &want, false);
		given += got.places.count;
		for (size_t k = 0; k < got.places.count; k++)
			doubtful += got.places.at[k].doubtful;
		vec_free(&want.places);
		vec_free(&got.places);
	}
	assert_true(wrong[0] > 30 && wrong[1] > 30);
	assert_true(4 * unsaid[0] < wrong[0] && 2 * unsaid[1] < wrong[1]);
	assert_true(doubtful < given / 10);
}

static void
count_step(void *context, const struct flow_step *step)
{
	*(uint64_t *)context += step->kind == FLOW_STEP_RUN ? step->count : 1;
}

/* Whatever packets say, a walk takes them, and ends. */
static void
nonsense_is_taken(void **state)
{
	static struct trial t;
	uint64_t r = 1;
	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		uint64_t count = 0;
		trial_begin(&t, &r, 0, false);
		void *walk = etrace_walk_form.open(t.code, NULL, count_step, &count);
		for (unsigned k = 0; k < 2000; k++) {
			uint64_t bits = random_next(&r), more = random_next(&r);
			const struct flow_packet packet = {
			    .kind = bits % (FLOW_INDEX + 1),
			    .branch = bits >> 3 & 1,
			    .interrupt = bits >> 4 & 1,
			    .thaddr = bits >> 5 & 1,
			    .notify = bits >> 6 & 1,
			    .updiscon = bits >> 7 & 1,
			    .irreport = bits >> 8 & 1,
			    .branches = bits >> 9 & 31,
			    .privilege = bits >> 14 & 3,
			    .status = bits >> 16 & 3,
			    .branch_map = bits >> 18 & INT32_MAX,
			    .address = bits >> 52 & 1 ? more : BASE + (more & 0x7fe),
			    .irdepth = bits >> 53 & 7,
			    .count = 31 + (more >> 40 & 0xfff),
			    .index = more >> 40 & 15,
			    .fails = more >> 52 & 1,
			    .addressed = more >> 53 & 1,
			    .modes = {.full_address = bits >> 56 & 1,
				      .implicit_return = bits >> 57 & 1,
				      .sijump = bits >> 58 & 1,
				      .branch_prediction = !(bits >> 59),
				      .jump_target_cache = bits >> 59 == 1},
			    .widths = {.iaddress_width = bits >> 59 & 1 ? 64 : 32,
				       .bpred_size = i % 5,
				       .cache_size = i % 6,
				       .return_stack_size = i % 4,
				       .call_counter_size = i % 3},
			};
			etrace_walk_form.packet(walk, &packet);
		}
		assert_true(count > 0);
		etrace_walk_form.close(walk);
		trial_end(&t);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(runs_are_given_back),
	    cmocka_unit_test(losses_are_said),
	    cmocka_unit_test(guesses_are_said),
	    cmocka_unit_test(nonsense_is_taken),
	};
	return cmocka_run_group_tests_name("etrace_walk", tests, NULL, NULL);
}
