/*
 * Packets of E-Trace through the program: see etrace_walk.h.
 *
 * Where a sentence of the specification decides, it stands beside the line; where none is
 * named it is [E-Trace 2.0, "Decoder pseudo code"], whose names of functions and variables
 * are kept: next_pc, follow_execution_path, inferred_address, stop_at_last_branch.
 *
 * Whatever the packets say, a walk ends: without a branch that a packet decides, the path is
 * that of the program alone, and as many instructions as there are in it, or BRANCHLESS_MOST
 * with returns in between, are the most that can lie between two branches.
 */
#include "config.h"

#include "flow/etrace_walk.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum {
	STACK_MOST = 1 << 16, /* addresses that are kept, whatever the encoder has */
	BRANCHLESS_MOST = 1 << 22
};

struct etrace_walk {
	struct flow_code *code;
	void (*take)(void *, const struct flow_step *);
	void *context;

	struct flow_modes modes;
	struct flow_widths widths;
	bool refused;  /* a mode is on that is not followed */
	bool waiting;  /* start_of_trace: for a synchronisation */
	bool silent;   /* that it waits was said */
	bool reported; /* a packet says that pc is where a jump went */
	bool entered;  /* pc is of no instruction that retired: a trap took it away */

	uint64_t pc, last_pc;
	bool has_last; /* last_pc is valid */
	uint64_t address;
	uint64_t branch_map;
	unsigned branches;
	bool stop_at_last_branch, inferred_address;
	/* of the packet with the inferred address */
	bool inferred_irreport;
	uint64_t inferred_irdepth;
	uint8_t privilege;

	/* return_stack: a ring, the newest below `top` */
	uint64_t *stack;
	size_t top, depth, room;

	uint64_t straight, branchless; /* instructions since a branch or return, a branch */
	struct flow_step run;
};

struct etrace_walk *
etrace_walk_new(struct flow_code *code, void (*take)(void *context, const struct flow_step *),
		void *context)
{
	struct etrace_walk *walk = mem_new(sizeof *walk);
	walk->code = code;
	walk->take = take;
	walk->context = context;
	walk->waiting = true;
	return walk;
}

void
etrace_walk_free(struct etrace_walk *walk)
{
	if (walk)
		free(walk->stack);
	free(walk);
}

struct etrace_walk *
etrace_walk_copy(const struct etrace_walk *walk, struct flow_code *code,
		 void (*take)(void *context, const struct flow_step *), void *context)
{
	struct etrace_walk *copy = mem_new(sizeof *copy);
	*copy = *walk;
	copy->code = code;
	copy->take = take;
	copy->context = context;
	copy->stack = walk->room ? mem_new(walk->room * sizeof *copy->stack) : NULL;
	if (walk->room)
		memcpy(copy->stack, walk->stack, walk->room * sizeof *copy->stack);
	return copy;
}

size_t
etrace_walk_size(const struct etrace_walk *walk)
{
	return sizeof *walk + walk->room * sizeof *walk->stack;
}

/* --- steps ------------------------------------------------------------- */

static void
flush_run(struct etrace_walk *walk)
{
	if (walk->run.count)
		walk->take(walk->context, &walk->run);
	walk->run.count = 0;
}

/* The walk ends here until the next synchronisation. */
static bool
walk_end(struct etrace_walk *walk, struct flow_step step)
{
	step.kind = FLOW_STEP_DAMAGE;
	flush_run(walk);
	walk->take(walk->context, &step);
	walk->waiting = walk->silent = true;
	return false;
}

/* What comes next is not known, of what came before nothing is said. */
static void
walk_stop(struct etrace_walk *walk, const char *why)
{
	walk_end(walk, (struct flow_step){.why = why});
}

/* A packet is not as it was sent, and those before it may not be. */
static bool
walk_fail(struct etrace_walk *walk, const char *why)
{
	return walk_end(walk, (struct flow_step){.why = why, .doubts = true});
}

static bool
walk_fail_at(struct etrace_walk *walk, const char *why)
{
	return walk_end(
	    walk, (struct flow_step){.why = why, .doubts = true, .has_at = true, .at = walk->pc});
}

/* The walk came by itself to where the packet says. */
static void
walk_agree(struct etrace_walk *walk)
{
	flush_run(walk);
	walk->take(walk->context, &(const struct flow_step){.kind = FLOW_STEP_PROOF});
}

/* report_pc: the instruction at `pc` retired. */
static bool
report_pc(struct etrace_walk *walk)
{
	const struct insn *insn = flow_code_find(walk->code, walk->pc);
	if (insn->class == INSN_REFUSED)
		return walk_fail_at(walk,
				    "an instruction of Zcmp or Zcmt, which trawl does not follow,");
	if (!insn->length)
		return walk_fail_at(walk, "the program has no instruction");
	struct flow_step *run = &walk->run;
	if (!run->count || run->end != walk->pc || run->class > INSN_BRANCH) {
		flush_run(walk);
		*run = (struct flow_step){
		    .kind = FLOW_STEP_RUN, .first = walk->pc, .reported = walk->reported};
	}
	walk->reported = false;
	run->count++;
	run->end = walk->pc + insn->length;
	run->class = insn->class;
	return true;
}

/* --- the return stack -------------------------------------------------- */

/* How many addresses the encoder can have: 2^return_stack_size_p, or, if it only counts,
 * 2^call_counter_size_p [E-Trace 2.0, "Implicit return mode"]. */
static size_t
stack_limit(const struct etrace_walk *walk)
{
	unsigned size = walk->widths.return_stack_size;
	if (!size)
		size = walk->widths.call_counter_size;
	return size < 16 ? (size_t)1 << size : STACK_MOST;
}

static void
push_return_stack(struct etrace_walk *walk, uint64_t link)
{
	size_t limit = stack_limit(walk);
	if (walk->depth == walk->room && walk->room < limit) {
		/* not yet a ring: `top` is `depth` */
		walk->room = walk->room ? 2 * walk->room : 16;
		if (walk->room > limit)
			walk->room = limit;
		walk->stack = mem_resize(walk->stack, walk->room * sizeof *walk->stack);
		walk->top = walk->depth;
	}
	/* the oldest is dropped where it is full */
	walk->top = walk->top < walk->room ? walk->top : 0;
	walk->stack[walk->top++] = link;
	if (walk->depth < walk->room)
		walk->depth++;
}

static uint64_t
pop_return_stack(struct etrace_walk *walk)
{
	walk->depth--;
	walk->top = walk->top ? walk->top - 1 : walk->room - 1;
	return walk->stack[walk->top];
}

static void
clear_return_stack(struct etrace_walk *walk)
{
	walk->top = walk->depth = 0;
}

/* --- instructions ------------------------------------------------------ */

/* Only x1 here, as the pseudo code has it, though "Jump classification and target
 * inference" names x5 too. */
static bool
is_call(const struct insn *insn)
{
	return insn->rd == 1 && (insn_is_direct(insn) || insn_is_indirect(insn)) &&
	       insn->class != INSN_TRAP_RETURN;
}

static bool
is_branch_at(struct etrace_walk *walk, uint64_t pc)
{
	return flow_code_find(walk->code, pc)->class == INSN_BRANCH;
}

static uint64_t
newest_return(const struct etrace_walk *walk)
{
	return walk->stack[(walk->top ? walk->top : walk->room) - 1];
}

/* "this field indicates the number of entries on the return address stack (i.e. the entry
 * number of the return that failed)" [E-Trace 2.0, "Format 2 packets"].  The same field is
 * sent where no return failed: then there are branches behind one at that depth, or the
 * address is what is on the stack, or the encoder has none and only counts. */
static bool
is_failed_return(struct etrace_walk *walk, uint64_t address, const struct flow_packet *p)
{
	return p && p->irreport && p->irdepth == walk->depth && walk->widths.return_stack_size &&
	       walk->branches <= is_branch_at(walk, address) && newest_return(walk) != address;
}

static bool
is_implicit_return(struct etrace_walk *walk, const struct insn *insn, uint64_t address,
		   const struct flow_packet *p)
{
	return walk->modes.implicit_return && insn->class == INSN_RETURN && insn->rs1 == 1 &&
	       insn->rd == 0 && walk->depth && !is_failed_return(walk, address, p);
}

/* A jump "preceded by LUI, AUIPC or C.LUI which writes the register that it uses" [E-Trace
 * 2.0, "Sequentially inferable jump mode"]. */
static bool
is_sequential_jump(struct etrace_walk *walk, const struct insn *insn, uint64_t *target)
{
	if (!walk->modes.sijump || !walk->has_last || insn->class == INSN_TRAP_RETURN ||
	    !insn_is_indirect(insn))
		return false;
	uint8_t rs1 = insn->rs1;
	int32_t offset = insn->offset;
	const struct insn *before = flow_code_find(walk->code, walk->last_pc);
	if (!before->loads || before->rd != rs1)
		return false;
	/* "setting the least-significant bit of the result to zero" [RISC-V I, "Unconditional
	 * Jumps"] */
	*target = (before->target + (uint64_t)(int64_t)offset) & ~(uint64_t)1;
	return true;
}

static uint64_t
mask_address(const struct etrace_walk *walk, uint64_t address)
{
	unsigned width = walk->widths.iaddress_width;
	return width < 64 ? address & (((uint64_t)1 << width) - 1) : address;
}

static bool
count_instruction(struct etrace_walk *walk)
{
	if (++walk->straight > walk->code->most || ++walk->branchless > BRANCHLESS_MOST)
		return walk_fail_at(walk, "no branch or return is reached");
	return true;
}

/* Moves on by one instruction; *STOP: to ADDRESS, by what the program does not say.  P is
 * the packet, or NULL behind the last one.  False: it cannot be known. */
static bool
next_pc(struct etrace_walk *walk, uint64_t address, const struct flow_packet *p, bool *stop)
{
	const struct insn insn = *flow_code_find(walk->code, walk->pc);
	uint64_t this_pc = walk->pc, target;
	*stop = false;
	if (!count_instruction(walk))
		return false;
	if (insn_is_direct(&insn)) {
		walk->pc = insn.target;
	} else if (is_sequential_jump(walk, &insn, &target)) {
		walk->pc = target;
	} else if (is_implicit_return(walk, &insn, address, p)) {
		walk->pc = pop_return_stack(walk);
		walk->straight = 0;
	} else if (insn_is_indirect(&insn)) {
		if (walk->stop_at_last_branch)
			return walk_fail_at(
			    walk, "a jump to an unknown address, before the last branch,");
		walk->pc = address;
		*stop = true;
	} else if (insn.class == INSN_BRANCH) {
		if (!walk->branches)
			return walk_fail_at(walk, "no packet tells whether this branch was taken");
		walk->pc = walk->branch_map & 1 ? this_pc + insn.length : insn.target;
		walk->branch_map >>= 1;
		walk->branches--;
		walk->straight = walk->branchless = 0;
	} else {
		walk->pc += insn.length;
	}
	walk->pc = mask_address(walk, walk->pc);
	if (is_call(&insn) && walk->modes.implicit_return)
		push_return_stack(walk, mask_address(walk, this_pc + insn.length));
	walk->last_pc = this_pc;
	walk->has_last = true;
	return true;
}

/* --- packets ----------------------------------------------------------- */

/* Walks on to the second time that the address reported before is come to: the first was
 * not it, as more followed. */
static bool
follow_inferred(struct etrace_walk *walk)
{
	const struct flow_packet previous = {.irreport = walk->inferred_irreport,
					     .irdepth = walk->inferred_irdepth};
	uint64_t previous_address = walk->pc;
	bool stop = false;
	while (!stop) {
		if (!next_pc(walk, previous_address, &previous, &stop) || !report_pc(walk))
			return false;
	}
	walk->inferred_address = false;
	return true;
}

/* Whether the walk has come to where the packet ends. */
static bool
is_end(struct etrace_walk *walk, uint64_t address, const struct flow_packet *p)
{
	if (walk->pc != address || walk->stop_at_last_branch ||
	    walk->branches != is_branch_at(walk, walk->pc))
		return false;
	if (p->kind == FLOW_START) {
		const struct insn *last = flow_code_find(walk->code, walk->last_pc);
		return p->privilege == walk->privilege || last->class == INSN_TRAP_RETURN;
	}
	if (p->notify)
		return true;
	if (p->updiscon || (p->irreport && p->irdepth != walk->depth))
		return false;
	walk->inferred_address = true;
	walk->inferred_irreport = p->irreport;
	walk->inferred_irdepth = p->irdepth;
	return true;
}

static bool
follow_execution_path(struct etrace_walk *walk, uint64_t address, const struct flow_packet *p)
{
	bool stop;
	walk->straight = walk->branchless = 0;
	if (walk->inferred_address && !follow_inferred(walk))
		return false;
	for (;;) {
		if (!next_pc(walk, address, p, &stop))
			return false;
		walk->reported = stop;
		if (!report_pc(walk))
			return false;
		/* the last of a full map: whether what it leads to retires is not known yet */
		if (walk->stop_at_last_branch && walk->branches == 1 &&
		    is_branch_at(walk, walk->pc)) {
			walk->stop_at_last_branch = false;
			return true;
		}
		if (stop && walk->branches > is_branch_at(walk, walk->pc))
			return walk_fail_at(walk, "branches are left over");
		if (stop)
			return true;
		if (is_end(walk, address, p)) {
			walk_agree(walk);
			return true;
		}
	}
}

/* What a mode that is not followed is called; NULL: all are. */
static const char *
refused_mode(const struct etrace_walk *walk, const struct flow_modes *modes)
{
	if (modes->branch_prediction)
		return "branch prediction is not followed";
	if (modes->jump_target_cache)
		return "a jump target cache is not followed";
	if (modes->implicit_exception)
		return "implicit exception mode is not followed";
	if (modes->implicit_return && !walk->widths.return_stack_size &&
	    !walk->widths.call_counter_size)
		return "implicit returns need return_stack_size or call_counter_size";
	return NULL;
}

/* process_support */
static void
take_support(struct etrace_walk *walk, const struct flow_packet *p)
{
	walk->modes = p->modes;
	walk->refused = false;
	const char *why = refused_mode(walk, &p->modes);
	bool ended = p->status != FLOW_NO_CHANGE;
	if (p->status == FLOW_ENDED_NTR && walk->inferred_address && !walk->waiting) {
		walk->straight = walk->branchless = 0;
		if (!follow_inferred(walk))
			ended = false;
	}
	if (p->status == FLOW_TRACE_LOST)
		walk_stop(walk, "the encoder lost packets");
	else if (why)
		walk_stop(walk, why);
	walk->refused = why != NULL;
	/* what comes next is a synchronisation, so nothing is missing */
	if (ended) {
		walk->waiting = walk->silent = true;
		walk->inferred_address = false;
	}
}

/* exception_address: of what trapped, which did not retire. */
static void
find_epc(struct etrace_walk *walk, const struct flow_packet *p, struct flow_step *trap)
{
	const struct insn insn = *flow_code_find(walk->code, walk->pc);
	uint64_t target;
	bool branch = insn.class == INSN_BRANCH;
	if (walk->waiting || walk->entered) {
		/* "or at the first traced instruction" [E-Trace 2.0, "Format 3 thaddr, address
		 * and privilege fields"] */
		trap->has_epc = !p->thaddr;
		trap->epc = p->address;
		return;
	}
	trap->has_epc = true;
	if (insn.class == INSN_ECALL || insn.class == INSN_EBREAK) {
		trap->epc = walk->pc;
	} else if (insn_is_direct(&insn)) {
		trap->epc = insn.target;
	} else if (is_sequential_jump(walk, &insn, &target)) {
		trap->epc = target;
	} else if (is_implicit_return(walk, &insn, 0, NULL)) {
		trap->epc = newest_return(walk);
	} else if (insn_is_indirect(&insn)) {
		trap->has_epc = !p->thaddr;
		trap->epc = p->address;
	} else {
		trap->has_epc = !branch || walk->branches;
		trap->epc =
		    branch && !(walk->branch_map & 1) ? insn.target : walk->pc + insn.length;
	}
	trap->epc = mask_address(walk, trap->epc);
}

static void
begin_at(struct etrace_walk *walk, const struct flow_packet *p)
{
	walk->pc = p->address;
	walk->has_last = false;
	walk->waiting = walk->silent = walk->entered = false;
	report_pc(walk);
}

/* Adds a branch that the instruction at the packet's address is to those that wait. */
static void
queue_branch(struct etrace_walk *walk, const struct flow_packet *p)
{
	if (!is_branch_at(walk, p->address))
		return;
	walk->branch_map |= (uint64_t)p->branch << walk->branches;
	walk->branches++;
}

/* Format 3 subformats 0 and 1. */
static void
take_sync(struct etrace_walk *walk, const struct flow_packet *p)
{
	bool trap = p->kind == FLOW_TRAP;
	if (trap) {
		struct flow_step step = {.kind = FLOW_STEP_TRAP,
					 .interrupt = p->interrupt,
					 .has_tval = !p->interrupt,
					 .cause = p->cause,
					 .tval = p->tval};
		find_epc(walk, p, &step);
		walk->take(walk->context, &step);
	}
	if (walk->refused)
		return;
	walk->inferred_address = walk->stop_at_last_branch = false;
	/* nothing was executed between a trap without an address and what follows it */
	bool begins = trap || walk->waiting || walk->entered;
	if (begins) {
		walk->branches = 0;
		walk->branch_map = 0;
	}
	if (trap && !p->thaddr) {
		walk->entered = true;
		walk->waiting = false;
	} else {
		walk->address = p->address;
		queue_branch(walk, p);
		if (begins)
			begin_at(walk, p);
		else
			follow_execution_path(walk, p->address, p);
	}
	walk->privilege = p->privilege;
	clear_return_stack(walk);
}

/* Formats 1 and 2. */
static void
take_branches(struct etrace_walk *walk, const struct flow_packet *p)
{
	if (walk->branches > 1) {
		walk_fail_at(walk, "branches are left over");
		return;
	}
	walk->stop_at_last_branch = p->kind == FLOW_BRANCHES;
	if (p->kind == FLOW_ADDRESS)
		walk->address = mask_address(
		    walk, walk->modes.full_address ? p->address : walk->address + p->address);
	walk->branch_map |= (uint64_t)p->branch_map << walk->branches;
	walk->branches += p->branches;
	follow_execution_path(walk, walk->address, p);
}

static void
take_path(struct etrace_walk *walk, const struct flow_packet *p)
{
	if (walk->refused)
		return;
	if (walk->waiting) {
		if (!walk->silent)
			walk_stop(walk, "not followed before the first synchronisation");
	} else if (walk->entered) {
		walk_fail(walk, "no synchronisation behind a trap");
	} else if (p->kind == FLOW_EXTENSION) {
		walk_fail(walk, "branch prediction and jump target caches are not followed");
	} else {
		take_branches(walk, p);
	}
}

void
etrace_walk_packet(struct etrace_walk *walk, const struct flow_packet *p)
{
	if (p->kind != FLOW_LOST && p->kind != FLOW_NOTHING)
		walk->widths = p->widths;
	switch ((enum flow_packet_kind)p->kind) {
	case FLOW_NOTHING:
	case FLOW_RANGE:
	case FLOW_UNSEEN:
	case FLOW_CONTEXT:
	case FLOW_EXCEPTION:
	case FLOW_EXCEPTION_RETURN:
		break;
	case FLOW_LOST:
		if (p->missing && !walk->silent)
			walk_stop(walk, "packets are missing");
		else if (!walk->silent)
			walk_fail(walk, "a packet is damaged");
		walk->entered = false;
		break;
	case FLOW_SUPPORT:
		take_support(walk, p);
		break;
	case FLOW_START:
	case FLOW_TRAP:
		take_sync(walk, p);
		break;
	case FLOW_ADDRESS:
	case FLOW_BRANCHES:
	case FLOW_EXTENSION:
		take_path(walk, p);
		break;
	}
	flush_run(walk);
}
