/*
 * The search for causes: see why.h.
 *
 * The statistics need only the counts of the first walk.  The pairs of its rows are listed by a
 * second one, because lists for all candidates would have no bound.
 */
#include "config.h"

#include "query/why/why.h"
#include "query/gap/gap.h"
#include "query/why/fisher.h"
#include "query/why/why_walk.h"
#include "session/session.h"

#include <math.h>
#include <stdlib.h>

enum { PLACES_LEAST = 3, PAIRS_SHARE = 20 /* at least 1/20 of the slow pairs */ };
static const double LIFT_LEAST = 1.5, CHANCE_MOST = 0.01;

struct why {
	struct why_walk walk;
	struct why_result result;
	struct job job;
	atomic_uint percent;
	bool ended; /* valid once done */
};

/* --- ranking --------------------------------------------------------------- */

/* A candidate as a row. */
struct ranked {
	struct why_row row;
	size_t candidate;
	double lift;
};
typedef VEC(struct ranked) ranking;

static double
lift_of(const struct why_result *result, const struct why_row *row)
{
	double others = (double)row->others / result->others;
	return others > 0 ? (double)row->slow / result->slow / others : INFINITY;
}

static int
compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	if (x->row.unproven != y->row.unproven)
		return x->row.unproven ? 1 : -1;
	if (fabs(x->row.log_p - y->row.log_p) > 1e-6)
		return x->row.log_p < y->row.log_p ? -1 : 1;
	if (x->lift != y->lift)
		return x->lift > y->lift ? -1 : 1;
	if (x->row.kind != y->row.kind)
		return x->row.kind < y->row.kind ? -1 : 1;
	return x->candidate < y->candidate ? -1 : x->candidate > y->candidate;
}

/* Test candidate NUMBER with these counts, and add it if it may be a row.  The test ignores how
 * many candidates there are. */
static void
test(struct why *why, size_t number, struct why_row row, ranking *all)
{
	const struct why_result *result = &why->result;
	const struct why_candidate *c = &why->walk.candidates.at[number];
	why->result.candidates++;
	double lift = lift_of(result, &row);
	if (!row.slow || row.slow < (result->slow + PAIRS_SHARE - 1) / PAIRS_SHARE ||
	    lift < LIFT_LEAST)
		return;
	row.log_p = fisher_log_p(row.slow, result->slow, row.others, result->others);
	row.unproven = row.kind != WHY_NO_MESSAGE && c->places < PLACES_LEAST;
	struct ranked *last = all->count ? &all->at[all->count - 1] : NULL;
	const struct ranked own = {row, number, lift};
	if (last && last->candidate == number) { /* the better one of two rows */
		if (compare_ranked(&own, last) < 0)
			*last = own;
		return;
	}
	*vec_add(all) = own;
}

static void
test_candidate(struct why *why, size_t number, ranking *all)
{
	const struct why_result *result = &why->result;
	const struct why_candidate *c = &why->walk.candidates.at[number];
	struct why_row row = {.kind = c->kind,
			      .at_begin = true,
			      .slow = c->at_begin[1],
			      .others = c->at_begin[0],
			      .doubtful = c->doubtful};
	if (c->kind == WHY_CONTEXT || c->kind == WHY_INTERVAL)
		test(why, number, row, all);
	if (c->kind == WHY_CONTEXT && c->lane == WHY_ALL_LANES)
		return;
	row.at_begin = false;
	row.slow = c->with[WHY_SLOW];
	row.others = c->with[WHY_OTHERS];
	test(why, number, row, all);
	if (c->kind != WHY_MESSAGE)
		return;
	row.kind = WHY_NO_MESSAGE;
	row.slow = result->slow - c->with[WHY_SLOW_WHOLE];
	row.others = result->others - c->with[WHY_OTHERS];
	row.doubtful = result->doubtful[0] + result->doubtful[1];
	test(why, number, row, all);
}

/* Keep one length of the gaps of each trace. */
static void
drop_gaps(struct why *why, ranking *all)
{
	size_t kept = 0;
	for (size_t i = 0; i < all->count; i++) {
		const struct why_candidate *c = &why->walk.candidates.at[all->at[i].candidate];
		bool again = false;
		for (size_t k = 0; k < kept && c->kind == WHY_GAP && !again; k++) {
			const struct why_candidate *before =
			    &why->walk.candidates.at[all->at[k].candidate];
			again = before->kind == WHY_GAP && before->lane == c->lane;
		}
		if (!again)
			all->at[kept++] = all->at[i];
	}
	all->count = kept;
}

/* Keep the rows that chance does not explain, and those that the test cannot judge. */
static void
judge(struct why *why, ranking *all)
{
	struct why_result *result = &why->result;
	double limit = log(CHANCE_MOST / (double)(result->candidates ? result->candidates : 1));
	size_t kept = 0;
	result->few = fisher_log_p(result->slow, result->slow, 0, result->others) >= limit;
	for (size_t i = 0; i < all->count; i++) {
		struct ranked *own = &all->at[i];
		bool chance = own->row.log_p >= limit;
		if (chance && !(result->few && own->row.slow == result->slow))
			continue;
		own->row.unproven |= chance;
		all->at[kept++] = *own;
	}
	all->count = kept;
	if (kept)
		qsort(all->at, kept, sizeof *all->at, compare_ranked);
	drop_gaps(why, all);
}

static void
rank_candidates(struct why *why)
{
	struct why_result *result = &why->result;
	struct text text = {0};
	ranking all = {0};
	for (size_t i = 0; i < why->walk.candidates.count; i++)
		test_candidate(why, i, &all);
	judge(why, &all);
	for (size_t i = 0; i < all.count; i++) {
		if (result->rows.count == WHY_ROWS_MAX) {
			result->dropped = all.count - i;
			break;
		}
		struct why_candidate *c = &why->walk.candidates.at[all.at[i].candidate];
		text_clear(&text);
		why_walk_describe(&why->walk, c, all.at[i].row.at_begin, &text);
		all.at[i].row.text = mem_text(text_get(&text));
		*vec_add(&result->rows) = all.at[i].row;
		c->row = (uint32_t)result->rows.count;
	}
	text_free(&text);
	vec_free(&all);
}

/* --- lists of pairs -------------------------------------------------------- */

static int
compare_numbers(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

/* Replace the listed pairs by the slow ones that are not listed. */
static void
invert(struct why *why, struct why_row *row)
{
	uint32_t at = 0;
	struct why_row inverse = {0};
	for (uint32_t i = 0; i < why->walk.pairs.count; i++) {
		if (at < row->pairs.count && row->pairs.at[at] == i)
			at++;
		else if (why->walk.pairs.at[i].slow)
			*vec_add(&inverse.pairs) = i;
	}
	vec_free(&row->pairs);
	row->pairs.at = inverse.pairs.at;
	row->pairs.count = inverse.pairs.count;
	row->pairs.capacity = inverse.pairs.capacity;
	row->after = 0;
}

static void
list_pairs(struct why *why)
{
	why->walk.listing = true;
	why_walk_run(&why->walk);
	for (size_t i = 0; i < why->result.rows.count; i++) {
		struct why_row *row = &why->result.rows.at[i];
		if (row->pairs.count) {
			qsort(row->pairs.at, row->pairs.count, sizeof *row->pairs.at,
			      compare_numbers);
			row->after /= (int64_t)row->pairs.count;
		}
		if (row->kind == WHY_NO_MESSAGE)
			invert(why, row);
	}
}

/* --- the search ------------------------------------------------------------ */

static bool
is_stopping(void *context)
{
	const struct why *why = context;
	return job_is_stopping(&why->job);
}

static void
why_job(void *context)
{
	struct why *why = context;
	struct why_walk *w = &why->walk;
	spans_extend(w->spans, is_stopping, why);
	if (why_walk_open(w, intervals_of(w->session))) {
		why_walk_run(w);
		if (!job_is_stopping(&why->job))
			rank_candidates(why);
		if (why->result.rows.count)
			list_pairs(why);
	}
	why->ended = !job_is_stopping(&why->job);
}

struct why *
why_new(struct session *session, size_t interval)
{
	struct why *why = mem_new(sizeof *why);
	why->result.interval = interval;
	why->walk = (struct why_walk){.session = session,
				      .job = &why->job,
				      .percent = &why->percent,
				      .spans = spans_new(session),
				      .result = &why->result};
	job_init(&why->job, why_job, why);
	why->job.nice = 10;
	why->job.notify = trace_host_notify;
	why->job.owner = &session->host;
	job_run_once(&why->job);
	return why;
}

void
why_free(struct why *why)
{
	if (!why)
		return;
	job_free(&why->job);
	for (size_t i = 0; i < why->result.rows.count; i++) {
		free(why->result.rows.at[i].text);
		vec_free(&why->result.rows.at[i].pairs);
	}
	vec_free(&why->result.rows);
	why_walk_free(&why->walk);
	vec_free(&why->walk.pairs);
	spans_free(why->walk.spans);
	free(why);
}

void
why_wait(struct why *why)
{
	job_join(&why->job);
}

const struct why_result *
why_get(struct why *why)
{
	return job_is_done(&why->job) && why->ended ? &why->result : NULL;
}

unsigned
why_percent(struct why *why)
{
	return atomic_load(&why->percent);
}

struct interval_message
why_begin(const struct why *why, uint32_t pair)
{
	return why->walk.pairs.at[pair].begin;
}

/* --- texts ----------------------------------------------------------------- */

static void
add_length(const struct why_result *result, int64_t length, struct text *out)
{
	const struct gap gap = {length < 0 ? -(uint64_t)length : (uint64_t)length, !result->ticks};
	text_add(out, length < 0 ? "-" : "");
	gap_format(&gap, true, out);
}

void
why_describe(const struct why *why, const struct why_result *result, struct text *out)
{
	const struct intervals *intervals = intervals_of(why->walk.session);
	const char *name = intervals_name(intervals, result->interval);
	if (result->pairs < WHY_PAIRS_LEAST) {
		text_addf(out, "needs at least %d pairs with a length; %s has %u\n",
			  WHY_PAIRS_LEAST, name, result->pairs);
		return;
	}
	if (!result->slow) {
		text_addf(out, "no pair of %s is slow: none is longer than the p90\n", name);
		return;
	}
	text_addf(out, "%s: %u of %u pairs are slow, longer than ", name, result->slow,
		  result->pairs);
	add_length(result, result->p90, out);
	text_add(out, " (p90); only their first ");
	add_length(result, result->window, out);
	text_add(out, " count\n");
	if (why->walk.missed)
		text_add(out, "the capture changed meanwhile: some pairs are missing\n");
	if (result->doubtful[0] + result->doubtful[1])
		text_addf(out, "messages were lost inside %u slow pairs and %u others\n",
			  result->doubtful[1], result->doubtful[0]);
	if (result->left_out)
		text_addf(out, "%llu messages are left out: there are more than %d kinds\n",
			  (unsigned long long)result->left_out, WHY_CANDIDATES_MAX);
	if (result->few)
		text_add(out, "too few slow pairs to rule out chance: what all of them have\n");
	if (!result->rows.count)
		text_add(out, "nothing distinguishes the slow pairs\n");
	if (result->dropped)
		text_addf(out, "%zu weaker rows are left out\n", result->dropped);
}

const char *
why_cell_title(enum why_cell cell)
{
	static const char *const titles[WHY_CELLS] = {"lift",  "slow", "others",
						      "after", "kind", "cause"};
	return titles[cell];
}

static void
add_lift(const struct why_result *result, const struct why_row *row, struct text *out)
{
	double lift = lift_of(result, row);
	if (lift < INFINITY)
		text_addf(out, "%.*fx", lift < 9.95, lift);
	else
		text_add(out, "only");
	text_add(out, row->unproven ? "?" : "");
}

void
why_add_cell(const struct why_result *result, const struct why_row *row, enum why_cell cell,
	     struct text *out)
{
	static const char *const kinds[WHY_KINDS] = {[WHY_CONTEXT] = "context",
						     [WHY_INTERVAL] = "interval",
						     [WHY_MESSAGE] = "message",
						     [WHY_GAP] = "gap",
						     [WHY_NO_MESSAGE] = "no message"};
	bool slow = cell == WHY_CELL_SLOW;
	switch (cell) {
	case WHY_CELL_LIFT:
		add_lift(result, row, out);
		break;
	case WHY_CELL_SLOW:
	case WHY_CELL_OTHERS:
		text_addf(out, "%u of %u", slow ? row->slow : row->others,
			  slow ? result->slow : result->others);
		break;
	case WHY_CELL_AFTER:
		if (row->kind != WHY_NO_MESSAGE && !row->at_begin)
			add_length(result, row->after, out);
		break;
	case WHY_CELL_KIND:
		text_add(out, kinds[row->kind]);
		break;
	case WHY_CELL_CAUSE:
	case WHY_CELLS:
		text_add(out, row->text);
		if (row->doubtful)
			text_addf(out, " (? in %u pairs)", row->doubtful);
	}
}
