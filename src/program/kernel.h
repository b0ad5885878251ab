/*
 * The memory of a kernel that ran elsewhere, in a file of it: its vmlinux, or a kcore, which
 * was read from the running kernel and has that of its modules, too.
 */
#ifndef TRAWL_PROGRAM_KERNEL_H
#define TRAWL_PROGRAM_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Where in the ELF file PATH the byte is that was at ADDRESS: its OFFSET, and the LENGTH of
 * what follows it in file and memory, in bytes.  BEGIN is where the kernel began, wherever it
 * was linked to begin; 0: the addresses of the file are those that it ran at, as in a kcore.
 * False: it is not there, or PATH is no such file.
 */
bool kernel_find_memory(const char *path, uint64_t begin, uint64_t address, uint64_t *offset,
			uint64_t *length);

#endif
