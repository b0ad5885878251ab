/* `-t text`: one line for each message, with time, severity, origin, text, flags, mark and note.
 * With --wide the number of the message comes first, and the trace has a column of its own.  All
 * text is made safe, for a terminal or a pager. */
#include "config.h"

#include "export/export_line.h"
#include "session/session.h"

enum { TRACE_COLUMNS = 8, ORIGIN_COLUMNS = 16, JOINT_COLUMNS = 20, TARGET_COLUMNS = 20 };

/* Pad the column that begins at START. */
static void
pad_column(size_t start, int columns, enum text_charset charset, struct text *out)
{
	for (int width = text_columns(text_get(out) + start, out->length - start, charset);
	     width < columns; width++)
		text_add_char(out, ' ');
	text_add_char(out, ' ');
}

static void
add_column(const char *bytes, size_t length, int columns, enum text_charset charset,
	   struct text *out)
{
	size_t start = out->length;
	text_add_safe(out, bytes, length, charset);
	pad_column(start, columns, charset, out);
}

static void
add_mark(const struct export_mark *mark, enum text_charset charset, struct text *out)
{
	text_addf(out, "  [%c]", mark->letter);
	if (!mark->note)
		return;
	text_add_char(out, ' ');
	text_add_safe(out, mark->note, strlen(mark->note), charset);
}

/* Append flags after the text, each with `~`, the screen's sign for loss. */
static void
add_flags(unsigned flags, struct text *out)
{
	flags &= ((1u << MESSAGE_FLAGS_SHOWN) - 1) & ~(unsigned)MESSAGE_SYNC;
	for (unsigned bit = 0; flags; bit++, flags >>= 1)
		if (flags & 1)
			text_addf(out, "  ~%s", message_flag_name(bit));
}

static void
add_target(struct export_message *message, struct text *out)
{
	struct text place = {0};
	export_find_target(message, &place);
	add_column(text_get(&place), place.length, TARGET_COLUMNS, message->charset, out);
	text_free(&place);
}

static void
add_number(uint64_t number, struct text *out)
{
	for (uint64_t least = 10000000; least > 1 && number < least; least /= 10)
		text_add_char(out, ' '); /* pad to 8 columns */
	text_add_uint(out, number);
	text_add_char(out, ' ');
}

/* Append the origin.  With several traces, the name of its trace comes first. */
static void
add_origin(const struct export_message *message, const char *trace, struct text *out)
{
	const struct text *origin = &message->expansion->origin;
	size_t start = out->length;
	if (trace) {
		text_add_safe(out, trace, strlen(trace), message->charset);
		if (origin->length)
			text_add_char(out, ' ');
	}
	text_add_safe(out, text_get(origin), origin->length, message->charset);
	pad_column(start, trace ? JOINT_COLUMNS : ORIGIN_COLUMNS, message->charset, out);
}

void
export_text(struct export_message *message, struct text *out)
{
	const struct expansion *e = message->expansion;
	const struct message *m = message->message;
	struct trace *trace = reader_trace(message->reader);
	const char *name = session_of(trace)->traces.count > 1 ? trace_name(trace) : NULL;
	bool wide = export_line_is_wide(message);
	export_line_begin_colour(message, out);
	if (wide)
		add_number(message->listed, out);
	export_line_add_time(message, out);
	text_add_char(out, ' ');
	export_add_columns(message, EXPORT_ALIGNED, out);
	if (message->columns & EXPORT_TARGET)
		add_target(message, out);
	if (wide && name)
		add_column(name, strlen(name), TRACE_COLUMNS, message->charset, out);
	text_add_char(out, severity_letter(m->severity));
	text_add_char(out, ' ');
	add_origin(message, wide ? NULL : name, out);
	text_add_safe(out, text_get(&e->text), e->text.length, message->charset);
	add_flags(m->flags | e->flags, out);
	if (message->mark)
		add_mark(message->mark, message->charset, out);
	export_line_end_colour(message, out);
	text_add_char(out, '\n');
}
