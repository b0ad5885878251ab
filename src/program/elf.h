/*
 * Heads of ELF files of either class and byte order, read from the open file.
 *
 * [System V ABI, "ELF header", "Program header"]
 */
#ifndef TRAWL_PROGRAM_ELF_H
#define TRAWL_PROGRAM_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	ELF_HEADERS_MOST = 256, /* program headers that are looked at */
	ELF_TYPE_LOAD = 1,
	ELF_TYPE_NOTE = 4,
	ELF_MACHINE_RISCV = 243
};

struct elf {
	int file;
	bool big, wide; /* bytes most significant first; 64 bits */
	uint16_t machine;
	uint64_t size;			      /* of the file, in bytes */
	uint64_t headers, count, each, least; /* program headers: offset, how many, bytes */
};

struct elf_header {
	uint32_t type;
	uint64_t offset, address, length; /* LENGTH bytes of the file, from OFFSET on */
};

/* Reads the head of FILE, which stays the caller's; false if it is no ELF file. */
bool elf_read(struct elf *, int file);

/* Reads program header AT; false behind the last one, and where the file ends. */
bool elf_read_header(const struct elf *, uint64_t at, struct elf_header *);

/* Reads exactly LENGTH bytes at OFFSET of the file; false if they are not there. */
bool elf_read_at(const struct elf *, uint64_t offset, void *out, size_t length);

/* The number that SIZE bytes of the file are. */
uint64_t elf_number(const struct elf *, const uint8_t *p, unsigned size);

#endif
