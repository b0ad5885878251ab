/*
 * Find a position by time: see clock_position.h.
 *
 * A binary search uses the latest time of each cell, kept for the next search. A cell
 * without times counts with the previous one. Then one or two cells are decoded. The same
 * is done for the earliest and the latest possible position.
 *
 * In a cell, about twenty messages have their times computed; the others are compared by
 * ticks. If the last search ended in this cell at an earlier time, start from there.
 */
#include "config.h"

#include "session/clock/clock_position.h"
#include "base/lower_bound.h"
#include "session/clock/clocks.h"

#include <math.h>

enum {
	UNTIMED_MAX = 64, /* cells or messages without a time to skip in one search */
	NEAR = 16	  /* messages from the end of the last search */
};

static const double ERROR_MAX = 1e18; /* ns; a larger error counts as unlimited */

/* Return an upper bound of the times in a cell, exact where senders have no clocks. INT64_MIN:
 * the cell has no times. */
static int64_t
latest_in_cell(struct reader *reader, uint64_t cell)
{
	struct trace *trace = reader_trace(reader);
	struct index_cell summary;
	int64_t from, order = INT64_MIN;
	if (index_cell(trace_index(trace), cell, &summary) &&
	    clocks_cell_span(trace, cell, &summary, &from, &order) &&
	    !clocks_is_doubtful(&summary, from, order))
		return order;
	order = INT64_MIN;
	const struct decoded_cell *decoded = reader_decoded_cell(reader, cell);
	for (size_t i = 0; i < decoded->count; i++) {
		struct message_time time;
		if (clocks_time(trace, &decoded->messages[i], &time) && time.order > order)
			order = time.order;
	}
	return order;
}

/* Return the latest time in a cell, or in one shortly before if it has none. */
static int64_t
find_latest(struct reader *reader, uint64_t cell)
{
	int64_t order = latest_in_cell(reader, cell);
	for (unsigned i = 0; order == INT64_MIN && cell && i < UNTIMED_MAX; i++)
		order = latest_in_cell(reader, --cell);
	return order;
}

/* Return find_latest() from the table, or compute and keep it. */
static int64_t
latest_until(struct reader *reader, uint64_t cell, struct context_latest *kept)
{
	uint64_t generation = trace_and_index_generation(reader_trace(reader));
	size_t slot = cell % (sizeof kept->at / sizeof *kept->at);
	if (kept->generation != generation)
		*kept = (struct context_latest){.generation = generation};
	if (kept->at[slot].behind != cell + 1) {
		kept->at[slot].order = find_latest(reader, cell);
		kept->at[slot].behind = cell + 1;
	}
	return kept->at[slot].order;
}

/* Return the first known cell with a time later than ORDER, or the number of known cells. */
static uint64_t
first_later(struct reader *reader, int64_t order, struct context_latest *kept)
{
	uint64_t cell;
	lower_bound(cell, index_known(trace_index(reader_trace(reader))),
		    latest_until(reader, cell, kept) <= order);
	return cell;
}

/* A time, and the bounds of its ticks where times follow from ticks. */
struct bound {
	struct trace *trace;
	int64_t order;
	bool rising;
	uint64_t below, above; /* fewer ticks than `below` are not later, more than `above` are */
};

static bool
is_later(struct bound *bound, const struct message *m)
{
	struct message_time time;
	if (bound->rising && (!(m->flags & MESSAGE_TIMED) || m->ticks < bound->below))
		return false;
	if (bound->rising && m->ticks > bound->above)
		return true;
	if (!clocks_time(bound->trace, m, &time))
		return false;
	bool later = time.order > bound->order;
	if (later)
		bound->above = m->ticks;
	else
		bound->below = m->ticks;
	return later;
}

/* Return the first message of a cell after the bound, from FROM on, or the cell's count. Unless
 * it is near, a binary search first narrows the ticks, so that few times are computed. */
static size_t
first_in_cell(struct bound *bound, const struct decoded_cell *decoded, size_t from)
{
	size_t at = from + NEAR;
	if (bound->rising && at < decoded->count && !is_later(bound, &decoded->messages[at]))
		lower_bound(at, decoded->count, !is_later(bound, &decoded->messages[at]));
	at = from < decoded->count ? from : decoded->count;
	while (at < decoded->count && !is_later(bound, &decoded->messages[at]))
		at++;
	return at;
}

/* Make the hint for the next search, without the end of this one. */
static struct context_hint
hint_for(struct reader *reader, uint64_t cell, int64_t order)
{
	uint64_t generation = trace_and_index_generation(reader_trace(reader));
	return (struct context_hint){.order = order, .cell = cell, .generation = generation};
}

/* Find the last message not later than ORDER. */
static bool
find_last(struct reader *reader, int64_t order, struct context_hint *hint,
	  struct context_latest *latest, struct position *at)
{
	struct trace *trace = reader_trace(reader);
	struct clocks_nature nature = clocks_nature(trace);
	struct bound bound = {.trace = trace,
			      .order = order,
			      .rising = nature.rising && !nature.own,
			      .above = UINT64_MAX};
	at->cell = first_later(reader, order, latest);
	struct context_hint now = hint_for(reader, at->cell, order);
	/* unknown cells may still change */
	bool holds = hint->cell == now.cell && hint->order <= order &&
		     hint->generation == now.generation &&
		     now.cell < index_known(trace_index(trace));
	now.at = first_in_cell(&bound, reader_decoded_cell(reader, at->cell), holds ? hint->at : 0);
	at->at = now.at;
	/* the cell may end before its bound */
	while (nature.own && at->at == reader_decoded_cell(reader, at->cell)->count &&
	       at->cell + 1 < index_known(trace_index(trace)))
		at->at = first_in_cell(&bound, reader_decoded_cell(reader, ++at->cell), 0);
	*hint = now;
	return reader_previous(reader, at, 0);
}

/* Return the largest error of comparing NOW with the time at a position, or of the last timed
 * message before it. Negative: unlimited. */
static int64_t
order_error(struct reader *reader, struct position at, const struct message_time *now)
{
	struct message_time there = {0};
	bool timed = false;
	if (!now->known)
		return 0;
	for (unsigned i = 0; i < UNTIMED_MAX && !timed; i++) {
		const struct message *m = reader_message(reader, at);
		timed = m && clocks_time(reader_trace(reader), m, &there);
		if (!timed && !reader_previous(reader, &at, 1))
			break;
	}
	double error = ceil(now->error + there.error);
	return error < ERROR_MAX ? (int64_t)error : -1;
}

/* Find the first and last possible result. */
static void
find_bounds(struct reader *reader, const struct message_time *now,
	    struct context_position *position)
{
	int64_t error = order_error(reader, position->at, now), least, most;
	position->least = position->most = position->at;
	position->open = error < 0 || __builtin_sub_overflow(now->order, error, &least) ||
			 __builtin_add_overflow(now->order, error, &most);
	if (position->open || !error)
		return;
	struct context_latest *latest = &position->latest;
	if (!find_last(reader, least, &position->hints[1], latest, &position->least))
		reader_first(reader, &position->least);
	find_last(reader, most - 1, &position->hints[2], latest, &position->most);
}

bool
clock_find_position(void *unused, const struct trace *from, const struct message *m,
		    struct reader *reader, struct context_position *position)
{
	struct message_time now;
	(void)unused;
	if (clocks_part((struct trace *)from) != clocks_part(reader_trace(reader)) ||
	    !clocks_time((struct trace *)from, m, &now) ||
	    !find_last(reader, now.order, &position->hints[0], &position->latest, &position->at))
		return false;
	find_bounds(reader, &now, position);
	return true;
}
