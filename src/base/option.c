/* Set, default and release structs that tables describe: see option.h. */
#include "config.h"

#include "base/option.h"
#include "base/nearest.h"
#include "base/text.h"
#include "base/vec.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void *
member_of(const struct option_row *row, void *object)
{
	return (char *)object + row->member;
}

static const char *
set_bool(bool *value, const char *text)
{
	static const struct {
		const char *word;
		bool value;
	} words[] = {{"true", true},   {"yes", true}, {"on", true},   {"1", true},
		     {"false", false}, {"no", false}, {"off", false}, {"0", false}};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (!strcmp(text, words[i].word)) {
			*value = words[i].value;
			return NULL;
		}
	}
	return "true or false";
}

static const char *
set_uint(const struct option_row *row, uint64_t *value, const char *text, char *buffer)
{
	uint64_t least = (uint64_t)row->min, most = row->max ? row->max : UINT64_MAX;
	uint64_t number;
	if (text_parse_uint(text, most, &number) && number >= least) {
		*value = number;
		return NULL;
	}
	if (row->max || row->min)
		snprintf(buffer, 256, "a number from %llu to %llu", (unsigned long long)least,
			 (unsigned long long)most);
	else
		snprintf(buffer, 256, "a number, decimal or 0x hexadecimal");
	return buffer;
}

static const char *
set_int(const struct option_row *row, int64_t *value, const char *text, char *buffer)
{
	int64_t most = row->max ? (int64_t)row->max : INT64_MAX;
	int64_t least = row->min || row->max ? row->min : INT64_MIN;
	bool negative = *text == '-';
	uint64_t number;
	if (text_parse_uint(text + negative, INT64_MAX, &number)) {
		int64_t with_sign = negative ? -(int64_t)number : (int64_t)number;
		if (with_sign >= least && with_sign <= most) {
			*value = with_sign;
			return NULL;
		}
	}
	snprintf(buffer, 256, "a whole number from %lld to %lld", (long long)least,
		 (long long)most);
	return buffer;
}

static const char *
set_number(const struct option_row *row, double *value, const char *text, char *buffer)
{
	double least = row->positive ? OPTION_LEAST : (double)row->min, most = (double)row->max;
	bool limited = row->positive || row->max;
	char *end;
	errno = 0;
	double number = strtod(text, &end);
	if (end != text && !*end && !errno && isfinite(number) &&
	    (!limited || (number >= least && (!row->max || number <= most)))) {
		*value = number;
		return NULL;
	}
	if (!limited)
		return "a number";
	int used = row->positive ? snprintf(buffer, 256, "a number above 0")
				 : snprintf(buffer, 256, "a number from %.0f", least);
	if (row->max)
		snprintf(buffer + used, 256 - (size_t)used, "%s %.0f",
			 row->positive ? ", up to" : " to", most);
	return buffer;
}

/* --- names ------------------------------------------------------------- */

const char *
option_next_name(void *table, size_t at)
{
	const struct option_table *names = table;
	return at < names->count ? names->rows[at].name : NULL;
}

const char *
option_nearest(const struct option_table *table, const char *name)
{
	struct nearest nearest = nearest_to(name);
	const char *best = NULL;
	for (size_t i = 0; i < table->count; i++)
		if (nearest_is(&nearest, table->rows[i].name))
			best = table->rows[i].name;
	return best;
}

const char *
option_check_name(const char *what, const char *(*name_at)(size_t), const char *text,
		  char buffer[static 256])
{
	struct nearest nearest = nearest_to(text);
	const char *name;
	snprintf(buffer, 256, "%s", what);
	for (size_t i = 0; (name = name_at(i)); i++) {
		if (!strcmp(name, text))
			return NULL;
		if (nearest_is(&nearest, name))
			snprintf(buffer, 256, "%s; did you mean %s?", what, name);
	}
	return buffer;
}

const char *
option_check_guid(const char *text, char buffer[static 256])
{
	static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
	bool braces = *text == '{', good = true;
	(void)buffer;
	text += braces;
	for (const char *at = form; *at && good; at++, text += good)
		good = *at == 'x' ? isxdigit((unsigned char)*text) : *text == *at;
	if (good && (!braces || *text++ == '}') && !*text)
		return NULL;
	return "a GUID, as 01234567-89ab-cdef-0123-456789abcdef, with or without braces";
}

enum { CHOICES_SHOWN = 180 }; /* bytes, so that the nearest name still fits */

static const char *
set_choice(const struct option_row *row, int *value, const char *text, char *buffer)
{
	size_t used = (size_t)snprintf(buffer, 256, "one of");
	for (int i = 0; row->choices[i]; i++) {
		const char *word = used < CHOICES_SHOWN ? row->choices[i] : "...";
		if (!strcmp(text, row->choices[i])) {
			*value = i;
			return NULL;
		}
		if (used < CHOICES_SHOWN + 4)
			used += (size_t)snprintf(buffer + used, 256 - used, " %s", word);
	}
	snprintf(buffer + used, 256 - used, "%s",
		 nearest_hint(text, nearest_in_array, (void *)row->choices).text);
	return buffer;
}

static const char *
set_text(const struct option_row *row, char **value, const char *text, char *buffer)
{
	const char *expected = row->check ? row->check(text, buffer) : NULL;
	if (expected)
		return expected;
	free(*value);
	*value = mem_text(text);
	return NULL;
}

const char *
option_set(const struct option_row *row, void *object, const char *text, char buffer[static 256])
{
	void *at = member_of(row, object);
	switch (row->type) {
	case OPTION_BOOL:
		return set_bool(at, text);
	case OPTION_UINT:
		return set_uint(row, at, text, buffer);
	case OPTION_INT:
		return set_int(row, at, text, buffer);
	case OPTION_NUMBER:
		return set_number(row, at, text, buffer);
	case OPTION_TEXT:
		return set_text(row, at, text, buffer);
	case OPTION_CHOICE:
		return set_choice(row, at, text, buffer);
	case OPTION_STRUCT:
		return "a mapping";
	case OPTION_LIST:
		return "a list";
	case OPTION_ANY:
		break;
	}
	return "nothing";
}

void
option_defaults(const struct option_table *table, void *object)
{
	memset(object, 0, table->size);
	for (size_t i = 0; i < table->count; i++) {
		const struct option_row *row = &table->rows[i];
		char unused[256];
		if (row->type == OPTION_STRUCT)
			option_defaults(row->table, member_of(row, object));
		else if (row->default_text)
			option_set(row, object, row->default_text, unused);
	}
}

static void
copy_list(const struct option_row *row, struct option_list *to, const struct option_list *from)
{
	size_t size = row->table ? row->table->size : sizeof(char *);
	to->count = from->count;
	to->at = mem_new(from->count * size);
	for (size_t i = 0; i < from->count; i++) {
		if (row->table)
			option_copy(row->table, (char *)to->at + i * size,
				    (char *)from->at + i * size);
		else
			((char **)to->at)[i] = mem_text(((char **)from->at)[i]);
	}
}

void
option_copy(const struct option_table *table, void *to, const void *from)
{
	memcpy(to, from, table->size);
	for (size_t i = 0; i < table->count; i++) {
		const struct option_row *row = &table->rows[i];
		void *target = member_of(row, to);
		const void *source = (const char *)from + row->member;
		if (row->also_top_level) /* copied with its section */
			continue;
		if (row->type == OPTION_TEXT && *(char *const *)source)
			*(char **)target = mem_text(*(char *const *)source);
		else if (row->type == OPTION_STRUCT)
			option_copy(row->table, target, source);
		else if (row->type == OPTION_LIST)
			copy_list(row, target, source);
	}
}

void
option_release_list(const struct option_row *row, struct option_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		if (row->table)
			option_release(row->table, (char *)list->at + i * row->table->size);
		else
			free(((char **)list->at)[i]);
	}
	free(list->at);
	*list = (struct option_list){0};
}

void
option_release(const struct option_table *table, void *object)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct option_row *row = &table->rows[i];
		void *at = member_of(row, object);
		if (row->type == OPTION_TEXT) {
			free(*(char **)at);
			*(char **)at = NULL;
		} else if (row->type == OPTION_STRUCT) {
			option_release(row->table, at);
		} else if (row->type == OPTION_LIST) {
			option_release_list(row, at);
		}
	}
}

/* FNV-1a */
static uint64_t
hash_bytes(const void *bytes, size_t length, uint64_t hash)
{
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3;
	return hash;
}

uint64_t
option_hash_text(const char *text, uint64_t hash)
{
	return hash_bytes(text ? text : "", text ? strlen(text) + 1 : 0, hash);
}

static uint64_t
hash_file(const char *path, uint64_t hash)
{
	struct stat st;
	if (!path || stat(path, &st) != 0)
		return hash;
	hash = hash_bytes(&st.st_size, sizeof st.st_size, hash);
	return hash_bytes(&st.st_mtim.tv_sec, sizeof st.st_mtim.tv_sec, hash);
}

static uint64_t
hash_text(const struct option_row *row, const char *text, uint64_t hash)
{
	hash = option_hash_text(text, hash);
	return row->path ? hash_file(text, hash) : hash;
}

static uint64_t
hash_list(const struct option_row *row, const struct option_list *list, uint64_t hash)
{
	hash = hash_bytes(&list->count, sizeof list->count, hash);
	for (size_t i = 0; i < list->count; i++)
		hash = row->table ? option_hash(row->table,
						(const char *)list->at + i * row->table->size, hash)
				  : hash_text(row, ((char *const *)list->at)[i], hash);
	return hash;
}

uint64_t
option_hash(const struct option_table *table, const void *object, uint64_t hash)
{
	static const size_t sizes[] = {
	    [OPTION_BOOL] = sizeof(bool),   [OPTION_UINT] = sizeof(uint64_t),
	    [OPTION_INT] = sizeof(int64_t), [OPTION_NUMBER] = sizeof(double),
	    [OPTION_CHOICE] = sizeof(int),  [OPTION_ANY] = 0,
	};
	for (size_t i = 0; i < table->count; i++) {
		const struct option_row *row = &table->rows[i];
		const void *at = (const char *)object + row->member;
		if (row->description)
			continue;
		hash = hash_bytes(row->name, strlen(row->name), hash);
		if (row->type == OPTION_TEXT)
			hash = hash_text(row, *(char *const *)at, hash);
		else if (row->type == OPTION_STRUCT)
			hash = option_hash(row->table, at, hash);
		else if (row->type == OPTION_LIST)
			hash = hash_list(row, at, hash);
		else
			hash = hash_bytes(at, sizes[row->type], hash);
	}
	return hash;
}

/* --- paths ------------------------------------------------------------ */

void
option_each_path(const struct option_table *table, void *object, option_take_path *take,
		 void *context)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct option_row *row = &table->rows[i];
		void *member = (char *)object + row->member;
		struct option_list *list = member;
		if (row->type == OPTION_STRUCT)
			option_each_path(row->table, member, take, context);
		else if (row->type == OPTION_TEXT && row->path && *(char **)member)
			take(context, row, member);
		else if (row->type == OPTION_LIST && row->table)
			for (size_t j = 0; j < list->count; j++)
				option_each_path(row->table,
						 (char *)list->at + j * row->table->size, take,
						 context);
		else if (row->type == OPTION_LIST && row->path)
			for (size_t j = 0; j < list->count; j++)
				take(context, row, (char **)list->at + j);
	}
}

static void
resolve_path(void *folder, const struct option_row *row, char **path)
{
	struct text whole = {0};
	if (**path == '/' || (row->is_no_path && row->is_no_path(*path)))
		return;
	text_addf(&whole, "%s%s", (const char *)folder, *path);
	free(*path);
	*path = whole.data;
}

void
option_resolve(const struct option_table *table, void *object, const char *folder)
{
	option_each_path(table, object, resolve_path, (void *)folder);
}

const struct option_row *
option_find(const struct option_table *table, const char *name)
{
	for (size_t i = 0; i < table->count; i++)
		if (!strcmp(table->rows[i].name, name))
			return &table->rows[i];
	return NULL;
}
