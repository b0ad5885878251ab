/* `-t csv` (RFC 4180). */
#include "config.h"

#include "export/export.h"

#include <string.h>

/* Double the quotes in OUT from START. */
static void
double_quotes(struct text *out, size_t start)
{
	size_t quotes = 0, end = out->length;
	for (size_t i = start; i < end; i++)
		quotes += out->data[i] == '"';
	if (!quotes)
		return;
	for (size_t i = 0; i < quotes; i++)
		text_add_char(out, '"');
	for (size_t to = out->length; end < to;) {
		out->data[--to] = out->data[--end];
		if (out->data[to] == '"')
			out->data[--to] = '"';
	}
}

void
export_csv_quote(struct text *out, size_t start)
{
	double_quotes(out, start);
	size_t length = out->length - start;
	text_add(out, "\"\"");
	memmove(out->data + start + 1, out->data + start, length);
	out->data[start] = '"';
}

void
export_csv_end_cell(struct text *out, size_t start)
{
	if (strpbrk(text_get(out) + start, ",\"\r\n"))
		export_csv_quote(out, start);
}

/* Append a quoted cell of safe text: one row stays one line in every tool. */
static void
add_cell(struct text *out, const char *value, size_t length, enum text_charset charset)
{
	text_add_char(out, '"');
	size_t start = out->length;
	text_add_safe(out, value, length, charset);
	double_quotes(out, start);
	text_add_char(out, '"');
}

static void
add_text(struct text *out, const struct text *value, enum text_charset charset)
{
	add_cell(out, text_get(value), value->length, charset);
	text_add_char(out, ',');
}

static void
add_target(struct export_message *message, struct text *out)
{
	struct text place = {0};
	text_add_char(out, ',');
	if (export_find_target(message, &place))
		add_cell(out, place.data, place.length, message->charset);
	text_free(&place);
}

static void
add_mark(const struct export_mark *mark, enum text_charset charset, struct text *out)
{
	const char *note = mark->note ? mark->note : "";
	text_addf(out, ",%c,", mark->letter);
	add_cell(out, note, strlen(note), charset);
}

void
export_csv(struct export_message *message, struct text *out)
{
	const struct expansion *e = message->expansion;
	const struct message *m = message->message;
	struct trace *trace = reader_trace(message->reader);
	const char *name = trace_name(trace);
	text_add_uint(out, message->listed);
	text_add_char(out, ',');
	add_cell(out, name, strlen(name), message->charset);
	text_add_char(out, ',');
	text_add_uint(out, m->offset);
	text_add_char(out, ',');
	text_add_uint(out, m->length);
	text_add_char(out, ',');
	if (message->ticked)
		text_add_uint(out, message->ticks);
	text_add_char(out, ',');
	if (message->timed)
		text_add_int(out, message->time);
	text_add_char(out, ',');
	if (m->severity != SEVERITY_NONE)
		text_add(out, severity_name(m->severity));
	text_add_char(out, ',');
	add_text(out, &e->origin, message->charset);
	add_text(out, &e->type, message->charset);
	add_text(out, &e->text, message->charset);
	export_flags(message, "", " ", out);
	if (message->mark)
		add_mark(message->mark, message->charset, out);
	export_add_columns(message, EXPORT_CSV, out);
	if (message->columns & EXPORT_TARGET)
		add_target(message, out);
	text_add_char(out, '\n');
}
