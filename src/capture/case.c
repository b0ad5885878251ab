/*
 * Opening cases: see case.h.
 *
 * All headers are checked before anything is written, so a refused case leaves nothing.
 */
#include "config.h"

#include "capture/case.h"
#include "base/file.h"
#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { LIST_MAX = 1 << 20 /* bytes: some 30,000 files */, PIECE = 256 * 1024 };

/* Offsets in a header */
enum { MODE_AT = CASE_NAME_MAX, SIZE_AT = 124, SUM_AT = 148, TYPE_AT = 156, MAGIC_AT = 257 };

/* --- headers ----------------------------------------------------------- */

/* True if a terminal shows the path as it is, and no part of it is empty, `.` or `..`. */
static bool
is_fit(const char *name)
{
	const size_t length = strlen(name);
	struct text safe = {0};
	text_add_char(&safe, '/');
	text_add_safe(&safe, name, length, TEXT_UTF8);
	text_add_char(&safe, '/');
	bool fit = length <= CASE_NAME_MAX && safe.length == length + 2 &&
		   !memcmp(safe.data + 1, name, length) && !strstr(safe.data, "//") &&
		   !strstr(safe.data, "/./") && !strstr(safe.data, "/../");
	text_free(&safe);
	return fit;
}

bool
case_fill_head(uint8_t block[static CASE_BLOCK], const char *name, uint64_t bytes)
{
	char *text = (char *)block;
	unsigned sum = 0;
	if (!is_fit(name))
		return false;
	memset(block, 0, CASE_BLOCK);
	memcpy(block, name, strlen(name));
	/* mode, user, group, size, date, sum as blanks, type */
	snprintf(text + MODE_AT, MAGIC_AT - MODE_AT, "%07o %07o %07o %011llo %011o %8s%c", 0644, 0,
		 0, (unsigned long long)bytes & UINT32_MAX, 0, "", '0');
	if (bytes > UINT32_MAX) { /* as GNU tar writes sizes above 8 GiB */
		memset(block + SIZE_AT, 0, 12);
		block[SIZE_AT] = 0x80;
		for (size_t i = 11; i > 3; i--, bytes >>= 8)
			block[SIZE_AT + i] = (uint8_t)bytes;
	}
	memcpy(block + MAGIC_AT,
	       "ustar\0"
	       "00",
	       8);
	for (size_t i = 0; i < CASE_BLOCK; i++)
		sum += block[i];
	snprintf(text + SUM_AT, 7, "%06o", sum);
	return true;
}

/* --- checks ------------------------------------------------------------ */

struct opening {
	const char *path;
	int file;
	uint64_t size, at; /* of the archive, and of the next header */
	struct text list;
};

struct case_member {
	uint64_t bytes;
	char name[CASE_NAME_MAX + 2]; /* one more than is fit, so that longer names are not */
};

/* Read a line of the list.  Return the next one, or NULL at an empty line or the end. */
static const char *
read_line(const char *line, struct case_member *m)
{
	char *name;
	if (!*line || *line == '\n')
		return NULL;
	m->bytes = strtoull(line, &name, 10);
	name += strspn(name, " ");
	size_t length = strcspn(name, "\n");
	snprintf(m->name, sizeof m->name, "%.*s", (int)(length < 1024 ? length : 1024), name);
	return name + length + (name[length] == '\n');
}

/* Explain why BLOCK is not the header of a member. */
static int
refuse_head(const struct opening *o, const char *block, const struct case_member *m,
	    struct err *err)
{
	static const char *const kinds[] = {"a hard link", "a symbolic link", "a device",
					    "a device",	   "a folder",	      "a FIFO"};
	const size_t type = (size_t)block[TYPE_AT] - '1';
	if (block[TYPE_AT] && block[TYPE_AT] != '0')
		return err_set(err, ERR_DATA, "%s: %.100s is %s; a case has only plain files",
			       o->path, block, type < 6 ? kinds[type] : "an extension of tar");
	if (strncmp(block, m->name, CASE_NAME_MAX) != 0)
		return err_set(err, ERR_DATA, "%s: it has %.100s where its list has %s", o->path,
			       *block ? block : "no file", m->name);
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
		return err_set(err, ERR_DATA, "%s: no file in a case can be named %s", o->path,
			       m->name);
	if (!file_read_at(o->file, block, sizeof block, o->at))
		return err_set(err, ERR_DATA, "%s ends before %s", o->path, m->name);
	if (memcmp(block, want, sizeof block) != 0)
		return refuse_head(o, (const char *)block, m, err);
	o->at += sizeof block;
	if (m->bytes > o->size - o->at)
		return err_set(err, ERR_DATA, "%s ends inside of %s", o->path, m->name);
	o->at += m->bytes + case_padding(m->bytes);
	return 0;
}

/* Read the list.  Only its header has its size. */
static int
read_list(struct opening *o, struct err *err)
{
	char digits[12] = "";
	struct case_member first = {.name = CASE_LIST};
	if (!file_read_at(o->file, digits, sizeof digits - 1, SIZE_AT))
		return err_set(err, ERR_DATA, "%s ends in its first header", o->path);
	first.bytes = strtoull(digits, NULL, 8);
	if (first.bytes > LIST_MAX || first.bytes < sizeof CASE_MARK)
		return err_set(err, ERR_DATA, "%s: its list has %llu bytes; %d are the most",
			       o->path, (unsigned long long)first.bytes, LIST_MAX);
	if (check_member(o, &first, err) < 0)
		return err->code;
	text_reserve(&o->list, first.bytes + 1);
	if (!file_read_at(o->file, o->list.data, first.bytes, CASE_BLOCK))
		return err_set(err, ERR_IO, "%s: its list cannot be read", o->path);
	o->list.data[first.bytes] = '\0';
	return 0;
}

/* Check all members and the end.  Return the sum of their sizes in *BYTES. */
static int
check_members(struct opening *o, const char *line, uint64_t *bytes, struct err *err)
{
	static const uint8_t zeros[CASE_BLOCK];
	uint8_t block[CASE_BLOCK];
	struct case_member m;
	for (*bytes = 0; (line = read_line(line, &m)); *bytes += m.bytes)
		if (check_member(o, &m, err) < 0)
			return err->code;
	if (file_read_at(o->file, block, sizeof block, o->at) &&
	    memcmp(block, zeros, sizeof block) != 0)
		return err_set(err, ERR_DATA, "%s: %.100s is not on its list", o->path, block);
	return 0;
}

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

/* --- unpacking --------------------------------------------------------- */

int
case_copy(struct writer *w, int file, const char *name, uint64_t at, uint64_t bytes,
	  struct err *err)
{
	char *piece = mem_new(PIECE);
	int failed = 0;
	for (uint64_t end = at + bytes, some; !failed && at < end; at += some) {
		some = end - at < PIECE ? end - at : PIECE;
		failed = file_read_at(file, piece, some, at)
			     ? writer_add(w, piece, some, err)
			     : err_set(err, ERR_IO, "%s became shorter", name);
	}
	free(piece);
	return failed;
}

/* Write a member.  AT is the offset of its bytes. */
static int
unpack_member(const struct opening *o, const struct case_member *m, uint64_t at, const char *folder,
	      struct err *err)
{
	const struct writer_options how = {.mode = 0600, .folders = 0700};
	struct writer writer = {0};
	struct text path = {0};
	text_addf(&path, "%s/%s", folder, m->name);
	int failed = writer_open(&writer, path.data, &how, err);
	if (!failed)
		failed = case_copy(&writer, o->file, o->path, at, m->bytes, err);
	if (!failed)
		failed = writer_commit(&writer, err);
	writer_abandon(&writer);
	text_free(&path);
	return failed ? err_cause(err, "%s", o->path) : 0;
}

static int
unpack_case(struct opening *o, const char *parent, struct writer_folder *folder, struct err *err)
{
	uint64_t bytes, at;
	struct case_member m;
	if (read_list(o, err) < 0)
		return err->code;
	const char *line = o->list.data + sizeof CASE_MARK - 1;
	at = o->at;
	if (check_members(o, line, &bytes, err) < 0 || check_space(o, parent, bytes, err) < 0 ||
	    writer_folder_make(folder, parent, err) < 0)
		return err->code;
	while ((line = read_line(line, &m))) {
		at += CASE_BLOCK;
		if (unpack_member(o, &m, at, text_get(&folder->path), err) < 0)
			return err->code;
		at += m.bytes + case_padding(m.bytes);
	}
	return 0;
}

int
case_open(const char *path, const char *parent, struct writer_folder *folder, struct err *err)
{
	char head[CASE_BLOCK + sizeof CASE_MARK - 1];
	const char *why;
	struct stat st;
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return 0;
	struct opening o = {
	    .path = path, .file = file_open(path, &why), .size = (uint64_t)st.st_size};
	int opened = o.file >= 0 && file_read_at(o.file, head, sizeof head, 0) &&
		     !strncmp(head, CASE_LIST, CASE_NAME_MAX) &&
		     !memcmp(head + CASE_BLOCK, CASE_MARK, sizeof CASE_MARK - 1);
	if (opened && unpack_case(&o, parent, folder, err) < 0)
		opened = err->code;
	if (o.file >= 0)
		close(o.file);
	text_free(&o.list);
	return opened;
}
