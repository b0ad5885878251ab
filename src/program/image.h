/*
 * Memory of the program that was traced, by address: what ELF files load.
 *
 * The bytes are copied when a file is added.  An image does not change after the last file is
 * added; any thread may ask then.
 */
#ifndef TRAWL_PROGRAM_IMAGE_H
#define TRAWL_PROGRAM_IMAGE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;

enum image_machine { IMAGE_RISCV32, IMAGE_RISCV64, IMAGE_OTHER };

/* Where a file lies: LENGTH bytes from byte OFFSET of it on are at ADDRESS.  LENGTH 0: as
 * it is linked. */
struct image_place {
	uint64_t address, length, offset;
};

struct image *image_new(void);
void image_free(struct image *); /* NULL is fine */

/* Adds what an ELF file loads; where files overlap the first one added holds.  FILE is open and
 * borrowed, PATH is its name.  0, or negative with a reason: no ELF file, damaged, nothing is
 * loaded there. */
int image_add(struct image *, int file, const char *path, const struct image_place *, struct err *);

/* Of the first file that was added; IMAGE_OTHER without one. */
enum image_machine image_machine(const struct image *);

/* Whether its RISC-V attributes name EXTENSION, in lower case; false where it has none. */
bool image_has_extension(const struct image *, const char *extension);

/* The bytes at ADDRESS, of which *LENGTH follow each other; NULL if nothing is there.  They
 * live as long as the image. */
const uint8_t *image_find(const struct image *, uint64_t address, size_t *length);

/* The name of the file whose bytes image_find gives, without its folder, as captured; NULL if
 * nothing is there. */
const char *image_name(const struct image *, uint64_t address);

/* Whether another piece of a file that lies at ADDRESS has other bytes there than these LENGTH,
 * as far as it reaches: where images overlap, one serves an address, and code may be patched. */
bool image_differs(const struct image *, uint64_t address, const uint8_t *bytes, size_t length);

/* Whether pieces of files overlap. */
bool image_overlaps(const struct image *);

/* How many bytes there are. */
uint64_t image_size(const struct image *);

#endif
