/*
 * Decodes the RISC-V instructions that change the flow: see riscv.h.
 *
 * A table lists them, and the first matching row counts.  Every other instruction goes on to the
 * next one.  So an unknown extension does no harm unless it adds jumps.
 */
#include "config.h"

#include "program/riscv.h"
#include "base/bytes.h"

/* Positions of the fields in an instruction. */
enum form {
	FORM_NONE,
	FORM_B,	   /* 12 bits of offset in units of 2 [RISC-V I, "Immediate Encoding Variants"] */
	FORM_J,	   /* 20 bits of offset in units of 2, rd */
	FORM_I,	   /* 12 bits of offset, rd, rs1 */
	FORM_U,	   /* the upper 20 bits of a value, rd */
	FORM_UPC,  /* as FORM_U, added to the pc */
	FORM_CB,   /* [RISC-V I, "Control Transfer Instructions" of "C" Extension] */
	FORM_CJ,   /* as FORM_CB */
	FORM_CJAL, /* as FORM_CJ, rd is x1 */
	FORM_CR,   /* rs1, rd is x0 */
	FORM_CALR, /* rs1, rd is x1 */
	FORM_CLUI  /* [RISC-V I, "Integer Constant-Generation Instructions"] */
};

/* Register widths that have the instruction. */
enum width { BOTH, RV32 };

struct riscv_row {
	uint32_t mask, match;
	uint8_t class, form, width;
};

static const struct riscv_row rows32[] = {
    /* [RISC-V I, "Conditional Branches", and "RV32/64G Instruction Set Listings"] */
    {0x707f, 0x0063, INSN_BRANCH, FORM_B, BOTH}, /* BEQ */
    {0x707f, 0x1063, INSN_BRANCH, FORM_B, BOTH}, /* BNE */
    {0x707f, 0x4063, INSN_BRANCH, FORM_B, BOTH}, /* BLT */
    {0x707f, 0x5063, INSN_BRANCH, FORM_B, BOTH}, /* BGE */
    {0x707f, 0x6063, INSN_BRANCH, FORM_B, BOTH}, /* BLTU */
    {0x707f, 0x7063, INSN_BRANCH, FORM_B, BOTH}, /* BGEU */
    /* [RISC-V I, "Unconditional Jumps"]: which jumps are calls or returns is in table 3 */
    {0x007f, 0x006f, INSN_JUMP, FORM_J, BOTH},		/* JAL */
    {0x707f, 0x0067, INSN_INDIRECT_JUMP, FORM_I, BOTH}, /* JALR */
    /* [RISC-V I, "Integer Register-Immediate Instructions"] */
    {0x007f, 0x0037, INSN_OTHER, FORM_U, BOTH},	  /* LUI */
    {0x007f, 0x0017, INSN_OTHER, FORM_UPC, BOTH}, /* AUIPC */
    /* [RISC-V I, "Environment Call and Breakpoints"] */
    {0xffffffff, 0x00000073, INSN_ECALL, FORM_NONE, BOTH},
    {0xffffffff, 0x00100073, INSN_EBREAK, FORM_NONE, BOTH},
    /* [RISC-V II, "Trap-Return Instructions"]; uret is of version 20190608, mnret of
     * "Smrnmi", dret of the RISC-V Debug Specification 1.0, "Debug Mode" */
    {0xffffffff, 0x00200073, INSN_TRAP_RETURN, FORM_NONE, BOTH}, /* URET */
    {0xffffffff, 0x10200073, INSN_TRAP_RETURN, FORM_NONE, BOTH}, /* SRET */
    {0xffffffff, 0x30200073, INSN_TRAP_RETURN, FORM_NONE, BOTH}, /* MRET */
    {0xffffffff, 0x70200073, INSN_TRAP_RETURN, FORM_NONE, BOTH}, /* MNRET */
    {0xffffffff, 0x7b200073, INSN_TRAP_RETURN, FORM_NONE, BOTH}, /* DRET */
};

/* [RISC-V I, "RVC Instruction Set Listings"] */
static const struct riscv_row rows16[] = {
    {0xffff, 0x0000, INSN_NONE, FORM_NONE, BOTH},	 /* "defined to be permanently reserved" */
    {0xe003, 0x2001, INSN_CALL, FORM_CJAL, RV32},	 /* C.JAL; of RV64: C.ADDIW */
    {0xe003, 0xa001, INSN_JUMP, FORM_CJ, BOTH},		 /* C.J */
    {0xe003, 0xc001, INSN_BRANCH, FORM_CB, BOTH},	 /* C.BEQZ */
    {0xe003, 0xe001, INSN_BRANCH, FORM_CB, BOTH},	 /* C.BNEZ */
    {0xef83, 0x6101, INSN_OTHER, FORM_NONE, BOTH},	 /* C.ADDI16SP: C.LUI of x2 */
    {0xe003, 0x6001, INSN_OTHER, FORM_CLUI, BOTH},	 /* C.LUI */
    {0xffff, 0x8002, INSN_NONE, FORM_NONE, BOTH},	 /* C.JR of x0: reserved */
    {0xf07f, 0x8002, INSN_INDIRECT_JUMP, FORM_CR, BOTH}, /* C.JR */
    {0xffff, 0x9002, INSN_EBREAK, FORM_NONE, BOTH},	 /* C.EBREAK: C.JALR of x0 */
    {0xf07f, 0x9002, INSN_INDIRECT_CALL, FORM_CALR, BOTH}, /* C.JALR */
};

struct riscv_isa
riscv_isa_of(const struct image *image)
{
	/* "Zce" includes both [RISC-V I, "Zc*"] */
	return (struct riscv_isa){.wide = image_machine(image) == IMAGE_RISCV64,
				  .zcm = image_has_extension(image, "_zcmp") ||
					 image_has_extension(image, "_zcmt") ||
					 image_has_extension(image, "_zce")};
}

/* Return COUNT bits of the opcode, moved from bit FROM to bit TO. */
static uint32_t
take_bits(uint32_t opcode, unsigned from, unsigned count, unsigned to)
{
	return (opcode >> from & ((1u << count) - 1)) << to;
}

/* Return the low COUNT bits of VALUE as a signed number. */
static int64_t
sign_extend(uint32_t value, unsigned count)
{
	return (int32_t)(value << (32 - count)) >> (32 - count);
}

static int64_t
offset_b(uint32_t o)
{
	return sign_extend(take_bits(o, 8, 4, 1) | take_bits(o, 25, 6, 5) | take_bits(o, 7, 1, 11) |
			       take_bits(o, 31, 1, 12),
			   13);
}

static int64_t
offset_j(uint32_t o)
{
	return sign_extend(take_bits(o, 21, 10, 1) | take_bits(o, 20, 1, 11) |
			       take_bits(o, 12, 8, 12) | take_bits(o, 31, 1, 20),
			   21);
}

/* offset[8|4:3] at 12:10, offset[7:6|2:1|5] at 6:2 */
static int64_t
offset_cb(uint32_t o)
{
	return sign_extend(take_bits(o, 12, 1, 8) | take_bits(o, 10, 2, 3) | take_bits(o, 5, 2, 6) |
			       take_bits(o, 3, 2, 1) | take_bits(o, 2, 1, 5),
			   9);
}

/* offset[11|4|9:8|10|6|7|3:1|5] at 12:2 */
static int64_t
offset_cj(uint32_t o)
{
	return sign_extend(take_bits(o, 12, 1, 11) | take_bits(o, 11, 1, 4) |
			       take_bits(o, 9, 2, 8) | take_bits(o, 8, 1, 10) |
			       take_bits(o, 7, 1, 6) | take_bits(o, 6, 1, 7) |
			       take_bits(o, 3, 3, 1) | take_bits(o, 2, 1, 5),
			   12);
}

/* nzimm[17] at 12, nzimm[16:12] at 6:2 */
static int64_t
value_clui(uint32_t o)
{
	return sign_extend(take_bits(o, 12, 1, 17) | take_bits(o, 2, 5, 12), 18);
}

/* Classify a jump by which of its two registers are link registers [RISC-V I, "Unconditional
 * Jumps", table 3 "Return-address stack prediction hints"]. */
static enum insn_class
class_of_indirect(unsigned rd, unsigned rs1)
{
	if (riscv_is_link(rd))
		return riscv_is_link(rs1) && rs1 != rd ? INSN_SWAP : INSN_INDIRECT_CALL;
	return riscv_is_link(rs1) ? INSN_RETURN : INSN_INDIRECT_JUMP;
}

static void
set_indirect(struct insn *insn, unsigned rd, unsigned rs1, int64_t offset)
{
	insn->rd = (uint8_t)rd;
	insn->rs1 = (uint8_t)rs1;
	insn->offset = (int32_t)offset;
	insn->class = (uint8_t)class_of_indirect(rd, rs1);
	if (rs1)
		return;
	/* x0 is zero, so the target is the offset with bit 0 cleared */
	insn->target = (uint64_t)offset & ~(uint64_t)1;
	insn->class = riscv_is_link(rd) ? INSN_CALL : INSN_JUMP;
}

static void
set_value(struct insn *insn, unsigned rd, uint64_t value)
{
	insn->rd = (uint8_t)rd;
	insn->loads = true;
	insn->target = value;
}

static void
read_form(struct insn *insn, enum form form, uint64_t pc)
{
	uint32_t o = insn->opcode;
	unsigned rd = o >> 7 & 31;
	switch (form) {
	case FORM_NONE:
		break;
	case FORM_B:
		insn->target = pc + (uint64_t)offset_b(o);
		break;
	case FORM_J:
		insn->rd = (uint8_t)rd;
		insn->target = pc + (uint64_t)offset_j(o);
		insn->class = riscv_is_link(rd) ? INSN_CALL : INSN_JUMP;
		break;
	case FORM_I:
		set_indirect(insn, rd, o >> 15 & 31, sign_extend(o >> 20, 12));
		break;
	case FORM_U:
		set_value(insn, rd, (uint64_t)(int64_t)(int32_t)(o & 0xfffff000));
		break;
	case FORM_UPC:
		set_value(insn, rd, pc + (uint64_t)(int64_t)(int32_t)(o & 0xfffff000));
		break;
	case FORM_CB:
		insn->target = pc + (uint64_t)offset_cb(o);
		break;
	case FORM_CJAL:
		insn->rd = 1;
		insn->target = pc + (uint64_t)offset_cj(o);
		break;
	case FORM_CJ:
		insn->target = pc + (uint64_t)offset_cj(o);
		break;
	case FORM_CR:
		set_indirect(insn, 0, rd, 0);
		break;
	case FORM_CALR:
		set_indirect(insn, 1, rd, 0);
		break;
	case FORM_CLUI:
		set_value(insn, rd, (uint64_t)value_clui(o));
		break;
	}
}

/* True if an encoding of C.FSDSP is an instruction of Zcmp or Zcmt [RISC-V I, "Zcmp", "Zcmt"]. */
static bool
is_zcm(struct riscv_isa isa, uint32_t opcode)
{
	return isa.zcm && (opcode & 0xe003) == 0xa002;
}

static void
set_class(struct riscv_isa isa, struct insn *insn, uint64_t pc)
{
	const struct riscv_row *rows = insn->length == 2 ? rows16 : rows32;
	size_t count =
	    insn->length == 2 ? sizeof rows16 / sizeof *rows16 : sizeof rows32 / sizeof *rows32;
	insn->class = INSN_OTHER;
	if (insn->length == 2 && is_zcm(isa, insn->opcode)) {
		insn->class = INSN_REFUSED;
		return;
	}
	for (size_t i = 0; i < count; i++) {
		if ((insn->opcode & rows[i].mask) != rows[i].match ||
		    (rows[i].width == RV32 && isa.wide))
			continue;
		insn->class = rows[i].class;
		read_form(insn, (enum form)rows[i].form, pc);
		return;
	}
}

/* Decode an instruction: "bits [1:0] equal to 11" mean 32 bits, unless bits [4:2] are 111 too
 * [RISC-V I, "Base Instruction-Length Encoding"]. */
struct insn
riscv_decode(struct riscv_isa isa, uint64_t pc, const uint8_t *bytes, size_t length)
{
	struct insn insn = {.class = INSN_NONE};
	if (length < 2)
		return insn;
	insn.opcode = bytes_le16(bytes);
	if ((insn.opcode & 3) != 3)
		insn.length = 2;
	else if ((insn.opcode & 0x1f) != 0x1f && length >= 4)
		insn.length = 4;
	if (insn.length == 4)
		insn.opcode = bytes_le32(bytes);
	if (!insn.length)
		return insn;
	set_class(isa, &insn, pc);
	if (!isa.wide)
		insn.target &= UINT32_MAX;
	if (insn.class == INSN_NONE)
		insn.length = 0;
	return insn;
}
