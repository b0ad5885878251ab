/*
 * What a RISC-V instruction does to the flow of control: RV32 and RV64 with the extensions
 * IMAFDC and Zicsr, and returns from traps.
 *
 * [RISC-V I, "SECTION"] is the RISC-V Instruction Set Manual, volume I, unprivileged
 * architecture, 20240411; [RISC-V II, "SECTION"] volume II, privileged architecture, of the
 * same date; by their headings.
 */
#ifndef TRAWL_PROGRAM_RISCV_H
#define TRAWL_PROGRAM_RISCV_H

#include "program/image.h"

enum riscv_class {
	RISCV_NONE,	     /* no instruction: unknown length, or defined to be illegal */
	RISCV_REFUSED,	     /* one of Zcmp or Zcmt, which are not followed */
	RISCV_OTHER,	     /* what comes next lies behind it */
	RISCV_BRANCH,	     /* to its target, or behind it */
	RISCV_JUMP,	     /* to its target */
	RISCV_CALL,	     /* likewise; the address behind it is kept */
	RISCV_RETURN,	     /* to where a register says that keeps such an address */
	RISCV_INDIRECT_JUMP, /* to where a register says */
	RISCV_INDIRECT_CALL, /* likewise; the address behind it is kept */
	RISCV_SWAP,	     /* a return and a call in one */
	RISCV_TRAP_RETURN,   /* to where a CSR says */
	RISCV_ECALL,	     /* traps, and does not retire */
	RISCV_EBREAK,	     /* likewise */
	RISCV_CLASS_COUNT
};

struct riscv_insn {
	uint64_t target; /* of a branch or direct jump; the value of a `loads` one */
	int32_t offset;	 /* that an indirect jump adds to its register */
	uint32_t opcode; /* as in memory, 16 or 32 bits */
	uint8_t length;	 /* 2 or 4 bytes; 0: unknown */
	uint8_t class;	 /* enum riscv_class */
	uint8_t rd, rs1; /* of indirect jumps; rd of calls, and of what loads a value too */
	bool loads;	 /* LUI, C.LUI or AUIPC: rd is `target` behind it */
};

/* How instructions are to be understood. */
struct riscv_isa {
	bool wide; /* RV64 */
	bool zcm;  /* Zcmp or Zcmt: their instructions use encodings of C.FSDSP */
};

/* As the file says that an image is of. */
struct riscv_isa riscv_isa_of(const struct image *);

/* The instruction at PC, of which LENGTH bytes are readable. */
struct riscv_insn riscv_decode(struct riscv_isa, uint64_t pc, const uint8_t *bytes, size_t length);

/* The name of a class in output: lower case, at most 13 letters. */
const char *riscv_class_name(unsigned class);

/* Whether the target of a jump follows from the instruction alone. */
static inline bool
riscv_is_direct(const struct riscv_insn *insn)
{
	return insn->class == RISCV_JUMP || insn->class == RISCV_CALL;
}

/* Whether what comes next does not follow from the program: "uninferable discontinuity". */
static inline bool
riscv_is_indirect(const struct riscv_insn *insn)
{
	return insn->class >= RISCV_RETURN && insn->class <= RISCV_TRAP_RETURN;
}

/* The two that calls keep an address in: "the JAL instruction should push ... only when rd
 * is x1 or x5" [RISC-V I, "Unconditional Jumps"]. */
static inline bool
riscv_is_link(unsigned x)
{
	return x == 1 || x == 5;
}

#endif
