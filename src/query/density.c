/*
 * Counts per column: see density.h.
 *
 * A lane is made of pieces: single cells for a trace, groups of cells for an origin. The index
 * counts the messages of a piece. A piece within one column is added at once. A piece across
 * a border is decoded if time is left, else its counts are spread over the columns. The first
 * answer has FIRST_MS for that, and the final one all the time it needs.
 */
#include "config.h"

#include "query/density.h"
#include "base/generation.h"
#include "base/thread.h"
#include "base/job.h"
#include "query/plot.h"
#include "query/span/context_spans.h"
#include "session/clock/clocks.h"
#include "session/context/context.h"
#include "session/intervals.h"
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

enum {
	DECODED_MAX = 4096, /* cells decoded for a lane; with more, none is */
	BATCH = 1024,	    /* cells of a track between two checks for a new question */
	FIRST_MS = 20,	    /* time for the first answer */
	PATIENCE_MS = 30,   /* longest wait for an answer */
	NEWS_MS = 500,	    /* between answers to the same question while the index grows */
	COUNTED = MESSAGE_DAMAGED | MESSAGE_LOST | MESSAGE_SYNC
};

/* Messages of neighbouring cells, somewhere between two times. */
struct piece {
	uint64_t first, end; /* cells */
	int64_t from, to;    /* times */
	struct density_column counts;
	bool exact; /* the counts are, and all belong to one column */
};

/* State of a match set when the question came. */
struct known_cells {
	struct matches_cell *at; /* NULL: no match set */
	size_t count;
};

struct question {
	unsigned users;	 /* under the lock */
	unsigned number; /* it keeps the number while only the index or the match sets grow */
	struct density_window window;
	bool with_contexts;
	struct density_lane lanes[DENSITY_LANES_MAX];
	size_t count;
	struct filter filter;
	uint16_t all, none;	     /* severities of which all messages pass, or none */
	struct known_cells *matches; /* per trace */
	/* Basis of the answer: */
	uint64_t known;	     /* indexed cells, plus cells that match sets have decided */
	uint64_t generation; /* epoch of indexes, filter, clocks and contexts */
};

struct density {
	struct session *session;
	struct job job;
	/* for the worker only: */
	struct question *question; /* that it answers, or has answered */
	struct track *tracks;
	struct reader **readers;
	struct reader **filter_readers; /* for filters: the others hold the cell being walked */
	struct expansion scratch;
	struct spans *spans;
	int64_t until;		  /* as thread_now_ms(): stop finding spans, reading plots */
	VEC(struct plot *) plots; /* set by the owner while no worker runs */
	int64_t published_ms;
	VEC(struct piece) pieces; /* of a lane, across borders */
	/* for the owner only: */
	struct density_answer *shown;
	/* under the job's lock, which also signals an answer or another question: */
	struct question *asked;
	struct density_answer *fresh; /* not fetched yet */
	bool awaited;		      /* the owner waits for an answer */
	struct generation questions;  /* the number of the current question */
};

/* Drop a reference. Called with the lock held, or without a worker. NULL is fine. */
static void
question_drop(struct density *d, struct question *q)
{
	if (!q || --q->users)
		return;
	for (size_t i = 0; i < d->session->traces.count; i++)
		free(q->matches[i].at);
	free(q->matches);
	filter_free(&q->filter);
	free(q);
}

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
	for (size_t i = 0; i < answer->plots.count; i++)
		plot_answer_free(answer->plots.at[i]);
	vec_free(&answer->plots);
	free(answer);
}

/* The count of a lane. */
struct counting {
	struct density *density;
	const struct question *question;
	const struct track *track;
	const struct density_window *window;
	const struct density_lane *lane;
	struct density_column *columns;
	enum filter_verdict verdict; /* on the decoded cell */
};

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

static uint64_t
share_of(uint64_t count, double begin, double end)
{
	return (uint64_t)((double)count * end + 0.5) - (uint64_t)((double)count * begin + 0.5);
}

/* Spread the messages of a piece evenly over the columns that they may fall into. */
static void
spread_piece(const struct counting *c, const struct piece *piece)
{
	const struct density_window *window = c->window;
	const struct density_column *counts = &piece->counts;
	double from = (double)piece->from, length = (double)piece->to - from + 1;
	int64_t first = column_of(window, piece->from), last = column_of(window, piece->to);
	int64_t columns_end = (int64_t)window->columns;
	for (int64_t at = first < 0 ? 0 : first; at <= last && at < columns_end; at++) {
		struct density_column *column = &c->columns[at];
		double left = ((double)window->from - from + (double)at * (double)window->step);
		double begin = left > 0 ? left / length : 0;
		double end = (left + (double)window->step) / length;
		begin = at == first ? 0 : begin;
		end = at == last || end > 1 ? 1 : end;
		column->open |= counts->open || !piece->exact;
		column->flags |= counts->flags;
		column->shared |= counts->shared;
		column->hidden += share_of(counts->hidden, begin, end);
		for (int s = 0; s < SEVERITY_COUNT; s++) {
			uint64_t own = share_of(counts->severities[s], begin, end);
			column->severities[s] += own;
			column->estimated += piece->exact ? 0 : own;
		}
	}
}

/* --- filters ------------------------------------------------------------ */

/* Split SHOWN messages over the severities in SET: one for each, the rest in proportion to
 * SEVERITIES. */
static void
share_severities(const uint32_t *severities, uint16_t set, uint64_t shown,
		 struct density_column *counts)
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

static struct density_column
all_of(const struct index_cell *summary)
{
	struct density_column counts = {.flags = summary->message_flags & COUNTED};
	for (int s = 0; s < SEVERITY_COUNT; s++)
		counts.severities[s] = summary->severities[s];
	return counts;
}

/* Judge a cell from its match set or, without one, from its summary. */
static struct matches_cell
judge_summary(const struct counting *c, uint64_t cell, const struct index_cell *summary)
{
	const struct known_cells *known = &c->question->matches[c->lane->trace];
	if (known->at)
		return cell < known->count ? known->at[cell] : (struct matches_cell){0};
	enum filter_verdict verdict = filter_judge(&c->question->filter, c->track->trace, cell);
	return (struct matches_cell){.count = verdict == FILTER_ALL ? summary->count : 0,
				     .decided = verdict != FILTER_SOME};
}

/* Count the messages of a cell, split by whether they pass. */
static struct density_column
count_passing(const struct counting *c, uint64_t cell, const struct index_cell *summary)
{
	const struct question *q = c->question;
	struct density_column counts = all_of(summary);
	for (int s = 0; s < SEVERITY_COUNT; s++)
		if (q->none >> s & 1) {
			counts.hidden += counts.severities[s];
			counts.severities[s] = 0;
		}
	if ((q->all | q->none) == SEVERITY_ALL)
		return counts;
	struct matches_cell own = judge_summary(c, cell, summary);
	if (own.count == summary->count)
		return all_of(summary);
	counts = (struct density_column){
	    .hidden = summary->count - own.count, .open = !own.decided, .flags = counts.flags};
	share_severities(summary->severities, own.severities, own.count, &counts);
	return counts;
}

/* Reduce the counts of a piece of an origin to the messages that pass. Assume that the origin
 * passes as often as all messages. Return false if the result is not exact. */
static bool
limit_origin(const struct counting *c, struct piece *piece)
{
	const struct question *q = c->question;
	uint64_t shown = 0, all = 0;
	struct index_cell summary;
	bool certain = (q->all | q->none) == SEVERITY_ALL, open = false;
	for (uint64_t cell = piece->first; !certain && cell < piece->end; cell++) {
		if (!index_cell(trace_index(c->track->trace), cell, &summary))
			break;
		struct density_column own = count_passing(c, cell, &summary);
		open |= own.open;
		shown += summary.count - own.hidden;
		all += summary.count;
	}
	double part = all ? (double)shown / (double)all : 0;
	for (int s = 0; s < SEVERITY_COUNT; s++) {
		uint64_t own = piece->counts.severities[s];
		if (q->all >> s & 1)
			continue;
		uint64_t passes = q->none >> s & 1 ? 0 : (uint64_t)((double)own * part + 0.5);
		piece->counts.severities[s] = passes;
		piece->counts.hidden += own - passes;
	}
	return certain || (!open && (!shown || shown == all));
}

/* Return the verdict of the filter on a decoded cell of COUNT messages. */
static enum filter_verdict
judge_decoded(const struct counting *c, uint64_t cell, size_t count)
{
	const struct known_cells *known = &c->question->matches[c->lane->trace];
	if (filter_is_all(&c->question->filter))
		return FILTER_ALL;
	if (cell >= known->count || !known->at[cell].decided)
		return FILTER_SOME;
	uint32_t passes = known->at[cell].count;
	return !passes ? FILTER_NONE : passes == count ? FILTER_ALL : FILTER_SOME;
}

/* --- lanes ------------------------------------------------------------- */

static bool
is_overtaken(const struct density *d)
{
	return generation_now(&d->questions) != d->question->number;
}

static bool
is_cell_outside(const struct counting *c, uint64_t cell)
{
	int64_t from, to;
	return !track_span(c->track, cell, &from, &to) || is_outside(c->window, from, to);
}

/* Find the times of a piece. Return false if it is out of sight. */
static bool
find_times(const struct counting *c, struct piece *piece)
{
	piece->from = INT64_MAX;
	piece->to = INT64_MIN;
	for (uint64_t cell = piece->first; cell < piece->end; cell++) {
		int64_t from, to;
		if (!track_span(c->track, cell, &from, &to))
			break;
		piece->from = from < piece->from ? from : piece->from;
		piece->to = to > piece->to ? to : piece->to;
	}
	if (piece->from > piece->to || is_outside(c->window, piece->from, piece->to))
		return false;
	piece->exact = column_of(c->window, piece->from) == column_of(c->window, piece->to);
	return true;
}

/* Count the messages of a piece by the index. Return false if none is in sight. */
static bool
count_piece(const struct counting *c, struct piece *piece)
{
	const struct density_lane *lane = c->lane;
	struct index *index = trace_index(c->track->trace);
	struct index_cell summary;
	uint64_t sum = 0;
	if (!find_times(c, piece))
		return false;
	if (!lane->by_origin) {
		if (!index_cell(index, piece->first, &summary) || !summary.count)
			return false;
		piece->counts = count_passing(c, piece->first, &summary);
		return true;
	}
	bool known = piece->end - piece->first == INDEX_GROUP &&
		     index_group_origin(index, piece->first / INDEX_GROUP, lane->origin,
					piece->counts.severities);
	for (int s = 0; s < SEVERITY_COUNT; s++)
		sum += piece->counts.severities[s];
	if (known && !sum)
		return false;
	piece->exact &= limit_origin(c, piece) && known;
	return true;
}

static void
count_message(void *context, const struct message *m, int64_t time)
{
	const struct counting *c = context;
	struct density *d = c->density;
	int64_t at = column_of(c->window, time);
	if (at < 0 || at >= (int64_t)c->window->columns ||
	    (c->lane->by_origin && m->origin != c->lane->origin))
		return;
	bool passes =
	    c->verdict == FILTER_ALL ||
	    (c->verdict == FILTER_SOME &&
	     filter_match(&c->question->filter, d->filter_readers[c->lane->trace], m, &d->scratch));
	if (passes)
		c->columns[at].severities[m->severity]++;
	else
		c->columns[at].hidden++;
	c->columns[at].flags |= m->flags & COUNTED;
}

/* Count the messages of a piece by decoding it. */
static void
decode_piece(struct counting *c, const struct piece *piece)
{
	struct reader *reader = c->density->readers[c->lane->trace];
	for (uint64_t cell = piece->first; cell < piece->end && !is_overtaken(c->density); cell++) {
		if (is_cell_outside(c, cell))
			continue;
		const struct decoded_cell *decoded = reader_decoded_cell(reader, cell);
		c->verdict = judge_decoded(c, cell, decoded->count);
		track_walk(c->track, track_before(c->track, cell), decoded, count_message, c);
	}
}

/* Fill in a lane's columns, and decode until UNTIL. Return true if more time would not improve
 * them. */
static bool
count_lane(struct density *d, const struct density_window *window, const struct density_lane *lane,
	   struct density_column *columns, int64_t until)
{
	struct counting c = {d,	      d->question, &d->tracks[lane->trace], window, lane,
			     columns, FILTER_ALL};
	uint64_t known = c.track->spans.count, cells = 0;
	uint64_t size = lane->by_origin ? INDEX_GROUP : 1;
	bool whole = true;
	vec_clear(&d->pieces);
	for (uint64_t first = 0; first < known && !is_overtaken(d); first += size) {
		uint64_t end = first + size < known ? first + size : known;
		struct piece piece = {.first = first, .end = end};
		if (!count_piece(&c, &piece))
			continue;
		for (uint64_t cell = first; !piece.exact && cell < end; cell++)
			cells += !is_cell_outside(&c, cell);
		if (piece.exact || cells > DECODED_MAX)
			spread_piece(&c, &piece);
		else
			*vec_add(&d->pieces) = piece;
	}
	for (size_t i = 0; i < d->pieces.count && !is_overtaken(d); i++) {
		bool late = thread_now_ms() >= until;
		if (cells > DECODED_MAX || late)
			spread_piece(&c, &d->pieces.at[i]);
		else
			decode_piece(&c, &d->pieces.at[i]);
		whole &= cells > DECODED_MAX || !late;
	}
	return whole;
}

/* --- links ------------------------------------------------------------- */

/* Add the first link of a relation in each column of A. With AT_B, add those in sight only
 * in B. */
static void
add_links(struct density *d, size_t relation, bool at_b, struct density_answer *answer)
{
	const struct density_window *w = &answer->window;
	const struct track *own = &d->tracks[w->trace];
	struct clocks_link link;
	__int128 time = w->from;
	while (time <= INT64_MAX && !is_overtaken(d) &&
	       clocks_find_link(d->session->clocks, relation, at_b, (int64_t)time, &link)) {
		int64_t from = column_of(w, link.time_a), to = column_of(w, link.time_b);
		int64_t column = at_b ? to : from;
		if (link.part != own->part || column >= (int64_t)w->columns)
			break;
		if (!at_b || from < 0 || from == (int64_t)w->columns)
			*vec_add(&answer->links) =
			    (struct density_link){link.a, link.b, from, to, link.rejected};
		time = w->from + ((__int128)column + 1) * (__int128)w->step;
	}
}

/* --- the worker's side ------------------------------------------------- */

/* Fit the window to all tracks related to the window's trace. Set the unit and range of the
 * answer. */
static void
fit_window(struct density *d, struct density_answer *answer)
{
	const struct question *q = d->question;
	const struct track *own = &d->tracks[q->window.trace];
	struct density_window *window = &answer->window;
	bool complete = true;
	answer->unit = own->unit;
	answer->wall = own->wall;
	answer->zone = trace_zone(own->trace);
	answer->plain = own->plain;
	answer->first = INT64_MAX;
	answer->last = INT64_MIN;
	for (size_t i = 0; i < q->count; i++) {
		const struct track *track = &d->tracks[q->lanes[i].trace];
		int64_t from = track->first, to = track->last;
		bool related = track == own || (track->part == own->part && from <= to);
		answer->apart[i] = !related;
		if (!related)
			continue;
		complete &= index_is_complete(trace_index(track->trace));
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

/* Extend the tracks of the lanes until UNTIL. Return true if nothing is left to do. */
static bool
extend_tracks(struct density *d, int64_t until)
{
	const struct question *q = d->question;
	for (size_t i = 0; i < q->count; i++) {
		size_t trace = q->lanes[i].trace;
		struct track *track = &d->tracks[trace];
		bool stuck = false;
		size_t done;
		track_renew(track);
		do {
			done = track_extend(track, BATCH, NULL, &stuck);
			if (stuck)
				done = track_extend(track, 1, d->readers[trace], &stuck);
			if (is_overtaken(d) || thread_now_ms() >= until)
				return false;
		} while (done);
		track_settle_ends(track, d->readers[trace]);
	}
	return true;
}

static bool
is_late(void *context)
{
	const struct density *d = context;
	return is_overtaken(d) || thread_now_ms() >= d->until;
}

/* Find the spans of the contexts until UNTIL. Return true if all are found. */
static bool
find_spans(struct density *d, int64_t until)
{
	if (!d->question->with_contexts)
		return true;
	d->until = until;
	return spans_extend(d->spans, is_late, d);
}

/* Read the plots on for LENGTH ms, and add their answers. With PATIENT, read all that borders
 * need. */
static void
answer_plots(struct density *d, int64_t length, bool patient, struct density_answer *answer)
{
	for (size_t i = 0; i < d->plots.count; i++) {
		d->until = thread_now_ms() + length;
		bool whole = plot_extend(d->plots.at[i], answer->unit, is_late, d);
		d->until = whole && patient ? INT64_MAX : thread_now_ms() + FIRST_MS;
		struct plot_answer **own = vec_add(&answer->plots);
		*own = plot_answer_new(d->plots.at[i], &answer->window, is_late, d);
		answer->final &= (*own)->final || (*own)->waits;
	}
}

/* Build an answer, with cells decoded until UNTIL. */
static struct density_answer *
answer_question(struct density *d, int64_t until)
{
	const struct question *q = d->question;
	struct density_answer *answer = mem_new(sizeof *answer);
	size_t relations = d->session->clocks ? clocks_relations(d->session->clocks) : 0;
	answer->window = q->window;
	answer->lanes = q->count;
	answer->columns = mem_new((q->count * q->window.columns + 1) * sizeof *answer->columns);
	answer->final = true;
	fit_window(d, answer);
	for (size_t i = 0; i < q->count; i++)
		if (!answer->apart[i])
			answer->final &=
			    count_lane(d, &answer->window, &q->lanes[i],
				       &answer->columns[i * answer->window.columns], until);
	for (size_t i = 0; i < relations; i++) {
		add_links(d, i, false, answer);
		add_links(d, i, true, answer);
	}
	return answer;
}

/* Hand an answer over. Signal the owner unless it waits for this answer. */
static void
density_publish(struct density *d, struct density_answer *answer)
{
	job_lock(&d->job);
	bool overtaken = is_overtaken(d), awaited = d->awaited;
	answer_free(overtaken ? answer : d->fresh);
	d->fresh = overtaken ? d->fresh : answer;
	job_changed(&d->job);
	job_unlock(&d->job);
	d->published_ms = thread_now_ms();
	if (!overtaken && !awaited)
		session_signal(d->session);
}

/* Wait until NEWS_MS after the last answer, so that a repaint does not cause the next answer
 * at once. Return early if another question came. */
static void
wait_for_more(struct density *d)
{
	struct timespec until;
	int64_t left = d->published_ms + NEWS_MS - thread_now_ms();
	thread_deadline(&until, left > 0 ? (int)left : 0);
	job_lock(&d->job);
	while (!is_overtaken(d) && job_await(&d->job, &until))
		;
	job_unlock(&d->job);
}

/* Answer the current question until the answer is final. */
static void
density_work(void *context)
{
	struct density *d = context;
	unsigned answered = d->question ? d->question->number : 0;
	if (d->question)
		wait_for_more(d);
	job_lock(&d->job);
	question_drop(d, d->question);
	d->question = d->asked;
	d->question->users++;
	job_unlock(&d->job);
	bool again = d->question->number == answered, final = false;
	while (!final && !is_overtaken(d)) {
		int64_t until = thread_now_ms() + (again ? NEWS_MS : FIRST_MS);
		bool whole = extend_tracks(d, until);
		struct density_answer *answer =
		    answer_question(d, whole && again ? INT64_MAX : until);
		answer_plots(d, again ? NEWS_MS : FIRST_MS, again, answer);
		bool spans = find_spans(d, thread_now_ms() + FIRST_MS);
		if (spans && d->question->with_contexts)
			context_spans_add(d->spans, d->tracks, d->question->lanes, answer);
		final = answer->final = answer->final && whole && spans;
		density_publish(d, answer);
		if (whole && !spans)
			find_spans(d, INT64_MAX);
		again = true;
	}
}

/* --- questions --------------------------------------------------------- */

/* Make a question that holds no match sets yet. */
static struct question *
question_new(struct density *d, const struct density_window *window,
	     const struct density_lane *lanes, size_t count, bool with_contexts,
	     const struct density_filter *filter)
{
	struct session *session = d->session;
	struct question *q = mem_new(sizeof *q);
	q->users = 1;
	q->window = *window;
	q->window.columns =
	    window->columns < DENSITY_COLUMNS_MAX ? window->columns : DENSITY_COLUMNS_MAX;
	q->window.columns += !q->window.columns;
	q->window.step += !q->window.step;
	if (q->window.fit)
		q->window.from = 0, q->window.step = 1;
	q->with_contexts = with_contexts && contexts_count(session->contexts);
	q->count = count < DENSITY_LANES_MAX ? count : DENSITY_LANES_MAX;
	memcpy(q->lanes, lanes, q->count * sizeof *lanes);
	q->filter = filter ? filter_clone(filter->filter) : filter_all();
	filter_severities(&q->filter, &q->all, &q->none);
	q->generation = generation_join(contexts_generation(session->contexts),
					clocks_generation(session->clocks));
	for (size_t i = 0; i < q->count; i++) {
		struct trace *trace = session->traces.at[lanes[i].trace];
		q->known += index_known(trace_index(trace));
		/* the filter may depend on texts, which load later */
		q->generation = generation_join(q->generation, index_generation(trace_index(trace)),
						filter_generation(filter_basis(&q->filter), trace));
	}
	for (size_t i = 0; i < d->plots.count; i++)
		q->generation = generation_join(q->generation, plot_generation(d->plots.at[i]));
	if (d->plots.count && session->intervals) /* pairs come after their cells */
		q->known += session->intervals->searched(session->intervals->context, NULL);
	for (size_t i = 0; filter && filter->known && i < session->traces.count; i++) {
		struct matches_progress progress;
		if (!filter->known[i])
			continue;
		matches_get_progress(filter->known[i], &progress);
		q->known += progress.cells;
	}
	q->matches = mem_new(session->traces.count * sizeof *q->matches);
	return q;
}

/* Copy the current state of the match sets. */
static void
copy_matches(struct question *q, const struct session *session, const struct density_filter *filter)
{
	for (size_t i = 0; filter && filter->known && i < session->traces.count; i++) {
		struct known_cells *known = &q->matches[i];
		if (!filter->known[i])
			continue;
		known->count = (size_t)index_known(trace_index(session->traces.at[i]));
		known->at = mem_new((known->count + 1) * sizeof *known->at);
		matches_copy_cells(filter->known[i], known->count, known->at);
	}
}

static bool
is_same_question(const struct question *a, const struct question *b)
{
	bool same = a->count == b->count && a->window.trace == b->window.trace &&
		    a->window.fit == b->window.fit && a->window.from == b->window.from &&
		    a->window.step == b->window.step && a->window.columns == b->window.columns &&
		    a->with_contexts == b->with_contexts && a->generation == b->generation &&
		    filter_is_same(&a->filter, &b->filter);
	for (size_t i = 0; same && i < a->count; i++)
		same = a->lanes[i].trace == b->lanes[i].trace &&
		       a->lanes[i].by_origin == b->lanes[i].by_origin &&
		       a->lanes[i].origin == b->lanes[i].origin;
	return same;
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

/* Replace the question. */
static void
put_question(struct density *d, struct question *q, bool same)
{
	job_lock(&d->job);
	density_fetch(d);
	if (!same)
		generation_bump(&d->questions);
	q->number = generation_now(&d->questions);
	question_drop(d, d->asked);
	d->asked = q;
	d->awaited = !same;
	job_changed(&d->job);
	job_unlock(&d->job);
}

const struct density_answer *
density_ask(struct density *d, const struct density_window *window,
	    const struct density_lane *lanes, size_t count, bool with_contexts,
	    const struct density_filter *filter)
{
	struct question *q = question_new(d, window, lanes, count, with_contexts, filter);
	bool same = d->asked && is_same_question(q, d->asked), late = same;
	struct timespec until;
	if (same && q->known == d->asked->known) {
		question_drop(d, q);
	} else {
		copy_matches(q, d->session, filter);
		put_question(d, q, same);
		late |= !job_start(&d->job); /* or wakes it */
	}
	thread_deadline(&until, PATIENCE_MS);
	job_lock(&d->job);
	while (!d->fresh && !late)
		late = !job_await(&d->job, &until);
	d->awaited = false;
	density_fetch(d);
	job_unlock(&d->job);
	return d->shown;
}

void
density_add_plot(struct density *d, struct plot *plot)
{
	*vec_add(&d->plots) = plot;
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
	     const struct density_filter *filter)
{
	struct question *q = question_new(d, window, lanes, count, with_contexts, filter);
	copy_matches(q, d->session, filter);
	put_question(d, q, false);
	density_work(d);
	density_fetch(d);
	return d->shown;
}

/* --- life -------------------------------------------------------------- */

struct density *
density_new(struct session *session)
{
	struct density *d = mem_new(sizeof *d);
	d->session = session;
	d->tracks = mem_new(session->traces.count * sizeof *d->tracks);
	d->readers = mem_new(session->traces.count * sizeof *d->readers);
	d->filter_readers = mem_new(session->traces.count * sizeof *d->filter_readers);
	d->spans = spans_new(session);
	for (size_t i = 0; i < session->traces.count; i++) {
		track_open(&d->tracks[i], session->traces.at[i]);
		d->readers[i] = reader_new(session->traces.at[i]);
		d->filter_readers[i] = reader_new(session->traces.at[i]);
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
	question_drop(d, d->question);
	question_drop(d, d->asked);
	expansion_free(&d->scratch);
	spans_free(d->spans);
	vec_free(&d->pieces);
	vec_free(&d->plots);
	answer_free(d->shown);
	answer_free(d->fresh);
	free(d);
}
