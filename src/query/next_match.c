/*
 * The next match: see next_match.h.
 *
 * A `way` scans one strand, cell by cell, in the caller's thread or in a job. With several
 * strands, the first match in order is the next one. Matches of the other strands are kept.
 * The second round ends with the cell where the first began.
 *
 * Strands that are part of a trace are searched only up to the first known match. To go
 * further, each would have to scan the whole trace again.
 */
#include "config.h"

#include "query/next_match.h"
#include "base/generation.h"
#include "base/thread.h"
#include "base/job.h"
#include "session/clock/clocks.h"

#include <stdatomic.h>
#include <stdlib.h>

/* Skipping this many summaries costs about as much as decoding one cell, or as scanning the
 * bytes of sixteen. */
enum { SUMMARIES_PER_CELL = 2048, SUMMARIES_PER_SCAN = SUMMARIES_PER_CELL / 16 };

/* --- one strand -------------------------------------------------------- */

#define WHOLE SIZE_MAX

struct way {
	struct reader *reader;
	struct filter_pair *pair;
	struct matches *known; /* or NULL */
	struct position from;  /* searched up to here */
	int direction;
	size_t number; /* of the strand in its trace; WHOLE: the strand is the trace */
	bool by_cell;
	bool ends; /* stop after cell `last` */
	uint64_t last;
};

static bool
is_ruled_out(struct way *way, uint64_t cell)
{
	struct trace *trace = reader_trace(way->reader);
	uint64_t count;
	if (way->known && matches_in_cell(way->known, cell, &count))
		return !count;
	return filter_pair_judge(way->pair, trace, cell) == FILTER_NONE;
}

/* True if the bytes of a cell rule it out. Called before decoding. */
static bool
scan_lacks(struct way *way, uint64_t cell)
{
	struct trace *trace = reader_trace(way->reader);
	return filter_pair_scan(way->pair, trace, cell) == FILTER_NONE;
}

static bool
is_of_strand(const struct way *way, const struct message *m)
{
	struct message_time time;
	return way->number == WHOLE ||
	       clocks_strand(reader_trace(way->reader), m, &time, NULL) == way->number;
}

/* Search the messages of a cell that lie ahead. */
static bool
look_through(struct way *way, uint64_t cell)
{
	const struct decoded_cell *decoded = reader_decoded_cell(way->reader, cell);
	bool began = cell == way->from.cell, forward = way->direction > 0;
	size_t begin = began && forward ? way->from.at + 1 : 0, end = decoded->count;
	if (began && !forward && way->from.at < end)
		end = way->from.at;
	for (size_t i = begin; i < end; i++) {
		struct position at = {.cell = cell, .at = forward ? i : begin + end - 1 - i};
		decoded = reader_keep(way->reader, decoded, cell);
		if (at.at >= decoded->count || !is_of_strand(way, &decoded->messages[at.at]))
			continue;
		if (way->by_cell) {
			way->from = at;
			return true;
		}
		struct message m = decoded->messages[at.at]; /* copy: the reader may drop the
								cell */
		if (filter_pair_match(way->pair, way->reader, &m)) {
			way->from = at;
			return true;
		}
	}
	return false;
}

/* Search on. Stop after work worth CELLS decoded cells. */
static enum next_result
way_go(struct way *way, unsigned cells)
{
	unsigned budget = cells * SUMMARIES_PER_CELL;
	struct index *index = trace_index(reader_trace(way->reader));
	while (budget) {
		uint64_t cell = position_next_cell(way->from, way->direction);
		bool past = way->direction > 0 ? cell > way->last : cell < way->last;
		if (cell >= index_cell_count(index) || (way->ends && past))
			return NEXT_END;
		bool skip = is_ruled_out(way, cell), scanned = !skip && scan_lacks(way, cell);
		if (!skip && !scanned && look_through(way, cell))
			return NEXT_FOUND;
		way->from = position_past(cell, way->direction);
		unsigned cost = skip ? 1 : scanned ? SUMMARIES_PER_SCAN : SUMMARIES_PER_CELL;
		budget -= cost < budget ? cost : budget;
	}
	return NEXT_MORE;
}

/* --- in a thread -------------------------------------------------------- */

struct next_job {
	struct job thread;
	struct way way;
	struct filter_pair pair;
	struct trace *trace;
	enum next_result result; /* valid once done; then the owner may use `way` again */
};

static void
run_job(void *context)
{
	struct next_job *job = context;
	struct way *way = &job->way;
	struct reader *reader = way->reader = reader_new(job->trace);
	enum next_result result = NEXT_MORE;
	while (result == NEXT_MORE && !job_is_stopping(&job->thread))
		result = way_go(way, 1);
	reader_free(reader);
	job->result = result;
}

static void
next_job_free(struct next_job *job)
{
	if (!job)
		return;
	job_free(&job->thread);
	filter_pair_free(&job->pair);
	free(job);
}

/* --- all strands -------------------------------------------------------- */

enum lane_state { LANE_SOUGHT, LANE_FOUND, LANE_ENDED };

/* The state of a strand. */
struct next_lane {
	struct way way;
	size_t lane; /* its trace, a lane of the sequence */
	enum lane_state state;
	struct sequence_key key; /* LANE_FOUND: of the match; else of the message ahead */
	bool is_ahead;		 /* `ahead` is valid: the next message to check */
	struct position ahead;
	bool shown;
	struct next_job *job; /* or NULL */
};

struct next_match {
	struct next_query query;
	struct filter_pair pair;
	struct next_lane *lanes;
	size_t count;
	uint64_t generation; /* epoch of the sequence when the keys were made */
	bool in_parts;	     /* some strand is only part of its trace */
	bool aimed;	     /* the strands are placed at query.from */
	bool any;	     /* a match was found; it is at query.from */
	bool round;	     /* in the second round */
	bool found_wrapped;  /* the last match is from the second round */
};

static void
open_lanes(struct next_match *next)
{
	struct sequence *sequence = next->query.sequence;
	next->generation = sequence_generation(sequence);
	next->count = sequence_strand_count(sequence);
	next->lanes = mem_new(next->count * sizeof *next->lanes);
	next->aimed = false;
	for (size_t i = 0; i < next->count; i++) {
		struct next_lane *lane = &next->lanes[i];
		lane->lane = sequence_strand_lane(sequence, i);
		lane->way = (struct way){.reader = sequence_reader(sequence, lane->lane),
					 .pair = &next->pair,
					 .direction = next->query.direction,
					 .number = WHOLE,
					 .by_cell = next->query.by_cell};
		size_t number;
		if (sequence_strand_is_part(sequence, i, &number))
			lane->way.number = number;
		next->in_parts |= lane->way.number != WHOLE;
	}
}

static void
close_lanes(struct next_match *next)
{
	for (size_t i = 0; i < next->count; i++)
		next_job_free(next->lanes[i].job);
	free(next->lanes);
}

struct next_match *
next_match_new(const struct next_query *query)
{
	struct next_match *next = mem_new(sizeof *next);
	next->query = *query;
	next->pair = filter_pair_borrow(query->want, query->also);
	open_lanes(next);
	return next;
}

void
next_match_free(struct next_match *next)
{
	if (!next)
		return;
	close_lanes(next);
	filter_pair_free(&next->pair);
	free(next);
}

/* Move `from` to a message, as strands of one trace need: the last one not ahead. Return
 * false if all messages are ahead. */
static bool
find_message(struct next_match *next)
{
	struct sequence_position *from = &next->query.from;
	struct reader *reader = sequence_reader(next->query.sequence, from->lane);
	if (!next->in_parts || sequence_message(next->query.sequence, *from))
		return true;
	return next->query.direction > 0 ? reader_previous(reader, &from->at, 0)
					 : reader_next(reader, &from->at, 0);
}

/* Return the start of a scan over everything. */
static struct position
find_outset(const struct next_match *next, const struct next_lane *lane)
{
	struct index *index = trace_index(reader_trace(lane->way.reader));
	return next->query.direction > 0 ? position_past(UINT64_MAX, 1)
					 : position_past(index_cell_count(index), -1);
}

/* Find the position before the first message of a strand that is not before `from`. That
 * message may be the next match. Backward, find the message itself. Return false if nothing
 * of the strand lies ahead. */
static bool
find_start(struct next_match *next, size_t strand, struct position *at)
{
	struct sequence_position from = next->query.from;
	if (strand == sequence_strand(next->query.sequence, from)) {
		*at = from.at;
		return true;
	}
	bool any = sequence_head(next->query.sequence, from, strand, at), forward;
	forward = next->query.direction > 0;
	if (any && forward)
		*at = at->at ? (struct position){.cell = at->cell, .at = at->at - 1}
			     : position_past(at->cell - 1, 1);
	return any || !forward;
}

/* Place a strand at the start of its part. */
static void
aim_at_part(struct next_lane *lane, const struct next_part *part)
{
	struct position first = part->first;
	lane->state = part->any ? LANE_SOUGHT : LANE_ENDED;
	lane->way.ends = true;
	lane->way.last = part->last;
	lane->way.from = first.at ? (struct position){first.cell, first.at - 1}
				  : position_past(first.cell - 1, 1);
}

/* Move a strand past the last match, if it starts before that. Needed after a rebuild of
 * the strands. */
static void
aim_behind(struct next_match *next, size_t strand)
{
	struct way *way = &next->lanes[strand].way;
	struct position at;
	if (!find_start(next, strand, &at))
		next->lanes[strand].state = LANE_ENDED;
	else if (position_next_cell(at, 1) > position_next_cell(way->from, 1) ||
		 (at.cell == way->from.cell && at.at > way->from.at))
		way->from = at;
}

/* Place all strands at `from`, or at their parts. */
static void
next_match_aim(struct next_match *next)
{
	next->aimed = true;
	next->round = false;
	bool starts = next->query.parts || find_message(next);
	for (size_t i = 0; i < next->count; i++) {
		struct next_lane *lane = &next->lanes[i];
		lane->is_ahead = false;
		if (next->query.parts) {
			aim_at_part(lane, &next->query.parts[i]);
			if (next->any)
				aim_behind(next, i);
			continue;
		}
		lane->shown = next->query.alone ? lane->lane == next->query.from.lane
						: sequence_shows(next->query.sequence, lane->lane);
		lane->way.ends = false;
		lane->state = LANE_ENDED;
		if (!starts)
			lane->way.from = find_outset(next, lane);
		if (lane->shown && (!starts || find_start(next, i, &lane->way.from)))
			lane->state = LANE_SOUGHT;
		lane->way.last = lane->way.from.cell;
	}
}

/* Start the second round, from the other end. */
static void
turn_round(struct next_match *next)
{
	next->round = true;
	for (size_t i = 0; i < next->count; i++) {
		struct next_lane *lane = &next->lanes[i];
		if (!lane->shown)
			continue;
		lane->state = LANE_SOUGHT;
		lane->is_ahead = false;
		lane->way.ends = true;
		lane->way.from = find_outset(next, lane);
	}
}

/* Continue in a thread. */
static enum next_result
start_job(struct next_match *next, struct next_lane *lane)
{
	struct next_job *job = mem_new(sizeof *job);
	job->trace = reader_trace(lane->way.reader);
	job->way = lane->way;
	job->pair = filter_pair_copy(next->query.want, next->query.also);
	job->way.pair = &job->pair;
	job_init(&job->thread, run_job, job);
	job->thread.notify = trace_host_notify;
	job->thread.owner = trace_host(job->trace);
	if (!job_start_once(&job->thread)) {
		next_job_free(job);
		return NEXT_REFUSED;
	}
	lane->job = job;
	return NEXT_WAITING;
}

static enum next_result
poll_job(struct next_lane *lane)
{
	if (!job_is_done(&lane->job->thread))
		return NEXT_WAITING;
	enum next_result result = lane->job->result;
	lane->way.from = lane->job->way.from;
	next_job_free(lane->job);
	lane->job = NULL;
	return result;
}

/* Find the next match in the strand's match set. Return NEXT_MORE where the decided cells
 * end. */
static enum next_result
ask_known(struct way *way)
{
	if (!way->known)
		return NEXT_MORE;
	switch (matches_next(way->known, way->reader, way->from, way->direction, &way->from)) {
	case MATCHES_FOUND:
		return NEXT_FOUND;
	case MATCHES_END:
		return NEXT_END;
	case MATCHES_UNDECIDED:
		break;
	}
	return NEXT_MORE;
}

static enum next_result
look_in_lane(struct next_match *next, struct next_lane *lane, const struct next_bound *bound)
{
	struct way *way = &lane->way;
	if (lane->job)
		return poll_job(lane);
	for (unsigned cells = bound->near;; cells = 1) {
		enum next_result result = ask_known(way);
		if (result == NEXT_MORE && cells)
			result = way_go(way, cells);
		if (result != NEXT_MORE)
			return result;
		if (way->known && matches_await(way->known, way->from, way->direction))
			return NEXT_WAITING;
		if (bound->background)
			return start_job(next, lane);
		if (thread_now_ms() >= bound->until)
			return NEXT_MORE;
	}
}

/* Store the match of a strand with its key, for comparison with the others. */
static void
note_found(struct next_match *next, size_t strand)
{
	struct next_lane *lane = &next->lanes[strand];
	lane->state = LANE_FOUND;
	lane->is_ahead = false;
	lane->key = sequence_key(next->query.sequence,
				 (struct sequence_position){lane->lane, lane->way.from});
}

/* Return the strand in STATE with the first key, or `count` if none. */
static size_t
first_in_state(struct next_match *next, enum lane_state state)
{
	bool forward = next->query.direction > 0;
	size_t first = next->count;
	for (size_t i = 0; i < next->count; i++) {
		const struct next_lane *lane = &next->lanes[i];
		if (lane->state == state &&
		    (first == next->count ||
		     sequence_key_is_before(&lane->key, &next->lanes[first].key) == forward))
			first = i;
	}
	return first;
}

/* Compute the keys again if the order changed. */
static void
renew_keys(struct next_match *next)
{
	if (!generation_renew(&next->generation, sequence_generation(next->query.sequence)))
		return;
	for (size_t i = 0; i < next->count; i++)
		if (next->lanes[i].state == LANE_FOUND)
			note_found(next, i);
}

/* --- strands that are part of a trace ----------------------------------- */

/* Find the next message of a strand, match or not. No match lies before it. */
static void
look_ahead(struct next_match *next, size_t strand)
{
	struct next_lane *lane = &next->lanes[strand];
	struct way *way = &lane->way;
	struct sequence *sequence = next->query.sequence;
	if (lane->is_ahead)
		return;
	lane->is_ahead = sequence_step(sequence, strand, way->from, way->direction, &lane->ahead) &&
			 !(way->ends && (way->direction > 0 ? lane->ahead.cell > way->last
							    : lane->ahead.cell < way->last));
	if (lane->is_ahead)
		lane->key =
		    sequence_key(sequence, (struct sequence_position){lane->lane, lane->ahead});
	else
		lane->state = LANE_ENDED;
}

/* Wait for the next cell instead of decoding it here, if possible. Return NEXT_FOUND if it
 * must be decoded here, NEXT_MORE if the time is up. */
static enum next_result
wait_for_cell(struct next_match *next, struct next_lane *lane, const struct next_bound *bound)
{
	struct way *way = &lane->way;
	uint64_t cell = lane->ahead.cell;
	if (position_next_cell(way->from, way->direction) != cell)
		way->from =
		    way->direction > 0 ? position_past(cell - 1, 1) : position_past(cell + 1, -1);
	if (way->known && matches_await(way->known, way->from, way->direction))
		return NEXT_WAITING;
	if (bound->background)
		return start_job(next, lane);
	return thread_now_ms() >= bound->until ? NEXT_MORE : NEXT_FOUND;
}

/* Search the strand with the first next message, until that message comes after the first
 * match. */
static enum next_result
look_in_parts(struct next_match *next, const struct next_bound *bound)
{
	for (unsigned cells = bound->near;;) {
		for (size_t i = 0; i < next->count; i++)
			if (next->lanes[i].state == LANE_SOUGHT && !next->lanes[i].job)
				look_ahead(next, i);
		size_t first = first_in_state(next, LANE_SOUGHT);
		size_t found = first_in_state(next, LANE_FOUND);
		bool forward = next->query.direction > 0;
		if (first == next->count ||
		    (found < next->count &&
		     sequence_key_is_before(&next->lanes[found].key, &next->lanes[first].key) ==
			 forward))
			return NEXT_FOUND;
		struct next_lane *lane = &next->lanes[first];
		struct way *way = &lane->way;
		uint64_t cell = lane->ahead.cell, count;
		bool decided = way->known && matches_in_cell(way->known, cell, &count);
		bool skip = is_ruled_out(way, cell);
		enum next_result waits = NEXT_FOUND;
		if (!skip && !decided && !cells)
			waits = wait_for_cell(next, lane, bound);
		else if (!skip && !cells && !bound->background && thread_now_ms() >= bound->until)
			waits = NEXT_MORE;
		if (waits != NEXT_FOUND)
			return waits;
		cells -= !skip && cells;
		lane->is_ahead = false;
		if (!skip && look_through(way, cell))
			note_found(next, first);
		else
			way->from = position_past(cell, way->direction);
	}
}

/* --- the next match ----------------------------------------------------- */

static void
end_look(struct next_match *next, size_t strand, enum next_result result)
{
	next->lanes[strand].state = LANE_ENDED;
	if (result == NEXT_FOUND)
		note_found(next, strand);
}

/* Search until no strand can have a match before the first one found. */
static enum next_result
look_in_all(struct next_match *next, const struct next_bound *bound)
{
	for (size_t i = 0; i < next->count; i++) {
		struct next_lane *lane = &next->lanes[i];
		if (lane->state != LANE_SOUGHT)
			continue;
		lane->way.known = bound->known ? bound->known[lane->lane] : NULL;
		if (lane->way.number != WHOLE && !lane->job)
			continue;
		enum next_result result = look_in_lane(next, lane, bound);
		if (result != NEXT_FOUND && result != NEXT_END)
			return result;
		end_look(next, i, result);
	}
	return next->in_parts ? look_in_parts(next, bound) : NEXT_FOUND;
}

enum next_result
next_match(struct next_match *next, const struct next_bound *bound, struct sequence_position *found)
{
	bool stale = next->generation != sequence_generation(next->query.sequence);
	if (stale &&
	    (next->in_parts || next->count != sequence_strand_count(next->query.sequence))) {
		close_lanes(next);
		open_lanes(next);
	}
	if (!next->aimed)
		next_match_aim(next);
	for (;;) {
		enum next_result result = look_in_all(next, bound);
		if (result != NEXT_FOUND)
			return result;
		if (next->count > 1 && !sequence_is_current(next->query.sequence))
			return NEXT_WAITING; /* the strands were compared with outdated clocks */
		renew_keys(next);
		size_t first = first_in_state(next, LANE_FOUND);
		if (first < next->count) {
			struct next_lane *lane = &next->lanes[first];
			*found = (struct sequence_position){lane->lane, lane->way.from};
			lane->state = LANE_SOUGHT;
			next->found_wrapped = next->round;
			next->query.from = *found;
			next->any = true;
			next->aimed = !next->query.wrap; /* with `wrap`, each match starts a new
							    round */
			return NEXT_FOUND;
		}
		if (!next->query.wrap || next->round)
			return NEXT_END;
		turn_round(next);
	}
}

bool
next_match_wrapped(const struct next_match *next)
{
	return next->found_wrapped;
}

struct position
next_match_reached(const struct next_match *next, size_t lane)
{
	return next->lanes[lane].way.from;
}

bool
next_match_near(const struct next_query *query, unsigned cells, struct sequence_position *found)
{
	struct next_match *next = next_match_new(query);
	const struct next_bound bound = {.near = cells};
	bool any = next_match(next, &bound, found) == NEXT_FOUND;
	next_match_free(next);
	return any;
}
