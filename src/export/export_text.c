/* `-t text`: number, time, severity, origin, text, one line a message.  All
 * text is made safe, so the output may go to a terminal or a pager. */
#include "config.h"

#include "export/export.h"

#include <stdio.h>

static void
add_time(const struct export_message *message, struct text *out)
{
	const struct message *m = message->message;
	char seconds[32];
	uint64_t size = message->time < 0 ? -(uint64_t)message->time : (uint64_t)message->time;
	snprintf(seconds, sizeof seconds, "%s%llu", message->time < 0 ? "-" : "",
		 (unsigned long long)(size / 1000000000));
	if (message->timed)
		text_addf(out, "%10s.%09llu", seconds, (unsigned long long)(size % 1000000000));
	else if (m->flags & MESSAGE_TIMED)
		text_addf(out, "%20llu", (unsigned long long)m->ticks);
	else
		text_add(out, "                   -"); /* as wide */
}

void
export_text(struct export_message *message, struct text *out)
{
	const struct expansion *e = message->expansion;
	const struct message *m = message->message;
	text_addf(out, "%8llu ", (unsigned long long)message->number);
	add_time(message, out);
	text_add_char(out, ' ');
	text_add_char(out, severity_letter(m->severity));
	text_add_char(out, ' ');
	size_t start = out->length;
	text_add_safe(out, text_get(&e->origin), e->origin.length, message->charset);
	for (int width = text_columns(out->data + start, out->length - start); width < 16; width++)
		text_add_char(out, ' ');
	text_add_char(out, ' ');
	text_add_safe(out, text_get(&e->text), e->text.length, message->charset);
	text_add_char(out, '\n');
}
