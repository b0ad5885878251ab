/*
 * The gap before a message: see gap.h.
 *
 * A cursor keeps the last time before the next message in the session's order.  The gap
 * before that message is then a subtraction.  The cursor moves forward message by message.
 * To reach a message further than WALK_MAX ahead, or an earlier one, it starts from the
 * head of each lane.  It looks back from each head for a message with a time and takes the
 * latest one.
 */
#include "config.h"

#include "query/gap/gap.h"
#include "base/rank.h"
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

enum {
	WALK_MAX = 8192,   /* messages passed before a new search */
	CELLS_BACK = 1024, /* cells of a lane decoded to find a time */
	BLOCKS = 4	   /* cells that a lane's reader keeps */
};

/* --- one gap ----------------------------------------------------------- */

static bool
is_counted(const struct message *m, const struct message_time *time)
{
	return time->known || m->flags & MESSAGE_TIMED;
}

/* Find the time of a message.  Return false unless it is in PART. */
static bool
time_in(struct trace *trace, size_t part, const struct message *m, struct message_time *time)
{
	return clocks_time(trace, m, time) && is_counted(m, time) && time->part == part;
}

bool
gap_time(struct trace *trace, const struct message *m, struct message_time *time)
{
	return time_in(trace, clocks_part(trace), m, time);
}

void
gap_times(struct trace *trace, const struct message *m, size_t count, struct message_time *times,
	  bool *any)
{
	clocks_times(trace, m, count, times, any);
	for (size_t i = 0; i < count; i++)
		any[i] = any[i] && is_counted(&m[i], &times[i]);
}

/* All times of a clock with a scale are in its trace's part, so the part needs no test. */
bool
gap_scale(struct trace *trace, const struct message *m, size_t count, struct clocks_scale *scale)
{
	bool fit = clocks_scale(trace, scale);
	for (size_t i = 0; fit && i < count; i++)
		fit = clocks_scale_fits(scale, &m[i]);
	return fit;
}

bool
gap_between(const struct message_time *from, const struct message_time *to, struct gap *gap)
{
	return clocks_can_subtract(from, to) && gap_of(from->order, to->order, to->known, gap);
}

uint64_t
gap_usual(uint64_t *lengths, size_t count)
{
	size_t kept = count - (count + 9) / 10;
	unsigned __int128 sum = 0; /* damaged times may make it large */
	rank_sort(lengths, count);
	for (size_t i = 0; i < kept; i++)
		sum += lengths[i];
	return kept ? (uint64_t)(sum / kept) : 0;
}

void
gap_format(const struct gap *gap, bool brief, struct text *out)
{
	static const struct {
		uint64_t size; /* in nanoseconds */
		const char *name;
	} units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}};
	size_t u = 0, count = sizeof units / sizeof *units;
	while (u < count && gap->length < units[u].size)
		u++;
	text_add_uint(out, gap->known && u < count ? gap->length / units[u].size : gap->length);
	if (!gap->known || u == count) {
		text_add(out, gap->known ? " ns" : brief ? " ticks" : "");
		return;
	}
	unsigned part = (unsigned)(gap->length % units[u].size / (units[u].size / 1000));
	size_t point = out->length;
	text_add_char(out, '.');
	text_add_digits(out, part, 3);
	while (brief && out->length > point && strchr(".0", out->data[out->length - 1])) {
		bool done = out->data[out->length - 1] == '.';
		text_cut(out, out->length - 1);
		if (done)
			break;
	}
	text_add_char(out, ' ');
	text_add(out, units[u].name);
}

/* --- the cursor -------------------------------------------------------- */

struct gap_lane {
	struct trace *trace;
	struct reader *reader;
	size_t part;
	bool by_offset; /* messages without ticks have times too */
};

struct gap_cursor {
	struct session *session;
	struct sequence *sequence;
	struct gap_lane *lanes;
	size_t count;
	uint64_t generation; /* of the state below */
	bool positioned;
	struct sequence_position at; /* all messages before it are passed */
	struct message_time last;    /* time of the last passed message that has one */
	bool timed;		     /* `last` is valid */
	/* a later passed message that should have a time, not looked up yet */
	bool pending;
	size_t pending_lane;
	struct message pending_message;
};

struct gap_cursor *
gap_cursor_new(struct session *session)
{
	struct gap_cursor *cursor = mem_new(sizeof *cursor);
	cursor->session = session;
	cursor->sequence = sequence_new(session);
	cursor->count = sequence_trace_count(cursor->sequence);
	cursor->lanes = mem_new(cursor->count * sizeof *cursor->lanes);
	for (size_t i = 0; i < cursor->count; i++) {
		struct reader *reader = sequence_reader(cursor->sequence, i);
		reader_limit(reader, BLOCKS);
		cursor->lanes[i] =
		    (struct gap_lane){.trace = reader_trace(reader), .reader = reader};
	}
	return cursor;
}

void
gap_cursor_free(struct gap_cursor *cursor)
{
	if (!cursor)
		return;
	sequence_free(cursor->sequence);
	free(cursor->lanes);
	free(cursor);
}

uint64_t
gap_generation(const struct session *session)
{
	uint64_t now = clocks_generation(session->clocks);
	bool several = session->traces.count > 1;
	if (session->traces.count == 1)
		several = clocks_strand_count(session->traces.at[0]) > 1;
	for (size_t i = 0; several && i < session->traces.count; i++) {
		struct index *index = trace_index(session->traces.at[i]);
		now = generation_join(now, index_generation(index), index_is_complete(index));
	}
	return now;
}

static bool
has_several(const struct gap_cursor *cursor)
{
	return sequence_strand_count(cursor->sequence) > 1;
}

/* Pick up new times and messages. */
static void
cursor_refresh(struct gap_cursor *cursor)
{
	struct clocks *clocks = cursor->session->clocks;
	uint64_t now = clocks_generation(clocks);
	for (size_t i = 0; i < cursor->count; i++) {
		struct index *index = trace_index(cursor->lanes[i].trace);
		/* with several, progress of one index may reorder all lanes */
		now = generation_join(now, index_generation(index),
				      has_several(cursor) ? index_known(index) : 0);
	}
	if (!generation_renew(&cursor->generation, now) && cursor->positioned)
		return;
	cursor->positioned = false;
	sequence_renew(cursor->sequence);
	if (has_several(cursor))
		sequence_load(cursor->sequence);
	for (size_t i = 0; i < cursor->count; i++) {
		struct gap_lane *lane = &cursor->lanes[i];
		lane->by_offset = clocks_nature(lane->trace).by_offset;
		lane->part = clocks ? clocks_part(lane->trace) : 0;
	}
}

/* Pass the next message.  Return false if it is the last. */
static bool
cursor_step(struct gap_cursor *cursor)
{
	const struct gap_lane *lane = &cursor->lanes[cursor->at.trace];
	const struct message *m = sequence_message(cursor->sequence, cursor->at);
	if (m && (lane->by_offset || m->flags & MESSAGE_TIMED)) {
		cursor->pending = true;
		cursor->pending_lane = cursor->at.trace;
		cursor->pending_message = *m;
	}
	return sequence_next(cursor->sequence, &cursor->at);
}

/* Walk forward to a message.  Return false if it is far away, or not ahead. */
static bool
cursor_walk(struct gap_cursor *cursor, struct sequence_position p)
{
	if (!cursor->positioned)
		return false;
	if (sequence_position_is_same(cursor->at, p))
		return true;
	if ((p.trace == cursor->at.trace && p.at.cell > cursor->at.at.cell + 1) ||
	    !sequence_is_before(cursor->sequence, cursor->at, p))
		return false;
	for (unsigned passed = 0; passed < WALK_MAX; passed++)
		if (!cursor_step(cursor) || sequence_position_is_same(cursor->at, p))
			break;
	return sequence_position_is_same(cursor->at, p);
}

static bool
cursor_has(void *context, size_t lane, const struct message *m)
{
	struct gap_cursor *cursor = context;
	const struct gap_lane *own = &cursor->lanes[lane];
	struct message_time time;
	return time_in(own->trace, own->part, m, &time);
}

/* Place the cursor at a message. */
static void
cursor_seek(struct gap_cursor *cursor, struct sequence_position p)
{
	struct sequence_position found;
	cursor->at = p;
	cursor->pending = false;
	cursor->positioned = true;
	cursor->timed =
	    sequence_find_timed_before(cursor->sequence, p, CELLS_BACK, cursor_has, cursor, &found);
	if (!cursor->timed)
		return;
	const struct gap_lane *lane = &cursor->lanes[found.trace];
	const struct message *m = sequence_message(cursor->sequence, found);
	cursor->timed = time_in(lane->trace, lane->part, m, &cursor->last);
}

/* Look up the time of the last message passed.  Most messages are passed without a look-up. */
static void
cursor_settle(struct gap_cursor *cursor)
{
	const struct gap_lane *lane = &cursor->lanes[cursor->pending_lane];
	if (!cursor->pending)
		return;
	cursor->pending = false;
	cursor->timed = time_in(lane->trace, lane->part, &cursor->pending_message, &cursor->last);
	if (!cursor->timed)
		cursor_seek(cursor, cursor->at);
}

bool
gap_cursor_find(struct gap_cursor *cursor, struct trace *trace, const struct message *m,
		struct gap *gap)
{
	struct sequence_position p;
	struct message_time time;
	cursor_refresh(cursor);
	if (!sequence_find_trace(cursor->sequence, trace_number(trace), &p.trace))
		return false;
	const struct gap_lane *lane = &cursor->lanes[p.trace];
	if (!time_in(trace, lane->part, m, &time) || !reader_find_message(lane->reader, m, &p.at))
		return false;
	if (!cursor_walk(cursor, p))
		cursor_seek(cursor, p);
	cursor_settle(cursor);
	return cursor->timed && gap_between(&cursor->last, &time, gap);
}
