/*
 * Loading YAML into structs: see schema.h.
 *
 * This takes four steps.  config/survey.c checks the syntax and limits.  config/audit.c checks all
 * keys, shapes and values, so one run reports every mistake.  libcyaml, with a schema made from
 * the tables, then builds a tree of texts.  A mapping becomes an array of slots, one for each row
 * of its table.  Last, option_set() turns each text into its member, so numbers, ranges and
 * choices follow the same rules everywhere.  The check of each table then compares its members.
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
#include "config/audit.h"
#include "config/survey.h"

/* libcyaml's result for one key. */
struct schema_slot {
	void *at;	/* text; slots of a mapping; texts or mappings of a list; NULL = absent */
	uint32_t count; /* of a list */
};

struct load {
	const char *text;
	size_t length;
	struct audit *audit;
	struct text problem; /* libcyaml's first sentence */
	struct text path;    /* of the current value */
};

/* Keep the first line of libcyaml's log, which is the problem.  After the audit none is
 * expected. */
static void __attribute__((format(printf, 3, 0)))
schema_collect(cyaml_log_t level, void *context, const char *format, va_list args)
{
	struct load *load = context;
	(void)level;
	if (!load->problem.length)
		text_addv(&load->problem, format, args);
}

static void
fail_libcyaml(struct load *load, enum cyaml_err code)
{
	text_cut(&load->problem, strcspn(text_get(&load->problem), "\n"));
	audit_add(load->audit, (struct survey_place){1, 1}, "%s: %s", cyaml_strerror(code),
		  text_get(&load->problem));
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

/* Turning slots into members.  The audit has already checked them. */

static void fill_table(struct load *, const struct option_table *, const struct schema_slot *,
		       void *object);

static void
fill_item(struct load *load, const struct option_row *row, const struct schema_slot *slot, size_t i,
	  struct option_list *list)
{
	if (row->table) {
		char *item = (char *)list->at + i * row->table->size;
		const struct schema_slot *slots = slot->at;
		option_defaults(row->table, item);
		list->count++;
		fill_table(load, row->table, slots + i * (row->table->count + 1), item);
	} else {
		((char **)list->at)[list->count++] = mem_text(((char **)slot->at)[i]);
	}
}

static void
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
		fill_item(load, row, slot, i, list);
		text_cut(&load->path, outer);
	}
}

/* Fill a struct with `merge` in its table: read the given settings apart, then merge them. */
static void
fill_apart(struct load *load, const struct option_table *table, const struct schema_slot *slots,
	   void *object)
{
	void *upper = mem_new(table->size);
	size_t faults = load->audit->faults.count;
	option_defaults(table, upper);
	fill_table(load, table, slots, upper);
	if (load->audit->faults.count == faults)
		table->merge(object, upper);
	option_release(table, upper);
	free(upper);
}

static void
fill_struct(struct load *load, const struct option_row *row, const struct schema_slot *slots,
	    void *member)
{
	if (row->table->merge) {
		fill_apart(load, row->table, slots, member);
		return;
	}
	if (row->whole) {
		option_release(row->table, member);
		option_defaults(row->table, member);
	}
	fill_table(load, row->table, slots, member);
}

static void
fill_row(struct load *load, const struct option_row *row, const struct schema_slot *slot,
	 void *object)
{
	void *member = (char *)object + row->member;
	char unused[256];
	if (row->given && row->type != OPTION_LIST)
		*(bool *)((char *)object + row->given) = true;
	if (row->type == OPTION_LIST)
		fill_list(load, row, slot, member);
	else if (row->type == OPTION_STRUCT)
		fill_struct(load, row, slot->at, member);
	else
		option_set(row, object, slot->at, unused);
}

/* Check the members of an object together. */
static void
check_whole(struct load *load, const struct option_table *table, const void *object)
{
	struct option_fault fault;
	size_t outer = load->path.length;
	if (!table->check || table->check(object, &fault))
		return;
	text_addf(&load->path, "%s%s", outer ? "." : "", fault.member);
	audit_add(load->audit, survey_find(load->text, load->length, load->path.data, false),
		  "%s: %s", load->path.data, fault.what);
	text_cut(&load->path, outer);
}

/* Empty a list that the text sets to `[]`.  libcyaml reports an empty list as an absent one, so
 * look at the text.  That matters only if the list has entries from before. */
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

static void
fill_table(struct load *load, const struct option_table *table, const struct schema_slot *slots,
	   void *object)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct option_row *row = &table->rows[i];
		if (row->type == OPTION_ANY)
			continue;
		if (!slots || !slots[i].at) {
			empty_list(load, row, object);
			continue;
		}
		size_t outer = load->path.length;
		text_addf(&load->path, "%s%s", outer ? "." : "", row->name);
		fill_row(load, row, &slots[i], object);
		text_cut(&load->path, outer);
	}
	check_whole(load, table, object);
}

/* Loading as a whole. */

static void
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
	if (code != CYAML_OK)
		fail_libcyaml(load, code);
	else if (table->merge)
		fill_apart(load, table, slots, object);
	else
		fill_table(load, table, slots, object);
	cyaml_free(&config, &schema, slots, 0);
	text_free(&load->problem);
	text_free(&load->path);
	arena_free(&arena);
}

/* Add the mistakes of a text that survey_check accepted. */
static void
audit_text(const char *text, size_t length, const struct option_table *table, struct audit *audit)
{
	struct arena arena = {0};
	audit_check(audit, survey_read(text, length, &arena), table);
	arena_free(&arena);
}

/* Merge the text into OBJECT.  After an error OBJECT may be partly changed. */
static int
lay_text(const char *name, const char *text, size_t length, const struct option_table *table,
	 void *object, struct err *err)
{
	struct audit audit = {0};
	struct load load = {.text = text, .length = length, .audit = &audit};
	struct survey_place place = {1, 1};
	struct err unfit = {0};
	if (length > SCHEMA_SIZE_MAX)
		audit_add(&audit, place, "more than %d MiB; expected less", SCHEMA_SIZE_MAX >> 20);
	else if (survey_check(text, length, &place, &unfit))
		audit_add(&audit, place, "%s", unfit.what);
	else
		audit_text(text, length, table, &audit);
	if (!audit.faults.count)
		load_checked(&load, table, object);
	return audit_report(&audit, name, err);
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

/* Read a file, up to one byte more than allowed: that byte shows that the file is too large. */
static int
read_file(const char *path, struct text *text, struct err *err)
{
	const char *why;
	FILE *file = file_open_settings(path, &why);
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
