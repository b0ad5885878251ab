/*
 * The text of an instruction: the only file that uses a disassembler.
 *
 * It calls LLVM's C interface, which has all machines.  The shared library is large, so it is
 * opened for the first text; the build does not need it.  Without it the length, class and target
 * of instructions are still known (insn.h).
 *
 * A text costs a few microseconds, so a frequent user keeps it by address.
 *
 * Instructions of a T32 IT block are written without their condition, which only the IT has.
 *
 * A disassembler belongs to one thread; several may exist.
 */
#ifndef TRAWL_PROGRAM_DISASSEMBLE_H
#define TRAWL_PROGRAM_DISASSEMBLE_H

#include "base/err.h"
#include "base/text.h"
#include "program/insn.h"

/* Advice if the library is missing. */
#define DISASSEMBLER_MISSING                                                                       \
	"install LLVM's shared library, on Debian 12 and 13 `apt install libllvm19`"

struct disassembler;

/* Create a disassembler.  Return NULL with a reason that names the package to install. */
struct disassembler *disassembler_new(struct err *);
void disassembler_free(struct disassembler *); /* NULL is fine */

/* Append the text of the instruction at ADDRESS, in plain ASCII: the mnemonic, a blank,
 * operands.  The target of a branch or direct jump is written as 0xADDRESS.  Return false if the
 * library cannot decode it, or if its length is 0. */
bool disassembler_add(struct disassembler *, enum insn_machine, uint64_t address,
		      const struct insn *, struct text *);

#endif
