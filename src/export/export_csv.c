/* `-t csv` (RFC 4180) and `-t csv-systprint`, whose rows the decoder makes. */
#include "config.h"

#include "export/export.h"

/* A quoted cell of safe text: one row stays one line in every tool. */
static void
add_cell(struct text *out, const struct text *value, enum text_charset charset)
{
	struct text safe = {0};
	text_add_safe(&safe, text_get(value), value->length, charset);
	text_add_char(out, '"');
	for (const char *p = text_get(&safe); *p; p++) {
		if (*p == '"')
			text_add_char(out, '"');
		text_add_char(out, *p);
	}
	text_add_char(out, '"');
	text_free(&safe);
}

void
export_csv(struct export_message *message, struct text *out)
{
	const struct expansion *e = message->expansion;
	const struct message *m = message->message;
	struct trace *trace = reader_trace(message->reader);
	struct text name = {0};
	text_add(&name, trace_name(trace));
	text_addf(out, "%llu,", (unsigned long long)message->number);
	add_cell(out, &name, message->charset);
	text_addf(out, ",%llu,%u,", (unsigned long long)m->offset, (unsigned)m->length);
	if (m->flags & MESSAGE_TIMED)
		text_addf(out, "%llu", (unsigned long long)m->ticks);
	int64_t time;
	text_add_char(out, ',');
	if (export_time(trace, m, &time))
		text_addf(out, "%lld", (long long)time);
	text_addf(out, ",%s,", severity_name(m->severity));
	add_cell(out, &e->origin, message->charset);
	text_add_char(out, ',');
	add_cell(out, &e->type, message->charset);
	text_add_char(out, ',');
	add_cell(out, &e->text, message->charset);
	text_add_char(out, ',');
	export_flags(message, "", " ", out);
	text_add_char(out, '\n');
	text_free(&name);
}

void
export_systprint(struct export_message *message, struct text *out)
{
	const struct decoder *decoder = trace_decoder(reader_trace(message->reader));
	if (!decoder->ops->systprint)
		return;
	struct window window = reader_window(message->reader);
	if (decoder->ops->systprint(decoder, message->message, &window,
				    reader_history(message->reader), message->expansion, out))
		text_add_char(out, '\n');
}
