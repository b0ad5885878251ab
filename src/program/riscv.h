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
#include "program/insn.h"

/* How instructions are to be understood. */
struct riscv_isa {
	bool wide; /* RV64 */
	bool zcm;  /* Zcmp or Zcmt: their instructions use encodings of C.FSDSP */
};

/* As the file says that an image is of. */
struct riscv_isa riscv_isa_of(const struct image *);

/* The instruction at PC, of which LENGTH bytes are readable.  Those of Zcmp and Zcmt are
 * refused. */
struct insn riscv_decode(struct riscv_isa, uint64_t pc, const uint8_t *bytes, size_t length);

/* The two that calls keep an address in: "the JAL instruction should push ... only when rd
 * is x1 or x5" [RISC-V I, "Unconditional Jumps"]. */
static inline bool
riscv_is_link(unsigned x)
{
	return x == 1 || x == 5;
}

#endif
