/*
 * The calls that a processor is in, out of steps as they may come; and which steps are held
 * back until when.
 */
#include "config.h"

#include "test.h"

#include "flow/call_stack.h"
#include "flow/flow_hold.h"
#include "program/riscv.h"

/* A run of one instruction of CLASS at ADDRESS, 4 bytes long. */
static struct flow_step
run_of(enum insn_class class, uint64_t address)
{
	return (struct flow_step){.kind = FLOW_STEP_RUN,
				  .class = (uint8_t) class,
				  .count = 1,
				  .first = address,
				  .end = address + 4,
				  .reported = true};
}

static bool
take(struct call_stack *stack, enum insn_class class, uint64_t address)
{
	const struct flow_step step = run_of(class, address);
	return call_stack_step(stack, &step);
}

static void
calls_and_returns(void **state)
{
	struct call_stack stack = {0};
	(void)state;
	assert_false(take(&stack, INSN_CALL, 0x100));
	assert_int_equal(stack.frames.count, 0); /* known with the step behind */
	assert_false(take(&stack, INSN_INDIRECT_CALL, 0x200));
	assert_int_equal(stack.frames.count, 1);
	assert_false(take(&stack, INSN_RETURN, 0x300));
	assert_int_equal(stack.frames.at[0].link, 0x104);
	assert_int_equal(stack.frames.at[1].link, 0x204);
	assert_true(take(&stack, INSN_RETURN, 0x204));
	assert_true(take(&stack, INSN_OTHER, 0x104));
	assert_int_equal(stack.frames.count, 0);
	/* a swap returns and calls [INSN_SWAP] */
	take(&stack, INSN_CALL, 0x100);
	take(&stack, INSN_SWAP, 0x200);
	assert_true(take(&stack, INSN_OTHER, 0x104));
	assert_int_equal(stack.frames.count, 1);
	assert_int_equal(stack.frames.at[0].link, 0x204);
	call_stack_free(&stack);
}

/* A return further out ends what is within, one to elsewhere nothing. */
static void
stack_is_unwound(void **state)
{
	struct call_stack stack = {0};
	(void)state;
	for (uint64_t at = 0x100; at <= 0x400; at += 0x100)
		take(&stack, INSN_CALL, at);
	take(&stack, INSN_RETURN, 0x500);
	assert_false(take(&stack, INSN_RETURN, 0x900));
	assert_int_equal(stack.frames.count, 4);
	assert_false(take(&stack, INSN_RETURN, 0x204));
	assert_int_equal(stack.frames.count, 1);
	assert_true(take(&stack, INSN_OTHER, 0x104));
	call_stack_free(&stack);
}

static void
traps_are_frames(void **state)
{
	struct call_stack stack = {0};
	const struct flow_step trap = {.kind = FLOW_STEP_TRAP, .has_epc = true, .epc = 0x200};
	const struct flow_step damage = {.kind = FLOW_STEP_DAMAGE};
	(void)state;
	take(&stack, INSN_CALL, 0x100); /* to 0x200, where the trap comes */
	call_stack_step(&stack, &trap);
	assert_int_equal(stack.frames.count, 2);
	assert_true(stack.frames.at[1].trap);
	take(&stack, INSN_CALL, 0x800);
	take(&stack, INSN_RETURN, 0x900);
	/* no return leads out of a handler, whatever is behind a call outside */
	assert_false(take(&stack, INSN_TRAP_RETURN, 0x104));
	assert_int_equal(stack.frames.count, 3);
	take(&stack, INSN_RETURN, 0x200);
	assert_int_equal(stack.frames.count, 1);
	assert_true(take(&stack, INSN_CALL, 0x104));
	assert_false(stack.unknown);
	call_stack_step(&stack, &damage);
	assert_true(stack.unknown);
	assert_int_equal(stack.frames.count, 0);
	take(&stack, INSN_OTHER, 0x300); /* the call before is no part of it */
	assert_int_equal(stack.frames.count, 0);
	call_stack_free(&stack);
}

/* A trace that ended and began again: behind a call that is known the calls are what they
 * were, elsewhere nothing is known of them. */
static void
ended_traces_are_told(void **state)
{
	struct call_stack stack = {0};
	const struct flow_step ended = {.kind = FLOW_STEP_UNSEEN, .ended = true};
	const struct flow_step trap = {.kind = FLOW_STEP_TRAP, .has_epc = true, .epc = 0x300};
	(void)state;
	take(&stack, INSN_CALL, 0x100);
	take(&stack, INSN_CALL, 0x200);
	take(&stack, INSN_OTHER, 0x300);
	call_stack_step(&stack, &ended);
	take(&stack, INSN_OTHER, 0x204); /* behind the second call */
	assert_int_equal(stack.frames.count, 1);
	assert_false(stack.unknown);
	call_stack_step(&stack, &ended);
	take(&stack, INSN_CALL, 0x208);
	assert_int_equal(stack.frames.count, 0);
	assert_true(stack.unknown);
	assert_false(stack.unsure);
	take(&stack, INSN_OTHER, 0x400);
	assert_int_equal(stack.frames.count, 1);
	/* it begins again with a trap */
	call_stack_step(&stack, &ended);
	call_stack_step(&stack, &trap);
	assert_int_equal(stack.frames.count, 1);
	assert_true(stack.frames.at[0].trap);
	call_stack_free(&stack);
}

/* Where returns are missed again and again, the stack begins anew; and so does one that was lost
 * behind an ended trace, whose end says nothing of traps from then on. */
static void
unsure_calls_do_not_pile_up(void **state)
{
	struct call_stack stack = {0};
	const struct flow_step unseen = {.kind = FLOW_STEP_UNSEEN, .ended = false};
	const struct flow_step ended = {.kind = FLOW_STEP_UNSEEN, .ended = true};
	const struct flow_step trap = {.kind = FLOW_STEP_TRAP, .has_epc = true, .epc = 0x300};
	(void)state;
	for (unsigned i = 0; i < CALL_STACK_UNSURE; i++) {
		call_stack_step(&stack, &unseen);
		take(&stack, INSN_CALL, 0x10000 * (i + 1));
		take(&stack, INSN_OTHER, 0x100);
		assert_int_equal(stack.frames.count, i + 1);
	}
	assert_false(stack.unknown);
	/* a return takes a place off */
	take(&stack, INSN_RETURN, 0x104);
	take(&stack, INSN_CALL, 0x10000 * CALL_STACK_UNSURE + 4);
	take(&stack, INSN_OTHER, 0x100);
	assert_int_equal(stack.frames.count, CALL_STACK_UNSURE);
	call_stack_step(&stack, &unseen);
	take(&stack, INSN_CALL, 0x900);
	take(&stack, INSN_OTHER, 0x100);
	assert_int_equal(stack.frames.count, 1);
	assert_true(stack.unknown);
	assert_int_equal(stack.frames.at[0].link, 0x904);
	call_stack_step(&stack, &ended);
	call_stack_step(&stack, &(const struct flow_step){.kind = FLOW_STEP_DAMAGE});
	take(&stack, INSN_CALL, 0x100);
	take(&stack, INSN_OTHER, 0x300);
	call_stack_step(&stack, &trap);
	assert_int_equal(stack.frames.count, 2);
	call_stack_free(&stack);
}

/* Code that is not seen may return to any frame, also out of a handler; elsewhere what it
 * called is not known.  A branch that was not taken is no return. */
static void
unseen_code_is_told(void **state)
{
	struct call_stack stack = {0};
	const struct flow_step unseen = {.kind = FLOW_STEP_UNSEEN};
	const struct flow_step trap = {.kind = FLOW_STEP_TRAP, .has_epc = true, .epc = 0x300};
	const struct flow_step back = {.kind = FLOW_STEP_RETURN};
	struct flow_step passed = run_of(INSN_RETURN, 0x200);
	(void)state;
	take(&stack, INSN_CALL, 0x100);
	passed.passed = true;
	call_stack_step(&stack, &passed);
	assert_false(take(&stack, INSN_CALL, 0x104));
	assert_int_equal(stack.frames.count, 1);
	/* a call into it, which returns */
	call_stack_step(&stack, &unseen);
	assert_int_equal(stack.frames.count, 2);
	assert_false(stack.unsure);
	take(&stack, INSN_OTHER, 0x108);
	assert_int_equal(stack.frames.count, 1);
	assert_false(stack.unsure);
	/* it comes to elsewhere, a return to a frame is sure again */
	call_stack_step(&stack, &unseen);
	take(&stack, INSN_RETURN, 0x900);
	assert_int_equal(stack.frames.count, 1);
	assert_true(stack.unsure);
	assert_true(take(&stack, INSN_CALL, 0x104));
	assert_int_equal(stack.frames.count, 0);
	assert_false(stack.unsure);
	/* what is called from an unsure place is sure by itself */
	call_stack_step(&stack, &unseen);
	take(&stack, INSN_CALL, 0x900);
	assert_true(stack.unsure);
	take(&stack, INSN_RETURN, 0xa00);
	assert_false(stack.unsure);
	assert_true(stack.frames.at[stack.frames.count - 1].unsure);
	assert_true(take(&stack, INSN_OTHER, 0x904));
	assert_true(stack.unsure);
	call_stack_step(&stack, &(const struct flow_step){.kind = FLOW_STEP_DAMAGE});
	assert_false(stack.unsure);
	take(&stack, INSN_CALL, 0x104);
	/* a handler that ends in it */
	call_stack_step(&stack, &trap);
	assert_int_equal(stack.frames.count, 2);
	call_stack_step(&stack, &unseen);
	take(&stack, INSN_OTHER, 0x300);
	assert_int_equal(stack.frames.count, 1);
	/* one whose end no instruction tells */
	call_stack_step(&stack, &trap);
	take(&stack, INSN_CALL, 0x800);
	take(&stack, INSN_OTHER, 0x900);
	call_stack_step(&stack, &back);
	assert_int_equal(stack.frames.count, 1);
	assert_int_equal(stack.frames.at[0].link, 0x108);
	call_stack_free(&stack);
}

static void
depth_is_bounded(void **state)
{
	struct call_stack stack = {0};
	(void)state;
	for (unsigned i = 0; i < CALL_STACK_MOST + 10; i++)
		take(&stack, INSN_CALL, 0x100);
	take(&stack, INSN_RETURN, 0x200);
	assert_int_equal(stack.frames.count, CALL_STACK_MOST);
	assert_int_equal(stack.above, 10);
	for (unsigned i = 0; i < CALL_STACK_MOST + 10; i++)
		take(&stack, INSN_RETURN, 0x104);
	assert_int_equal(stack.frames.count, 0);
	assert_int_equal(stack.above, 0);
	call_stack_free(&stack);
}

/* --- holding ----------------------------------------------------------- */

struct given {
	unsigned count;
	uint64_t first[16], number[16];
	bool doubtful[16];
	uint64_t all;
};

static void
give(void *context, const struct flow_place *place, const struct flow_step *step)
{
	struct given *given = context;
	given->all++;
	if (given->count == 16)
		return;
	given->first[given->count] = step->first;
	given->number[given->count] = place->number;
	given->doubtful[given->count++] = step->doubtful;
}

static void
hold_run(struct flow_hold *hold, unsigned processor, enum insn_class class, uint64_t address)
{
	const struct flow_step step = run_of(class, address);
	const struct flow_place place = {.number = address / 0x100};
	flow_hold_add(hold, processor, &place, &step);
}

static void
agree_often(struct flow_hold *hold, unsigned processor)
{
	const struct flow_step proof = {.kind = FLOW_STEP_PROOF};
	for (unsigned i = 0; i <= FLOW_HOLD_PROOFS; i++)
		flow_hold_add(hold, processor, &(const struct flow_place){0}, &proof);
}

/* In a loop packets and program agree by chance, and once is not enough; behind a
 * synchronisation it is, for what was before. */
static void
one_agreement_proves_little(void **state)
{
	const struct flow_step proof = {.kind = FLOW_STEP_PROOF};
	const struct flow_step begin = {.kind = FLOW_STEP_PROOF, .begins = true};
	const struct flow_step damage = {.kind = FLOW_STEP_DAMAGE, .doubts = true, .why = "x"};
	const struct flow_place nowhere = {0};
	struct given given = {0};
	struct flow_hold *hold = flow_hold_new(give, &given);
	(void)state;
	hold_run(hold, 0, INSN_OTHER, 0x100);
	flow_hold_add(hold, 0, &nowhere, &proof);
	assert_int_equal(given.count, 0);
	hold_run(hold, 0, INSN_OTHER, 0x200);
	flow_hold_add(hold, 0, &nowhere, &begin);
	hold_run(hold, 0, INSN_OTHER, 0x300);
	assert_int_equal(given.count, 1); /* up to where it agreed */
	flow_hold_add(hold, 0, &nowhere, &proof);
	assert_int_equal(given.count, 2); /* up to the synchronisation */
	flow_hold_add(hold, 0, &nowhere, &damage);
	assert_int_equal(given.count, 4);
	assert_false(given.doubtful[1]);
	assert_true(given.doubtful[2]);
	hold_run(hold, 0, INSN_OTHER, 0x400);
	flow_hold_add(hold, 0, &nowhere, &begin);
	flow_hold_add(hold, 0, &nowhere, &damage); /* the synchronisation may be wrong too */
	assert_int_equal(given.count, 6);
	assert_true(given.doubtful[4]);
	flow_hold_free(hold);
}

/* Two processors: the order is kept, the doubts of one are not those of the other. */
static void
steps_wait_for_proof(void **state)
{
	const struct flow_step damage = {.kind = FLOW_STEP_DAMAGE, .doubts = true, .why = "x"};
	const struct flow_step loss = {.kind = FLOW_STEP_DAMAGE, .why = "x"};
	const struct flow_place nowhere = {0};
	struct given given = {0};
	struct flow_hold *hold = flow_hold_new(give, &given);
	(void)state;
	hold_run(hold, 0, INSN_CALL, 0x100);
	hold_run(hold, 1, INSN_OTHER, 0x200);
	hold_run(hold, 0, INSN_RETURN, 0x300);
	assert_int_equal(given.count, 0);
	hold_run(hold, 0, INSN_OTHER, 0x104); /* behind the call */
	agree_often(hold, 0);
	assert_int_equal(given.count, 1); /* those of 1 are in front of the others */
	agree_often(hold, 1);
	assert_int_equal(given.count, 4);
	assert_int_equal(given.first[1], 0x200);
	assert_int_equal(given.number[2], 3);
	hold_run(hold, 0, INSN_OTHER, 0x500);
	hold_run(hold, 1, INSN_OTHER, 0x600);
	hold_run(hold, 0, INSN_OTHER, 0x700);
	flow_hold_add(hold, 0, &nowhere, &damage);
	assert_int_equal(given.count, 5);
	assert_true(given.doubtful[4]);
	flow_hold_add(hold, 1, &nowhere, &loss);
	assert_int_equal(given.count, 9);
	assert_false(given.doubtful[3]);
	assert_false(given.doubtful[5]);
	assert_true(given.doubtful[6]);
	assert_false(given.doubtful[7]);
	hold_run(hold, 0, INSN_OTHER, 0x800);
	flow_hold_end(hold);
	assert_int_equal(given.count, 10);
	flow_hold_free(hold);
}

/* Without any proof memory stays flat, and nothing is left out. */
static void
what_is_held_is_bounded(void **state)
{
	const struct flow_step damage = {.kind = FLOW_STEP_DAMAGE, .doubts = true, .why = "x"};
	const struct flow_place nowhere = {0};
	struct given given = {0};
	struct flow_hold *hold = flow_hold_new(give, &given);
	(void)state;
	for (unsigned i = 0; i < 2 * FLOW_HOLD_MOST; i++)
		hold_run(hold, 0, INSN_OTHER, 0x1000 + i);
	assert_int_equal(given.all, FLOW_HOLD_MOST);
	given.count = 0;
	flow_hold_add(hold, 0, &nowhere, &damage);
	assert_int_equal(given.all, 2 * FLOW_HOLD_MOST + 1);
	assert_true(given.doubtful[0]);
	assert_int_equal(given.first[0], 0x1000 + FLOW_HOLD_MOST);
	flow_hold_free(hold);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(calls_and_returns),
	    cmocka_unit_test(stack_is_unwound),
	    cmocka_unit_test(traps_are_frames),
	    cmocka_unit_test(unseen_code_is_told),
	    cmocka_unit_test(unsure_calls_do_not_pile_up),
	    cmocka_unit_test(ended_traces_are_told),
	    cmocka_unit_test(depth_is_bounded),
	    cmocka_unit_test(steps_wait_for_proof),
	    cmocka_unit_test(one_agreement_proves_little),
	    cmocka_unit_test(what_is_held_is_bounded),
	};
	return cmocka_run_group_tests_name("call_stack", tests, NULL, NULL);
}
