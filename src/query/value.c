/*
 * Values of messages: see value.h.
 *
 * The names that every message has are rows of one table. Each row has a function and its
 * needs. Fields, arguments, intervals, contexts and spans have a row each. A value costs as
 * much as expanding its message. Nothing is formatted before value_add, except values that
 * exist only as text, such as bytes and contexts.
 *
 * Times and gaps use the timestamps of messages only, not times interpolated from cycle
 * counts.
 */
#include "config.h"

#include "query/value.h"
#include "base/nearest.h"
#include "base/notice.h"
#include "capture/capture.h"
#include "decode/argument.h"
#include "decode/registry.h"
#include "query/filter/filter.h"
#include "query/flow/flow_cursor.h"
#include "query/gap/gap.h"
#include "query/span/spans.h"
#include "session/clock/clocks.h"
#include "session/context/context.h"
#include "session/intervals.h"
#include "session/session.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NANO = 1000000000 };

struct value_row {
	const char *name;
	void (*get)(const struct value_name *, struct value_look *, struct value *);
	/* see value_raw_keys; NULL: no raw keys */
	void (*raw)(const struct value_name *, struct reader *, const struct message *,
		    size_t count, uint64_t *keys, bool *keyed);
	/* see value_head_numbers; NULL: none */
	void (*numbers)(const struct message *, size_t count, uint64_t *numbers, bool *any);
	bool expands;
	enum expand_want want; /* if `expands` */
	unsigned needs;	       /* bit set of enum value_need */
	bool is_duration, is_time, is_part, can_be_plotted;
	bool indexed; /* an index counts by it */
};

struct value_name {
	const struct value_row *row;
	enum expand_want want; /* if it expands */
	const char *field;     /* or the name of a context, span, interval or argument; points
				  into `text` */
	const char *format;    /* NULL: any */
	size_t format_length;
	uint64_t argument_of; /* bit set of decoders with arguments of that name */
	atomic_bool *found;   /* a message had a value */
	char text[];
};

/* --- reading values ----------------------------------------------------- */

#define GET(name)                                                                                  \
	static void name(const struct value_name *what, struct value_look *look,                   \
			 struct value *value)

static void
set_text(struct value *value, const char *at, size_t length)
{
	value->type = VALUE_TEXT;
	value->text.at = at;
	value->text.length = length;
}

static void
set_unsigned(struct value *value, uint64_t number)
{
	value->type = VALUE_UNSIGNED;
	value->u = number;
}

/* Copy TEXT to the expansion's arena, make that the value, and free TEXT. */
static void
keep_text(struct value *value, struct value_look *look, struct text *text)
{
	set_text(value, arena_copy(&look->expansion->arena, text_get(text), text->length),
		 text->length);
	text_free(text);
}

GET(get_trace_number)
{
	(void)what;
	set_unsigned(value, look->number);
}

GET(get_time)
{
	struct message_time time;
	(void)what;
	if (!clocks_time(reader_trace(look->reader), look->message, &time))
		return;
	if (time.known) {
		value->type = VALUE_SIGNED;
		value->i = time.nanoseconds;
	} else if (look->message->flags & MESSAGE_TIMED) {
		set_unsigned(value, look->message->ticks);
		value->ticks = true;
	}
}

GET(get_gap)
{
	struct gap gap;
	(void)what;
	if (!look->gaps ||
	    !gap_cursor_find(look->gaps, reader_trace(look->reader), look->message, &gap))
		return;
	set_unsigned(value, gap.length);
	value->ticks = !gap.known;
}

GET(get_depth)
{
	const struct flow_mark *mark =
	    look->flow ? flow_cursor_find(look->flow, look->reader, look->message) : NULL;
	char guess[32];
	(void)what;
	if (!mark)
		return;
	set_unsigned(value, mark->depth);
	int length = snprintf(guess, sizeof guess, "%" PRIu64 "?", mark->depth);
	if (mark->doubtful)
		value->meaning = arena_copy(&look->expansion->arena, guess, (size_t)length + 1);
}

GET(get_target)
{
	const struct flow_mark *mark =
	    look->flow ? flow_cursor_find(look->flow, look->reader, look->message) : NULL;
	struct text text = {0};
	(void)what;
	if (!mark || !mark->has_target)
		return;
	flow_add_address(reader_trace(look->reader), mark->target, &text);
	keep_text(value, look, &text);
}

GET(get_run_instructions)
{
	struct run_sums run;
	(void)what;
	if (look->flow && flow_cursor_run(look->flow, look->reader, look->message, &run) &&
	    run.instructions)
		set_unsigned(value, run.instructions);
}

GET(get_run_cycles)
{
	struct run_sums run;
	(void)what;
	if (look->flow && flow_cursor_run(look->flow, look->reader, look->message, &run) &&
	    run.instructions)
		set_unsigned(value, run.cycles);
}

GET(get_trace)
{
	const char *name = trace_name(reader_trace(look->reader));
	(void)what;
	set_text(value, name, strlen(name));
}

GET(get_severity)
{
	const char *name = severity_name(look->message->severity);
	(void)what;
	set_text(value, name, strlen(name));
	if (look->message->severity == SEVERITY_NONE)
		*value = (struct value){.type = VALUE_ABSENT, .meaning = name};
}

GET(get_origin)
{
	const struct text *origin = &look->expansion->origin;
	(void)what;
	if (origin->length) /* a message may have no origin */
		set_text(value, text_get(origin), origin->length);
}

GET(get_type)
{
	const struct text *type = &look->expansion->type;
	(void)what;
	set_text(value, text_get(type), type->length);
}

GET(get_text)
{
	const struct text *text = &look->expansion->text;
	(void)what;
	set_text(value, text_get(text), text->length);
}

GET(get_flags)
{
	unsigned flags = look->message->flags | look->expansion->flags;
	struct text names = {0};
	(void)what;
	for (unsigned bit = 0; bit < MESSAGE_FLAGS_SHOWN; bit++)
		if (flags >> bit & 1)
			text_addf(&names, "%s%s", names.length ? " " : "", message_flag_name(bit));
	keep_text(value, look, &names);
}

GET(get_kind)
{
	const struct decoder *decoder = trace_decoder(reader_trace(look->reader));
	const char *name = message_kind(decoder->ops, look->message)->name;
	(void)what;
	set_text(value, name, strlen(name));
}

GET(get_ticks)
{
	(void)what;
	if (look->message->flags & MESSAGE_TIMED)
		set_unsigned(value, look->message->ticks);
}

GET(get_offset)
{
	(void)what;
	set_unsigned(value, look->message->offset);
}

GET(get_length)
{
	(void)what;
	set_unsigned(value, look->message->length);
}

GET(get_bytes)
{
	const struct message *m = look->message;
	struct window window = reader_window(look->reader);
	struct text hex = {0};
	(void)what;
	text_add_hex(&hex, window.bytes + (m->offset - window.offset), m->length);
	keep_text(value, look, &hex);
}

GET(get_context)
{
	struct contexts *contexts = session_of(reader_trace(look->reader))->contexts;
	struct text label = {0};
	struct context_value held;
	unsigned context;
	if (!look->contexts || !contexts_find(contexts, what->field, &context) ||
	    !context_value(contexts, look->contexts, look->message, context, &held))
		return;
	value_add_context(contexts, look->contexts, context, &held, &label);
	if (label.length)
		keep_text(value, look, &label);
}

GET(get_span)
{
	unsigned context;
	int64_t length;
	if (!look->spans ||
	    !contexts_find(session_of(reader_trace(look->reader))->contexts, what->field,
			   &context) ||
	    !spans_find(look->spans, context, look->reader, look->message, &length, &value->ticks))
		return;
	value->type = VALUE_SIGNED;
	value->i = length;
}

static bool
is_format(const struct value_name *what, const char *format)
{
	return !what->format || (strlen(format) == what->format_length &&
				 !strncmp(format, what->format, what->format_length));
}

static void
set_field(struct value *value, struct value_look *look, const struct field *field)
{
	struct text hex = {0};
	value->field = field;
	value->meaning = field_meaning(field);
	switch (field->row->type) {
	case FIELD_BOOL:
		value->meaning = field->u ? "true" : "false";
		set_unsigned(value, field->u != 0);
		break;
	case FIELD_UINT:
	case FIELD_HEX:
	case FIELD_HEXTEXT:
		set_unsigned(value, field->u);
		break;
	case FIELD_INT:
		value->type = VALUE_SIGNED;
		value->i = field->i;
		break;
	case FIELD_NUMBER:
		value->type = VALUE_REAL;
		value->d = field->d;
		break;
	case FIELD_TEXT:
		set_text(value, field->s.at, field->s.length);
		break;
	case FIELD_BYTES:
		text_add_hex(&hex, (const uint8_t *)field->s.at, field->s.length);
		keep_text(value, look, &hex);
		break;
	case FIELD_LIST: /* their elements are separate fields */
	case FIELD_OBJECT:
	case FIELD_GROUP:
		break;
	}
	if (value->meaning && (value->type == VALUE_TEXT || value->type == VALUE_ABSENT))
		set_text(value, value->meaning, strlen(value->meaning));
}

/* True if messages of OPS have arguments of this name. */
static bool
is_argument_of(const struct value_name *what, const struct decoder_ops *ops)
{
	for (size_t i = 0; i < decoder_count && i < 64; i++)
		if (decoders[i] == ops)
			return what->argument_of >> i & 1;
	return false;
}

GET(get_field)
{
	const struct decoder_ops *ops = trace_decoder(reader_trace(look->reader))->ops;
	const struct field *field = NULL;
	if (what->argument_of && is_argument_of(what, ops))
		field = argument_find(look->expansion, what->field);
	else if (is_format(what, ops->format))
		field = expansion_find(look->expansion, what->field);
	if (field)
		set_field(value, look, field);
}

GET(get_argument)
{
	const struct field *field = argument_find(look->expansion, what->field);
	if (field)
		set_field(value, look, field);
}

GET(get_interval)
{
	const struct session_intervals *hook = session_of(reader_trace(look->reader))->intervals;
	struct interval_length length;
	size_t interval;
	if (!session_intervals_find(hook, what->field, &interval) ||
	    !hook->find(hook->context, interval, look->reader, look->message, look->ends, &length))
		return;
	value->type = VALUE_SIGNED;
	value->i = length.length;
	value->ticks = length.ticks;
}

/* --- raw keys ----------------------------------------------------------- */

#define RAW(name)                                                                                  \
	static void name(const struct value_name *what, struct reader *reader,                     \
			 const struct message *m, size_t count, uint64_t *keys, bool *keyed)

RAW(raw_trace)
{
	(void)what, (void)reader, (void)m, (void)keyed;
	memset(keys, 0, count * sizeof *keys);
}

RAW(raw_severity)
{
	(void)what, (void)reader, (void)keyed;
	for (size_t i = 0; i < count; i++)
		keys[i] = m[i].severity;
}

RAW(raw_kind)
{
	(void)what, (void)reader, (void)keyed;
	for (size_t i = 0; i < count; i++)
		keys[i] = m[i].kind;
}

RAW(raw_length)
{
	(void)what, (void)reader, (void)keyed;
	for (size_t i = 0; i < count; i++)
		keys[i] = m[i].length;
}

RAW(raw_origin)
{
	(void)what;
	if (reader_origin_kinds(reader) != UINT64_MAX) {
		memset(keyed, 0, count * sizeof *keyed);
		return;
	}
	for (size_t i = 0; i < count; i++)
		keys[i] = m[i].origin;
}

RAW(raw_type)
{
	(void)what;
	reader_type_keys(reader, m, count, keys, keyed);
}

/* Expanding may add flags to messages that are checked, damaged, lost or no longer
 * captured. They get no key. */
RAW(raw_flags)
{
	uint64_t begin = capture_begin(trace_capture(reader_trace(reader)));
	(void)what;
	for (size_t i = 0; i < count; i++) {
		keys[i] = m[i].flags & ((1u << MESSAGE_FLAGS_SHOWN) - 1);
		keyed[i] &= !(m[i].flags & (MESSAGE_CHECKED | MESSAGE_DAMAGED)) &&
			    m[i].kind != DECODE_KIND_LOSS && m[i].offset >= begin;
	}
}

/* Return the row of the field in messages of OPS, or NULL. */
static const struct field_row *
field_of(const struct value_name *what, const struct decoder_ops *ops)
{
	if (!is_format(what, ops->format))
		return NULL;
	for (size_t i = 0; i < ops->field_count; i++)
		if (!strcmp(ops->fields[i].name, what->field))
			return &ops->fields[i];
	return NULL;
}

RAW(raw_field)
{
	const struct decoder_ops *ops = trace_decoder(reader_trace(reader))->ops;
	const struct field_row *row = field_of(what, ops);
	bool any = row && ops->origin_tells && !is_argument_of(what, ops) &&
		   reader_origin_kinds(reader) == UINT64_MAX;
	for (size_t i = 0; i < count; i++) {
		keys[i] = m[i].origin;
		keyed[i] &= any && !(m[i].flags & MESSAGE_LOSS) && m[i].kind != DECODE_KIND_LOSS &&
			    ops->origin_tells(&m[i], row);
	}
}

void
value_raw_keys(const struct value_name *name, struct reader *reader, const struct message *m,
	       size_t count, uint64_t *keys, bool *keyed)
{
	name->row->raw(name, reader, m, count, keys, keyed);
}

bool
value_has_raw_keys(const struct value_name *name)
{
	return name->row->raw;
}

/* --- numbers in messages ------------------------------------------------ */

#define NUMBERS(name)                                                                              \
	static void name(const struct message *m, size_t count, uint64_t *numbers, bool *any)

NUMBERS(length_numbers)
{
	memset(any, true, count);
	for (size_t i = 0; i < count; i++)
		numbers[i] = m[i].length;
}

NUMBERS(offset_numbers)
{
	memset(any, true, count);
	for (size_t i = 0; i < count; i++)
		numbers[i] = m[i].offset;
}

NUMBERS(ticks_numbers)
{
	for (size_t i = 0; i < count; i++) {
		numbers[i] = m[i].ticks;
		any[i] = m[i].flags & MESSAGE_TIMED;
	}
}

bool
value_has_head_numbers(const struct value_name *name)
{
	return name->row->numbers;
}

void
value_head_numbers(const struct value_name *name, const struct message *m, size_t count,
		   uint64_t *numbers, bool *any)
{
	name->row->numbers(m, count, numbers, any);
}

/* --- names --------------------------------------------------------------- */

static const struct value_row rows[] = {
    {.name = "trace_number", .get = get_trace_number},
    {.name = "time", .get = get_time, .needs = VALUE_NEEDS_CLOCKS, .is_time = true},
    {.name = "gap",
     .get = get_gap,
     .needs = VALUE_NEEDS_CLOCKS | VALUE_NEEDS_GAPS,
     .is_duration = true},
    {.name = "delta",
     .get = get_gap,
     .needs = VALUE_NEEDS_CLOCKS | VALUE_NEEDS_GAPS,
     .is_duration = true},
    {.name = "trace", .get = get_trace, .raw = raw_trace, .indexed = true},
    {.name = "severity", .get = get_severity, .raw = raw_severity, .indexed = true},
    {.name = "origin",
     .get = get_origin,
     .raw = raw_origin,
     .indexed = true,
     .expands = true,
     .want = EXPAND_TEXT},
    {.name = "type", .get = get_type, .raw = raw_type, .expands = true, .want = EXPAND_TYPE},
    {.name = "text", .get = get_text, .expands = true, .want = EXPAND_BARE},
    {.name = "flags", .get = get_flags, .raw = raw_flags, .expands = true, .want = EXPAND_FLAGS},
    {.name = "kind", .get = get_kind, .raw = raw_kind},
    {.name = "ticks", .get = get_ticks, .can_be_plotted = true, .numbers = ticks_numbers},
    {.name = "offset", .get = get_offset, .can_be_plotted = true, .numbers = offset_numbers},
    {.name = "length",
     .get = get_length,
     .can_be_plotted = true,
     .raw = raw_length,
     .numbers = length_numbers},
    {.name = "bytes", .get = get_bytes},
    {.name = "depth", .get = get_depth, .needs = VALUE_NEEDS_FLOW},
    {.name = "target", .get = get_target, .needs = VALUE_NEEDS_FLOW},
    {.name = "run_instructions", .get = get_run_instructions, .needs = VALUE_NEEDS_RUNS},
    {.name = "run_cycles", .get = get_run_cycles, .needs = VALUE_NEEDS_RUNS},
};
static const struct value_row field_row = {.name = "a field",
					   .get = get_field,
					   .raw = raw_field,
					   .expands = true,
					   .want = EXPAND_EXPORTED};
static const struct value_row argument_row = {
    .name = "an argument", .get = get_argument, .can_be_plotted = true, .expands = true,
    .want = EXPAND_EXPORTED};
static const struct value_row interval_row = {.name = "an interval",
					      .get = get_interval,
					      .can_be_plotted = true,
					      .needs = VALUE_NEEDS_INTERVALS,
					      .is_duration = true};
static const struct value_row context_row = {
    .name = "a context", .get = get_context, .needs = VALUE_NEEDS_CONTEXTS};

static const struct value_row span_row = {.name = "a span of a context",
					  .get = get_span,
					  .needs = VALUE_NEEDS_CLOCKS | VALUE_NEEDS_CONTEXTS |
						   VALUE_NEEDS_SPANS,
					  .is_duration = true,
					  .is_part = true};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

/* Names in two parts. */
static const struct {
	const char *word; /* before the point */
	const struct value_row *row;
} groups[] = {{"context", &context_row},
	      {"span", &span_row},
	      {"interval", &interval_row},
	      {"arg", &argument_row}};
enum { GROUP_COUNT = sizeof groups / sizeof *groups };

/* Return how far to expand a message for a name. Fields shown only in the detail need all
 * fields. */
static enum expand_want
want_of(const struct value_name *name)
{
	enum expand_want want = name->row->want;
	for (size_t i = 0; name->row == &field_row && i < decoder_count; i++) {
		const struct field_row *row = field_of(name, decoders[i]);
		want = row && row->detail ? EXPAND_FIELDS : want;
	}
	return want;
}

static const char *
next_name(void *context, size_t at)
{
	(void)context;
	return at < ROW_COUNT ? rows[at].name : decoder_field_name(at - ROW_COUNT);
}

/* True if some format has the field. */
static bool
is_field(const struct value_name *name)
{
	for (size_t i = 0; i < decoder_count; i++)
		if (field_of(name, decoders[i]))
			return true;
	return false;
}

/* Return the group that TEXT begins with, or GROUP_COUNT. */
static size_t
group_of(const char *text)
{
	size_t length = strcspn(text, "."), i = 0;
	while (i < GROUP_COUNT &&
	       (strlen(groups[i].word) != length || memcmp(groups[i].word, text, length) != 0))
		i++;
	return i;
}

/* Find the row of a name. Return NULL if there is none. */
static const struct value_row *
find_row(struct value_name *name)
{
	for (size_t i = 0; i < ROW_COUNT; i++)
		if (!strcmp(rows[i].name, name->text))
			return &rows[i];
	const char *dot = strchr(name->text, '.');
	size_t group = group_of(name->text);
	name->field = dot ? dot + 1 : name->text;
	if (dot && group < GROUP_COUNT)
		return groups[group].row;
	name->format = dot ? name->text : NULL;
	name->format_length = dot ? (size_t)(dot - name->text) : 0;
	if (is_field(name))
		return &field_row;
	bool argument = argument_is_name(name->text) && !filter_is_near_name(name->text);
	return argument ? &argument_row : NULL;
}

/* Return the names that ROW can have in the session, and their *CONTEXT. Return NULL if they are
 * not known. */
static value_lister *
names_of(const struct value_row *row, const struct session *session, void **context)
{
	*context = NULL;
	if (!session || row == &argument_row)
		return NULL;
	*context = row == &interval_row ? (void *)session->intervals : session->contexts;
	if (row == &interval_row)
		return session_intervals_next;
	return session->contexts ? contexts_next_name : NULL;
}

/* Report the word of a group without a name. */
static int
fail_group(size_t group, const struct session *session, struct err *err)
{
	void *context;
	value_lister *next = names_of(groups[group].row, session, &context);
	const char *word = groups[group].word, *name;
	struct text names = {0};
	for (size_t i = 0; next && (name = next(context, i)); i++)
		text_addf(&names, "%s%s.%s", i ? ", " : "; there are ", word, name);
	err_set(err, ERR_USAGE, "%s needs a name, as in %s.NAME%s", word, word, text_get(&names));
	text_free(&names);
	return ERR_USAGE;
}

/* Check the second part of a name. */
static int
check_session_name(const struct value_name *name, const struct session *session, struct err *err)
{
	bool interval = name->row == &interval_row;
	if (!interval && name->row != &context_row && name->row != &span_row)
		return 0;
	void *context;
	value_lister *next = names_of(name->row, session, &context);
	const char *other;
	if (!next)
		return 0;
	for (size_t i = 0; (other = next(context, i)); i++)
		if (!strcmp(other, name->field))
			return 0;
	return err_set(err, ERR_USAGE, "no %s is named %.60s%s", interval ? "interval" : "context",
		       name->field, nearest_hint(name->field, next, context).text);
}

bool
value_is_in_group(const char *name)
{
	return group_of(name) < GROUP_COUNT;
}

static int
check_name(const struct value_name *name, const struct session *session, struct err *err)
{
	size_t group = group_of(name->text);
	if (group < GROUP_COUNT && (name->row == &argument_row || !name->row) &&
	    !strchr(name->text, '.'))
		return fail_group(group, session, err);
	if (name->row)
		return check_session_name(name, session, err);
	return err_set(err, ERR_USAGE, "no column is named \"%.60s\"%s", name->text,
		       nearest_hint(name->text, next_name, NULL).text);
}

struct value_name *
value_name_new(const char *text, const struct session *session, struct err *err)
{
	size_t length = strlen(text);
	struct value_name *name = mem_new(sizeof *name + length + 1);
	name->found = mem_new(sizeof *name->found);
	memcpy(name->text, text, length + 1);
	name->row = find_row(name);
	for (size_t i = 0; name->row == &field_row && !name->format && i < decoder_count; i++)
		if (i < 64 && argument_may_be_named(decoders[i], name->field))
			name->argument_of |= (uint64_t)1 << i;
	name->want = name->row ? want_of(name) : EXPAND_FLAGS;
	if (!check_name(name, session, err))
		return name;
	value_name_free(name);
	return NULL;
}

void
value_name_free(struct value_name *name)
{
	if (name)
		free(name->found);
	free(name);
}

bool
value_is_argument(const struct value_name *name)
{
	return name->row == &argument_row && name->field == name->text;
}

const char *
value_name_text(const struct value_name *name)
{
	return name->text;
}

bool
value_expands(const struct value_name *name, enum expand_want *want)
{
	*want = name->want;
	return name->row->expands;
}

bool
value_is_indexed(const struct value_name *name, struct reader *reader)
{
	return name->row->indexed &&
	       (name->row->get != get_origin || reader_origin_kinds(reader) == UINT64_MAX);
}

unsigned
value_needs(const struct value_name *name)
{
	return name->row->needs;
}

bool
value_is_duration(const struct value_name *name)
{
	return name->row->is_duration;
}

bool
value_is_time(const struct value_name *name)
{
	return name->row->is_time;
}

bool
value_can_be_plotted(const struct value_name *name)
{
	bool can = name->row->can_be_plotted || name->argument_of;
	for (size_t i = 0; name->row == &field_row && i < decoder_count && !can; i++) {
		const struct field_row *row = field_of(name, decoders[i]);
		can = row && row->type < FIELD_TEXT;
	}
	return can;
}

bool
value_is_part(const struct value_name *name)
{
	return name->row->is_part;
}

void
value_get(const struct value_name *name, struct value_look *look, struct value *value)
{
	*value = (struct value){0};
	name->row->get(name, look, value);
	if (value->type != VALUE_ABSENT && !atomic_load_explicit(name->found, memory_order_relaxed))
		atomic_store_explicit(name->found, true, memory_order_relaxed);
}

void
value_explain_absent(const struct value_name *name, value_lister *next, struct text *out)
{
	bool argument = name->row == &argument_row;
	if ((!argument && name->row != &field_row) || atomic_load(name->found))
		return;
	text_add(out, out->length ? "\n" : "");
	text_addf(out, NOTICE_NAME_ABSENT, name->text,
		  argument ? nearest_hint(name->text, next ? next : next_name, NULL).text : "");
}

/* --- formatting --------------------------------------------------------- */

bool
value_number(const struct value *value, long double *number)
{
	switch (value->type) {
	case VALUE_SIGNED:
		*number = (long double)value->i;
		return true;
	case VALUE_UNSIGNED:
		*number = (long double)value->u;
		return true;
	case VALUE_REAL:
		*number = (long double)value->d;
		return true;
	case VALUE_ABSENT:
	case VALUE_TEXT:
		break;
	}
	return false;
}

void
value_add_seconds(int64_t nanoseconds, struct text *out)
{
	uint64_t size = nanoseconds < 0 ? -(uint64_t)nanoseconds : (uint64_t)nanoseconds;
	if (nanoseconds < 0)
		text_add_char(out, '-');
	text_add_uint(out, size / NANO);
	text_add_char(out, '.');
	text_add_digits(out, size % NANO, 9);
}

void
value_add_context(struct contexts *contexts, struct context_cursor *cursor, unsigned context,
		  const struct context_value *value, struct text *out)
{
	size_t before = out->length;
	if (value->state != CONTEXT_KNOWN && value->state != CONTEXT_UNKNOWN)
		return;
	if (value->name)
		text_add(out, value->name);
	else if (value->state == CONTEXT_KNOWN)
		context_text(contexts, cursor, context, value, out);
	if (value->state == CONTEXT_UNKNOWN || value->doubtful)
		text_add(out, out->length > before ? " ?" : "?");
}

void
value_add_number(const struct value *value, struct text *out)
{
	if (value->type == VALUE_SIGNED)
		text_add_int(out, value->i);
	else if (value->type == VALUE_UNSIGNED)
		text_add_uint(out, value->u);
	else if (value->type == VALUE_REAL)
		text_addf(out, "%.17g", value->d);
}

void
value_add_duration(const struct value *value, struct text *out)
{
	struct gap gap = {value->u, !value->ticks};
	bool back = false;
	if (value->type == VALUE_SIGNED && value->i < 0) {
		back = true;
		gap.length = -(uint64_t)value->i;
	} else if (value->type == VALUE_REAL) {
		double size = value->d < 0 ? -value->d : value->d;
		if (!(size < 0x1p64)) { /* beyond 584 years in nanoseconds: print whole seconds */
			text_addf(out, gap.known ? "%.0f s" : "%.0f",
				  gap.known ? value->d / NANO : value->d);
			return;
		}
		gap.length = (uint64_t)((long double)size + 0.5L);
		back = value->d < 0 && gap.length;
	}
	text_add(out, back ? "-" : "");
	gap_format(&gap, false, out);
}

void
value_add(const struct value_name *name, const struct value *value, struct text *out)
{
	if (value->type == VALUE_TEXT)
		text_add_bytes(out, value->text.at, value->text.length);
	else if (value->meaning)
		text_add(out, value->meaning);
	else if (value->field)
		field_format(value->field, out);
	else if (name->row->is_duration && value->type != VALUE_ABSENT)
		value_add_duration(value, out);
	else if (name->row->is_time && value->type == VALUE_SIGNED)
		value_add_seconds(value->i, out);
	else
		value_add_number(value, out);
}
