/*
 * Decodes the effect of RISC-V instructions on the flow of control: RV32 and RV64 with the
 * extensions IMAFDC and Zicsr, and returns from traps.
 *
 * [RISC-V I, "SECTION"] is the RISC-V Instruction Set Manual, volume I, unprivileged
 * architecture, 20240411; [RISC-V II, "SECTION"] volume II, privileged architecture, of the same
 * date; by their headings.
 */
#ifndef TRAWL_PROGRAM_RISCV_H
#define TRAWL_PROGRAM_RISCV_H

#include "program/image.h"
#include "program/insn.h"

/* Properties that decide the meaning of an opcode. */
struct riscv_isa {
	bool wide; /* RV64 */
	bool zcm;  /* Zcmp or Zcmt, which use encodings of C.FSDSP */
};

/* Return the instruction set of an image, as its file states. */
struct riscv_isa riscv_isa_of(const struct image *);

/* Decode the instruction at PC; LENGTH bytes are readable.  Instructions of Zcmp and Zcmt are
 * INSN_REFUSED. */
struct insn riscv_decode(struct riscv_isa, uint64_t pc, const uint8_t *bytes, size_t length);

/* True for the two link registers: "the JAL instruction should push ... only when rd is x1 or
 * x5" [RISC-V I, "Unconditional Jumps"]. */
static inline bool
riscv_is_link(unsigned x)
{
	return x == 1 || x == 5;
}

#endif
