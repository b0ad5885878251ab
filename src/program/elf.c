/* Reads the headers of ELF files: see elf.h. */
#include "config.h"

#include "program/elf.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD = 64, HEADER = 56 };

uint64_t
elf_number(const struct elf *elf, const uint8_t *p, unsigned size)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < size; i++)
		value = value << 8 | p[elf->big ? i : size - 1 - i];
	return value;
}

bool
elf_read_at(const struct elf *elf, uint64_t offset, void *out, size_t length)
{
	return offset <= INT64_MAX &&
	       pread(elf->file, out, length, (off_t)offset) == (ssize_t)length;
}

bool
elf_read(struct elf *elf, int file)
{
	uint8_t head[HEAD];
	struct stat st;
	*elf = (struct elf){.file = file};
	if (fstat(file, &st) || !elf_read_at(elf, 0, head, sizeof head) ||
	    memcmp(head, "\177ELF", 4) != 0)
		return false;
	elf->size = (uint64_t)st.st_size;
	elf->wide = head[4] == 2;
	elf->big = head[5] == 2;
	elf->machine = (uint16_t)elf_number(elf, head + 18, 2);
	elf->headers = elf_number(elf, head + (elf->wide ? 32 : 28), elf->wide ? 8 : 4);
	elf->each = elf_number(elf, head + (elf->wide ? 54 : 42), 2);
	elf->count = elf_number(elf, head + (elf->wide ? 56 : 44), 2);
	elf->least = elf->wide ? HEADER : 32;
	return true;
}

bool
elf_read_header(const struct elf *elf, uint64_t at, struct elf_header *header)
{
	uint8_t entry[HEADER];
	unsigned word = elf->wide ? 8 : 4;
	if (elf->each < elf->least || at >= elf->count || at >= ELF_HEADERS_MOST ||
	    !elf_read_at(elf, elf->headers + at * elf->each, entry, (size_t)elf->least))
		return false;
	header->type = (uint32_t)elf_number(elf, entry, 4);
	header->offset = elf_number(elf, entry + (elf->wide ? 8 : 4), word);
	header->address = elf_number(elf, entry + (elf->wide ? 16 : 8), word);
	header->length = elf_number(elf, entry + (elf->wide ? 32 : 16), word);
	return true;
}
