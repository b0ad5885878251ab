/*
 * Parts of traces: see export_range.h.
 *
 * A reader of its own walks from message to message, so the cost is that of
 * decoding the cells in between, and of the texts of what the filter passes.
 */
#include "config.h"

#include "export/export_range.h"
#include "trace/clocks.h"

enum { READY = 64 * 1024 }; /* bytes to hand over at once, and messages */

struct writer {
	const struct export_range *range;
	struct text out;
	struct expansion expansion, scratch;
	int64_t written;
	unsigned looked; /* messages since something was handed over */
};

static bool
hand_over(struct writer *writer)
{
	writer->looked = 0;
	return writer->range->take(writer->range->context, &writer->out);
}

static void
write_message(struct writer *writer, struct reader *reader, struct cycles_walk *cycles,
	      const struct message *m, struct position at, const struct export_mark *mark)
{
	const struct export_range *range = writer->range;
	bool exact;
	if (range->filter && !filter_match(range->filter, reader, m, &writer->scratch))
		return;
	struct export_message message = {.reader = reader,
					 .message = m,
					 .number = reader_number(reader, at, &exact),
					 .expansion = &writer->expansion,
					 .cycles = cycles,
					 .mark = mark,
					 .charset = range->charset};
	export_message(range->format, &message, &writer->out);
	writer->written++;
}

/* Whether the numbers of a span's messages are known, and their times where the
 * format has them. */
static bool
is_known(const struct export_range *range, const struct export_span *span, struct reader *reader)
{
	const struct clocks *clocks = trace_session(span->trace)->clocks;
	struct position last;
	if (range->format->timed && clocks && !clocks_are_settled(clocks))
		return false;
	struct index_progress progress;
	index_get_progress(trace_index(span->trace), &progress);
	if (progress.complete)
		return true;
	return span->last.offset < capture_size(trace_capture(span->trace)) &&
	       reader_find_place(reader, span->last, &last) &&
	       last.cell < index_known(trace_index(span->trace));
}

bool
export_range_is_known(const struct export_range *range)
{
	bool known = true;
	for (size_t i = 0; known && i < range->count; i++) {
		struct reader *reader = reader_new(range->spans[i].trace);
		known = is_known(range, &range->spans[i], reader);
		reader_free(reader);
	}
	return known;
}

static int
write_span(struct writer *writer, const struct export_span *span)
{
	struct reader *reader = reader_new(span->trace);
	struct position at;
	int failed = is_known(writer->range, span, reader) ? 0 : ERR_MORE;
	struct cycles_walk *cycles = export_cycles(writer->range->format, span->trace);
	bool more = !failed && reader_find_place(reader, span->first, &at);
	while (more) {
		const struct message *m = reader_message(reader, at);
		if (!m || place_compare(reader_place(reader, at), span->last) > 0)
			break;
		struct message copy = *m; /* a text may ask for other cells */
		write_message(writer, reader, cycles, &copy, at, span->mark);
		if ((writer->out.length >= READY || ++writer->looked >= READY) &&
		    !hand_over(writer)) {
			failed = ERR_CANCELLED;
			break;
		}
		more = reader_next(reader, &at, 0);
	}
	cycles_walk_free(cycles);
	reader_free(reader);
	return failed;
}

int64_t
export_range(const struct export_range *range)
{
	struct writer writer = {.range = range};
	const struct export_format *format = range->format;
	int failed = 0;
	if (range->marks && format->mark_header)
		text_add(&writer.out, format->mark_header);
	else if (format->header)
		text_add(&writer.out, format->header);
	for (size_t i = 0; i < range->count && !failed; i++)
		failed = write_span(&writer, &range->spans[i]);
	if (!failed && !hand_over(&writer))
		failed = ERR_CANCELLED;
	expansion_free(&writer.expansion);
	expansion_free(&writer.scratch);
	text_free(&writer.out);
	return failed ? failed : writer.written;
}
