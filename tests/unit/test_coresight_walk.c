/*
 * Elements of CoreSight trace as steps, what exceptions are called, and whether an image fits.
 */
#include "config.h"

#include "test.h"

#include "decode/coresight/opencsd_flow.h"
#include "flow/flow_walk.h"
#include "flow/image_fit.h"
#include "program/image.h"

#include <string.h>

/* --- elements ---------------------------------------------------------- */

static struct flow_packet
read_line(const char *line, const struct opencsd_source_options *source)
{
	struct opencsd_element e;
	struct flow_packet flow;
	size_t read;
	assert_true(opencsd_element_parse(line, strlen(line), &e, &read));
	opencsd_element_flow(&e, source, &flow);
	return flow;
}

#define RANGE "Idx:1; ID:10; OCSD_GEN_TRC_ELEM_INSTR_RANGE(exec range=0x1000:[0x1008] num_i(2) "

/* Lines as trc_pkt_lister writes them. */
static void
elements_say_the_flow(void **state)
{
	static const struct {
		const char *line;
		uint8_t machine, class;
		bool passed;
	} ranges[] = {
	    {RANGE "last_sz(4) (ISA=A32) E BR  )", INSN_A32, INSN_JUMP, false},
	    {RANGE "last_sz(4) (ISA=A32) N BR   <cond>)", INSN_A32, INSN_BRANCH, true},
	    {RANGE "last_sz(4) (ISA=T32) E BR  b+link )", INSN_T32, INSN_CALL, false},
	    {RANGE "last_sz(4) (ISA=A64) E iBR )", INSN_A64, INSN_INDIRECT_JUMP, false},
	    {RANGE "last_sz(4) (ISA=A64) E iBR b+link )", INSN_A64, INSN_INDIRECT_CALL, false},
	    {RANGE "last_sz(4) (ISA=A64) E iBR A64:ret )", INSN_A64, INSN_RETURN, false},
	    {RANGE "last_sz(4) (ISA=A64) E iBR A64:eret )", INSN_A64, INSN_TRAP_RETURN, false},
	    {RANGE "last_sz(2) (ISA=T32) N iBR V7:impl ret <cond>)", INSN_T32, INSN_RETURN, true},
	    {RANGE "last_sz(4) (ISA=A64) E --- )", INSN_A64, INSN_OTHER, false},
	    {RANGE "last_sz(4) (ISA=A64) E ISB )", INSN_A64, INSN_OTHER, false},
	};
	(void)state;
	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
		struct flow_packet flow = read_line(ranges[i].line, NULL);
		assert_int_equal(flow.kind, FLOW_RANGE);
		assert_int_equal(flow.element.machine, ranges[i].machine);
		assert_int_equal(flow.element.class, ranges[i].class);
		assert_int_equal(flow.element.passed, ranges[i].passed);
		assert_int_equal(flow.element.count, 2);
		assert_int_equal(flow.element.first, 0x1000);
		assert_int_equal(flow.element.end, 0x1008);
	}
}

static void
breaks_are_told_from_losses(void **state)
{
#define LINE(what) "Idx:1; ID:10; OCSD_GEN_TRC_ELEM_" what
	(void)state;
	assert_int_equal(read_line(LINE("NO_SYNC( [init-decoder])"), NULL).kind, FLOW_UNSEEN);
	assert_int_equal(read_line(LINE("NO_SYNC( [overflow])"), NULL).kind, FLOW_LOST);
	assert_int_equal(read_line(LINE("NO_SYNC( [bad-packet])"), NULL).kind, FLOW_LOST);
	assert_int_equal(read_line(LINE("TRACE_ON( [begin or filter])"), NULL).kind, FLOW_UNSEEN);
	assert_int_equal(read_line(LINE("TRACE_ON( [overflow])"), NULL).kind, FLOW_LOST);
	assert_int_equal(read_line(LINE("TRACE_ON( [debug restart])"), NULL).kind, FLOW_UNSEEN);
	assert_int_equal(read_line(LINE("EO_TRACE( [end-of-trace])"), NULL).kind, FLOW_NOTHING);
	struct flow_packet flow = read_line(LINE("ADDR_NACC( 0x1234 )"), NULL);
	assert_int_equal(flow.kind, FLOW_UNSEEN);
	assert_true(flow.element.has_address);
	assert_int_equal(flow.element.first, 0x1234);
	flow = read_line(LINE("EXCEPTION(pref ret addr:0x5910e8; excep num (0x0e) )"), NULL);
	assert_int_equal(flow.kind, FLOW_EXCEPTION);
	assert_int_equal(flow.element.first, 0x5910e8);
	assert_null(flow.element.name); /* of which protocol is not known */
	assert_int_equal(read_line(LINE("EXCEPTION_RET()"), NULL).kind, FLOW_EXCEPTION_RETURN);
#undef LINE
}

/* [Arm IHI 0014Q], [Arm IHI 0035B], [Arm IHI 0064], by protocol and profile. */
static void
exceptions_have_names(void **state)
{
	static const struct {
		int protocol;
		const char *core;
		uint32_t number;
		const char *name;
		int irq;
	} names[] = {
	    {OPENCSD_ETMV4I, "Cortex-A53", 0x0e, "IRQ", -1},
	    {OPENCSD_ETE, NULL, 0x0b, "inst fault", -1},
	    {OPENCSD_ETMV4I, "Cortex-R52", 2, "call", -1},
	    {OPENCSD_ETMV4I, "Cortex-A53", 5, NULL, -1},
	    {OPENCSD_ETMV4I, "Cortex-A53", 0x3ff, NULL, -1},
	    {OPENCSD_PTM, "Cortex-A9", 0x0a, "SVC", -1},
	    {OPENCSD_ETMV3, "Cortex-A7", 0x0b, "prefetch abort", -1},
	    {OPENCSD_ETMV3, "Cortex-M3", 0x0a, "NMI", -1},
	    {OPENCSD_ETMV3, "Cortex-M3", 8, "IRQ", 0},
	    {OPENCSD_ETMV3, "Cortex-M3", 7, "IRQ", 7},
	    {OPENCSD_ETMV3, "Cortex-M3", 24, "IRQ", 8},
	    {OPENCSD_ETMV4I, "Cortex-M33", 15, "SysTick", -1},
	    {OPENCSD_ETMV4I, "ARMv8-M", 16, "IRQ", 0},
	    {OPENCSD_ETMV4I, "Cortex-M7", 0x208, "IRQ", 8},
	    {OPENCSD_ETMV4I, "Cortex-M7", 27, NULL, -1},
	};
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct opencsd_source_options source = {.protocol = names[i].protocol,
							.core = (char *)(uintptr_t)names[i].core};
		int irq;
		const char *name = opencsd_exception_name(&source, names[i].number, &irq);
		if (names[i].name)
			assert_string_equal(name, names[i].name);
		else
			assert_null(name);
		assert_int_equal(irq, names[i].irq);
	}
}

/* --- steps ------------------------------------------------------------- */

struct walk_test {
	struct image *image;
	struct flow_code *code;
	void *walk;
	struct image_fits fits;
	VEC(struct flow_step) steps;
};

/* 64 KiB of memory whose words of A32 are: at 0x100 B 0x200, at 0x104 BX R2, at 0x108
 * MOVS PC, LR; zeros elsewhere. */
static const uint8_t *
read_memory(const struct flow_space *space, uint64_t address, size_t *length)
{
	static uint8_t memory[65536];
	static const uint8_t code[] = {0x3e, 0,	   0,	 0xea, 0x12, 0xff,
				       0x2f, 0xe1, 0x0e, 0xf0, 0xb0, 0xe1};
	(void)space;
	memcpy(memory + 0x100, code, sizeof code);
	if (address >= sizeof memory)
		return NULL;
	*length = (size_t)(sizeof memory - address);
	return memory + address;
}

static void
take(void *context, const struct flow_step *step)
{
	struct walk_test *t = context;
	const struct flow_place place = {.origin = 0x10};
	*vec_add(&t->steps) = *step;
	image_fits_step(&t->fits, t->code, &place, step);
}

static void
start(struct walk_test *t)
{
	const struct flow_space space = {.read = read_memory};
	*t = (struct walk_test){.image = image_new()};
	t->code = flow_code_new(t->image);
	t->walk = coresight_walk_form.open(t->code, &space, take, t);
}

static void
stop(struct walk_test *t)
{
	coresight_walk_form.close(t->walk);
	image_fits_free(&t->fits);
	flow_code_free(t->code);
	image_free(t->image);
	vec_free(&t->steps);
}

/* A range of one instruction. */
static void
range(struct walk_test *t, enum insn_class class, uint64_t address)
{
	coresight_walk_form.packet(t->walk,
				   &(struct flow_packet){.kind = FLOW_RANGE,
							 .element = {.machine = INSN_A32,
								     .class = (uint8_t) class,
								     .last = 4,
								     .count = 1,
								     .first = address,
								     .end = address + 4}});
}

static void
send(struct walk_test *t, enum flow_packet_kind kind)
{
	coresight_walk_form.packet(t->walk, &(struct flow_packet){.kind = (uint8_t)kind});
}

static const struct flow_step *
newest(const struct walk_test *t)
{
	return &t->steps.at[t->steps.count - 1];
}

static void
elements_become_steps(void **state)
{
	struct walk_test t;
	(void)state;
	start(&t);
	/* that nothing is seen is said once, up to the next that is */
	send(&t, FLOW_UNSEEN);
	send(&t, FLOW_UNSEEN);
	assert_int_equal(t.steps.count, 1);
	assert_int_equal(newest(&t)->kind, FLOW_STEP_UNSEEN);
	range(&t, INSN_JUMP, 0x100);
	assert_int_equal(newest(&t)->kind, FLOW_STEP_RUN);
	assert_int_equal(newest(&t)->class, INSN_JUMP);
	send(&t, FLOW_UNSEEN);
	assert_int_equal(t.steps.count, 3);
	/* and that trace was lost */
	send(&t, FLOW_LOST);
	send(&t, FLOW_LOST);
	send(&t, FLOW_UNSEEN);
	assert_int_equal(t.steps.count, 4);
	assert_int_equal(newest(&t)->kind, FLOW_STEP_DAMAGE);
	/* the code says which indirect jumps return from exceptions */
	range(&t, INSN_INDIRECT_JUMP, 0x104);
	assert_int_equal(newest(&t)->class, INSN_INDIRECT_JUMP);
	range(&t, INSN_INDIRECT_JUMP, 0x108);
	assert_int_equal(newest(&t)->class, INSN_TRAP_RETURN);
	/* where there is none, the element */
	range(&t, INSN_INDIRECT_JUMP, 0x20000);
	assert_int_equal(newest(&t)->class, INSN_INDIRECT_JUMP);
	send(&t, FLOW_EXCEPTION);
	assert_int_equal(newest(&t)->kind, FLOW_STEP_TRAP);
	send(&t, FLOW_EXCEPTION_RETURN);
	assert_int_equal(newest(&t)->kind, FLOW_STEP_RETURN);
	stop(&t);
}

/* A listing may have any numbers: so many instructions cannot be in the range. */
static void
impossible_ranges(void **state)
{
	static const struct {
		uint64_t first, end;
		uint32_t count;
		enum flow_step_kind kind;
	} ranges[] = {
	    {0x100, 0x108, 2, FLOW_STEP_RUN},
	    {0x100, 0x108, 4, FLOW_STEP_RUN},
	    {0x100, 0x108, 5, FLOW_STEP_DAMAGE},
	    {0x100, 0x10c, 2, FLOW_STEP_DAMAGE},
	    {0x108, 0x100, 2, FLOW_STEP_DAMAGE},
	    {0x100, 0x100, 1, FLOW_STEP_DAMAGE},
	    {0, UINT64_MAX, UINT32_MAX, FLOW_STEP_DAMAGE},
	};
	(void)state;
	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
		struct walk_test t;
		start(&t);
		struct flow_packet p = {.kind = FLOW_RANGE};
		p.element.machine = INSN_T32;
		p.element.first = ranges[i].first;
		p.element.end = ranges[i].end;
		p.element.count = ranges[i].count;
		coresight_walk_form.packet(t.walk, &p);
		assert_int_equal(t.steps.count, 1);
		assert_int_equal(newest(&t)->kind, ranges[i].kind);
		stop(&t);
	}
}

/* Addresses are of the memory of a context. */
static void
contexts_have_spaces(void **state)
{
	struct walk_test t;
	struct flow_packet context = {.kind = FLOW_CONTEXT};
	(void)state;
	start(&t);
	range(&t, INSN_OTHER, 0x100);
	uint16_t first = newest(&t)->space;
	context.element.context_id = 7;
	coresight_walk_form.packet(t.walk, &context);
	range(&t, INSN_OTHER, 0x100);
	assert_int_not_equal(newest(&t)->space, first);
	assert_int_equal(flow_code_machine(t.code, first), INSN_A32);
	context.element.context_id = 0;
	coresight_walk_form.packet(t.walk, &context);
	range(&t, INSN_OTHER, 0x100);
	assert_int_equal(newest(&t)->space, first);
	/* a capture may name any number of them */
	for (uint32_t i = 1; i < 2 * FLOW_CODE_SPACES; i++) {
		context.element.context_id = i;
		coresight_walk_form.packet(t.walk, &context);
		range(&t, INSN_OTHER, 0x100);
	}
	assert_int_equal(t.code->spaces.count, FLOW_CODE_SPACES);
	assert_int_equal(flow_code_find_in(t.code, newest(&t)->space, 0x100)->length, 0);
	stop(&t);
}

/* --- fit --------------------------------------------------------------- */

static const struct image_fit *
fit_of(const struct walk_test *t)
{
	return &t->fits.walks.at[0].fit;
}

/* A call at 0x400 of what returns to TO. */
static void
call_and_return(struct walk_test *t, uint64_t to)
{
	range(t, INSN_INDIRECT_CALL, 0x400);
	range(t, INSN_RETURN, 0x300);
	range(t, INSN_OTHER, to);
}

static void
fit_is_judged(void **state)
{
	struct walk_test t;
	struct text text = {0};
	(void)state;
	start(&t);
	/* a return whose call was not seen is not judged, nor is one behind unseen code */
	range(&t, INSN_RETURN, 0x300);
	range(&t, INSN_OTHER, 0x400);
	assert_int_equal(fit_of(&t)->returns, 0);
	for (unsigned i = 0; i < 16; i++)
		call_and_return(&t, 0x404);
	range(&t, INSN_INDIRECT_CALL, 0x400);
	range(&t, INSN_RETURN, 0x300);
	send(&t, FLOW_UNSEEN);
	range(&t, INSN_OTHER, 0x404);
	assert_int_equal(fit_of(&t)->returns, 16);
	assert_int_equal(fit_of(&t)->behind, 16);
	/* of fewer than 20 nothing is said; then 16 of 20 are 80 % */
	call_and_return(&t, 0x408);
	image_fit_describe(fit_of(&t), &text);
	assert_string_equal(text_get(&text),
			    "image not judged, by so few: 16 of 17 returns lead behind their call");
	for (unsigned i = 0; i < 3; i++)
		call_and_return(&t, 0x408);
	assert_int_equal(fit_of(&t)->returns, 20);
	assert_false(image_fit_is_bad(fit_of(&t)));
	text_clear(&text);
	image_fit_describe(fit_of(&t), &text);
	assert_string_equal(text_get(&text), "image fits: 16 of 20 returns lead behind their call");
	call_and_return(&t, 0x408);
	assert_true(image_fit_is_bad(fit_of(&t)));
	/* direct branches: B 0x200 at 0x100 */
	range(&t, INSN_JUMP, 0x100);
	range(&t, INSN_OTHER, 0x200);
	range(&t, INSN_JUMP, 0x100);
	range(&t, INSN_OTHER, 0x204);
	text_clear(&text);
	image_fit_describe(fit_of(&t), &text);
	assert_string_equal(text_get(&text),
			    "image does not fit: 16 of 21 returns lead behind their call, 1 of 2 "
			    "direct branches to their target");
	text_free(&text);
	stop(&t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(elements_say_the_flow), cmocka_unit_test(breaks_are_told_from_losses),
	    cmocka_unit_test(exceptions_have_names), cmocka_unit_test(elements_become_steps),
	    cmocka_unit_test(impossible_ranges),     cmocka_unit_test(contexts_have_spaces),
	    cmocka_unit_test(fit_is_judged),
	};
	return cmocka_run_group_tests_name("coresight_walk", tests, NULL, NULL);
}
