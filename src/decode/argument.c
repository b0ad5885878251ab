/*
 * Arguments as fields: see argument.h.
 *
 * argument_find() searches the fields of a message by name or by counting.
 * That costs no more than finding a field.
 */
#include "config.h"

#include "decode/argument.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Sets of ASCII characters, a bit each. */
#define BIT(c) UINT64_C(1) << ((c)&63)
#define BITS(first, last) (UINT64_MAX >> (63 - ((last) - (first))) << ((first)&63))
static const uint64_t word_chars[2] = {
    BITS('0', '9'),
    BITS('a', 'z') | BITS('A', 'Z') | BIT('_'),
};
/* Characters between a word and its conversion. */
static const uint64_t between[2] = {
    BIT(' ') | BIT('\t') | BIT('=') | BIT(':') | BIT('#') | BIT('(') | BIT('<') | BIT('"') |
	BIT('\''),
    BIT('[') | BIT('{'),
};
#undef BIT
#undef BITS

static inline bool
is_of(const uint64_t set[static 2], char c)
{
	unsigned char code = (unsigned char)c;
	return code < 128 && set[code / 64] >> code % 64 & 1;
}

static bool
is_reserved(const char *word, size_t length)
{
	static const char words[][4] = {"and", "or", "not", "in"};
	for (size_t i = 0; length < sizeof *words && i < sizeof words / sizeof *words; i++)
		if (!words[i][length] && !strncasecmp(words[i], word, length))
			return true;
	return false;
}

const char *
argument_find_name(const char *from, const char *end, size_t *length)
{
	if (end - from >= 2 && end[-2] == '0' && (end[-1] == 'x' || end[-1] == 'X') &&
	    (end - from == 2 || !is_of(word_chars, end[-3])))
		end -= 2;
	while (end > from && is_of(between, end[-1]))
		end--;
	const char *word = end;
	while (word > from && is_of(word_chars, word[-1]))
		word--;
	*length = (size_t)(end - word);
	if (!*length || *length > ARGUMENT_NAME_MAX || (*word >= '0' && *word <= '9') ||
	    is_reserved(word, *length))
		*length = 0;
	return word;
}

bool
argument_is_name(const char *text)
{
	size_t length;
	argument_find_name(text, text + strlen(text), &length);
	return length && length == strlen(text);
}

static bool
is_taken(const struct expansion *e, const char *name)
{
	for (size_t i = e->fields.count; i--;) {
		const char *other = e->fields.at[i].argument;
		if (other && *other == *name && !strcmp(other, name))
			return true;
	}
	return false;
}

enum { NUMBER_MAX = 32 };

/* Write `arg.NUMBER`. */
static const char *
write_number(size_t number, char buffer[static NUMBER_MAX])
{
	char *at = buffer + NUMBER_MAX - 1;
	*at = '\0';
	do
		*--at = (char)('0' + number % 10);
	while (number /= 10);
	return memcpy(at - 4, "arg.", 4);
}

/* Set the label that people see: name, then conversion. */
static void
set_label(struct expansion *e, struct field *field, const char *name, size_t length,
	  const char *conversion, size_t conversion_length)
{
	char *label = arena_alloc(&e->arena, length + conversion_length + 2);
	memcpy(label, name, length);
	label[length] = conversion_length ? ' ' : '\0';
	memcpy(label + length + 1, conversion, conversion_length);
	label[length + 1 + conversion_length] = '\0';
	field->label = label;
}

void
argument_keep_name(struct expansion *e, struct field *field, size_t number, const char *name,
		   const char *conversion, size_t conversion_length)
{
	char buffer[NUMBER_MAX];
	field->argument = name;
	if (e->exported) /* exports have no labels */
		return;
	if (!*name)
		name = write_number(number, buffer);
	set_label(e, field, name, strlen(name), conversion, conversion_length);
}

void
argument_set_name(struct expansion *e, struct field *field, size_t number, const char *name,
		  size_t length, const char *conversion, size_t conversion_length)
{
	const char *kept = length ? arena_text(&e->arena, name, length) : "";
	bool named = length && number <= ARGUMENT_NAMES_MAX && !is_taken(e, kept);
	argument_keep_name(e, field, number, named ? kept : "", conversion, conversion_length);
}

/* Return the number in NAME, 0 if it is not a number. */
static size_t
number_of(const char *name)
{
	char *end;
	if (*name < '1' || *name > '9')
		return 0;
	unsigned long number = strtoul(name, &end, 10);
	return *end ? 0 : number;
}

/* True if FIELD is the argument.  *LEFT counts arguments down to the wanted number. */
static bool
is_it(const struct field *field, const char *name, size_t *left)
{
	if (!field->argument)
		return false;
	return *left ? --*left == 0 : *field->argument && !strcmp(field->argument, name);
}

const struct field *
argument_find(const struct expansion *e, const char *name)
{
	size_t number = number_of(name), left = number;
	for (size_t i = 0; i < e->fields.count; i++)
		if (is_it(&e->fields.at[i], name, &left))
			return &e->fields.at[i];
	return NULL;
}

bool
argument_may_be_named(const struct decoder_ops *ops, const char *name)
{
	bool arguments = false;
	for (size_t i = 0; i < ops->field_count; i++) {
		arguments |= ops->fields[i].argument;
		if (ops->fields[i].name && !strcmp(ops->fields[i].name, name))
			return false;
	}
	return arguments;
}
