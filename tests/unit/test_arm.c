/*
 * What Arm instructions do to the flow.
 *
 * Bytes are those that LLVM's assembler, 14.0.6, writes for the texts beside them; distances
 * follow from the manual, as the pc reads as 8 bytes behind an instruction of A32 and 4 of
 * T32.  Where a disassembler is installed it has to give the texts back, in its own words.
 */
#include "config.h"

#include "test.h"

#include "program/arm.h"
#include "program/disassemble.h"

#include <stdlib.h>
#include <string.h>

static const struct arm_case {
	enum insn_machine machine;
	const char *text;
	uint8_t bytes[4];
	uint8_t length;
	uint8_t class;
	int32_t distance; /* of its target */
} cases[] = {
    {INSN_A64, "b #16", {0x04, 0x00, 0x00, 0x14}, 4, INSN_JUMP, 16},
    {INSN_A64, "b #-4", {0xff, 0xff, 0xff, 0x17}, 4, INSN_JUMP, -4},
    {INSN_A64, "bl #0x100", {0x40, 0x00, 0x00, 0x94}, 4, INSN_CALL, 256},
    {INSN_A64, "b.eq #-8", {0xc0, 0xff, 0xff, 0x54}, 4, INSN_BRANCH, -8},
    {INSN_A64, "cbz x1, #12", {0x61, 0x00, 0x00, 0xb4}, 4, INSN_BRANCH, 12},
    {INSN_A64, "cbnz w3, #-1048576", {0x03, 0x00, 0x80, 0x35}, 4, INSN_BRANCH, -1048576},
    {INSN_A64, "tbz x2, #33, #32764", {0xe2, 0xff, 0x0b, 0xb6}, 4, INSN_BRANCH, 32764},
    {INSN_A64, "tbnz w2, #3, #-32768", {0x02, 0x00, 0x1c, 0x37}, 4, INSN_BRANCH, -32768},
    {INSN_A64, "br x17", {0x20, 0x02, 0x1f, 0xd6}, 4, INSN_INDIRECT_JUMP, 0},
    {INSN_A64, "blr x8", {0x00, 0x01, 0x3f, 0xd6}, 4, INSN_INDIRECT_CALL, 0},
    {INSN_A64, "braa x1, x2", {0x22, 0x08, 0x1f, 0xd7}, 4, INSN_INDIRECT_JUMP, 0},
    {INSN_A64, "blraaz x3", {0x7f, 0x08, 0x3f, 0xd6}, 4, INSN_INDIRECT_CALL, 0},
    {INSN_A64, "ret", {0xc0, 0x03, 0x5f, 0xd6}, 4, INSN_RETURN, 0},
    {INSN_A64, "ret x5", {0xa0, 0x00, 0x5f, 0xd6}, 4, INSN_RETURN, 0},
    {INSN_A64, "retaa", {0xff, 0x0b, 0x5f, 0xd6}, 4, INSN_RETURN, 0},
    {INSN_A64, "retab", {0xff, 0x0f, 0x5f, 0xd6}, 4, INSN_RETURN, 0},
    {INSN_A64, "eret", {0xe0, 0x03, 0x9f, 0xd6}, 4, INSN_TRAP_RETURN, 0},
    {INSN_A64, "eretaa", {0xff, 0x0b, 0x9f, 0xd6}, 4, INSN_TRAP_RETURN, 0},
    {INSN_A64, "drps", {0xe0, 0x03, 0xbf, 0xd6}, 4, INSN_TRAP_RETURN, 0},
    {INSN_A64, "svc #1", {0x21, 0x00, 0x00, 0xd4}, 4, INSN_ECALL, 0},
    {INSN_A64, "hvc #2", {0x42, 0x00, 0x00, 0xd4}, 4, INSN_ECALL, 0},
    {INSN_A64, "smc #3", {0x63, 0x00, 0x00, 0xd4}, 4, INSN_ECALL, 0},
    {INSN_A64, "brk #4", {0x80, 0x00, 0x20, 0xd4}, 4, INSN_EBREAK, 0},
    {INSN_A64, "hlt #5", {0xa0, 0x00, 0x40, 0xd4}, 4, INSN_EBREAK, 0},
    {INSN_A64, "nop", {0x1f, 0x20, 0x03, 0xd5}, 4, INSN_OTHER, 0},
    {INSN_A64, "adr x0, #4", {0x20, 0x00, 0x00, 0x10}, 4, INSN_OTHER, 0},
    {INSN_A64, "ldr x0, [x1]", {0x20, 0x00, 0x40, 0xf9}, 4, INSN_OTHER, 0},
    {INSN_A64, "dcps1", {0x01, 0x00, 0xa0, 0xd4}, 4, INSN_OTHER, 0},
    {INSN_A32, "b #16", {0x04, 0x00, 0x00, 0xea}, 4, INSN_JUMP, 24},
    {INSN_A32, "beq #-16", {0xfc, 0xff, 0xff, 0x0a}, 4, INSN_BRANCH, -8},
    {INSN_A32, "bl #0x100", {0x40, 0x00, 0x00, 0xeb}, 4, INSN_CALL, 264},
    {INSN_A32, "blne #0x100", {0x40, 0x00, 0x00, 0x1b}, 4, INSN_CALL, 264},
    {INSN_A32, "blx #6", {0x01, 0x00, 0x00, 0xfb}, 4, INSN_CALL, 14},
    {INSN_A32, "blx r3", {0x33, 0xff, 0x2f, 0xe1}, 4, INSN_INDIRECT_CALL, 0},
    {INSN_A32, "bx lr", {0x1e, 0xff, 0x2f, 0xe1}, 4, INSN_RETURN, 0},
    {INSN_A32, "bxne lr", {0x1e, 0xff, 0x2f, 0x11}, 4, INSN_RETURN, 0},
    {INSN_A32, "bx r2", {0x12, 0xff, 0x2f, 0xe1}, 4, INSN_INDIRECT_JUMP, 0},
    {INSN_A32, "bxj r2", {0x22, 0xff, 0x2f, 0xe1}, 4, INSN_INDIRECT_JUMP, 0},
    {INSN_A32, "svc #1", {0x01, 0x00, 0x00, 0xef}, 4, INSN_ECALL, 0},
    {INSN_A32, "hvc #1", {0x71, 0x00, 0x40, 0xe1}, 4, INSN_ECALL, 0},
    {INSN_A32, "smc #1", {0x71, 0x00, 0x60, 0xe1}, 4, INSN_ECALL, 0},
    {INSN_A32, "bkpt #1", {0x71, 0x00, 0x20, 0xe1}, 4, INSN_EBREAK, 0},
    {INSN_A32, "eret", {0x6e, 0x00, 0x60, 0xe1}, 4, INSN_TRAP_RETURN, 0},
    {INSN_A32, "mov pc, lr", {0x0e, 0xf0, 0xa0, 0xe1}, 4, INSN_RETURN, 0},
    {INSN_A32, "mov pc, r3", {0x03, 0xf0, 0xa0, 0xe1}, 4, INSN_INDIRECT_JUMP, 0},
    {INSN_A32, "movs pc, lr", {0x0e, 0xf0, 0xb0, 0xe1}, 4, INSN_TRAP_RETURN, 0},
    {INSN_A32, "subs pc, lr, #4", {0x04, 0xf0, 0x5e, 0xe2}, 4, INSN_TRAP_RETURN, 0},
    {INSN_A32, "add pc, pc, r2", {0x02, 0xf0, 0x8f, 0xe0}, 4, INSN_INDIRECT_JUMP, 0},
    {INSN_A32, "addls pc, pc, r2, lsl #2", {0x02, 0xf1, 0x8f, 0x90}, 4, INSN_INDIRECT_JUMP, 0},
    {INSN_A32, "pop {pc}", {0x04, 0xf0, 0x9d, 0xe4}, 4, INSN_RETURN, 0},
    {INSN_A32, "pop {r4, pc}", {0x10, 0x80, 0xbd, 0xe8}, 4, INSN_RETURN, 0},
    {INSN_A32, "ldm r0, {r1, pc}", {0x02, 0x80, 0x90, 0xe8}, 4, INSN_INDIRECT_JUMP, 0},
    {INSN_A32, "ldmdb r11, {r11, sp, pc}", {0x00, 0xa8, 0x1b, 0xe9}, 4, INSN_RETURN, 0},
    {INSN_A32, "ldm sp, {r0, pc}^", {0x01, 0x80, 0xdd, 0xe8}, 4, INSN_TRAP_RETURN, 0},
    {INSN_A32, "ldr pc, [r1, r2, lsl #2]", {0x02, 0xf1, 0x91, 0xe7}, 4, INSN_INDIRECT_JUMP, 0},
    {INSN_A32, "ldr pc, [pc, #8]", {0x08, 0xf0, 0x9f, 0xe5}, 4, INSN_INDIRECT_JUMP, 0},
    {INSN_A32, "rfeia sp!", {0x00, 0x0a, 0xbd, 0xf8}, 4, INSN_TRAP_RETURN, 0},
    {INSN_A32, "cmp pc, r1", {0x01, 0x00, 0x5f, 0xe1}, 4, INSN_OTHER, 0},
    {INSN_A32, "tst r1, #1", {0x01, 0x00, 0x11, 0xe3}, 4, INSN_OTHER, 0},
    {INSN_A32, "movw r0, #0xf000", {0x00, 0x00, 0x0f, 0xe3}, 4, INSN_OTHER, 0},
    {INSN_A32, "mul r1, r2, r3", {0x92, 0x03, 0x01, 0xe0}, 4, INSN_OTHER, 0},
    {INSN_A32, "mrs r0, cpsr", {0x00, 0x00, 0x0f, 0xe1}, 4, INSN_OTHER, 0},
    {INSN_A32, "ldr r0, [r1]", {0x00, 0x00, 0x91, 0xe5}, 4, INSN_OTHER, 0},
    {INSN_A32, "pld [r1]", {0x00, 0xf0, 0xd1, 0xf5}, 4, INSN_OTHER, 0},
    {INSN_A32, "umull r1, r2, r3, r4", {0x93, 0x14, 0x82, 0xe0}, 4, INSN_OTHER, 0},
    {INSN_T32, "beq #-8", {0xfc, 0xd0}, 2, INSN_BRANCH, -4},
    {INSN_T32, "b #16", {0x08, 0xe0}, 2, INSN_JUMP, 20},
    {INSN_T32, "cbz r1, #20", {0x51, 0xb1}, 2, INSN_BRANCH, 24},
    {INSN_T32, "cbnz r2, #126", {0xfa, 0xbb}, 2, INSN_BRANCH, 130},
    {INSN_T32, "bx lr", {0x70, 0x47}, 2, INSN_RETURN, 0},
    {INSN_T32, "bx r3", {0x18, 0x47}, 2, INSN_INDIRECT_JUMP, 0},
    {INSN_T32, "bxns lr", {0x74, 0x47}, 2, INSN_RETURN, 0},
    {INSN_T32, "bxns r2", {0x14, 0x47}, 2, INSN_INDIRECT_JUMP, 0},
    {INSN_T32, "blx r4", {0xa0, 0x47}, 2, INSN_INDIRECT_CALL, 0},
    {INSN_T32, "blxns r4", {0xa4, 0x47}, 2, INSN_INDIRECT_CALL, 0},
    {INSN_T32, "mov pc, lr", {0xf7, 0x46}, 2, INSN_RETURN, 0},
    {INSN_T32, "mov pc, r2", {0x97, 0x46}, 2, INSN_INDIRECT_JUMP, 0},
    {INSN_T32, "add pc, r2", {0x97, 0x44}, 2, INSN_INDIRECT_JUMP, 0},
    {INSN_T32, "pop {r4, pc}", {0x10, 0xbd}, 2, INSN_RETURN, 0},
    {INSN_T32, "bkpt #1", {0x01, 0xbe}, 2, INSN_EBREAK, 0},
    {INSN_T32, "svc #1", {0x01, 0xdf}, 2, INSN_ECALL, 0},
    {INSN_T32, "udf #1", {0x01, 0xde}, 2, INSN_OTHER, 0},
    {INSN_T32, "beq.w #-1024", {0x3f, 0xf4, 0x00, 0xae}, 4, INSN_BRANCH, -1020},
    {INSN_T32, "b.w #0x1000", {0x01, 0xf0, 0x00, 0xb8}, 4, INSN_JUMP, 4100},
    {INSN_T32, "b.w #-0x1000", {0xff, 0xf7, 0x00, 0xb8}, 4, INSN_JUMP, -4092},
    {INSN_T32, "bl #0x400000", {0x00, 0xf0, 0x00, 0xf0}, 4, INSN_CALL, 4194308},
    {INSN_T32, "bl #-0x1000000", {0x00, 0xf4, 0x00, 0xd0}, 4, INSN_CALL, -16777212},
    {INSN_T32, "pop.w {r4, r8, pc}", {0xbd, 0xe8, 0x10, 0x81}, 4, INSN_RETURN, 0},
    {INSN_T32, "ldr pc, [sp], #4", {0x5d, 0xf8, 0x04, 0xfb}, 4, INSN_RETURN, 0},
    {INSN_T32, "ldm r0, {r1, pc}", {0x90, 0xe8, 0x02, 0x80}, 4, INSN_INDIRECT_JUMP, 0},
    {INSN_T32, "ldmdb r0, {r1, pc}", {0x10, 0xe9, 0x02, 0x80}, 4, INSN_INDIRECT_JUMP, 0},
    {INSN_T32, "tbb [pc, r0]", {0xdf, 0xe8, 0x00, 0xf0}, 4, INSN_INDIRECT_JUMP, 0},
    {INSN_T32, "tbh [pc, r0, lsl #1]", {0xdf, 0xe8, 0x10, 0xf0}, 4, INSN_INDIRECT_JUMP, 0},
    {INSN_T32, "ldr pc, [r1, #8]", {0xd1, 0xf8, 0x08, 0xf0}, 4, INSN_INDIRECT_JUMP, 0},
    {INSN_T32, "ldr pc, [r1], #4", {0x51, 0xf8, 0x04, 0xfb}, 4, INSN_INDIRECT_JUMP, 0},
    {INSN_T32, "ldr.w pc, [pc, #4]", {0xdf, 0xf8, 0x04, 0xf0}, 4, INSN_INDIRECT_JUMP, 0},
    {INSN_T32, "ldr pc, [r1, r2, lsl #2]", {0x51, 0xf8, 0x22, 0xf0}, 4, INSN_INDIRECT_JUMP, 0},
    {INSN_T32, "le lr, #-8", {0x0f, 0xf0, 0x05, 0xc0}, 4, INSN_BRANCH, -4},
    {INSN_T32, "le #-10", {0x2f, 0xf0, 0x05, 0xc8}, 4, INSN_BRANCH, -6},
    {INSN_T32, "wls lr, r1, #8", {0x41, 0xf0, 0x05, 0xc0}, 4, INSN_BRANCH, 12},
    {INSN_T32, "dls lr, r1", {0x41, 0xf0, 0x01, 0xe0}, 4, INSN_OTHER, 0},
    {INSN_T32, "wlstp.8 lr, r1, #8", {0x01, 0xf0, 0x05, 0xc0}, 4, INSN_BRANCH, 12},
    {INSN_T32, "letp lr, #-8", {0x1f, 0xf0, 0x05, 0xc0}, 4, INSN_BRANCH, -4},
    {INSN_T32, "nop", {0x00, 0xbf}, 2, INSN_OTHER, 0},
    {INSN_T32, "nop.w", {0xaf, 0xf3, 0x00, 0x80}, 4, INSN_OTHER, 0},
    {INSN_T32, "msr apsr_nzcvq, r1", {0x81, 0xf3, 0x00, 0x88}, 4, INSN_OTHER, 0},
    {INSN_T32, "mrs r0, apsr", {0xef, 0xf3, 0x00, 0x80}, 4, INSN_OTHER, 0},
    {INSN_T32, "dsb", {0xbf, 0xf3, 0x4f, 0x8f}, 4, INSN_OTHER, 0},
    {INSN_T32, "ldr.w r0, [r1, #4]", {0xd1, 0xf8, 0x04, 0x00}, 4, INSN_OTHER, 0},
    {INSN_T32, "push {r4, lr}", {0x10, 0xb5}, 2, INSN_OTHER, 0},
    {INSN_T32, "blx #8", {0x00, 0xf0, 0x04, 0xe8}, 4, INSN_CALL, 12},
    {INSN_T32, "subs pc, lr, #4", {0xde, 0xf3, 0x04, 0x8f}, 4, INSN_TRAP_RETURN, 0},
    {INSN_T32, "eret", {0xde, 0xf3, 0x00, 0x8f}, 4, INSN_TRAP_RETURN, 0},
    {INSN_T32, "rfedb sp", {0x1d, 0xe8, 0x00, 0xc0}, 4, INSN_TRAP_RETURN, 0},
    {INSN_T32, "rfeia r1!", {0xb1, 0xe9, 0x00, 0xc0}, 4, INSN_TRAP_RETURN, 0},
    {INSN_T32, "hvc #1", {0xe0, 0xf7, 0x01, 0x80}, 4, INSN_ECALL, 0},
    {INSN_T32, "smc #1", {0xf1, 0xf7, 0x00, 0x80}, 4, INSN_ECALL, 0},
    {INSN_T32, "bxj r1", {0xc1, 0xf3, 0x00, 0x8f}, 4, INSN_INDIRECT_JUMP, 0},
    {INSN_T32, "hlt #1", {0x81, 0xba}, 2, INSN_EBREAK, 0},
};
enum { CASES = sizeof cases / sizeof *cases };

static void
classes_and_targets(void **state)
{
	enum { PC = 0x40000000 };
	(void)state;
	for (size_t i = 0; i < CASES; i++) {
		const struct arm_case *c = &cases[i];
		struct insn insn = arm_decode(c->machine, PC, c->bytes, c->length);
		uint64_t target = c->distance ? PC + (uint64_t)(int64_t)c->distance : 0;
		if (insn.class != c->class || insn.length != c->length || insn.target != target)
			fail_msg("%s: %s of %u bytes to %llx", c->text, insn_class_name(insn.class),
				 insn.length, (unsigned long long)insn.target);
	}
}

/* Bytes that end inside of it are no instruction. */
static void
cut_instructions(void **state)
{
	(void)state;
	for (size_t i = 0; i < CASES; i++)
		for (unsigned length = 0; length < cases[i].length; length++)
			if (length != 2 || cases[i].machine != INSN_T32)
				assert_int_equal(
				    arm_decode(cases[i].machine, 0, cases[i].bytes, length).length,
				    0);
	/* "0b11101, 0b11110, 0b11111" need a second halfword, 0b11100 does not */
	assert_int_equal(arm_decode(INSN_T32, 0, (const uint8_t *)"\x00\xe8", 2).length, 0);
	assert_int_equal(arm_decode(INSN_T32, 0, (const uint8_t *)"\xff\xe7", 2).length, 2);
	assert_int_equal(arm_decode(INSN_RV64, 0, cases[0].bytes, 4).length, 0);
}

/* A target of 32 bits wraps, of 64 bits it does too. */
static void
targets_wrap(void **state)
{
	(void)state;
	/* b #-16 of A32, b #-4 of A64 */
	assert_int_equal(arm_decode(INSN_A32, 0, (const uint8_t *)"\xfa\xff\xff\xea", 4).target,
			 0xfffffff0);
	assert_int_equal(arm_decode(INSN_A64, 0, (const uint8_t *)"\xff\xff\xff\x17", 4).target,
			 UINT64_MAX - 3);
}

static void
texts(void **state)
{
	struct err err = {0};
	struct text text = {0};
	struct disassembler *d = disassembler_new(&err);
	(void)state;
	if (!d) {
		assert_non_null(strstr(err.what, "install"));
		skip();
	}
	for (size_t i = 0; i < CASES; i++) {
		const struct arm_case *c = &cases[i];
		struct insn insn = arm_decode(c->machine, 0x1000, c->bytes, c->length);
		text_clear(&text);
		/* texts have other forms of the same, but those of jumps do not differ; those of
		 * Armv8.1-M are not in what is asked for of T32 */
		if (!disassembler_add(d, c->machine, 0x1000, &insn, &text) || !c->distance)
			continue;
		size_t mnemonic = strcspn(c->text, " .");
		const char *target = strstr(text_get(&text), "0x");
		if (strncmp(text_get(&text), c->text, mnemonic) != 0 || !target ||
		    strtoull(target, NULL, 16) != insn.target)
			fail_msg("%s: %s", c->text, text_get(&text));
	}
	struct insn call = arm_decode(INSN_T32, 0xc002d996, (const uint8_t *)"\xfe\xf7\xa9\xfd", 4);
	text_clear(&text);
	assert_true(disassembler_add(d, INSN_T32, 0xc002d996, &call, &text));
	assert_string_equal(text_get(&text), "bl 0xc002c4ec");
	/* what follows an IT in a list is not what follows it in memory: ITTTE EQ; BNE */
	struct insn it = arm_decode(INSN_T32, 0, (const uint8_t *)"\x03\xbf", 2);
	struct insn bne = arm_decode(INSN_T32, 0x100, (const uint8_t *)"\xfe\xd1", 2);
	text_clear(&text);
	assert_true(disassembler_add(d, INSN_T32, 0, &it, &text));
	assert_string_equal(text_get(&text), "ittte eq");
	text_clear(&text);
	assert_true(disassembler_add(d, INSN_T32, 0x100, &bne, &text));
	assert_string_equal(text_get(&text), "bne 0x100");
	/* addi a0, a0, -1 of RISC-V; what has no length has no text */
	struct insn addi = {.opcode = 0xfff50513, .length = 4, .class = INSN_OTHER};
	text_clear(&text);
	assert_true(disassembler_add(d, INSN_RV64, 0, &addi, &text));
	assert_string_equal(text_get(&text), "addi a0, a0, -1");
	assert_false(disassembler_add(d, INSN_RV64, 0, &(struct insn){0}, &text));
	assert_false(disassembler_add(d, INSN_MACHINE_NONE, 0, &addi, &text));
	disassembler_free(d);
	text_free(&text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(classes_and_targets),
	    cmocka_unit_test(cut_instructions),
	    cmocka_unit_test(targets_wrap),
	    cmocka_unit_test(texts),
	};
	return cmocka_run_group_tests_name("arm", tests, NULL, NULL);
}
