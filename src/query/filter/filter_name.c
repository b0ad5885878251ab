/*
 * The names in filters: see filter_tree.h.
 *
 * Names that every message has are rows of a table, which also feeds the manual.
 * All other names are fields, from the tables of the formats. A bare name stands
 * for the field of that name in every format; `encap.type` stands for the field of
 * a single format. If a bare name is in both tables, it is the name that every
 * message has.
 */
#include "config.h"

#include "base/nearest.h"
#include "decode/argument.h"
#include "decode/registry.h"
#include "query/filter/filter_tree.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define SEVERITY FILTER_USES_SEVERITY
#define STRUCT FILTER_USES_STRUCT
#define READER FILTER_USES_READER
#define CLOCK (READER | FILTER_USES_CLOCK | STRUCT)
#define AROUND (READER | FILTER_USES_AROUND | STRUCT)
#define ORDER (AROUND | FILTER_USES_CLOCK | FILTER_USES_ORDER)
#define FLOW (AROUND | FILTER_USES_FLOW)

static const struct filter_name filter_names[] = {
    {"severity", "severity", "max, fatal, error, warning, info, user1, user2, debug or none",
     FILTER_FIXED, SEVERITY, filter_resolve_severity, filter_test_severity, filter_judge_severity},
    {"flags", "flags", "damaged, lost, truncated, suspect, estimated, sync; each is a name too",
     FILTER_FIXED, STRUCT, filter_resolve_flags, filter_test_flags, filter_judge_flags},
    {"kind", "kind", "kind of message, as string, catalog or stp_async", FILTER_FIXED,
     STRUCT | READER, filter_resolve_kind, filter_test_kind, filter_judge_kind},
    {"trace", "text", "name of its trace", FILTER_FIXED, READER, filter_resolve_text,
     filter_test_trace, filter_judge_trace},
    {"origin", "text", "its origin, as the list shows it", FILTER_SENDER, READER,
     filter_resolve_origin, filter_test_origin, filter_judge_origin},
    {"type", "text", "type of message, as the list shows it", FILTER_TEXT, STRUCT | READER,
     filter_resolve_made_text, filter_test_type, filter_judge_text},
    {"text", "text", "its text", FILTER_TEXT, STRUCT | READER, filter_resolve_made_text,
     filter_test_text, filter_judge_text},
    {"time", "time", "its time by the clock of the session", FILTER_FIXED, CLOCK,
     filter_resolve_time, filter_test_time, filter_judge_time},
    {"gap", "duration", "time since the message before it, of any trace, that has one",
     FILTER_AROUND, ORDER, filter_resolve_duration, filter_test_gap, NULL},
    {"delta", "duration",
     "the same as gap; the time since the row above is not available in filters", FILTER_AROUND,
     ORDER, filter_resolve_duration, filter_test_gap, NULL},
    {"steps_back", "flag", "its time is before that of the last message of its origin",
     FILTER_AROUND, AROUND | FILTER_USES_CLOCK, filter_resolve_step_back, filter_test_step_back,
     filter_judge_step_back},
    {"runs_on", "flag",
     "it continues where the last message of its processor ended: "
     "a range of instructions without a jump before it, cycles "
     "after a range, more code without an image",
     FILTER_AROUND, AROUND, filter_resolve_run_on, filter_test_run_on, NULL},
    {"run_instructions", "number", "instructions in the run that it begins, up to the next jump",
     FILTER_AROUND, AROUND, filter_resolve_number, filter_test_run_instructions, NULL},
    {"run_cycles", "number", "cycles that were counted in the run that it begins", FILTER_AROUND,
     AROUND, filter_resolve_number, filter_test_run_cycles, NULL},
    {"depth", "number", "depth of calls after the message, if known", FILTER_AROUND, FLOW,
     filter_resolve_depth, filter_test_depth, NULL},
    {"target", "text",
     "where the jump that it ends with went, FUNCTION or FUNCTION+0xOFFSET, or eight hexadecimal "
     "digits where that has no name",
     FILTER_AROUND, FLOW, filter_resolve_target, filter_test_target, NULL},
    {"ticks", "number", "its time in ticks of its trace", FILTER_FIXED, STRUCT,
     filter_resolve_number, filter_test_ticks, filter_judge_ticks},
    {"offset", "number", "its first byte, from the start of the capture", FILTER_FIXED, STRUCT,
     filter_resolve_number, filter_test_offset, filter_judge_offset},
    {"length", "number", "bytes from its first to its last", FILTER_FIXED, STRUCT,
     filter_resolve_number, filter_test_length, NULL},
    {"trace_number", "number",
     "its number in its trace, from 0; the screen counts the whole session, from 1", FILTER_AROUND,
     AROUND, filter_resolve_number, filter_test_number, filter_judge_number},
    {"bytes", "bytes", "the bytes of the capture from its first to its last", FILTER_RAW,
     STRUCT | READER, filter_resolve_bytes, filter_test_bytes, NULL},
    {"payload", "bytes", "the bytes of its protocol, put together", FILTER_FIELDS, STRUCT | READER,
     filter_resolve_bytes, filter_test_payload, NULL},
};

enum { FILTER_NAME_COUNT = sizeof filter_names / sizeof *filter_names };

const struct filter_name filter_any_text = {.name = "a regular expression",
					    .type = "text",
					    .cost = FILTER_TEXT,
					    .uses = STRUCT | READER,
					    .resolve = filter_resolve_made_text,
					    .test = filter_test_any,
					    .judge = filter_judge_any};

const struct filter_name filter_flag_name = {.name = "a flag",
					     .type = "flag",
					     .cost = FILTER_FIXED,
					     .uses = STRUCT,
					     .resolve = filter_resolve_flags,
					     .test = filter_test_flags,
					     .judge = filter_judge_flags};

/* FIELD */
static const struct filter_name filter_field_name = {.name = "a field",
						     .type = "field",
						     .cost = FILTER_FIELDS,
						     .uses = STRUCT | READER,
						     .resolve = filter_resolve_field,
						     .test = filter_test_field};

/* context.NAME */
static const struct filter_name filter_context_name = {.name = "a context",
						       .type = "context",
						       .cost = FILTER_FIELDS,
						       .uses =
							   STRUCT | READER | FILTER_USES_CONTEXT,
						       .resolve = filter_resolve_context,
						       .test = filter_test_context,
						       .judge = filter_judge_context};

/* interval.NAME */
static const struct filter_name filter_interval_name = {.name = "an interval",
							.type = "duration",
							.cost = FILTER_AROUND,
							.uses = AROUND | FILTER_USES_CLOCK |
								FILTER_USES_INTERVAL,
							.resolve = filter_resolve_interval,
							.test = filter_test_interval};

bool
filter_help(size_t at, struct filter_help *out)
{
	if (at >= FILTER_NAME_COUNT)
		return false;
	const struct filter_name *name = &filter_names[at];
	*out = (struct filter_help){name->name, name->type, name->help};
	return true;
}

/* --- listing all names --------------------------------------------------- */

/* True if an earlier decoder has the same field table: one of any format (ANY), or of the same
 * format. Decoders of a format share their table, and formats may too. */
static bool
filter_name_repeats(size_t decoder, bool any)
{
	const struct decoder_ops *ops = decoders[decoder];
	for (size_t i = 0; i < decoder; i++)
		if (decoders[i]->fields == ops->fields &&
		    (any || !strcmp(decoders[i]->format, ops->format)))
			return true;
	return false;
}

/* Find the field of name number AT, counted after the names of every message and the flags. Each
 * field has a bare name and one with its format. Return false if there is none. */
static bool
field_at(size_t at, size_t *decoder, size_t *row)
{
	for (size_t i = 0; i < decoder_count; i++) {
		if (filter_name_repeats(i, false))
			continue;
		if (at < 2 * decoders[i]->field_count) {
			*decoder = i;
			*row = at / 2;
			return true;
		}
		at -= 2 * decoders[i]->field_count;
	}
	return false;
}

enum { MESSAGE_NAMES = FILTER_NAME_COUNT + MESSAGE_FLAGS_SHOWN };

/* Return name number AT: first those of every message, then flags, then each field, bare and
 * with its format. */
static const char *
name_at(size_t at, char name[static 64])
{
	size_t decoder, row;
	if (at < FILTER_NAME_COUNT)
		return filter_names[at].name;
	if (at < MESSAGE_NAMES)
		return message_flag_name((unsigned)(at - FILTER_NAME_COUNT));
	if (!field_at(at - MESSAGE_NAMES, &decoder, &row))
		return NULL;
	const struct decoder_ops *ops = decoders[decoder];
	if ((at - MESSAGE_NAMES) % 2 == 0)
		return ops->fields[row].name;
	snprintf(name, 64, "%s.%s", ops->format, ops->fields[row].name);
	return name;
}

/* True if a field before row ROW of DECODER has the same name. Search all formats, or only
 * FORMAT unless it is NULL. */
static bool
is_field_before(size_t decoder, size_t row, const char *format)
{
	const char *name = decoders[decoder]->fields[row].name;
	for (size_t i = 0; i <= decoder; i++) {
		size_t count = i < decoder ? decoders[i]->field_count : row;
		if (format && strcmp(decoders[i]->format, format) != 0)
			continue;
		for (size_t k = 0; k < count; k++)
			if (!strcmp(decoders[i]->fields[k].name, name))
				return true;
	}
	return false;
}

/* True if an earlier name is the same as NAME, number AT: fields of several formats may share a
 * name. Search the tables, since building each earlier name is slow. */
static bool
came_before(size_t at, const char *name)
{
	char other[64];
	size_t decoder, row;
	if (at >= MESSAGE_NAMES && field_at(at - MESSAGE_NAMES, &decoder, &row)) {
		bool with_format = (at - MESSAGE_NAMES) % 2;
		if (is_field_before(decoder, row, with_format ? decoders[decoder]->format : NULL))
			return true;
		at = with_format ? 0 : MESSAGE_NAMES;
	}
	for (size_t i = 0; i < at; i++)
		if (!strcmp(name_at(i, other), name))
			return true;
	return false;
}

const char *
filter_complete(const char *stem, size_t length, size_t *next, char name[static 64])
{
	const char *found;
	for (; (found = name_at(*next, name)); ++*next)
		if (!strncmp(found, stem, length) && !came_before(*next, found)) {
			++*next;
			return found;
		}
	return NULL;
}

enum { BEGINNING = 3 /* shortest beginning of a name that is no accident */ };

static const char *
next_name(void *context, size_t at)
{
	return name_at(at, context);
}

/* --- finding a name ------------------------------------------------------ */

/* Return the number of a flag, or MESSAGE_FLAGS_SHOWN if WORD is none. */
static unsigned
flag_bit(const char *word)
{
	unsigned bit = 0;
	while (bit < MESSAGE_FLAGS_SHOWN && strcmp(word, message_flag_name(bit)) != 0)
		bit++;
	return bit;
}

bool
filter_is_flag(const char *word)
{
	return flag_bit(word) < MESSAGE_FLAGS_SHOWN || !strcmp(word, "steps_back") ||
	       !strcmp(word, "runs_on");
}

static bool
find_own(struct filter_leaf *leaf)
{
	const char *word = leaf->word.text;
	for (size_t i = 0; i < FILTER_NAME_COUNT; i++) {
		if (!strcmp(word, filter_names[i].name)) {
			leaf->name = &filter_names[i];
			return true;
		}
	}
	unsigned bit = flag_bit(word);
	if (bit == MESSAGE_FLAGS_SHOWN)
		return false;
	leaf->name = &filter_flag_name;
	leaf->set = 1u << bit;
	return true;
}

/* Find all rows called NAME, of FORMAT (LENGTH bytes) or of any format if it is NULL. Return
 * their number; call first with OUT NULL to size the array. */
static size_t
find_rows(const char *format, size_t length, const char *name, struct filter_field *out)
{
	size_t count = 0;
	for (size_t i = 0; i < decoder_count; i++) {
		const struct decoder_ops *ops = decoders[i];
		bool other = format && (strlen(ops->format) != length ||
					strncmp(ops->format, format, length) != 0);
		if (other || filter_name_repeats(i, !format))
			continue;
		for (size_t k = 0; k < ops->field_count; k++) {
			if (strcmp(ops->fields[k].name, name) != 0)
				continue;
			if (out)
				out[count] = (struct filter_field){.row = &ops->fields[k]};
			count++;
		}
	}
	return count;
}

/* Find all argument rows, as find_rows() does. With a bare NAME, skip formats in which it is a
 * field. */
static size_t
find_argument_rows(const char *name, struct filter_field *out)
{
	size_t count = 0;
	for (size_t i = 0; i < decoder_count; i++) {
		const struct decoder_ops *ops = decoders[i];
		if (filter_name_repeats(i, true) || (name && !argument_may_be_named(ops, name)))
			continue;
		for (size_t k = 0; k < ops->field_count; k++) {
			if (!ops->fields[k].argument)
				continue;
			if (out)
				out[count] = (struct filter_field){.row = &ops->fields[k]};
			count++;
		}
	}
	return count;
}

static const char context_prefix[] = "context.";
static const char argument_prefix[] = "arg.";
static const char interval_prefix[] = "interval.";
static const char span_prefix[] = "span."; /* a name for columns, not for filters */

const char *
filter_context_of(const struct filter_leaf *leaf)
{
	return leaf->word.text + sizeof context_prefix - 1;
}

const char *
filter_interval_of(const struct filter_leaf *leaf)
{
	return leaf->word.text + sizeof interval_prefix - 1;
}

int
filter_fail_name(struct filter_build *build, const struct filter_leaf *leaf)
{
	char own[64];
	const char *word = leaf->word.text;
	/* the length of a span is known only at the next value, and no filter waits for that */
	if (!strncmp(word, span_prefix, sizeof span_prefix - 1))
		return filter_fail(build, leaf->word.at,
				   "%s is for columns and tables, not for filters; context.%s "
				   "passes what has a value",
				   word, word + sizeof span_prefix - 1);
	return filter_fail(build, leaf->word.at, "no field is named %s%s", word,
			   nearest_hint(word, next_name, own).text);
}

/* A word as short as `seq` is close to too many names, so nearest_hint() is no help here. */
bool
filter_is_near_name(const char *word)
{
	char own[64];
	const char *name;
	size_t length = strlen(word), most = length < 4 ? 0 : length < 8 ? 1 : 2;
	for (size_t i = 0; (name = name_at(i, own)); i++)
		if ((length >= BEGINNING && !strncmp(name, word, length)) ||
		    text_distance(word, name) <= most)
			return true;
	return false;
}

int
filter_find_name(struct filter_build *build, struct filter_leaf *leaf)
{
	const char *word = leaf->word.text, *dot = strchr(word, '.');
	if (find_own(leaf))
		return 0;
	if (!strcmp(word, "number")) /* the order of the session may depend on clocks */
		return filter_fail(
		    build, leaf->word.at,
		    "number is a column, not a name for filters; trace_number counts "
		    "the messages of each trace, from 0");
	if (!strncmp(word, context_prefix, sizeof context_prefix - 1)) {
		leaf->name = &filter_context_name;
		return 0;
	}
	if (!strncmp(word, interval_prefix, sizeof interval_prefix - 1)) {
		leaf->name = &filter_interval_name;
		return 0;
	}
	bool argument = !strncmp(word, argument_prefix, sizeof argument_prefix - 1);
	const char *format = dot ? word : NULL, *name = dot ? dot + 1 : word;
	size_t length = dot ? (size_t)(dot - word) : 0, arguments = 0;
	leaf->own_count = argument ? 0 : find_rows(format, length, name, NULL);
	leaf->unknown = !argument && !leaf->own_count;
	if (leaf->unknown && (dot || filter_is_near_name(word)))
		return filter_fail_name(build, leaf);
	if (argument || !dot)
		arguments = find_argument_rows(argument ? NULL : word, NULL);
	leaf->argument = arguments ? name : NULL;
	leaf->field_count = leaf->own_count + arguments;
	leaf->fields = arena_alloc(&build->code->arena, leaf->field_count * sizeof *leaf->fields);
	find_rows(format, length, name, leaf->fields);
	if (arguments)
		find_argument_rows(argument ? NULL : word, leaf->fields + leaf->own_count);
	leaf->name = &filter_field_name;
	return 0;
}
