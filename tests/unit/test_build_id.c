/*
 * Build IDs: read from files of either class and byte order, whole and cut, and found in
 * each place where they are kept.  The files are written by elf_write.h.
 */
#include "config.h"

#include "test.h"

#include "elf_write.h"
#include "folder.h"
#include "program/build_id.h"

#include <stdlib.h>
#include <string.h>

static const uint8_t id_bytes[20] = {0xab, 0xcd, 0xef, 1, 2, 3, 4};
#define HEX "abcdef0102030400000000000000000000000000"

static struct build_id
make_id(uint8_t first)
{
	struct build_id id = {.size = 20};
	memcpy(id.bytes, id_bytes, 20);
	id.bytes[0] = first;
	return id;
}

static void
ids_are_read(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct folder f;
		byte_list elf = {0};
		struct build_id id;
		folder_make(&f);
		elf_write(&elf, i & 1, i & 2, id_bytes, 20, "code", 4);
		folder_put(&f, "a", elf.at, elf.count);
		assert_true(build_id_read(folder_path(&f, "a"), &id));
		assert_int_equal(id.size, 20);
		assert_memory_equal(id.bytes, id_bytes, 20);
		/* the notes are the last but the code */
		for (size_t cut = 0; cut < elf.count - 4; cut++) {
			folder_put(&f, "cut", elf.at, cut);
			assert_false(build_id_read(folder_path(&f, "cut"), &id));
			assert_int_equal(id.size, 0);
		}
		folder_put_text(&f, "text",
				"no program at all, but as long as the head of one is: "
				"sixty-four bytes");
		assert_false(build_id_read(folder_path(&f, "text"), &id));
		assert_false(build_id_read(f.path, &id));
		assert_false(build_id_read("/nowhere", &id));
		vec_free(&elf);
		folder_remove(&f);
	}
}

static void
put_elf(struct folder *f, const char *name, uint8_t first)
{
	byte_list elf = {0};
	struct build_id id = make_id(first);
	elf_write(&elf, false, true, id.bytes, 20, "code", 4);
	folder_put(f, name, elf.at, elf.count);
	vec_free(&elf);
}

static void
assert_found(struct folder *f, const char *name, const char *folder, const char *want,
	     const char *refusal)
{
	struct build_id id = make_id(0xab);
	struct text refused = {0};
	char *found = build_id_find(&id, name, folder, &refused);
	if (want) {
		assert_non_null(found);
		assert_string_equal(found, folder_path(f, want));
		assert_string_equal(text_get(&refused), "");
	} else {
		assert_null(found);
		if (refusal)
			assert_non_null(strstr(text_get(&refused), refusal));
		else
			assert_string_equal(text_get(&refused), "");
	}
	free(found);
	text_free(&refused);
}

static void
files_are_found(void **state)
{
	(void)state;
	struct folder f;
	folder_make(&f);
	setenv("HOME", f.path, 1);
	unsetenv("XDG_CACHE_HOME");
	unsetenv("DEBUGINFOD_CACHE_PATH");
	folder_put_folder(&f, "in");
	assert_found(&f, "/bin/prog", folder_path(&f, "in"), NULL, NULL);

	/* under its name, and by its path, with the right build ID only */
	put_elf(&f, "in/prog", 1);
	assert_found(&f, "/bin/prog", folder_path(&f, "in"), NULL, "has the build ID 01cd");
	assert_found(&f, "/bin/prog", NULL, NULL, NULL);
	put_elf(&f, "in/prog", 0xab);
	assert_found(&f, "/bin/prog", folder_path(&f, "in"), "in/prog", NULL);
	folder_put_folder(&f, "in/bin");
	put_elf(&f, "in/bin/prog", 0xab);
	assert_found(&f, "/bin/prog", folder_path(&f, "in"), "in/bin/prog", NULL);
	put_elf(&f, "in/bin/prog", 2);
	assert_found(&f, "/bin/prog", folder_path(&f, "in"), "in/prog", NULL);

	/* by its build ID */
	folder_put_folder(&f, "in/.build-id");
	folder_put_folder(&f, "in/.build-id/ab");
	put_elf(&f, "in/.build-id/ab/cdef0102030400000000000000000000000000.debug", 0xab);
	assert_found(&f, "/bin/other", folder_path(&f, "in"),
		     "in/.build-id/ab/cdef0102030400000000000000000000000000.debug", NULL);

	/* in the caches */
	folder_put_folder(&f, ".debug");
	folder_put_folder(&f, ".debug/.build-id");
	folder_put_folder(&f, ".debug/.build-id/ab");
	folder_put_folder(&f, ".debug/.build-id/ab/cdef0102030400000000000000000000000000");
	put_elf(&f, ".debug/.build-id/ab/cdef0102030400000000000000000000000000/elf", 0xab);
	assert_found(&f, "/bin/prog", NULL,
		     ".debug/.build-id/ab/cdef0102030400000000000000000000000000/elf", NULL);
	folder_put_folder(&f, ".cache");
	folder_put_folder(&f, ".cache/debuginfod_client");
	folder_put_folder(&f, ".cache/debuginfod_client/" HEX);
	put_elf(&f, ".cache/debuginfod_client/" HEX "/executable", 0xab);
	assert_found(&f, "/bin/prog", NULL, ".cache/debuginfod_client/" HEX "/executable", NULL);
	setenv("DEBUGINFOD_CACHE_PATH", "/nowhere", 1);
	assert_found(&f, "/bin/prog", NULL,
		     ".debug/.build-id/ab/cdef0102030400000000000000000000000000/elf", NULL);
	unsetenv("DEBUGINFOD_CACHE_PATH");

	/* under its own name, on this machine */
	assert_found(&f, folder_path(&f, "in/prog"), "/nowhere",
		     ".cache/debuginfod_client/" HEX "/executable", NULL);
	setenv("HOME", "/nowhere", 1);
	assert_found(&f, folder_path(&f, "in/prog"), NULL, "in/prog", NULL);
	assert_found(&f, folder_path(&f, "in/bin/prog"), NULL, NULL, NULL);
	folder_remove(&f);
}

/* Without a build ID only what the user names is taken. */
static void
without_an_id_the_folder_counts(void **state)
{
	(void)state;
	struct folder f;
	struct build_id none = {.size = 0};
	folder_make(&f);
	setenv("HOME", f.path, 1);
	put_elf(&f, "prog", 7);
	char *found = build_id_find(&none, "/bin/prog", f.path, NULL);
	assert_non_null(found);
	free(found);
	assert_null(build_id_find(&none, folder_path(&f, "prog"), NULL, NULL));
	/* a name does not lead out of the folder */
	assert_null(build_id_find(&none, "/x/../../../../../../../etc/passwd", f.path, NULL));
	folder_remove(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(ids_are_read),
	    cmocka_unit_test(files_are_found),
	    cmocka_unit_test(without_an_id_the_folder_counts),
	};
	return cmocka_run_group_tests_name("build_id", tests, NULL, NULL);
}
