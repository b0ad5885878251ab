/* The code of a program by address: see flow_code.h. */
#include "config.h"

#include "flow/flow_code.h"
#include "base/vec.h"

#include <stdlib.h>

struct flow_code *
flow_code_new(const struct image *image)
{
	struct flow_code *code = mem_new(sizeof *code);
	code->image = image;
	code->isa = riscv_isa_of(image);
	code->most = image_size(image) / 2 + 1;
	return code;
}

void
flow_code_free(struct flow_code *code)
{
	free(code);
}

const struct riscv_insn *
flow_code_read(struct flow_code *code, uint64_t address)
{
	struct flow_code_slot *slot = &code->slots[address >> 1 & (FLOW_CODE_SLOTS - 1)];
	size_t length = 0;
	const uint8_t *bytes = address & 1 ? NULL : image_find(code->image, address, &length);
	*slot = (struct flow_code_slot){.address = address, .filled = true};
	if (bytes)
		slot->insn = riscv_decode(code->isa, address, bytes, length);
	return &slot->insn;
}
