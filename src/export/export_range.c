/*
 * Parts of traces: see export_range.h.
 *
 * A reader of its own walks from message to message, so the cost is that of
 * decoding the cells in between; with a filter the cursor of next_match.h goes from
 * match to match, and passes cells whose summaries have none.  Of several traces the
 * sequence says which message is the next.
 */
#include "config.h"

#include "export/export_range.h"
#include "base/thread.h"
#include "query/next_match.h"
#include "session/clock/clocks.h"
#include "session/flows.h"
#include "session/session.h"

#include <stdlib.h>

enum {
	READY = 64 * 1024, /* bytes to hand over at once, and messages */
	SLICE_MS = 100	   /* of looking for a match before it is asked whether to go on */
};

struct range_writer {
	const struct export_range *range;
	const struct filter *filter; /* NULL: all pass */
	struct text out;
	struct expansion expansion;
	struct export_kept kept;
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
	struct export_message message = {.reader = reader,
					 .message = m,
					 .number = reader_number(reader, at, &exact),
					 .expansion = &writer->expansion,
					 .cycles = cycles,
					 .mark = mark,
					 .kept = &writer->kept,
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
	if (range->filter && filter_needs_flow(range->filter) &&
	    flows_known(span->trace) < index_cell_count(trace_index(span->trace)))
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

/* Writes the message at a position; false: whoever takes it has
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

/* --- what passes a filter ------------------------------------------------ */

/* Of each strand. */
struct range_lane {
	const struct export_span *span; /* NULL: none of it */
	size_t lane;
	struct cycles_walk *cycles;
	bool over;
};

/* Where the span of a lane lies; none if its first message is not there. */
static struct next_part
part_of(const struct export_span *span, struct reader *reader)
{
	struct next_part part = {0};
	struct position last;
	if (!span || !reader_find_id(reader, span->first, &part.first))
		return part;
	part.any = reader_find_id(reader, span->last, &last);
	part.last = last.cell;
	return part;
}

/* Writes what passes of the lanes' spans. */
static int
write_matches(struct range_writer *writer, struct sequence *sequence,
	      const struct range_lane *lanes)
{
	size_t count = sequence_strand_count(sequence);
	struct next_part *parts = mem_new(count * sizeof *parts);
	for (size_t i = 0; i < count; i++)
		parts[i] = part_of(lanes[i].span, sequence_reader(sequence, lanes[i].lane));
	const struct next_query query = {
	    .sequence = sequence, .want = writer->filter, .direction = 1, .parts = parts};
	struct next_match *next = next_match_new(&query);
	struct next_bound bound = {0};
	struct sequence_position p;
	enum next_result result;
	bool more = true;
	while (more && (result = next_match(next, &bound, &p)) != NEXT_END) {
		if (result != NEXT_FOUND) {
			bound.until = thread_now_ms() + SLICE_MS;
			more = hand_over(writer);
			continue;
		}
		const struct range_lane *lane = &lanes[sequence_strand(sequence, p)];
		struct reader *reader = sequence_reader(sequence, p.lane);
		if (lane->span &&
		    message_id_compare(reader_message_id(reader, p.at), lane->span->last) <= 0)
			more = write_at(writer, lane->span, reader, lane->cycles, p.at);
	}
	next_match_free(next);
	free(parts);
	return more ? 0 : ERR_CANCELLED;
}

/* Of one span, in the order of its trace. */
static int
write_span_matches(struct range_writer *writer, const struct export_span *span,
		   struct cycles_walk *cycles)
{
	struct sequence *all = sequence_new(session_of(span->trace));
	struct sequence *own = sequence_new_lane(all, trace_number(span->trace));
	size_t count = sequence_strand_count(own);
	struct range_lane *lanes = mem_new(count * sizeof *lanes);
	for (size_t i = 0; i < count; i++)
		lanes[i] = (struct range_lane){.span = span, .cycles = cycles};
	int failed = write_matches(writer, own, lanes);
	free(lanes);
	sequence_free(own);
	sequence_free(all);
	return failed;
}

/* --- all messages -------------------------------------------------------- */

static int
write_span(struct range_writer *writer, const struct export_span *span)
{
	struct reader *reader = reader_new(span->trace);
	struct position at;
	int failed = is_known(writer->range, span, reader) ? 0 : ERR_MORE;
	struct cycles_walk *cycles = export_cycles(writer->range->format, span->trace);
	if (!failed && writer->filter)
		failed = write_span_matches(writer, span, cycles);
	bool more = !failed && !writer->filter && reader_find_id(reader, span->first, &at);
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

/* --- in the order of several strands ------------------------------------ */

/* The span of a strand; NULL: it has none. */
static const struct export_span *
find_span(const struct export_range *range, size_t strand)
{
	size_t number, lane = sequence_strand_lane(range->sequence, strand);
	const struct trace *trace = reader_trace(sequence_reader(range->sequence, lane));
	bool part = sequence_strand_is_part(range->sequence, strand, &number);
	for (size_t i = 0; i < range->count; i++) {
		const struct export_span *span = &range->spans[i];
		if (span->trace == trace && (!part || !span->in_strand || span->strand == number))
			return span;
	}
	return NULL;
}

/* The first message of a strand's span. */
static bool
find_first(const struct export_range *range, const struct range_lane *lane, size_t strand,
	   struct sequence_position *p)
{
	struct reader *reader = sequence_reader(range->sequence, lane->lane);
	size_t number;
	p->lane = lane->lane;
	if (!lane->span || !reader_find_id(reader, lane->span->first, &p->at) ||
	    !reader_message(reader, p->at))
		return false;
	return !sequence_strand_is_part(range->sequence, strand, &number) ||
	       sequence_strand(range->sequence, *p) == strand ||
	       sequence_step(range->sequence, strand, p->at, 1, &p->at);
}

/* Makes the lanes, and finds the first message of all; false if there is none. */
static bool
open_lanes(const struct export_range *range, struct range_lane *lanes, size_t count,
	   struct sequence_position *first)
{
	bool any = false;
	for (size_t i = 0; i < count; i++) {
		struct sequence_position own;
		lanes[i].lane = sequence_strand_lane(range->sequence, i);
		lanes[i].span = find_span(range, i);
		if (lanes[i].span)
			lanes[i].cycles = export_cycles(range->format, lanes[i].span->trace);
		if (find_first(range, &lanes[i], i, &own) &&
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
	size_t count = sequence_strand_count(range->sequence), left = 0;
	struct range_lane *lanes = mem_new(count * sizeof *lanes);
	struct sequence_position p;
	int failed = export_range_is_known(range) ? 0 : ERR_MORE;
	bool more = !failed && open_lanes(range, lanes, count, &p);
	for (size_t i = 0; i < count; i++)
		left += lanes[i].span != NULL;
	if (more && writer->filter) {
		failed = write_matches(writer, range->sequence, lanes);
		more = false;
	}
	while (more && left && !failed) {
		struct range_lane *lane = &lanes[sequence_strand(range->sequence, p)];
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
	bool filters = range->filter && !filter_is_all(range->filter);
	struct range_writer writer = {.range = range, .filter = filters ? range->filter : NULL};
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
	export_kept_free(&writer.kept);
	text_free(&writer.out);
	return failed ? failed : writer.written;
}
