/*
 * Parts of traces: see export_range.h.
 *
 * A reader of its own walks from message to message, so the cost is that of
 * decoding the cells in between, and of the texts of what the filter passes.  Of
 * several traces the sequence says which message is the next.
 */
#include "config.h"

#include "export/export_range.h"
#include "session/clock/clocks.h"
#include "session/session.h"

#include <stdlib.h>

enum { READY = 64 * 1024 }; /* bytes to hand over at once, and messages */

struct range_writer {
	const struct export_range *range;
	struct text out;
	struct expansion expansion, scratch;
	int64_t written;
	unsigned looked; /* messages since something was handed over */
};

static bool
hand_over(struct range_writer *writer)
{
	writer->looked = 0;
	return writer->range->write(writer->range->context, &writer->out);
}

static void
write_message(struct range_writer *writer, struct reader *reader, struct cycles_walk *cycles,
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
	const struct clocks *clocks = session_of(span->trace)->clocks;
	struct position last;
	if ((range->format->timed || range->ordered) && clocks && !clocks_are_settled(clocks))
		return false;
	struct index_progress progress;
	index_get_progress(trace_index(span->trace), &progress);
	if (progress.complete)
		return true;
	return span->last.offset < capture_size(trace_capture(span->trace)) &&
	       reader_find_id(reader, span->last, &last) &&
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

/* Writes the message at a position if it passes; false: whoever takes it has
 * enough. */
static bool
write_at(struct range_writer *writer, const struct export_span *span, struct reader *reader,
	 struct cycles_walk *cycles, struct position at)
{
	struct message copy = *reader_message(reader, at); /* a text may ask for other cells */
	write_message(writer, reader, cycles, &copy, at, span->mark);
	bool ready = writer->out.length >= READY || ++writer->looked >= READY;
	return !ready || hand_over(writer);
}

static int
write_span(struct range_writer *writer, const struct export_span *span)
{
	struct reader *reader = reader_new(span->trace);
	struct position at;
	int failed = is_known(writer->range, span, reader) ? 0 : ERR_MORE;
	struct cycles_walk *cycles = export_cycles(writer->range->format, span->trace);
	bool more = !failed && reader_find_id(reader, span->first, &at);
	while (more && reader_message(reader, at) &&
	       message_id_compare(reader_message_id(reader, at), span->last) <= 0) {
		if (!write_at(writer, span, reader, cycles, at))
			failed = ERR_CANCELLED;
		more = !failed && reader_next(reader, &at, 0);
	}
	cycles_walk_free(cycles);
	reader_free(reader);
	return failed;
}

/* --- in the order of several traces ------------------------------------- */

struct range_lane {
	const struct export_span *span; /* NULL: none of this trace */
	struct cycles_walk *cycles;
	bool over;
};

/* Makes the lanes, and finds the first message of all; false if there is none. */
static bool
open_lanes(const struct export_range *range, struct range_lane *lanes,
	   struct sequence_position *first)
{
	bool any = false;
	for (size_t i = 0; i < range->count; i++) {
		const struct export_span *span = &range->spans[i];
		struct sequence_position own = {.lane = trace_number(span->trace)};
		struct reader *reader = sequence_reader(range->sequence, own.lane);
		lanes[own.lane].span = span;
		lanes[own.lane].cycles = export_cycles(range->format, span->trace);
		if (reader_find_id(reader, span->first, &own.at) &&
		    reader_message(reader, own.at) &&
		    (!any || sequence_is_before(range->sequence, own, *first))) {
			*first = own;
			any = true;
		}
	}
	return any;
}

static int
write_in_order(struct range_writer *writer)
{
	const struct export_range *range = writer->range;
	struct session *session = range->count ? session_of(range->spans[0].trace) : NULL;
	size_t count = session ? session->traces.count : 0, left = range->count;
	struct range_lane *lanes = mem_new((count + 1) * sizeof *lanes);
	struct sequence_position p;
	int failed = export_range_is_known(range) ? 0 : ERR_MORE;
	bool more = !failed && open_lanes(range, lanes, &p);
	while (more && left && !failed) {
		struct range_lane *lane = &lanes[p.lane];
		struct reader *reader = sequence_reader(range->sequence, p.lane);
		int side = lane->span ? message_id_compare(reader_message_id(reader, p.at),
							   lane->span->last)
				      : 1;
		if (side <= 0 && !write_at(writer, lane->span, reader, lane->cycles, p.at))
			failed = ERR_CANCELLED;
		if (side >= 0 && lane->span && !lane->over) {
			lane->over = true;
			left--;
		}
		more = sequence_next(range->sequence, &p);
	}
	for (size_t i = 0; i < count; i++)
		cycles_walk_free(lanes[i].cycles);
	free(lanes);
	return failed;
}

int64_t
export_range(const struct export_range *range)
{
	struct range_writer writer = {.range = range};
	const struct export_format *format = range->format;
	int failed = 0;
	if (range->marks && format->mark_header)
		text_add(&writer.out, format->mark_header);
	else if (format->header)
		text_add(&writer.out, format->header);
	if (range->sequence)
		failed = write_in_order(&writer);
	for (size_t i = 0; i < range->count && !range->sequence && !failed; i++)
		failed = write_span(&writer, &range->spans[i]);
	if (!failed && !hand_over(&writer))
		failed = ERR_CANCELLED;
	expansion_free(&writer.expansion);
	expansion_free(&writer.scratch);
	text_free(&writer.out);
	return failed ? failed : writer.written;
}
