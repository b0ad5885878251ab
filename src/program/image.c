/*
 * Memory of the traced program: see image.h.
 *
 * The image is a list of pieces, a few per file, searched from the first one.  No number in a
 * file is trusted: each piece must be in the file, and all pieces of a file are together no
 * longer than it.
 */
#include "config.h"

#include "program/image.h"
#include "base/text.h"
#include "base/vec.h"
#include "program/elf.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* [RISC-V psABI, "Program Header Table"] */
	TYPE_ATTRIBUTES = 0x70000003,
	ATTRIBUTES_MOST = 4096,
	FILE_MOST = 1 << 30 /* bytes copied from a file */
};

struct image_piece {
	uint64_t address;
	size_t length;
	uint8_t *bytes;
	size_t file; /* index in `names` */
};

struct image {
	VEC(struct image_piece) pieces;
	VEC(char *) names; /* of the files */
	uint64_t size;
	enum image_machine machine;
	char extensions[ATTRIBUTES_MOST + 1]; /* attributes with the names of extensions */
};

struct image *
image_new(void)
{
	struct image *image = mem_new(sizeof *image);
	image->machine = IMAGE_OTHER;
	return image;
}

void
image_free(struct image *image)
{
	if (!image)
		return;
	for (size_t i = 0; i < image->pieces.count; i++)
		free(image->pieces.at[i].bytes);
	for (size_t i = 0; i < image->names.count; i++)
		free(image->names.at[i]);
	vec_free(&image->names);
	vec_free(&image->pieces);
	free(image);
}

static uint64_t
bytes_left(const struct elf *elf)
{
	return elf->size < FILE_MOST ? elf->size : FILE_MOST;
}

/* Add LENGTH bytes of the file, if at most *LEFT.  Return false if they are not there. */
static bool
add_piece(struct image *image, const struct elf *elf, uint64_t address, uint64_t offset,
	  uint64_t length, uint64_t *left)
{
	if (length > *left || offset > elf->size - length || address > UINT64_MAX - length)
		return false;
	uint8_t *bytes = mem_new((size_t)length);
	if (!elf_read_at(elf, offset, bytes, (size_t)length)) {
		free(bytes);
		return false;
	}
	*vec_add(&image->pieces) = (struct image_piece){.address = address,
							.length = (size_t)length,
							.bytes = bytes,
							.file = image->names.count - 1};
	image->size += length;
	*left -= length;
	return true;
}

/* Keep the attributes of the first program that has any.  Each NUL becomes a space, so that
 * extensions can be searched in them [RISC-V psABI, "Tag_RISCV_arch"]. */
static void
read_attributes(struct image *image, const struct elf *elf, const struct elf_header *header)
{
	if (*image->extensions || header->length > ATTRIBUTES_MOST ||
	    !elf_read_at(elf, header->offset, image->extensions, (size_t)header->length))
		return;
	for (uint64_t i = 0; i < header->length; i++)
		if (!image->extensions[i])
			image->extensions[i] = ' ';
	image->extensions[header->length] = '\0';
}

static int
add_segments(struct image *image, const struct elf *elf, const char *path, struct err *err)
{
	struct elf_header header;
	uint64_t left = bytes_left(elf), i;
	size_t before = image->pieces.count;
	for (i = 0; elf_read_header(elf, i, &header); i++) {
		if (header.type == TYPE_ATTRIBUTES && elf->machine == ELF_MACHINE_RISCV)
			read_attributes(image, elf, &header);
		if (header.type == ELF_TYPE_LOAD && header.length &&
		    !add_piece(image, elf, header.address, header.offset, header.length, &left))
			return err_set(err, ERR_DATA,
				       "%s: segment %u is not in the file, or too large", path,
				       (unsigned)i);
	}
	if (i < elf->count && i < ELF_HEADERS_MOST)
		return err_set(err, ERR_DATA, "%s: its program headers are not in the file", path);
	if (image->pieces.count == before)
		return err_set(err, ERR_DATA, "%s: it loads nothing; name the linked program",
			       path);
	return 0;
}

static enum image_machine
machine_of(const struct elf *elf)
{
	if (elf->machine != ELF_MACHINE_RISCV || elf->big)
		return IMAGE_OTHER;
	return elf->wide ? IMAGE_RISCV64 : IMAGE_RISCV32;
}

int
image_add(struct image *image, int file, const char *path, const struct image_place *place,
	  struct err *err)
{
	struct elf elf;
	const char *name = strrchr(path, '/');
	*vec_add(&image->names) = mem_text(name ? name + 1 : path);
	if (!elf_read(&elf, file))
		return err_set(err, ERR_DATA, "%s: not an ELF file", path);
	if (!image->size)
		image->machine = machine_of(&elf);
	if (!place->length)
		return add_segments(image, &elf, path, err);
	uint64_t left = bytes_left(&elf);
	if (!add_piece(image, &elf, place->address, place->offset, place->length, &left))
		return err_set(err, ERR_DATA, "%s: the bytes that were loaded are not in the file",
			       path);
	return 0;
}

enum image_machine
image_machine(const struct image *image)
{
	return image->machine;
}

bool
image_has_extension(const struct image *image, const char *extension)
{
	return strstr(image->extensions, extension) != NULL;
}

static bool
has_address(const struct image_piece *piece, uint64_t address)
{
	return address >= piece->address && address - piece->address < piece->length;
}

/* Return the first piece with an address, or NULL. */
static const struct image_piece *
find_piece(const struct image *image, uint64_t address)
{
	for (size_t i = 0; i < image->pieces.count; i++)
		if (has_address(&image->pieces.at[i], address))
			return &image->pieces.at[i];
	return NULL;
}

const uint8_t *
image_find(const struct image *image, uint64_t address, size_t *length)
{
	const struct image_piece *piece = find_piece(image, address);
	if (!piece)
		return NULL;
	*length = piece->length - (size_t)(address - piece->address);
	return piece->bytes + (address - piece->address);
}

const char *
image_name(const struct image *image, uint64_t address)
{
	const struct image_piece *piece = find_piece(image, address);
	return piece ? image->names.at[piece->file] : NULL;
}

bool
image_differs(const struct image *image, uint64_t address, const uint8_t *bytes, size_t length)
{
	for (size_t i = 0; i < image->pieces.count; i++) {
		const struct image_piece *piece = &image->pieces.at[i];
		uint64_t at = address - piece->address;
		if (!has_address(piece, address))
			continue;
		size_t left = piece->length - (size_t)at;
		if (memcmp(piece->bytes + at, bytes, length < left ? length : left) != 0)
			return true;
	}
	return false;
}

static bool
pieces_overlap(const struct image_piece *a, const struct image_piece *b)
{
	return a->address < b->address + b->length && b->address < a->address + a->length;
}

bool
image_overlaps(const struct image *image)
{
	for (size_t i = 0; i < image->pieces.count; i++)
		for (size_t k = 0; k < i; k++)
			if (pieces_overlap(&image->pieces.at[i], &image->pieces.at[k]))
				return true;
	return false;
}

uint64_t
image_size(const struct image *image)
{
	return image->size;
}
