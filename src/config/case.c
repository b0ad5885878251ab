/*
 * Opening cases: see case.h.
 *
 * All headers are checked before anything is written, so a refused case leaves nothing.
 */
#include "config.h"

#include "config/case.h"
#include "base/file.h"
#include "base/vec.h"
#include "config/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { LIST_MAX = 4 << 20 /* bytes; about a second for the YAML parser */, PIECE = 256 * 1024 };

/* Offsets in a header */
enum { MODE_AT = 100, UID_AT = 108, GID_AT = 116, SIZE_AT = 124, TIME_AT = 136, SUM_AT = 148,
       TYPE_AT = 156, MAGIC_AT = 257 };

#define MEMBER(...) OPTION_ROW(struct case_member, __VA_ARGS__)
static const struct option_row member_rows[] = {
    MEMBER(name, TEXT, "path in the case", .required = true),
    MEMBER(bytes, UINT, "its size", .required = true),
    MEMBER(note, TEXT, "what it lacks"),
};
static const struct option_table member_table =
    OPTION_TABLE("members", struct case_member, member_rows);

#define MARK "trawl_case"
static const struct option_row list_rows[] = {
    {MARK, OPTION_UINT, offsetof(struct case_list, form), "form of the list", .required = true},
    OPTION_ROW(struct case_list, made_by, TEXT, "the program that packed it"),
    OPTION_ROW(struct case_list, members, LIST, "the files, in their order", .required = true,
	       .table = &member_table),
};
const struct option_table case_list_table = OPTION_TABLE("case", struct case_list, list_rows);

/* --- headers ----------------------------------------------------------- */

/* True if no part of the path is empty, `.` or `..`, and a terminal shows it as it is. */
static bool
is_fit(const char *name)
{
	size_t length = strlen(name), taken;
	for (size_t at = 0; at < length; at += taken) {
		uint32_t code;
		taken = text_decode(name + at, length - at, &code);
		if (!taken || text_is_control(code))
			return false;
	}
	for (const char *part = name;; part++) {
		size_t size = strcspn(part, "/");
		if (!size || (size <= 2 && !strncmp(part, "..", size)))
			return false;
		part += size;
		if (!*part)
			return length <= MODE_AT;
	}
}

static void
put_octal(uint8_t *at, int digits, uint64_t number)
{
	char text[32];
	snprintf(text, sizeof text, "%0*llo", digits, (unsigned long long)number);
	memcpy(at, text, (size_t)digits);
}

bool
case_fill_head(uint8_t block[static CASE_BLOCK], const char *name, uint64_t bytes)
{
	unsigned sum = 0;
	if (!is_fit(name))
		return false;
	memset(block, 0, CASE_BLOCK);
	memcpy(block, name, strlen(name));
	put_octal(block + MODE_AT, 7, 0644);
	put_octal(block + UID_AT, 7, 0);
	put_octal(block + GID_AT, 7, 0);
	put_octal(block + SIZE_AT, 11, bytes & UINT32_MAX);
	if (bytes > UINT32_MAX) { /* as GNU tar writes sizes above 8 GiB */
		memset(block + SIZE_AT, 0, 12);
		block[SIZE_AT] = 0x80;
		for (size_t i = 11; i > 3; i--, bytes >>= 8)
			block[SIZE_AT + i] = (uint8_t)bytes;
	}
	put_octal(block + TIME_AT, 11, 0);
	memset(block + SUM_AT, ' ', 8);
	block[TYPE_AT] = '0';
	memcpy(block + MAGIC_AT, "ustar\0" "00", 8);
	for (size_t i = 0; i < CASE_BLOCK; i++)
		sum += block[i];
	put_octal(block + SUM_AT, 6, sum);
	block[SUM_AT + 6] = '\0';
	return true;
}

struct opening {
	const char *path;
	int file;
	uint64_t size, at; /* of the archive, and of the next header */
	struct case_list list;
};

/* Explain why BLOCK is not the header of a member. */
static int
refuse_head(const struct opening *o, const uint8_t *block, const struct case_member *m,
	    struct err *err)
{
	static const char *const kinds[] = {"a hard link", "a symbolic link", "a device",
					    "a device",	   "a folder",	      "a FIFO"};
	const size_t type = (size_t)block[TYPE_AT] - '1';
	if (block[TYPE_AT] && block[TYPE_AT] != '0')
		return err_set(err, ERR_DATA, "%s: %.100s is %s; a case has only plain files",
			       o->path, block, type < 6 ? kinds[type] : "an extension of tar");
	if (strncmp((const char *)block, m->name, MODE_AT) != 0)
		return err_set(err, ERR_DATA, "%s: it has %.100s where its list has %s", o->path,
			       *block ? (const char *)block : "no file", m->name);
	return err_set(err, ERR_DATA,
		       "%s: the header of %s is not that of a file of %llu bytes, as its list says",
		       o->path, m->name, (unsigned long long)m->bytes);
}

/* Check the next header and move past its member. */
static int
check_member(struct opening *o, const struct case_member *m, struct err *err)
{
	uint8_t block[CASE_BLOCK], want[CASE_BLOCK];
	if (!case_fill_head(want, m->name, m->bytes))
		return err_set(err, ERR_DATA, "%s: %s is no name for a file in a case", o->path,
			       m->name);
	if (!file_read_at(o->file, block, sizeof block, o->at))
		return err_set(err, ERR_DATA, "%s ends before %s", o->path, m->name);
	if (memcmp(block, want, sizeof block) != 0)
		return refuse_head(o, block, m, err);
	o->at += sizeof block;
	if (m->bytes > o->size - o->at)
		return err_set(err, ERR_DATA, "%s ends inside of %s", o->path, m->name);
	o->at += m->bytes + case_padding(m->bytes);
	return 0;
}

static int
by_name(const void *a, const void *b)
{
	const struct case_member *const *left = a, *const *right = b;
	return strcmp((*left)->name, (*right)->name);
}

/* Check that each name is there once, and the session among them. */
static int
check_names(const struct opening *o, struct err *err)
{
	const struct case_member *members = o->list.members.at;
	const size_t count = o->list.members.count;
	const struct case_member **sorted = mem_new((count + 1) * sizeof *sorted);
	bool any = false;
	for (size_t i = 0; i < count; i++) {
		sorted[i] = &members[i];
		any |= !strcmp(members[i].name, CASE_SESSION);
	}
	qsort(sorted, count, sizeof *sorted, by_name);
	for (size_t i = 1; i < count && !err->code; i++)
		if (!by_name(&sorted[i - 1], &sorted[i]))
			err_set(err, ERR_DATA, "%s: it has %s twice", o->path, sorted[i]->name);
	free(sorted);
	return err->code || any ? err->code
				: err_set(err, ERR_DATA, "%s has no " CASE_SESSION, o->path);
}

/* Read the list, which states its size only in its header. */
static int
read_list(struct opening *o, struct err *err)
{
	char digits[12] = "", name[] = CASE_LIST;
	struct case_member first = {.name = name};
	struct text text = {0}, shown = {0};
	if (!file_read_at(o->file, digits, sizeof digits - 1, SIZE_AT))
		return err_set(err, ERR_DATA, "%s ends in its first header", o->path);
	first.bytes = strtoull(digits, NULL, 8);
	if (first.bytes > LIST_MAX)
		return err_set(err, ERR_DATA, "%s: its list is longer than %d bytes", o->path,
			       LIST_MAX);
	if (check_member(o, &first, err) < 0)
		return err->code;
	text_reserve(&text, first.bytes + 1);
	if (file_read_at(o->file, text.data, first.bytes, CASE_BLOCK)) {
		text_addf(&shown, "%s: %s", o->path, name);
		schema_load_text(shown.data, text.data, first.bytes, &case_list_table, &o->list, err);
	}
	if (!err->code && o->list.form != CASE_FORM)
		err_set(err, ERR_UNSUPPORTED, "%s is a case of form %llu; this trawl reads form %d",
			o->path, (unsigned long long)o->list.form, CASE_FORM);
	text_free(&text);
	text_free(&shown);
	return err->code;
}

/* Check all members after the list, and the end.  Add their sizes to *BYTES. */
static int
check_members(struct opening *o, uint64_t *bytes, struct err *err)
{
	static const uint8_t zeros[CASE_BLOCK];
	uint8_t block[CASE_BLOCK];
	const struct case_member *members = o->list.members.at;
	for (size_t i = 0; i < o->list.members.count; *bytes += members[i++].bytes)
		if (check_member(o, &members[i], err) < 0)
			return err->code;
	if (file_read_at(o->file, block, sizeof block, o->at) &&
	    memcmp(block, zeros, sizeof block) != 0)
		return err_set(err, ERR_DATA, "%s: %.100s is not on its list", o->path, block);
	return 0;
}

/* --- unpacking --------------------------------------------------------- */

static int
check_space(const struct opening *o, const char *parent, uint64_t bytes, struct err *err)
{
	struct statvfs fs;
	struct text line = {0};
	if (statvfs(parent, &fs) || bytes / fs.f_frsize < fs.f_bavail)
		return 0;
	text_addf(&line, "%s needs ", o->path);
	text_add_size(&line, bytes);
	text_addf(&line, " in %s, which has ", parent);
	text_add_size(&line, fs.f_bavail * fs.f_frsize);
	err_set(err, ERR_IO, "%s free; --spool=DIR names another folder", line.data);
	text_free(&line);
	return err->code;
}

/* Write a member, whose bytes begin at AT. */
static int
unpack_member(const struct opening *o, const struct case_member *m, uint64_t at,
	      const char *folder, struct err *err)
{
	const struct writer_options how = {.mode = 0600, .folders = 0700};
	struct writer writer = {0};
	struct text path = {0};
	char *piece = mem_new(PIECE);
	text_addf(&path, "%s/%s", folder, m->name);
	int failed = writer_open(&writer, path.data, &how, err);
	for (uint64_t end = at + m->bytes, some; !failed && at < end; at += some) {
		some = end - at < PIECE ? end - at : PIECE;
		failed = file_read_at(o->file, piece, some, at)
			     ? writer_add(&writer, piece, some, err)
			     : err_set(err, ERR_IO, "%s cannot be read", m->name);
	}
	if (!failed)
		failed = writer_commit(&writer, err);
	writer_abandon(&writer);
	text_free(&path);
	free(piece);
	return failed ? err_cause(err, "%s", o->path) : 0;
}

static int
unpack_case(struct opening *o, const char *parent, struct writer_folder *folder, struct err *err)
{
	uint64_t bytes = 0;
	if (read_list(o, err) < 0 || check_names(o, err) < 0)
		return err->code;
	uint64_t at = o->at;
	const struct case_member *m = o->list.members.at, *end = m + o->list.members.count;
	if (check_members(o, &bytes, err) < 0 || check_space(o, parent, bytes, err) < 0 ||
	    writer_folder_make(folder, parent, err) < 0)
		return err->code;
	for (; m < end; at += CASE_BLOCK + m->bytes + case_padding(m->bytes), m++)
		if (unpack_member(o, m, at + CASE_BLOCK, text_get(&folder->path), err) < 0)
			return err->code;
	file_fence(text_get(&folder->path));
	return 0;
}

bool
case_is(const char *path)
{
	char bytes[CASE_BLOCK + sizeof MARK];
	struct stat st;
	const char *why;
	int file = stat(path, &st) || !S_ISREG(st.st_mode) ? -1 : file_open(path, &why);
	bool is = file >= 0 && file_read_at(file, bytes, sizeof bytes, 0) &&
		  !strncmp(bytes, CASE_LIST, MODE_AT) &&
		  !memcmp(bytes + CASE_BLOCK, MARK ":", sizeof MARK);
	if (file >= 0)
		close(file);
	return is;
}

int
case_open(const char *path, const char *parent, struct writer_folder *folder, struct err *err)
{
	const char *why;
	struct stat st;
	struct opening o = {.path = path, .file = file_open(path, &why)};
	if (o.file < 0)
		return err_set(err, ERR_IO, "%s: %s", path, why);
	o.size = fstat(o.file, &st) ? 0 : (uint64_t)st.st_size;
	int failed = unpack_case(&o, parent, folder, err);
	close(o.file);
	option_release(&case_list_table, &o.list);
	return failed;
}
