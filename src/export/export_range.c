/*
 * Messages that the user chose: see export_range.h.
 *
 * The walk follows a sequence from the first message to the last, at the cost of decoding
 * the cells in between.  With a filter, next_match.h moves from match to match, and skips
 * cells if their summary rules out a match.
 *
 * Clocks may settle, and the user may change the order, while a thread writes.  The
 * sequence keeps its strands then, but times follow the new clocks.  So the clocks'
 * generation is compared before each hand-over.  If it changed, the write is given up.
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
	READY = 64 * 1024, /* limit of bytes, and of messages, before a hand-over */
	SLICE_MS = 100	   /* time to search for a match before the next check for a stop */
};

struct range_writer {
	const struct export_range *range;
	const struct filter *filter; /* NULL: all pass */
	unsigned generation;	     /* of the clocks at the start */
	struct text out;
	struct expansion expansion;
	struct export_kept kept;
	int64_t written;
	unsigned looked; /* messages since the last hand-over */
};

/* The sequence of a range. */
struct range_order {
	struct sequence *all, *lane; /* owned, or NULL */
	struct sequence *sequence;
};

/* --- readiness ------------------------------------------------------- */

static bool
is_shown(const struct export_range *range, size_t trace)
{
	return range->hidden && !range->hidden[trace];
}

static size_t
count_shown(const struct export_range *range)
{
	size_t count = 0;
	for (size_t i = 0; i < range->session->traces.count; i++)
		count += is_shown(range, i);
	return count;
}

/* True if order, times or filter depend on the clocks. */
static bool
needs_clocks(const struct export_range *range)
{
	const struct clocks *clocks = range->session->clocks;
	bool by_time = clocks && clocks_get_order(clocks) == CLOCKS_BY_TIME;
	return range->format->needs & VALUE_NEEDS_CLOCKS || count_shown(range) > 1 ||
	       (range->hidden && by_time) || (range->filter && filter_needs_clocks(range->filter));
}

static bool
is_flow_known(const struct export_range *range, struct trace *trace)
{
	return !range->filter || !filter_needs_flow(range->filter) ||
	       flows_known(trace) >= index_cell_count(trace_index(trace));
}

/* True if the number of the message at a place is known. */
static bool
is_place_known(const struct export_place *place)
{
	struct position at;
	if (index_is_complete(trace_index(place->trace)))
		return true;
	if (place->id.offset >= capture_size(trace_capture(place->trace)))
		return false;
	struct reader *reader = reader_new(place->trace);
	bool known = reader_find_id(reader, place->id, &at) &&
		     at.cell < index_known(trace_index(place->trace));
	reader_free(reader);
	return known;
}

bool
export_range_is_known(const struct export_range *range)
{
	const struct session *session = range->session;
	bool known =
	    !session->clocks || !needs_clocks(range) || clocks_are_settled(session->clocks);
	for (size_t i = 0; known && i < session->traces.count; i++)
		known = !is_shown(range, i) ||
			(is_flow_known(range, session->traces.at[i]) &&
			 (range->count || index_is_complete(trace_index(session->traces.at[i]))));
	for (size_t i = 0; known && i < range->count; i++)
		known = is_place_known(&range->places[i]);
	return known;
}

/* --- order ------------------------------------------------------------- */

/* Return the only visible trace if its messages are one strand and both places are in it. */
static struct trace *
find_alone(const struct export_range *range)
{
	struct trace *alone = NULL;
	for (size_t i = 0; i < range->session->traces.count && count_shown(range) == 1; i++)
		alone = is_shown(range, i) ? range->session->traces.at[i] : alone;
	bool is_alone = alone && clocks_strand_count(alone) == 1;
	for (size_t i = 0; is_alone && i < range->count; i++)
		is_alone = range->places[i].trace == alone;
	return is_alone ? alone : NULL;
}

static struct range_order
open_order(const struct export_range *range)
{
	struct range_order order = {.sequence = range->sequence};
	struct trace *alone = find_alone(range);
	if (order.sequence)
		return order;
	order.sequence = order.all = sequence_new(range->session);
	if (alone) {
		order.sequence = order.lane = sequence_new_single(order.all, trace_number(alone));
		return order;
	}
	for (size_t i = 0; i < range->session->traces.count; i++)
		sequence_show(order.all, i,
			      range->hidden ? is_shown(range, i)
					    : !range->uncounted || !range->uncounted[i]);
	sequence_load(order.all);
	return order;
}

static void
close_order(struct range_order *order)
{
	sequence_free(order->lane);
	sequence_free(order->all);
}

static int
find_place(struct sequence *sequence, const struct export_place *place, struct sequence_position *p)
{
	return sequence_find_trace(sequence, trace_number(place->trace), &p->trace) &&
		       reader_find_id(sequence_reader(sequence, p->trace), place->id, &p->at)
		   ? 0
		   : ERR_DATA;
}

/* Find both places, and order them. */
static int
find_places(const struct export_range *range, struct sequence *sequence,
	    struct sequence_position *first, struct sequence_position *last)
{
	bool exact;
	int failed = find_place(sequence, &range->places[0], first);
	failed = failed ? failed : find_place(sequence, &range->places[1], last);
	if (failed)
		return failed;
	if (sequence_is_before(sequence, *last, *first)) {
		struct sequence_position later = *first;
		*first = *last;
		*last = later;
	}
	sequence_number(sequence, *last, &exact); /* then all before it are exact too */
	return exact ? 0 : ERR_MORE;
}

/* Find the first and the last message, which may be of a hidden trace.  Return ERR_END if the
 * sequence is empty. */
static int
find_ends(const struct export_range *range, struct sequence *sequence,
	  struct sequence_position *first, struct sequence_position *last)
{
	if (range->count)
		return find_places(range, sequence, first, last);
	if (!sequence_is_exact(sequence))
		return ERR_MORE;
	return sequence_first(sequence, first) && sequence_last(sequence, last) ? 0 : ERR_END;
}

/* --- messages ---------------------------------------------------------- */

static int
hand_over(struct range_writer *writer)
{
	writer->looked = 0;
	if (clocks_generation(writer->range->session->clocks) != writer->generation)
		return ERR_MORE;
	return writer->range->write(writer->range->context, &writer->out) ? 0 : ERR_CANCELLED;
}

static int
write_at(struct range_writer *writer, struct sequence *sequence, struct sequence_position p,
	 struct cycles_walk *cycles, const struct export_mark *mark)
{
	const struct export_range *range = writer->range;
	struct reader *reader = sequence_reader(sequence, p.trace);
	bool exact;
	uint64_t listed = sequence_number(sequence, p, &exact) + 1;
	if (!exact)
		return ERR_MORE;
	const struct message *own = reader_message(reader, p.at);
	if (!own)
		return ERR_DATA;
	struct message copy = *own; /* making its text may evict the cell */
	struct export_message message = {.reader = reader,
					 .message = &copy,
					 .number = reader_number(reader, p.at, &exact),
					 .listed = listed,
					 .expansion = &writer->expansion,
					 .cycles = cycles,
					 .mark = mark,
					 .kept = &writer->kept,
					 .charset = range->charset};
	export_message(range->format, &message, &writer->out);
	writer->written++;
	bool ready = writer->out.length >= READY || ++writer->looked >= READY;
	return ready ? hand_over(writer) : 0;
}

static int
write_place(struct range_writer *writer, struct sequence *sequence,
	    const struct export_place *place)
{
	struct cycles_walk *cycles = export_cycles(writer->range->format, place->trace);
	struct sequence_position p;
	int failed = 0;
	if (!find_place(sequence, place, &p) &&
	    !message_id_compare(reader_message_id(sequence_reader(sequence, p.trace), p.at),
				place->id))
		failed = write_at(writer, sequence, p, cycles, place->mark);
	cycles_walk_free(cycles);
	return failed;
}

static int
write_places(struct range_writer *writer)
{
	struct range_order order = open_order(writer->range);
	int failed = 0;
	for (size_t i = 0; i < writer->range->count && !failed; i++)
		failed = write_place(writer, order.sequence, &writer->range->places[i]);
	close_order(&order);
	return failed;
}

/* --- from one message to another --------------------------------------- */

/* A walk over a sequence, with state for each lane. */
struct range_walk {
	struct range_writer *writer;
	struct sequence *sequence;
	struct sequence_position first, last;
	struct cycles_walk **cycles;
};

static int
write_next(struct range_walk *walk, struct sequence_position p)
{
	return write_at(walk->writer, walk->sequence, p, walk->cycles[p.trace], NULL);
}

static int
write_all(struct range_walk *walk)
{
	struct sequence_position p = walk->first;
	bool more = sequence_shows(walk->sequence, p.trace) || sequence_next(walk->sequence, &p);
	int failed = 0;
	while (more && !failed && !sequence_is_before(walk->sequence, walk->last, p)) {
		failed = write_next(walk, p);
		more =
		    !sequence_position_is_same(p, walk->last) && sequence_next(walk->sequence, &p);
	}
	return failed;
}

/* Return the part of each strand to search for matches. */
static struct next_part *
make_parts(struct range_walk *walk)
{
	size_t count = sequence_strand_count(walk->sequence);
	struct next_part *parts = mem_new(count * sizeof *parts);
	for (size_t i = 0; i < count; i++) {
		struct position last;
		parts[i].any =
		    sequence_shows(walk->sequence, sequence_strand_trace(walk->sequence, i)) &&
		    sequence_between(walk->sequence, i, walk->first, walk->last, &parts[i].first,
				     &last);
		if (parts[i].any)
			parts[i].last = last.cell;
	}
	return parts;
}

static int
write_matches(struct range_walk *walk)
{
	struct next_part *parts = make_parts(walk);
	const struct next_query query = {.sequence = walk->sequence,
					 .want = walk->writer->filter,
					 .direction = 1,
					 .parts = parts};
	struct next_match *next = next_match_new(&query);
	struct next_bound bound = {0};
	struct sequence_position p;
	enum next_result result;
	int failed = 0;
	while (!failed && (result = next_match(next, &bound, &p)) != NEXT_END) {
		if (result != NEXT_FOUND) {
			bound.until = thread_now_ms() + SLICE_MS;
			failed = hand_over(walk->writer);
			continue;
		}
		if (sequence_is_before(walk->sequence, walk->last, p))
			break;
		failed = write_next(walk, p);
	}
	next_match_free(next);
	free(parts);
	return failed;
}

static int
write_shown(struct range_writer *writer)
{
	struct range_order order = open_order(writer->range);
	struct range_walk walk = {.writer = writer, .sequence = order.sequence};
	size_t lanes = sequence_trace_count(walk.sequence);
	walk.cycles = mem_new(lanes * sizeof *walk.cycles);
	for (size_t i = 0; i < lanes; i++)
		if (sequence_shows(walk.sequence, i))
			walk.cycles[i] = export_cycles(
			    writer->range->format, reader_trace(sequence_reader(walk.sequence, i)));
	int failed = find_ends(writer->range, walk.sequence, &walk.first, &walk.last);
	if (!failed)
		failed = writer->filter ? write_matches(&walk) : write_all(&walk);
	for (size_t i = 0; i < lanes; i++)
		cycles_walk_free(walk.cycles[i]);
	free(walk.cycles);
	close_order(&order);
	return failed == ERR_END ? 0 : failed;
}

int64_t
export_range(const struct export_range *range)
{
	bool filters = range->filter && !filter_is_all(range->filter);
	struct range_writer writer = {.range = range,
				      .filter = filters ? range->filter : NULL,
				      .generation = clocks_generation(range->session->clocks)};
	const struct export_format *format = range->format;
	int failed = export_range_is_known(range) ? 0 : ERR_MORE;
	if (format->header)
		text_add(&writer.out, format->header);
	if (range->has_marks && format->columns == EXPORT_CSV) {
		text_cut(&writer.out, writer.out.length - 1);
		text_add(&writer.out, ",mark,note\n");
	}
	if (range->hidden && !failed)
		failed = write_shown(&writer);
	if (!range->hidden && !failed)
		failed = write_places(&writer);
	if (!failed)
		failed = hand_over(&writer);
	expansion_free(&writer.expansion);
	export_kept_free(&writer.kept);
	text_free(&writer.out);
	return failed ? failed : writer.written;
}

/* --- ends of a range in a trace -------------------------------------- */

/* Extend the ends to a place. */
static int
add_place(struct export_place ends[2], struct trace *trace, struct message_id id)
{
	const struct export_place place = {.trace = trace, .id = id};
	if (ends[0].trace && ends[0].trace != trace)
		return ERR_USAGE;
	if (!ends[0].trace || message_id_compare(id, ends[0].id) < 0)
		ends[0] = place;
	if (!ends[1].trace || message_id_compare(id, ends[1].id) > 0)
		ends[1] = place;
	return 0;
}

static int
add_strand(const struct range_walk *walk, size_t strand, struct export_place ends[2])
{
	struct position from, to;
	size_t lane = sequence_strand_trace(walk->sequence, strand);
	struct reader *reader = sequence_reader(walk->sequence, lane);
	if (!sequence_shows(walk->sequence, lane) ||
	    !sequence_between(walk->sequence, strand, walk->first, walk->last, &from, &to))
		return 0;
	int failed = add_place(ends, reader_trace(reader), reader_message_id(reader, from));
	return failed ? failed
		      : add_place(ends, reader_trace(reader), reader_message_id(reader, to));
}

int
export_range_ends(const struct export_range *range, struct export_place ends[2])
{
	unsigned generation = clocks_generation(range->session->clocks);
	int failed = export_range_is_known(range) ? 0 : ERR_MORE;
	ends[0] = ends[1] = (struct export_place){0};
	for (size_t i = 0; i < range->count && !range->hidden && !failed; i++)
		failed = add_place(ends, range->places[i].trace, range->places[i].id);
	if (range->hidden && !failed) {
		struct range_order order = open_order(range);
		struct range_walk walk = {.sequence = order.sequence};
		failed = find_ends(range, walk.sequence, &walk.first, &walk.last);
		for (size_t i = 0; !failed && i < sequence_strand_count(walk.sequence); i++)
			failed = add_strand(&walk, i, ends);
		close_order(&order);
	}
	if (!failed && clocks_generation(range->session->clocks) != generation)
		return ERR_MORE;
	return failed || ends[0].trace ? failed : ERR_END;
}
