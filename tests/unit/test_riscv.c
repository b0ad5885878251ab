/*
 * What RISC-V instructions do to the flow.
 *
 * Encodings are put together from the pictures of instructions in the manual ([RISC-V I,
 * "RV32/64G Instruction Set Listings", "RVC Instruction Set Listings"]), field by field as
 * they are printed there.  Then the programs of ../shared/captures/flow, if they are there:
 * for each instruction of QEMU's log the next pc must be one that its class allows.
 */
#include "config.h"

#include "test.h"

#include "base/text.h"
#include "program/riscv.h"
#include "program_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct riscv_isa rv32 = {0}, rv64 = {.wide = true}, zcm = {.zcm = true};

/* A field of an instruction as the manual prints it, the highest bit first: `12|10:5` are
 * bits of VALUE, `=0101` bits as such. */
struct part {
	const char *bits;
	int64_t value;
};

static void
push(uint32_t *word, unsigned *count, unsigned bit)
{
	*word = *word << 1 | bit;
	(*count)++;
}

static uint32_t
encode(const struct part *parts, unsigned size)
{
	uint32_t word = 0;
	unsigned count = 0;
	for (; parts->bits; parts++) {
		const char *p = parts->bits;
		for (p += *p == '='; *parts->bits == '=' && *p; p++)
			push(&word, &count, *p == '1');
		while (*p) {
			char *end;
			long high = strtol(p, &end, 10), low = high;
			if (*end == ':')
				low = strtol(end + 1, &end, 10);
			for (long bit = high; bit >= low; bit--)
				push(&word, &count, parts->value >> bit & 1);
			p = *end ? end + 1 : end;
		}
	}
	assert_int_equal(count, size);
	return word;
}
#define ENCODE(size, ...) encode((const struct part[]){__VA_ARGS__, {NULL, 0}}, size)

static struct insn
decode(struct riscv_isa isa, uint64_t pc, uint32_t opcode)
{
	uint8_t bytes[4] = {(uint8_t)opcode, (uint8_t)(opcode >> 8), (uint8_t)(opcode >> 16),
			    (uint8_t)(opcode >> 24)};
	return riscv_decode(isa, pc, bytes, sizeof bytes);
}

static void
branches_have_their_targets(void **state)
{
	static const char *const functions[] = {"=000", "=001", "=100", "=101", "=110", "=111"};
	static const int64_t offsets[] = {-4096, -2050, -32, -2, 2, 4, 8, 30, 2048, 4094};
	(void)state;
	for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
		for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
			struct insn insn = decode(rv64, 0x80001000,
						  ENCODE(32, {"12|10:5", offsets[i]}, {"4:0", 17},
							 {"4:0", 9}, {functions[f], 0},
							 {"4:1|11", offsets[i]}, {"=1100011", 0}));
			assert_int_equal(insn.class, INSN_BRANCH);
			assert_int_equal(insn.length, 4);
			assert_int_equal(insn.target, 0x80001000 + (uint64_t)offsets[i]);
		}
	/* funct3 010 and 011 are no branches */
	assert_int_equal(decode(rv64, 0, 0x2063).class, INSN_OTHER);
	assert_int_equal(decode(rv64, 0, 0x3063).class, INSN_OTHER);
	static const int64_t near[] = {-256, -130, -2, 2, 16, 62, 128, 254};
	for (size_t i = 0; i < sizeof near / sizeof *near; i++)
		for (int nez = 0; nez < 2; nez++) {
			struct insn insn =
			    decode(rv32, 0x1000,
				   ENCODE(16, {nez ? "=111" : "=110", 0}, {"8|4:3", near[i]},
					  {"2:0", 5}, {"7:6|2:1|5", near[i]}, {"=01", 0}));
			assert_int_equal(insn.class, INSN_BRANCH);
			assert_int_equal(insn.length, 2);
			assert_int_equal(insn.target, 0x1000 + (uint64_t)near[i]);
		}
}

static void
jumps_have_their_targets(void **state)
{
	static const int64_t far[] = {-1048576, -2048, -4, 2, 2048, 4096, 524288, 1048574};
	static const int64_t near[] = {-2048, -1026, -32, -2, 2, 8, 64, 128, 256, 512, 1024, 2046};
	(void)state;
	for (size_t i = 0; i < sizeof far / sizeof *far; i++)
		for (unsigned rd = 0; rd < 32; rd++) {
			struct insn insn = decode(
			    rv64, 0x80200000,
			    ENCODE(32, {"20|10:1|11|19:12", far[i]}, {"4:0", rd}, {"=1101111", 0}));
			/* "only when rd is x1 or x5" */
			assert_int_equal(insn.class, rd == 1 || rd == 5 ? INSN_CALL : INSN_JUMP);
			assert_int_equal(insn.rd, rd);
			assert_int_equal(insn.target, 0x80200000 + (uint64_t)far[i]);
		}
	for (size_t i = 0; i < sizeof near / sizeof *near; i++) {
		uint32_t c_j =
		    ENCODE(16, {"=101", 0}, {"11|4|9:8|10|6|7|3:1|5", near[i]}, {"=01", 0});
		uint32_t c_jal =
		    ENCODE(16, {"=001", 0}, {"11|4|9:8|10|6|7|3:1|5", near[i]}, {"=01", 0});
		struct insn insn = decode(rv64, 0x1000, c_j);
		assert_int_equal(insn.class, INSN_JUMP);
		assert_int_equal(insn.target, 0x1000 + (uint64_t)near[i]);
		insn = decode(rv32, 0x1000, c_jal);
		assert_int_equal(insn.class, INSN_CALL);
		assert_int_equal(insn.rd, 1);
		assert_int_equal(insn.target, 0x1000 + (uint64_t)near[i]);
		/* of RV64 it is C.ADDIW */
		assert_int_equal(decode(rv64, 0x1000, c_jal).class, INSN_OTHER);
	}
	/* an address of RV32 has 32 bits */
	assert_int_equal(decode(rv32, 0xfffffffe,
				ENCODE(32, {"20|10:1|11|19:12", 4}, {"4:0", 0}, {"=1101111", 0}))
			     .target,
			 2);
}

/* [RISC-V I, "Unconditional Jumps"], its table of hints: rd is x1 or x5, rs1 is, both are
 * the same. */
static void
indirect_jumps_are_told_apart(void **state)
{
	static const struct {
		unsigned rd, rs1, class;
	} cases[] = {
	    {0, 6, INSN_INDIRECT_JUMP}, {0, 1, INSN_RETURN},	    {0, 5, INSN_RETURN},
	    {1, 6, INSN_INDIRECT_CALL}, {5, 7, INSN_INDIRECT_CALL}, {1, 1, INSN_INDIRECT_CALL},
	    {5, 5, INSN_INDIRECT_CALL}, {1, 5, INSN_SWAP},	    {5, 1, INSN_SWAP},
	    {7, 8, INSN_INDIRECT_JUMP}, {7, 1, INSN_RETURN},	    {0, 0, INSN_JUMP},
	    {1, 0, INSN_CALL},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct insn insn =
		    decode(rv64, 0x1000,
			   ENCODE(32, {"11:0", -20}, {"4:0", cases[i].rs1}, {"=000", 0},
				  {"4:0", cases[i].rd}, {"=1100111", 0}));
		assert_int_equal(insn.class, cases[i].class);
		assert_int_equal(insn.rd, cases[i].rd);
		assert_int_equal(insn.rs1, cases[i].rs1);
		assert_int_equal(insn.offset, -20);
		assert_int_equal(insn_is_indirect(&insn), cases[i].rs1 != 0);
		if (!cases[i].rs1)
			assert_int_equal(insn.target, (uint64_t)-20);
	}
	for (unsigned r = 1; r < 32; r++) {
		bool link = r == 1 || r == 5;
		struct insn insn =
		    decode(rv64, 0, ENCODE(16, {"=1000", 0}, {"4:0", r}, {"4:0", 0}, {"=10", 0}));
		assert_int_equal(insn.class, link ? INSN_RETURN : INSN_INDIRECT_JUMP);
		assert_int_equal(insn.rs1, r);
		insn =
		    decode(rv64, 0, ENCODE(16, {"=1001", 0}, {"4:0", r}, {"4:0", 0}, {"=10", 0}));
		assert_int_equal(insn.class, r == 5 ? INSN_SWAP : INSN_INDIRECT_CALL);
		assert_int_equal(insn.rd, 1);
		/* with rs2 they are C.MV and C.ADD */
		assert_int_equal(
		    decode(rv64, 0, ENCODE(16, {"=1000", 0}, {"4:0", r}, {"4:0", 3}, {"=10", 0}))
			.class,
		    INSN_OTHER);
	}
}

static void
system_instructions_are_known(void **state)
{
	(void)state;
	assert_int_equal(decode(rv64, 0, 0x00000073).class, INSN_ECALL);
	assert_int_equal(decode(rv64, 0, 0x00100073).class, INSN_EBREAK);
	assert_int_equal(decode(rv64, 0, 0x9002).class, INSN_EBREAK);
	static const uint32_t returns[] = {0x00200073, 0x10200073, 0x30200073, 0x70200073,
					   0x7b200073};
	for (size_t i = 0; i < sizeof returns / sizeof *returns; i++)
		assert_int_equal(decode(rv64, 0, returns[i]).class, INSN_TRAP_RETURN);
	/* wfi, sfence.vma, fence.i, csrrw */
	static const uint32_t others[] = {0x10500073, 0x12000073, 0x0000100f, 0x34051073};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_int_equal(decode(rv64, 0, others[i]).class, INSN_OTHER);
}

static void
values_are_loaded(void **state)
{
	(void)state;
	struct insn insn = decode(
	    rv64, 0x1000, ENCODE(32, {"31:12", (int64_t)0x80001000}, {"4:0", 6}, {"=0110111", 0}));
	assert_true(insn.loads);
	assert_int_equal(insn.rd, 6);
	assert_int_equal(insn.target, 0xffffffff80001000);
	insn = decode(rv64, 0x1004, ENCODE(32, {"31:12", 0x3000}, {"4:0", 7}, {"=0010111", 0}));
	assert_true(insn.loads);
	assert_int_equal(insn.target, 0x4004);
	insn = decode(
	    rv32, 0,
	    ENCODE(16, {"=011", 0}, {"17", -4096}, {"4:0", 8}, {"16:12", -4096}, {"=01", 0}));
	assert_true(insn.loads);
	assert_int_equal(insn.rd, 8);
	assert_int_equal(insn.target, 0xfffff000);
	/* of x2 it is C.ADDI16SP */
	insn = decode(
	    rv32, 0, ENCODE(16, {"=011", 0}, {"9", 16}, {"4:0", 2}, {"4|6|8:7|5", 16}, {"=01", 0}));
	assert_false(insn.loads);
	assert_int_equal(insn.class, INSN_OTHER);
}

static void
what_is_none_is_said(void **state)
{
	const uint8_t bytes[4] = {0x13, 0, 0, 0};
	(void)state;
	assert_int_equal(decode(rv64, 0, 0).class, INSN_NONE);
	assert_int_equal(decode(rv64, 0, 0xffffffff).class, INSN_NONE);
	assert_int_equal(decode(rv64, 0, 0x0000001f).class, INSN_NONE); /* 48 bits */
	assert_int_equal(decode(rv64, 0, 0x8002).class, INSN_NONE);
	for (size_t length = 0; length < 4; length++)
		assert_int_equal(riscv_decode(rv64, 0, bytes, length).length, 0);
	assert_int_equal(riscv_decode(rv64, 0, bytes, 4).length, 4);
	/* cm.popret {ra}, 16 with Zcmp: 101 11110 rlist spimm 10; else C.FSDSP */
	uint32_t popret = ENCODE(16, {"=10111110", 0}, {"3:0", 4}, {"5:4", 0}, {"=10", 0});
	assert_int_equal(decode(zcm, 0, popret).class, INSN_REFUSED);
	assert_int_equal(decode(rv32, 0, popret).class, INSN_OTHER);
}

/* --- programs and what they did ---------------------------------------- */

/* Whether the pc after an instruction is one that its class allows. */
static bool
is_next(const struct insn *insn, uint64_t pc, uint64_t next)
{
	switch (insn->class) {
	case INSN_OTHER:
		return next == pc + insn->length;
	case INSN_BRANCH:
		return next == insn->target || next == pc + insn->length;
	case INSN_JUMP:
	case INSN_CALL:
		return next == insn->target;
	default:
		return insn_is_indirect(insn);
	}
}

static unsigned
follow(const char *folder, const char *program)
{
	struct text path = {0}, command = {0};
	struct image *image = image_new();
	char line[128];
	uint64_t pc = 0;
	unsigned count = 0;
	bool known = false;
	text_addf(&path, "%s/%s.elf", folder, program);
	text_addf(&command, "zstd -dc '%s/%s.pc.zst'", folder, program);
	assert_int_equal(image_add_path(image, text_get(&path), &(struct image_place){0}, NULL), 0);
	struct riscv_isa isa = riscv_isa_of(image);
	assert_int_equal(isa.wide, strstr(program, "64") != NULL);
	assert_false(isa.zcm);
	FILE *log = popen(text_get(&command), "r");
	assert_non_null(log);
	while (fgets(line, sizeof line, log)) {
		uint64_t next = strtoull(line, NULL, 16);
		size_t length;
		if (*line == '!')
			known = false; /* what comes next is the handler's */
		if (strchr("!p", *line))
			continue;
		const uint8_t *bytes = known ? image_find(image, pc, &length) : NULL;
		assert_true(bytes || !known);
		struct insn insn = {0};
		if (known)
			insn = riscv_decode(isa, pc, bytes, length);
		if (known && !is_next(&insn, pc, next))
			fail_msg("%s: %s at %llx, then %llx", program, insn_class_name(insn.class),
				 (unsigned long long)pc, (unsigned long long)next);
		pc = next;
		known = true;
		count++;
	}
	assert_int_equal(pclose(log), 0);
	image_free(image);
	text_free(&path);
	text_free(&command);
	return count;
}

static void
programs_go_where_they_went(void **state)
{
	static const char *const programs[] = {"chain.n32", "recurse.c64", "tables.n64",
					       "traps.c32"};
	const char *srcdir = getenv("srcdir");
	struct text folder = {0};
	unsigned count = 0;
	(void)state;
	text_addf(&folder, "%s/../shared/captures/flow", srcdir ? srcdir : ".");
	bool there = !access(text_get(&folder), R_OK) && !system("zstd -V >/dev/null 2>&1");
	for (size_t i = 0; there && i < sizeof programs / sizeof *programs; i++)
		count += follow(text_get(&folder), programs[i]);
	if (there)
		assert_true(count > 100000);
	text_free(&folder);
	if (!there) {
		print_message("../shared/captures/flow or zstd is not there\n");
		skip();
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(branches_have_their_targets),
	    cmocka_unit_test(jumps_have_their_targets),
	    cmocka_unit_test(indirect_jumps_are_told_apart),
	    cmocka_unit_test(system_instructions_are_known),
	    cmocka_unit_test(values_are_loaded),
	    cmocka_unit_test(what_is_none_is_said),
	    cmocka_unit_test(programs_go_where_they_went),
	};
	return cmocka_run_group_tests_name("riscv", tests, NULL, NULL);
}
