/*
 * The code of the followed programs: instructions by address, decoded when first executed.
 *
 * An address alone does not select bytes.  A processor may have its own memory, and so may each
 * of its contexts, and Arm has several instruction sets.  So each address belongs to a space:
 * memory read as the instructions of one machine.
 *
 * Belongs to one thread.  Memory: 40 bytes a slot, and the borrowed image.
 */
#ifndef TRAWL_FLOW_FLOW_CODE_H
#define TRAWL_FLOW_FLOW_CODE_H

#include "base/vec.h"
#include "decode/decoder.h"
#include "program/riscv.h"

enum {
	FLOW_CODE_SLOTS = 1 << 15,
	FLOW_CODE_SPACES = 1 << 10 /* limit against hostile captures */
};

struct flow_space {
	enum insn_machine machine;
	/* Returns the bytes at ADDRESS, *LENGTH in sequence, or NULL if nothing is there. */
	const uint8_t *(*read)(const struct flow_space *, uint64_t address, size_t *length);
	const void *memory; /* passed to `read` */
	struct decode_memory whose;
};

struct flow_code {
	const struct image *image; /* files of the program */
	struct riscv_isa isa;
	uint64_t most; /* instructions that fit in the first space */
	VEC(struct flow_space) spaces;
	struct flow_code_slot {
		uint64_t address;
		uint16_t space;
		bool filled;
		struct insn insn;
	} slots[FLOW_CODE_SLOTS]; /* indexed by the low bits of the address */
};

/* Create the code of an image, which is borrowed and becomes the first space if it is for
 * RISC-V.  An instruction is `patched` if a file of the image has other bytes there than its
 * space. */
struct flow_code *flow_code_new(const struct image *);
void flow_code_free(struct flow_code *); /* NULL is fine */

/* Return the number of an equal space, after adding it if it is new.  With too many spaces,
 * return the number of a space without instructions. */
uint16_t flow_code_space(struct flow_code *, const struct flow_space *);

static inline enum insn_machine
flow_code_machine(const struct flow_code *code, uint16_t space)
{
	return space < code->spaces.count ? code->spaces.at[space].machine : INSN_MACHINE_NONE;
}

static inline struct flow_code_slot *
flow_code_slot(struct flow_code *code, uint16_t space, uint64_t address)
{
	uint64_t place = (address >> 1) + (uint64_t)space * 0x9e5;
	return &code->slots[place & (FLOW_CODE_SLOTS - 1)];
}

/* Return the bytes at an address of a space, *LENGTH in sequence, or NULL if nothing is there.
 * *FILE is the name of their file as captured, or NULL for memory read from the target. */
const uint8_t *flow_code_bytes(const struct flow_code *, uint16_t space, uint64_t address,
			       size_t *length, const char **file);

/* Fill the slot of an address, for flow_code_find_in. */
const struct insn *flow_code_read(struct flow_code *, uint16_t space, uint64_t address);

/* Return the instruction at ADDRESS of SPACE, valid until the next call.  Its length is 0 if
 * there is none. */
static inline const struct insn *
flow_code_find_in(struct flow_code *code, uint16_t space, uint64_t address)
{
	const struct flow_code_slot *slot = flow_code_slot(code, space, address);
	if (slot->filled && slot->address == address && slot->space == space)
		return &slot->insn;
	return flow_code_read(code, space, address);
}

/* Return the instruction at ADDRESS of the first space. */
static inline const struct insn *
flow_code_find(struct flow_code *code, uint64_t address)
{
	return flow_code_find_in(code, 0, address);
}

#endif
