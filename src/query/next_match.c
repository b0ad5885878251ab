/*
 * The next match: see next_match.h.
 *
 * Each strand has a scan, which runs in the caller's thread or in a job. With several
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

/* --- in a thread -------------------------------------------------------- */

struct next_job {
	struct job thread;
	struct scan scan;
	struct filter_pair pair;
	struct trace *trace;
	enum scan_result result; /* valid once done; then the owner may use `scan` again */
};

static void
run_job(void *context)
{
	struct next_job *job = context;
	job->scan.reader = reader_new(job->trace);
	do
		job->result = scan_next(&job->scan, 1);
	while (job->result == SCAN_MORE && !job_is_stopping(&job->thread));
	reader_free(job->scan.reader);
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
	struct scan scan;
	uint64_t began; /* the cell where the first round began and the second ends */
	size_t lane;	/* its trace, a lane of the sequence */
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
		lane->lane = sequence_strand_trace(sequence, i);
		scan_init(&lane->scan, sequence_reader(sequence, lane->lane), &next->pair,
			  next->query.direction);
		lane->scan.whole = next->query.whole;
		size_t number;
		if (sequence_strand_group(sequence, i, &number))
			lane->scan.strand = number;
		next->in_parts |= lane->scan.strand != SCAN_ALL_STRANDS;
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
	struct reader *reader = sequence_reader(next->query.sequence, from->trace);
	if (!next->in_parts || sequence_message(next->query.sequence, *from))
		return true;
	return next->query.direction > 0 ? reader_previous(reader, &from->at, 0)
					 : reader_next(reader, &from->at, 0);
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
	lane->scan.last = part->last;
	lane->scan.at = first.at ? (struct position){first.cell, first.at - 1}
				 : position_past(first.cell - 1, 1);
}

/* Move a strand past the last match, if it starts before that. Needed after a rebuild of
 * the strands. */
static void
aim_behind(struct next_match *next, size_t strand)
{
	struct scan *scan = &next->lanes[strand].scan;
	struct position at;
	if (!find_start(next, strand, &at))
		next->lanes[strand].state = LANE_ENDED;
	else if (position_next_cell(at, 1) > position_next_cell(scan->at, 1) ||
		 (at.cell == scan->at.cell && at.at > scan->at.at))
		scan->at = at;
}

/* Place all strands at `from`, or at their parts. */
static void
next_match_aim(struct next_match *next)
{
	next->aimed = true;
	next->round = false;
	bool all = next->query.whole && !next->any;
	bool starts = next->query.parts || (!all && find_message(next));
	for (size_t i = 0; i < next->count; i++) {
		struct next_lane *lane = &next->lanes[i];
		lane->is_ahead = false;
		if (next->query.parts) {
			aim_at_part(lane, &next->query.parts[i]);
			if (next->any)
				aim_behind(next, i);
			continue;
		}
		lane->shown = next->query.alone ? lane->lane == next->query.from.trace
						: sequence_shows(next->query.sequence, lane->lane);
		lane->scan.last = next->query.direction > 0 ? UINT64_MAX : 0;
		lane->state = LANE_ENDED;
		if (!starts)
			lane->scan.at = scan_start(&lane->scan);
		if (lane->shown && (!starts || find_start(next, i, &lane->scan.at)))
			lane->state = LANE_SOUGHT;
		lane->began = lane->scan.at.cell;
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
		lane->scan.last = lane->began;
		lane->scan.at = scan_start(&lane->scan);
	}
}

/* Continue in a thread. */
static enum next_result
start_job(struct next_match *next, struct next_lane *lane)
{
	struct next_job *job = mem_new(sizeof *job);
	job->trace = reader_trace(lane->scan.reader);
	job->scan = lane->scan;
	job->pair = filter_pair_copy(next->query.want, next->query.also);
	job->scan.pair = &job->pair;
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
	enum next_result result = lane->job->result == SCAN_FOUND ? NEXT_FOUND : NEXT_END;
	lane->scan.at = lane->job->scan.at;
	next_job_free(lane->job);
	lane->job = NULL;
	return result;
}

/* Find the next match in the strand's match set. Return SCAN_MORE where the decided cells
 * end. */
static enum scan_result
ask_known(struct scan *scan)
{
	if (!scan->known)
		return SCAN_MORE;
	switch (matches_next(scan->known, scan->reader, scan->at, scan->direction, &scan->at)) {
	case MATCHES_FOUND:
		return SCAN_FOUND;
	case MATCHES_END:
		return SCAN_END;
	case MATCHES_UNDECIDED:
		break;
	}
	return SCAN_MORE;
}

static enum next_result
look_in_lane(struct next_match *next, struct next_lane *lane, const struct next_bound *bound)
{
	struct scan *scan = &lane->scan;
	if (lane->job)
		return poll_job(lane);
	for (unsigned cells = bound->near;; cells = 1) {
		enum scan_result result = ask_known(scan);
		if (result == SCAN_MORE)
			result = scan_next(scan, cells);
		if (result != SCAN_MORE)
			return result == SCAN_FOUND ? NEXT_FOUND : NEXT_END;
		if (scan->known && matches_await(scan->known, scan->at, scan->direction))
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
				 (struct sequence_position){lane->lane, lane->scan.at});
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
	struct scan *scan = &lane->scan;
	struct sequence *sequence = next->query.sequence;
	if (lane->is_ahead)
		return;
	lane->is_ahead =
	    sequence_step(sequence, strand, scan->at, scan->direction, &lane->ahead) &&
	    !(scan->direction > 0 ? lane->ahead.cell > scan->last : lane->ahead.cell < scan->last);
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
	struct scan *scan = &lane->scan;
	uint64_t cell = lane->ahead.cell;
	if (position_next_cell(scan->at, scan->direction) != cell)
		scan->at =
		    scan->direction > 0 ? position_past(cell - 1, 1) : position_past(cell + 1, -1);
	if (scan->known && matches_await(scan->known, scan->at, scan->direction))
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
		struct scan *scan = &lane->scan;
		uint64_t cell = lane->ahead.cell, count;
		bool decided = scan->known && matches_in_cell(scan->known, cell, &count);
		bool skip = scan_rules_out(scan, cell);
		enum next_result waits = NEXT_FOUND;
		if (!skip && !decided && !cells)
			waits = wait_for_cell(next, lane, bound);
		else if (!skip && !cells && !bound->background && thread_now_ms() >= bound->until)
			waits = NEXT_MORE;
		if (waits != NEXT_FOUND)
			return waits;
		cells -= !skip && cells;
		lane->is_ahead = false;
		if (!skip && scan_cell(scan, cell))
			note_found(next, first);
		else
			scan->at = position_past(cell, scan->direction);
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
		lane->scan.known = bound->known ? bound->known[lane->lane] : NULL;
		if (lane->scan.strand != SCAN_ALL_STRANDS && !lane->job)
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
			*found = (struct sequence_position){lane->lane, lane->scan.at};
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
	return next->lanes[lane].scan.at;
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
