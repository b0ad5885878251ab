/* Names of instruction classes and machines: see insn.h. */
#include "config.h"

#include "program/insn.h"

const char *
insn_class_name(unsigned class)
{
	static const char *const names[INSN_CLASS_COUNT] = {
	    [INSN_NONE] = "none",
	    [INSN_REFUSED] = "refused",
	    [INSN_OTHER] = "other",
	    [INSN_BRANCH] = "branch",
	    [INSN_JUMP] = "jump",
	    [INSN_CALL] = "call",
	    [INSN_RETURN] = "return",
	    [INSN_INDIRECT_JUMP] = "indirect_jump",
	    [INSN_INDIRECT_CALL] = "indirect_call",
	    [INSN_SWAP] = "swap",
	    [INSN_TRAP_RETURN] = "trap_return",
	    [INSN_ECALL] = "ecall",
	    [INSN_EBREAK] = "ebreak",
	};
	return class < INSN_CLASS_COUNT ? names[class] : names[INSN_NONE];
}

const char *
insn_machine_name(enum insn_machine machine)
{
	static const char *const names[INSN_MACHINE_COUNT] = {
	    [INSN_RV32] = "rv32", [INSN_RV64] = "rv64", [INSN_A32] = "A32",
	    [INSN_T32] = "T32",	  [INSN_A64] = "A64",
	};
	return names[machine];
}
