/*
 * The values of fields, for completion: see values.h.
 *
 * Severities, flags and kinds come from their tables, origins from the index, contexts
 * from the profile.  A field's values come from its table of names and from the rows on
 * the screen.
 *
 * Cost: each origin and each row on the screen is one message to expand.  SENDERS_MAX
 * limits the origins.
 */
#include "config.h"

#include "ui/values.h"
#include "decode/registry.h"
#include "session/context/context_rule.h"
#include "session/session.h"
#include "ui/list/list.h"
#include "ui/screen/screen.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SENDERS_MAX = 256 }; /* of each trace */

/* --- position of a value ----------------------------------------------- */

static bool
is_value(char c)
{
	return (unsigned char)c > ' ' && !strchr("(){}\",=<>!~&|", c);
}

bool
values_is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* Return the start of the quotes that are open at the end, or LENGTH if none are. */
static size_t
open_quotes(const char *text, size_t length)
{
	size_t from = length;
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '\\' && from < length)
			i++;
		else if (text[i] == '"')
			from = from < length ? length : i;
	}
	return from;
}

static size_t
skip_blanks_back(const char *text, size_t at)
{
	while (at && text[at - 1] == ' ')
		at--;
	return at;
}

/* Move *AT back over WORD.  Return false if WORD does not end there. */
static bool
skip_word_back(const char *text, size_t *at, const char *word)
{
	size_t length = strlen(word), from = skip_blanks_back(text, *at);
	if (from <= length || memcmp(text + from - length, word, length) != 0 ||
	    values_is_name(text[from - length - 1]))
		return false;
	*at = from - length;
	return true;
}

/* Move *AT back over the operator that ends there, and over the earlier values of `in {`.  Return
 * false if there is none. */
static bool
skip_operator(const char *text, size_t *at)
{
	size_t end = skip_blanks_back(text, *at), from = end;
	while (from && strchr("=<>!", text[from - 1]))
		from--;
	if (from < end) {
		*at = from;
		return true;
	}
	if (end && strchr("{,.", text[end - 1])) /* a list, or a range in one */
		while (end && text[end - 1] != '{')
			end--;
	*at = end && text[end - 1] == '{' ? end - 1 : end;
	if (!skip_word_back(text, at, "in"))
		return false;
	skip_word_back(text, at, "not");
	return true;
}

bool
values_find(const char *text, size_t length, size_t *start, char name[static VALUES_NAME])
{
	size_t from = open_quotes(text, length);
	if (from == length)
		while (from && is_value(text[from - 1]))
			from--;
	*start = from;
	if (!skip_operator(text, &from))
		return false;
	size_t end = skip_blanks_back(text, from);
	for (from = end; from && values_is_name(text[from - 1]);)
		from--;
	snprintf(name, VALUES_NAME, "%.*s", (int)(end - from), text + from);
	return end > from && end - from < VALUES_NAME;
}

/* --- known values ------------------------------------------------------ */

/* Call TAKE with each value of a name. */
typedef void value_giver(struct screen *, const char *name, values_take *take, void *context);

static void
take_quoted(const char *value, size_t length, values_take *take, void *context)
{
	struct text quoted = {0};
	filter_quote(value, length, &quoted);
	take(context, quoted.data);
	text_free(&quoted);
}

static void
give_severities(struct screen *screen, const char *name, values_take *take, void *context)
{
	struct text lower = {0};
	(void)screen;
	(void)name;
	for (int i = 0; i < SEVERITY_COUNT; i++) {
		text_clear(&lower);
		for (const char *c = severity_name((enum severity)i); *c; c++)
			text_add_char(&lower, (char)tolower((unsigned char)*c));
		take(context, text_get(&lower));
	}
	text_free(&lower);
}

static void
give_flags(struct screen *screen, const char *name, values_take *take, void *context)
{
	(void)screen;
	(void)name;
	for (unsigned i = 0; i < MESSAGE_FLAGS_SHOWN; i++)
		take(context, message_flag_name(i));
}

/* Call TAKE with the kinds of the open traces. */
static void
give_kinds(struct screen *screen, const char *name, values_take *take, void *context)
{
	(void)name;
	for (size_t t = 0; t < screen->session->traces.count; t++) {
		const struct decoder_ops *ops = trace_decoder(screen->session->traces.at[t])->ops;
		const struct kind_row *row;
		unsigned kind;
		for (size_t i = 0; (row = decoder_kind(ops, i, &kind)); i++)
			take(context, row->name);
	}
}

static void
give_traces(struct screen *screen, const char *name, values_take *take, void *context)
{
	(void)name;
	for (size_t t = 0; t < screen->session->traces.count; t++) {
		const char *trace = trace_name(screen->session->traces.at[t]);
		take_quoted(trace, strlen(trace), take, context);
	}
}

static void
take_origin(struct screen *screen, size_t trace, const struct index_origin *origin,
	    values_take *take, void *context)
{
	struct reader *reader = sequence_reader(screen->sequence, trace);
	struct expansion e = {0};
	struct message m;
	if (origin->key == UINT64_MAX || !reader_find_origin(reader, origin, &m))
		return;
	reader_expand_origin(reader, &m, &e);
	if (e.origin.length)
		take_quoted(text_get(&e.origin), e.origin.length, take, context);
	expansion_free(&e);
}

static void
give_origins(struct screen *screen, const char *name, values_take *take, void *context)
{
	(void)name;
	for (size_t t = 0; t < screen->session->traces.count; t++) {
		index_origins origins = {0};
		index_get_origins(trace_index(screen->session->traces.at[t]), &origins);
		for (size_t i = 0; i < origins.count && i < SENDERS_MAX; i++)
			take_origin(screen, t, &origins.at[i], take, context);
		vec_free(&origins);
	}
}

/* --- fields ------------------------------------------------------------ */

/* Call TAKE with the named values of all fields of that name. */
static void
give_named_values(const char *name, values_take *take, void *context)
{
	const char *dot = strchr(name, '.');
	for (size_t d = 0; d < decoder_count; d++) {
		const struct decoder_ops *ops = decoders[d];
		if (dot && (strlen(ops->format) != (size_t)(dot - name) ||
			    strncmp(ops->format, name, (size_t)(dot - name)) != 0))
			continue;
		for (size_t k = 0; k < ops->field_count; k++) {
			const struct field_row *row = &ops->fields[k];
			if (strcmp(row->name, dot ? dot + 1 : name) != 0)
				continue;
			for (size_t i = 0; i < row->value_count; i++)
				if (row->values[i])
					take_quoted(row->values[i], strlen(row->values[i]), take,
						    context);
		}
	}
}

static void
add_field(const struct field *field, struct text *out)
{
	struct text value = {0};
	field_format(field, &value);
	bool bare = value.length;
	for (size_t i = 0; i < value.length; i++)
		bare &= is_value(value.data[i]);
	if (bare)
		text_add_bytes(out, value.data, value.length);
	else
		filter_quote(text_get(&value), value.length, out);
	text_free(&value);
}

/* Append the value of a field in a row of the list. */
static void
add_of_row(struct screen *screen, const char *name, const struct row *row, struct text *out)
{
	const struct list_lane *lane = &screen->list->lanes[row->lane];
	const char *dot = strchr(name, '.'), *format = trace_decoder(lane->trace)->ops->format;
	struct expansion e = {0};
	if (!row->there || (dot && (strlen(format) != (size_t)(dot - name) ||
				    strncmp(format, name, (size_t)(dot - name)) != 0)))
		return;
	reader_expand(lane->reader, &row->message, EXPAND_FIELDS, &e);
	if (!strcmp(name, "type") && e.type.length)
		filter_quote(text_get(&e.type), e.type.length, out);
	for (size_t i = 0; i < e.fields.count && !out->length; i++)
		if (!strcmp(e.fields.at[i].row->name, dot ? dot + 1 : name))
			add_field(&e.fields.at[i], out);
	expansion_free(&e);
}

/* Call TAKE once with each value in the rows on the screen. */
static void
give_values_in_view(struct screen *screen, const char *name, values_take *take, void *context)
{
	VEC(char *) given = {0};
	const struct row *row;
	for (size_t i = 0; i < screen->list->height && (row = list_row(screen->list, i)); i++) {
		struct text value = {0};
		size_t k = 0;
		add_of_row(screen, name, row, &value);
		while (k < given.count && strcmp(given.at[k], text_get(&value)) != 0)
			k++;
		if (value.length && k == given.count) {
			take(context, value.data);
			*vec_add(&given) = value.data;
		} else {
			text_free(&value);
		}
	}
	for (size_t i = 0; i < given.count; i++)
		free(given.at[i]);
	vec_free(&given);
}

static void
give_field_values(struct screen *screen, const char *name, values_take *take, void *context)
{
	give_named_values(name, take, context);
	give_values_in_view(screen, name, take, context);
}

static const char context_prefix[] = "context.";

/* Find a context by name, in the profile or, if that has none, in the standard ones.  Return
 * NULL if there is none. */
static const struct context_options *
find_context(struct screen *screen, const char *name)
{
	struct option_list list = screen->session->profile.contexts;
	if (!list.count)
		list = context_standard();
	for (size_t k = 0; k < list.count; k++) {
		const struct context_options *options =
		    (const void *)((const char *)list.at + k * context_options_table()->size);
		if (!strcmp(options->name, name))
			return options;
	}
	return NULL;
}

static void
give_context_values(struct screen *screen, const char *name, values_take *take, void *context)
{
	const struct context_options *options = find_context(screen, name + strlen(context_prefix));
	if (!options)
		return;
	const struct context_value_options *values = options->values.at;
	const struct context_range_options *ranges = options->ranges.at;
	for (size_t i = 0; i < options->values.count; i++)
		take_quoted(values[i].name, strlen(values[i].name), take, context);
	for (size_t i = 0; i < options->ranges.count; i++)
		take_quoted(ranges[i].name, strlen(ranges[i].name), take, context);
	give_named_values(options->field, take, context);
}

static const struct {
	const char *name;
	value_giver *give;
} givers[] = {{"severity", give_severities},
	      {"flags", give_flags},
	      {"kind", give_kinds},
	      {"trace", give_traces},
	      {"origin", give_origins}};

void
values_give(struct screen *screen, const char *name, values_take *take, void *context)
{
	value_giver *give = give_field_values;
	if (!strncmp(name, context_prefix, strlen(context_prefix)))
		give = give_context_values;
	for (size_t k = 0; k < sizeof givers / sizeof *givers; k++)
		if (!strcmp(name, givers[k].name))
			give = givers[k].give;
	give(screen, name, take, context);
}

/* True if a name is one of NAMES, each followed by a blank. */
static bool
is_among(const struct text *names, const char *name, size_t length)
{
	for (const char *at = text_get(names); *at; at += strcspn(at, " ") + 1)
		if (strcspn(at, " ") == length && !strncmp(at, name, length))
			return true;
	return false;
}

void
values_give_arguments(struct screen *screen, values_take *take, void *context)
{
	struct expansion e = {0};
	struct text names = {0};
	const struct row *row;
	for (size_t r = 0; r < screen->list->height && (row = list_row(screen->list, r)); r++) {
		if (!row->there)
			continue;
		reader_expand(screen->list->lanes[row->lane].reader, &row->message, EXPAND_FIELDS,
			      &e);
		for (size_t f = 0; f < e.fields.count; f++) {
			const char *name = e.fields.at[f].argument;
			if (!name || !*name || is_among(&names, name, strlen(name)))
				continue;
			text_addf(&names, "%s ", name);
			take(context, name);
		}
	}
	expansion_free(&e);
	text_free(&names);
}
