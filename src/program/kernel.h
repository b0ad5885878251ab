/*
 * Finds the memory of a kernel from another machine in a file: its vmlinux, or a kcore, which was
 * read from the running kernel and also contains its modules.
 */
#ifndef TRAWL_PROGRAM_KERNEL_H
#define TRAWL_PROGRAM_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Find the byte that was at ADDRESS in the ELF file PATH: its OFFSET, and the LENGTH in bytes
 * that file and memory have in sequence from there.  BEGIN is where the kernel began when it ran.
 * 0: the addresses of the file are those, as in a kcore.  Return false if it is not there, or if
 * PATH is no such file.
 */
bool kernel_find_memory(const char *path, uint64_t begin, uint64_t address, uint64_t *offset,
			uint64_t *length);

#endif
