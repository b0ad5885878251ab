/*
 * What an instruction is for the flow of control, whatever its machine.
 */
#ifndef TRAWL_PROGRAM_INSN_H
#define TRAWL_PROGRAM_INSN_H

#include <stdbool.h>
#include <stdint.h>

enum insn_class {
	INSN_NONE,	    /* no instruction: unknown length, or defined to be illegal */
	INSN_REFUSED,	    /* one that is not followed: riscv.h */
	INSN_OTHER,	    /* what comes next lies behind it */
	INSN_BRANCH,	    /* to its target, or behind it */
	INSN_JUMP,	    /* to its target */
	INSN_CALL,	    /* likewise; the address behind it is kept */
	INSN_RETURN,	    /* to where a register or the stack says that keeps such an address */
	INSN_INDIRECT_JUMP, /* to where a register or memory says */
	INSN_INDIRECT_CALL, /* likewise; the address behind it is kept */
	INSN_SWAP,	    /* a return and a call in one */
	INSN_TRAP_RETURN,   /* to where a register says that was set when a trap came */
	INSN_ECALL,	    /* traps on purpose: a call of what is more privileged */
	INSN_EBREAK,	    /* traps on purpose: for a debugger */
	INSN_CLASS_COUNT
};

/* The machines whose instructions are told apart. */
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
	uint64_t target; /* of a branch or direct jump; the value of a `loads` one */
	uint32_t opcode; /* 16 or 32 bits; of T32, the first halfword is the upper one */
	uint8_t length;	 /* 2 or 4 bytes; 0: unknown */
	uint8_t class;	 /* enum insn_class */
	bool patched;	 /* another image of the same place has other bytes (image_differs) */
	/* of RISC-V: */
	int32_t offset;	 /* that an indirect jump adds to its register */
	uint8_t rd, rs1; /* of indirect jumps; rd of calls, and of what loads a value too */
	bool loads;	 /* LUI, C.LUI or AUIPC: rd is `target` behind it */
};

/* The name of a class in output: lower case, at most 13 letters. */
const char *insn_class_name(unsigned class);

/* The name of a machine's instruction set; NULL for none. */
const char *insn_machine_name(enum insn_machine);

/* The digits of an address. */
static inline int
insn_address_digits(enum insn_machine machine)
{
	return machine == INSN_RV64 || machine == INSN_A64 ? 16 : 8;
}

/* Whether the target of a jump follows from the instruction alone. */
static inline bool
insn_is_direct(const struct insn *insn)
{
	return insn->class == INSN_JUMP || insn->class == INSN_CALL;
}

/* Whether what comes next does not follow from the program: "uninferable discontinuity". */
static inline bool
insn_is_indirect(const struct insn *insn)
{
	return insn->class >= INSN_RETURN && insn->class <= INSN_TRAP_RETURN;
}

#endif
