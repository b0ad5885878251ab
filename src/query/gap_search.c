/*
 * Long gaps: see gap_search.h.
 *
 * The search compares each row that has a time with the next one.  It skips a cell if all
 * its messages are rows, its times only rise, and its span is shorter than the gap.  No
 * such gap can end in it, whatever other traces contain meanwhile.  Cells close enough to
 * each other, of any traces, form one covered time, and the search continues after it.
 * The times of the other traces must rise there too, since a time that steps back makes a
 * gap after it.
 *
 * The longest gaps are a heap with the shortest at its top.  That one is the threshold, so
 * more cells are skipped as more gaps are found.
 */
#include "config.h"

#include "query/gap_search.h"
#include "base/generation.h"
#include "base/job.h"
#include "session/session.h"

#include <stdlib.h>

enum {
	TELL_MS = 200, /* between two notifications */
	BATCH = 256    /* messages between two checks for a stop */
};

/* A gap in the heap.  NUMBER is its place in the order of discovery. */
struct kept {
	struct gap_found found;
	uint64_t number;
};

struct search_lane {
	struct trace *trace;
	struct reader *reader;
	bool rising;	 /* times follow from ticks alone */
	VEC(bool) calm;	 /* for each cell: times only rise, here and in all earlier cells */
	bool lost;	 /* times stepped back, or are unknown: no later cell is calm */
	int64_t highest; /* latest time of the cells in `calm` */
	uint64_t cell;	 /* the next cell not covered; UINT64_MAX or past the end: none */
};

struct gap_search {
	struct session *session;
	struct filter filter; /* a copy */
	bool *hidden;
	int direction; /* +1 or -1 */
	bool longest;
	struct gap_message from;
	uint64_t left, least;
	size_t most;
	struct job job;

	/* used by the worker alone */
	struct sequence *sequence;
	struct search_lane *lanes;
	struct expansion scratch;
	struct sequence_position at;  /* the last message looked at */
	struct message_time last;     /* time of the last row that has one */
	struct sequence_position row; /* its position */
	bool timed;		      /* `last` and `row` are valid */
	bool first;		      /* that row is FROM, which does not count */
	uint64_t numbers;

	VEC(struct kept) heap; /* protected by the job's lock */
};

/* --- results --------------------------------------------------------- */

/* True if A comes after B in the list of the longest gaps. */
static bool
is_less(const struct kept *a, const struct kept *b)
{
	uint64_t x = a->found.gap.length, y = b->found.gap.length;
	return x != y ? x < y : a->number > b->number;
}

static void
heap_swap(struct gap_search *s, size_t a, size_t b)
{
	struct kept kept = s->heap.at[a];
	s->heap.at[a] = s->heap.at[b];
	s->heap.at[b] = kept;
}

static void
heap_sink(struct gap_search *s)
{
	size_t i = 0, least = 0;
	do {
		i = least;
		for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < s->heap.count; k++)
			if (is_less(&s->heap.at[k], &s->heap.at[least]))
				least = k;
		heap_swap(s, i, least);
	} while (least != i);
}

static void
heap_rise(struct gap_search *s)
{
	for (size_t i = s->heap.count - 1; i; i = (i - 1) / 2) {
		if (!is_less(&s->heap.at[i], &s->heap.at[(i - 1) / 2]))
			break;
		heap_swap(s, i, (i - 1) / 2);
	}
}

static struct gap_message
message_at(struct gap_search *s, struct sequence_position p)
{
	struct search_lane *lane = &s->lanes[p.trace];
	return (struct gap_message){trace_number(lane->trace),
				    reader_message_id(lane->reader, p.at)};
}

/* Keep a gap.  Return true if the search has ended. */
static bool
keep_gap(struct gap_search *s, struct gap gap, struct sequence_position before,
	 struct sequence_position after)
{
	if (!s->longest && --s->left)
		return false;
	struct kept kept = {{gap, message_at(s, before), message_at(s, after)}, s->numbers++};
	job_lock(&s->job);
	if (s->heap.count < s->most) {
		*vec_add(&s->heap) = kept;
		heap_rise(s);
	} else {
		s->heap.at[0] = kept;
		heap_sink(s);
	}
	if (s->heap.count == s->most)
		s->least = s->heap.at[0].found.gap.length + 1;
	job_unlock(&s->job);
	if (job_told_within(&s->job, TELL_MS))
		generation_bump(&s->job.news); /* for callers that look before the next
						  notification */
	else
		job_tell(&s->job);
	return !s->longest;
}

/* --- cells ------------------------------------------------------------- */

/* The rows of a cell, as far as its summary shows. */
enum cell_rows {
	ROWS_NONE,   /* none with a time */
	ROWS_ANY,    /* times may step back */
	ROWS_RISING, /* times do not step back */
	ROWS_DENSE   /* nor is there a gap long enough among them */
};

/* Append one more cell to `calm`.  Return false if it is not indexed. */
static bool
note_calm(struct search_lane *lane)
{
	struct index_cell summary;
	uint64_t cell = lane->calm.count;
	int64_t from = INT64_MAX, to = INT64_MIN;
	if (!index_cell(trace_index(lane->trace), cell, &summary))
		return false;
	if (summary.flags & CELL_TIMED) /* ticks may exceed the range of `order` */
		lane->lost |= !lane->rising ||
			      !clocks_cell_span(lane->trace, cell, &summary, &from, &to) ||
			      from > to;
	/* after a step back, the order is no longer that of times */
	lane->lost |= summary.flags & CELL_TIME_BACK || from < lane->highest;
	*vec_add(&lane->calm) = !lane->lost;
	lane->highest = to > lane->highest ? to : lane->highest;
	return true;
}

static bool
is_calm(struct search_lane *lane, uint64_t cell)
{
	while (lane->calm.count <= cell)
		if (!note_calm(lane))
			return false;
	return lane->calm.at[cell];
}

static enum cell_rows
judge_cell(struct gap_search *s, struct search_lane *lane, uint64_t cell, int64_t *from,
	   int64_t *to)
{
	struct index_cell summary;
	if (!index_cell(trace_index(lane->trace), cell, &summary))
		return ROWS_ANY;
	enum filter_verdict verdict = filter_judge(&s->filter, lane->trace, cell);
	if (verdict == FILTER_NONE || (lane->rising && !(summary.flags & CELL_TIMED)))
		return ROWS_NONE;
	if (!is_calm(lane, cell) || !clocks_cell_span(lane->trace, cell, &summary, from, to))
		return ROWS_ANY;
	bool dense = verdict == FILTER_ALL && (uint64_t)*to - (uint64_t)*from < s->least;
	return dense ? ROWS_DENSE : ROWS_RISING;
}

/* Return how far A is ahead of B in the search direction. */
static __int128
distance_ahead(const struct gap_search *s, int64_t a, int64_t b)
{
	return (__int128)s->direction * ((__int128)a - b);
}

static bool
has_cell(const struct search_lane *lane)
{
	return lane->cell < index_cell_count(trace_index(lane->trace));
}

/* Skip the cells of a lane up to TIME.  Return false if times may step back in one of them, or
 * in the cell at TIME. */
static bool
pass_until(struct gap_search *s, struct search_lane *lane, int64_t time)
{
	int64_t from, to;
	for (; has_cell(lane); lane->cell += (uint64_t)s->direction) {
		enum cell_rows rows = judge_cell(s, lane, lane->cell, &from, &to);
		if (rows == ROWS_NONE)
			continue;
		if (rows == ROWS_ANY)
			return false;
		if (distance_ahead(s, s->direction > 0 ? to : from, time) > 0)
			break;
	}
	return true;
}

static bool
is_walked(const struct gap_search *s, size_t lane)
{
	return sequence_shows(s->sequence, lane) &&
	       sequence_relates(s->sequence, lane, s->at.trace);
}

static bool
all_pass_until(struct gap_search *s, int64_t time)
{
	for (size_t i = 0; i < sequence_trace_count(s->sequence); i++)
		if (is_walked(s, i) && !pass_until(s, &s->lanes[i], time))
			return false;
	return true;
}

/* Extend the covered time by the next cell of a lane.  Return false if the cell does not extend
 * it. */
static bool
cover_cell(struct gap_search *s, struct search_lane *lane, int64_t *covered)
{
	int64_t from, to;
	if (!has_cell(lane) || judge_cell(s, lane, lane->cell, &from, &to) != ROWS_DENSE)
		return false;
	int64_t near = s->direction > 0 ? from : to, far = s->direction > 0 ? to : from;
	if (distance_ahead(s, near, *covered) >= (__int128)s->least || !all_pass_until(s, far))
		return false;
	if (distance_ahead(s, far, *covered) <= 0)
		return false;
	*covered = far;
	return true;
}

/* Return the cell where the walk continues in a lane. */
static uint64_t
next_cell(struct gap_search *s, size_t lane)
{
	uint64_t next = 0;
	bool any = false;
	for (size_t i = 0; i < sequence_strand_count(s->sequence); i++) {
		struct position head;
		if (sequence_strand_trace(s->sequence, i) != lane)
			continue;
		sequence_head(s->sequence, s->at, i, &head);
		uint64_t cell = s->direction > 0 || head.at ? head.cell : head.cell - 1;
		if (!any || (s->direction > 0 ? cell < next : cell + 1 > next + 1))
			next = cell;
		any = true;
	}
	return next;
}

/* Jump from the last row to the end of the covered time, if cells cover any. */
static bool
leap_over(struct gap_search *s)
{
	int64_t covered = s->last.order;
	/* nothing is covered after the last message of a part */
	if (!s->timed || !sequence_relates(s->sequence, s->row.trace, s->at.trace))
		return false;
	for (size_t i = 0; i < sequence_trace_count(s->sequence); i++)
		if (is_walked(s, i))
			s->lanes[i].cell = next_cell(s, i);
	if (!all_pass_until(s, covered))
		return false;
	bool more;
	do {
		more = false;
		for (size_t i = 0; i < sequence_trace_count(s->sequence); i++)
			while (is_walked(s, i) && !job_is_stopping(&s->job) &&
			       cover_cell(s, &s->lanes[i], &covered))
				more = true;
	} while (more);
	/* a row has exactly that time: the first row found from there becomes `last` */
	bool forward = s->direction > 0;
	const struct sequence_wish wish = {
	    .by = SEQUENCE_BY_TIME, .trace = s->at.trace, .time = covered + !forward};
	struct sequence_position p;
	if (covered == s->last.order || !sequence_find(s->sequence, &wish, &p) ||
	    !sequence_is_before(s->sequence, forward ? s->at : p, forward ? p : s->at))
		return false;
	s->at = p;
	s->timed = s->first = false;
	return true;
}

/* --- messages ---------------------------------------------------------- */

/* Look at the message at the walk's position.  Return true if the search has ended. */
static bool
look_at(struct gap_search *s)
{
	struct search_lane *lane = &s->lanes[s->at.trace];
	const struct message *own = sequence_message(s->sequence, s->at);
	struct message_time time;
	struct gap gap;
	if (!own)
		return false;
	struct message m = *own; /* the reader may drop the cell */
	if (!filter_match(&s->filter, lane->reader, &m, &s->scratch) ||
	    !gap_time(lane->trace, &m, &time))
		return false;
	struct message_time last = s->last;
	struct sequence_position row = s->row;
	bool forward = s->direction > 0, any = s->timed && (forward || !s->first);
	s->last = time;
	s->row = s->at;
	s->timed = true;
	s->first = false;
	any = any && gap_between(forward ? &last : &time, forward ? &time : &last, &gap) &&
	      gap.length >= s->least;
	return any && keep_gap(s, gap, forward ? row : s->at, forward ? s->at : row);
}

static bool
step_on(struct gap_search *s)
{
	return s->direction > 0 ? sequence_next(s->sequence, &s->at)
				: sequence_previous(s->sequence, &s->at);
}

/* Find the time at the start: that of the first message, or the last one before it. */
static void
look_back(struct gap_search *s)
{
	struct sequence_position start = s->at;
	uint64_t least = s->least;
	s->least = UINT64_MAX; /* keep no gaps on the way */
	do
		look_at(s);
	while (s->direction > 0 && !s->timed && !job_is_stopping(&s->job) &&
	       sequence_previous(s->sequence, &s->at));
	s->least = least;
	s->at = start;
	s->first = s->timed;
}

static bool
find_start(struct gap_search *s)
{
	size_t lane;
	if (s->longest)
		return sequence_first(s->sequence, &s->at);
	if (!sequence_find_trace(s->sequence, s->from.trace, &lane))
		return false;
	s->at.trace = lane;
	return reader_find_id(s->lanes[lane].reader, s->from.id, &s->at.at);
}

static void
walk_on(struct gap_search *s)
{
	if (!find_start(s))
		return;
	if (s->longest)
		look_at(s);
	else
		look_back(s);
	bool leaps = true;
	for (unsigned passed = 0; passed % BATCH || !job_is_stopping(&s->job); passed++) {
		/* a leap ends at a message not looked at yet */
		if (leaps && leap_over(s) && look_at(s))
			return;
		bool ends = s->direction < 0 && !s->at.at.at;
		if (!step_on(s) || look_at(s))
			return;
		leaps = s->direction > 0 ? !s->at.at.at : ends;
	}
}

/* --- start and end --------------------------------------------------- */

static void
open_sequence(struct gap_search *s)
{
	s->sequence = sequence_new_walk(s->session, s->hidden);
	size_t count = sequence_trace_count(s->sequence);
	s->lanes = mem_new((count + 1) * sizeof *s->lanes);
	for (size_t i = 0; i < count; i++) {
		struct search_lane *lane = &s->lanes[i];
		lane->reader = sequence_reader(s->sequence, i);
		lane->trace = reader_trace(lane->reader);
		struct clocks_nature nature = clocks_nature(lane->trace);
		lane->rising = nature.rising && !nature.own && !nature.by_offset;
		lane->highest = INT64_MIN;
	}
	sequence_load(s->sequence); /* even for one trace: leaps search it by time */
}

static void
search_job(void *context)
{
	struct gap_search *s = context;
	open_sequence(s);
	walk_on(s);
}

struct gap_search *
gap_search_new(const struct gap_query *query)
{
	struct gap_search *s = mem_new(sizeof *s);
	const struct filter all = filter_all();
	size_t traces = query->session->traces.count;
	s->session = query->session;
	s->filter = filter_clone(query->filter ? query->filter : &all);
	s->hidden = mem_new((traces + 1) * sizeof *s->hidden);
	for (size_t i = 0; query->hidden && i < traces; i++)
		s->hidden[i] = query->hidden[i];
	s->longest = !query->direction;
	s->direction = s->longest ? 1 : query->direction;
	s->from = query->from;
	s->left = query->nth ? query->nth : 1;
	s->least = query->least ? query->least : 1;
	s->most = s->longest ? query->most : 1;
	job_init(&s->job, search_job, s);
	s->job.notify = trace_host_notify;
	s->job.owner = &s->session->host;
	job_run_once(&s->job);
	return s;
}

void
gap_search_free(struct gap_search *s)
{
	if (!s)
		return;
	job_free(&s->job);
	for (size_t i = 0; s->lanes && i < sequence_trace_count(s->sequence); i++)
		vec_free(&s->lanes[i].calm);
	sequence_free(s->sequence);
	filter_free(&s->filter);
	expansion_free(&s->scratch);
	vec_free(&s->heap);
	free(s->lanes);
	free(s->hidden);
	free(s);
}

bool
gap_search_is_done(struct gap_search *s)
{
	return job_is_done(&s->job);
}

static int
compare_kept(const void *a, const void *b)
{
	return is_less(a, b) ? 1 : -1;
}

size_t
gap_search_get(struct gap_search *s, struct gap_found *out, size_t max)
{
	job_lock(&s->job);
	size_t count = s->heap.count;
	struct kept *all = mem_new((count + 1) * sizeof *all);
	for (size_t i = 0; i < count; i++)
		all[i] = s->heap.at[i];
	job_unlock(&s->job);
	qsort(all, count, sizeof *all, compare_kept);
	for (size_t i = 0; i < count && i < max; i++)
		out[i] = all[i].found;
	free(all);
	return count;
}

unsigned
gap_search_generation(struct gap_search *s)
{
	return job_generation(&s->job);
}
