/*
 * How does YAML become a struct that an option table describes?
 *
 * In three steps.  config/survey.c checks the text as such.  libcyaml, with a
 * schema made from the tables, checks keys and shapes and yields a tree of
 * texts: a mapping is an array of slots, one for each row of its table.  Then
 * option_set() turns each text into its member, so that numbers, ranges and
 * choices are judged by the code that judges them everywhere.
 *
 * libcyaml reports errors as lines of a log, from the wrong value outwards;
 * they are collected, never printed, and give the path of the value.  Its
 * positions are not used: for keys they are those of the value before.
 */
#include "config.h"

#include "config/schema.h"
#include "base/file.h"

#include <cyaml/cyaml.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "base/vec.h"
#include "config/survey.h"

/* What libcyaml makes of one key. */
struct schema_slot {
	void *at; /* text; slots of a mapping; of a list its texts or mappings; NULL = absent */
	uint32_t count; /* of a list */
};

struct load {
	const char *name, *text;
	size_t length;
	struct err *err;
	struct text problem; /* libcyaml's first sentence */
	struct text path;    /* of the wrong value, or of the one at hand */
};

/* Errors. */

/* Puts name and place in front of the sentence in load->err, which may quote
 * the file. */
static int
fail_at(struct load *load, struct survey_place place)
{
	if (load->err) {
		struct text safe = {0};
		err_cause(load->err, "%s:%zu:%zu", load->name, place.line, place.column);
		text_add_safe(&safe, load->err->what, strlen(load->err->what), TEXT_UTF8);
		snprintf(load->err->what, sizeof load->err->what, "%s", safe.data);
		text_free(&safe);
	}
	return ERR_CONFIG;
}

/* The same for the value at load->path, or its KEY. */
static int
fail_value(struct load *load, bool key)
{
	return fail_at(load, survey_find(load->text, load->length, text_get(&load->path), key));
}

static const char *
path_or_file(const struct load *load)
{
	return load->path.length ? load->path.data : "the file";
}

/* The table of the mapping at PATH. */
static const struct option_table *
find_table(const struct option_table *table, const char *path)
{
	while (*path && table) {
		char name[64];
		size_t length = strcspn(path, ".[");
		snprintf(name, sizeof name, "%.*s", (int)length, path);
		const struct option_row *row = option_find(table, name);
		table = row ? row->table : NULL;
		path += length;
		path += strcspn(path, ".");
		path += *path == '.';
	}
	return table;
}

static void
add_keys(struct text *text, const struct option_table *table)
{
	text_add(text, "expected one of");
	for (size_t i = 0; i < table->count; i++)
		text_addf(text, "%s %s", i ? "," : "", table->rows[i].name);
}

static int
fail_unknown_key(struct load *load, const struct option_table *root, const char *key)
{
	const struct option_table *table = find_table(root, text_get(&load->path));
	const char *near = table && strlen(key) < 64 ? option_nearest(table, key) : NULL;
	struct text expected = {0};
	if (near)
		text_addf(&expected, "did you mean %s?", near);
	else if (table)
		add_keys(&expected, table);
	err_set(load->err, ERR_CONFIG, "unknown key %.60s in %s; %s", key, path_or_file(load),
		text_get(&expected));
	text_free(&expected);
	if (load->path.length)
		text_add(&load->path, ".");
	text_add(&load->path, key);
	return fail_value(load, true);
}

/* What follows PREFIX in TEXT, or NULL. */
static const char *
text_after(const char *text, const char *prefix)
{
	size_t length = strlen(prefix);
	return strncmp(text, prefix, length) ? NULL : text + length;
}

/* Shapes in the words of libcyaml and in ours. */
static const char *
shape_name(const char *word)
{
	static const char *const shapes[][2] = {{"MAPPING", "a mapping"},
						{"SEQUENCE", "a list"},
						{"SCALAR", "a single value"},
						{"STRING", "a single value"}};
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		if (text_after(word, shapes[i][0]))
			return shapes[i][1];
	return "something else";
}

static int
fail_shape(struct load *load, const char *expected)
{
	const char *got = strstr(expected, "got event: ");
	err_set(load->err, ERR_CONFIG, "%s is %s; expected %s", path_or_file(load),
		shape_name(got ? got + strlen("got event: ") : ""), shape_name(expected));
	return fail_value(load, false);
}

static int
fail_libcyaml(struct load *load, const struct option_table *table, enum cyaml_err code)
{
	const char *problem = text_get(&load->problem), *rest;
	if ((rest = text_after(problem, "Load: Unexpected key: ")))
		return fail_unknown_key(load, table, rest);
	if ((rest = text_after(problem, "Load: Expecting ")))
		return fail_shape(load, rest);
	if ((rest = text_after(problem, "Load: Mapping field already seen: "))) {
		err_set(load->err, ERR_CONFIG, "%s stands here twice; expected it once",
			path_or_file(load));
		return fail_value(load, true);
	}
	err_set(load->err, ERR_CONFIG, "%s: %s", cyaml_strerror(code), problem);
	return fail_value(load, false);
}

/* libcyaml's log: the problem, then the path from the inside outwards. */

static void
prepend_path(struct text *path, const char *outer)
{
	struct text whole = {0};
	text_add(&whole, outer);
	if (path->length && *path->data != '[')
		text_add(&whole, ".");
	text_add(&whole, text_get(path));
	text_free(path);
	*path = whole;
}

static void __attribute__((format(printf, 3, 0)))
schema_collect(cyaml_log_t level, void *context, const char *format, va_list args)
{
	struct load *load = context;
	struct text line = {0};
	(void)level;
	text_addv(&line, format, args);
	if (line.length)
		text_cut(&line, line.length - 1); /* its newline */

	char field[64], item[32];
	unsigned count;
	if (!load->problem.length) {
		text_add(&load->problem, text_get(&line));
	} else if (sscanf(text_get(&line), "  in mapping field '%63[^']'", field) == 1) {
		prepend_path(&load->path, field);
	} else if (sscanf(text_get(&line), "  in sequence entry '%u'", &count) == 1) {
		snprintf(item, sizeof item, "[%u]", count ? count - 1 : 0);
		prepend_path(&load->path, item);
	}
	text_free(&line);
}

/* The schema. */

static const cyaml_schema_value_t text_schema = {.type = CYAML_STRING,
						 .flags = CYAML_FLAG_POINTER_NULL_STR,
						 .data_size = 1,
						 .string.max = UINT32_MAX};

static const cyaml_schema_field_t *make_fields(struct arena *, const struct option_table *);

static cyaml_schema_value_t
make_mapping(struct arena *arena, const struct option_table *table)
{
	return (cyaml_schema_value_t){
	    .type = CYAML_MAPPING,
	    .data_size = (uint32_t)((table->count + 1) * sizeof(struct schema_slot)), /* never 0 */
	    .mapping.fields = make_fields(arena, table)};
}

static cyaml_schema_value_t
make_list(struct arena *arena, const struct option_row *row)
{
	cyaml_schema_value_t *entry = arena_alloc(arena, sizeof *entry);
	*entry = row->table ? make_mapping(arena, row->table) : text_schema;
	return (cyaml_schema_value_t){.type = CYAML_SEQUENCE,
				      .data_size = row->table ? entry->data_size : sizeof(char *),
				      .sequence = {.entry = entry, .max = CYAML_UNLIMITED}};
}

static cyaml_schema_value_t
make_value(struct arena *arena, const struct option_row *row)
{
	if (row->type == OPTION_ANY)
		return (cyaml_schema_value_t){.type = CYAML_IGNORE, .flags = CYAML_FLAG_OPTIONAL};
	cyaml_schema_value_t value = row->type == OPTION_STRUCT ? make_mapping(arena, row->table)
				     : row->type == OPTION_LIST ? make_list(arena, row)
								: text_schema;
	value.flags = (enum cyaml_flag)(CYAML_FLAG_POINTER_NULL_STR | CYAML_FLAG_OPTIONAL);
	return value;
}

static const cyaml_schema_field_t *
make_fields(struct arena *arena, const struct option_table *table)
{
	cyaml_schema_field_t *fields = arena_alloc(arena, (table->count + 1) * sizeof *fields);
	for (size_t i = 0; i < table->count; i++) {
		size_t slot = i * sizeof(struct schema_slot);
		fields[i] = (cyaml_schema_field_t){
		    .key = table->rows[i].name,
		    .data_offset = (uint32_t)(slot + offsetof(struct schema_slot, at)),
		    .count_offset = (uint32_t)(slot + offsetof(struct schema_slot, count)),
		    .count_size = sizeof(uint32_t),
		    .value = make_value(arena, &table->rows[i])};
	}
	fields[table->count] = (cyaml_schema_field_t){.key = NULL};
	return fields;
}

/* From slots to members. */

static int fill_table(struct load *, const struct option_table *, const struct schema_slot *,
		      void *object);

static int
fill_text(struct load *load, const struct option_row *row, const struct schema_slot *slot,
	  void *object)
{
	char buffer[256];
	const char *expected = option_set(row, object, slot->at, buffer);
	if (!expected)
		return 0;
	err_set(load->err, ERR_CONFIG, "%s is \"%.60s\"; expected %s", load->path.data,
		(const char *)slot->at, expected);
	return fail_value(load, false);
}

static int
fill_item(struct load *load, const struct option_row *row, const struct schema_slot *slot, size_t i,
	  struct option_list *list)
{
	if (row->table) {
		char *item = (char *)list->at + i * row->table->size;
		const struct schema_slot *slots = slot->at;
		option_defaults(row->table, item);
		list->count++;
		return fill_table(load, row->table, slots + i * (row->table->count + 1), item);
	}
	const char *text = ((char **)slot->at)[i];
	if (!text) {
		err_set(load->err, ERR_CONFIG, "%s is empty; expected text", load->path.data);
		return fail_value(load, false);
	}
	((char **)list->at)[list->count++] = mem_text(text);
	return 0;
}

static int
fill_list(struct load *load, const struct option_row *row, const struct schema_slot *slot,
	  void *object)
{
	struct option_list *list = object;
	size_t size = row->table ? row->table->size : sizeof(char *);
	option_release_list(row, list);
	list->at = mem_new(slot->count * size);
	for (size_t i = 0; i < slot->count; i++) {
		size_t outer = load->path.length;
		text_addf(&load->path, "[%zu]", i);
		int result = fill_item(load, row, slot, i, list);
		if (result)
			return result;
		text_cut(&load->path, outer);
	}
	return 0;
}

/* What is mentioned of a struct that MERGE lays over the one there was. */
static int
fill_apart(struct load *load, const struct option_table *table, const struct schema_slot *slots,
	   void *object)
{
	void *upper = mem_new(table->size);
	option_defaults(table, upper);
	int result = fill_table(load, table, slots, upper);
	if (!result)
		table->merge(object, upper);
	option_release(table, upper);
	free(upper);
	return result;
}

static int
fill_struct(struct load *load, const struct option_row *row, const struct schema_slot *slots,
	    void *member)
{
	if (row->table->merge)
		return fill_apart(load, row->table, slots, member);
	if (row->whole) {
		option_release(row->table, member);
		option_defaults(row->table, member);
	}
	return fill_table(load, row->table, slots, member);
}

static int
fill_row(struct load *load, const struct option_row *row, const struct schema_slot *slot,
	 void *object)
{
	void *member = (char *)object + row->member;
	if (row->type == OPTION_LIST)
		return fill_list(load, row, slot, member);
	if (row->given)
		*(bool *)((char *)object + row->given) = true;
	if (row->type == OPTION_STRUCT)
		return fill_struct(load, row, slot->at, member);
	return fill_text(load, row, slot, object);
}

static int
fail_missing(struct load *load, const struct option_row *row)
{
	err_set(load->err, ERR_CONFIG, "%s has no %s; expected %s: %s", path_or_file(load),
		row->name, row->name, row->help ? row->help : "a value");
	return fail_value(load, false);
}

/* What each member alone could not tell. */
static int
check_whole(struct load *load, const struct option_table *table, const void *object)
{
	struct option_fault fault;
	if (!table->check || table->check(object, &fault))
		return 0;
	text_addf(&load->path, "%s%s", load->path.length ? "." : "", fault.member);
	err_set(load->err, ERR_CONFIG, "%s: %s", load->path.data, fault.what);
	return fail_value(load, false);
}

/* libcyaml makes the same of an empty list and of none.  Only a list that has
 * entries from before can tell them apart. */
static void
empty_list(struct load *load, const struct option_row *row, void *object)
{
	struct option_list *list = (void *)((char *)object + row->member);
	size_t outer = load->path.length;
	if (row->type != OPTION_LIST || !list->count)
		return;
	text_addf(&load->path, "%s%s", outer ? "." : "", row->name);
	if (survey_has_list(load->text, load->length, load->path.data))
		option_release_list(row, list);
	text_cut(&load->path, outer);
}

static int
fill_table(struct load *load, const struct option_table *table, const struct schema_slot *slots,
	   void *object)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct option_row *row = &table->rows[i];
		if (row->type == OPTION_ANY)
			continue;
		if (!slots || !slots[i].at) {
			if (row->required)
				return fail_missing(load, row);
			empty_list(load, row, object);
			continue;
		}
		size_t outer = load->path.length;
		text_addf(&load->path, "%s%s", outer ? "." : "", row->name);
		int result = fill_row(load, row, &slots[i], object);
		if (result)
			return result;
		text_cut(&load->path, outer);
	}
	return check_whole(load, table, object);
}

/* All of it. */

static int
load_checked(struct load *load, const struct option_table *table, void *object)
{
	struct arena arena = {0};
	cyaml_schema_value_t schema = make_mapping(&arena, table);
	schema.flags = CYAML_FLAG_POINTER_NULL_STR;
	const cyaml_config_t config = {.log_fn = schema_collect,
				       .log_ctx = load,
				       .log_level = CYAML_LOG_ERROR,
				       .mem_fn = cyaml_mem};
	cyaml_data_t *slots = NULL;
	enum cyaml_err code = cyaml_load_data((const uint8_t *)load->text, load->length, &config,
					      &schema, &slots, NULL);
	int result = code != CYAML_OK ? fail_libcyaml(load, table, code)
		     : table->merge   ? fill_apart(load, table, slots, object)
				      : fill_table(load, table, slots, object);
	cyaml_free(&config, &schema, slots, 0);
	text_free(&load->problem);
	text_free(&load->path);
	arena_free(&arena);
	return result;
}

/* Lays the text over OBJECT, which an error leaves in pieces. */
static int
lay_text(const char *name, const char *text, size_t length, const struct option_table *table,
	 void *object, struct err *err)
{
	struct load load = {.name = name, .text = text, .length = length, .err = err};
	struct survey_place place = {1, 1};
	int result;
	if (length > SCHEMA_SIZE_MAX)
		result = err_set(err, ERR_CONFIG, "more than %d MiB; expected less",
				 SCHEMA_SIZE_MAX >> 20);
	else
		result = survey_check(text, length, &place, err);
	return result ? fail_at(&load, place) : load_checked(&load, table, object);
}

int
schema_load_text(const char *name, const char *text, size_t length,
		 const struct option_table *table, void *object, struct err *err)
{
	option_defaults(table, object);
	int result = lay_text(name, text, length, table, object, err);
	if (result) {
		option_release(table, object);
		option_defaults(table, object);
	}
	return result;
}

int
schema_merge_text(const char *name, const char *text, size_t length,
		  const struct option_table *table, void *object, struct err *err)
{
	void *before = mem_new(table->size);
	option_copy(table, before, object);
	int result = lay_text(name, text, length, table, object, err);
	if (result) {
		option_release(table, object);
		memcpy(object, before, table->size);
	} else {
		option_release(table, before);
	}
	free(before);
	return result;
}

/* One byte more than is allowed tells that there are too many. */
static int
read_file(const char *path, struct text *text, struct err *err)
{
	const char *why;
	FILE *file = file_open_stream(path, &why);
	if (!file)
		return err_set(err, ERR_IO, "cannot open %s: %s", path, why);
	char chunk[8192];
	size_t got;
	while (text->length <= SCHEMA_SIZE_MAX && (got = fread(chunk, 1, sizeof chunk, file)))
		text_add_bytes(text, chunk, got);
	int result = 0;
	if (ferror(file))
		result = err_set(err, ERR_IO, "cannot read %s: %s", path, strerror(errno));
	fclose(file);
	return result;
}

int
schema_load_file(const char *path, const struct option_table *table, void *object, struct err *err)
{
	struct text text = {0};
	int result = read_file(path, &text, err);
	if (result)
		option_defaults(table, object);
	else
		result = schema_load_text(path, text_get(&text), text.length, table, object, err);
	text_free(&text);
	return result;
}

int
schema_merge_file(const char *path, const struct option_table *table, void *object, struct err *err)
{
	struct text text = {0};
	int result = read_file(path, &text, err);
	if (!result)
		result = schema_merge_text(path, text_get(&text), text.length, table, object, err);
	text_free(&text);
	return result;
}

void
schema_place(const char *path, const char *keys, struct text *out)
{
	struct text text = {0};
	text_add(out, path);
	if (!read_file(path, &text, NULL)) {
		struct survey_place place = survey_find(text_get(&text), text.length, keys, false);
		text_addf(out, ":%zu:%zu", place.line, place.column);
	}
	text_free(&text);
}

size_t
schema_find_key(const char *text, size_t length, const char *keys)
{
	return survey_find_line(text, length, keys);
}

size_t
schema_find_key_in(const char *path, const char *keys)
{
	struct text text = {0};
	size_t line =
	    read_file(path, &text, NULL) ? 0 : schema_find_key(text_get(&text), text.length, keys);
	text_free(&text);
	return line;
}

const char *
schema_version(void)
{
	return cyaml_version_str;
}
