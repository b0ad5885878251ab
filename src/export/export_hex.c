/* `-t hex`: the line of `-t text`, then the bytes of the message in rows.  If a transport
 * scattered them, the rows are the protocol's bytes, put together and counted from 0.  Otherwise
 * they are the capture's bytes, by offset. */
#include "config.h"

#include "export/export.h"

enum { ROW = 16 };

static void
add_row(uint64_t offset, const uint8_t *bytes, size_t length, struct text *out)
{
	text_addf(out, "%16llx ", (unsigned long long)offset);
	for (size_t i = 0; i < ROW; i++) {
		text_add(out, i == ROW / 2 ? "  " : " ");
		if (i < length)
			text_add_hex(out, &bytes[i], 1);
		else
			text_add(out, "  ");
	}
	text_add(out, "  ");
	for (size_t i = 0; i < length; i++)
		text_add_char(out, bytes[i] >= 0x20 && bytes[i] < 0x7f ? (char)bytes[i] : '.');
	text_add_char(out, '\n');
}

void
export_hex(struct export_message *message, struct text *out)
{
	const struct expansion *e = message->expansion;
	const struct message *m = message->message;
	struct window window = reader_window(message->reader);
	const uint8_t *bytes = NULL;
	uint64_t offset = m->offset;
	size_t length = m->length;
	export_text(message, out);
	if (m->flags & MESSAGE_SCATTERED && e->payload_length) {
		bytes = e->payload;
		length = e->payload_length;
		offset = 0;
	} else if (offset + length > window.offset + window.length || offset < window.offset) {
		return; /* truncated meanwhile, or its first bytes were dropped */
	} else {
		bytes = window.bytes + (offset - window.offset);
	}
	for (size_t at = 0; at < length; at += ROW)
		add_row(offset + at, bytes + at, length - at < ROW ? length - at : ROW, out);
}
