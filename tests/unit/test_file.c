/* Copies and stamps of files: base/file.h. */
#include "config.h"

#include "test.h"

#include "base/file.h"
#include "folder.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void
copies_stay(void **state)
{
	enum { SIZE = 200000 };
	struct folder f;
	char bytes[SIZE], got[SIZE];
	const char *why;
	(void)state;
	folder_make(&f);
	for (size_t i = 0; i < SIZE; i++)
		bytes[i] = (char)(i * 31 >> 4);
	folder_put(&f, "a", bytes, SIZE);
	int copy = file_open_copy(folder_path(&f, "a"), &why);
	assert_true(copy >= 0);
	const char *map = mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE, copy, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	assert_int_equal(truncate(folder_path(&f, "a"), 0), 0);
	folder_put(&f, "a", "other", 5);
	assert_memory_equal(map, bytes, SIZE);
	assert_true(file_read_at(copy, got, SIZE, 0));
	assert_memory_equal(got, bytes, SIZE);
	assert_int_equal(lseek(copy, 0, SEEK_END), SIZE);
	/* nobody can change it, whoever opens it */
	assert_int_equal(ftruncate(copy, 0), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(pwrite(copy, "x", 1, 0), -1);
	assert_int_equal(errno, EPERM);
	munmap((void *)map, SIZE);
	close(copy);
	folder_remove(&f);
}

static void
copies_fail_with_a_reason(void **state)
{
	struct folder f;
	const char *why;
	(void)state;
	folder_make(&f);
	assert_true(file_open_copy("/nowhere/a", &why) < 0);
	assert_string_equal(why, strerror(ENOENT));
	assert_true(file_open_copy(f.path, &why) < 0);
	assert_string_equal(why, "it is a folder; name a file");
	/* a hole costs nothing, a copy of it does */
	folder_put(&f, "large", "", 0);
	assert_int_equal(truncate(folder_path(&f, "large"), (off_t)FILE_COPY_MOST + 1), 0);
	assert_true(file_open_copy(folder_path(&f, "large"), &why) < 0);
	assert_string_equal(why, "it is larger than 4 GiB; strip its debug information");
	/* as an empty file */
	int copy = file_open_copy("/dev/null", &why);
	assert_true(copy >= 0);
	assert_int_equal(lseek(copy, 0, SEEK_END), 0);
	close(copy);
	folder_remove(&f);
}

static void
stamps_show_changes(void **state)
{
	struct folder f;
	(void)state;
	folder_make(&f);
	const char *path = folder_path(&f, "a"), *other = folder_path(&f, "b");
	const struct timespec long_ago[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
	struct file_stamp absent = file_stamp(path);
	assert_int_equal(file_compare(&absent), FILE_SAME);
	folder_put(&f, "a", "one", 3);
	assert_int_equal(utimensat(AT_FDCWD, path, long_ago, 0), 0);
	assert_int_equal(file_compare(&absent), FILE_CHANGED);
	struct file_stamp stamp = file_stamp(path);
	assert_int_equal(file_compare(&stamp), FILE_SAME);
	/* as long, but written later */
	folder_put(&f, "a", "two", 3);
	assert_int_equal(file_compare(&stamp), FILE_CHANGED);
	/* as old, but longer */
	folder_put(&f, "a", "four", 4);
	assert_int_equal(utimensat(AT_FDCWD, path, long_ago, 0), 0);
	assert_int_equal(file_compare(&stamp), FILE_CHANGED);
	/* as old and as long, but another file */
	stamp = file_stamp(path);
	folder_put(&f, "b", "four", 4);
	assert_int_equal(utimensat(AT_FDCWD, other, long_ago, 0), 0);
	assert_int_equal(rename(other, path), 0);
	assert_int_equal(file_compare(&stamp), FILE_CHANGED);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(file_compare(&stamp), FILE_GONE);
	folder_remove(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(copies_stay),
	    cmocka_unit_test(copies_fail_with_a_reason),
	    cmocka_unit_test(stamps_show_changes),
	};
	return cmocka_run_group_tests_name("files", tests, NULL, NULL);
}
