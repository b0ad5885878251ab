/*
 * Finds the memory of a kernel in its files: see kernel.h.
 *
 * Address randomisation moves a kernel as a whole, so all program headers move by the same
 * distance [second hand: perf, whose reference is the symbol _text, which is where the lowest one
 * begins].
 */
#include "config.h"

#include "program/kernel.h"
#include "base/file.h"
#include "program/elf.h"

#include <unistd.h>

/* Return the lowest loaded address, or 0 if nothing is loaded. */
static uint64_t
lowest_address(const struct elf *elf)
{
	struct elf_header header;
	uint64_t lowest = UINT64_MAX;
	for (uint64_t i = 0; elf_read_header(elf, i, &header); i++)
		if (header.type == ELF_TYPE_LOAD && header.address < lowest)
			lowest = header.address;
	return lowest == UINT64_MAX ? 0 : lowest;
}

static bool
find_address(const struct elf *elf, uint64_t address, uint64_t *offset, uint64_t *length)
{
	struct elf_header header;
	for (uint64_t i = 0; elf_read_header(elf, i, &header); i++) {
		uint64_t at = address - header.address;
		if (header.type != ELF_TYPE_LOAD || at >= header.length)
			continue;
		*offset = header.offset + at;
		*length = header.length - at;
		return true;
	}
	return false;
}

bool
kernel_find_memory(const char *path, uint64_t begin, uint64_t address, uint64_t *offset,
		   uint64_t *length)
{
	const char *why;
	struct elf elf;
	int file = file_open(path, &why);
	if (file < 0)
		return false;
	bool found = elf_read(&elf, file) &&
		     find_address(&elf, address - (begin ? begin - lowest_address(&elf) : 0),
				  offset, length);
	close(file);
	return found;
}
