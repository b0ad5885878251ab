/* Times of cells: see track.h. */
#include "config.h"

#include "query/track.h"
#include "base/generation.h"
#include "session/clock/clocks.h"
#include "session/session.h"

enum { SETTLED_MAX = 64 }; /* cells decoded for one end of a track */

static uint64_t
generation_of(const struct track *track)
{
	return generation_join(index_generation(trace_index(track->trace)),
			       clocks_generation(session_of(track->trace)->clocks));
}

static void
start_again(struct track *track)
{
	vec_clear(&track->spans);
	track->first = track->start = INT64_MAX;
	track->last = INT64_MIN;
	track->unit = TRACK_OFFSETS;
	track->wall = false;
	track->plain = true;
	track->generation = generation_of(track);
	track->part = clocks_part(track->trace);
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

/* --- making spans ------------------------------------------------------- */

/* Set the unit of the track from its first time. */
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
	return clocks_time(track->trace, m, time) && time->part == track->part;
}

/* Return the transport time of a message that has the time TIME. */
static int64_t
transport_order(const struct track *track, const struct message *m, const struct message_time *time)
{
	struct message_time carried;
	bool other = m->flags & MESSAGE_SENDER_TIMED;
	return other && clocks_transport_time(track->trace, m, &carried) ? carried.order
									 : time->order;
}

/* Bounds of times. */
struct bounds {
	int64_t from, to; /* from > to: empty */
};

static const struct bounds no_bounds = {INT64_MAX, INT64_MIN};

static void
track_include(struct bounds *bounds, int64_t order)
{
	bounds->from = order < bounds->from ? order : bounds->from;
	bounds->to = order > bounds->to ? order : bounds->to;
}

static void
decode_bounds(const struct track *track, const struct decoded_cell *decoded, struct bounds *times,
	      struct bounds *carried)
{
	*times = *carried = no_bounds;
	for (size_t i = 0; i < decoded->count; i++) {
		const struct message *m = &decoded->messages[i];
		struct message_time time;
		if (!time_of(track, m, &time))
			continue;
		track_include(times, time.order);
		track_include(carried, transport_order(track, m, &time));
	}
}

static void
reach_ends(struct track *track, const struct bounds *bounds)
{
	track->first = bounds->from < track->first ? bounds->from : track->first;
	track->last = bounds->to > track->last ? bounds->to : track->last;
}

static void
add_span(struct track *track, const struct bounds *times, const struct bounds *carried, bool loose)
{
	size_t count = track->spans.count;
	int64_t latest = count ? track->spans.at[count - 1].latest : INT64_MIN;
	bool any = carried->from <= carried->to;
	if (any && latest == INT64_MIN)
		track->start = carried->from;
	latest = any && carried->to > latest ? carried->to : latest;
	reach_ends(track, times);
	if (latest != INT64_MIN) /* messages without a time use these times */
		reach_ends(track, &(struct bounds){track->start, latest});
	*vec_add(&track->spans) = (struct span){times->from, times->to, latest, loose};
}

/* Learn the unit from the first cell that has times. */
static void
track_learn(struct track *track, uint64_t cell, const struct index_cell *summary,
	    struct reader *reader)
{
	bool timed = summary->flags & CELL_TIMED;
	struct message m = {.ticks = summary->time_min,
			    .offset = cell * index_cell_size(trace_index(track->trace)),
			    .flags = timed ? MESSAGE_TIMED : 0};
	struct message_time time;
	if (reader) { /* several clocks: use the first message that has a time */
		const struct decoded_cell *decoded = reader_decoded_cell(reader, cell);
		for (size_t i = 0; i < decoded->count; i++)
			if (time_of(track, &decoded->messages[i], &time)) {
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
		struct bounds times, carried;
		if (!index_cell(trace_index(track->trace), cell, &summary))
			break;
		bool known =
		    clocks_cell_span(track->trace, cell, &summary, &times.from, &times.to) &&
		    clocks_cell_transport_span(track->trace, cell, &summary, &carried.from,
					       &carried.to);
		if (!known && !reader) {
			*stuck = true;
			break;
		}
		if (!known)
			decode_bounds(track, reader_decoded_cell(reader, cell), &times, &carried);
		if (times.from <= times.to && track->start == INT64_MAX)
			track_learn(track, cell, &summary, known ? NULL : reader);
		bool loose = known && (times.from != carried.from || times.to != carried.to);
		add_span(track, &times, &carried, loose);
	}
	return done;
}

/* Find the loose cell that sets the first time of the track, or the last time if LAST. */
static struct span *
loose_end(struct track *track, bool last)
{
	for (size_t i = 0; i < track->spans.count; i++) {
		struct span *span = &track->spans.at[i];
		if (span->loose && (last ? span->to == track->last : span->from == track->first))
			return span;
	}
	return NULL;
}

/* Compute the ends of a track again. */
static void
find_ends(struct track *track)
{
	track->first = track->start;
	track->last = track->spans.at[track->spans.count - 1].latest;
	for (size_t i = 0; i < track->spans.count; i++) {
		const struct span *span = &track->spans.at[i];
		reach_ends(track, &(struct bounds){span->from, span->to});
	}
}

void
track_settle_ends(struct track *track, struct reader *reader)
{
	struct span *span;
	for (int last = 0; last < 2; last++) {
		for (unsigned i = 0; i < SETTLED_MAX && (span = loose_end(track, last)); i++) {
			uint64_t cell = (uint64_t)(span - track->spans.at);
			struct bounds times, carried;
			decode_bounds(track, reader_decoded_cell(reader, cell), &times, &carried);
			span->from = times.from;
			span->to = times.to;
			span->loose = false;
			find_ends(track);
		}
	}
}

/* --- times of cells ----------------------------------------------------- */

/* True if no message in the trace has had a time yet. */
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
		/* messages without a time use the transport's latest before them */
		int64_t before = track_before(track, cell);
		*from = before < *from ? before : *from;
		*to = span->latest > *to ? span->latest : *to;
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
track_walk(const struct track *track, int64_t before, const struct decoded_cell *decoded,
	   void (*each)(void *, const struct message *, int64_t), void *context)
{
	bool by_offset = is_by_offset(track);
	for (size_t i = 0; i < decoded->count; i++) {
		const struct message *m = &decoded->messages[i];
		struct message_time time;
		int64_t at = before;
		if (by_offset) {
			at = (int64_t)message_id_offset(m);
		} else if (time_of(track, m, &time)) {
			int64_t carried = transport_order(track, m, &time);
			at = time.order;
			before = carried > before ? carried : before;
		}
		each(context, m, at);
	}
}
