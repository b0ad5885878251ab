/*
 * Reads the headers of an open ELF file of either class and byte order.
 *
 * [System V ABI, "ELF header", "Program header"]
 */
#ifndef TRAWL_PROGRAM_ELF_H
#define TRAWL_PROGRAM_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	ELF_HEADERS_MOST = 256, /* program headers that are read */
	ELF_TYPE_LOAD = 1,
	ELF_TYPE_NOTE = 4,
	ELF_MACHINE_RISCV = 243
};

struct elf {
	int file;
	bool big, wide; /* most significant byte first; 64 bits */
	uint16_t machine;
	uint64_t size;			      /* of the file, in bytes */
	uint64_t headers, count, each, least; /* program headers: offset, count, size, minimum */
};

struct elf_header {
	uint32_t type;
	uint64_t offset, address, length; /* LENGTH bytes from OFFSET of the file */
};

/* Read the ELF header of FILE, which stays the caller's.  Return false if it is no ELF file. */
bool elf_read(struct elf *, int file);

/* Read program header AT.  Return false after the last one or at the end of the file. */
bool elf_read_header(const struct elf *, uint64_t at, struct elf_header *);

/* Read exactly LENGTH bytes at OFFSET of the file.  Return false if they are not there. */
bool elf_read_at(const struct elf *, uint64_t offset, void *out, size_t length);

/* Return the number in SIZE bytes of the file. */
uint64_t elf_number(const struct elf *, const uint8_t *p, unsigned size);

#endif
