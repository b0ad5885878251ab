/*
 * Compressed captures and archives, written here by libarchive: what is unpacked is what
 * was packed; what is cut or damaged gives a beginning of it and a reason.
 */
#include "config.h"

#include "test.h"

#ifdef HAVE_LIBARCHIVE

#include "base/vec.h"
#include "capture/capture.h"
#include "capture/foreign.h"
#include "capture/unpack.h"
#include "random.h"
#include "toy.h"

#include <archive.h>
#include <archive_entry.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { SIZE = 1100 * 1000, ROOM = 2 << 20 };

static const struct form {
	const char *name; /* as it is shown */
	int (*format)(struct archive *);
	int (*filter)(struct archive *);
} forms[] = {
    {"gzip", archive_write_set_format_raw, archive_write_add_filter_gzip},
    {"xz", archive_write_set_format_raw, archive_write_add_filter_xz},
    {"zstd", archive_write_set_format_raw, archive_write_add_filter_zstd},
    {"bzip2", archive_write_set_format_raw, archive_write_add_filter_bzip2},
    {"lz4", archive_write_set_format_raw, archive_write_add_filter_lz4},
    {"zip", archive_write_set_format_zip, NULL},
    {"tar", archive_write_set_format_ustar, NULL},
    {"gzip, tar", archive_write_set_format_pax_restricted, archive_write_add_filter_gzip},
    {"zstd, tar", archive_write_set_format_gnutar, archive_write_add_filter_zstd},
    {"gzip, zip", archive_write_set_format_zip, archive_write_add_filter_gzip},
};
enum { FORMS = sizeof forms / sizeof *forms };

/* Packs SIZE bytes as each of the files NAMES, to the last NULL; a folder's name ends
 * in a slash. */
static size_t
pack(const struct form *form, const uint8_t *bytes, size_t size, const char *const *names,
     uint8_t *out)
{
	size_t used = 0;
	struct archive *archive = archive_write_new();
	form->format(archive);
	if (form->filter)
		form->filter(archive);
	archive_write_set_bytes_in_last_block(archive, 1);
	assert_int_equal(archive_write_open_memory(archive, out, ROOM, &used), ARCHIVE_OK);
	for (; *names; names++) {
		struct archive_entry *entry = archive_entry_new();
		bool folder = (*names)[strlen(*names) - 1] == '/';
		archive_entry_set_pathname(entry, *names);
		archive_entry_set_filetype(entry, folder ? AE_IFDIR : AE_IFREG);
		archive_entry_set_perm(entry, 0644);
		archive_entry_set_size(entry, folder ? 0 : (int64_t)size);
		assert_true(archive_write_header(archive, entry) >= ARCHIVE_WARN);
		if (!folder && size)
			assert_int_equal(archive_write_data(archive, bytes, size), size);
		archive_entry_free(entry);
	}
	assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
	archive_write_free(archive);
	return used;
}

static size_t
pack_one(const struct form *form, const uint8_t *bytes, size_t size, uint8_t *out)
{
	static const char *const names[] = {"trace.bin", NULL};
	return pack(form, bytes, size, names, out);
}

/* Numbers, that can be packed but are never the same. */
static uint8_t *
make_bytes(size_t size)
{
	uint8_t *bytes = mem_new(size);
	uint64_t seed = 7;
	for (size_t i = 0; i < size; i++)
		bytes[i] = i % 4 ? (uint8_t)(i >> 10) : (uint8_t)random_next(&seed);
	return bytes;
}

/* Packed bytes in memory. */
struct memory {
	const uint8_t *bytes;
	size_t size, fails_at;
};

static ssize_t
read_memory(void *context, uint64_t offset, void *buffer, size_t length)
{
	struct memory *memory = context;
	size_t left = offset < memory->size ? memory->size - (size_t)offset : 0;
	if (memory->fails_at && offset + length > memory->fails_at)
		return -1;
	length = length < left ? length : left;
	memcpy(buffer, memory->bytes + offset, length);
	return (ssize_t)length;
}

struct result {
	struct text bytes, name;
	struct err err;
	bool opened;
};

/* Unpacks as a file, or as a stream. */
static void
unpack(const uint8_t *packed, size_t size, bool stream, struct result *result)
{
	struct memory memory = {.bytes = packed, .size = size};
	struct unpack_source source = {.read = read_memory,
				       .context = &memory,
				       .size = stream ? UINT64_MAX : size,
				       .name = "x"};
	const void *bytes;
	ssize_t n;
	*result = (struct result){0};
	struct unpack *unpack = unpack_open(&source, &result->err);
	result->opened = unpack;
	if (!unpack)
		return;
	text_add(&result->name, unpack_name(unpack));
	while ((n = unpack_read(unpack, &bytes, &result->err)) > 0)
		text_add_bytes(&result->bytes, bytes, (size_t)n);
	assert_true((n < 0) == (result->err.code != 0));
	unpack_close(unpack);
}

static void
result_free(struct result *result)
{
	text_free(&result->bytes);
	text_free(&result->name);
}

static void
assert_beginning(const struct result *result, const uint8_t *bytes, size_t size)
{
	assert_true(result->bytes.length <= size);
	if (result->bytes.length)
		assert_memory_equal(result->bytes.data, bytes, result->bytes.length);
}

static void
test_same(void **state)
{
	(void)state;
	uint8_t *bytes = make_bytes(SIZE), *packed = mem_new(ROOM);
	for (size_t i = 0; i < 2 * FORMS; i++) {
		size_t size = pack_one(&forms[i / 2], bytes, SIZE, packed);
		struct result result;
		unpack(packed, size, i % 2, &result);
		assert_int_equal(result.err.code, 0);
		assert_string_equal(result.name.data, forms[i / 2].name);
		assert_int_equal(result.bytes.length, SIZE);
		assert_beginning(&result, bytes, SIZE);
		result_free(&result);
	}
	free(bytes);
	free(packed);
}

/* Nothing that is packed; a tar of nothing is none. */
static void
test_empty(void **state)
{
	(void)state;
	static const char *const none[] = {NULL}, *const folder[] = {"a/", NULL};
	uint8_t *packed = mem_new(ROOM);
	struct result result;
	for (size_t i = 0; i < FORMS; i++) {
		if (!strcmp(forms[i].name, "lz4")) /* which libarchive 3.6 cannot write */
			continue;
		size_t size = pack_one(&forms[i], packed, 0, packed);
		unpack(packed, size, false, &result);
		assert_int_equal(result.err.code, 0);
		assert_int_equal(result.bytes.length, 0);
		result_free(&result);
	}
	for (size_t i = 5; i < 7; i++) {
		size_t size = pack(&forms[i], packed, 0, folder, packed);
		unpack(packed, size, false, &result);
		assert_int_equal(result.err.code, ERR_DATA);
		assert_string_equal(result.err.what, "no file is in it");
		size = pack(&forms[i], packed, 0, none, packed);
		unpack(packed, size, false, &result);
		assert_int_equal(result.err.code, ERR_UNSUPPORTED); /* as a capture of zeros */
	}
	free(packed);
}

/* Much that is no file ends in a refusal, not in a long search. */
static void
test_folders(void **state)
{
	(void)state;
	enum { FOLDERS = 10001 };
	const char **names = mem_new((FOLDERS + 2) * sizeof *names);
	uint8_t *packed = mem_new(ROOM);
	struct result result;
	for (size_t i = 0; i < FOLDERS; i++)
		names[i] = "a/";
	names[FOLDERS] = "trace.bin";
	size_t size = pack(&forms[8], (const uint8_t *)"trace", 5, names, packed);
	unpack(packed, size, false, &result);
	assert_int_equal(result.err.code, 0); /* what is read is what is in zstd */
	assert_string_equal(result.name.data, "zstd");
	result_free(&result);
	free(names);
	free(packed);
}

static void
test_members(void **state)
{
	(void)state;
	static const char *const names[] = {"a/", "a/one.bin", "two\n.bin", "3", "4", "5", NULL};
	static const char *const one[] = {"a/", "__MACOSX/a/._one", "a/one.bin", NULL};
	uint8_t *bytes = make_bytes(1000), *packed = mem_new(ROOM);
	struct result result;
	for (size_t i = 5; i < FORMS; i++) {
		size_t size = pack(&forms[i], bytes, 1000, names, packed);
		unpack(packed, size, false, &result);
		assert_int_equal(result.err.code, ERR_USAGE);
		assert_non_null(strstr(result.err.what, i < 7 ? "(a/one.bin, two\\n.bin, 3, ...)"
							      : "(a/one.bin, two\\n.bin)"));
		assert_non_null(strstr(result.err.what, " x NAME | trawl -"));
		assert_beginning(&result, bytes, 1000);
		result_free(&result);
		size = pack(&forms[i], bytes, 1000, one, packed);
		unpack(packed, size, false, &result);
		assert_int_equal(result.err.code, 0);
		assert_int_equal(result.bytes.length, 1000);
		result_free(&result);
	}
	free(bytes);
	free(packed);
}

/* Of what is cut there is a beginning, and a reason; no end is taken for the true one. */
static void
test_cut(void **state)
{
	(void)state;
	uint8_t *bytes = make_bytes(SIZE), *packed = mem_new(ROOM);
	for (size_t i = 0; i < FORMS; i++) {
		size_t size = pack_one(&forms[i], bytes, SIZE, packed), longest = 0;
		for (size_t cut = 0; cut < size; cut += cut < 600 ? 7 : size / 61) {
			struct result result;
			unpack(packed, cut, cut % 2, &result);
			assert_beginning(&result, bytes, SIZE);
			assert_true(result.err.code || result.bytes.length == SIZE);
			longest = result.bytes.length > longest ? result.bytes.length : longest;
			result_free(&result);
		}
		/* lz4 of libarchive has one block for all */
		if (strcmp(forms[i].name, "lz4") != 0)
			assert_true(longest > SIZE / 2);
	}
	free(bytes);
	free(packed);
}

/* The same of few bytes, at every one of what is packed. */
static void
test_cut_anywhere(void **state)
{
	(void)state;
	enum { FEW = 700 };
	uint8_t *bytes = make_bytes(FEW), *packed = mem_new(ROOM);
	for (size_t i = 0; i < FORMS; i++) {
		size_t size = pack_one(&forms[i], bytes, FEW, packed);
		for (size_t cut = 0; cut < size; cut++) {
			struct result result;
			unpack(packed, cut, cut % 2, &result);
			assert_beginning(&result, bytes, FEW);
			assert_true(result.err.code || result.bytes.length == FEW);
			result_free(&result);
		}
	}
	free(bytes);
	free(packed);
}

static void
test_damaged(void **state)
{
	(void)state;
	uint8_t *bytes = make_bytes(20000), *packed = mem_new(ROOM);
	uint64_t seed = 1;
	for (size_t i = 0; i < FORMS; i++) {
		size_t size = pack_one(&forms[i], bytes, 20000, packed);
		for (int n = 0; n < 200; n++) {
			size_t at = random_next(&seed) % (n % 2 ? size : 600) % size;
			uint8_t was = packed[at];
			struct result result;
			packed[at] ^= 1 << random_next(&seed) % 8;
			unpack(packed, size, n % 3 == 0, &result);
			assert_true(result.opened || result.err.code);
			/* what has a checksum, and a file of which the end is at hand */
			bool checked = strstr(forms[i].name, "gzip") && n % 3;
			if (checked && !result.err.code) {
				assert_int_equal(result.bytes.length, 20000);
				assert_beginning(&result, bytes, 20000);
			}
			result_free(&result);
			packed[at] = was;
		}
	}
	free(bytes);
	free(packed);
}

/* Pieces of gzip joined to one file are one; what else follows is told, and what a
 * checksum finds alone. */
static void
test_gzip(void **state)
{
	(void)state;
	/* RFC 1951, section 3.2.4: a block that is stored as it is */
	uint8_t stored[] =
	    {0x1f, 0x8b, 8,    0,    0,	   0,	 0,   0,   0,	3,   1,
	     9,	   0,	 0xf6, 0xff, '1',  '2',	 '3', '4', '5', '6', '7',
	     '8',  '9',	 0x26, 0x39, 0xf4, 0xcb, 9,   0,   0,	0}; /* the check value of CRC-32 */
	uint8_t twice[2 * sizeof stored + 3];
	struct result result;
	unpack(stored, sizeof stored, false, &result);
	assert_int_equal(result.err.code, 0);
	assert_string_equal(result.bytes.data, "123456789");
	result_free(&result);
	memcpy(twice, stored, sizeof stored);
	memcpy(twice + sizeof stored, stored, sizeof stored);
	unpack(twice, 2 * sizeof stored, false, &result);
	assert_int_equal(result.err.code, 0);
	assert_string_equal(result.bytes.data, "123456789123456789");
	result_free(&result);
	memcpy(twice + 2 * sizeof stored, "odd", 3);
	unpack(twice, sizeof twice, false, &result);
	assert_string_equal(result.err.what, "what follows is not gzip data");
	result_free(&result);
	stored[16] = 'x';
	unpack(stored, sizeof stored, false, &result);
	assert_int_equal(result.bytes.length, 9);
	assert_string_equal(result.err.what, "its bytes do not match the checksum of gzip");
	result_free(&result);
}

/* What is packed may begin like something that is packed, and be none. */
static void
test_alike(void **state)
{
	(void)state;
	static const char *const heads[] = {"\x1f\x8b\x08\x01rest", "\3757zXZ",
					    "\x28\xb5\x2f\xfdrest", "BZh91AY&SY",
					    "PK\3\4rest",	    "\x04\x22\x4d\x18rest"};
	uint8_t bytes[2000] = {0}, *packed = mem_new(ROOM);
	struct result result;
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
		memset(bytes, 0, sizeof bytes);
		memcpy(bytes, heads[i], strlen(heads[i]));
		unpack(bytes, sizeof bytes, false, &result);
		assert_false(result.opened);
		/* (libarchive itself unpacks zstd in zstd) */
		size_t size = pack_one(&forms[i == 2 ? 0 : 2], bytes, sizeof bytes, packed);
		unpack(packed, size, false, &result);
		assert_int_equal(result.err.code, 0);
		assert_int_equal(result.bytes.length, sizeof bytes);
		assert_beginning(&result, bytes, sizeof bytes);
		result_free(&result);
	}
	memset(bytes, 0, sizeof bytes); /* a block of zeros ends a tar archive */
	size_t size = pack_one(&forms[0], bytes, sizeof bytes, packed);
	unpack(packed, size, false, &result);
	assert_int_equal(result.bytes.length, sizeof bytes);
	assert_string_equal(result.name.data, "gzip");
	result_free(&result);
	free(packed);
}

static void
test_unreadable(void **state)
{
	(void)state;
	uint8_t *bytes = make_bytes(SIZE), *packed = mem_new(ROOM);
	struct memory memory = {packed, pack_one(&forms[0], bytes, SIZE, packed), 1};
	struct unpack_source source = {read_memory, &memory, memory.size, "x"};
	const void *piece;
	struct err err = {0};
	assert_null(unpack_open(&source, &err));
	memory.fails_at = memory.size / 2 + 128 * 1024;
	struct unpack *unpack = unpack_open(&source, &err);
	assert_non_null(unpack);
	err = (struct err){0};
	while (unpack_read(unpack, &piece, &err) > 0)
		continue;
	assert_string_equal(err.what, "it cannot be read");
	unpack_close(unpack);
	free(bytes);
	free(packed);
}

/* --- captures ------------------------------------------------------------ */

static struct capture *
open_packed(const uint8_t *packed, size_t size)
{
	char *path = toy_file(packed, size);
	struct capture_options options = {.unpack = true};
	struct err err = {0};
	struct capture *c = capture_open(path, &options, &err);
	unlink(path);
	free(path);
	return c;
}

static void
test_capture(void **state)
{
	(void)state;
	uint8_t *bytes = make_bytes(SIZE), *packed = mem_new(ROOM);
	size_t size = pack_one(&forms[7], bytes, SIZE, packed);
	struct capture *c = open_packed(packed, size);
	struct capture_packing packing;
	struct text loss = {0};
	assert_non_null(c);
	assert_false(capture_is_stream(c));
	assert_true(capture_is_spooled(c));
	assert_true(capture_packing(c, &packing));
	assert_string_equal(packing.name, "gzip, tar");
	assert_int_equal(packing.size, size);
	assert_int_equal(capture_wait(c, SIZE, -1), SIZE);
	assert_true(capture_ended(c));
	assert_false(capture_is_unpacking(c));
	capture_packing(c, &packing);
	assert_int_equal(packing.taken, size);
	assert_memory_equal(capture_bytes(c), bytes, SIZE);
	assert_true(capture_is_whole(c));
	capture_close(c);

	c = open_packed(packed, size * 2 / 3);
	capture_wait(c, SIZE, -1);
	assert_true(capture_ended(c));
	assert_in_range(capture_size(c), SIZE / 3, SIZE - 1);
	assert_memory_equal(capture_bytes(c), bytes, capture_size(c));
	assert_false(capture_is_whole(c));
	capture_describe_loss(c, &loss);
	assert_non_null(strstr(loss.data, "no more can be unpacked: "));
	capture_close(c);
	text_free(&loss);

	c = open_packed((const uint8_t *)"\x1f\x8b\x08\x01 and no more", 16);
	assert_int_equal(capture_size(c), 16);
	assert_false(capture_packing(c, &packing));
	assert_non_null(capture_unpack_error(c));
	capture_close(c);
	free(bytes);
	free(packed);
}

/* A disk that is full. */
static void
test_full(void **state)
{
	(void)state;
	uint8_t *bytes = make_bytes(SIZE), *packed = mem_new(ROOM);
	size_t size = pack_one(&forms[2], bytes, SIZE, packed);
	struct rlimit limit, small;
	struct text loss = {0};
	char *path = toy_file(packed, size);
	struct capture_options options = {.unpack = true};
	getrlimit(RLIMIT_FSIZE, &limit);
	small = limit;
	small.rlim_cur = 300 * 1000;
	setrlimit(RLIMIT_FSIZE, &small);
	struct capture *c = capture_open(path, &options, NULL);
	capture_wait(c, SIZE, -1);
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_int_equal(capture_size(c), 300 * 1000);
	assert_memory_equal(capture_bytes(c), bytes, 300 * 1000);
	capture_describe_loss(c, &loss);
	assert_non_null(strstr(loss.data, "cannot be kept in "));
	capture_close(c);
	text_free(&loss);
	unlink(path);
	free(path);
	free(bytes);
	free(packed);
}

static void
test_names(void **state)
{
	(void)state;
	static const char *const names[] = {"trace.bin.zst", "trace.bin", "trace.tar.gz", "trace",
					    "trace.bin",     "trace.bin", ".gz",	  ".gz",
					    "trace.tgz",     "trace",	  "a/.zst",	  "a/.zst"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i += 2)
		assert_int_equal(foreign_plain_length(names[i]), strlen(names[i + 1]));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_same),    cmocka_unit_test(test_empty),
	    cmocka_unit_test(test_folders), cmocka_unit_test(test_members),
	    cmocka_unit_test(test_cut),	    cmocka_unit_test(test_cut_anywhere),
	    cmocka_unit_test(test_damaged), cmocka_unit_test(test_gzip),
	    cmocka_unit_test(test_alike),   cmocka_unit_test(test_unreadable),
	    cmocka_unit_test(test_capture), cmocka_unit_test(test_full),
	    cmocka_unit_test(test_names),
	};
	signal(SIGXFSZ, SIG_IGN);
	return cmocka_run_group_tests_name("unpack", tests, NULL, NULL);
}

#else

#include <stdio.h>

int
main(void)
{
	puts("1..0 # SKIP built without libarchive");
	return 0;
}

#endif
