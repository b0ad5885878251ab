/*
 * The values of fields, for completion: see values.h.
 *
 * Severities, flags and kinds come from their tables, origins from the index,
 * contexts from the profile.  Of a field that names its values these are known,
 * of others what the rows on the screen have.
 *
 * Cost: a name of an origin or a value on the screen is a message expanded; only so
 * many origins are looked at.
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
#include <string.h>

enum { SENDERS_MAX = 256 }; /* of each trace */

/* --- where a value stands ---------------------------------------------- */

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

/* Where the quotes that are open at the end began; LENGTH if none are. */
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

/* Goes back over WORD; false if it does not end at AT. */
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

/* Goes back over the operator at whose end AT is, `in {` with values too. */
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

/* --- what is known ----------------------------------------------------- */

/* Appends the I-th value of a name; false behind the last. */
typedef bool value_giver(struct screen *, const char *name, size_t i, struct text *out);

static bool
severity_value(struct screen *screen, const char *name, size_t i, struct text *out)
{
	(void)screen;
	(void)name;
	for (const char *c = i < SEVERITY_COUNT ? severity_name((enum severity)i) : ""; *c; c++)
		text_add_char(out, (char)tolower((unsigned char)*c));
	return i < SEVERITY_COUNT;
}

static bool
flag_value(struct screen *screen, const char *name, size_t i, struct text *out)
{
	(void)screen;
	(void)name;
	if (i < MESSAGE_FLAGS_SHOWN)
		text_add(out, message_flag_name((unsigned)i));
	return i < MESSAGE_FLAGS_SHOWN;
}

/* Of the traces that are open. */
static bool
kind_value(struct screen *screen, const char *name, size_t i, struct text *out)
{
	(void)name;
	for (size_t t = 0; t < screen->session->traces.count; t++) {
		const struct decoder_ops *ops = trace_decoder(screen->session->traces.at[t])->ops;
		unsigned kind;
		const struct kind_row *row = decoder_kind(ops, i, &kind);
		if (row) {
			text_add(out, row->name);
			return true;
		}
		i -= ops->kind_count + 1;
	}
	return false;
}

static void
add_quoted(const struct text *value, struct text *out)
{
	filter_quote(text_get(value), value->length, out);
}

static bool
trace_value(struct screen *screen, const char *name, size_t i, struct text *out)
{
	(void)name;
	if (i >= screen->session->traces.count)
		return false;
	const char *trace = trace_name(screen->session->traces.at[i]);
	filter_quote(trace, strlen(trace), out);
	return true;
}

static void
add_origin(struct screen *screen, size_t trace, const struct index_origin *origin, struct text *out)
{
	struct reader *reader = sequence_reader(screen->sequence, trace);
	struct expansion e = {0};
	struct message m;
	if (origin->key == UINT64_MAX || !reader_find_origin(reader, origin, &m))
		return;
	reader_expand_origin(reader, &m, &e);
	if (e.origin.length)
		add_quoted(&e.origin, out);
	expansion_free(&e);
}

static bool
origin_value(struct screen *screen, const char *name, size_t i, struct text *out)
{
	bool found = false;
	(void)name;
	for (size_t t = 0; !found && t < screen->session->traces.count; t++) {
		index_origins origins = {0};
		index_get_origins(trace_index(screen->session->traces.at[t]), &origins);
		size_t count = origins.count < SENDERS_MAX ? origins.count : SENDERS_MAX;
		found = i < count;
		if (found)
			add_origin(screen, t, &origins.at[i], out);
		else
			i -= count;
		vec_free(&origins);
	}
	return found;
}

/* --- fields ------------------------------------------------------------ */

/* The I-th named value of all fields of that name; NULL behind the last, and *LEFT
 * is how many further I was. */
static const char *
named_value(const char *name, size_t i, size_t *left)
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
			if (i < row->value_count)
				return row->values[i] ? row->values[i] : "";
			i -= row->value_count;
		}
	}
	*left = i;
	return NULL;
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
		add_quoted(&value, out);
	text_free(&value);
}

/* What a row of the list has of that name. */
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
		add_quoted(&e.type, out);
	for (size_t i = 0; i < e.fields.count && !out->length; i++)
		if (!strcmp(e.fields.at[i].row->name, dot ? dot + 1 : name))
			add_field(&e.fields.at[i], out);
	expansion_free(&e);
}

static bool
row_value(struct screen *screen, const char *name, size_t i, struct text *out)
{
	const struct row *row = i < screen->list->height ? list_row(screen->list, i) : NULL;
	struct text value = {0}, earlier = {0};
	bool again = false;
	if (!row)
		return false;
	add_of_row(screen, name, row, &value);
	for (size_t k = 0; k < i && value.length && !again; k++) {
		text_clear(&earlier);
		add_of_row(screen, name, list_row(screen->list, k), &earlier);
		again = !strcmp(text_get(&earlier), text_get(&value));
	}
	text_add(out, again ? "" : text_get(&value));
	text_free(&earlier);
	text_free(&value);
	return true;
}

static bool
field_value(struct screen *screen, const char *name, size_t i, struct text *out)
{
	size_t left = 0;
	const char *value = named_value(name, i, &left);
	if (!value)
		return row_value(screen, name, left, out);
	if (*value)
		filter_quote(value, strlen(value), out);
	return true;
}

static const char context_prefix[] = "context.";

/* What the profile calls the values of a context, or else the format. */
static bool
value_of_context(struct screen *screen, const char *name, size_t i, struct text *out)
{
	struct option_list list = screen->session->profile.contexts;
	const char *value = NULL;
	size_t left;
	if (!list.count)
		list = context_standard();
	for (size_t k = 0; k < list.count && !value; k++) {
		const struct context_options *context =
		    (const void *)((const char *)list.at + k * context_options_table()->size);
		const struct context_value_options *values = context->values.at;
		const struct context_range_options *ranges = context->ranges.at;
		size_t count = context->values.count, all = count + context->ranges.count;
		if (strcmp(context->name, name + strlen(context_prefix)) != 0)
			continue;
		if (i < count)
			value = values[i].name;
		else if (i < all)
			value = ranges[i - count].name;
		else if (!(value = named_value(context->field, i - all, &left)))
			return false;
	}
	if (value && *value)
		filter_quote(value, strlen(value), out);
	return value;
}

static const struct {
	const char *name;
	value_giver *give;
} givers[] = {{"severity", severity_value},
	      {"flags", flag_value},
	      {"kind", kind_value},
	      {"trace", trace_value},
	      {"origin", origin_value}};

bool
values_give(struct screen *screen, const char *name, size_t i, struct text *out)
{
	for (size_t k = 0; k < sizeof givers / sizeof *givers; k++)
		if (!strcmp(name, givers[k].name))
			return givers[k].give(screen, name, i, out);
	if (!strncmp(name, context_prefix, strlen(context_prefix)))
		return value_of_context(screen, name, i, out);
	return field_value(screen, name, i, out);
}

/* Whether a name is one of NAMES, each of which ends with a blank. */
static bool
is_among(const struct text *names, const char *name, size_t length)
{
	for (const char *at = text_get(names); *at; at += strcspn(at, " ") + 1)
		if (strcspn(at, " ") == length && !strncmp(at, name, length))
			return true;
	return false;
}

bool
values_give_argument(struct screen *screen, size_t *i, struct text *out)
{
	struct expansion e = {0};
	struct text names = {0};
	bool found = false;
	for (size_t r = 0; r < screen->list->height && !found; r++) {
		const struct row *row = list_row(screen->list, r);
		if (!row)
			break;
		if (!row->there)
			continue;
		reader_expand(screen->list->lanes[row->lane].reader, &row->message, EXPAND_FIELDS,
			      &e);
		for (size_t f = 0; f < e.fields.count && !found; f++) {
			const char *name = e.fields.at[f].argument;
			if (!name || !*name || is_among(&names, name, strlen(name)))
				continue;
			text_addf(&names, "%s ", name);
			found = !*i;
			if (found)
				text_add(out, name);
			else
				--*i;
		}
	}
	expansion_free(&e);
	text_free(&names);
	return found;
}
