/*
 * Memory of the traced program: files of either class and byte order, linked or moved, cut
 * at every byte, and with numbers that are not true.  The files are written by elf_write.h.
 */
#include "config.h"

#include "test.h"

#include "elf_write.h"
#include "folder.h"
#include "program_path.h"

#include <string.h>

static const uint8_t id[20] = {1, 2, 3};
static const struct image_place linked = {0};

static const uint8_t *
find(const struct image *image, uint64_t address)
{
	size_t length;
	return image_find(image, address, &length);
}

static void
segments_are_found(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct folder f;
		byte_list elf = {0};
		struct image *image = image_new();
		struct err err = {0};
		size_t length;
		folder_make(&f);
		elf_write(&elf, i & 1, i & 2, id, 20, "code", 4);
		folder_put(&f, "a", elf.at, elf.count);
		assert_int_equal(image_add_path(image, folder_path(&f, "a"), &linked, &err), 0);
		assert_int_equal(image_size(image), 4);
		assert_memory_equal(image_find(image, 0, &length), "code", 4);
		assert_int_equal(length, 4);
		assert_memory_equal(image_find(image, 3, &length), "e", 1);
		assert_int_equal(length, 1);
		assert_null(find(image, 4));
		assert_null(find(image, UINT64_MAX));
		/* it is of another machine */
		assert_int_equal(image_machine(image), IMAGE_OTHER);
		assert_false(image_has_extension(image, "_zcmp"));
		image_free(image);
		vec_free(&elf);
		folder_remove(&f);
	}
}

static void
files_lie_where_they_were_loaded(void **state)
{
	struct folder f;
	byte_list elf = {0};
	struct image *image = image_new();
	struct err err = {0};
	(void)state;
	folder_make(&f);
	elf_write(&elf, false, true, id, 20, "code", 4);
	const struct image_place moved = {
	    .address = 0x7f0000001000, .offset = elf.count - 4, .length = 4};
	folder_put(&f, "a", elf.at, elf.count);
	const char *path = folder_path(&f, "a");
	assert_int_equal(image_add_path(image, path, &moved, &err), 0);
	assert_memory_equal(find(image, 0x7f0000001000), "code", 4);
	assert_null(find(image, 0));
	/* the first file holds */
	const struct image_place over = {.address = 0x7f0000000fff, .offset = 0, .length = 2};
	assert_int_equal(image_add_path(image, path, &over, &err), 0);
	assert_int_equal(*find(image, 0x7f0000000fff), 0x7f);
	assert_int_equal(*find(image, 0x7f0000001000), 'c');
	/* which is known, where both have an address */
	assert_true(image_overlaps(image));
	assert_true(image_differs(image, 0x7f0000001000, (const uint8_t *)"code", 4));
	assert_false(image_differs(image, 0x7f0000001001, (const uint8_t *)"ode", 3));
	assert_true(image_differs(image, 0x7f0000001001, (const uint8_t *)"oDe", 3));
	assert_false(image_differs(image, 0x7f0000001001, (const uint8_t *)"odes", 4));
	assert_false(image_differs(image, 0x7f0000000ffe, (const uint8_t *)"x", 1));
	static const struct image_place outside[] = {
	    {.offset = 1000000, .length = 1},
	    {.offset = 0, .length = 1000000},
	    {.offset = UINT64_MAX, .length = 4},
	    {.offset = 4, .length = UINT64_MAX},
	    {.address = UINT64_MAX, .offset = 0, .length = 4},
	};
	for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
		assert_true(image_add_path(image, path, &outside[i], &err) < 0);
	assert_int_equal(image_size(image), 6);
	image_free(image);
	vec_free(&elf);
	folder_remove(&f);
}

static void
machines_are_known(void **state)
{
	(void)state;
	for (unsigned wide = 0; wide < 2; wide++) {
		struct folder f;
		byte_list elf = {0};
		struct image *image = image_new();
		folder_make(&f);
		elf_write(&elf, false, wide, id, 20, "code", 4);
		elf.at[18] = 243; /* EM_RISCV */
		/* the notes as the attributes: PT_RISCV_ATTRIBUTES */
		uint8_t *note = elf.at + (wide ? 64 + 56 : 52 + 32);
		memcpy(note, "\3\0\0\x70", 4);
		memcpy(elf.at + elf.count - 24, "rv32i2p1_zcmp1p0\0\0\0\0", 20);
		folder_put(&f, "a", elf.at, elf.count);
		assert_int_equal(image_add_path(image, folder_path(&f, "a"), &linked, NULL), 0);
		assert_int_equal(image_machine(image), wide ? IMAGE_RISCV64 : IMAGE_RISCV32);
		assert_true(image_has_extension(image, "_zcmp"));
		assert_false(image_has_extension(image, "_zcmt"));
		/* a later program does not replace them */
		memcpy(elf.at + elf.count - 24, "rv32i2p1_zcmt1p0\0\0\0\0", 20);
		folder_put(&f, "b", elf.at, elf.count);
		assert_int_equal(image_add_path(image, folder_path(&f, "b"), &linked, NULL), 0);
		assert_true(image_has_extension(image, "_zcmp"));
		image_free(image);
		vec_free(&elf);
		folder_remove(&f);
	}
}

static void
damaged_files_are_refused(void **state)
{
	struct folder f;
	byte_list elf = {0};
	struct err err = {0};
	(void)state;
	folder_make(&f);
	elf_write(&elf, false, true, id, 20, "code", 4);
	for (size_t cut = 0; cut < elf.count; cut++) {
		struct image *image = image_new();
		folder_put(&f, "cut", elf.at, cut);
		assert_true(image_add_path(image, folder_path(&f, "cut"), &linked, &err) < 0);
		assert_null(find(image, 0));
		image_free(image);
	}
	/* each byte of the heads turned: refused, or nothing outside of the file */
	for (size_t at = 0; at < 64 + 2 * 56; at++)
		for (unsigned bit = 0; bit < 8; bit++) {
			struct image *image = image_new();
			elf.at[at] ^= (uint8_t)(1u << bit);
			folder_put(&f, "bad", elf.at, elf.count);
			image_add_path(image, folder_path(&f, "bad"), &linked, &err);
			assert_true(image_size(image) <= elf.count);
			elf.at[at] ^= (uint8_t)(1u << bit);
			image_free(image);
		}
	vec_free(&elf);
	folder_remove(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(segments_are_found),
	    cmocka_unit_test(files_lie_where_they_were_loaded),
	    cmocka_unit_test(machines_are_known),
	    cmocka_unit_test(damaged_files_are_refused),
	};
	return cmocka_run_group_tests_name("image", tests, NULL, NULL);
}
