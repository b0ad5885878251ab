/* `-t ppl`: the lines that trc_pkt_lister prints for trace elements, in the
 * order of the messages, so in order for each trace ID.  Other messages, and
 * traces of other formats, have none. */
#include "config.h"

#include "export/export.h"

#include "decode/coresight/opencsd.h"

bool
export_ppl_fits(const struct decoder_ops *ops)
{
	return ops == &opencsd_ops || ops == &ppl_ops;
}

void
export_ppl(struct export_message *message, struct text *out)
{
	const struct decoder *decoder = trace_decoder(reader_trace(message->reader));
	struct window window = reader_window(message->reader);
	if (message->message->kind == DECODE_KIND_LOSS)
		return;
	if (opencsd_print(decoder, message->message, &window, out) ||
	    ppl_print(decoder, message->message, &window, out))
		text_add_char(out, '\n');
}
