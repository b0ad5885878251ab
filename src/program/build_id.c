/*
 * Build IDs of ELF files: see build_id.h.
 *
 * Only headers and notes are read [System V ABI, "Note section"].  A build ID is a note with the
 * name GNU and type 3.
 */
#include "config.h"

#include "program/build_id.h"
#include "base/file.h"
#include "base/vec.h"
#include "program/elf.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	NOTES_MOST = 65536, /* bytes of notes */
	NOTE = 12,	    /* header of a note */
	TYPE_BUILD_ID = 3   /* NT_GNU_BUILD_ID */
};

/* Find the build ID among notes.  Names and contents are padded to words. */
static bool
find_note(const struct elf *elf, const uint8_t *p, size_t length, struct build_id *id)
{
	while (length >= NOTE) {
		uint64_t name = elf_number(elf, p, 4), content = elf_number(elf, p + 4, 4);
		uint64_t type = elf_number(elf, p + 8, 4);
		uint64_t from = NOTE + ((name + 3) & ~(uint64_t)3);
		uint64_t size = from + ((content + 3) & ~(uint64_t)3);
		if (from + content > length)
			return false;
		if (type == TYPE_BUILD_ID && name == 4 && !memcmp(p + NOTE, "GNU", 4) && content &&
		    content <= BUILD_ID_MOST) {
			id->size = (uint8_t)content;
			memcpy(id->bytes, p + from, content);
			return true;
		}
		if (size >= length)
			return false;
		p += size;
		length -= size;
	}
	return false;
}

static bool
read_notes(const struct elf *elf, uint64_t offset, uint64_t length, struct build_id *id)
{
	if (!length || length > NOTES_MOST)
		return false;
	uint8_t *notes = mem_new(length);
	bool found = elf_read_at(elf, offset, notes, (size_t)length) &&
		     find_note(elf, notes, (size_t)length, id);
	free(notes);
	return found;
}

static bool
read_headers(const struct elf *elf, struct build_id *id)
{
	struct elf_header header;
	for (uint64_t i = 0; elf_read_header(elf, i, &header); i++)
		if (header.type == ELF_TYPE_NOTE &&
		    read_notes(elf, header.offset, header.length, id))
			return true;
	return false;
}

bool
build_id_read(const char *path, struct build_id *id)
{
	const char *why;
	struct elf elf;
	int file = file_open(path, &why);
	*id = (struct build_id){0};
	if (file < 0)
		return false;
	bool found = elf_read(&elf, file) && read_headers(&elf, id);
	close(file);
	return found;
}

void
build_id_add(const struct build_id *id, struct text *out)
{
	text_add_hex(out, id->bytes, id->size);
}

/* --- search ------------------------------------------------------------ */

struct build_search {
	const struct build_id *id;
	struct text hex;
	struct text *refused;
};

/* Return PATH if it is the file with the build ID; otherwise free it and return NULL. */
static char *
take_path(struct build_search *s, char *path, bool named)
{
	struct build_id own;
	bool there = !access(path, R_OK), has = there && build_id_read(path, &own);
	bool same = has && own.size == s->id->size && !memcmp(own.bytes, s->id->bytes, own.size);
	if (same || (there && !s->id->size))
		return path;
	if (named && there && s->refused && !s->refused->length) {
		text_addf(s->refused, "%s has %s", path, has ? "the build ID " : "no build ID");
		if (has)
			build_id_add(&own, s->refused);
	}
	free(path);
	return NULL;
}

/* Try the file of this ID in FOLDER: MIDDLE, then AB/CDEF and END if SPLIT, or else all digits
 * and END. */
static char *
try_id(struct build_search *s, const char *folder, const char *middle, bool split, const char *end)
{
	const char *hex = text_get(&s->hex);
	struct text path = {0};
	if (s->id->size < 2 || !folder || !*folder)
		return NULL;
	if (split)
		text_addf(&path, "%s%s/%.2s/%s%s", folder, middle, hex, hex + 2, end);
	else
		text_addf(&path, "%s%s/%s%s", folder, middle, hex, end);
	return take_path(s, path.data, false);
}

/* Try FOLDER/NAME, then FOLDER with the last part of NAME. */
static char *
try_name(struct build_search *s, const char *folder, const char *name)
{
	const char *last = strrchr(name, '/');
	char *found = NULL;
	if (!strstr(name, "/../")) {
		struct text path = {0};
		text_addf(&path, "%s%s%s", folder, *name == '/' ? "" : "/", name);
		found = take_path(s, path.data, true);
	}
	if (!found && last) {
		struct text path = {0};
		text_addf(&path, "%s%s", folder, last);
		found = take_path(s, path.data, true);
	}
	return found;
}

static char *
try_folder(struct build_search *s, const char *folder, const char *name)
{
	char *found = NULL;
	if (!folder)
		return NULL;
	if (!(found = try_id(s, folder, "/.build-id", true, "")) &&
	    !(found = try_id(s, folder, "/.build-id", true, ".debug")) &&
	    !(found = try_id(s, folder, "/.build-id", true, "/elf")) &&
	    !(found = try_id(s, folder, "", false, "/executable")))
		found = try_name(s, folder, name);
	return found;
}

/* Try the caches of debuginfod [debuginfod-client-config(7)] and of perf [second hand: perf,
 * buildid-cache]. */
static char *
try_caches(struct build_search *s)
{
	const char *cache = getenv("DEBUGINFOD_CACHE_PATH"), *xdg = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	char *found = try_id(s, cache, "", false, "/executable");
	if (!found && !cache)
		found = xdg ? try_id(s, xdg, "/debuginfod_client", false, "/executable")
			    : try_id(s, home, "/.cache/debuginfod_client", false, "/executable");
	return found ? found : try_id(s, home, "/.debug/.build-id", true, "/elf");
}

char *
build_id_find(const struct build_id *id, const char *name, const char *folder, struct text *refused)
{
	struct build_search s = {.id = id, .refused = refused};
	build_id_add(id, &s.hex);
	char *found = try_folder(&s, folder, name);
	if (!found)
		found = try_caches(&s);
	if (!found && id->size && *name == '/')
		found = take_path(&s, mem_text(name), false);
	if (found && refused)
		text_clear(refused);
	text_free(&s.hex);
	return found;
}
