/* Times of cells: see track.h. */
#include "config.h"

#include "query/track.h"
#include "base/lower_bound.h"
#include "session/clock/clocks.h"
#include "session/session.h"

static unsigned
generation_of(const struct track *track)
{
	const struct clocks *clocks = session_of(track->trace)->clocks;
	return index_generation(trace_index(track->trace)) +
	       (clocks ? clocks_generation(clocks) : 0);
}

static void
start_again(struct track *track)
{
	vec_clear(&track->spans);
	track->first = track->start = INT64_MAX;
	track->unit = TRACK_OFFSETS;
	track->wall = false;
	track->plain = true;
	track->generation = generation_of(track);
	track->part = session_of(track->trace)->clocks ? clocks_part(track->trace) : 0;
}

void
track_open(struct track *track, struct trace *trace)
{
	*track = (struct track){.trace = trace};
	start_again(track);
}

void
track_free(struct track *track)
{
	vec_free(&track->spans);
}

bool
track_renew(struct track *track)
{
	bool same = track->generation == generation_of(track) &&
		    track->spans.count <= index_known(trace_index(track->trace));
	if (!same)
		start_again(track);
	return !same;
}

/* --- making spans ------------------------------------------------------ */

/* What the times are, from the first message that has one. */
static void
learn_unit(struct track *track, const struct message_time *time, bool by_offset)
{
	track->unit = time->known ? TRACK_NANOSECONDS : by_offset ? TRACK_OFFSETS : TRACK_TICKS;
	track->wall = time->wall;
	track->plain = time->plain;
}

static bool
time_of(const struct track *track, const struct message *m, struct message_time *time)
{
	return clocks_transport_time(track->trace, m, time) && time->part == track->part;
}

static void
decode_span(struct track *track, const struct block *block, int64_t *from, int64_t *to)
{
	*from = INT64_MAX;
	*to = INT64_MIN;
	for (size_t i = 0; i < block->count; i++) {
		struct message_time time;
		if (!time_of(track, &block->messages[i], &time))
			continue;
		*from = time.order < *from ? time.order : *from;
		*to = time.order > *to ? time.order : *to;
	}
}

static void
add_span(struct track *track, int64_t from, int64_t to)
{
	size_t count = track->spans.count;
	int64_t latest = count ? track->spans.at[count - 1].latest : INT64_MIN;
	bool any = from <= to;
	if (any && latest == INT64_MIN)
		track->start = from;
	if (any && from < track->first)
		track->first = from;
	latest = any && to > latest ? to : latest;
	*vec_add(&track->spans) = (struct span){from, to, latest};
}

/* Asks for the unit at the first cell that has times. */
static void
track_learn(struct track *track, uint64_t cell, const struct index_cell *summary,
	    struct reader *reader)
{
	bool timed = summary->flags & CELL_TIMED;
	struct message m = {.ticks = summary->time_min,
			    .offset = cell * index_cell_size(trace_index(track->trace)),
			    .flags = timed ? MESSAGE_TIMED : 0};
	struct message_time time;
	if (reader) { /* the times are of several clocks: of one that has it */
		const struct block *block = reader_block(reader, cell);
		for (size_t i = 0; i < block->count; i++)
			if (time_of(track, &block->messages[i], &time)) {
				learn_unit(track, &time, !timed);
				return;
			}
	} else if (clocks_transport_time(track->trace, &m, &time)) {
		learn_unit(track, &time, !timed);
	}
}

size_t
track_extend(struct track *track, size_t count, struct reader *reader, bool *stuck)
{
	size_t done = 0;
	*stuck = false;
	for (; done < count; done++) {
		uint64_t cell = track->spans.count;
		struct index_cell summary;
		int64_t from, to;
		if (!index_cell(trace_index(track->trace), cell, &summary))
			break;
		bool known = clocks_cell_span(track->trace, cell, &summary, &from, &to);
		if (!known && !reader) {
			*stuck = true;
			break;
		}
		if (!known)
			decode_span(track, reader_block(reader, cell), &from, &to);
		if (from <= to && track->start == INT64_MAX)
			track_learn(track, cell, &summary, known ? NULL : reader);
		add_span(track, from, to);
	}
	return done;
}

/* --- asking ------------------------------------------------------------ */

/* Nothing in the trace has had a time so far. */
static bool
is_by_offset(const struct track *track)
{
	return track->start == INT64_MAX;
}

bool
track_span(const struct track *track, uint64_t cell, int64_t *from, int64_t *to)
{
	uint64_t size = index_cell_size(trace_index(track->trace));
	if (cell >= track->spans.count)
		return false;
	const struct span *span = &track->spans.at[cell];
	*from = span->from;
	*to = span->to;
	if (is_by_offset(track)) {
		*from = (int64_t)(cell * size);
		*to = (int64_t)((cell + 1) * size - 1);
	} else if (*from > *to) {
		*from = *to = track_before(track, cell);
	} else {
		/* those without a time stand at the latest one before */
		int64_t before = track_before(track, cell);
		*from = before < *from ? before : *from;
		*to = before > *to ? before : *to;
	}
	return true;
}

int64_t
track_before(const struct track *track, uint64_t cell)
{
	int64_t latest = cell ? track->spans.at[cell - 1].latest : INT64_MIN;
	return latest == INT64_MIN ? track->start : latest;
}

void
track_walk(const struct track *track, int64_t before, const struct block *block,
	   void (*each)(void *, const struct message *, int64_t), void *context)
{
	bool by_offset = is_by_offset(track);
	for (size_t i = 0; i < block->count; i++) {
		const struct message *m = &block->messages[i];
		struct message_time time;
		int64_t at = before;
		if (by_offset)
			at = (int64_t)message_id_offset(m);
		else if (time_of(track, m, &time))
			at = time.order;
		before = at > before ? at : before;
		each(context, m, at);
	}
}

uint64_t
track_find(const struct track *track, int64_t time)
{
	uint64_t cell, count = track->spans.count;
	if (is_by_offset(track)) {
		cell = (uint64_t)(time < 0 ? 0 : time) / index_cell_size(trace_index(track->trace));
		return cell < count ? cell : count;
	}
	lower_bound(cell, count, track->spans.at[cell].latest < time);
	return cell;
}
