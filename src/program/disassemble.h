/*
 * The text of an instruction: the only place that knows a disassembler.
 *
 * It is LLVM's C interface, which has all machines, in a shared library that is opened when
 * a text is first wanted, as it is large; nothing of it is needed to build.  Without it the
 * length, class and target of instructions are still known (insn.h).
 *
 * A text costs a few microseconds: who shows it often keeps it by address.
 *
 * Instructions of an IT block of T32 are written without its condition, which only the IT
 * in front of them has.
 *
 * A disassembler belongs to one thread; several may exist.
 */
#ifndef TRAWL_PROGRAM_DISASSEMBLE_H
#define TRAWL_PROGRAM_DISASSEMBLE_H

#include "base/err.h"
#include "base/text.h"
#include "program/insn.h"

/* What to do where there is none. */
#define DISASSEMBLER_MISSING                                                                       \
	"install LLVM's shared library, on Debian 12 and 13 `apt install libllvm19`"

struct disassembler;

/* NULL with a reason, which says what to install. */
struct disassembler *disassembler_new(struct err *);
void disassembler_free(struct disassembler *); /* NULL is fine */

/* Appends the text of the instruction at ADDRESS, in plain ASCII: the mnemonic, a blank,
 * operands; where a branch or direct jump leads stands there as 0xADDRESS.  False: the
 * library does not know it, or it has no length. */
bool disassembler_add(struct disassembler *, enum insn_machine, uint64_t address,
		      const struct insn *, struct text *);

#endif
