/*
 * The messages of a trace, or of several: see sequence.h.
 *
 * A single strand uses the reader; several strands use the merge, which has their
 * order. For common times a single strand uses the merge too, since that has noted
 * the times.
 */
#include "config.h"

#include "session/sequence.h"
#include "session/clock/clocks.h"
#include "session/merge.h"
#include "session/session.h"

#include <stdlib.h>

enum {
	UNTIMED_MAX = 64, /* cells without a time to skip while bisecting */
	NEAR_CELLS = 16,  /* cells to search for the message */
	WALK_CELLS = 4	  /* cells that a reader of a walk keeps */
};

struct sequence {
	struct merge *merge;
	size_t count; /* number of traces */
	size_t first; /* number of the first trace */
	struct reader **readers;
	bool *hidden; /* for each trace */
};

/* --- making and freeing ------------------------------------------------ */

static struct sequence *
make_sequence(struct merge *merge, size_t first, size_t count)
{
	struct sequence *s = mem_new(sizeof *s);
	*s = (struct sequence){.merge = merge, .first = first, .count = count};
	s->readers = mem_new((count + 1) * sizeof *s->readers);
	s->hidden = mem_new((count + 1) * sizeof *s->hidden);
	for (size_t i = 0; i < count; i++)
		s->readers[i] = merge_reader(merge, i);
	return s;
}

struct sequence *
sequence_new(struct session *session)
{
	return make_sequence(merge_new(session), 0, session->traces.count);
}

struct sequence *
sequence_new_walk(struct session *session, const bool *hidden)
{
	struct sequence *s = sequence_new(session);
	for (size_t i = 0; i < session->traces.count; i++) {
		reader_limit(sequence_reader(s, i), WALK_CELLS);
		if (hidden && hidden[i])
			sequence_show(s, i, false);
	}
	return s;
}

struct sequence *
sequence_new_lane(struct sequence *all, size_t trace)
{
	return make_sequence(merge_new_lane(all->merge, trace), trace, 1);
}

void
sequence_free(struct sequence *s)
{
	if (!s)
		return;
	merge_free(s->merge);
	free(s->readers);
	free(s->hidden);
	free(s);
}

void
sequence_load(struct sequence *s)
{
	merge_load(s->merge);
}

void
sequence_start(struct sequence *s)
{
	merge_start(s->merge);
}

void
sequence_wake(struct sequence *s)
{
	merge_wake(s->merge);
}

/* True if there is only one strand. */
static bool
is_alone(const struct sequence *s)
{
	return s->count == 1 && merge_strand_count(s->merge) == 1;
}

/* True if no more strands can appear. */
static bool
are_strands_known(const struct sequence *s)
{
	const struct clocks *clocks = session_of(reader_trace(s->readers[0]))->clocks;
	return clocks_get_order(clocks) == CLOCKS_BY_TRANSPORT ||
	       (!clocks_may_change(clocks) && merge_is_current(s->merge));
}

void
sequence_renew(struct sequence *s)
{
	merge_renew(s->merge);
}

bool
sequence_is_current(const struct sequence *s)
{
	return merge_is_current(s->merge);
}

unsigned
sequence_generation(const struct sequence *s)
{
	return is_alone(s) ? 0 : merge_generation(s->merge);
}

/* --- traces ------------------------------------------------------------ */

size_t
sequence_lane_count(const struct sequence *s)
{
	return s->count;
}

struct reader *
sequence_reader(const struct sequence *s, size_t lane)
{
	return s->readers[lane];
}

bool
sequence_find_lane(const struct sequence *s, size_t trace, size_t *lane)
{
	*lane = trace - s->first;
	return *lane < s->count;
}

void
sequence_show(struct sequence *s, size_t lane, bool on)
{
	if (s->count == 1)
		return;
	s->hidden[lane] = !on;
	merge_show(s->merge, lane, on);
}

bool
sequence_shows(const struct sequence *s, size_t lane)
{
	return !s->hidden[lane];
}

bool
sequence_relates(const struct sequence *s, size_t lane, size_t other)
{
	return lane == other || merge_part(s->merge, lane) == merge_part(s->merge, other);
}

size_t
sequence_strand_count(const struct sequence *s)
{
	return is_alone(s) ? 1 : merge_strand_count(s->merge);
}

size_t
sequence_strand_lane(const struct sequence *s, size_t strand)
{
	return is_alone(s) ? 0 : merge_strand_lane(s->merge, strand);
}

size_t
sequence_strand(struct sequence *s, struct sequence_position p)
{
	return is_alone(s) ? 0 : merge_strand(s->merge, p);
}

bool
sequence_strand_is_part(const struct sequence *s, size_t strand, size_t *number)
{
	return !is_alone(s) && merge_strand_is_part(s->merge, strand, number);
}

/* --- order ------------------------------------------------------------- */

bool
sequence_first(struct sequence *s, struct sequence_position *p)
{
	if (!is_alone(s))
		return merge_first(s->merge, p);
	p->lane = 0;
	return reader_first(s->readers[0], &p->at);
}

bool
sequence_last(struct sequence *s, struct sequence_position *p)
{
	if (!is_alone(s))
		return merge_last(s->merge, p);
	p->lane = 0;
	return reader_last(s->readers[0], &p->at);
}

bool
sequence_next(struct sequence *s, struct sequence_position *p)
{
	return is_alone(s) ? reader_next(s->readers[0], &p->at, 0) : merge_next(s->merge, p);
}

bool
sequence_previous(struct sequence *s, struct sequence_position *p)
{
	return is_alone(s) ? reader_previous(s->readers[0], &p->at, 0)
			   : merge_previous(s->merge, p);
}

const struct message *
sequence_message(struct sequence *s, struct sequence_position p)
{
	return reader_message(s->readers[p.lane], p.at);
}

bool
sequence_is_before(struct sequence *s, struct sequence_position a, struct sequence_position b)
{
	if (sequence_strand(s, a) == sequence_strand(s, b))
		return a.at.cell != b.at.cell ? a.at.cell < b.at.cell : a.at.at < b.at.at;
	struct sequence_key first = merge_key(s->merge, a), second = merge_key(s->merge, b);
	return sequence_key_is_before(&first, &second);
}

struct sequence_key
sequence_key(struct sequence *s, struct sequence_position p)
{
	return is_alone(s) ? (struct sequence_key){0} : merge_key(s->merge, p);
}

bool
sequence_head(struct sequence *s, struct sequence_position p, size_t strand, struct position *at)
{
	*at = p.at;
	return strand == sequence_strand(s, p) || merge_head(s->merge, p, strand, at);
}

bool
sequence_between(struct sequence *s, size_t strand, struct sequence_position first,
		 struct sequence_position last, struct position *from, struct position *to)
{
	if (!sequence_head(s, first, strand, from))
		return false;
	*to = last.at;
	if (strand != sequence_strand(s, last)) {
		sequence_head(s, last, strand, to);
		if (!sequence_step(s, strand, *to, -1, to))
			return false;
	}
	return from->cell != to->cell ? from->cell < to->cell : from->at <= to->at;
}

bool
sequence_lane_head(struct sequence *s, struct sequence_position p, size_t lane, struct position *at)
{
	bool any = false;
	*at = p.at;
	for (size_t i = 0; lane != p.lane && i < sequence_strand_count(s); i++) {
		struct position head;
		if (sequence_strand_lane(s, i) != lane)
			continue;
		bool own = sequence_head(s, p, i, &head);
		bool first = head.cell != at->cell ? head.cell < at->cell : head.at < at->at;
		if (!any || (own && first))
			*at = head;
		any |= own;
	}
	return any || lane == p.lane;
}

bool
sequence_step(struct sequence *s, size_t strand, struct position from, int direction,
	      struct position *at)
{
	return merge_step(s->merge, strand, from, direction, at);
}

bool
sequence_is_exact(struct sequence *s)
{
	return is_alone(s) ? are_strands_known(s) : merge_is_exact(s->merge);
}

bool
sequence_is_uncertain(const struct sequence *s, size_t lane, const struct message *m, size_t other,
		      const struct message *of_other)
{
	return !is_alone(s) && merge_is_uncertain(s->merge, lane, m, other, of_other);
}

/* --- numbers ----------------------------------------------------------- */

uint64_t
sequence_number(struct sequence *s, struct sequence_position p, bool *exact)
{
	if (!is_alone(s))
		return merge_number(s->merge, p, exact);
	uint64_t number = reader_number(s->readers[0], p.at, exact);
	*exact &= are_strands_known(s);
	return number;
}

uint64_t
sequence_count(struct sequence *s, bool *exact)
{
	return is_alone(s) ? reader_count(s->readers[0], exact) : merge_count(s->merge, exact);
}

static bool
find_number(struct sequence *s, uint64_t number, struct sequence_position *p)
{
	bool exact;
	if (!is_alone(s))
		return merge_find_number(s->merge, number, p, &exact);
	p->lane = 0;
	return reader_find_number(s->readers[0], number, &p->at, &exact);
}

static bool
number_is_known(struct sequence *s, uint64_t number)
{
	uint64_t cell;
	bool exact;
	if (!is_alone(s))
		return merge_is_exact(s->merge);
	if (!are_strands_known(s))
		return false;
	struct trace *trace = reader_trace(s->readers[0]);
	if (index_find(trace_index(trace), number, &cell))
		return true;
	trace_count(trace, &exact);
	return exact;
}

static bool
find_percent(struct sequence *s, const struct sequence_wish *wish, struct sequence_position *p)
{
	uint64_t percent = wish->value < 100 ? wish->value : 100;
	bool exact;
	if (!is_alone(s) && merge_is_exact(s->merge)) {
		uint64_t count = merge_count(s->merge, &exact);
		double share = count ? (double)(count - 1) / 100 * (double)percent : 0;
		return merge_find_number(s->merge, (uint64_t)share, p, &exact);
	}
	struct reader *reader = s->readers[wish->lane];
	uint64_t size = capture_size(trace_capture(reader_trace(reader)));
	p->lane = wish->lane;
	return reader_find_offset(reader, size / 100 * percent + size % 100 * percent / 100,
				  &p->at);
}

/* --- times ------------------------------------------------------------- */

/* True if, by its summary, no message of a cell has a time. */
static bool
is_untimed(struct trace *trace, uint64_t cell)
{
	struct index_cell summary;
	return !clocks_nature(trace).by_offset && index_cell(trace_index(trace), cell, &summary) &&
	       !(summary.message_flags & MESSAGE_TIMED);
}

/* Find the last message of a strand before FROM in its cell for which HAS is true. */
static bool
find_in_cell(struct sequence *s, size_t strand, struct position from, sequence_has *has,
	     void *context, struct sequence_position *found)
{
	size_t lane = sequence_strand_lane(s, strand);
	const struct decoded_cell *cell = reader_decoded_cell(s->readers[lane], from.cell);
	size_t at = from.at < cell->count ? from.at : cell->count;
	while (at-- > 0) {
		*found = (struct sequence_position){lane, {from.cell, at}};
		if (has(context, lane, &cell->messages[at]) && sequence_strand(s, *found) == strand)
			return true;
	}
	return false;
}

/* If a strand is only part of its trace, move *FROM after the strand's last message before
 * *FROM. It may be many cells back. Return false if there is none. */
static bool
skip_others(struct sequence *s, size_t strand, struct position *from)
{
	size_t number;
	struct position last;
	if (!sequence_strand_is_part(s, strand, &number))
		return true;
	if (!sequence_step(s, strand, *from, -1, &last))
		return false;
	*from = (struct position){.cell = last.cell, .at = last.at + 1};
	return true;
}

/* Find the last message for which HAS is true in one strand, before FROM. */
static bool
find_timed_before(struct sequence *s, size_t strand, struct position from, unsigned cells,
		  sequence_has *has, void *context, struct sequence_position *found)
{
	struct trace *trace = reader_trace(s->readers[sequence_strand_lane(s, strand)]);
	for (unsigned decoded = 0; decoded < cells && skip_others(s, strand, &from);) {
		if (from.at && !is_untimed(trace, from.cell)) {
			if (find_in_cell(s, strand, from, has, context, found))
				return true;
			decoded++;
		}
		if (!from.cell)
			return false;
		from = (struct position){.cell = from.cell - 1, .at = SIZE_MAX};
	}
	return false;
}

bool
sequence_find_timed_before(struct sequence *s, struct sequence_position p, unsigned cells,
			   sequence_has *has, void *context, struct sequence_position *found)
{
	bool any = false;
	size_t strands = sequence_strand_count(s);
	for (size_t i = 0; i < strands; i++) {
		struct sequence_position own;
		struct position head;
		size_t lane = sequence_strand_lane(s, i);
		if (!sequence_shows(s, lane) || !sequence_relates(s, lane, p.lane))
			continue;
		sequence_head(s, p, i, &head);
		if (!find_timed_before(s, i, head, cells, has, context, &own) ||
		    (any && sequence_is_before(s, own, *found)))
			continue;
		*found = own;
		any = true;
	}
	return any;
}

bool
sequence_find_in_lane(struct sequence *s, size_t lane, int64_t time, struct position *at)
{
	return merge_cut(s->merge, lane, time, at) || reader_last(s->readers[lane], at);
}

static bool
find_time(struct sequence *s, const struct sequence_wish *wish, struct sequence_position *p)
{
	p->lane = 0;
	if (is_alone(s))
		return sequence_find_in_lane(s, 0, wish->time, &p->at);
	return merge_find_time(s->merge, wish->lane, wish->time, p) || merge_last(s->merge, p);
}

/* Find the latest time in a cell; return false if it has none. */
static bool
cell_time(struct reader *reader, uint64_t cell, uint64_t *ticks)
{
	struct index_cell summary;
	if (index_cell(trace_index(reader_trace(reader)), cell, &summary)) {
		*ticks = summary.time_max;
		return summary.flags & CELL_TIMED;
	}
	const struct decoded_cell *decoded = reader_decoded_cell(reader, cell);
	for (size_t i = decoded->count; i-- > 0;) {
		if (decoded->messages[i].flags & MESSAGE_TIMED) {
			*ticks = decoded->messages[i].ticks;
			return true;
		}
	}
	return false;
}

/* Find the first message from CELL on that is not before TICKS. */
static bool
find_in_cells(struct reader *reader, uint64_t cell, uint64_t ticks, struct position *at)
{
	for (unsigned looked = 0; looked < NEAR_CELLS; looked++, cell++) {
		const struct decoded_cell *decoded = reader_decoded_cell(reader, cell);
		for (size_t i = 0; i < decoded->count; i++) {
			if (decoded->messages[i].flags & MESSAGE_TIMED &&
			    decoded->messages[i].ticks >= ticks) {
				*at = (struct position){.cell = cell, .at = i};
				return true;
			}
		}
	}
	return reader_last(reader, at);
}

/* Bisect the cells, by their summaries or, before they are indexed, by decoding: about twenty
 * cells in a capture of any size. */
static bool
find_ticks(struct reader *reader, uint64_t ticks, struct position *at)
{
	uint64_t low = 0, high = index_cell_count(trace_index(reader_trace(reader)));
	while (low < high) {
		uint64_t middle = low + (high - low) / 2, cell = middle, time = 0;
		uint64_t end = high - middle < UNTIMED_MAX ? high : middle + UNTIMED_MAX;
		while (cell < end && !cell_time(reader, cell, &time))
			cell++;
		if (cell < end && time < ticks)
			low = cell + 1;
		else
			high = middle;
	}
	return find_in_cells(reader, low, ticks, at);
}

/* True if the index is complete or has reached TICKS. */
static bool
ticks_are_known(struct reader *reader, uint64_t ticks)
{
	struct index *index = trace_index(reader_trace(reader));
	struct index_progress progress;
	struct index_cell last;
	index_get_progress(index, &progress);
	uint64_t known = index_known(index);
	return progress.complete || (known && index_cell(index, known - 1, &last) &&
				     last.flags & CELL_TIMED && last.time_max >= ticks);
}

/* --- wishes ------------------------------------------------------------ */

bool
sequence_find(struct sequence *s, const struct sequence_wish *wish, struct sequence_position *p)
{
	switch (wish->by) {
	case SEQUENCE_BY_NUMBER:
		return find_number(s, wish->value, p);
	case SEQUENCE_BY_PERCENT:
		return find_percent(s, wish, p);
	case SEQUENCE_BY_TIME:
		return find_time(s, wish, p);
	case SEQUENCE_BY_TICKS:
		p->lane = wish->lane;
		return find_ticks(s->readers[wish->lane], wish->value, &p->at);
	case SEQUENCE_BY_NOTHING:
		break;
	}
	return false;
}

bool
sequence_is_known(struct sequence *s, const struct sequence_wish *wish)
{
	switch (wish->by) {
	case SEQUENCE_BY_NUMBER:
		return number_is_known(s, wish->value);
	case SEQUENCE_BY_PERCENT:
		return sequence_is_exact(s);
	case SEQUENCE_BY_TIME:
		return is_alone(s) ? merge_cut_is_known(s->merge, 0, wish->time)
				   : merge_time_is_known(s->merge, wish->lane, wish->time);
	case SEQUENCE_BY_TICKS:
		return ticks_are_known(s->readers[wish->lane], wish->value);
	case SEQUENCE_BY_NOTHING:
		break;
	}
	return true;
}
