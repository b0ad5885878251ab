/* Find the memory region of an address in the program that a source traces. */
#include "config.h"

#include "decode/coresight/opencsd_tree.h"

const struct opencsd_region *
opencsd_find_region(const struct opencsd_source *source, uint64_t context_id, uint64_t vmid,
		    uint64_t address)
{
	const struct opencsd_region *other = NULL;
	bool several = false;
	for (size_t i = 0; i < source->memory.count; i++) {
		const struct opencsd_region *r = &source->memory.at[i];
		uint64_t at = address - r->address;
		if (address < r->address || at >= r->length)
			continue;
		if (!r->context || r->context == context_id || r->context == vmid)
			return r;
		several |= other && (!other->bytes || !r->bytes ||
				     other->bytes + (address - other->address) != r->bytes + at);
		other = r;
	}
	return several ? NULL : other;
}
