/*
 * Follows the E-Trace packets of a hart through its program: see flow_walk.h.
 *
 * This is the reference algorithm [E-Trace 2.0, "Decoder pseudo code"].  Implicit returns and
 * sequentially inferable jumps follow the text of "Implicit return mode" and "Sequentially
 * inferable jump mode".  Unsupported modes are damage, and so is any contradiction among packets
 * or between packets and program.  A damage step gives the reason, and the walk goes on at the
 * next synchronisation.
 *
 * A sentence of the specification that decides is quoted at its line.  Without a citation, the
 * source is [E-Trace 2.0, "Decoder pseudo code"], whose names of functions and variables are
 * kept: next_pc, follow_execution_path, inferred_address, stop_at_last_branch.
 *
 * Every walk ends, even with hostile packets.  Between two branches that packets decide, the path
 * is that of the program alone.  So it has at most as many instructions as the program, or
 * BRANCHLESS_MOST with returns in between.
 */
#include "config.h"

#include "flow/flow_walk.h"
#include "base/vec.h"
#include "flow/etrace_predict.h"

#include <stdlib.h>
#include <string.h>

/* "privilege" of a synchronisation; higher values are of guests. */
enum { USER, SUPERVISOR, MACHINE = 3 };

enum {
	STACK_MOST = 1 << 16, /* addresses kept, whatever size the encoder has */
	BRANCHLESS_MOST = 1 << 22,
	PREDICTED_MOST = 1 << 24 /* branches in a packet */
};

/* Report of the last packet, which limits the next one. */
enum report {
	REPORT_ANY,	 /* anything may follow */
	REPORT_JUMP,	 /* target of a jump; no synchronisation may follow at once */
	REPORT_LAST,	 /* target of a jump; a synchronisation must follow at once */
	REPORT_DEPTH,	 /* depth of calls; a synchronisation must follow at once */
	REPORT_BRANCHES, /* no address */
};

struct etrace_walk {
	struct flow_code *code;
	flow_walk_take *take;
	void *context;

	struct flow_modes modes;
	struct flow_widths widths;
	bool begun;    /* a packet came */
	bool refused;  /* an unsupported mode is on */
	bool waiting;  /* start_of_trace: wait for a synchronisation */
	bool silent;   /* the reason for waiting was given */
	bool paused;   /* the encoder ended the trace at pc */
	bool reported; /* a packet contains pc as the target of a jump */
	bool entered;  /* the instruction at pc did not retire, as a trap came */
	bool doubled;  /* a second trap came before the handler of the first began */
	bool doubted;  /* it waits as packets and program disagreed */

	uint64_t pc, last_pc;
	bool has_last; /* last_pc is valid */
	uint64_t address;
	/* branches that packets decide: those in the map, then predicted ones, then a
	 * mispredicted one */
	uint64_t branch_map;
	unsigned branches;
	uint64_t predicted;
	bool fails;
	bool stop_at_last_branch, inferred_address;
	/* of the packet with the inferred address */
	bool inferred_irreport;
	uint64_t inferred_irdepth;
	uint8_t privilege;
	const char *mode; /* name of the privilege, or NULL */
	uint8_t report;	  /* enum report */

	/* return_stack: a ring, the newest below `top` */
	uint64_t *stack;
	size_t top, depth, room;
	bool failed_return; /* the last instruction was a return to an address not on the stack */
	/* a return to the address on the stack came since the last call, and a branch after it */
	bool returned_since, branched_since;
	bool lacks_depth; /* the last packet had no depth, so no synchronisation may follow */

	struct etrace_predict predict;

	uint64_t straight, branchless; /* instructions since a branch or return, since a branch */
	struct flow_step run;
};

static const char less_privilege[] = "a return from a trap that needs more privilege,";

static void *
open_walk(struct flow_code *code, const struct flow_space *space, flow_walk_take *take,
	  void *context)
{
	struct etrace_walk *walk = mem_new(sizeof *walk);
	(void)space;
	walk->code = code;
	walk->take = take;
	walk->context = context;
	walk->waiting = true;
	return walk;
}

static void
close_walk(void *context)
{
	struct etrace_walk *walk = context;
	if (walk) {
		free(walk->stack);
		etrace_predict_free(&walk->predict);
	}
	free(walk);
}

static void *
copy_walk(const void *context, struct flow_code *code, const void *memory, flow_walk_take *take,
	  void *taker)
{
	const struct etrace_walk *walk = context;
	struct etrace_walk *copy = mem_new(sizeof *copy);
	(void)memory;
	*copy = *walk;
	copy->code = code;
	copy->take = take;
	copy->context = taker;
	copy->stack = walk->room ? mem_new(walk->room * sizeof *copy->stack) : NULL;
	if (walk->room)
		memcpy(copy->stack, walk->stack, walk->room * sizeof *copy->stack);
	etrace_predict_copy(&copy->predict, &walk->predict);
	return copy;
}

static size_t
walk_size(const void *context)
{
	const struct etrace_walk *walk = context;
	return sizeof *walk + walk->room * sizeof *walk->stack +
	       etrace_predict_size(&walk->predict);
}

/* --- steps ------------------------------------------------------------- */

static void
flush_run(struct etrace_walk *walk)
{
	if (walk->run.count)
		walk->take(walk->context, &walk->run);
	walk->run.count = 0;
}

/* Give a damage step and wait for the next synchronisation. */
static bool
walk_end(struct etrace_walk *walk, struct flow_step step)
{
	step.kind = FLOW_STEP_DAMAGE;
	flush_run(walk);
	walk->take(walk->context, &step);
	walk->doubted |= step.doubts;
	walk->waiting = walk->silent = true;
	return false;
}

/* Stop the walk without doubt about the steps before. */
static void
walk_stop(struct etrace_walk *walk, const char *why)
{
	walk_end(walk, (struct flow_step){.why = why});
}

/* Stop the walk as a packet is wrong, and packets before it may be. */
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

/* Give a proof: the walk reached the address of a packet without it.  BEGINS: a new path begins,
 * independent of the steps before. */
static void
walk_agree(struct etrace_walk *walk, bool begins)
{
	flush_run(walk);
	walk->take(walk->context,
		   &(const struct flow_step){.kind = FLOW_STEP_PROOF, .begins = begins});
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
		*run = (struct flow_step){.kind = FLOW_STEP_RUN,
					  .first = walk->pc,
					  .mode = walk->mode,
					  .reported = walk->reported};
	}
	walk->reported = false;
	run->count++;
	run->end = walk->pc + insn->length;
	run->class = insn->class;
	return true;
}

/* --- the return stack -------------------------------------------------- */

/* Return the number of addresses that the encoder can have: 2^return_stack_size_p, or, if it
 * only counts, 2^call_counter_size_p [E-Trace 2.0, "Implicit return mode"]. */
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
		/* not yet a ring: `top` equals `depth` */
		walk->room = walk->room ? 2 * walk->room : 16;
		if (walk->room > limit)
			walk->room = limit;
		walk->stack = mem_resize(walk->stack, walk->room * sizeof *walk->stack);
		walk->top = walk->depth;
	}
	/* a full ring overwrites the oldest address */
	walk->top = walk->top < walk->room ? walk->top : 0;
	walk->stack[walk->top++] = link;
	if (walk->depth < walk->room)
		walk->depth++;
	walk->returned_since = false;
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
	walk->returned_since = walk->branched_since = walk->lacks_depth = false;
}

/* --- instructions ------------------------------------------------------ */

/* True if INSN is a call.  Only x1 counts, as in the pseudo code, though "Jump classification
 * and target inference" names x5 too. */
static bool
is_call(const struct insn *insn)
{
	return insn->rd == 1 && (insn_is_direct(insn) || insn_is_indirect(insn)) &&
	       insn->class != INSN_TRAP_RETURN;
}

static uint64_t
mask_address(const struct etrace_walk *walk, uint64_t address)
{
	unsigned width = walk->widths.iaddress_width;
	return width < 64 ? address & (((uint64_t)1 << width) - 1) : address;
}

static bool
is_branch_at(struct etrace_walk *walk, uint64_t pc)
{
	return flow_code_find(walk->code, pc)->class == INSN_BRANCH;
}

/* True if the privilege is too low for a return from a trap: "An xRET instruction can be
 * executed in privilege mode x or higher" [RISC-V II, "Trap-Return Instructions"]. */
static bool
lacks_privilege(const struct etrace_walk *walk, const struct insn *insn)
{
	enum { MRET = 0x30200073, SRET = 0x10200073 };
	return (insn->opcode == MRET && walk->privilege <= SUPERVISOR) ||
	       (insn->opcode == SRET && walk->privilege == USER);
}

static uint64_t
newest_return(const struct etrace_walk *walk)
{
	return walk->stack[(walk->top ? walk->top : walk->room) - 1];
}

/* Return the number of branches that packets decide and that are not executed yet. */
static uint64_t
branches_left(const struct etrace_walk *walk)
{
	return walk->branches + walk->predicted + walk->fails;
}

/* True if P reports a failed return: "this field indicates the number of entries on the return
 * address stack (i.e.  the entry number of the return that failed)" [E-Trace 2.0, "Format 2
 * packets"].  The field is also sent without a failed return.  In that case branches follow a
 * return at that depth, or ADDRESS is on the stack, or the encoder only counts. */
static bool
is_failed_return(struct etrace_walk *walk, uint64_t address, const struct flow_packet *p)
{
	return p && p->irreport && p->irdepth == walk->depth && walk->widths.return_stack_size &&
	       branches_left(walk) <= is_branch_at(walk, address) && newest_return(walk) != address;
}

/* True if the target of INSN is on the stack. */
static bool
is_predicted_return(const struct etrace_walk *walk, const struct insn *insn)
{
	return walk->modes.implicit_return && insn->class == INSN_RETURN && insn->rs1 == 1 &&
	       insn->rd == 0 && walk->depth;
}

static bool
is_implicit_return(struct etrace_walk *walk, const struct insn *insn, uint64_t address,
		   const struct flow_packet *p)
{
	return is_predicted_return(walk, insn) && !is_failed_return(walk, address, p);
}

/* Move to the return address of the newest call. */
static void
take_return(struct etrace_walk *walk)
{
	walk->pc = pop_return_stack(walk);
	walk->straight = 0;
	walk->returned_since = true;
	walk->branched_since = false;
}

static void
take_privilege(struct etrace_walk *walk, const struct flow_packet *p)
{
	walk->privilege = p->privilege;
	walk->mode = p->mode;
}

/* Move to ADDRESS, from a packet. */
static void
take_target(struct etrace_walk *walk, const struct insn *insn, uint64_t address)
{
	walk->failed_return = is_predicted_return(walk, insn);
	walk->pc = address;
	/* "Each uninferable jump target is first compared with the entry at its index"
	 * [E-Trace 2.0, "Jump target cache mode"] */
	if (walk->modes.jump_target_cache)
		etrace_predict_jump(&walk->predict, mask_address(walk, address));
}

/* Find the target of a jump "preceded by LUI, AUIPC or C.LUI which writes the register that it
 * uses" [E-Trace 2.0, "Sequentially inferable jump mode"]. */
static bool
is_constant_jump(struct etrace_walk *walk, const struct insn *insn, uint64_t *target)
{
	if (!walk->has_last || insn->class == INSN_TRAP_RETURN || !insn_is_indirect(insn))
		return false;
	uint8_t rs1 = insn->rs1;
	int32_t offset = insn->offset;
	const struct insn *before = flow_code_find(walk->code, walk->last_pc);
	if (!before->loads || before->rd != rs1)
		return false;
	/* "setting the least-significant bit of the result to zero" [RISC-V I, "Unconditional
	 * Jumps"] */
	*target = mask_address(walk, (before->target + (uint64_t)(int64_t)offset) & ~(uint64_t)1);
	return true;
}

static bool
is_sequential_jump(struct etrace_walk *walk, const struct insn *insn, uint64_t *target)
{
	return walk->modes.sijump && is_constant_jump(walk, insn, target);
}

static bool
count_instruction(struct etrace_walk *walk)
{
	if (++walk->straight > walk->code->most || ++walk->branchless > BRANCHLESS_MOST)
		return walk_fail_at(walk, "no branch or return is reached");
	return true;
}

/* Consume and return the outcome of the branch at pc. */
static bool
take_outcome(struct etrace_walk *walk)
{
	bool taken = etrace_predict_taken(&walk->predict, walk->pc);
	if (walk->branches) {
		taken = !(walk->branch_map & 1);
		walk->branch_map >>= 1;
		walk->branches--;
	} else if (walk->predicted) {
		walk->predicted--;
	} else {
		taken = !taken;
		walk->fails = false;
	}
	if (walk->modes.branch_prediction)
		etrace_predict_branch(&walk->predict, walk->pc, taken);
	return taken;
}

/* Move the outcome for the branch at pc, if pc is at one, into the map.  There it waits for the
 * next packet. */
static void
settle_branch(struct etrace_walk *walk)
{
	if (walk->branches || branches_left(walk) != 1)
		return;
	bool taken = etrace_predict_taken(&walk->predict, walk->pc) != walk->fails;
	walk->branch_map = !taken;
	walk->branches = 1;
	walk->predicted = 0;
	walk->fails = false;
}

/* Move on by one instruction.  *STOP is true if it jumped to ADDRESS, which the program does not
 * imply.  P is the packet, or NULL after the last one.  Return false if the path is not known. */
static bool
next_pc(struct etrace_walk *walk, uint64_t address, const struct flow_packet *p, bool *stop)
{
	const struct insn insn = *flow_code_find(walk->code, walk->pc);
	uint64_t this_pc = walk->pc, target;
	*stop = walk->failed_return = false;
	if (!count_instruction(walk))
		return false;
	if (insn_is_direct(&insn)) {
		walk->pc = insn.target;
	} else if (is_sequential_jump(walk, &insn, &target)) {
		walk->pc = target;
	} else if (is_implicit_return(walk, &insn, address, p)) {
		take_return(walk);
	} else if (insn_is_indirect(&insn)) {
		if (walk->stop_at_last_branch)
			return walk_fail_at(
			    walk, "a jump to an unknown address, before the last branch,");
		/* with the mode off it is sent, although it can be inferred */
		if (is_constant_jump(walk, &insn, &target) && target != address)
			return walk_fail_at(walk, "a packet and the program disagree on the jump");
		if (lacks_privilege(walk, &insn))
			return walk_fail_at(walk, less_privilege);
		if (insn.class == INSN_TRAP_RETURN && p && p->kind == FLOW_START)
			take_privilege(walk, p);
		take_target(walk, &insn, address);
		*stop = true;
	} else if (insn.class == INSN_BRANCH) {
		if (!branches_left(walk))
			return walk_fail_at(walk, "no packet tells whether this branch was taken");
		walk->pc = take_outcome(walk) ? insn.target : this_pc + insn.length;
		walk->straight = walk->branchless = 0;
		walk->branched_since = true;
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

/* Walk to the second arrival at the address reported before.  The first one was not the end, as
 * more followed. */
static bool
follow_inferred(struct etrace_walk *walk)
{
	const struct flow_packet previous = {.irreport = walk->inferred_irreport,
					     .irdepth = walk->inferred_irdepth};
	uint64_t previous_address = walk->pc;
	bool stop = false;
	walk->straight = walk->branchless = 0;
	while (!stop) {
		if (!next_pc(walk, previous_address, &previous, &stop) || !report_pc(walk))
			return false;
	}
	walk->inferred_address = false;
	walk->report = REPORT_JUMP;
	/* the packet with this address has the outcome of a branch there */
	return branches_left(walk) == is_branch_at(walk, walk->pc) ||
	       walk_fail_at(walk, "no packet tells whether this branch was taken");
}

/* True if the walk has reached the end of the packet. */
static bool
is_end(struct etrace_walk *walk, uint64_t address, const struct flow_packet *p)
{
	if (walk->pc != address || walk->stop_at_last_branch ||
	    branches_left(walk) != is_branch_at(walk, walk->pc))
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

/* True if a packet for the instruction at pc has the depth, when one of format 3 follows: "must
 * report the current stack depth or call count if it is non-zero", "unless: there have been no
 * returns since the last call, or there has been at least one branch since the last return"
 * [E-Trace 2.0, "Format 2 irreport and irdepth"]. */
static bool
tells_depth(const struct etrace_walk *walk)
{
	return walk->returned_since && !walk->branched_since;
}

/* Check the call depth in P.  STOP: pc is the target of a jump.  The depth is sent "following a
 * return because its address differs from the predicted return address", or for "the last
 * retired before an exception, interrupt, privilege change or resync because it is necessary to
 * report the current address stack depth" [E-Trace 2.0, "Format 2 irreport and irdepth"]. */
static bool
check_depth(struct etrace_walk *walk, const struct flow_packet *p, bool stop)
{
	walk->lacks_depth =
	    !p->irreport && p->kind != FLOW_START && walk->depth && tells_depth(walk);
	if (!p->irreport)
		return true;
	if (p->irdepth != walk->depth)
		return walk_fail_at(walk, "the return stack is not as deep as reported");
	if (walk->failed_return)
		return true;
	if (!tells_depth(walk))
		return walk_fail_at(walk, "a return stack is reported where none need be");
	if (stop && p->updiscon)
		walk->report = REPORT_LAST;
	else if (stop && p->kind != FLOW_INDEX) /* some encoders do not set the flag here */
		walk->report = REPORT_ANY;
	else
		walk->report = REPORT_DEPTH;
	return true;
}

static bool
follow_execution_path(struct etrace_walk *walk, uint64_t address, const struct flow_packet *p)
{
	bool stop;
	walk->report = REPORT_ANY;
	for (;;) {
		if (!next_pc(walk, address, p, &stop))
			return false;
		walk->reported = stop;
		if (!report_pc(walk))
			return false;
		/* the last branch of a full map: its target may not retire */
		if (walk->stop_at_last_branch && branches_left(walk) == 1 &&
		    is_branch_at(walk, walk->pc)) {
			settle_branch(walk);
			walk->stop_at_last_branch = false;
			walk->report = REPORT_BRANCHES;
			return true;
		}
		/* "not the target of an uninferable discontinuity" [E-Trace 2.0, "Format 2
		 * packets"] */
		if (stop && p->notify)
			return walk_fail_at(walk, "what a trigger reports comes behind a jump");
		/* an index has no such flag */
		if (stop && p->kind != FLOW_START && p->kind != FLOW_INDEX)
			walk->report = p->updiscon ? REPORT_LAST : REPORT_JUMP;
		if (stop && !check_depth(walk, p, true))
			return false;
		if (stop && branches_left(walk) > is_branch_at(walk, walk->pc))
			return walk_fail_at(walk, "branches are left over");
		/* "the address of an instruction" comes with all branches up to it */
		if (stop && branches_left(walk) < is_branch_at(walk, walk->pc))
			return walk_fail_at(walk, "no packet tells whether this branch was taken");
		if (stop) {
			settle_branch(walk);
			return true;
		}
		if (is_end(walk, address, p)) {
			settle_branch(walk);
			walk_agree(walk, false);
			return check_depth(walk, p, false);
		}
	}
}

/* Return why a mode is not supported, or NULL if all are. */
static const char *
refused_mode(const struct etrace_walk *walk, const struct flow_modes *modes)
{
	const struct flow_widths *widths = &walk->widths;
	if (modes->branch_prediction && !widths->bpred_size)
		return "branch prediction needs bpred_size";
	if (modes->jump_target_cache && !widths->cache_size)
		return "a jump target cache needs cache_size";
	if ((modes->branch_prediction && widths->bpred_size > ETRACE_PREDICT_MOST) ||
	    (modes->jump_target_cache && widths->cache_size > ETRACE_PREDICT_MOST))
		return "a bpred_size or cache_size above 16 is not followed";
	if (modes->implicit_return && !walk->widths.return_stack_size &&
	    !walk->widths.call_counter_size)
		return "implicit returns need return_stack_size or call_counter_size";
	return NULL;
}

/* Set the modes.  Return why they are not supported, or NULL. */
static const char *
take_modes(struct etrace_walk *walk, const struct flow_modes *modes)
{
	const char *why = refused_mode(walk, modes);
	walk->modes = *modes;
	walk->refused = why != NULL;
	return why;
}

/* Return why the last report cannot be of the last instruction, or NULL: "the address of the
 * final traced instruction must be output" [E-Trace 2.0, "End of trace"].  For a jump's target
 * "the preceding te_inst would have been sent anyway", or it is flagged ["Format 3 subformat 3
 * qual_status field"]. */
static const char *
refuse_end(const struct etrace_walk *walk, const struct flow_packet *p)
{
	bool ends = p->status == FLOW_ENDED_REP || p->status == FLOW_ENDED_NTR;
	if (ends && walk->report == REPORT_BRANCHES)
		return "no packet tells which instruction was the last";
	if (p->status == FLOW_ENDED_REP && walk->report == REPORT_JUMP)
		return "a jump's target is not where tracing ended";
	return NULL;
}

/* process_support */
static void
take_support(struct etrace_walk *walk, const struct flow_packet *p)
{
	const char *contrary = walk->waiting ? NULL : refuse_end(walk, p);
	const char *why = take_modes(walk, &p->modes);
	bool ended = p->status != FLOW_NO_CHANGE;
	if (p->status == FLOW_ENDED_NTR && walk->inferred_address && !walk->waiting)
		ended = follow_inferred(walk);
	if (contrary)
		walk_fail(walk, contrary);
	if (p->status == FLOW_TRACE_LOST)
		walk_stop(walk, "the encoder lost packets");
	else if (why)
		walk_stop(walk, why);
	/* a synchronisation comes next, so nothing is missing */
	if (ended) {
		walk->paused |= !walk->waiting;
		walk->waiting = walk->silent = true;
		walk->inferred_address = false;
	}
}

/* Find the next address after the instruction at pc, if no packet is needed for it. */
static bool
find_next(struct etrace_walk *walk, uint64_t *next)
{
	const struct insn insn = *flow_code_find(walk->code, walk->pc);
	bool known = true;
	if (insn_is_direct(&insn))
		*next = insn.target;
	else if (is_sequential_jump(walk, &insn, next))
		known = true;
	else if (is_implicit_return(walk, &insn, 0, NULL))
		*next = newest_return(walk);
	else if (insn_is_indirect(&insn) || (insn.class == INSN_BRANCH && !walk->branches))
		known = false;
	else if (insn.class == INSN_BRANCH && !(walk->branch_map & 1))
		*next = insn.target;
	else
		*next = walk->pc + insn.length;
	if (known)
		*next = mask_address(walk, *next);
	return known;
}

/* exception_address: of the trapped instruction, which did not retire. */
static void
find_epc(struct etrace_walk *walk, const struct flow_packet *p, struct flow_step *trap)
{
	const struct insn *insn = flow_code_find(walk->code, walk->pc);
	bool calls = insn->class == INSN_ECALL || insn->class == INSN_EBREAK;
	bool first = walk->waiting || walk->entered;
	if (!first && calls)
		trap->epc = walk->pc;
	if (!first && (calls || find_next(walk, &trap->epc))) {
		trap->has_epc = true;
		return;
	}
	/* "at the target of an updiscon", "or at the first traced instruction" [E-Trace 2.0,
	 * "Format 3 thaddr, address and privilege fields"] */
	trap->has_epc = !p->thaddr && (first || insn_is_indirect(insn));
	trap->epc = p->address;
}

/* Append the branch at the packet's address, if there is one, to the map. */
static void
queue_branch(struct etrace_walk *walk, const struct flow_packet *p)
{
	if (!is_branch_at(walk, p->address))
		return;
	walk->branch_map |= (uint64_t)p->branch << walk->branches;
	walk->branches++;
}

static void
begin_at(struct etrace_walk *walk, const struct flow_packet *p)
{
	walk->pc = p->address;
	walk->has_last = false;
	walk->waiting = walk->silent = walk->entered = walk->doubted = false;
	walk->report = REPORT_ANY;
	take_privilege(walk, p);
	queue_branch(walk, p);
	report_pc(walk);
}

/* Return why a trap cannot have its privilege, or NULL.  "if thaddr is 0" it has the privilege
 * before the trap [E-Trace 2.0, "Format 3 thaddr and address fields"], which is known unless a
 * return from a trap changed it.  "traps never transition from a more-privileged mode to a
 * less-privileged mode" [RISC-V II, "Machine Trap Delegation Registers"]. */
static const char *
refuse_privilege(struct etrace_walk *walk, const struct flow_packet *p)
{
	const struct insn *last = flow_code_find(walk->code, walk->pc);
	if (last->class == INSN_TRAP_RETURN)
		return lacks_privilege(walk, last) ? less_privilege : NULL;
	if (!p->thaddr && p->privilege != walk->privilege)
		return "a trap is of another privilege than what came before it";
	if (p->thaddr && p->privilege < walk->privilege && walk->privilege <= MACHINE)
		return "a trap leads to less privilege";
	return NULL;
}

/* Return why the report before a trap cannot be of the last retired instruction, or NULL: "the
 * final instruction retired beforehand must be traced" [E-Trace 2.0, "Interrupts and
 * exceptions"].  updiscon is set if that instruction comes after a jump. */
static const char *
refuse_trap(struct etrace_walk *walk, const struct flow_packet *p, const struct flow_step *trap)
{
	if (walk->waiting || walk->entered)
		return NULL;
	if (walk->report == REPORT_BRANCHES || walk->report == REPORT_JUMP)
		return "no packet tells where the trap came";
	if (walk->lacks_depth)
		return "the depth of the return stack is missing before a trap";
	/* "the EPC for an exception at the target of an updiscon" ["Format 3 thaddr, address and
	 * privilege fields"] */
	if (p->thaddr && !p->interrupt && insn_is_indirect(flow_code_find(walk->code, walk->pc)) &&
	    !trap->has_epc)
		return "no packet tells where a jump led, before an exception";
	/* causes 8 to 11 are ECALL, one for each mode [RISC-V II, "Machine Cause Register"] */
	bool calls = !p->interrupt && p->cause >= 8 && p->cause <= 11;
	if (calls && trap->has_epc && flow_code_find(walk->code, trap->epc)->class != INSN_ECALL)
		return "a trap of ECALL comes where none is";
	return refuse_privilege(walk, p);
}

/* Follow format 3 subformat 0 within a trace.  The report before it is of the previous
 * instruction, unless that is an unflagged target of a jump ["Format 2 notify and updiscon
 * fields"]. */
static void
follow_to_sync(struct etrace_walk *walk, const struct flow_packet *p)
{
	uint64_t next;
	bool behind = !find_next(walk, &next) || next == p->address;
	if (walk->report == REPORT_LAST && !behind) {
		walk_fail(walk, "a synchronisation is not where it was announced");
		return;
	}
	/* "updiscon": "the instruction following an uninferable discontinuity and is also the
	 * instruction before an exception, privilege change or resync" */
	if (walk->report == REPORT_JUMP && behind) {
		walk_fail(walk, "a synchronisation was not announced");
		return;
	}
	if (walk->inferred_address && !behind && !follow_inferred(walk))
		return;
	queue_branch(walk, p);
	follow_execution_path(walk, p->address, p);
}

/* End a pause of the encoder.  It is no damage, but code ran unseen. */
static void
end_pause(struct etrace_walk *walk)
{
	if (walk->paused)
		walk->take(walk->context,
			   &(const struct flow_step){.kind = FLOW_STEP_UNSEEN,
						     .ended = true,
						     .why = "the trace ended, and began again"});
	walk->paused = false;
}

/* Clear the state that the encoder clears at a synchronisation. */
static void
forget_past(struct etrace_walk *walk)
{
	const struct flow_widths *widths = &walk->widths;
	clear_return_stack(walk);
	etrace_predict_reset(&walk->predict, walk->modes.branch_prediction ? widths->bpred_size : 0,
			     walk->modes.jump_target_cache ? widths->cache_size : 0,
			     widths->iaddress_lsb);
}

/* True if the instruction at pc retired and the next address needs no packet. */
static bool
is_inferable(struct etrace_walk *walk)
{
	uint64_t next;
	return !walk->waiting && !walk->entered && find_next(walk, &next);
}

/* Give the step of a trap.  It comes before the synchronisation that the packet may be. */
static void
give_trap(struct etrace_walk *walk, const struct flow_packet *p)
{
	struct flow_step step = {.kind = FLOW_STEP_TRAP,
				 .interrupt = p->interrupt,
				 .has_tval = !p->interrupt,
				 .cause = p->cause,
				 .name = p->cause_name,
				 .irq = -1,
				 .tval = p->tval};
	find_epc(walk, p, &step);
	const char *why = refuse_trap(walk, p, &step);
	if (why)
		walk_fail(walk, why);
	step.has_epc &= !why;
	step.doubtful = walk->doubted;
	walk->take(walk->context, &step);
}

/* Drop the outcomes of branches that were not executed. */
static void
forget_branches(struct etrace_walk *walk)
{
	walk->branches = 0;
	walk->branch_map = 0;
	walk->predicted = 0;
	walk->fails = false;
}

/* Go to the address of a synchronisation.  BEGINS: there is no path to it. */
static void
go_to_sync(struct etrace_walk *walk, const struct flow_packet *p, bool begins)
{
	if (p->kind == FLOW_TRAP && p->unhandled) {
		walk_stop(walk,
			  "mtvec, stvec or vstvec of a profile does not say where the trap led");
	} else if (!p->branch && !is_branch_at(walk, p->address)) {
		/* "set to 1 if the instruction is not a branch" ["Format 3 branch field"] */
		walk_fail(walk, "a synchronisation is said to be at a branch, and is not");
	} else {
		walk->address = p->address;
		if (begins)
			begin_at(walk, p);
		else
			follow_to_sync(walk, p);
	}
	walk->entered = false;
}

/* Take format 3 subformats 0 and 1. */
static void
take_sync(struct etrace_walk *walk, const struct flow_packet *p)
{
	bool trap = p->kind == FLOW_TRAP, inferable = trap && is_inferable(walk);
	end_pause(walk);
	if (trap)
		give_trap(walk, p);
	if (walk->refused)
		return;
	walk->stop_at_last_branch = false;
	walk->straight = walk->branchless = 0;
	/* nothing was executed between a trap without an address and the next packet */
	/* "thaddr is 0" of an exception at such a target, or where "a second interrupt or
	 * exception occurs immediately" ["Format 3 thaddr and address fields"] */
	if (!trap && walk->entered && walk->doubled)
		walk_fail(walk, "a trap came before another one, which is missing,");
	bool begins = trap || walk->waiting || walk->entered;
	if (begins)
		forget_branches(walk);
	if (trap && !p->thaddr) {
		walk->doubled = inferable;
		walk->entered = true;
		walk->waiting = false;
	} else {
		go_to_sync(walk, p, begins);
	}
	walk->inferred_address = false;
	take_privilege(walk, p);
	forget_past(walk);
	if (!walk->entered && !walk->waiting)
		walk_agree(walk, true);
}

/* Take the address of a packet.  Return false if it is an empty cache entry. */
static bool
take_address(struct etrace_walk *walk, const struct flow_packet *p)
{
	if (p->kind == FLOW_INDEX)
		return etrace_predict_target(&walk->predict, p->index, &walk->address);
	if (p->kind == FLOW_ADDRESS || p->addressed)
		walk->address = mask_address(
		    walk, walk->modes.full_address ? p->address : walk->address + p->address);
	return true;
}

/* Take formats 0, 1 and 2. */
static void
take_branches(struct etrace_walk *walk, const struct flow_packet *p)
{
	walk->straight = walk->branchless = 0;
	if (walk->inferred_address && !follow_inferred(walk))
		return;
	if (walk->branches > 1) {
		walk_fail_at(walk, "branches are left over");
		return;
	}
	if (!take_address(walk, p)) {
		walk_fail(walk, "the jump target cache has no such entry");
		return;
	}
	walk->stop_at_last_branch =
	    p->kind == FLOW_BRANCHES || (p->kind == FLOW_COUNT && !p->addressed);
	/* the lowest "branches" bits of a map of 1, 3, 7, 15 or 31 bits are valid [E-Trace 2.0,
	 * "Format 1 packets"] */
	uint64_t valid = ((uint64_t)1 << p->branches) - 1;
	walk->branch_map |= (p->branch_map & valid) << walk->branches;
	walk->branches += p->branches;
	walk->predicted = p->kind == FLOW_COUNT ? p->count : 0;
	walk->fails = p->kind == FLOW_COUNT && p->fails;
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
	} else if (walk->report == REPORT_LAST || walk->report == REPORT_DEPTH) {
		/* "it will be followed immediately by a format 3" */
		walk_fail(walk, "a synchronisation is missing");
	} else if (p->kind == FLOW_COUNT && !walk->modes.branch_prediction) {
		walk_fail(walk, "branch prediction is off");
	} else if (p->kind == FLOW_INDEX && !walk->modes.jump_target_cache) {
		walk_fail(walk, "the jump target cache is off");
	} else if (p->irreport && !walk->modes.implicit_return) {
		walk_fail(walk, "a return stack is reported, and returns are not implicit");
	} else if (p->kind == FLOW_COUNT && p->count > PREDICTED_MOST) {
		walk_fail(walk, "more branches are predicted than trawl follows");
	} else {
		take_branches(walk, p);
	}
}

static const struct flow_modes *
walk_modes(const void *context)
{
	const struct etrace_walk *walk = context;
	return walk->begun ? &walk->modes : NULL;
}

static void
take_packet(void *context, const struct flow_packet *p)
{
	struct etrace_walk *walk = context;
	if (p->kind != FLOW_LOST && p->kind != FLOW_NOTHING) {
		walk->widths = p->widths;
		if (!walk->begun)
			take_modes(walk, &p->begin);
		walk->begun = true;
	}
	switch ((enum flow_packet_kind)p->kind) {
	case FLOW_NOTHING:
	case FLOW_RANGE:
	case FLOW_UNSEEN:
	case FLOW_CONTEXT:
	case FLOW_EXCEPTION:
	case FLOW_EXCEPTION_RETURN:
	case FLOW_CYCLES:
	case FLOW_TIME:
		break;
	case FLOW_LOST:
		if (p->missing && !walk->silent)
			walk_stop(walk, "packets are missing");
		else if (!walk->silent)
			walk_fail(walk, "a packet is damaged");
		walk->doubted |= !p->missing;
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
	case FLOW_COUNT:
	case FLOW_INDEX:
		take_path(walk, p);
		break;
	}
	flush_run(walk);
}

const struct flow_walk_form etrace_walk_form = {
    .open = open_walk,
    .close = close_walk,
    .copy = copy_walk,
    .size = walk_size,
    .packet = take_packet,
    .modes = walk_modes,
    .held = true,
};
