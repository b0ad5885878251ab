/*
 * Counts per column: see density.h.
 *
 * A lane is planned from the tracks and the summaries. Cells within one column are added at
 * once. A cell across a border is stored twice. Its estimate is spread over the columns,
 * and its piece is decoded. The first answer uses the estimates. The refined answer uses
 * the pieces, unless there are too many.
 */
#include "config.h"

#include "query/density.h"
#include "base/generation.h"
#include "base/thread.h"
#include "base/job.h"
#include "query/span/context_spans.h"
#include "session/clock/clocks.h"
#include "session/context/context.h"
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

enum {
	PIECES_MAX = 4096, /* cells decoded for a lane and a window */
	BATCH = 1024,	   /* cells of a track between two checks for a new question */
	PATIENCE_MS = 30,  /* longest wait for an answer */
	NEWS_MS = 500,	   /* between answers to the same question while the index grows */
	COUNTED = MESSAGE_DAMAGED | MESSAGE_LOST | MESSAGE_SYNC
};

/* A cell that lies across a border. */
struct piece {
	uint64_t cell;
	int64_t before; /* time of its messages until one has its own */
};

/* Messages, split by whether they pass. */
struct counts {
	uint64_t severities[SEVERITY_COUNT]; /* of messages that pass */
	uint64_t hidden;
	bool shared; /* as in struct density_column */
	bool open;   /* more may pass */
};

/* Messages somewhere between two times. */
struct estimate {
	int64_t from, to;
	struct counts counts;
	uint16_t flags;
	bool known; /* the number of messages is known */
};

struct plan {
	VEC(struct piece) pieces;
	VEC(struct estimate) estimates;
};

/* A filter and the state of its match sets when the question came. */
struct passing {
	unsigned users; /* under the lock */
	struct filter filter;
	uint8_t all, none; /* severities of which all messages pass, or none */
	size_t count;	   /* number of traces */
	struct known_cells {
		struct matches_cell *at;
		size_t count;
	} traces[];
};

struct question {
	struct density_window window;
	bool with_contexts;
	unsigned passing; /* number of the filter; 0: none */
	struct density_lane lanes[DENSITY_LANES_MAX];
	size_t count;
};

/* Basis of an answer. */
struct density_basis {
	uint64_t known;	     /* indexed cells, plus cells that match sets have decided */
	uint64_t generation; /* epoch of indexes, filter, clocks and contexts */
};

struct density {
	struct session *session;
	struct job job;
	/* for the worker only: */
	struct track *tracks;
	struct reader **readers;
	struct reader **filter_readers; /* for filters; each made when needed */
	struct passing *using;		/* or NULL if all messages pass */
	struct expansion scratch;
	struct context_spans *spans;
	struct plan plan;
	unsigned served;   /* number of the last question with a refined answer */
	int64_t served_ms; /* when it was published */
	/* for the owner only: */
	struct density_answer *shown;
	struct question asked;
	struct density_basis asked_basis; /* basis at the time of the question */
	struct filter asked_filter;	  /* filter of the last question */
	unsigned filters;		  /* number of different filters until now */
	/* under the job's lock, which also signals an answer or another question: */
	struct question question;
	struct passing *passing;      /* filter of the question, or NULL */
	struct density_answer *fresh; /* not fetched yet */
	unsigned fresh_number;	      /* number of the question that it answers */
	bool awaited;		      /* the owner waits for it */
	struct generation questions;  /* the number of the current question */
};

/* --- answers ----------------------------------------------------------- */

static void
answer_free(struct density_answer *answer)
{
	if (!answer)
		return;
	free(answer->columns);
	vec_free(&answer->states);
	vec_free(&answer->spans);
	vec_free(&answer->links);
	free(answer);
}

static struct density_answer *
answer_new(const struct density_window *window, size_t lanes)
{
	struct density_answer *answer = mem_new(sizeof *answer);
	answer->window = *window;
	answer->lanes = lanes;
	answer->columns = mem_new((lanes * window->columns + 1) * sizeof *answer->columns);
	return answer;
}

static struct density_answer *
answer_clone(const struct density_answer *from)
{
	struct density_answer *answer = answer_new(&from->window, from->lanes);
	struct density_column *columns = answer->columns;
	*answer = *from;
	answer->columns = columns;
	memcpy(columns, from->columns, from->lanes * from->window.columns * sizeof *columns);
	memset(&answer->states, 0, sizeof answer->states);
	memset(&answer->spans, 0, sizeof answer->spans);
	memset(&answer->links, 0, sizeof answer->links);
	vec_reserve(&answer->states, from->states.count);
	for (size_t i = 0; i < from->states.count; i++)
		*vec_add(&answer->states) = from->states.at[i];
	vec_reserve(&answer->spans, from->spans.count);
	for (size_t i = 0; i < from->spans.count; i++)
		*vec_add(&answer->spans) = from->spans.at[i];
	vec_reserve(&answer->links, from->links.count);
	for (size_t i = 0; i < from->links.count; i++)
		*vec_add(&answer->links) = from->links.at[i];
	return answer;
}

/* --- columns ----------------------------------------------------------- */

/* Return the column of a time: -1 before the first, the column count after the last. */
static int64_t
column_of(const struct density_window *window, int64_t time)
{
	if (time < window->from)
		return -1;
	uint64_t column = ((uint64_t)time - (uint64_t)window->from) / window->step;
	return column < window->columns ? (int64_t)column : (int64_t)window->columns;
}

static bool
is_outside(const struct density_window *window, int64_t from, int64_t to)
{
	return column_of(window, to) < 0 || column_of(window, from) == (int64_t)window->columns;
}

/* Return the column that holds both times, or NULL if no column does. */
static struct density_column *
only_column(const struct density_window *window, struct density_column *columns, int64_t from,
	    int64_t to)
{
	int64_t column = column_of(window, from);
	bool only =
	    column >= 0 && column < (int64_t)window->columns && column == column_of(window, to);
	return only ? &columns[column] : NULL;
}

static void
add_counts(struct density_column *column, const struct counts *counts)
{
	for (int s = 0; s < SEVERITY_COUNT; s++)
		column->severities[s] += counts->severities[s];
	column->hidden += counts->hidden;
	column->shared |= counts->shared;
	column->open |= counts->open;
}

static uint64_t
share_of(uint64_t count, double begin, double end)
{
	return (uint64_t)((double)count * end + 0.5) - (uint64_t)((double)count * begin + 0.5);
}

/* Spread the messages evenly over the columns that they may fall into. */
static void
add_estimate(const struct density_window *window, struct density_column *columns,
	     const struct estimate *estimate)
{
	double from = (double)estimate->from, length = (double)estimate->to - from + 1;
	int64_t first = column_of(window, estimate->from), last = column_of(window, estimate->to);
	int64_t columns_end = (int64_t)window->columns;
	for (int64_t c = first < 0 ? 0 : first; c <= last && c < columns_end; c++) {
		double left = ((double)window->from - from + (double)c * (double)window->step);
		double begin = left > 0 ? left / length : 0;
		double end = (left + (double)window->step) / length;
		begin = c == first ? 0 : begin;
		end = c == last || end > 1 ? 1 : end;
		columns[c].open = true;
		columns[c].flags |= estimate->flags;
		columns[c].shared |= estimate->counts.shared;
		if (!estimate->known)
			continue;
		columns[c].hidden += share_of(estimate->counts.hidden, begin, end);
		for (int s = 0; s < SEVERITY_COUNT; s++) {
			uint64_t own = share_of(estimate->counts.severities[s], begin, end);
			columns[c].severities[s] += own;
			columns[c].estimated += own;
		}
	}
}

/* --- plans ------------------------------------------------------------- */

static void
plan_free(struct plan *plan)
{
	vec_free(&plan->pieces);
	vec_free(&plan->estimates);
}

/* Add an estimate for the two times. Past the limit, return one shared estimate for the
 * rest. */
static struct estimate *
estimate_for(struct plan *plan, int64_t from, int64_t to)
{
	struct estimate *estimate;
	if (plan->estimates.count <= PIECES_MAX) {
		estimate = vec_add(&plan->estimates);
		*estimate = (struct estimate){.from = from, .to = to, .known = true};
		return estimate;
	}
	estimate = &plan->estimates.at[PIECES_MAX];
	estimate->from = from < estimate->from ? from : estimate->from;
	estimate->to = to > estimate->to ? to : estimate->to;
	return estimate;
}

/* --- filters ------------------------------------------------------------ */

/* Split SHOWN messages over the severities in SET: one for each, the rest in proportion to
 * SEVERITIES. */
static void
share_severities(const uint32_t *severities, uint8_t set, uint64_t shown, struct counts *counts)
{
	uint64_t sum = 0, left = shown, kinds = 0;
	for (int s = 0; s < SEVERITY_COUNT; s++) {
		bool own = set >> s & 1 && severities[s];
		kinds += own;
		sum += own ? severities[s] : 0;
	}
	counts->shared = kinds > 1 && shown;
	for (int s = 0; s < SEVERITY_COUNT && left; s++) {
		if (!(set >> s & 1) || !severities[s])
			continue;
		uint64_t rest = left - (kinds <= left ? kinds : left);
		uint64_t own = (uint64_t)((double)rest * severities[s] / (double)sum + 0.5) + 1;
		own = own > severities[s] ? severities[s] : own;
		own = kinds == 1 || own > left ? left : own;
		counts->severities[s] = own;
		left -= own;
		kinds--;
		sum -= severities[s];
	}
}

static struct counts
all_of(const struct index_cell *summary)
{
	struct counts counts = {0};
	for (int s = 0; s < SEVERITY_COUNT; s++)
		counts.severities[s] = summary->severities[s];
	return counts;
}

/* Judge a cell from its summary, without a match set. */
static struct matches_cell
judge_alone(const struct passing *passing, struct trace *trace, uint64_t cell,
	    const struct index_cell *summary)
{
	enum filter_verdict verdict = filter_judge(&passing->filter, trace, cell);
	return (struct matches_cell){.count = verdict == FILTER_ALL ? summary->count : 0,
				     .decided = verdict != FILTER_SOME};
}

/* Count the messages of a cell that pass. */
static struct counts
count_passing(const struct passing *passing, const struct density_lane *lane, struct trace *trace,
	      uint64_t cell, const struct index_cell *summary)
{
	struct counts counts = all_of(summary);
	if (!passing)
		return counts;
	for (int s = 0; s < SEVERITY_COUNT; s++)
		if (passing->none >> s & 1) {
			counts.hidden += counts.severities[s];
			counts.severities[s] = 0;
		}
	if ((passing->all | passing->none) == UINT8_MAX)
		return counts;
	const struct known_cells *known = &passing->traces[lane->trace];
	struct matches_cell own = {0};
	if (!known->at)
		own = judge_alone(passing, trace, cell, summary);
	else if (cell < known->count)
		own = known->at[cell];
	counts = (struct counts){.hidden = summary->count - own.count, .open = !own.decided};
	if (!counts.hidden)
		return all_of(summary);
	share_severities(summary->severities, own.severities, own.count, &counts);
	return counts;
}

/* Reduce COUNTS, the messages of an origin in the cells [FIRST, END), to those that pass.
 * Assume that the origin passes as often as all messages. Return false if the result is not
 * exact. */
static bool
limit_group(const struct passing *passing, const struct track *track,
	    const struct density_lane *lane, uint64_t first, uint64_t end, struct counts *counts)
{
	uint64_t shown = 0, all = 0;
	uint8_t pass = passing ? passing->all : UINT8_MAX, none = passing ? passing->none : 0;
	struct index_cell summary;
	bool certain = (pass | none) == UINT8_MAX;
	for (uint64_t cell = first; !certain && cell < end; cell++) {
		if (!index_cell(trace_index(track->trace), cell, &summary))
			break;
		struct counts own = count_passing(passing, lane, track->trace, cell, &summary);
		counts->open |= own.open;
		shown += summary.count - own.hidden;
		all += summary.count;
	}
	double part = all ? (double)shown / (double)all : 0;
	for (int s = 0; s < SEVERITY_COUNT; s++) {
		uint64_t own = counts->severities[s];
		if (pass >> s & 1)
			continue;
		uint64_t passes = none >> s & 1 ? 0 : (uint64_t)((double)own * part + 0.5);
		counts->severities[s] = passes;
		counts->hidden += own - passes;
	}
	return certain || (!counts->open && (!shown || shown == all));
}

/* Return the verdict of the filter on a decoded cell of COUNT messages. */
static enum filter_verdict
judge_cell(const struct passing *passing, size_t trace, uint64_t cell, size_t count)
{
	if (!passing)
		return FILTER_ALL;
	const struct known_cells *known = &passing->traces[trace];
	if (cell >= known->count || !known->at[cell].decided)
		return FILTER_SOME;
	uint32_t passes = known->at[cell].count;
	return !passes ? FILTER_NONE : passes == count ? FILTER_ALL : FILTER_SOME;
}

static void
passing_free(struct passing *passing)
{
	for (size_t i = 0; i < passing->count; i++)
		free(passing->traces[i].at);
	filter_free(&passing->filter);
	free(passing);
}

/* Count the cells that the match sets have decided. */
static uint64_t
count_decided(const struct session *session, const struct density_passing *of)
{
	struct matches_progress progress;
	uint64_t decided = 0;
	for (size_t i = 0; of && of->known && i < session->traces.count; i++) {
		if (!of->known[i])
			continue;
		matches_get_progress(of->known[i], &progress);
		decided += progress.cells;
	}
	return decided;
}

/* Copy the filter and the current state of its match sets. NULL if all messages pass. */
static struct passing *
passing_new(struct session *session, const struct density_passing *of)
{
	if (!of)
		return NULL;
	size_t count = session->traces.count;
	struct passing *passing = mem_new(sizeof *passing + count * sizeof *passing->traces);
	passing->users = 1;
	passing->filter = filter_clone(of->filter);
	passing->count = count;
	filter_severities(of->filter, &passing->all, &passing->none);
	for (size_t i = 0; i < count; i++) {
		struct known_cells *known = &passing->traces[i];
		if (!of->known || !of->known[i])
			continue;
		known->count = (size_t)index_known(trace_index(session->traces.at[i]));
		known->at = mem_new((known->count + 1) * sizeof *known->at);
		matches_copy_cells(of->known[i], known->count, known->at);
	}
	return passing;
}

/* Drop a reference. Called with the lock held. */
static void
passing_drop(struct passing *passing)
{
	if (passing && !--passing->users)
		passing_free(passing);
}

/* --- plans of lanes ---------------------------------------------------- */

static void
plan_trace(struct plan *plan, const struct track *track, const struct density_window *window,
	   const struct passing *passing, const struct density_lane *lane,
	   struct density_column *columns)
{
	struct index *index = trace_index(track->trace);
	for (uint64_t cell = 0; cell < track->spans.count; cell++) {
		struct index_cell summary;
		int64_t from, to;
		if (!track_span(track, cell, &from, &to) || is_outside(window, from, to) ||
		    !index_cell(index, cell, &summary) || !summary.count)
			continue;
		struct density_column *only = only_column(window, columns, from, to);
		struct counts counts = count_passing(passing, lane, track->trace, cell, &summary);
		if (only) {
			add_counts(only, &counts);
			only->flags |= summary.message_flags & COUNTED;
			continue;
		}
		struct estimate *estimate = estimate_for(plan, from, to);
		estimate->flags |= summary.message_flags & COUNTED;
		estimate->counts.hidden += counts.hidden;
		estimate->counts.shared |= counts.shared;
		for (int s = 0; s < SEVERITY_COUNT; s++)
			estimate->counts.severities[s] += counts.severities[s];
		if (plan->pieces.count <= PIECES_MAX)
			*vec_add(&plan->pieces) = (struct piece){cell, track_before(track, cell)};
	}
}

/* Find the earliest and latest time in the cells [FIRST, END). Return false if none has a
 * time. */
static bool
span_of_cells(const struct track *track, uint64_t first, uint64_t end, int64_t *from, int64_t *to)
{
	*from = INT64_MAX;
	*to = INT64_MIN;
	for (uint64_t cell = first; cell < end; cell++) {
		int64_t low, high;
		if (!track_span(track, cell, &low, &high))
			break;
		*from = low < *from ? low : *from;
		*to = high > *to ? high : *to;
	}
	return *from <= *to;
}

static void
plan_group(struct plan *plan, const struct track *track, const struct density_lane *lane,
	   uint64_t group, const struct density_window *window, const struct passing *passing,
	   struct density_column *columns)
{
	struct estimate estimate = {0};
	uint64_t first = group * INDEX_GROUP, end = first + INDEX_GROUP, sum = 0;
	end = end < track->spans.count ? end : track->spans.count;
	estimate.known = end == first + INDEX_GROUP &&
			 index_group_origin(trace_index(track->trace), group, lane->origin,
					    estimate.counts.severities);
	for (int s = 0; s < SEVERITY_COUNT; s++)
		sum += estimate.counts.severities[s];
	if ((estimate.known && !sum) ||
	    !span_of_cells(track, first, end, &estimate.from, &estimate.to) ||
	    is_outside(window, estimate.from, estimate.to))
		return;
	bool certain = limit_group(passing, track, lane, first, end, &estimate.counts);
	struct density_column *only =
	    estimate.known ? only_column(window, columns, estimate.from, estimate.to) : NULL;
	if (only && certain) {
		add_counts(only, &estimate.counts);
		return;
	}
	*vec_add(&plan->estimates) = estimate;
	for (uint64_t cell = first; cell < end && plan->pieces.count <= PIECES_MAX; cell++) {
		int64_t from, to;
		if (track_span(track, cell, &from, &to) && !is_outside(window, from, to))
			*vec_add(&plan->pieces) = (struct piece){cell, track_before(track, cell)};
	}
}

static void
make_plan(struct plan *plan, const struct track *track, const struct density_lane *lane,
	  const struct density_window *window, const struct passing *passing,
	  struct density_column *columns)
{
	vec_clear(&plan->pieces);
	vec_clear(&plan->estimates);
	memset(columns, 0, window->columns * sizeof *columns);
	if (!lane->by_origin) {
		plan_trace(plan, track, window, passing, lane, columns);
		return;
	}
	uint64_t groups = (track->spans.count + INDEX_GROUP - 1) / INDEX_GROUP;
	for (uint64_t group = 0; group < groups; group++)
		plan_group(plan, track, lane, group, window, passing, columns);
}

/* --- decoding ---------------------------------------------------------- */

struct counting {
	const struct density_window *window;
	struct density_column *columns;
	const struct density_lane *lane;
	struct density *density;
	enum filter_verdict verdict; /* on the cell */
};

/* Return a second reader of the trace for the filter. The cell being walked then stays in
 * the first reader. */
static struct reader *
filter_reader(struct density *d, size_t trace)
{
	if (!d->filter_readers[trace])
		d->filter_readers[trace] = reader_new(d->session->traces.at[trace]);
	return d->filter_readers[trace];
}

static bool
message_passes(const struct counting *counting, const struct message *m)
{
	struct density *d = counting->density;
	return counting->verdict == FILTER_ALL ||
	       (counting->verdict == FILTER_SOME &&
		filter_match(&d->using->filter, filter_reader(d, counting->lane->trace), m,
			     &d->scratch));
}

static void
count_message(void *context, const struct message *m, int64_t time)
{
	const struct counting *counting = context;
	int64_t column = column_of(counting->window, time);
	if (column < 0 || column >= (int64_t)counting->window->columns ||
	    (counting->lane->by_origin && m->origin != counting->lane->origin))
		return;
	if (message_passes(counting, m))
		counting->columns[column].severities[m->severity % SEVERITY_COUNT]++;
	else
		counting->columns[column].hidden++;
	counting->columns[column].flags |= m->flags & COUNTED;
}

static bool
is_overtaken(struct density *d, unsigned number)
{
	return generation_now(&d->questions) != number || job_is_stopping(&d->job);
}

/* Decode the pieces. Return false if another question came. */
static bool
count_pieces(struct density *d, const struct density_window *window,
	     const struct density_lane *lane, struct density_column *columns, unsigned number)
{
	struct counting counting = {window, columns, lane, d, FILTER_ALL};
	for (size_t i = 0; i < d->plan.pieces.count; i++) {
		const struct piece *piece = &d->plan.pieces.at[i];
		if (is_overtaken(d, number))
			return false;
		const struct decoded_cell *decoded =
		    reader_decoded_cell(d->readers[lane->trace], piece->cell);
		counting.verdict = judge_cell(d->using, lane->trace, piece->cell, decoded->count);
		track_walk(&d->tracks[lane->trace], piece->before, decoded, count_message,
			   &counting);
	}
	return true;
}

/* Fill in a lane's columns. Return false if another question came. */
static bool
count_lane(struct density *d, const struct density_window *window, const struct density_lane *lane,
	   struct density_column *columns, bool refined, unsigned number)
{
	make_plan(&d->plan, &d->tracks[lane->trace], lane, window, d->using, columns);
	if (refined && d->plan.pieces.count <= PIECES_MAX)
		return count_pieces(d, window, lane, columns, number);
	for (size_t i = 0; i < d->plan.estimates.count; i++)
		add_estimate(window, columns, &d->plan.estimates.at[i]);
	return !is_overtaken(d, number);
}

/* --- links ------------------------------------------------------------- */

static bool
is_in_sight(const struct density_window *w, int64_t column)
{
	return column >= 0 && column < (int64_t)w->columns;
}

/* Add the first link of a relation in each column of A. With AT_B, add those in sight only
 * in B. Return false if another question came. */
static bool
add_links(struct density *d, size_t relation, bool at_b, struct density_answer *answer,
	  unsigned number)
{
	const struct density_window *w = &answer->window;
	const struct track *own = &d->tracks[w->trace];
	struct clocks_link link;
	__int128 time = w->from;
	while (time <= INT64_MAX &&
	       clocks_find_link(d->session->clocks, relation, at_b, (int64_t)time, &link)) {
		int64_t from = column_of(w, link.time_a), to = column_of(w, link.time_b);
		int64_t column = at_b ? to : from;
		if (link.part != own->part || column >= (int64_t)w->columns)
			break;
		if (!at_b || !is_in_sight(w, from))
			*vec_add(&answer->links) =
			    (struct density_link){link.a, link.b, from, to, link.rejected};
		time = w->from + ((__int128)column + 1) * (__int128)w->step;
		if (is_overtaken(d, number))
			return false;
	}
	return true;
}

static bool
find_links(struct density *d, struct density_answer *answer, unsigned number)
{
	size_t count = d->session->clocks ? clocks_relations(d->session->clocks) : 0;
	bool whole = true;
	for (size_t i = 0; i < count && whole; i++)
		whole =
		    add_links(d, i, false, answer, number) && add_links(d, i, true, answer, number);
	return whole;
}

/* --- questions --------------------------------------------------------- */

/* Fit the window to all tracks related to the window's trace. Set the unit and range of the
 * answer. */
static void
fit_window(struct density *d, const struct question *q, struct density_answer *answer)
{
	const struct track *own = &d->tracks[q->window.trace];
	struct density_window *window = &answer->window;
	bool complete = true;
	answer->unit = own->unit;
	answer->wall = own->wall;
	answer->plain = own->plain;
	answer->first = INT64_MAX;
	answer->last = INT64_MIN;
	for (size_t i = 0; i < q->count; i++) {
		const struct track *track = &d->tracks[q->lanes[i].trace];
		struct index_progress progress;
		int64_t from = track->first, to = track->last;
		bool related = track == own || (track->part == own->part && from <= to);
		answer->apart[i] = !related;
		if (!related)
			continue;
		index_get_progress(trace_index(track->trace), &progress);
		complete &= progress.complete;
		if (track->unit == TRACK_OFFSETS && track->spans.count) {
			uint64_t cells = track->spans.count,
				 size = capture_size(trace_capture(track->trace));
			uint64_t end = cells * index_cell_size(trace_index(track->trace));
			from = 0;
			to = (int64_t)(size && size < end ? size : end) - 1;
		}
		answer->plain &= track->plain;
		answer->first = from < answer->first ? from : answer->first;
		answer->last = to > answer->last ? to : answer->last;
	}
	answer->complete = complete;
	bool any = answer->first <= answer->last;
	if (window->fit) {
		uint64_t length =
		    any ? (uint64_t)answer->last - (uint64_t)answer->first : window->columns;
		window->step = length / window->columns + 1;
		window->from = any ? answer->first : 0;
	}
}

/* Extend the tracks of the lanes until UNTIL. Without DECODE, stop at cells that need
 * decoding. Return true if nothing is left to do. */
static bool
extend_tracks(struct density *d, const struct question *q, bool decode, int64_t until,
	      unsigned number)
{
	for (size_t i = 0; i < q->count; i++) {
		size_t trace = q->lanes[i].trace;
		struct track *track = &d->tracks[trace];
		bool stuck = false;
		size_t done;
		track_renew(track);
		do {
			done = track_extend(track, BATCH, NULL, &stuck);
			if (stuck && decode)
				done = track_extend(track, 1, d->readers[trace], &stuck);
			if (is_overtaken(d, number) || thread_now_ms() >= until)
				return false;
		} while (done);
		if (decode)
			track_settle_ends(track, d->readers[trace]);
	}
	return true;
}

/* Return the basis of an answer. FILTER may be NULL. It may depend on texts, which load
 * later. */
static struct density_basis
density_basis_of(struct density *d, const struct question *q, const struct filter *filter)
{
	struct density_basis basis = {.generation =
					  generation_join(contexts_generation(d->session->contexts),
							  clocks_generation(d->session->clocks))};
	unsigned rests_on = filter ? filter_basis(filter) : 0;
	for (size_t i = 0; i < q->count; i++) {
		struct trace *trace = d->tracks[q->lanes[i].trace].trace;
		basis.known += index_known(trace_index(trace));
		basis.generation =
		    generation_join(basis.generation, index_generation(trace_index(trace)),
				    filter ? filter_generation(rests_on, trace) : 0);
	}
	return basis;
}

static bool
same_question(const struct question *a, const struct question *b)
{
	bool same = a->count == b->count && a->window.trace == b->window.trace &&
		    a->window.fit == b->window.fit && a->window.from == b->window.from &&
		    a->window.step == b->window.step && a->window.columns == b->window.columns &&
		    a->with_contexts == b->with_contexts && a->passing == b->passing;
	for (size_t i = 0; same && i < a->count; i++)
		same = a->lanes[i].trace == b->lanes[i].trace &&
		       a->lanes[i].by_origin == b->lanes[i].by_origin &&
		       a->lanes[i].origin == b->lanes[i].origin;
	return same;
}

/* Build an answer. Return NULL if another question came. */
static struct density_answer *
answer_question(struct density *d, const struct question *q, bool refined, unsigned number)
{
	struct density_answer *answer = answer_new(&q->window, q->count);
	fit_window(d, q, answer);
	for (size_t i = 0; i < q->count; i++) {
		if (answer->apart[i])
			continue;
		if (!count_lane(d, &answer->window, &q->lanes[i],
				&answer->columns[i * answer->window.columns], refined, number)) {
			answer_free(answer);
			return NULL;
		}
	}
	answer->refined = refined;
	if (find_links(d, answer, number))
		return answer;
	answer_free(answer);
	return NULL;
}

/* Hand an answer over. Signal the owner unless it waits for this answer. */
static void
density_publish(struct density *d, struct density_answer *answer, unsigned number)
{
	job_lock(&d->job);
	answer_free(d->fresh);
	d->fresh = answer;
	d->fresh_number = number;
	bool awaited = d->awaited && number == generation_now(&d->questions);
	job_changed(&d->job);
	job_unlock(&d->job);
	if (!awaited)
		session_signal(d->session);
}

/* Add the contexts to a refined answer. Return false if another question came. */
static bool
add_contexts(struct density *d, const struct question *q, struct density_answer *answer,
	     unsigned number)
{
	if (!q->with_contexts || !contexts_count(d->session->contexts))
		return true;
	if (!d->spans)
		d->spans = context_spans_new(d->session);
	bool *in_sight = mem_new(d->session->traces.count * sizeof *in_sight);
	for (size_t i = 0; i < q->count; i++)
		in_sight[q->lanes[i].trace] |= !answer->apart[i];
	const struct context_spans_query query = {
	    .tracks = d->tracks,
	    .in_sight = in_sight,
	    .window = &answer->window,
	    .questions = &d->questions,
	    .question = number,
	};
	/* in a large trace the spans take longer than the rest */
	if (!context_spans_extend(d->spans, &query, PATIENCE_MS))
		density_publish(d, answer_clone(answer), number);
	bool whole = context_spans_find(d->spans, &query, answer);
	free(in_sight);
	return whole;
}

/* Wait until NEWS_MS after the last refined answer, so that a repaint does not cause the
 * next answer at once. Return false if another question came. */
static bool
wait_for_more(struct density *d)
{
	struct timespec until;
	int64_t left = d->served_ms + NEWS_MS - thread_now_ms();
	bool late = false;
	thread_deadline(&until, left > 0 ? (int)left : 0);
	job_lock(&d->job);
	while (generation_now(&d->questions) == d->served && !late)
		late = !job_await(&d->job, &until);
	job_unlock(&d->job);
	return late;
}

static void
density_serve(struct density *d, struct density_answer *answer, unsigned number)
{
	density_publish(d, answer, number);
	d->served = number;
	d->served_ms = thread_now_ms();
}

/* Answer the current question, from the first answer to the refined one. */
static void
density_work(void *context)
{
	struct density *d = context;
	bool again = d->served && generation_now(&d->questions) == d->served;
	if (again)
		again = wait_for_more(d);
	int64_t now = thread_now_ms();
	job_lock(&d->job);
	struct question q = d->question;
	unsigned number = generation_now(&d->questions);
	passing_drop(d->using);
	d->using = d->passing;
	if (d->using)
		d->using->users++;
	job_unlock(&d->job);
	if (!q.count)
		return;
	bool all = again && extend_tracks(d, &q, true, now + NEWS_MS, number);
	if (!again)
		extend_tracks(d, &q, false, now + PATIENCE_MS / 2, number);
	while (!all) {
		struct density_answer *rough = answer_question(d, &q, false, number);
		if (!rough)
			return;
		density_publish(d, rough, number);
		all = extend_tracks(d, &q, true, thread_now_ms() + NEWS_MS, number);
	}
	struct density_answer *answer = answer_question(d, &q, true, number);
	if (answer && !add_contexts(d, &q, answer, number)) {
		answer_free(answer);
		answer = NULL;
	}
	if (!answer)
		return;
	density_serve(d, answer, number);
}

/* --- the owner's side -------------------------------------------------- */

struct density *
density_new(struct session *session)
{
	struct density *d = mem_new(sizeof *d);
	d->session = session;
	d->tracks = mem_new(session->traces.count * sizeof *d->tracks);
	d->readers = mem_new(session->traces.count * sizeof *d->readers);
	d->filter_readers = mem_new(session->traces.count * sizeof *d->filter_readers);
	d->asked_filter = filter_all();
	for (size_t i = 0; i < session->traces.count; i++) {
		track_open(&d->tracks[i], session->traces.at[i]);
		d->readers[i] = reader_new(session->traces.at[i]);
	}
	job_init(&d->job, density_work, d);
	return d;
}

void
density_free(struct density *d)
{
	if (!d)
		return;
	generation_bump(&d->questions); /* stop work on the last question */
	job_free(&d->job);
	for (size_t i = 0; i < d->session->traces.count; i++) {
		track_free(&d->tracks[i]);
		reader_free(d->readers[i]);
		reader_free(d->filter_readers[i]);
	}
	free(d->tracks);
	free(d->readers);
	free(d->filter_readers);
	passing_drop(d->using);
	passing_drop(d->passing);
	filter_free(&d->asked_filter);
	expansion_free(&d->scratch);
	context_spans_free(d->spans);
	plan_free(&d->plan);
	answer_free(d->shown);
	answer_free(d->fresh);
	free(d);
}

static void
density_fetch(struct density *d)
{
	if (!d->fresh)
		return;
	answer_free(d->shown);
	d->shown = d->fresh;
	d->fresh = NULL;
}

static struct question
question_of(const struct density_window *window, const struct density_lane *lanes, size_t count,
	    bool with_contexts)
{
	struct question q = {.window = *window, .with_contexts = with_contexts};
	q.count = count < DENSITY_LANES_MAX ? count : DENSITY_LANES_MAX;
	q.window.columns =
	    window->columns < DENSITY_COLUMNS_MAX ? window->columns : DENSITY_COLUMNS_MAX;
	q.window.columns += !q.window.columns;
	q.window.step += !q.window.step;
	if (q.window.fit)
		q.window.from = 0, q.window.step = 1;
	memcpy(q.lanes, lanes, q.count * sizeof *lanes);
	return q;
}

/* Return the number of the filter: a new one if it differs from the last filter. */
static unsigned
number_filter(struct density *d, const struct density_passing *passing)
{
	if (!passing)
		return 0;
	if (!d->filters || !filter_is_same(&d->asked_filter, passing->filter)) {
		filter_free(&d->asked_filter);
		d->asked_filter = filter_clone(passing->filter);
		d->filters++;
	}
	return d->filters;
}

/* Set the filter of the question. Called with the lock held. */
static void
take_passing(struct density *d, struct passing *passing)
{
	passing_drop(d->passing);
	d->passing = passing;
}

const struct density_answer *
density_ask(struct density *d, const struct density_window *window,
	    const struct density_lane *lanes, size_t count, bool with_contexts,
	    const struct density_passing *passing)
{
	passing = passing && filter_is_all(passing->filter) ? NULL : passing;
	struct question q = question_of(window, lanes, count, with_contexts);
	q.passing = number_filter(d, passing);
	struct density_basis basis = density_basis_of(d, &q, passing ? passing->filter : NULL);
	basis.known += count_decided(d->session, passing);
	bool same = same_question(&q, &d->asked) && d->asked_basis.generation == basis.generation;
	bool grown = same && d->asked_basis.known != basis.known;
	struct passing *renewed = !same || grown ? passing_new(d->session, passing) : NULL;
	job_lock(&d->job);
	if (!same || grown)
		take_passing(d, renewed);
	if (same) {
		d->asked_basis = basis;
		density_fetch(d);
		job_unlock(&d->job);
		if (grown)
			job_wake(&d->job);
		return d->shown;
	}
	d->asked = d->question = q;
	d->asked_basis = basis;
	generation_bump(&d->questions);
	unsigned number = generation_now(&d->questions);
	d->awaited = true;
	job_changed(&d->job);
	job_unlock(&d->job);
	struct timespec until;
	bool late = !job_start(&d->job); /* or wakes it */
	thread_deadline(&until, PATIENCE_MS);
	job_lock(&d->job);
	while (!(d->fresh && d->fresh_number == number) && !late)
		late = !job_await(&d->job, &until);
	d->awaited = false;
	density_fetch(d);
	job_unlock(&d->job);
	return d->shown;
}

bool
density_has_news(struct density *d)
{
	job_lock(&d->job);
	bool news = d->fresh;
	job_unlock(&d->job);
	return news;
}

const struct density_answer *
density_load(struct density *d, const struct density_window *window,
	     const struct density_lane *lanes, size_t count, bool with_contexts,
	     const struct density_passing *passing)
{
	d->question = question_of(window, lanes, count, with_contexts);
	d->question.passing = number_filter(d, passing);
	take_passing(d, passing_new(d->session, passing)); /* no other thread runs */
	generation_bump(&d->questions); /* otherwise density_work() would wait for news */
	density_work(d);
	density_fetch(d);
	return d->shown;
}
