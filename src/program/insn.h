/*
 * The effect of an instruction on the flow of control, for any machine.
 */
#ifndef TRAWL_PROGRAM_INSN_H
#define TRAWL_PROGRAM_INSN_H

#include <stdbool.h>
#include <stdint.h>

enum insn_class {
	INSN_NONE,	    /* none: unknown length, or defined to be illegal */
	INSN_REFUSED,	    /* not supported: riscv.h */
	INSN_OTHER,	    /* goes on to the next instruction */
	INSN_BRANCH,	    /* goes on to its target or the next instruction */
	INSN_JUMP,	    /* jumps to its target */
	INSN_CALL,	    /* jumps to its target and keeps the next address */
	INSN_RETURN,	    /* jumps to such an address, in a register or on the stack */
	INSN_INDIRECT_JUMP, /* jumps to an address in a register or in memory */
	INSN_INDIRECT_CALL, /* as an indirect jump, and keeps the next address */
	INSN_SWAP,	    /* a return and a call in one */
	INSN_TRAP_RETURN,   /* jumps to an address that a trap left in a register */
	INSN_ECALL,	    /* traps on purpose: calls more privileged code */
	INSN_EBREAK,	    /* traps on purpose: for a debugger */
	INSN_CLASS_COUNT
};

/* Machines with different instructions. */
enum insn_machine {
	INSN_MACHINE_NONE,
	INSN_RV32,
	INSN_RV64,
	INSN_A32, /* the instruction sets of Arm */
	INSN_T32,
	INSN_A64,
	INSN_MACHINE_COUNT
};

struct insn {
	uint64_t target; /* of a branch or direct jump; the value if `loads` */
	uint32_t opcode; /* 16 or 32 bits; of T32 the first halfword is the upper one */
	uint8_t length;	 /* 2 or 4 bytes; 0: unknown */
	uint8_t class;	 /* enum insn_class */
	bool patched;	 /* another image has other bytes there (image_differs) */
	/* RISC-V only: */
	int32_t offset;	 /* added to the register of an indirect jump */
	uint8_t rd, rs1; /* of indirect jumps; rd also of calls and if `loads` */
	bool loads;	 /* LUI, C.LUI or AUIPC: sets rd to `target` */
};

/* Return the name of a class in output: lower case, at most 13 letters. */
const char *insn_class_name(unsigned class);

/* Return the name of a machine's instruction set, or NULL for none. */
const char *insn_machine_name(enum insn_machine);

/* Return the number of hexadecimal digits of an address. */
static inline int
insn_address_digits(enum insn_machine machine)
{
	return machine == INSN_RV64 || machine == INSN_A64 ? 16 : 8;
}

/* True if the instruction alone determines the target of a jump. */
static inline bool
insn_is_direct(const struct insn *insn)
{
	return insn->class == INSN_JUMP || insn->class == INSN_CALL;
}

/* True for an "uninferable discontinuity": the program does not determine the next address. */
static inline bool
insn_is_indirect(const struct insn *insn)
{
	return insn->class >= INSN_RETURN && insn->class <= INSN_TRAP_RETURN;
}

#endif
