/*
 * Lines as the user describes them: see export_line.h.
 *
 * A description is parsed once, into pieces of a text and the column after it.  All
 * threads that format share it.  A column appends its text to the line, which is then cut,
 * padded or quoted in place.  A message costs no allocation.  Deltas are filled in when
 * the pieces are written in order (export_columns.c).
 */
#include "config.h"

#include "export/export_line.h"
#include "base/nearest.h"
#include "decode/registry.h"
#include "query/value.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIME_COLUMNS = 20, DELTA_COLUMNS = 12, COLUMNS_MAX = 1000, NANO = 1000000000 };

static const char colour_off[] = "\033[m";
static const char *const colours[SEVERITY_COUNT] = {[SEVERITY_FATAL] = "\033[1;7;31m",
						    [SEVERITY_ERROR] = "\033[1;31m",
						    [SEVERITY_WARNING] = "\033[33m",
						    [SEVERITY_DEBUG] = "\033[2m"};

struct line_piece;

struct line_column {
	const char *name;
	void (*add)(struct export_message *, const struct line_piece *, struct text *);
	int columns;	/* default width for --fields in text */
	bool right;	/* default alignment there */
	bool number;	/* no quotes in csv */
	unsigned needs; /* enum value_need, apart from those of the value */
};

struct line_piece {
	char *before;			  /* text before the column */
	const struct line_column *column; /* NULL: only text */
	char *name;			  /* name as the user wrote it */
	struct value_name *value;	  /* for line_value */
	int columns, most;		  /* minimum and maximum width; `most` 0: no limit */
	bool right;
};

struct export_line {
	struct export_format format;
	VEC(struct line_piece) pieces;
	char *header; /* for csv, or NULL */
	enum export_time time;
	bool colour, csv, wide;
};

/* --- time -------------------------------------------------------------- */

static void
add_ticks(const struct export_message *message, struct text *out)
{
	if (message->ticked)
		text_add_uint(out, message->ticks);
	else
		text_add_char(out, '-');
}

static int64_t
seconds_of(const struct export_message *message)
{
	return message->time / NANO - (message->time % NANO < 0);
}

/* Append a time since 1970 as a date and time of day. Return false if it is no such time. */
static bool
add_date(const struct export_message *message, char between, struct text *out)
{
	int64_t seconds = seconds_of(message);
	if (!message->wall || !zone_add_date(trace_zone(reader_trace(message->reader)), seconds,
					     between, &message->kept->zone, out))
		return false;
	text_add_char(out, '.');
	text_add_digits(out, (uint64_t)(message->time - seconds * NANO), 9);
	return true;
}

static void
add_absolute(const struct export_message *message, struct text *out)
{
	if (!message->timed)
		add_ticks(message, out);
	else if (!add_date(message, ' ', out))
		value_add_seconds(message->time, out);
}

static void
add_iso(const struct export_message *message, struct text *out)
{
	if (!message->timed || !add_date(message, 'T', out))
		add_absolute(message, out);
	else
		zone_add_offset(trace_zone(reader_trace(message->reader)), seconds_of(message),
				&message->kept->zone, out);
}

static void
add_relative(const struct export_message *message, struct text *out)
{
	struct export_start *start = &message->kept->start;
	if (!start->known && message->related)
		start->known = filter_find_start(reader_trace(message->reader), &start->time);
	if (!start->known || !message->related ||
	    !clocks_can_subtract(&start->time, &message->session_time)) {
		text_add_char(out, '-');
		return;
	}
	int64_t since =
	    (int64_t)((uint64_t)message->session_time.order - (uint64_t)start->time.order);
	if (message->session_time.known)
		value_add_seconds(since, out);
	else
		text_add_int(out, since);
}

/* Append the time in the line's format.  A delta is filled in later. */
static void
add_time(const struct export_message *message, struct text *out)
{
	switch (message->line ? message->line->time : EXPORT_TIME_ABSOLUTE) {
	case EXPORT_TIME_ABSOLUTE:
	case EXPORT_TIME_DELTA:
		add_absolute(message, out);
		break;
	case EXPORT_TIME_RELATIVE:
		add_relative(message, out);
		break;
	case EXPORT_TIME_TICKS:
		if (message->message->flags & MESSAGE_TIMED)
			text_add_uint(out, message->message->ticks);
		else
			text_add_char(out, '-');
		break;
	case EXPORT_TIME_ISO:
		add_iso(message, out);
		break;
	}
}

/* Pad the text from START to COLUMNS.  RIGHT aligns it right. */
static void
pad_column(struct text *out, size_t start, int columns, bool right)
{
	size_t length = out->length - start;
	int width = text_columns(text_get(out) + start, length, TEXT_UTF8);
	if (width >= columns)
		return;
	size_t room = (size_t)(columns - width);
	for (size_t i = 0; i < room; i++)
		text_add_char(out, ' ');
	if (right) {
		memmove(out->data + start + room, out->data + start, length);
		memset(out->data + start, ' ', room);
	}
}

bool
export_line_is_wide(const struct export_message *message)
{
	return message->line && message->line->wide;
}

void
export_line_add_time(struct export_message *message, struct text *out)
{
	if (message->line && message->line->time == EXPORT_TIME_DELTA) {
		export_add_delta(message, EXPORT_WORDS, TIME_COLUMNS, out);
		return;
	}
	size_t start = out->length;
	add_time(message, out);
	if (out->length - start < TIME_COLUMNS) /* one column for each byte of a time */
		pad_column(out, start, TIME_COLUMNS, true);
}

/* --- colours ----------------------------------------------------------- */

static const char *
colour_of(const struct export_message *message)
{
	return message->line && message->line->colour ? colours[message->message->severity] : NULL;
}

void
export_line_begin_colour(const struct export_message *message, struct text *out)
{
	if (colour_of(message))
		text_add(out, colour_of(message));
}

void
export_line_end_colour(const struct export_message *message, struct text *out)
{
	if (colour_of(message))
		text_add(out, colour_off);
}

/* --- columns ----------------------------------------------------------- */

#define COLUMN(name)                                                                               \
	static void name(struct export_message *message, const struct line_piece *piece,           \
			 struct text *out)

COLUMN(line_number)
{
	(void)piece;
	text_add_uint(out, message->listed);
}

COLUMN(line_time)
{
	(void)piece;
	if (message->line->csv && message->timed)
		text_add_int(out, message->time);
	else if (!message->line->csv)
		add_time(message, out);
}

COLUMN(line_delta)
{
	enum export_column_style style = message->line->csv ? EXPORT_NUMBER : EXPORT_WORDS;
	export_add_delta(message, style, piece->columns, out);
}

COLUMN(line_gap)
{
	enum export_column_style style = message->line->csv ? EXPORT_NUMBER : EXPORT_WORDS;
	export_add_gap(message, style, piece->columns, out);
}

COLUMN(line_flags)
{
	(void)piece;
	export_flags(message, "", " ", out);
}

/* Append the value that the column names. */
COLUMN(line_value)
{
	struct value value;
	struct value_look look = {.reader = message->reader,
				  .message = message->message,
				  .number = message->number,
				  .expansion = message->expansion,
				  .contexts = message->contexts,
				  .flow = message->flow,
				  .spans = message->spans};
	value_get(piece->value, &look, &value);
	if (message->line->csv && value.type == VALUE_ABSENT)
		return;
	if (message->line->csv && value.type == VALUE_SIGNED && value_is_duration(piece->value))
		text_add_int(out, value.i);
	else if (value.type == VALUE_TEXT)
		text_add_safe(out, value.text.at, value.text.length, message->charset);
	else
		value_add(piece->value, &value, out);
}

static const struct line_column columns[] = {
    {"number", line_number, 8, true, true, VALUE_NEEDS_NUMBERS},
    {"trace_number", line_value, 8, true, true, 0},
    {"time", line_time, TIME_COLUMNS, true, true, VALUE_NEEDS_CLOCKS},
    {"delta", line_delta, DELTA_COLUMNS, true, true, VALUE_NEEDS_CLOCKS},
    {"gap", line_gap, DELTA_COLUMNS, true, true, VALUE_NEEDS_CLOCKS | VALUE_NEEDS_GAPS},
    {"trace", line_value, 8, false, false, 0},
    {"severity", line_value, 8, false, false, 0},
    {"origin", line_value, 16, false, false, 0},
    {"type", line_value, 12, false, false, 0},
    {"text", line_value, 0, false, false, 0},
    {"flags", line_flags, 0, false, false, VALUE_NEEDS_CLOCKS}, /* marks estimates */
    {"kind", line_value, 12, false, false, 0},
    {"ticks", line_value, TIME_COLUMNS, true, true, 0},
    {"offset", line_value, 12, true, true, 0},
    {"length", line_value, 6, true, true, 0},
    {"bytes", line_value, 0, false, false, 0},
    {"depth", line_value, 3, true, true, 0},
    {"target", line_value, 20, false, false, 0},
    {"run_instructions", line_value, 5, true, true, 0},
    {"run_cycles", line_value, 6, true, true, 0},
};
static const struct line_column field_column = {"a field", line_value, 12, false, false, 0};
static const struct line_column context_column = {"a context", line_value, 12, false, false, 0};

enum { COLUMN_COUNT = sizeof columns / sizeof *columns };

/* --- a line ------------------------------------------------------------ */

static void
line_finish(const struct export_line *line, const struct line_piece *piece, size_t start,
	    struct text *out)
{
	if (line->csv) {
		if (!piece->column->number)
			export_csv_quote(out, start);
		return;
	}
	if (piece->most)
		text_cut(out, start + text_fit(text_get(out) + start, out->length - start,
					       TEXT_UTF8, piece->most, NULL));
	pad_column(out, start, piece->columns, piece->right);
}

static void
export_line(struct export_message *message, struct text *out)
{
	const struct export_line *line = message->line;
	export_line_begin_colour(message, out);
	for (size_t i = 0; i < line->pieces.count; i++) {
		const struct line_piece *piece = &line->pieces.at[i];
		text_add(out, piece->before);
		if (!piece->column)
			continue;
		size_t start = out->length;
		bool later = piece->column->add == line_delta ||
			     (line->time == EXPORT_TIME_DELTA && piece->column->add == line_time);
		if (later)
			line_delta(message, piece, out);
		else
			piece->column->add(message, piece, out);
		if (!later)
			line_finish(line, piece, start, out);
	}
	export_line_end_colour(message, out);
	text_add_char(out, '\n');
}

/* --- parsing --------------------------------------------------------- */

struct line_reading {
	const char *option, *text;
	const struct session *session;
	struct export_line *line;
	struct err *err;
};

/* Report an error in the text.  AT is the wrong byte. */
static int
refuse_at(struct line_reading *reading, const char *at, const char *what)
{
	struct filter_error error = {.at = (size_t)(at - reading->text)};
	struct text why = {0};
	snprintf(error.what, sizeof error.what, "%s", what);
	filter_explain(&error, reading->text, &why);
	err_set(reading->err, ERR_USAGE, "--%s: %s", reading->option, text_get(&why));
	text_free(&why);
	return ERR_USAGE;
}

static const char *
next_column(void *context, size_t at)
{
	(void)context;
	return at < COLUMN_COUNT ? columns[at].name : decoder_field_name(at - COLUMN_COUNT);
}

static bool
is_of_filters(const char *name)
{
	struct filter_help help;
	for (size_t i = 0; filter_help(i, &help); i++)
		if (!strcmp(help.name, name))
			return true;
	return false;
}

/* Return the column of a name, or NULL.  *VALUE is set if line_value needs it. */
static const struct line_column *
column_named(const char *name, const struct session *session, struct value_name **value,
	     struct err *err)
{
	const struct line_column *column = NULL;
	for (size_t i = 0; i < COLUMN_COUNT; i++)
		if (!strcmp(columns[i].name, name))
			column = &columns[i];
	if (column && column->add != line_value)
		return column;
	*value = value_name_new(name, session, err);
	if (column || !*value)
		return column;
	return value_needs(*value) & VALUE_NEEDS_CONTEXTS ? &context_column : &field_column;
}

/* Find the column of a name of LENGTH bytes at AT. */
static int
find_column(struct line_reading *reading, struct line_piece *piece, const char *at, size_t length)
{
	char what[200];
	struct err why = {0};
	piece->name = mem_resize(NULL, length + 1);
	memcpy(piece->name, at, length);
	piece->name[length] = '\0';
	piece->column = column_named(piece->name, reading->session, &piece->value, &why);
	if (piece->value)
		reading->line->format.needs |= value_needs(piece->value);
	if (piece->column == &field_column)
		reading->line->format.want = EXPAND_FIELDS;
	if (piece->column)
		return 0;
	if (value_is_in_group(piece->name))
		return refuse_at(reading, at, why.what);
	if (is_of_filters(piece->name))
		snprintf(what, sizeof what, "%.60s is for filters only, not a column", piece->name);
	else
		snprintf(what, sizeof what, "no column is named \"%.60s\"%s", piece->name,
			 nearest_hint(piece->name, next_column, NULL).text);
	return refuse_at(reading, at, what);
}

/* Parse SPEC up to END. */
static int
read_spec(struct line_reading *reading, struct line_piece *piece, const char *at, const char *end)
{
	static const char help[] =
	    "expected < or >, the least width and, after a point, the greatest, as >12 or .20";
	unsigned long value[2] = {0, 0};
	piece->right = *at == '>';
	at += *at == '>' || *at == '<';
	for (int i = 0; i < 2; i++) {
		for (; at < end && isdigit((unsigned char)*at); at++)
			value[i] = value[i] > COLUMNS_MAX
				       ? value[i]
				       : value[i] * 10 + (unsigned long)(*at - '0');
		if (i == 0 && at < end && *at == '.')
			at++;
	}
	if (at != end || value[0] > COLUMNS_MAX || value[1] > COLUMNS_MAX)
		return refuse_at(reading, at, help);
	piece->columns = (int)value[0];
	piece->most = (int)value[1];
	return 0;
}

/* Parse NAME or NAME:SPEC from AT to END, and append a piece after BEFORE.  Takes ownership of
 * BEFORE. */
static int
read_column(struct line_reading *reading, const char *at, const char *end, char *before,
	    bool widths)
{
	struct line_piece *piece = vec_add(&reading->line->pieces);
	const char *colon = memchr(at, ':', (size_t)(end - at));
	*piece = (struct line_piece){.before = before};
	int failed = find_column(reading, piece, at, (size_t)((colon ? colon : end) - at));
	if (failed)
		return failed;
	reading->line->format.needs |= piece->column->needs;
	reading->line->format.delta |= piece->column->add == line_delta;
	if (colon)
		return read_spec(reading, piece, colon + 1, end);
	if (widths) {
		piece->columns = piece->column->columns;
		piece->right = piece->column->right;
	}
	return 0;
}

static int
read_fields(struct line_reading *reading)
{
	const char *at = reading->text, *end;
	const char *between = reading->line->csv ? "," : " ";
	int failed = 0;
	for (bool first = true; !failed; first = false, at = end + 1) {
		end = at + strcspn(at, ",");
		failed = read_column(reading, at, end, mem_text(first ? "" : between),
				     !reading->line->csv);
		if (!*end)
			break;
	}
	return failed;
}

static char *
take_text(struct text *text)
{
	char *taken = mem_text(text_get(text));
	text_clear(text);
	return taken;
}

/* Append the character at AT, or the one it escapes.  Return the number of bytes read. */
static size_t
read_character(const char *at, struct text *out)
{
	bool twice = (*at == '{' || *at == '}' || *at == '\\') && at[1] == *at;
	bool tab = *at == '\\' && at[1] == 't';
	text_add_char(out, (char)(tab ? '\t' : *at));
	return twice || tab ? 2 : 1;
}

static int
read_template(struct line_reading *reading)
{
	struct text text = {0};
	int failed = 0;
	for (const char *at = reading->text; *at && !failed;) {
		const char *end = *at == '{' && at[1] != '{' ? strchr(at, '}') : NULL;
		if (end) {
			failed = read_column(reading, at + 1, end, take_text(&text), false);
			at = end + 1;
		} else if (*at == '{' && at[1] != '{') {
			failed = refuse_at(reading, at, "its } is missing; {{ stands for {");
		} else if (*at == '\n') {
			failed =
			    refuse_at(reading, at,
				      "a message is printed as one line; leave out the line break");
		} else {
			at += read_character(at, &text);
		}
	}
	vec_add(&reading->line->pieces)->before = take_text(&text);
	text_free(&text);
	return failed;
}

static void
make_header(struct export_line *line)
{
	struct text header = {0};
	for (size_t i = 0; i < line->pieces.count; i++)
		text_addf(&header, "%s%s", i ? "," : "", line->pieces.at[i].name);
	text_add_char(&header, '\n');
	line->header = header.data;
	line->format.header = line->header;
}

int
export_time_find(const char *name, enum export_time *time, struct err *err)
{
	static const char *const names[] = {
	    [EXPORT_TIME_ABSOLUTE] = "abs", [EXPORT_TIME_RELATIVE] = "rel",
	    [EXPORT_TIME_DELTA] = "delta",  [EXPORT_TIME_TICKS] = "ticks",
	    [EXPORT_TIME_ISO] = "iso",	    NULL};
	for (int i = 0; names[i]; i++)
		if (!strcmp(name, names[i])) {
			*time = (enum export_time)i;
			return 0;
		}
	return err_set(err, ERR_USAGE, "--time-format is abs, rel, delta, ticks or iso, not %s",
		       name);
}

/* Check that FORMAT supports the options. */
static int
check_wish(const struct export_format *format, const struct export_line_wish *wish, struct err *err)
{
	bool text = !strcmp(format->name, "text"), csv = !strcmp(format->name, "csv");
	if (wish->fields && wish->line)
		return err_set(err, ERR_USAGE,
			       "--fields and --template both say what a line has; "
			       "leave one out");
	if (wish->fields && !text && !csv && !format->fields)
		return err_set(err, ERR_USAGE, "--fields is for -t text, csv and insn, not %s",
			       format->name);
	if (wish->line && !text)
		return err_set(err, ERR_USAGE, "--template is for -t text, not %s", format->name);
	if (wish->wide && (!text || wish->fields || wish->line))
		return err_set(err, ERR_USAGE,
			       "--wide is for -t text without --fields or --template");
	if (wish->time_format && !text)
		return err_set(
		    err, ERR_USAGE,
		    "--time-format is for -t text and the screen; %s has times of its own",
		    format->name);
	return 0;
}

int
export_line_new(const struct export_format *format, const struct export_line_wish *wish,
		struct export_line **out, struct err *err)
{
	*out = NULL;
	bool described = (wish->fields && !format->fields) || wish->line;
	bool coloured = wish->colour && !strcmp(format->name, "text");
	if (!described && !wish->time_format && !wish->wide && !coloured)
		return 0;
	int failed = check_wish(format, wish, err);
	if (failed)
		return failed;
	struct export_line *line = mem_new(sizeof *line);
	struct line_reading reading = {.option = wish->fields ? "fields" : "template",
				       .text = wish->fields ? wish->fields : wish->line,
				       .session = wish->session,
				       .line = line,
				       .err = err};
	line->format = *format;
	line->format.line = line;
	if (described)
		line->format.needs = 0;
	line->colour = coloured;
	line->wide = wish->wide;
	line->format.needs |= wish->wide ? VALUE_NEEDS_NUMBERS : 0;
	line->csv = !strcmp(format->name, "csv");
	line->format.styled = !line->csv;
	if (wish->time_format)
		failed = export_time_find(wish->time_format, &line->time, err);
	if (!failed && described)
		failed = wish->fields ? read_fields(&reading) : read_template(&reading);
	if (line->time == EXPORT_TIME_DELTA)
		line->format.delta = true;
	/* an interval has a duration */
	if (line->format.needs & VALUE_NEEDS_INTERVALS)
		line->format.needs |= VALUE_NEEDS_CLOCKS;
	if (!failed && described) {
		line->format.message = export_line;
		line->format.columns = EXPORT_NO_COLUMNS;
		if (line->csv)
			make_header(line);
	}
	*out = line;
	if (failed) {
		export_line_free(line);
		*out = NULL;
	}
	return failed;
}

const struct export_format *
export_line_format(const struct export_line *line)
{
	return &line->format;
}

void
export_line_explain_absent(const struct export_line *line, struct text *out)
{
	for (size_t i = 0; i < line->pieces.count; i++)
		if (line->pieces.at[i].value)
			value_explain_absent(line->pieces.at[i].value, next_column, out);
}

void
export_line_free(struct export_line *line)
{
	if (!line)
		return;
	for (size_t i = 0; i < line->pieces.count; i++) {
		free(line->pieces.at[i].before);
		free(line->pieces.at[i].name);
		value_name_free(line->pieces.at[i].value);
	}
	vec_free(&line->pieces);
	free(line->header);
	free(line);
}
