/*
 * The code of the program that is followed: its instructions by address, taken apart when
 * they are first met.
 *
 * Belongs to one thread.  The image is borrowed.
 */
#ifndef TRAWL_FLOW_FLOW_CODE_H
#define TRAWL_FLOW_FLOW_CODE_H

#include "program/riscv.h"

enum { FLOW_CODE_SLOTS = 1 << 14 };

struct flow_code {
	const struct image *image;
	struct riscv_isa isa;
	uint64_t most; /* instructions that there can be */
	struct flow_code_slot {
		uint64_t address;
		bool filled;
		struct riscv_insn insn;
	} slots[FLOW_CODE_SLOTS]; /* by the low bits of the address */
};

struct flow_code *flow_code_new(const struct image *);
void flow_code_free(struct flow_code *); /* NULL is fine */

/* For flow_code_find. */
const struct riscv_insn *flow_code_read(struct flow_code *, uint64_t address);

/* The instruction at ADDRESS, until another is asked for; of length 0 if there is none. */
static inline const struct riscv_insn *
flow_code_find(struct flow_code *code, uint64_t address)
{
	struct flow_code_slot *slot = &code->slots[address >> 1 & (FLOW_CODE_SLOTS - 1)];
	if (slot->filled && slot->address == address)
		return &slot->insn;
	return flow_code_read(code, address);
}

#endif
