/*
 * The code of programs by address: see flow_code.h.
 *
 * A slot of the table holds one address of any space.  That is enough, as a trace executes few
 * instructions again and again.
 */
#include "config.h"

#include "flow/flow_code.h"
#include "program/arm.h"

#include <stdlib.h>

static const uint8_t *
read_image(const struct flow_space *space, uint64_t address, size_t *length)
{
	return image_find(space->memory, address, length);
}

struct flow_code *
flow_code_new(const struct image *image)
{
	struct flow_code *code = mem_new(sizeof *code);
	enum image_machine machine = image_machine(image);
	code->image = image;
	code->isa = riscv_isa_of(image);
	code->most = image_size(image) / 2 + 1;
	if (machine != IMAGE_OTHER)
		*vec_add(&code->spaces) =
		    (struct flow_space){.machine = code->isa.wide ? INSN_RV64 : INSN_RV32,
					.read = read_image,
					.memory = image};
	return code;
}

void
flow_code_free(struct flow_code *code)
{
	if (code)
		vec_free(&code->spaces);
	free(code);
}

static bool
is_same_space(const struct flow_space *a, const struct flow_space *b)
{
	return a->machine == b->machine && a->read == b->read && a->memory == b->memory &&
	       a->whose.origin == b->whose.origin && a->whose.context_id == b->whose.context_id &&
	       a->whose.vmid == b->whose.vmid;
}

uint16_t
flow_code_space(struct flow_code *code, const struct flow_space *space)
{
	for (size_t i = 0; i < code->spaces.count; i++)
		if (is_same_space(&code->spaces.at[i], space))
			return (uint16_t)i;
	if (code->spaces.count == FLOW_CODE_SPACES)
		return FLOW_CODE_SPACES;
	*vec_add(&code->spaces) = *space;
	return (uint16_t)(code->spaces.count - 1);
}

const uint8_t *
flow_code_bytes(const struct flow_code *code, uint16_t space, uint64_t address, size_t *length,
		const char **file)
{
	const uint8_t *bytes = NULL;
	size_t ignored;
	*file = NULL;
	if (space < code->spaces.count)
		bytes = code->spaces.at[space].read(&code->spaces.at[space], address, length);
	if (bytes && image_find(code->image, address, &ignored) == bytes)
		*file = image_name(code->image, address);
	return bytes;
}

static struct insn
decode_insn(const struct flow_code *code, const struct flow_space *space, uint64_t address)
{
	size_t length = 0;
	const uint8_t *bytes = address & 1 ? NULL : space->read(space, address, &length);
	if (!bytes)
		return (struct insn){.class = INSN_NONE};
	struct insn insn = space->machine >= INSN_A32
			       ? arm_decode(space->machine, address, bytes, length)
			       : riscv_decode(code->isa, address, bytes, length);
	insn.patched = image_differs(code->image, address, bytes, insn.length);
	return insn;
}

const struct insn *
flow_code_read(struct flow_code *code, uint16_t space, uint64_t address)
{
	struct flow_code_slot *slot = flow_code_slot(code, space, address);
	*slot = (struct flow_code_slot){.address = address, .space = space, .filled = true};
	if (space < code->spaces.count)
		slot->insn = decode_insn(code, &code->spaces.at[space], address);
	return &slot->insn;
}
