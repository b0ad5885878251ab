/*
 * Memory of the traced program by address, as loaded from its ELF files.
 *
 * The bytes are copied when a file is added.  After the last file is added, an image does not
 * change and any thread may read it.
 */
#ifndef TRAWL_PROGRAM_IMAGE_H
#define TRAWL_PROGRAM_IMAGE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;

enum image_machine { IMAGE_RISCV32, IMAGE_RISCV64, IMAGE_OTHER };

/* Place of a file: ADDRESS holds LENGTH bytes from OFFSET of the file.  LENGTH 0: as linked. */
struct image_place {
	uint64_t address, length, offset;
};

struct image *image_new(void);
void image_free(struct image *); /* NULL is fine */

/* Add the loaded bytes of an ELF file.  Where files overlap, the first one added counts.  FILE
 * is open and borrowed, PATH is its name.  Return 0, or negative with a reason: no ELF file,
 * damaged, or nothing is loaded. */
int image_add(struct image *, int file, const char *path, const struct image_place *, struct err *);

/* Return the machine of the first file; IMAGE_OTHER without one. */
enum image_machine image_machine(const struct image *);

/* True if the RISC-V attributes name EXTENSION (lower case).  False without attributes. */
bool image_has_extension(const struct image *, const char *extension);

/* Return the bytes at ADDRESS, *LENGTH in sequence, or NULL if nothing is there.  They live as
 * long as the image. */
const uint8_t *image_find(const struct image *, uint64_t address, size_t *length);

/* Return the captured name, without folder, of the file with the bytes from image_find.  NULL if
 * nothing is there. */
const char *image_name(const struct image *, uint64_t address);

/* True if another piece at ADDRESS differs from these LENGTH bytes, as far as it reaches.  Only
 * one of overlapping pieces serves an address, so code may be patched. */
bool image_differs(const struct image *, uint64_t address, const uint8_t *bytes, size_t length);

/* True if pieces of files overlap. */
bool image_overlaps(const struct image *);

/* Return the number of bytes in all pieces. */
uint64_t image_size(const struct image *);

#endif
