/*
 * Scans that skip cells: see seek.h.
 *
 * The scan judges each cell by its summary, which takes some hundred ns, and then by its
 * bytes. It keeps the cells that may have a match as ranges of message numbers. It starts
 * each range at the checkpoint of a cell.
 */
#include "config.h"

#include "query/seek.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum {
	SENDERS_SHOWN = 256,
	PIECE_FIRST = 1024,  /* bytes in the first piece */
	PIECE_MOST = 32768,  /* bytes in the largest piece */
	PIECES_PASSED = 128, /* skipped before seek_pass() returns */
	FAILED_MOST = 6
};

/* Message numbers, END excluded. */
struct seek_range {
	uint64_t first, end;
};

struct seek {
	struct reader *reader;
	const struct filter *filter;
	unsigned around;
	uint64_t from, cell, until; /* cells: ranges are known for [from, cell); the scan ends
				       before `until` */
	bool skips;		    /* else no ranges: visit all messages */
	VEC(struct seek_range) ranges;
	size_t at;	     /* the range that holds `next` or follows it */
	uint64_t next;	     /* number of the next message of the scan */
	unsigned generation; /* epoch of the capture */
	bool passes;	     /* skip pieces, without an index */
	struct reader_piece piece;
	uint64_t size;	      /* of the next piece */
	struct reader *cells; /* reader for skipped cells, made on first use */
	uint64_t plain;	      /* no piece is tried before this message */
	uint64_t learn;	      /* origins are learned before this message */
	unsigned failed;      /* failed pieces in a row; each doubles the messages to visit */
};

static bool
is_indexed(struct trace *trace)
{
	struct index_progress progress;
	index_get_progress(trace_index(trace), &progress);
	return progress.complete;
}

/* Append a range, or extend the last one if they overlap. */
static void
add_range(struct seek *seek, uint64_t first, uint64_t end)
{
	struct seek_range *last =
	    seek->ranges.count ? &seek->ranges.at[seek->ranges.count - 1] : NULL;
	if (last && first <= last->end)
		last->end = end > last->end ? end : last->end;
	else
		*vec_add(&seek->ranges) = (struct seek_range){first, end};
}

/* Find the next cell that may have a match. Return false if none follows. */
static bool
find_range(struct seek *seek)
{
	struct trace *trace = reader_trace(seek->reader);
	struct index_cell cell;
	for (; seek->cell < seek->until && index_cell(trace_index(trace), seek->cell, &cell);
	     seek->cell++) {
		if (!cell.count || filter_judge(seek->filter, trace, seek->cell) == FILTER_NONE ||
		    filter_scan(seek->filter, trace, seek->cell) == FILTER_NONE)
			continue;
		add_range(seek, cell.first > seek->around ? cell.first - seek->around : 0,
			  cell.first + cell.count + seek->around);
		seek->cell++;
		return true;
	}
	return false;
}

/* Show the filter one message of each origin, so that it can judge cells by origin name. */
static void
show_senders(struct seek *seek)
{
	struct expansion scratch = {0};
	index_origins origins = {0};
	struct message m;
	index_get_origins(trace_index(reader_trace(seek->reader)), &origins);
	for (size_t i = 0; i < origins.count && origins.count <= SENDERS_SHOWN; i++)
		if (origins.at[i].key != UINT64_MAX && /* several origins together */
		    reader_find_origin(seek->reader, &origins.at[i], &m))
			filter_learn_origin(seek->filter, seek->reader, &m, &scratch);
	vec_free(&origins);
	expansion_free(&scratch);
}

/* True if the scan can skip pieces by their sums. Only the filter may need their messages,
 * and no index may be in use. */
static bool
may_pass(const struct seek *seek)
{
	struct trace *trace = reader_trace(seek->reader);
	const struct decoder_ops *ops = trace_decoder(trace)->ops;
	const struct capture *capture = trace_capture(trace);
	return !seek->skips && !seek->around && ops->summarise && !ops->silent_repeats &&
	       capture_ended(capture) && capture_is_whole(capture) && !capture_limit(capture) &&
	       !filter_is_all(seek->filter) && !filter_looks_around(seek->filter);
}

/* Create a scan of all messages. */
static struct seek *
new_walk(struct reader *reader, const struct filter *filter)
{
	struct seek *seek = mem_new(sizeof *seek);
	seek->reader = reader;
	seek->filter = filter;
	seek->generation = capture_generation(trace_capture(reader_trace(reader)));
	seek->next = reader_walk_from(reader, 0); /* dropped messages have numbers, too */
	seek->until = UINT64_MAX;
	return seek;
}

void
seek_prepare(struct trace *trace, const struct filter *filter)
{
	if (capture_ended(trace_capture(trace)) && !is_indexed(trace) && filter_limits_time(filter))
		index_build(trace_index(trace));
}

struct seek *
seek_new(struct reader *reader, const struct filter *filter, unsigned around)
{
	struct trace *trace = reader_trace(reader);
	struct seek *seek = new_walk(reader, filter);
	seek->around = around;
	if (!capture_ended(trace_capture(trace)))
		return seek;
	seek_prepare(trace, filter);
	seek->skips = !filter_is_all(filter) && is_indexed(trace);
	seek->passes = may_pass(seek);
	seek->size = PIECE_FIRST;
	if (seek->skips && filter_required(filter))
		show_senders(seek);
	return seek;
}

bool
seek_can_divide(struct trace *trace)
{
	struct capture *capture = trace_capture(trace);
	return capture_ended(capture) && !capture_limit(capture) && is_indexed(trace);
}

struct seek *
seek_new_divided(struct reader *reader, const struct filter *filter)
{
	struct seek *seek = new_walk(reader, filter);
	seek->skips = true;
	seek->until = 0;
	if (filter_required(filter))
		show_senders(seek);
	return seek;
}

void
seek_enter(struct seek *seek, uint64_t from, uint64_t until)
{
	vec_clear(&seek->ranges);
	seek->at = 0;
	seek->from = seek->cell = from;
	seek->until = until;
}

void
seek_free(struct seek *seek)
{
	if (!seek)
		return;
	vec_free(&seek->ranges);
	reader_free(seek->cells);
	reader_piece_free(&seek->piece);
	free(seek);
}

bool
seek_skips(const struct seek *seek)
{
	return seek->skips;
}

/* Move the scan to the cell where a range begins. */
static void
jump_to(struct seek *seek, const struct seek_range *range)
{
	const struct index *index = trace_index(reader_trace(seek->reader));
	uint64_t cell;
	if (seek->next < range->first && index_find(index, range->first, &cell))
		seek->next = reader_walk_from(seek->reader, cell * index_cell_size(index));
}

/* Remove the messages before number FIRST. Return the number left. */
static size_t
drop_before(struct seek *seek, uint64_t first, struct message *out, size_t count)
{
	uint64_t before = first > seek->next ? first - seek->next : 0;
	size_t drop = before < count ? (size_t)before : count;
	memmove(out, out + drop, (count - drop) * sizeof *out);
	seek->next += drop;
	return count - drop;
}

static size_t
walk_range(struct seek *seek, const struct seek_range *range, struct message *out, size_t max)
{
	size_t count, left;
	jump_to(seek, range);
	do {
		uint64_t most = range->end - seek->next;
		count = reader_walk(seek->reader, out, most < max ? (size_t)most : max);
		left = drop_before(seek, range->first, out, count);
	} while (count && !left);
	return left;
}

/* True if a range is left to scan. A new range may extend the last one. */
static bool
comes_to_range(struct seek *seek)
{
	if (seek->at >= seek->ranges.count && find_range(seek))
		seek->at = seek->ranges.count - 1;
	return seek->at < seek->ranges.count;
}

/* Show the filter the origins of a piece that was not skipped. It can then skip other
 * pieces with their messages. */
static void
learn_senders(struct seek *seek, const struct message *messages, size_t count)
{
	struct expansion scratch = {0};
	for (size_t i = 0; i < count; i++)
		filter_learn_origin(seek->filter, seek->reader, &messages[i], &scratch);
	expansion_free(&scratch);
}

size_t
seek_walk(struct seek *seek, struct message *out, size_t max, uint64_t *first)
{
	uint64_t plain = seek->plain > seek->next ? seek->plain - seek->next : max;
	size_t count = 0;
	if (!seek->skips)
		count = reader_walk(seek->reader, out, plain < max ? (size_t)plain : max);
	else if (capture_generation(trace_capture(reader_trace(seek->reader))) != seek->generation)
		return 0;
	while (seek->skips && !count && comes_to_range(seek)) {
		const struct seek_range *range = &seek->ranges.at[seek->at];
		if (seek->next < range->end)
			count = walk_range(seek, range, out, max);
		if (!count)
			seek->at++;
	}
	if (seek->next < seek->learn)
		learn_senders(seek, out, count);
	*first = seek->next;
	seek->next += count;
	return count;
}

/* True if the skipped piece has no match and no doubts. */
static bool
lacks_all(struct seek *seek)
{
	seek->piece.cell.first = seek->next;
	return !(seek->piece.cell.message_flags & DOUBT_MESSAGES) &&
	       filter_judge_piece(seek->filter, reader_trace(seek->reader), &seek->piece) ==
		   FILTER_NONE;
}

/* Visit the messages of a piece after all. Each failure in a row doubles the messages to
 * visit, so that vain attempts cost little. */
static void
take_back(struct seek *seek)
{
	reader_take_back(seek->reader, &seek->piece);
	seek->learn = seek->next + seek->piece.cell.count;
	seek->plain = seek->next + ((uint64_t)seek->piece.cell.count << seek->failed);
	seek->failed += seek->failed < FAILED_MOST;
}

/* Try to skip the next piece. */
static bool
pass_piece(struct seek *seek)
{
	if (seek->next < seek->plain || !reader_pass(seek->reader, seek->size, &seek->piece))
		return false;
	seek->size *= seek->size < PIECE_MOST ? 2 : 1;
	if (!lacks_all(seek)) {
		take_back(seek);
		return false;
	}
	seek->next += seek->piece.cell.count;
	seek->failed = 0;
	return true;
}

bool
seek_pass(struct seek *seek)
{
	unsigned passed = 0;
	while (seek->passes && passed < PIECES_PASSED && pass_piece(seek))
		passed++;
	return passed == PIECES_PASSED;
}

/* --- doubts ------------------------------------------------------------ */

/* Add the flags of the cell's messages that lie in no range. */
static void
add_cell_doubts(struct seek *seek, uint64_t cell, struct doubts *doubts)
{
	if (!seek->cells) {
		seek->cells = reader_new(reader_trace(seek->reader));
		reader_limit(seek->cells, 1);
	}
	const struct decoded_cell *decoded = reader_decoded_cell(seek->cells, cell);
	size_t range = 0;
	for (size_t i = 0; i < decoded->count; i++) {
		uint64_t number = decoded->first + i;
		while (range < seek->ranges.count && seek->ranges.at[range].end <= number)
			range++;
		if (range == seek->ranges.count || number < seek->ranges.at[range].first)
			doubts_add_flags(doubts, decoded->messages[i].flags);
	}
}

void
seek_add_passed(struct seek *seek, struct doubts *doubts)
{
	const struct index *index = trace_index(reader_trace(seek->reader));
	struct index_cell cell;
	size_t range = 0;
	while (find_range(seek)) /* the scan may have ended early */
		continue;
	for (uint64_t i = seek->from; i < seek->until && index_cell(index, i, &cell); i++) {
		while (range < seek->ranges.count && seek->ranges.at[range].end <= cell.first)
			range++;
		bool inside = range < seek->ranges.count &&
			      seek->ranges.at[range].first <= cell.first &&
			      cell.first + cell.count <= seek->ranges.at[range].end;
		if (!inside && cell.message_flags & DOUBT_MESSAGES)
			add_cell_doubts(seek, i, doubts);
	}
}

void
seek_add_doubts(struct seek *seek, struct doubts *doubts)
{
	if (seek->skips) {
		seek_add_passed(seek, doubts);
		doubts_add_trace(doubts, reader_trace(seek->reader));
	} else {
		doubts_add_walk(doubts, seek->reader);
	}
}

void
seek_add_ruled_out(struct trace *trace, const struct filter *filter, struct doubts *doubts)
{
	struct reader *reader = reader_new(trace);
	struct seek *seek = new_walk(reader, filter);
	seek_add_passed(seek, doubts);
	seek_free(seek);
	reader_free(reader);
}
