/*
 * A writer of ELF files, for tests: a build ID and a piece of code, which is the last of it.
 */
#ifndef TRAWL_TESTS_UNIT_ELF_WRITE_H
#define TRAWL_TESTS_UNIT_ELF_WRITE_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

typedef VEC(uint8_t) byte_list;

static inline void
elf_put(byte_list *out, bool big, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		*vec_add(out) = (uint8_t)(value >> 8 * (big ? size - 1 - i : i));
}

static inline void
elf_put_bytes(byte_list *out, const void *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		*vec_add(out) = ((const uint8_t *)bytes)[i];
}

/* Two program headers: the code at address 0, and notes, of which the second is the build
 * ID, of a multiple of four bytes. */
static inline void
elf_write(byte_list *out, bool big, bool wide, const uint8_t *id, uint8_t id_size, const void *code,
	  size_t code_size)
{
	unsigned word = wide ? 8 : 4, head = wide ? 64 : 52, each = wide ? 56 : 32;
	unsigned notes = head + 2 * each, note_size = 20 + 16 + id_size;
	elf_put_bytes(out, "\177ELF", 4);
	elf_put(out, big, wide ? 2 : 1, 1);
	elf_put(out, big, big ? 2 : 1, 1);
	elf_put(out, big, 1, 1);
	elf_put(out, big, 0, 1);
	elf_put(out, big, 0, 8);
	elf_put(out, big, 3, 2);
	elf_put(out, big, 183, 2);
	elf_put(out, big, 1, 4);
	elf_put(out, big, 0, word);
	elf_put(out, big, head, word);
	elf_put(out, big, 0, word);
	elf_put(out, big, 0, 4);
	elf_put(out, big, head, 2);
	elf_put(out, big, each, 2);
	elf_put(out, big, 2, 2);
	elf_put(out, big, 0, 2);
	elf_put(out, big, 0, 2);
	elf_put(out, big, 0, 2);
	for (unsigned i = 0; i < 2; i++) {
		unsigned at = i ? notes : notes + note_size;
		unsigned size = i ? note_size : (unsigned)code_size;
		elf_put(out, big, i ? 4 : 1, 4);
		if (wide)
			elf_put(out, big, 5, 4);
		elf_put(out, big, at, word);
		elf_put(out, big, 0, word);
		elf_put(out, big, 0, word);
		elf_put(out, big, size, word);
		elf_put(out, big, size, word);
		if (!wide)
			elf_put(out, big, 5, 4);
		elf_put(out, big, 4, word);
	}
	/* a note of another name */
	elf_put(out, big, 4, 4);
	elf_put(out, big, 4, 4);
	elf_put(out, big, 3, 4);
	elf_put_bytes(out, "XYZ\0abcd", 8);
	elf_put(out, big, 4, 4);
	elf_put(out, big, id_size, 4);
	elf_put(out, big, 3, 4);
	elf_put_bytes(out, "GNU", 4);
	elf_put_bytes(out, id, id_size);
	elf_put_bytes(out, code, code_size);
}

#endif
