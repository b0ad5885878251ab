/* `-t csv-systprint` and `-t ppl`: the output of the reference tool of a format.  The decoder
 * makes the rows.  Other messages, and other formats, have none. */
#include "config.h"

#include "export/export.h"

void
export_printer(struct export_message *message, struct text *out)
{
	const struct decoder *decoder = trace_decoder(reader_trace(message->reader));
	struct window window = reader_window(message->reader);
	if (!decoder->ops->print || message->message->kind == DECODE_KIND_LOSS ||
	    message->message->offset < window.offset)
		return;
	if (decoder->ops->print(decoder, message->message, &window, message->expansion, out))
		text_add_char(out, '\n');
}
