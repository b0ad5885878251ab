/*
 * Names of addresses: see naming.h.
 *
 * Files are opened in the background, after the first screen, and asked when a
 * message is expanded.  The files of a trace are asked in the profile's order;
 * the first that has a symbol for an address names it.
 */
#include "config.h"

#include "trace/naming.h"
#include "program/image.h"
#include "program/symbols.h"

#include <stdlib.h>
#include <string.h>

struct file {
	const struct symbol_options *options;
	uint64_t linked;		   /* where its first byte that is mapped is linked for */
	_Atomic(struct symbols *) symbols; /* NULL: not open */
};

struct naming {
	struct file *files;
	size_t count;
	bool loaded;
};

#define ROW(...) OPTION_ROW(struct symbol_options, __VA_ARGS__)
static const struct option_row rows[] = {
    ROW(file, TEXT, "the program that was traced, an ELF file: symbols, and the code for -t insn",
	.path = true, .required = true),
    ROW(applies_to, TEXT, "name of the trace whose addresses it names; absent: all", .trace = true),
    ROW(address, UINT, "where it was loaded, with length"),
    ROW(length, UINT, "bytes that were loaded; 0: it was loaded where it is linked for"),
    ROW(offset, UINT, "the first of them in the file"),
    ROW(optional, BOOL, "it is no error if it cannot be read"),
};
const struct option_table symbol_options_table =
    OPTION_TABLE("symbols", struct symbol_options, rows);

struct naming *
naming_new(const struct option_list *list)
{
	if (!list->count)
		return NULL;
	struct naming *naming = mem_new(sizeof *naming);
	naming->count = list->count;
	naming->files = mem_new(list->count * sizeof *naming->files);
	for (size_t i = 0; i < list->count; i++)
		naming->files[i].options = (const struct symbol_options *)list->at + i;
	return naming;
}

void
naming_free(struct naming *naming)
{
	if (!naming)
		return;
	for (size_t i = 0; i < naming->count; i++)
		symbols_close(atomic_load(&naming->files[i].symbols));
	free(naming->files);
	free(naming);
}

/* Finds where a file that was loaded elsewhere is linked for. */
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
		struct err own = {0};
		struct symbols *symbols = symbols_open(naming->files[i].options->file, &own);
		if (symbols && !place_file(&naming->files[i], symbols, &own)) {
			symbols_close(symbols);
			symbols = NULL;
		}
		atomic_store(&naming->files[i].symbols, symbols);
		opened += symbols != NULL;
		if (!symbols && !err->code && !naming->files[i].options->optional)
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

/* The address that a field holds; 0, which names nothing, if none. */
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

/* Makes an address one that the file is linked for; false if it is not the file's. */
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

/* Asks the files for what FOUND is the address of; 0 is of nothing.  PLACE: NULL for a text. */
static bool
find_name(struct naming *naming, const char *trace, uint64_t found, struct symbol_place *place,
	  struct text *name)
{
	for (size_t i = 0; found && i < naming->count; i++) {
		struct symbols *symbols = atomic_load(&naming->files[i].symbols);
		uint64_t address = found;
		if (!symbols || !is_for(&naming->files[i], trace) ||
		    !place_address(&naming->files[i], &address))
			continue;
		if (!place && symbols_string(symbols, address, name))
			return true;
		if (!place || !symbols_find(symbols, address, place) || !place->function)
			continue;
		symbols_add_place(place, name);
		return true;
	}
	return false;
}

bool
naming_name(struct naming *naming, const char *trace, uint64_t address, struct text *name)
{
	struct text own = {0};
	struct symbol_place place;
	bool found = naming && find_name(naming, trace, address, &place, &own);
	if (found)
		text_add_safe(name, text_get(&own), own.length, TEXT_ASCII);
	text_free(&own);
	return found;
}

bool
naming_find(struct naming *naming, const char *trace, uint64_t address, struct symbol_place *place)
{
	*place = (struct symbol_place){0};
	for (size_t i = 0; naming && i < naming->count; i++) {
		struct symbols *symbols = atomic_load(&naming->files[i].symbols);
		uint64_t linked = address;
		if (symbols && is_for(&naming->files[i], trace) &&
		    place_address(&naming->files[i], &linked) &&
		    symbols_find(symbols, linked, place))
			return true;
	}
	return false;
}

size_t
naming_inlined(struct naming *naming, const char *trace, uint64_t address, const char **names,
	       size_t most)
{
	size_t count = 0;
	for (size_t i = 0; naming && i < naming->count && !count; i++) {
		struct symbols *symbols = atomic_load(&naming->files[i].symbols);
		uint64_t linked = address;
		if (symbols && is_for(&naming->files[i], trace) &&
		    place_address(&naming->files[i], &linked))
			count = symbols_inlined(symbols, linked, names, most);
	}
	return count;
}

struct placed_list {
	const struct file *file;
	symbols_take *take;
	void *context;
};

/* ADDRESS is one that the file is linked for. */
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
	for (size_t i = 0; naming && i < naming->count; i++) {
		struct placed_list placed = {
		    .file = &naming->files[i], .take = take, .context = context};
		struct symbols *symbols = atomic_load(&naming->files[i].symbols);
		if (symbols && is_for(&naming->files[i], trace))
			list(symbols, take_listed, &placed);
	}
}

int
naming_add_images(const struct naming *naming, const char *trace, struct image *image,
		  struct err *err)
{
	int added = 0;
	for (size_t i = 0; naming && i < naming->count; i++) {
		const struct symbol_options *o = naming->files[i].options;
		const struct image_place place = {
		    .address = o->address, .length = o->length, .offset = o->offset};
		struct err own = {0};
		if (!is_for(&naming->files[i], trace))
			continue;
		if (!image_add(image, o->file, &place, &own))
			added++;
		else if (!o->optional)
			return err_set(err, own.code, "%s", own.what);
	}
	return added;
}

/* Adds what symbols tell of the message's place as fields of those rows that it has. */
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
	      struct expansion *e)
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
		if (!find_name(naming, trace, address_of(field),
			       address == FIELD_ADDRESS ? &place : NULL, &name))
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
