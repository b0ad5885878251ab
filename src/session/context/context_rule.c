/*
 * Rules of contexts: see context_rule.h.
 *
 * `from` of a profile accepts any field of any format as a key. Its table is built from
 * the registry of decoders, so an unknown field is reported with its line, like any
 * unknown key. If a format's field has the name of an envelope row, its key is
 * FORMAT.FIELD, as in filters.
 *
 * A rule first narrows the kinds of message. The type selects the kinds with its name, or
 * with its part before the colon. The field table then restricts them by field. Only
 * messages with these kinds are expanded.
 */
#include "config.h"

#include "session/context/context_rule.h"
#include "base/nearest.h"
#include "decode/registry.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { FROM_MAX = 512 };

/* Rows of `from` that every format has. */
enum { FROM_TRACE, FROM_FORMAT, FROM_TYPE, FROM_ORIGIN, FROM_ENVELOPE };

/* --- finding fields ---------------------------------------------------- */

static bool
holds_value(const struct field_row *row)
{
	return row->type != FIELD_GROUP && row->type != FIELD_LIST && row->type != FIELD_OBJECT;
}

/* Return the row of a format with the name NAME or FORMAT.NAME, or NULL. */
static const struct field_row *
find_row(const struct decoder_ops *ops, const char *name)
{
	size_t length = strlen(ops->format);
	if (!strncmp(name, ops->format, length) && name[length] == '.')
		name += length + 1;
	for (size_t i = 0; i < ops->field_count; i++)
		if (ops->fields[i].name && !strcmp(ops->fields[i].name, name))
			return &ops->fields[i];
	return NULL;
}

/* Split NAME[ELEMENT]. Return the length of NAME; 0: the text is malformed. */
static size_t
split_field_name(const char *text, bool *is_element, size_t *element)
{
	size_t length = strcspn(text, "[");
	*is_element = text[length];
	if (!*is_element)
		return length;
	char *end;
	unsigned long long number = strtoull(text + length + 1, &end, 10);
	*element = (size_t)number;
	return end > text + length + 1 && !strcmp(end, "]") && number < 65536 ? length : 0;
}

/* Return OPS's row for a value, a single one or an element of a list; NULL: none. */
static const struct field_row *
value_row(const struct decoder_ops *ops, const char *text, bool *is_element, size_t *element)
{
	char name[64];
	size_t length = split_field_name(text, is_element, element);
	if (!length || length >= sizeof name)
		return NULL;
	memcpy(name, text, length);
	name[length] = '\0';
	const struct field_row *row = find_row(ops, name);
	bool fits = row && (*is_element ? row->type == FIELD_LIST : holds_value(row));
	return fits ? row : NULL;
}

static const char *
check_field(const char *text, char buffer[static 256])
{
	bool is_element;
	size_t element;
	for (size_t i = 0; i < decoder_count; i++)
		if (value_row(decoders[i], text, &is_element, &element))
			return NULL;
	const char *expected = option_check_name("a field, or LIST[N], see trawl --list-fields",
						 decoder_field_name, text, buffer);
	return expected ? expected : "a field with a value, or LIST[N]; see trawl --list-fields";
}

/* --- options ----------------------------------------------------------- */

#define VALUE(...) OPTION_ROW(struct context_value_options, __VA_ARGS__)
static const struct option_row value_rows[] = {
    VALUE(value, TEXT, "a value of the field", .required = true),
    VALUE(name, TEXT, "what to call it", .required = true),
};
static const struct option_table value_table =
    OPTION_TABLE("values", struct context_value_options, value_rows);

#define RANGE(...) OPTION_ROW(struct context_range_options, __VA_ARGS__)
static const struct option_row range_rows[] = {
    RANGE(from, UINT, "the first value", .required = true),
    RANGE(to, UINT, "the last value", .required = true),
    RANGE(name, TEXT, "what to call them", .required = true),
};

static bool
check_range(const void *object, struct option_fault *fault)
{
	const struct context_range_options *range = object;
	if (range->to >= range->from)
		return true;
	*fault = (struct option_fault){"to", "is less than from; expected the last value"};
	return false;
}

static const struct option_table range_table = {.name = "ranges",
						.size = sizeof(struct context_range_options),
						.rows = range_rows,
						.count = sizeof range_rows / sizeof *range_rows,
						.check = check_range};

static struct option_row from_rows[FROM_MAX] = {
    [FROM_TRACE] = {.name = "trace", .trace = true, .help = "name of the trace; absent: any"},
    [FROM_FORMAT] = {.name = "format", .check = decoder_check, .help = "format of the trace"},
    [FROM_TYPE] = {.name = "type", .help = "type of the message, as in its column, or its kind"},
    [FROM_ORIGIN] = {.name = "origin", .help = "origin of the message"},
};
static struct option_table from_table = {.name = "from", .rows = from_rows, .count = FROM_ENVELOPE};

static const char *const scopes[] = {
    [CONTEXT_PER_ORIGIN] = "origin", [CONTEXT_PER_TRACE] = "trace", NULL};

#define CONTEXT(...) OPTION_ROW(struct context_options, __VA_ARGS__)
static const struct option_row context_rows[] = {
    CONTEXT(name, TEXT, "what to call it; entries with the same name are one context",
	    .required = true),
    {"from", OPTION_STRUCT, sizeof(struct context_options),
     "the messages that carry it; any field of a format is a key too, with the value it must have "
     "(a number, text, or its name)",
     .table = &from_table},
    CONTEXT(field, TEXT, "the field that has the value; LIST[N]: an element of a list",
	    .required = true, .check = check_field),
    CONTEXT(values, LIST, "names of values", .table = &value_table),
    CONTEXT(ranges, LIST, "names of ranges of values", .table = &range_table),
    CONTEXT(per, CHOICE, "owner: each origin, or the trace", "origin", .choices = scopes),
    CONTEXT(applies_to, LIST, "other traces that it holds for: TRACE, or TRACE:ORIGIN",
	    .trace = true),
};
static struct option_table context_table =
    OPTION_TABLE("contexts", struct context_options, context_rows);

static void
add_from(const char *name)
{
	if (from_table.count < FROM_MAX && !option_find(&from_table, name))
		from_rows[from_table.count++] = (struct option_row){.name = name};
}

static bool
is_envelope(const char *name)
{
	for (size_t i = 0; i < FROM_ENVELOPE; i++)
		if (!strcmp(name, from_rows[i].name))
			return true;
	return false;
}

static void
add_fields(const struct decoder_ops *ops)
{
	for (size_t i = 0; i < ops->field_count; i++) {
		const struct field_row *row = &ops->fields[i];
		static struct arena names; /* lives as long as the tables */
		if (row->name && holds_value(row) && !row->detail)
			add_from(is_envelope(row->name)
				     ? arena_format(&names, "%s.%s", ops->format, row->name)
				     : row->name);
	}
}

/* Fill in the tables of `from` and `contexts:`, once. The standard contexts use them, too. */
static void
lay_out(void)
{
	for (size_t i = 0; i < decoder_count; i++)
		add_fields(decoders[i]);
	for (size_t i = 0; i < from_table.count; i++) {
		from_rows[i].type = OPTION_TEXT;
		from_rows[i].member = i * sizeof(char *);
	}
	from_table.size = from_table.count * sizeof(char *);
	context_table.size += from_table.size;
}

const struct option_table *
context_options_table(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, lay_out);
	return &context_table;
}

/* Return the `from` texts of an entry, by the rows of from_table; each may be NULL. */
static char *const *
from_of(const struct context_options *options)
{
	return (char *const *)(options + 1);
}

/* --- contexts without a profile -------------------------------------------- */

static void
set_option(const struct option_table *table, void *object, const char *name, const char *text)
{
	char unused[256];
	const struct option_row *row = text ? option_find(table, name) : NULL;
	if (row)
		option_set(row, object, text, unused);
}

static struct option_list standard_list;

static void
set_standard(char *one, const struct decoder_ops *ops, const struct context_row *row)
{
	char *from = one + sizeof(struct context_options);
	option_defaults(&context_table, one);
	set_option(&context_table, one, "name", row->name);
	set_option(&context_table, one, "field", row->field);
	set_option(&context_table, one, "per", row->per_trace ? "trace" : NULL);
	set_option(&from_table, from, "format", ops->format);
	set_option(&from_table, from, "type", row->type);
	if (row->key)
		set_option(&from_table, from, row->key, row->value);
}

static void
make_standard(void)
{
	size_t size = context_options_table()->size, count = 0;
	for (size_t i = 0; i < decoder_count; i++)
		count += decoders[i]->context_count;
	char *all = mem_new(count * size), *one = all;
	for (size_t i = 0; i < decoder_count; i++)
		for (size_t k = 0; k < decoders[i]->context_count; k++, one += size)
			set_standard(one, decoders[i], &decoders[i]->contexts[k]);
	standard_list = (struct option_list){.at = all, .count = count};
}

struct option_list
context_standard(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, make_standard);
	return standard_list;
}

/* --- checking a value ------------------------------------------------------- */

/* Append NAME to NAMES. Return true if it is VALUE. */
static bool
offer_name(const char *name, const char *value, struct text *names)
{
	text_addf(names, ", %s", name);
	return !strcmp(name, value);
}

/* True if the context of an entry can have VALUE. Append the names of its values, and raise *MOST
 * to its greatest number. */
static bool
may_have(const struct context_options *options, const char *value, uint64_t *most,
	 struct text *names)
{
	const struct context_value_options *values = options->values.at;
	const struct context_range_options *ranges = options->ranges.at;
	const char *format = from_of(options)[FROM_FORMAT];
	bool may = false, is_element;
	size_t element;
	for (size_t i = 0; i < options->values.count; i++)
		may |= offer_name(values[i].name, value, names);
	for (size_t i = 0; i < options->ranges.count; i++)
		may |= offer_name(ranges[i].name, value, names);
	for (size_t i = 0; i < decoder_count; i++) {
		const struct field_row *row =
		    value_row(decoders[i], options->field, &is_element, &element);
		if (!row || (format && decoder_find(format) != decoders[i]))
			continue;
		bool number = !is_element && context_is_number(row); /* else any text */
		uint64_t own = row->most ? row->most : UINT64_MAX, parsed;
		may |= !number || text_parse_uint(value, own, &parsed);
		*most = number && *most < own ? own : *most;
		for (size_t k = 0; number && k < row->value_count; k++)
			if (row->values[k])
				may |= offer_name(row->values[k], value, names);
	}
	return may;
}

static const char *
next_context(void *list, size_t at)
{
	const struct option_list *entries = list;
	const struct context_options *options =
	    (void *)((char *)entries->at + at * context_options_table()->size);
	return at < entries->count ? options->name : NULL;
}

bool
context_check(const struct option_list *given, const char *name, const char *value,
	      struct option_fault *fault)
{
	struct option_list list = given->count ? *given : context_standard();
	struct nearest_hint hint = nearest_hint(name, next_context, &list);
	struct text names = {0};
	uint64_t most = 0;
	bool may = false;
	fault->member = "context";
	snprintf(fault->what, sizeof fault->what, "is \"%.60s\"; expected the name of a context%s",
		 name, nearest_hint_or(&hint, ""));
	for (size_t i = 0; i < list.count; i++) {
		if (strcmp(next_context(&list, i), name) != 0)
			continue;
		may |= may_have((void *)((char *)list.at + i * context_table.size), value, &most,
				&names);
		fault->member = "value";
		snprintf(fault->what, sizeof fault->what,
			 "is \"%.60s\"; expected a number up to 0x%llx%s%.128s", value,
			 (unsigned long long)most, names.length ? " or one of" : "",
			 text_get(&names) + (names.length > 0));
	}
	text_free(&names);
	return may;
}

/* --- making a rule ----------------------------------------------------- */

/* Return the kinds that can have TYPE. *BY_KIND: their messages all have it. */
static uint64_t
kinds_of_type(const struct decoder_ops *ops, const char *type, bool *by_kind)
{
	uint64_t whole = 0, part = 0;
	size_t length = strcspn(type, ":");
	for (size_t i = 0; i < ops->kind_count; i++) {
		const char *name = ops->kinds[i].name;
		if (!strcasecmp(name, type))
			whole |= (uint64_t)1 << i;
		else if (!strncasecmp(name, type, length) && !name[length])
			part |= (uint64_t)1 << i;
	}
	*by_kind = whole != 0;
	return whole ? whole : part ? part : UINT64_MAX;
}

static void
narrow_kinds(struct context_rule *rule, const struct field_row *row)
{
	if (row->kinds)
		rule->kinds &= row->kinds;
	rule->needs_session |= row->absence == FIELD_ABSENT_UNMATCHED || row->instead;
}

static bool
add_condition(struct context_rule *rule, const struct decoder_ops *ops, const char *name,
	      const char *want)
{
	const struct field_row *row = find_row(ops, name);
	if (!row)
		return false;
	struct context_condition *condition = vec_add(&rule->conditions);
	condition->row = row;
	condition->want = want;
	condition->is_number = text_parse_uint(want, UINT64_MAX, &condition->number);
	narrow_kinds(rule, row);
	return true;
}

static bool
make_rule(const struct context_options *options, const struct decoder_ops *ops, const char *trace,
	  struct context_rule *rule)
{
	char *const *from = from_of(options);
	bool by_kind = true;
	if ((from[FROM_TRACE] && strcmp(from[FROM_TRACE], trace) != 0) ||
	    (from[FROM_FORMAT] &&
	     strcmp(decoder_find(from[FROM_FORMAT])->format, ops->format) != 0))
		return false;
	rule->kinds = UINT64_MAX;
	if (from[FROM_TYPE])
		rule->kinds = kinds_of_type(ops, from[FROM_TYPE], &by_kind);
	rule->type = by_kind ? NULL : from[FROM_TYPE];
	rule->origin = from[FROM_ORIGIN];
	rule->row = value_row(ops, options->field, &rule->is_element, &rule->element);
	if (!rule->row)
		return false;
	narrow_kinds(rule, rule->row);
	for (size_t i = FROM_ENVELOPE; i < from_table.count; i++)
		if (from[i] && !add_condition(rule, ops, from_rows[i].name, from[i]))
			return false;
	return rule->kinds != 0;
}

bool
context_rule_make(const struct context_options *options, const struct decoder_ops *ops,
		  const char *trace, bool alone, unsigned context, struct context_rule *rule)
{
	*rule = (struct context_rule){.context = context, .is_alone = alone};
	bool made = make_rule(options, ops, trace, rule);
	if (!made)
		context_rule_free(rule);
	return made;
}

void
context_rule_free(struct context_rule *rule)
{
	vec_free(&rule->conditions);
}

/* --- reading ----------------------------------------------------------- */

const struct field *
context_field(const struct expansion *e, const char *name)
{
	for (size_t i = 0; i < e->fields.count; i++)
		if (!strcmp(e->fields.at[i].row->name, name))
			return &e->fields.at[i];
	return NULL;
}

/* Return element N of the list FIELD. */
static const struct field *
element_of(const struct expansion *e, const struct field *field, size_t n)
{
	const struct field *end = e->fields.at + e->fields.count;
	for (const struct field *at = field + 1; at < end && at->depth > field->depth; at++)
		if (at->depth == field->depth + 1 && n-- == 0)
			return holds_value(at->row) ? at : NULL;
	return NULL;
}

static const struct field *
find_value(const struct context_rule *rule, const struct expansion *e, bool *recovered)
{
	const struct field *field = context_field(e, rule->row->name);
	*recovered = false;
	if (field && rule->is_element)
		return element_of(e, field, rule->element);
	if (!field && rule->row->instead) {
		field = context_field(e, rule->row->instead);
		*recovered = field != NULL;
	}
	return field;
}

/* True if an absent field was lost, or would be present with another trace. */
static bool
is_hidden(const struct context_rule *rule, const struct field_row *row, const struct message *m,
	  const struct expansion *e)
{
	if (row->absence == FIELD_ABSENT_LOST)
		return m->flags & MESSAGE_LOST;
	if (row->absence != FIELD_ABSENT_UNMATCHED)
		return false;
	const struct field *matched = context_field(e, "matched");
	return matched ? !matched->u : rule->is_alone;
}

bool
context_is_number(const struct field_row *row)
{
	enum field_type type = row->type;
	return type == FIELD_UINT || type == FIELD_INT || type == FIELD_HEX ||
	       type == FIELD_HEXTEXT || type == FIELD_BOOL;
}

static bool
meets_condition(const struct context_condition *condition, const struct field *field)
{
	if (condition->is_number && context_is_number(field->row))
		return field->u == condition->number;
	if (field->row->type == FIELD_TEXT)
		return field->s.length == strlen(condition->want) &&
		       !memcmp(field->s.at, condition->want, field->s.length);
	const char *meaning = field_meaning(field);
	if (meaning && !strcmp(meaning, condition->want))
		return true;
	struct text text = {0};
	field_format(field, &text);
	bool same = !strcmp(text_get(&text), condition->want);
	text_free(&text);
	return same;
}

enum context_verdict
context_rule_read(const struct context_rule *rule, const struct message *m,
		  const struct expansion *e, const struct field **value, bool *recovered)
{
	bool sure = true;
	if ((rule->type && strcasecmp(text_get(&e->type), rule->type) != 0) ||
	    (rule->origin && strcmp(text_get(&e->origin), rule->origin) != 0))
		return CONTEXT_MISSES;
	for (size_t i = 0; i < rule->conditions.count; i++) {
		const struct context_condition *condition = &rule->conditions.at[i];
		const struct field *field = context_field(e, condition->row->name);
		if (field ? !meets_condition(condition, field)
			  : !is_hidden(rule, condition->row, m, e))
			return CONTEXT_MISSES;
		sure &= field != NULL;
	}
	*value = find_value(rule, e, recovered);
	if (!*value && !is_hidden(rule, rule->row, m, e))
		return CONTEXT_MISSES;
	if (!sure)
		return CONTEXT_MAY_SET;
	return *value ? CONTEXT_SETS : CONTEXT_HIDES;
}
