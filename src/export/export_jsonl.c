/*
 * `-t jsonl`: one JSON object (RFC 8259) for each message.  The same keys always come
 * first, then `fields` as the format's field table names them.  Integers are exact to 64
 * bits.  Bytes that are not UTF-8 become U+FFFD.  Control and format characters are
 * escaped, so a terminal can show a line.
 */
#include "config.h"

#include "decode/argument.h"
#include "export/export.h"
#include "session/intervals.h"
#include "session/session.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Bytes that are tested together. */
typedef uint8_t lanes __attribute__((vector_size(16)));
typedef uint64_t halves __attribute__((vector_size(16)));

enum { LANES = sizeof(lanes) };

/* True if any byte is not printable ASCII, or is `"` or `\`. */
static inline bool
needs_escape(halves bytes)
{
	const lanes c = (lanes)bytes;
	const halves any = (halves)((c - ' ' >= 0x7f - ' ') | (c == '"') | (c == '\\'));
	return any[0] | any[1];
}

/* Copy 16 bytes if none needs an escape. */
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

/* Copy 8 to 16 bytes if none needs an escape, as two words that may overlap.  copy_half_words
 * copies 4 to 8 bytes the same way. */
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

/* Copy bytes up to the first that needs an escape.  Return their number. */
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

/*
 * A line is written piece by piece into reserved room, without a NUL.  AT is its end so
 * far.  There is room for AROUND bytes after each piece.  Longer pieces reserve their own.
 */
enum {
	AROUND = 32,
	NUMBER = 24 /* with its sign */
};

/* Reserve room for MORE bytes at the end of OUT.  Return the end. */
static inline char *
begin_at(struct text *out, size_t more)
{
	text_reserve(out, more);
	return out->data + out->length;
}

/* Reserve room for MORE bytes after AT. */
static inline char *
make_room(struct text *out, char *at, size_t more)
{
	out->length = (size_t)(at - out->data);
	return begin_at(out, more);
}

/* Write bytes into reserved room.  Return their end. */
static inline char *
put_bytes(char *at, const char *bytes, size_t length)
{
	memcpy(at, bytes, length);
	return at + length;
}
#define PUT(at, literal) put_bytes(at, literal, sizeof(literal) - 1)

/* Append the first code point of BYTES, escaped for a string.  Return the number of bytes read. */
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

/* Write the rest of a string, from the first byte that needs an escape, and the closing quote. */
static char *
put_escaped(struct text *out, char *at, const char *bytes, size_t length)
{
	while (length) {
		out->length = (size_t)(at - out->data);
		size_t taken = add_escaped(out, bytes, length);
		bytes += taken;
		length -= taken;
		at = begin_at(out, length + AROUND);
		size_t plain = copy_plain(at, bytes, length);
		at += plain;
		bytes += plain;
		length -= plain;
	}
	*at++ = '"';
	return at;
}

/* Write a string at AT with its quotes, and leave room for AROUND bytes. */
static char *
put_string(struct text *out, char *at, const char *bytes, size_t length)
{
	at = make_room(out, at, length + AROUND);
	*at++ = '"';
	size_t plain = copy_plain(at, bytes, length);
	at += plain;
	if (plain < length)
		return put_escaped(out, at, bytes + plain, length - plain);
	*at++ = '"';
	return at;
}

/* End the written text at AT. */
static inline void
end_at(struct text *out, char *at)
{
	*at = '\0';
	out->length = (size_t)(at - out->data);
}

void
export_json_string(struct text *out, const char *bytes, size_t length)
{
	end_at(out, put_string(out, begin_at(out, 0), bytes, length));
}

static inline char *
put_text(struct text *out, char *at, const struct text *value)
{
	return put_string(out, at, text_get(value), value->length);
}

static void
add_text(struct text *out, const struct text *value)
{
	export_json_string(out, text_get(value), value->length);
}

/* Fields of a message, written one after the other, each with a comma after it. */
struct fields {
	struct text *out;
	struct export_kept *kept;
	struct export_number *ticks; /* ticks of messages; fields may repeat them */
	const struct field *next, *end;
};

/* True if the next field is at least DEPTH deep. */
static inline bool
has_next(const struct fields *f, unsigned depth)
{
	return f->next < f->end && f->next->depth >= depth;
}

enum { DIFFERING = 10000 };

static inline bool
is_near(const struct export_number *last, uint64_t value)
{
	return value - last->base < DIFFERING;
}

/* Write a number.  Cheap if it is slightly above the last one. */
static inline char *
put_near(struct export_number *last, char *at, uint64_t value)
{
	if (value < DIFFERING)
		return text_put_uint(at, value);
	if (!is_near(last, value)) {
		last->base = value - value % DIFFERING;
		last->length =
		    (uint8_t)(text_put_uint(last->digits, value / DIFFERING) - last->digits);
	}
	memcpy(at, last->digits, sizeof last->digits);
	return text_put_four(at + last->length, (uint32_t)(value - last->base));
}

/* Write any number, with room for NUMBER bytes. */
static inline char *
put_uint(const struct fields *f, char *at, uint64_t value)
{
	return is_near(f->ticks, value) ? put_near(f->ticks, at, value) : text_put_uint(at, value);
}

/* Write the value of a field of a rare type. */
static char *
put_rare(struct text *out, char *at, const struct field *field)
{
	bool quoted = field->row->type == FIELD_BYTES;
	out->length = (size_t)(at - out->data);
	if (quoted)
		text_add_char(out, '"');
	if (field->row->type == FIELD_NUMBER && !isfinite(field->d))
		text_add(out, "null"); /* JSON has no infinity */
	else
		field_format(field, out);
	if (quoted)
		text_add_char(out, '"');
	return begin_at(out, AROUND);
}

/* Write a value.  Needs room for a number and AROUND bytes, and leaves room for AROUND. */
static inline __attribute__((always_inline)) char *
put_value(const struct fields *f, char *at, const struct field *field)
{
	switch (field->row->type) {
	case FIELD_INT:
		if (field->i < 0)
			*at++ = '-';
		return text_put_uint(at, field->i < 0 ? -field->u : field->u);
	case FIELD_UINT:
	case FIELD_HEX:
		return put_uint(f, at, field->u);
	case FIELD_TEXT:
		return put_string(f->out, at, field->s.at, field->s.length);
	case FIELD_HEXTEXT:
		at = text_put_hex(PUT(at, "\"0x"), field->u, field->row->digits);
		return PUT(at, "\"");
	case FIELD_NUMBER:
	case FIELD_BOOL:
	case FIELD_BYTES:
		return put_rare(f->out, at, field);
	case FIELD_LIST:
	case FIELD_OBJECT:
	case FIELD_GROUP:
		break;
	}
	return at;
}

static void
add_value(struct text *out, const struct field *field)
{
	struct export_number none = {0};
	const struct fields f = {.out = out, .ticks = &none};
	end_at(out, put_value(&f, begin_at(out, NUMBER + AROUND), field));
}

/* Write a member's name, which needs no escapes, and leave room for a number. */
static inline char *
put_name(struct text *out, char *at, const char *name)
{
	size_t length = strlen(name);
	at = make_room(out, at, length + NUMBER + 2 * AROUND);
	*at++ = '"';
	return PUT(put_bytes(at, name, length), "\":");
}

/* Return the written form of a field's name, or NULL if it is too long. */
static inline const struct export_key *
key_of(struct export_kept *kept, const struct field_row *row)
{
	enum { KEYS = sizeof kept->keys / sizeof *kept->keys };
	struct export_key *key = &kept->keys[(uintptr_t)row / sizeof *row % KEYS];
	if (key->row != row) {
		size_t length = strlen(row->name);
		bool fits = length + strlen("\"\":") <= sizeof key->bytes;
		key->row = row;
		key->length = fits ? (uint8_t)(length + strlen("\"\":")) : 0;
		if (fits)
			PUT(put_bytes(PUT(key->bytes, "\""), row->name, length), "\":");
	}
	return key->length ? key : NULL;
}

/* Write the name of a field as a member's name, and leave room for a number. */
static inline char *
put_key(struct text *out, char *at, struct export_kept *kept, const struct field_row *row)
{
	const struct export_key *key = key_of(kept, row);
	if (!key)
		return put_name(out, at, row->name);
	at = make_room(out, at, sizeof key->bytes + NUMBER + AROUND);
	memcpy(at, key->bytes, sizeof key->bytes);
	return at + key->length;
}

/* Write a closing bracket over the comma after the last element, or after the opening bracket. */
static char *
close_bracket(char *at, char bracket)
{
	at -= at[-1] == ',';
	*at++ = bracket;
	return at;
}

/* The named arguments of a list, and the places of their values in the line. */
struct arguments {
	size_t count;
	struct {
		const char *name;
		size_t from, length;
	} at[ARGUMENT_NAMES_MAX];
};

/* Write the arguments again, as an object by name. */
static char *
put_arguments(struct text *out, char *at, const struct arguments *arguments)
{
	at = PUT(make_room(out, at, AROUND), ",\"arg\":{");
	for (size_t i = 0; i < arguments->count; i++) {
		size_t length = arguments->at[i].length;
		at = put_name(out, at, arguments->at[i].name);
		at = make_room(out, at, length + AROUND);
		at = put_bytes(at, out->data + arguments->at[i].from, length);
		*at++ = ',';
	}
	return close_bracket(at, '}');
}

static void
note_argument(struct arguments *arguments, const struct field *field, size_t from, size_t until)
{
	if (!field->argument || !*field->argument)
		return;
	assert(arguments->count < ARGUMENT_NAMES_MAX);
	size_t i = arguments->count++;
	arguments->at[i].name = field->argument;
	arguments->at[i].from = from;
	arguments->at[i].length = until - from;
}

static char *put_members(struct fields *, char *at, unsigned depth);
static char *put_elements(struct fields *, char *at, unsigned depth, struct arguments *);

/* Write a list or an object.  After a list with a name, write its arguments by name. */
static char *
put_branch(struct fields *f, char *at, const struct field *field, bool named)
{
	unsigned inner = field->depth + 1u;
	struct arguments arguments;
	arguments.count = 0;
	if (field->row->type == FIELD_OBJECT) {
		*at++ = '{';
		at = close_bracket(put_members(f, at, inner), '}');
	} else {
		*at++ = '[';
		at = put_elements(f, at, inner, named ? &arguments : NULL);
		at = close_bracket(at, ']');
	}
	if (arguments.count)
		at = put_arguments(f->out, at, &arguments);
	return make_room(f->out, at, AROUND);
}

/* Write the contents of a group, as if they were at the group's own level.  Skip the contents of
 * a field that is not exported. */
static char *
put_inner(struct fields *f, char *at, const struct field *field, bool names,
	  struct arguments *arguments)
{
	unsigned inner = field->depth + 1u;
	if (field->row->type == FIELD_GROUP)
		return names ? put_members(f, at, inner) : put_elements(f, at, inner, arguments);
	while (has_next(f, inner))
		f->next++;
	return at;
}

/* Write the next fields as long as they are at least DEPTH deep, with names unless in a list.
 * Note ARGUMENTS, unless NULL.  Inline, so that each combination has its own code. */
static inline __attribute__((always_inline)) char *
put_level(struct fields *f, char *at, unsigned depth, bool names, struct arguments *arguments)
{
	while (has_next(f, depth)) {
		const struct field *field = f->next++;
		const struct field_row *row = field->row;
		if (row->type == FIELD_GROUP || row->detail) {
			at = put_inner(f, at, field, names, arguments);
			continue;
		}
		at = names ? put_key(f->out, at, f->kept, row)
			   : make_room(f->out, at, NUMBER + AROUND);
		size_t from = (size_t)(at - f->out->data);
		bool branch = row->type == FIELD_LIST || row->type == FIELD_OBJECT;
		at = branch ? put_branch(f, at, field, names) : put_value(f, at, field);
		if (arguments)
			note_argument(arguments, field, from, (size_t)(at - f->out->data));
		*at++ = ',';
	}
	return at;
}

static char *
put_members(struct fields *f, char *at, unsigned depth)
{
	return put_level(f, at, depth, true, NULL);
}

static char *
put_elements(struct fields *f, char *at, unsigned depth, struct arguments *arguments)
{
	return put_level(f, at, depth, false, arguments);
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

/* Append the contexts that apply to the message, by name. */
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

/* Append the lengths of intervals that the message begins or ends. */
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

/* Return the name of the severity, or NULL for null. */
static const char *
severity_of(const struct export_message *message)
{
	const enum severity severity = message->message->severity;
	if (severity != SEVERITY_NONE)
		return severity_name(severity);
	bool max = trace_decoder(reader_trace(message->reader))->ops->none_is_max;
	return max ? severity_name(SEVERITY_MAX) : NULL;
}

/* Write the members after the trace's name, up to the origin.  Their length is bounded. */
static char *
put_head(struct fields *f, char *at, const struct export_message *message)
{
	enum { NUMBERS = 4 * NUMBER, WORDS = 160 };
	const struct message *m = message->message;
	const bool negative = message->timed && message->time < 0;
	const uint64_t time = (uint64_t)message->time;
	const char *severity = severity_of(message);
	const size_t length = severity ? strlen(severity) : 0;
	at = make_room(f->out, at, NUMBERS + WORDS + length);
	at = put_near(&f->kept->offset, at, m->offset);
	at = text_put_uint(PUT(at, ",\"length\":"), m->length);
	at = PUT(at, ",\"ticks\":");
	at = message->ticked ? put_near(f->ticks, at, message->ticks) : PUT(at, "null");
	at = PUT(at, ",\"time\":");
	if (negative)
		*at++ = '-';
	at = message->timed ? text_put_uint(at, negative ? -time : time) : PUT(at, "null");
	if (!severity)
		return PUT(at, ",\"severity\":null,\"origin\":");
	at = put_bytes(PUT(at, ",\"severity\":\""), severity, length);
	return PUT(at, "\",\"origin\":");
}

static char *
put_flags(struct text *out, char *at, const struct export_message *message)
{
	at = PUT(at, ",\"flags\":[");
	end_at(out, at);
	export_flags(message, "\"", ",", out);
	return PUT(begin_at(out, AROUND), "],\"fields\":{");
}

/* Build the text between the number and the offset of a trace's messages. */
static void
keep_name(struct export_kept *kept, const struct trace *trace)
{
	const char *name = trace_name(trace);
	kept->trace = trace;
	text_clear(&kept->name);
	text_add(&kept->name, ",\"trace\":");
	export_json_string(&kept->name, name, strlen(name));
	text_add(&kept->name, ",\"offset\":");
}

void
export_jsonl(struct export_message *message, struct text *out)
{
	const struct expansion *e = message->expansion;
	const struct message *m = message->message;
	struct trace *trace = reader_trace(message->reader);
	struct export_kept *kept = message->kept;
	struct fields fields = {.out = out,
				.kept = kept,
				.ticks = &kept->ticks,
				.next = e->fields.at,
				.end = e->fields.at + e->fields.count};
	if (kept->trace != trace)
		keep_name(kept, trace);
	char *at = begin_at(out, NUMBER + AROUND);
	at = put_near(&kept->number, PUT(at, "{\"n\":"), message->number);
	at = put_bytes(make_room(out, at, kept->name.length), kept->name.data, kept->name.length);
	at = put_head(&fields, at, message);
	at = put_text(out, at, &e->origin);
	at = put_text(out, PUT(at, ",\"type\":"), &e->type);
	at = put_text(out, PUT(at, ",\"text\":"), &e->text);
	at = put_flags(out, at, message);
	at = put_members(&fields, at, 0);
	end_at(out, close_bracket(at, '}'));
	if (message->contexts)
		add_contexts(out, message->contexts, trace, m);
	add_intervals(out, message);
	if (message->mark)
		add_mark(out, message->mark);
	if (message->columns)
		export_add_columns(message, EXPORT_JSON, out);
	if (message->columns & EXPORT_TARGET)
		add_target(message, out);
	text_add(out, "}\n");
}
