/*
 * `-t jsonl`: one JSON object (RFC 8259) per message, always the same keys
 * first, then `fields` as the format's field table names them.  Integers are
 * exact to 64 bits.  Bytes that are not UTF-8 become U+FFFD; controls and
 * format characters are escaped, so a line may be shown on a terminal.
 */
#include "config.h"

#include "export/export.h"
#include "session/intervals.h"
#include "session/session.h"

#include <math.h>
#include <string.h>

/* Bytes that are looked at together. */
typedef uint8_t lanes __attribute__((vector_size(16)));
typedef uint64_t halves __attribute__((vector_size(16)));

enum { LANES = sizeof(lanes) };

/* Whether one of the bytes is not printable ASCII, or is `"` or `\`. */
static inline bool
needs_escape(halves bytes)
{
	const lanes c = (lanes)bytes;
	const halves any = (halves)((c - ' ' >= 0x7f - ' ') | (c == '"') | (c == '\\'));
	return any[0] | any[1];
}

/* Copies 16 bytes if none needs an escape. */
static inline bool
copy_lanes(char *to, const char *bytes)
{
	halves all;
	memcpy(&all, bytes, sizeof all);
	if (needs_escape(all))
		return false;
	memcpy(to, &all, sizeof all);
	return true;
}

/* Copies 8 to 16 bytes, if none needs an escape: the first and the last eight, which may
 * overlap; and 4 to 8 likewise. */
static inline bool
copy_words(char *to, const char *bytes, size_t length)
{
	uint64_t first, last;
	memcpy(&first, bytes, sizeof first);
	memcpy(&last, bytes + length - sizeof last, sizeof last);
	if (needs_escape((halves){first, last}))
		return false;
	memcpy(to, &first, sizeof first);
	memcpy(to + length - sizeof last, &last, sizeof last);
	return true;
}

static inline bool
copy_half_words(char *to, const char *bytes, size_t length)
{
	uint32_t first, last;
	memcpy(&first, bytes, sizeof first);
	memcpy(&last, bytes + length - sizeof last, sizeof last);
	if (needs_escape((halves){first | (uint64_t)last << 32, first | (uint64_t)last << 32}))
		return false;
	memcpy(to, &first, sizeof first);
	memcpy(to + length - sizeof last, &last, sizeof last);
	return true;
}

/* Copies bytes up to the first that needs an escape; returns how many. */
static size_t
copy_plain(char *to, const char *bytes, size_t length)
{
	size_t plain = 0;
	while (length - plain >= LANES && copy_lanes(to + plain, bytes + plain))
		plain += LANES;
	const size_t left = length - plain;
	if (left < LANES &&
	    (length >= LANES ? copy_lanes(to + length - LANES, bytes + length - LANES)
	     : length >= 8   ? copy_words(to, bytes, length)
			     : length >= 4 && copy_half_words(to, bytes, length)))
		return length;
	for (; plain < length; plain++) {
		unsigned char c = (unsigned char)bytes[plain];
		if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\')
			break;
		to[plain] = (char)c;
	}
	return plain;
}

/* Adds the first code point of BYTES as a string has it; returns the bytes that were taken. */
static size_t
add_escaped(struct text *out, const char *bytes, size_t length)
{
	uint32_t code;
	size_t taken = text_decode(bytes, length, &code);
	if (!taken) {
		text_add(out, "\\ufffd");
		return 1;
	}
	if (code == '"' || code == '\\') {
		text_add_char(out, '\\');
		text_add_char(out, (char)code);
	} else if (!text_is_control(code)) {
		text_add_bytes(out, bytes, taken);
	} else if (code > 0xffff) { /* as a surrogate pair, section 7 */
		text_addf(out, "\\u%04x\\u%04x", (unsigned)(0xd7c0 + (code >> 10)),
			  (unsigned)(0xdc00 | (code & 0x3ff)));
	} else {
		text_addf(out, "\\u%04x", (unsigned)code);
	}
	return taken;
}

void
export_json_string(struct text *out, const char *bytes, size_t length)
{
	text_reserve(out, length + 2);
	out->data[out->length++] = '"';
	for (;;) {
		text_reserve(out, length + 1);
		size_t plain = copy_plain(out->data + out->length, bytes, length);
		out->length += plain;
		bytes += plain;
		length -= plain;
		if (!length)
			break;
		size_t taken = add_escaped(out, bytes, length);
		bytes += taken;
		length -= taken;
	}
	out->data[out->length++] = '"';
	out->data[out->length] = '\0';
}

static void
add_text(struct text *out, const struct text *value)
{
	export_json_string(out, text_get(value), value->length);
}

/* Puts bytes where there is room, and returns where they end. */
static inline char *
put_bytes(char *at, const char *bytes, size_t length)
{
	memcpy(at, bytes, length);
	return at + length;
}
#define PUT(at, literal) put_bytes(at, literal, sizeof(literal) - 1)

static void
add_value(struct text *out, const struct field *field)
{
	switch (field->row->type) {
	case FIELD_UINT:
	case FIELD_HEX:
		text_add_uint(out, field->u);
		break;
	case FIELD_NUMBER:
		if (isfinite(field->d))
			field_format(field, out);
		else
			text_add(out, "null"); /* JSON has no infinity */
		break;
	case FIELD_INT:
	case FIELD_BOOL:
		field_format(field, out);
		break;
	case FIELD_TEXT:
		export_json_string(out, field->s.at, field->s.length);
		break;
	case FIELD_HEXTEXT:
	case FIELD_BYTES:
		text_add_char(out, '"');
		field_format(field, out);
		text_add_char(out, '"');
		break;
	case FIELD_LIST:
	case FIELD_OBJECT:
	case FIELD_GROUP:
		break;
	}
}

/* Adds a member; its name needs no escapes. */
static void
add_member(struct text *out, const char *name, const struct field *field)
{
	enum { AROUND = 3, NUMBER = 21 };
	size_t length = strlen(name);
	text_reserve(out, length + AROUND + NUMBER);
	char *at = out->data + out->length;
	*at++ = '"';
	at = put_bytes(at, name, length);
	at = PUT(at, "\":");
	bool plain = field->row->type == FIELD_UINT || field->row->type == FIELD_HEX;
	if (plain)
		at = text_put_uint(at, field->u);
	*at = '\0';
	out->length = (size_t)(at - out->data);
	if (!plain)
		add_value(out, field);
}

/* Adds the arguments that have a name, from FROM up to TO, as an object behind their list. */
static void
add_arguments(struct text *out, const struct expansion *e, size_t from, size_t to)
{
	bool any = false;
	for (size_t i = from; i < to; i++) {
		const struct field *field = &e->fields.at[i];
		if (!field->argument || !*field->argument)
			continue;
		text_add(out, any ? "," : ",\"arg\":{");
		any = true;
		add_member(out, field->argument, field);
	}
	if (any)
		text_add_char(out, '}');
}

/* Adds the fields from *AT on that are deeper than DEPTH (at least), without
 * brackets; names unless the level is a list's.  *FIRST: no comma yet. */
static void
add_level(struct text *out, const struct expansion *e, size_t *at, unsigned depth, bool names,
	  bool *first)
{
	while (*at < e->fields.count && e->fields.at[*at].depth >= depth) {
		const struct field *field = &e->fields.at[(*at)++];
		unsigned inner = field->depth + 1u;
		if (field->row->type == FIELD_GROUP) {
			add_level(out, e, at, inner, names, first);
			continue;
		}
		if (field->row->detail) {
			while (*at < e->fields.count && e->fields.at[*at].depth >= inner)
				(*at)++;
			continue;
		}
		if (!*first)
			text_add_char(out, ',');
		*first = false;
		if (names)
			add_member(out, field->row->name, field);
		bool list = field->row->type == FIELD_LIST;
		if (list || field->row->type == FIELD_OBJECT) {
			bool none = true;
			size_t start = *at;
			text_add_char(out, list ? '[' : '{');
			add_level(out, e, at, inner, !list, &none);
			text_add_char(out, list ? ']' : '}');
			if (list && names)
				add_arguments(out, e, start, *at);
		} else if (!names) {
			add_value(out, field);
		}
	}
}

static void
add_context(struct text *out, struct context_cursor *cursor, struct trace *trace, unsigned context,
	    const struct context_value *value)
{
	const struct decoder_ops *ops = trace_decoder(value->trace)->ops;
	if (value->state != CONTEXT_KNOWN && value->state != CONTEXT_UNKNOWN) {
		text_add(out, "null");
		return;
	}
	text_add(out, "{\"value\":");
	if (value->state == CONTEXT_UNKNOWN) {
		text_add(out, "null");
	} else if (value->is_number) {
		add_value(out,
			  &(struct field){.row = &ops->fields[value->row], .u = value->number});
	} else {
		struct text text = {0};
		context_text(session_of(trace)->contexts, cursor, context, value, &text);
		add_text(out, &text);
		text_free(&text);
	}
	if (value->name) {
		text_add(out, ",\"name\":");
		export_json_string(out, value->name, strlen(value->name));
	}
	text_addf(out, ",\"since\":%llu", (unsigned long long)value->since.offset);
	if (value->trace != trace) {
		text_add(out, ",\"trace\":");
		export_json_string(out, trace_name(value->trace), strlen(trace_name(value->trace)));
	}
	if (value->doubtful)
		text_add(out, ",\"doubtful\":true");
	if (value->recovered)
		text_add(out, ",\"recovered\":true");
	text_add_char(out, '}');
}

/* Those that apply to the message, under their names. */
static void
add_contexts(struct text *out, struct context_cursor *cursor, struct trace *trace,
	     const struct message *m)
{
	struct contexts *contexts = session_of(trace)->contexts;
	bool first = true;
	text_add(out, ",\"context\":{");
	for (unsigned i = 0; i < contexts_count(contexts); i++) {
		const char *name = contexts_name(contexts, i);
		struct context_value value;
		if (!context_value(contexts, cursor, m, i, &value))
			continue;
		if (!first)
			text_add_char(out, ',');
		first = false;
		export_json_string(out, name, strlen(name));
		text_add_char(out, ':');
		add_context(out, cursor, trace, i, &value);
	}
	text_add_char(out, '}');
}

static void
add_target(struct export_message *message, struct text *out)
{
	struct text place = {0};
	text_add(out, ",\"target\":");
	if (export_find_target(message, &place))
		add_text(out, &place);
	else
		text_add(out, "null");
	text_free(&place);
}

/* The lengths of those that the message begins or ends. */
static void
add_intervals(struct text *out, struct export_message *message)
{
	const struct session_intervals *hook = session_of(reader_trace(message->reader))->intervals;
	size_t count = hook ? hook->count(hook->context) : 0;
	struct interval_length length;
	bool any = false;
	for (size_t i = 0; i < count; i++) {
		if (!hook->find(hook->context, i, message->reader, message->message, false,
				&length))
			continue;
		text_addf(out, "%s\"%s\":", any ? "," : ",\"interval\":{",
			  hook->name(hook->context, i));
		text_add_int(out, length.length);
		any = true;
	}
	if (any)
		text_add_char(out, '}');
}

static void
add_mark(struct text *out, const struct export_mark *mark)
{
	text_addf(out, ",\"mark\":\"%c\",\"note\":", mark->letter);
	if (mark->note)
		export_json_string(out, mark->note, strlen(mark->note));
	else
		text_add(out, "null");
}

/* Number and `null`, which stands for none. */
static char *
put_number(char *at, bool any, uint64_t value)
{
	return any ? text_put_uint(at, value) : PUT(at, "null");
}

/* Adds what comes behind the name of the trace, up to the origin: all of it has a bound. */
static void
add_head(struct text *out, const struct export_message *message)
{
	enum { NUMBERS = 4 * 21, WORDS = 160 };
	const struct message *m = message->message;
	const bool negative = message->timed && message->time < 0;
	const uint64_t time = (uint64_t)message->time;
	const char *severity = severity_name(m->severity);
	const size_t length = strlen(severity);
	text_reserve(out, NUMBERS + WORDS + length);
	char *at = out->data + out->length;
	at = text_put_uint(PUT(at, ",\"offset\":"), m->offset);
	at = text_put_uint(PUT(at, ",\"length\":"), m->length);
	at = put_number(PUT(at, ",\"ticks\":"), message->ticked, message->ticks);
	at = PUT(at, ",\"time\":");
	if (negative)
		*at++ = '-';
	at = put_number(at, message->timed, negative ? -time : time);
	at = put_bytes(PUT(at, ",\"severity\":\""), severity, length);
	at = PUT(at, "\",\"origin\":");
	*at = '\0';
	out->length = (size_t)(at - out->data);
}

void
export_jsonl(struct export_message *message, struct text *out)
{
	const struct expansion *e = message->expansion;
	const struct message *m = message->message;
	struct trace *trace = reader_trace(message->reader);
	const char *name = trace_name(trace);
	text_add(out, "{\"n\":");
	text_add_uint(out, message->number);
	text_add(out, ",\"trace\":");
	export_json_string(out, name, strlen(name));
	add_head(out, message);
	add_text(out, &e->origin);
	text_add(out, ",\"type\":");
	add_text(out, &e->type);
	text_add(out, ",\"text\":");
	add_text(out, &e->text);
	text_add(out, ",\"flags\":[");
	export_flags(message, "\"", ",", out);
	text_add(out, "],\"fields\":{");
	size_t at = 0;
	bool first = true;
	add_level(out, e, &at, 0, true, &first);
	text_add_char(out, '}');
	if (message->contexts)
		add_contexts(out, message->contexts, trace, m);
	add_intervals(out, message);
	if (message->mark)
		add_mark(out, message->mark);
	export_add_columns(message, EXPORT_JSON, out);
	if (message->columns & EXPORT_TARGET)
		add_target(message, out);
	text_add(out, "}\n");
}
