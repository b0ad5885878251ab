/*
 * Names addresses: see naming.h.
 *
 * Files are opened in the background, after the first screen, and used when a
 * message is expanded. The files of a trace are searched in the profile's order, those
 * with `when` first; the first with a symbol for an address names it.
 *
 * Each program is copied to memory once (file_open_copy); symbols and code are read
 * from the copy. A linker may write the file at any time. Guarding a map of it
 * against SIGBUS would not be enough, because libdw relies on its earlier reads.
 * With a copy, a changing program cannot end the run, and names and code come from
 * the same build. The price is memory for the whole file; libdw reads most of it
 * anyway to find a line.
 */
#include "config.h"

#include "trace/naming.h"
#include "program/image.h"
#include "program/symbols.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file; several entries may name it. */
struct program {
	const char *path;
	atomic_bool read; /* the members below are valid */
	struct file_stamp stamp;
	int copy;	/* descriptor; negative: it cannot be read, */
	struct err why; /* for this reason */
	struct symbols *symbols;
};

/* An entry of `symbols:`. */
struct file {
	const struct symbol_options *options;
	size_t entry; /* number in the profile */
	struct program *program;
	uint64_t linked;		   /* address for which its first loaded byte is linked */
	_Atomic(struct symbols *) symbols; /* of the program; NULL: not open */
};

struct naming {
	struct file *files;
	size_t count;
	size_t conditional;	  /* the first ones: entries with `when` */
	struct program *programs; /* each once */
	size_t program_count;
	pthread_mutex_t lock; /* held while a program is read */
	bool loaded;
};

const char naming_unknown[] = "?";

#define WHEN(...) OPTION_ROW(struct symbol_when, __VA_ARGS__)
static const struct option_row when_rows[] = {
    WHEN(context, TEXT, "name of a context", .required = true),
    WHEN(value, TEXT, "its value, a number or a name of a value", .required = true),
};
static const struct option_table when_table = OPTION_TABLE("when", struct symbol_when, when_rows);

#define ROW(...) OPTION_ROW(struct symbol_options, __VA_ARGS__)
static const struct option_row rows[] = {
    ROW(file, TEXT, "the program that was traced, an ELF file: symbols, and the code for -t insn",
	.path = true, .required = true),
    ROW(applies_to, TEXT, "trace with these addresses, by name; absent: all", .trace = true),
    ROW(address, UINT, "where it was loaded, with length"),
    ROW(length, UINT, "bytes that were loaded; 0: it was loaded where it is linked for"),
    ROW(offset, UINT, "offset of its first byte in the file"),
    ROW(optional, BOOL, "it is no error if it cannot be read"),
    ROW(when, STRUCT, "it is loaded only while a context has this value, as an overlay",
	.table = &when_table, .given = offsetof(struct symbol_options, conditional)),
};
const struct option_table symbol_options_table =
    OPTION_TABLE("symbols", struct symbol_options, rows);

static struct program *
find_program(struct naming *naming, const char *path)
{
	size_t i = 0;
	while (i < naming->program_count && strcmp(naming->programs[i].path, path) != 0)
		i++;
	if (i == naming->program_count)
		naming->programs[naming->program_count++].path = path;
	return &naming->programs[i];
}

struct naming *
naming_new(const struct option_list *list)
{
	if (!list->count)
		return NULL;
	struct naming *naming = mem_new(sizeof *naming);
	pthread_mutex_init(&naming->lock, NULL);
	naming->count = list->count;
	naming->files = mem_new(list->count * sizeof *naming->files);
	naming->programs = mem_new(list->count * sizeof *naming->programs);
	const struct symbol_options *options = list->at;
	for (size_t i = 0; i < list->count; i++)
		naming->conditional += options[i].conditional;
	size_t first = 0, last = naming->conditional;
	for (size_t i = 0; i < list->count; i++)
		naming->files[options[i].conditional ? first++ : last++] =
		    (struct file){.options = &options[i],
				  .entry = i,
				  .program = find_program(naming, options[i].file)};
	return naming;
}

void
naming_free(struct naming *naming)
{
	if (!naming)
		return;
	for (size_t i = 0; i < naming->program_count; i++) {
		symbols_close(naming->programs[i].symbols);
		if (naming->programs[i].read && naming->programs[i].copy >= 0)
			close(naming->programs[i].copy);
	}
	pthread_mutex_destroy(&naming->lock);
	free(naming->programs);
	free(naming->files);
	free(naming);
}

/* Copy a program, once. Return false, with the reason in `why`, if it cannot be read. */
static bool
read_program(struct naming *naming, struct program *program)
{
	const char *why;
	pthread_mutex_lock(&naming->lock);
	if (!program->read) {
		program->stamp = file_stamp(program->path);
		program->copy = file_open_copy(program->path, &why);
		if (program->copy < 0)
			err_set(&program->why, ERR_IO, "%s: %s", program->path, why);
		program->read = true;
	}
	pthread_mutex_unlock(&naming->lock);
	return program->copy >= 0;
}

void
naming_list_stamps(const struct naming *naming,
		   void (*take)(void *context, const struct file_stamp *), void *context)
{
	for (size_t i = 0; naming && i < naming->program_count; i++)
		if (naming->programs[i].read)
			take(context, &naming->programs[i].stamp);
}

/* Open the symbols of a program, once. */
static struct symbols *
open_symbols(struct naming *naming, struct program *program)
{
	if (!program->symbols && !program->why.code && read_program(naming, program))
		program->symbols = symbols_open(program->copy, program->path, &program->why);
	return program->symbols;
}

/* Find the linked address of a file that was loaded elsewhere. */
static bool
place_file(struct file *file, struct symbols *symbols, struct err *err)
{
	const struct symbol_options *o = file->options;
	if (!o->length || symbols_place(symbols, o->offset, &file->linked))
		return true;
	err_set(err, ERR_DATA, "%s: nothing is loaded from byte 0x%llx of it", o->file,
		(unsigned long long)o->offset);
	return false;
}

int
naming_load(struct naming *naming, struct err *err)
{
	int opened = 0;
	if (naming->loaded)
		return 0;
	naming->loaded = true;
	for (size_t i = 0; i < naming->count; i++) {
		struct file *file = &naming->files[i];
		struct symbols *symbols = open_symbols(naming, file->program);
		struct err own = file->program->why;
		if (symbols && !place_file(file, symbols, &own))
			symbols = NULL;
		atomic_store(&file->symbols, symbols);
		opened += symbols != NULL;
		if (!symbols && !err->code && !file->options->optional)
			*err = own;
	}
	return opened;
}

static bool
is_for(const struct file *file, const char *trace)
{
	const char *only = file->options->applies_to;
	return !only || !strcmp(only, trace);
}

bool
naming_applies(const struct naming *naming, const char *trace)
{
	for (size_t i = 0; naming && i < naming->count; i++)
		if (is_for(&naming->files[i], trace))
			return true;
	return false;
}

size_t
naming_conditions(const struct naming *naming, const char *trace)
{
	for (size_t i = 0; naming && i < naming->conditional; i++)
		if (!trace || is_for(&naming->files[i], trace))
			return naming->count;
	return 0;
}

/* Return the address in a field, or 0, which has no name. */
static uint64_t
address_of(const struct field *field)
{
	char text[20];
	uint64_t address;
	if (field->row->type != FIELD_TEXT)
		return field->u;
	if (field->s.length >= sizeof text)
		return 0;
	memcpy(text, field->s.at, field->s.length);
	text[field->s.length] = '\0';
	bool hex = !strncmp(text, "0x", 2);
	return hex && text_parse_uint(text, UINT64_MAX, &address) ? address : 0;
}

/* Convert an address to the one the file is linked for. Return false if it is not in the file. */
static bool
place_address(const struct file *file, uint64_t *address)
{
	const struct symbol_options *o = file->options;
	if (!o->length)
		return true;
	if (*address - o->address >= o->length)
		return false;
	*address = *address - o->address + file->linked;
	return true;
}

/* A search for the files that may name an address of a trace. */
struct name_search {
	const struct naming *naming;
	const char *trace;
	const enum naming_hold *holds; /* see naming_expand */
	uint64_t address;
	size_t next;
	bool covered;	 /* by an entry with `when` */
	bool unknown;	 /* if that one holds */
	uint64_t linked; /* the address as linked, in the file found last */
};

/* True if the file has the address of S, and fill in `linked`. */
static bool
file_covers(struct name_search *s, const struct file *file, struct symbols *symbols)
{
	s->linked = s->address;
	if (!place_address(file, &s->linked))
		return false;
	return !file->options->conditional || file->options->length ||
	       (symbols && symbols_cover(symbols, s->linked));
}

/* Find the next file. Return NULL after the last one. */
static struct symbols *
search_next(struct name_search *s)
{
	const struct naming *naming = s->naming;
	while (naming && !s->unknown && s->next < naming->count) {
		const struct file *file = &naming->files[s->next++];
		bool conditional = file->options->conditional;
		struct symbols *symbols = atomic_load(&file->symbols);
		enum naming_hold hold = !conditional ? NAMING_HOLDS
					: s->holds   ? s->holds[file->entry]
						     : NAMING_UNKNOWN;
		if (hold == NAMING_APART || (s->covered && !conditional) ||
		    !is_for(file, s->trace) || !file_covers(s, file, symbols))
			continue;
		s->covered |= conditional;
		s->unknown = hold == NAMING_UNKNOWN;
		if (symbols && hold == NAMING_HOLDS)
			return symbols;
	}
	return NULL;
}

/* Find the name of the address of S; 0 has none. PLACE is NULL if it is that of a string. */
static bool
find_name(struct name_search *s, struct symbol_place *place, struct text *name)
{
	struct symbols *symbols;
	while (s->address && (symbols = search_next(s))) {
		if (!place && symbols_string(symbols, s->linked, name))
			return true;
		if (!place || !symbols_find(symbols, s->linked, place) || !place->function)
			continue;
		symbols_add_place(place, name);
		return true;
	}
	if (!s->unknown)
		return false;
	if (place)
		*place = (struct symbol_place){.function = naming_unknown};
	text_add(name, naming_unknown);
	return true;
}

bool
naming_name(struct naming *naming, const char *trace, uint64_t address, struct text *name)
{
	struct text own = {0};
	struct symbol_place place;
	struct name_search search = {.naming = naming, .trace = trace, .address = address};
	bool found = find_name(&search, &place, &own);
	if (found)
		text_add_safe(name, text_get(&own), own.length, TEXT_ASCII);
	text_free(&own);
	return found;
}

bool
naming_find(struct naming *naming, const char *trace, uint64_t address, struct symbol_place *place)
{
	struct name_search search = {.naming = naming, .trace = trace, .address = address};
	struct symbols *symbols;
	*place = (struct symbol_place){0};
	while ((symbols = search_next(&search)))
		if (symbols_find(symbols, search.linked, place))
			return true;
	if (search.unknown)
		place->function = naming_unknown;
	return search.unknown;
}

size_t
naming_inlined(struct naming *naming, const char *trace, uint64_t address, const char **names,
	       size_t most)
{
	struct name_search search = {.naming = naming, .trace = trace, .address = address};
	struct symbols *symbols;
	size_t count = 0;
	while (!count && (symbols = search_next(&search)))
		count = symbols_inlined(symbols, search.linked, names, most);
	return count;
}

struct placed_list {
	const struct file *file;
	symbols_take *take;
	void *context;
};

/* Convert ADDRESS, for which the file is linked, to the loaded one and pass it on. */
static void
take_listed(void *context, uint64_t address, const struct symbol_place *place)
{
	const struct placed_list *list = context;
	const struct symbol_options *o = list->file->options;
	if (o->length && address - list->file->linked >= o->length)
		return;
	if (o->length)
		address = address - list->file->linked + o->address;
	list->take(list->context, address, place);
}

void
naming_list(struct naming *naming, const char *trace,
	    void (*list)(struct symbols *, symbols_take *, void *), symbols_take *take,
	    void *context)
{
	for (size_t i = naming ? naming->conditional : 0; naming && i < naming->count; i++) {
		struct placed_list placed = {
		    .file = &naming->files[i], .take = take, .context = context};
		struct symbols *symbols = atomic_load(&naming->files[i].symbols);
		if (symbols && is_for(&naming->files[i], trace))
			list(symbols, take_listed, &placed);
	}
}

int
naming_add_images(struct naming *naming, const char *trace, struct image *image, struct err *err)
{
	int added = 0;
	for (size_t i = naming ? naming->conditional : 0; naming && i < naming->count; i++) {
		const struct symbol_options *o = naming->files[i].options;
		const struct image_place place = {
		    .address = o->address, .length = o->length, .offset = o->offset};
		struct program *program = naming->files[i].program;
		struct err own = {0};
		if (!is_for(&naming->files[i], trace))
			continue;
		if (!read_program(naming, program))
			own = program->why;
		else if (!image_add(image, program->copy, o->file, &place, &own))
			added++;
		if (own.code && !o->optional)
			return err_set(err, own.code, "%s", own.what);
	}
	return added;
}

/* Add function, file and line as fields, as far as the format has rows for them. */
static void
add_place(const struct decoder_ops *ops, const struct symbol_place *place, struct expansion *e)
{
	const char *const texts[] = {
	    [FIELD_FUNCTION] = place->function, [FIELD_FILE] = place->path};
	const struct field_row *row = ops->fields + ops->field_count - FIELD_SYMBOLS;
	if (ops->field_count < FIELD_SYMBOLS || row->symbol != FIELD_FUNCTION)
		return;
	for (int i = 0; i < (place->path ? FIELD_SYMBOLS : 1); i++, row++) {
		enum field_symbol symbol = row->symbol;
		struct field *field = expansion_add(e, row, FIELD_NOWHERE, 0, 0);
		if (symbol == FIELD_LINE)
			field->u = (uint64_t)place->line;
		else
			field->s.length = strlen(field->s.at = texts[symbol]);
	}
}

void
naming_expand(struct naming *naming, const char *trace, const struct decoder_ops *ops,
	      const enum naming_hold *holds, struct expansion *e)
{
	struct text name = {0}, safe = {0};
	bool seen = false;
	size_t count = e->fields.count;
	for (size_t i = 0; i < count; i++) {
		struct field *field = &e->fields.at[i];
		enum field_address address = field->row->address;
		if (!address || field->note)
			continue;
		text_clear(&name);
		text_clear(&safe);
		struct symbol_place place;
		struct name_search search = {
		    .naming = naming, .trace = trace, .holds = holds, .address = address_of(field)};
		if (!find_name(&search, address == FIELD_ADDRESS ? &place : NULL, &name))
			continue;
		text_add_safe(&safe, text_get(&name), name.length, TEXT_ASCII);
		field->note = arena_text(&e->arena, text_get(&safe), safe.length);
		if (seen || address != FIELD_ADDRESS)
			continue;
		seen = true;
		text_addf(&e->text, " [%s]", text_get(&name));
		add_place(ops, &place, e);
	}
	text_free(&name);
	text_free(&safe);
}
