/*
 * Decodes the Arm instructions that change the flow: see arm.h.
 *
 * Each instruction set has a table, and the first matching row counts.  Every other instruction
 * goes on to the next one.  A32 data processing that writes to the pc has too many forms for
 * rows; code classifies it by its fields.
 */
#include "config.h"

#include "program/arm.h"
#include "base/bytes.h"

#include <stdbool.h>

/* Position of the distance in the opcode. */
enum form {
	FORM_NONE,
	FORM_A64_26, /* bits in units of 4: 26 from bit 0 on, fewer from bit 5 on */
	FORM_A64_19,
	FORM_A64_14,
	FORM_A64_9,
	FORM_A32,     /* 24 bits in units of 4 */
	FORM_A32_BLX, /* as FORM_A32; bit 24 adds 2 */
	FORM_T16_8,   /* bits in units of 2 */
	FORM_T16_11,
	FORM_T16_CB,
	FORM_T32_20,  /* S:J2:J1:imm6:imm11 */
	FORM_T32_24,  /* S:I1:I2:imm10:imm11 */
	FORM_T32_BLX, /* as FORM_T32_24, from a multiple of 4 */
	FORM_T32_ON,  /* imm10:immL, forwards */
	FORM_T32_BACK
};

struct arm_row {
	uint32_t mask, match;
	uint8_t class, form;
};

static const struct arm_row rows_a64[] = {
    {0xfc000000, 0x14000000, INSN_JUMP, FORM_A64_26},	     /* B */
    {0xfc000000, 0x94000000, INSN_CALL, FORM_A64_26},	     /* BL */
    {0xff000000, 0x54000000, INSN_BRANCH, FORM_A64_19},	     /* B.cond, BC.cond */
    {0x7e000000, 0x34000000, INSN_BRANCH, FORM_A64_19},	     /* CBZ, CBNZ */
    {0x7e000000, 0x36000000, INSN_BRANCH, FORM_A64_14},	     /* TBZ, TBNZ */
    {0x7e000000, 0x74000000, INSN_BRANCH, FORM_A64_9},	     /* CB, CBB, CBH */
    {0xfffffc1f, 0xd61f0000, INSN_INDIRECT_JUMP, FORM_NONE}, /* BR */
    {0xfffffc1f, 0xd63f0000, INSN_INDIRECT_CALL, FORM_NONE}, /* BLR */
    {0xfefff800, 0xd61f0800, INSN_INDIRECT_JUMP, FORM_NONE}, /* BRAA and similar */
    {0xfefff800, 0xd63f0800, INSN_INDIRECT_CALL, FORM_NONE}, /* BLRAA and similar */
    {0xfffffc1f, 0xd65f0000, INSN_RETURN, FORM_NONE},	     /* RET */
    {0xfffffbe0, 0xd65f0be0, INSN_RETURN, FORM_NONE},	     /* RETAA, RETAASPPCR, ... */
    {0xffc0001f, 0x5500001f, INSN_RETURN, FORM_NONE},	     /* RETAASPPC, RETABSPPC */
    {0xfffff3ff, 0xd69f03e0, INSN_TRAP_RETURN, FORM_NONE},   /* ERET */
    {0xfffffbff, 0xd69f0bff, INSN_TRAP_RETURN, FORM_NONE},   /* ERETAA, ERETAB */
    {0xffffffff, 0xd6bf03e0, INSN_TRAP_RETURN, FORM_NONE},   /* DRPS */
    {0xfffffbff, 0xd6ff03e0, INSN_TRAP_RETURN, FORM_NONE},   /* TEXIT */
    {0xffe0001f, 0xd4000001, INSN_ECALL, FORM_NONE},	     /* SVC */
    {0xffe0001f, 0xd4000002, INSN_ECALL, FORM_NONE},	     /* HVC */
    {0xffe0001f, 0xd4000003, INSN_ECALL, FORM_NONE},	     /* SMC */
    {0xffe0001f, 0xd4200000, INSN_EBREAK, FORM_NONE},	     /* BRK */
    {0xffe0001f, 0xd4400000, INSN_EBREAK, FORM_NONE},	     /* HLT */
    {0, 0, INSN_OTHER, FORM_NONE},
};

/* Rows for bits 31-28 of 1111, which is no condition. */
static const struct arm_row rows_a32_always[] = {
    {0xfe000000, 0xfa000000, INSN_CALL, FORM_A32_BLX},	   /* BLX (immediate) */
    {0xfe50ffff, 0xf8100a00, INSN_TRAP_RETURN, FORM_NONE}, /* RFE */
    {0, 0, INSN_OTHER, FORM_NONE},
};

static const struct arm_row rows_a32[] = {
    {0xff000000, 0xea000000, INSN_JUMP, FORM_A32},	     /* B */
    {0x0f000000, 0x0a000000, INSN_BRANCH, FORM_A32},	     /* B with a condition */
    {0x0f000000, 0x0b000000, INSN_CALL, FORM_A32},	     /* BL */
    {0x0fffffff, 0x012fff1e, INSN_RETURN, FORM_NONE},	     /* BX LR */
    {0x0ffffff0, 0x012fff10, INSN_INDIRECT_JUMP, FORM_NONE}, /* BX */
    {0x0ffffff0, 0x012fff20, INSN_INDIRECT_JUMP, FORM_NONE}, /* BXJ */
    {0x0ffffff0, 0x012fff30, INSN_INDIRECT_CALL, FORM_NONE}, /* BLX (register) */
    {0x0f000000, 0x0f000000, INSN_ECALL, FORM_NONE},	     /* SVC */
    {0x0ff000f0, 0x01400070, INSN_ECALL, FORM_NONE},	     /* HVC */
    {0x0ff000f0, 0x01600070, INSN_ECALL, FORM_NONE},	     /* SMC */
    {0x0ff000f0, 0x01200070, INSN_EBREAK, FORM_NONE},	     /* BKPT */
    {0x0fffffff, 0x0160006e, INSN_TRAP_RETURN, FORM_NONE},   /* ERET */
    {0x0fffffff, 0x01a0f00e, INSN_RETURN, FORM_NONE},	     /* MOV PC, LR */
    {0x0fffffff, 0x049df004, INSN_RETURN, FORM_NONE},	     /* POP {PC} */
    {0x0e508000, 0x08508000, INSN_TRAP_RETURN, FORM_NONE},   /* LDM (exception return) */
    {0x0e5f8000, 0x081d8000, INSN_RETURN, FORM_NONE},	     /* LDM of SP with PC */
    {0x0e50a000, 0x0810a000, INSN_RETURN, FORM_NONE},	     /* LDM with SP and PC */
    {0x0e508000, 0x08108000, INSN_INDIRECT_JUMP, FORM_NONE}, /* LDM with PC */
    {0x0e50f000, 0x0410f000, INSN_INDIRECT_JUMP, FORM_NONE}, /* LDR PC, immediate */
    {0x0e50f010, 0x0610f000, INSN_INDIRECT_JUMP, FORM_NONE}, /* LDR PC, register */
    {0, 0, INSN_OTHER, FORM_NONE},
};

static const struct arm_row rows_t16[] = {
    {0xff00, 0xde00, INSN_OTHER, FORM_NONE},	     /* UDF */
    {0xff00, 0xdf00, INSN_ECALL, FORM_NONE},	     /* SVC */
    {0xf000, 0xd000, INSN_BRANCH, FORM_T16_8},	     /* B with a condition */
    {0xf800, 0xe000, INSN_JUMP, FORM_T16_11},	     /* B */
    {0xf500, 0xb100, INSN_BRANCH, FORM_T16_CB},	     /* CBZ, CBNZ */
    {0xfffb, 0x4770, INSN_RETURN, FORM_NONE},	     /* BX LR; BXNS LR of Armv8-M */
    {0xff83, 0x4700, INSN_INDIRECT_JUMP, FORM_NONE}, /* BX, BXNS */
    {0xff83, 0x4780, INSN_INDIRECT_CALL, FORM_NONE}, /* BLX, BLXNS */
    {0xffff, 0x46f7, INSN_RETURN, FORM_NONE},	     /* MOV PC, LR */
    {0xff87, 0x4687, INSN_INDIRECT_JUMP, FORM_NONE}, /* MOV PC */
    {0xff87, 0x4487, INSN_INDIRECT_JUMP, FORM_NONE}, /* ADD PC */
    {0xff00, 0xbd00, INSN_RETURN, FORM_NONE},	     /* POP with PC */
    {0xff00, 0xbe00, INSN_EBREAK, FORM_NONE},	     /* BKPT */
    {0xffc0, 0xba80, INSN_EBREAK, FORM_NONE},	     /* HLT */
    {0, 0, INSN_OTHER, FORM_NONE},
};

static const struct arm_row rows_t32[] = {
    {0xffffff00, 0xf3de8f00, INSN_TRAP_RETURN, FORM_NONE},   /* SUBS PC, LR; ERET */
    {0xfff0ffff, 0xf3c08f00, INSN_INDIRECT_JUMP, FORM_NONE}, /* BXJ */
    {0xfff0f000, 0xf7e08000, INSN_ECALL, FORM_NONE},	     /* HVC */
    {0xfff0f000, 0xf7f08000, INSN_ECALL, FORM_NONE},	     /* SMC */
    {0xfb80d000, 0xf3808000, INSN_OTHER, FORM_NONE},	     /* hints, MSR, MRS, barriers, UDF */
    {0xf800d000, 0xf0008000, INSN_BRANCH, FORM_T32_20},	     /* B with a condition */
    {0xf800d000, 0xf0009000, INSN_JUMP, FORM_T32_24},	     /* B */
    {0xf800d000, 0xf000d000, INSN_CALL, FORM_T32_24},	     /* BL */
    {0xf800d001, 0xf000c000, INSN_CALL, FORM_T32_BLX},	     /* BLX (immediate) */
    /* [Arm ARM, Armv8-M, "LE, LETP", "WLS, DLS, WLSTP, DLSTP"] */
    {0xffcff001, 0xf00fc001, INSN_BRANCH, FORM_T32_BACK},    /* LE, LETP */
    {0xff80f001, 0xf000c001, INSN_BRANCH, FORM_T32_ON},	     /* WLSTP, WLS */
    {0xffd0ffff, 0xe810c000, INSN_TRAP_RETURN, FORM_NONE},   /* RFEDB */
    {0xffd0ffff, 0xe990c000, INSN_TRAP_RETURN, FORM_NONE},   /* RFEIA */
    {0xffdf8000, 0xe89d8000, INSN_RETURN, FORM_NONE},	     /* POP with PC */
    {0xffd08000, 0xe8908000, INSN_INDIRECT_JUMP, FORM_NONE}, /* LDM with PC */
    {0xffd08000, 0xe9108000, INSN_INDIRECT_JUMP, FORM_NONE}, /* LDMDB with PC */
    {0xfff0ffe0, 0xe8d0f000, INSN_INDIRECT_JUMP, FORM_NONE}, /* TBB, TBH */
    {0xffffffff, 0xf85dfb04, INSN_RETURN, FORM_NONE},	     /* POP {PC} */
    {0xff7ff000, 0xf85ff000, INSN_INDIRECT_JUMP, FORM_NONE}, /* LDR PC, literal */
    {0xfff0f000, 0xf8d0f000, INSN_INDIRECT_JUMP, FORM_NONE}, /* LDR PC, immediate */
    {0xfff0f800, 0xf850f800, INSN_INDIRECT_JUMP, FORM_NONE}, /* LDR PC, immediate */
    {0xfff0ffc0, 0xf850f000, INSN_INDIRECT_JUMP, FORM_NONE}, /* LDR PC, register */
    {0, 0, INSN_OTHER, FORM_NONE},
};

/* Return COUNT bits of the opcode from bit FROM on. */
static uint32_t
bits_of(uint32_t opcode, unsigned from, unsigned count)
{
	return opcode >> from & ((1u << count) - 1);
}

/* Add the low COUNT bits of VALUE, a signed number in units of 2^SHIFT, to an address. */
static uint64_t
jump_by(uint64_t from, uint32_t value, unsigned count, unsigned shift)
{
	int64_t distance = (int32_t)(value << (32 - count)) >> (32 - count);
	return from + ((uint64_t)distance << shift);
}

static uint64_t
jump_a64(uint64_t pc, uint32_t o, unsigned from, unsigned count)
{
	return jump_by(pc, bits_of(o, from, count), count, 2);
}

/* Decode a 24-bit distance.  J1 and J2 are inverted so that old encodings of BL keep their
 * meaning [Arm ARM, "BL, BLX (immediate)"]: "I1 = NOT(J1 EOR S)". */
static uint64_t
jump_t32_24(uint64_t from, uint32_t o)
{
	uint32_t s = bits_of(o, 26, 1);
	uint32_t i1 = !(bits_of(o, 13, 1) ^ s), i2 = !(bits_of(o, 11, 1) ^ s);
	uint32_t value =
	    s << 23 | i1 << 22 | i2 << 21 | bits_of(o, 16, 10) << 11 | bits_of(o, 0, 11);
	return jump_by(from, value, 24, 1);
}

static uint64_t
jump_t32_20(uint64_t from, uint32_t o)
{
	uint32_t value = bits_of(o, 26, 1) << 19 | bits_of(o, 11, 1) << 18 |
			 bits_of(o, 13, 1) << 17 | bits_of(o, 16, 6) << 11 | bits_of(o, 0, 11);
	return jump_by(from, value, 20, 1);
}

static uint64_t
distance_loop(uint32_t o)
{
	return bits_of(o, 1, 10) << 2 | bits_of(o, 11, 1) << 1;
}

/* Return the target of a jump.  The pc reads as the address of the instruction plus 8 in A32,
 * plus 4 in T32. */
static uint64_t
target_of(enum form form, uint64_t pc, uint32_t o)
{
	switch (form) {
	case FORM_NONE:
		return 0;
	case FORM_A64_26:
		return jump_a64(pc, o, 0, 26);
	case FORM_A64_19:
		return jump_a64(pc, o, 5, 19);
	case FORM_A64_14:
		return jump_a64(pc, o, 5, 14);
	case FORM_A64_9:
		return jump_a64(pc, o, 5, 9);
	case FORM_A32:
		return jump_by(pc + 8, bits_of(o, 0, 24), 24, 2);
	case FORM_A32_BLX:
		return jump_by(pc + 8, bits_of(o, 0, 24), 24, 2) + bits_of(o, 24, 1) * 2;
	case FORM_T16_8:
		return jump_by(pc + 4, bits_of(o, 0, 8), 8, 1);
	case FORM_T16_11:
		return jump_by(pc + 4, bits_of(o, 0, 11), 11, 1);
	case FORM_T16_CB:
		return pc + 4 + (bits_of(o, 9, 1) << 6 | bits_of(o, 3, 5) << 1);
	case FORM_T32_20:
		return jump_t32_20(pc + 4, o);
	case FORM_T32_24:
		return jump_t32_24(pc + 4, o);
	case FORM_T32_BLX:
		return jump_t32_24((pc + 4) & ~(uint64_t)3, o);
	case FORM_T32_ON:
		return pc + 4 + distance_loop(o);
	case FORM_T32_BACK:
		return pc + 4 - distance_loop(o);
	}
	return 0;
}

/* Classify A32 data processing that writes to the pc.  With S set, it returns from an exception
 * [Arm ARM, "Data-processing register", "Data-processing immediate"]. */
static enum insn_class
class_of_a32_processing(uint32_t o)
{
	bool immediate = bits_of(o, 25, 3) == 1, shifted = bits_of(o, 25, 3) == 0;
	bool compares = bits_of(o, 23, 2) == 2; /* no destination, or another instruction */
	bool multiplies = shifted && o & 0x10 && o & 0x80; /* another instruction */
	if ((!immediate && !shifted) || compares || multiplies || bits_of(o, 12, 4) != 15)
		return INSN_OTHER;
	return bits_of(o, 20, 1) ? INSN_TRAP_RETURN : INSN_INDIRECT_JUMP;
}

/* Find the row of an instruction.  The last row of a table matches all. */
static void
set_class(struct insn *insn, const struct arm_row *row, uint64_t pc)
{
	while ((insn->opcode & row->mask) != row->match)
		row++;
	insn->class = row->class;
	insn->target = target_of((enum form)row->form, pc, insn->opcode);
}

/* Read a 32-bit instruction without its class.  Its length is 0 if it is cut off. */
static struct insn
read_word(const uint8_t *bytes, size_t length)
{
	if (length < 4)
		return (struct insn){.class = INSN_NONE};
	return (struct insn){.length = 4, .opcode = bytes_le32(bytes)};
}

static struct insn
decode_a32(uint64_t pc, const uint8_t *bytes, size_t length)
{
	struct insn insn = read_word(bytes, length);
	bool always = insn.opcode >> 28 == 15;
	if (!insn.length)
		return insn;
	set_class(&insn, always ? rows_a32_always : rows_a32, pc);
	if (insn.class == INSN_OTHER && !always)
		insn.class = (uint8_t)class_of_a32_processing(insn.opcode);
	insn.target &= UINT32_MAX;
	return insn;
}

/* Decode T32: "If bits [15:11] of the halfword being decoded take any of the values 0b11101,
 * 0b11110, 0b11111, the halfword is the first halfword of a 32-bit instruction" [Arm ARM, "T32
 * instruction set encoding"]. */
static struct insn
decode_t32(uint64_t pc, const uint8_t *bytes, size_t length)
{
	struct insn insn = {0};
	if (length < 2)
		return insn;
	uint32_t first = bytes_le16(bytes);
	bool wide = first >= 0xe800;
	if (wide && length < 4)
		return insn;
	insn.length = wide ? 4 : 2;
	insn.opcode = wide ? first << 16 | bytes_le16(bytes + 2) : first;
	set_class(&insn, wide ? rows_t32 : rows_t16, pc);
	insn.target &= UINT32_MAX;
	return insn;
}

static struct insn
decode_a64(uint64_t pc, const uint8_t *bytes, size_t length)
{
	struct insn insn = read_word(bytes, length);
	if (insn.length)
		set_class(&insn, rows_a64, pc);
	return insn;
}

struct insn
arm_decode(enum insn_machine machine, uint64_t pc, const uint8_t *bytes, size_t length)
{
	if (machine == INSN_A32)
		return decode_a32(pc, bytes, length);
	if (machine == INSN_T32)
		return decode_t32(pc, bytes, length);
	if (machine == INSN_A64)
		return decode_a64(pc, bytes, length);
	return (struct insn){.class = INSN_NONE};
}
