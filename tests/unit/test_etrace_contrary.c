/*
 * Packets of E-Trace that contradict each other or the program, one rule of the specification
 * each: the walk says which, and what was told before is a guess.  The program is that of
 * seven.h.  And packets that leave out what need not be known: nothing is wrong.
 */
#include "config.h"

#include "test.h"

#include "flow/flow_walk.h"
#include "program_path.h"
#include "seven.h"

#include <string.h>

enum { BASE = 0x8000, MOST = 4 }; /* the upper half of addresses */
#define AT(low) ((uint64_t)BASE << 16 | (low))

#define START(low)                                                                                 \
	{                                                                                          \
		.kind = FLOW_START, .branch = true, .privilege = 3, .address = AT(low)             \
	}
/* Format 1: of the branch at 10, which is taken, and where the return behind it leads. */
#define BACK(...)                                                                                  \
	{                                                                                          \
		.kind = FLOW_ADDRESS, .branches = 1, .address = AT(8), __VA_ARGS__                 \
	}
#define TRAP(...)                                                                                  \
	{                                                                                          \
		.kind = FLOW_TRAP, .branch = true, .thaddr = true, .privilege = 3,                 \
		.address = AT(0x14), __VA_ARGS__                                                   \
	}
/* Of a trap whose handler did not begin, as another one came, or where a jump's target is. */
#define TRAP_ALONE                                                                                 \
	{                                                                                          \
		.kind = FLOW_TRAP, .branch = true, .privilege = 3, .interrupt = true, .cause = 7   \
	}
/* Format 1: of the same branch, and the return that it leads to, which is reported. */
#define TO_RETURN                                                                                  \
	{                                                                                          \
		.kind = FLOW_ADDRESS, .notify = true, .branches = 1, .address = AT(0x18)           \
	}
#define ENDED(how)                                                                                 \
	{                                                                                          \
		.kind = FLOW_SUPPORT, .modes = {.full_address = true}, .status = (how)             \
	}

static const struct row {
	struct flow_packet packets[MOST]; /* up to one of kind FLOW_NOTHING */
	struct flow_modes modes;
	const char *why; /* NULL: nothing is wrong */
} rows[] = {
    {{START(0), BACK(.updiscon = true), TRAP(.interrupt = true, .cause = 7)}, {0}, NULL},
    {{START(0), BACK(.updiscon = false), ENDED(FLOW_ENDED_NTR)}, {0}, NULL},
    {{START(0), BACK(.updiscon = true), START(0xc)}, {0}, NULL},
    /* "it will be followed immediately by a format 3" */
    {{START(0), BACK(.updiscon = true), BACK(.updiscon = false)},
     {0},
     "a synchronisation is missing"},
    {{START(0), BACK(.updiscon = true), START(0x14)},
     {0},
     "a synchronisation is not where it was announced"},
    /* "and is also the instruction before an exception, privilege change or resync" */
    {{START(0), BACK(.updiscon = false), START(0xc)}, {0}, "a synchronisation was not announced"},
    /* "if a second interrupt or exception occurs immediately" */
    {{START(0), TRAP_ALONE, TRAP(.interrupt = true, .cause = 7)}, {0}, NULL},
    {{START(0), TRAP_ALONE, START(0x14)}, {0}, "a trap came before another one, which is missing,"},
    /* "the last retired before an exception, interrupt, privilege change or resync" */
    {{START(0), BACK(.irreport = true), START(0xc)}, {.implicit_return = true}, NULL},
    {{START(0), BACK(.irreport = true), BACK(.updiscon = false)},
     {.implicit_return = true},
     "a synchronisation is missing"},
    /* the return leads to the branch, of which nothing is said */
    {{START(0), {.kind = FLOW_ADDRESS, .branches = 1, .address = AT(0x10), .updiscon = true}},
     {0},
     "no packet tells whether this branch was taken"},
    /* "the final instruction retired beforehand must be traced" */
    {{START(0), BACK(.updiscon = false), TRAP(.interrupt = true, .cause = 7)},
     {0},
     "no packet tells where the trap came"},
    /* "not the target of an uninferable discontinuity" */
    {{START(0), BACK(.notify = true)}, {0}, "what a trigger reports comes behind a jump"},
    /* "would not have been issued if tracing hadn't ended" */
    {{START(0), BACK(.updiscon = false), ENDED(FLOW_ENDED_REP)},
     {0},
     "a jump's target is not where tracing ended"},
    /* a call of machine mode where JAL is */
    {{START(0), TRAP(.cause = 11)}, {0}, "a trap of ECALL comes where none is"},
    /* "the number of entries on the return address stack": one, then none as it returned */
    {{START(0x10), BACK(.irreport = true, .irdepth = 3)},
     {.implicit_return = true},
     "the return stack is not as deep as reported"},
    /* no return came, or none is implicit */
    {{START(0x10), BACK(.irreport = true)},
     {.implicit_return = true},
     "a return stack is reported where none need be"},
    {{START(0), BACK(.irreport = true)},
     {0},
     "a return stack is reported, and returns are not implicit"},
    /* "the EPC for an exception at the target of an updiscon" */
    {{START(0), TO_RETURN, TRAP(.cause = 2)},
     {0},
     "no packet tells where a jump led, before an exception"},
    {{START(0), TO_RETURN, TRAP(.interrupt = true, .cause = 7)}, {0}, NULL},
    /* "traps never transition from a more-privileged mode to a less-privileged mode" */
    {{START(0), {.kind = FLOW_TRAP, .branch = true, .thaddr = true, .privilege = 1, .cause = 2}},
     {0},
     "a trap leads to less privilege"},
    {{START(0), TRAP_ALONE}, {0}, NULL},
    {{START(0), {.kind = FLOW_TRAP, .branch = true, .privilege = 0, .interrupt = true, .cause = 7}},
     {0},
     "a trap is of another privilege than what came before it"},
    /* "set to 1 if the instruction is not a branch" */
    {{{.kind = FLOW_START, .privilege = 3, .address = AT(0)}},
     {0},
     "a synchronisation is said to be at a branch, and is not"},
    {{START(0), TRAP(.unhandled = true)},
     {.implicit_exception = true},
     "mtvec, stvec or vstvec of a profile does not say where the trap led"},
    {{START(0), {.kind = FLOW_INDEX, .index = 1}},
     {.jump_target_cache = true},
     "the jump target cache has no such entry"},
    {{START(0), {.kind = FLOW_INDEX, .index = 1}}, {0}, "the jump target cache is off"},
    {{START(0), {.kind = FLOW_COUNT, .count = 31}}, {0}, "branch prediction is off"},
    {{START(0), {.kind = FLOW_COUNT, .count = 1 << 25}},
     {.branch_prediction = true},
     "more branches are predicted than trawl follows"},
    /* one branch, and a return */
    {{START(0), {.kind = FLOW_COUNT, .count = 31, .fails = true}},
     {.branch_prediction = true},
     "a jump to an unknown address, before the last branch,"},
};

static void
take_step(void *context, const struct flow_step *step)
{
	const char **why = context;
	if (step->kind == FLOW_STEP_DAMAGE && !*why)
		*why = step->why;
}

/* Calls in calls, and a jump that is none, where its begin was:
 *
 *	80000000 jal ra, 8000000c
 *	80000004 j 80000004
 *	80000008 nop
 *	8000000c jal ra, 80000018
 *	80000010 jr t1
 *	80000014 nop
 *	80000018 ret
 */
static const char tail_call[] = "\357\0\300\0\157\0\0\0\23\0\0\0\357\0\300\0"
				"\147\0\3\0\23\0\0\0\147\200\0\0";

/* Where the jump leads, behind a return with one call left. */
#define TAIL(...)                                                                                  \
	{                                                                                          \
		.kind = FLOW_ADDRESS, .address = AT(0x14), __VA_ARGS__                             \
	}
static const struct row tail_rows[] = {
    /* the depth, and no updiscon, before a synchronisation and before something else */
    {{START(0), TAIL(.irreport = true, .irdepth = 1), START(0x18)},
     {.implicit_return = true},
     NULL},
    {{START(0), TAIL(.irreport = true, .irdepth = 1), ENDED(FLOW_ENDED_NTR)},
     {.implicit_return = true},
     NULL},
    /* no depth before a synchronisation */
    {{START(0), TAIL(.updiscon = true), START(0x18)}, {.implicit_return = true}, NULL},
};

static void
check_rows(const char elf[static sizeof seven_elf], const struct row *table, size_t count)
{
	struct folder folder;
	struct image *image = image_new();
	folder_make(&folder);
	folder_put(&folder, "seven.elf", elf, sizeof seven_elf - 1);
	const struct image_place place = {0};
	assert_int_equal(image_add_path(image, folder_path(&folder, "seven.elf"), &place, NULL), 0);
	struct flow_code *code = flow_code_new(image);
	for (size_t i = 0; i < count; i++) {
		const char *why = NULL;
		void *walk = etrace_walk_form.open(code, NULL, take_step, &why);
		for (unsigned k = 0; k < MOST && table[i].packets[k].kind; k++) {
			struct flow_packet packet = table[i].packets[k];
			packet.begin = table[i].modes;
			packet.begin.full_address = true;
			packet.widths = (struct flow_widths){.iaddress_width = 32,
							     .iaddress_lsb = 1,
							     .return_stack_size = 2,
							     .bpred_size = 4,
							     .cache_size = 4};
			etrace_walk_form.packet(walk, &packet);
		}
		if (!why != !table[i].why || (why && strcmp(why, table[i].why)))
			fail_msg("row %zu: %s, not %s", i, why ? why : "nothing",
				 table[i].why ? table[i].why : "nothing");
		etrace_walk_form.close(walk);
	}
	flow_code_free(code);
	image_free(image);
	folder_remove(&folder);
}

static void
contradictions_are_said(void **state)
{
	(void)state;
	check_rows(seven_elf, rows, sizeof rows / sizeof *rows);
}

static void
left_out_is_no_contradiction(void **state)
{
	char elf[sizeof seven_elf];
	(void)state;
	memcpy(elf, seven_elf, sizeof elf);
	memcpy(elf + sizeof elf - sizeof tail_call, tail_call, sizeof tail_call);
	check_rows(elf, tail_rows, sizeof tail_rows / sizeof *tail_rows);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(left_out_is_no_contradiction),
	    cmocka_unit_test(contradictions_are_said),
	};
	return cmocka_run_group_tests_name("etrace_contrary", tests, NULL, NULL);
}
