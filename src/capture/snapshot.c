/*
 * Reading a snapshot: see snapshot.h.
 *
 * The .ini files are read line by line and passed on as (section, key, value), with the
 * place for notes.  One function for each kind of file interprets the keys.  Files are
 * small, so bytes after FILE_MAX are ignored, and so are list items after PARTS_MAX.  If
 * a key is repeated, its first value counts.
 */
#include "config.h"

#include "capture/snapshot.h"
#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_MAX = 1 << 20, PARTS_MAX = 1024, NOTES_MAX = 1 << 14 };

struct buffer_section {
	char *name;
	struct snapshot_buffer buffer;
	bool adopted;
};

/* State until all files are read. */
struct reading {
	struct snapshot *snapshot;
	char *folder;		  /* with its path */
	VEC(char *) device_files; /* names in that folder */
	char *trace_file;
	char *listed; /* names of buffers, separated by commas */
	VEC(struct buffer_section) sections;
	size_t dumps; /* number in all devices */
};

/* An .ini file during reading. */
struct ini {
	struct reading *reading;
	const char *name; /* for notes */
	unsigned line;	  /* 0: the whole file */
	char *section;	  /* current section; "" before the first */
	unsigned given;	  /* keys seen in this section, one bit each */
};

static void add_note(struct ini *, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void
add_note(struct ini *ini, const char *format, ...)
{
	va_list args;
	struct text *notes = &ini->reading->snapshot->notes;
	if (notes->length > NOTES_MAX)
		return;
	text_addf(notes, "%s", ini->name);
	if (ini->line)
		text_addf(notes, ":%u", ini->line);
	text_add(notes, ": ");
	va_start(args, format);
	text_addv(notes, format, args);
	va_end(args);
	text_add_char(notes, '\n');
}

/* --- paths ------------------------------------------------------------- */

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* Return FOLDER/FILE, or FILE if it is absolute.  Snapshots from other systems may have
 * backslashes. */
static char *
join_path(const char *folder, const char *file)
{
	struct text path = {0};
	if (*file != '/')
		text_addf(&path, "%s/", folder);
	text_add(&path, file);
	for (char *p = path.data; *p; p++)
		if (*p == '\\')
			*p = '/';
	return path.data;
}

/* True if the name of a file leads out of its folder. */
static bool
names_outside(const char *file)
{
	if (*file == '/')
		return true;
	for (size_t length; *file; file += length + (file[length] != '\0')) {
		length = strcspn(file, "/\\");
		if (length == 2 && !memcmp(file, "..", 2))
			return true;
	}
	return false;
}

/* True if PATH, which is FILE in FOLDER, is outside of FOLDER after following links. */
static bool
is_outside(const char *folder, const char *file, const char *path)
{
	char *real = realpath(path, NULL), *home = realpath(folder, NULL);
	bool outside = names_outside(file);
	if (real && home) {
		size_t length = strcmp(home, "/") ? strlen(home) : 0;
		outside = strncmp(real, home, length) != 0 || real[length] != '/';
	}
	free(real);
	free(home);
	return outside;
}

/* Return the path of a file that INI names.  If it is outside of the snapshot, add a note and set
 * *OUTSIDE.  If OUTSIDE is NULL, the file is read anyway. */
static char *
path_of(struct ini *ini, const char *file, bool *outside)
{
	const char *folder = ini->reading->folder;
	char *path = join_path(folder, file);
	bool is = is_outside(folder, file, path);
	*vec_add(&ini->reading->snapshot->files) = mem_text(path);
	if (is)
		add_note(ini, "%s lies outside of the snapshot's folder%s", file,
			 outside ? "; it is read only if a profile says opencsd: {outside: true}"
				 : "");
	if (outside)
		*outside = is;
	return path;
}

static bool
is_regular(const char *path)
{
	struct stat st;
	return !stat(path, &st) && S_ISREG(st.st_mode);
}

static bool
is_folder(const char *path)
{
	struct stat st;
	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* Return the snapshot.ini that PATH means, or NULL.  The caller frees it. */
static char *
main_file(const char *path)
{
	char *file = is_folder(path) ? join_path(path, "snapshot.ini") : mem_text(path);
	if (is_regular(file) && !strcmp(base_name(file), "snapshot.ini"))
		return file;
	free(file);
	return NULL;
}

bool
snapshot_is(const char *path)
{
	char *file = main_file(path);
	free(file);
	return file != NULL;
}

/* --- lines ------------------------------------------------------------- */

static char *
trim_line(char *text)
{
	while (*text == ' ' || *text == '\t')
		text++;
	size_t length = strlen(text);
	while (length && strchr(" \t\r", text[length - 1]))
		text[--length] = '\0';
	return text;
}

/* Cut the comment off a line.  Comment marks within quotes do not count. */
static void
cut_comment(char *line)
{
	char quote = '\0';
	for (; *line; line++) {
		if (quote ? *line == quote : *line == '"' || *line == '\'')
			quote = quote ? '\0' : *line;
		else if (!quote && (*line == ';' || *line == '#'))
			*line = '\0';
		if (!*line)
			return;
	}
}

static char *
unquote_value(char *value)
{
	size_t length = strlen(value);
	if (length < 2 || (*value != '"' && *value != '\'') || value[length - 1] != *value)
		return value;
	value[length - 1] = '\0';
	return value + 1;
}

/* Called for the beginning of a section (KEY is NULL) and for each of its keys. */
typedef void taker(struct ini *, const char *section, const char *key, char *value);

static void
take_line(struct ini *ini, char *line, taker *take)
{
	cut_comment(line);
	line = trim_line(line);
	if (!*line)
		return;
	if (*line == '[') {
		char *end = strchr(line, ']');
		if (!end || *trim_line(end + 1)) {
			add_note(ini, "a section is [NAME]");
			return;
		}
		*end = '\0';
		free(ini->section);
		ini->section = mem_text(trim_line(line + 1));
		ini->given = 0;
		take(ini, ini->section, NULL, NULL);
		return;
	}
	char *equals = strchr(line, '=');
	if (!equals || equals == line) {
		add_note(ini, "neither [SECTION] nor KEY=VALUE");
		return;
	}
	*equals = '\0';
	if (!*ini->section)
		add_note(ini, "a key before the first [SECTION]");
	else
		take(ini, ini->section, trim_line(line), unquote_value(trim_line(equals + 1)));
}

static void
take_lines(struct ini *ini, char *bytes, taker *take)
{
	for (char *line = bytes, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		ini->line++;
		take_line(ini, line, take);
	}
}

/* Return the text of a file, NUL-terminated.  Return NULL if it cannot be read, with the reason
 * in *WHY. */
static char *
read_text(const char *path, bool *whole, const char **why)
{
	FILE *file = file_open_stream(path, why);
	if (!file)
		return NULL;
	char *bytes = mem_resize(NULL, FILE_MAX + 1);
	size_t length = fread(bytes, 1, FILE_MAX, file);
	*whole = getc(file) == EOF;
	fclose(file);
	for (size_t i = 0; i < length; i++)
		if (!bytes[i])
			bytes[i] = ' ';
	bytes[length] = '\0';
	return bytes;
}

/* Read one .ini file.  Return false if it cannot be opened. */
static bool
read_ini(struct reading *reading, const char *path, taker *take)
{
	struct ini ini = {.reading = reading, .name = base_name(path), .section = mem_text("")};
	bool whole = true;
	const char *why;
	char *bytes = read_text(path, &whole, &why);
	if (bytes)
		take_lines(&ini, bytes, take);
	else
		add_note(&ini, "%s", why);
	if (!whole)
		add_note(&ini, "is longer than any such file; the rest is not read");
	free(ini.section);
	free(bytes);
	return bytes != NULL;
}

/* --- values ------------------------------------------------------------ */

/* Return true, with a note, if KEY, number N of its section, came before. */
static bool
is_second(struct ini *ini, const char *key, unsigned n)
{
	bool second = ini->given >> n & 1;
	if (second)
		add_note(ini, "a second %s in [%s]; the first counts", key, ini->section);
	ini->given |= 1u << n;
	return second;
}

static bool
take_number(struct ini *ini, const char *key, const char *text, uint64_t *value)
{
	char *end;
	errno = 0;
	unsigned long long number = strtoull(text, &end, 0);
	if (*text == '-' || end == text || *end || errno) {
		add_note(ini, "%s is a number, decimal or 0x hexadecimal, not `%s`", key, text);
		return false;
	}
	*value = number;
	return true;
}

static void
take_text(struct ini *ini, const char *key, const char *text, char **value)
{
	if (*value)
		add_note(ini, "a second %s in [%s]; the first counts", key, ini->section);
	else
		*value = mem_text(text);
}

/* Cut the next name off a comma-separated list and return it, or NULL. */
static char *
next_name(char **list)
{
	while (*list) {
		char *name = *list;
		*list = strchr(name, ',');
		if (*list)
			*(*list)++ = '\0';
		name = trim_line(name);
		if (*name)
			return name;
	}
	return NULL;
}

/* --- snapshot.ini ------------------------------------------------------ */

static void
take_main(struct ini *ini, const char *section, const char *key, char *value)
{
	struct reading *r = ini->reading;
	if (!key)
		return;
	if (!strcmp(section, "device_list")) {
		if (r->device_files.count < PARTS_MAX)
			*vec_add(&r->device_files) = mem_text(value);
	} else if (!strcmp(section, "trace") && !strcmp(key, "metadata")) {
		take_text(ini, key, value, &r->trace_file);
	} else if (!strcmp(section, "snapshot") && !strcmp(key, "description")) {
		take_text(ini, key, value, &r->snapshot->description);
	} else if (!strcmp(section, "snapshot") && !strcmp(key, "version")) {
		if (strcmp(value, "1") != 0 && strcmp(value, "1.0") != 0)
			add_note(ini, "version %s is not known; it is read as 1.0", value);
	}
}

/* --- trace.ini --------------------------------------------------------- */

static void
take_buffer(struct ini *ini, const char *key, char *value)
{
	struct reading *r = ini->reading;
	struct snapshot_buffer *buffer = &r->sections.at[r->sections.count - 1].buffer;
	if (!strcmp(key, "name"))
		take_text(ini, key, value, &buffer->name);
	else if (!strcmp(key, "format"))
		take_text(ini, key, value, &buffer->format);
	else if (!strcmp(key, "file") && !is_second(ini, key, 0))
		buffer->path = path_of(ini, value, &buffer->outside);
}

static void
take_trace(struct ini *ini, const char *section, const char *key, char *value)
{
	struct reading *r = ini->reading;
	struct snapshot *s = r->snapshot;
	bool sources = !strcmp(section, "source_buffers");
	if (!strcmp(section, "trace_buffers")) {
		if (key && !strcmp(key, "buffers"))
			take_text(ini, key, value, &r->listed);
	} else if (sources || !strcmp(section, "core_trace_sources")) {
		struct snapshot_links *links = sources ? &s->source_buffers : &s->core_sources;
		for (char *name; key && (name = next_name(&value));)
			if (links->count < PARTS_MAX)
				*vec_add(links) =
				    (struct snapshot_link){mem_text(key), mem_text(name)};
	} else if (!key) {
		if (r->sections.count < PARTS_MAX)
			vec_add(&r->sections)->name = mem_text(section);
	} else if (r->sections.count) {
		take_buffer(ini, key, value);
	}
}

static void
free_buffer(struct snapshot_buffer *buffer)
{
	free(buffer->name);
	free(buffer->path);
	free(buffer->format);
}

/* Move the buffer of a section to the snapshot, if it is valid. */
static void
adopt_buffer(struct reading *r, struct buffer_section *section)
{
	struct snapshot_buffer *buffer = &section->buffer;
	struct ini ini = {.reading = r, .name = r->trace_file};
	if (section->adopted) {
		add_note(&ini, "buffer %s is listed twice", section->name);
		return;
	}
	section->adopted = true;
	if (!buffer->path) {
		add_note(&ini, "[%s] has no file", section->name);
		return;
	}
	if (!is_regular(buffer->path)) {
		add_note(&ini, "%s: no such file", buffer->path);
		return;
	}
	if (!buffer->name)
		buffer->name = mem_text(section->name);
	if (!buffer->format)
		buffer->format = mem_text("coresight");
	*vec_add(&r->snapshot->buffers) = *buffer;
	*buffer = (struct snapshot_buffer){0};
}

/* Adopt the listed buffers in that order.  Without a list, adopt all. */
static void
adopt_buffers(struct reading *r)
{
	char *list = r->listed;
	struct ini ini = {.reading = r, .name = r->trace_file};
	for (size_t i = 0; !r->listed && i < r->sections.count; i++)
		adopt_buffer(r, &r->sections.at[i]);
	size_t most = PARTS_MAX;
	for (char *name; most-- && (name = next_name(&list));) {
		size_t i = 0;
		while (i < r->sections.count && strcmp(name, r->sections.at[i].name) != 0)
			i++;
		if (i < r->sections.count)
			adopt_buffer(r, &r->sections.at[i]);
		else
			add_note(&ini, "buffer %s is listed but has no section", name);
	}
}

/* --- devices ----------------------------------------------------------- */

/* Add a register.  Skip those of a core (a device with a type that is not marked as a source):
 * nothing needs them, and they may have any form. */
static void
take_register(struct ini *ini, struct snapshot_device *device, const char *key, const char *value)
{
	size_t length = strcspn(key, "( \t");
	uint64_t number;
	if ((device->type && !device->is_source) || device->registers.count == PARTS_MAX)
		return;
	for (size_t i = 0; i < device->registers.count; i++) {
		const char *other = device->registers.at[i].name;
		if (strlen(other) == length && !strncmp(other, key, length)) {
			add_note(ini, "a second %s; the first counts", other);
			return;
		}
	}
	if (!take_number(ini, key, value, &number))
		return;
	struct snapshot_register *added = vec_add(&device->registers);
	added->name = mem_text(key);
	added->name[length] = '\0';
	added->value = number;
}

static void
take_dump(struct ini *ini, struct snapshot_dump *dump, const char *key, const char *value)
{
	static const char *const keys[] = {"file", "space", "address", "offset", "length"};
	uint64_t *const numbers[] = {NULL, NULL, &dump->address, &dump->offset, &dump->length};
	unsigned n = 0;
	while (n < sizeof keys / sizeof *keys && strcmp(key, keys[n]) != 0)
		n++;
	if (n == sizeof keys / sizeof *keys || is_second(ini, key, n))
		return;
	bool good = !numbers[n] || take_number(ini, key, value, numbers[n]);
	if (n == 0)
		dump->path = path_of(ini, value, &dump->outside);
	else if (n == 1)
		dump->space = mem_text(value);
	else if (n == 2)
		dump->placed = good;
}

/* Interpret a device's file.  The device is the last one. */
static void
take_device(struct ini *ini, const char *section, const char *key, char *value)
{
	struct snapshot *s = ini->reading->snapshot;
	struct snapshot_device *device = &s->devices.at[s->devices.count - 1];
	bool dump = !strncmp(section, "dump", 4);
	size_t *dumps = &ini->reading->dumps;
	if (!key) {
		if (dump && ++*dumps <= PARTS_MAX)
			*vec_add(&device->dumps) = (struct snapshot_dump){0};
	} else if (dump) {
		if (*dumps <= PARTS_MAX)
			take_dump(ini, &device->dumps.at[device->dumps.count - 1], key, value);
	} else if (!strcmp(section, "regs")) {
		take_register(ini, device, key, value);
	} else if (!strcmp(section, "device")) {
		if (!strcmp(key, "name"))
			take_text(ini, key, value, &device->name);
		else if (!strcmp(key, "type"))
			take_text(ini, key, value, &device->type);
		else if (!strcmp(key, "class"))
			device->is_source = !strcmp(value, "trace_source");
	}
}

static void
free_dump(struct snapshot_dump *dump)
{
	free(dump->path);
	free(dump->space);
}

static void
free_device(struct snapshot_device *device)
{
	for (size_t i = 0; i < device->registers.count; i++)
		free(device->registers.at[i].name);
	for (size_t i = 0; i < device->dumps.count; i++)
		free_dump(&device->dumps.at[i]);
	vec_free(&device->registers);
	vec_free(&device->dumps);
	free(device->name);
	free(device->type);
}

/* Drop incomplete dumps.  Return false if the device has no name, or that of another one. */
static bool
check_device(struct ini *ini, struct snapshot_device *device)
{
	size_t kept = 0;
	for (size_t i = 0; i < device->dumps.count; i++) {
		struct snapshot_dump *dump = &device->dumps.at[i];
		if (dump->path && dump->placed) {
			device->dumps.at[kept++] = *dump;
		} else {
			add_note(ini, "a dump has no %s", dump->path ? "address" : "file");
			free_dump(dump);
		}
	}
	device->dumps.count = kept;
	if (!device->name)
		add_note(ini, "[device] has no name");
	else if (snapshot_device(ini->reading->snapshot, device->name) != device)
		add_note(ini, "another device is named %s too", device->name);
	else
		return true;
	return false;
}

static void
read_device(struct reading *r, const char *file)
{
	struct snapshot *s = r->snapshot;
	struct ini ini = {.reading = r, .name = file};
	char *path = path_of(&ini, file, NULL);
	*vec_add(&s->devices) = (struct snapshot_device){0};
	bool read = read_ini(r, path, take_device);
	struct snapshot_device *device = &s->devices.at[s->devices.count - 1];
	if (!device->type)
		device->type = mem_text("");
	if (!read || !check_device(&ini, device)) {
		free_device(device);
		s->devices.count--;
	}
	free(path);
}

/* --- the whole --------------------------------------------------------- */

static bool
has_buffer(const struct snapshot *s, const char *name)
{
	for (size_t i = 0; i < s->buffers.count; i++)
		if (!strcmp(s->buffers.at[i].name, name))
			return true;
	return false;
}

/* Note links to missing devices and buffers. */
static void
check_links(struct reading *r)
{
	struct snapshot *s = r->snapshot;
	struct ini ini = {.reading = r, .name = r->trace_file};
	for (size_t i = 0; i < s->source_buffers.count; i++) {
		const struct snapshot_link *link = &s->source_buffers.at[i];
		if (!snapshot_device(s, link->left))
			add_note(&ini, "[source_buffers] has %s, which is not a device",
				 link->left);
		if (!has_buffer(s, link->right))
			add_note(&ini, "[source_buffers] has %s, which is not a buffer",
				 link->right);
	}
	for (size_t i = 0; i < s->core_sources.count; i++) {
		const struct snapshot_link *link = &s->core_sources.at[i];
		if (!snapshot_device(s, link->left))
			add_note(&ini, "[core_trace_sources] has %s, which is not a device",
				 link->left);
		if (!snapshot_device(s, link->right))
			add_note(&ini, "[core_trace_sources] has %s, which is not a device",
				 link->right);
	}
}

static void
read_all(struct reading *r, const char *main_path)
{
	struct ini ini = {.reading = r, .name = base_name(main_path)};
	if (!read_ini(r, main_path, take_main))
		return;
	for (size_t i = 0; i < r->device_files.count; i++)
		read_device(r, r->device_files.at[i]);
	if (!r->device_files.count)
		add_note(&ini, "[device_list] names no files");
	if (!r->trace_file) {
		add_note(&ini, "[trace] has no metadata=FILE");
		return;
	}
	char *path = path_of(&ini, r->trace_file, NULL);
	if (read_ini(r, path, take_trace)) {
		adopt_buffers(r);
		check_links(r);
	}
	free(path);
}

static void
free_reading(struct reading *r)
{
	for (size_t i = 0; i < r->device_files.count; i++)
		free(r->device_files.at[i]);
	for (size_t i = 0; i < r->sections.count; i++) {
		free(r->sections.at[i].name);
		free_buffer(&r->sections.at[i].buffer);
	}
	vec_free(&r->device_files);
	vec_free(&r->sections);
	free(r->folder);
	free(r->trace_file);
	free(r->listed);
}

/* Return the folder of FILE, with its path. */
static char *
folder_of(const char *file)
{
	size_t length = (size_t)(base_name(file) - file);
	if (!length)
		return mem_text(".");
	while (length > 1 && file[length - 1] == '/')
		length--;
	char *folder = mem_text(file);
	folder[length] = '\0';
	return folder;
}

/* Return the last name in a folder's path, resolving `.` and `..`. */
static char *
folder_name(const char *folder)
{
	const char *own = base_name(folder);
	bool plain = *own && strcmp(own, ".") != 0 && strcmp(own, "..") != 0;
	char *real = plain ? NULL : realpath(folder, NULL);
	char *name = mem_text(base_name(real ? real : folder));
	free(real);
	return name;
}

struct snapshot *
snapshot_read(const char *path, struct err *err)
{
	char *main_path = main_file(path);
	if (!main_path) {
		err_set(err, ERR_IO, "%s: no snapshot.ini there", path);
		return NULL;
	}
	struct snapshot *snapshot = mem_new(sizeof *snapshot);
	struct reading reading = {.snapshot = snapshot, .folder = folder_of(main_path)};
	snapshot->folder = folder_name(reading.folder);
	snapshot->home = mem_text(reading.folder);
	*vec_add(&snapshot->files) = mem_text(main_path);
	read_all(&reading, main_path);
	free_reading(&reading);
	free(main_path);
	if (snapshot->buffers.count)
		return snapshot;
	const char *notes = text_get(&snapshot->notes);
	err_set(err, ERR_DATA, "%s: no trace buffer in the snapshot%s%.*s", path,
		*notes ? ": " : "", (int)strcspn(notes, "\n"), notes);
	snapshot_free(snapshot);
	return NULL;
}

/* True if PATH belongs to the snapshot in FOLDER, as an .ini file or a buffer. */
static bool
is_part(const char *folder, const char *path)
{
	struct stat own, other;
	const char *ending = strrchr(path, '.');
	if (ending && !strcmp(ending, ".ini"))
		return true;
	struct snapshot *snapshot = stat(path, &own) ? NULL : snapshot_read(folder, NULL);
	bool found = false;
	for (size_t i = 0; snapshot && i < snapshot->buffers.count && !found; i++)
		found = !stat(snapshot->buffers.at[i].path, &other) && own.st_dev == other.st_dev &&
			own.st_ino == other.st_ino;
	snapshot_free(snapshot);
	return found;
}

char *
snapshot_folder_of(const char *path)
{
	char *folder = folder_of(path);
	if (snapshot_is(folder) && is_part(folder, path))
		return folder;
	free(folder);
	return NULL;
}

static void
free_link(struct snapshot_link *link)
{
	free(link->left);
	free(link->right);
}

void
snapshot_free(struct snapshot *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->devices.count; i++)
		free_device(&s->devices.at[i]);
	for (size_t i = 0; i < s->buffers.count; i++)
		free_buffer(&s->buffers.at[i]);
	for (size_t i = 0; i < s->source_buffers.count; i++)
		free_link(&s->source_buffers.at[i]);
	for (size_t i = 0; i < s->core_sources.count; i++)
		free_link(&s->core_sources.at[i]);
	vec_free(&s->devices);
	vec_free(&s->buffers);
	vec_free(&s->source_buffers);
	vec_free(&s->core_sources);
	for (size_t i = 0; i < s->files.count; i++)
		free(s->files.at[i]);
	vec_free(&s->files);
	text_free(&s->notes);
	free(s->folder);
	free(s->home);
	free(s->description);
	free(s);
}

const struct snapshot_device *
snapshot_device(const struct snapshot *s, const char *name)
{
	for (size_t i = 0; i < s->devices.count; i++)
		if (s->devices.at[i].name && !strcmp(s->devices.at[i].name, name))
			return &s->devices.at[i];
	return NULL;
}

const struct snapshot_device *
snapshot_core_of(const struct snapshot *s, const char *source)
{
	for (size_t i = 0; i < s->core_sources.count; i++)
		if (!strcmp(s->core_sources.at[i].right, source))
			return snapshot_device(s, s->core_sources.at[i].left);
	return NULL;
}
