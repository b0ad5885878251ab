/*
 * The code of the programs that are followed: their instructions by address, taken apart
 * when they are first met.
 *
 * An address alone does not say which bytes are meant: processors may have memory of their
 * own, each context of one may, and Arm has several instruction sets.  So addresses are of a
 * space, which is memory read as the instructions of one machine.
 *
 * Belongs to one thread.  Memory: 40 bytes a slot, and what is borrowed.
 */
#ifndef TRAWL_FLOW_FLOW_CODE_H
#define TRAWL_FLOW_FLOW_CODE_H

#include "base/vec.h"
#include "decode/decoder.h"
#include "program/riscv.h"

enum {
	FLOW_CODE_SLOTS = 1 << 15,
	FLOW_CODE_SPACES = 1 << 10 /* at most, whatever a capture says */
};

struct flow_space {
	enum insn_machine machine;
	/* The bytes at ADDRESS, of which *LENGTH follow each other; NULL if nothing is there. */
	const uint8_t *(*read)(const struct flow_space *, uint64_t address, size_t *length);
	const void *memory; /* of `read`, which takes what it needs else from: */
	struct decode_memory whose;
};

struct flow_code {
	const struct image *image; /* files of the program */
	struct riscv_isa isa;
	uint64_t most; /* instructions that there can be in the first space */
	VEC(struct flow_space) spaces;
	struct flow_code_slot {
		uint64_t address;
		uint16_t space;
		bool filled;
		struct insn insn;
	} slots[FLOW_CODE_SLOTS]; /* by the low bits of the address */
};

/* Its first space is the image, which is borrowed, if that is for RISC-V.  Where memory of
 * another space has other bytes than the image, or files of it differ, instructions are
 * `patched`. */
struct flow_code *flow_code_new(const struct image *);
void flow_code_free(struct flow_code *); /* NULL is fine */

/* The number of a space like that, which is added if there is none; where there are too
 * many, of one that has no instructions. */
uint16_t flow_code_space(struct flow_code *, const struct flow_space *);

/* The machine of a space. */
static inline enum insn_machine
flow_code_machine(const struct flow_code *code, uint16_t space)
{
	return space < code->spaces.count ? code->spaces.at[space].machine : INSN_MACHINE_NONE;
}

/* The slot of an address. */
static inline struct flow_code_slot *
flow_code_slot(struct flow_code *code, uint16_t space, uint64_t address)
{
	uint64_t place = (address >> 1) + (uint64_t)space * 0x9e5;
	return &code->slots[place & (FLOW_CODE_SLOTS - 1)];
}

/* The bytes at an address of a space, of which *LENGTH follow each other; NULL if there are
 * none.  *FILE: the file that they are of, as captured; NULL: memory that was read from the
 * target. */
const uint8_t *flow_code_bytes(const struct flow_code *, uint16_t space, uint64_t address,
			       size_t *length, const char **file);

/* For flow_code_find. */
const struct insn *flow_code_read(struct flow_code *, uint16_t space, uint64_t address);

/* The instruction at ADDRESS of SPACE, until another is asked for; of length 0 if there is
 * none. */
static inline const struct insn *
flow_code_find_in(struct flow_code *code, uint16_t space, uint64_t address)
{
	const struct flow_code_slot *slot = flow_code_slot(code, space, address);
	if (slot->filled && slot->address == address && slot->space == space)
		return &slot->insn;
	return flow_code_read(code, space, address);
}

/* The same in the first space. */
static inline const struct insn *
flow_code_find(struct flow_code *code, uint64_t address)
{
	return flow_code_find_in(code, 0, address);
}

#endif
