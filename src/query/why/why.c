/*
 * The search for causes of slow pairs: see why.h.
 *
 * Pairs are sorted by their begin.  Each candidate remembers up to which pair it was given out: the
 * open pairs from there on get it at the next message of this kind, or when a context gets this
 * value again.  Each candidate needs only rising times for that, so traces are read one by one.
 */
#include "config.h"

#include "query/why/why.h"
#include "base/job.h"
#include "base/lower_bound.h"
#include "base/map.h"
#include "base/rank.h"
#include "query/compare/compare_mask.h"
#include "query/gap/gap.h"
#include "query/span/spans.h"
#include "session/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	TELL_MS = 200,	   /* between two signals */
	PAIRS_LEAST = 10,  /* fewer have none above their p90 */
	SHARE_LEAST = 20,  /* at least 1/20 of the slow pairs have it */
	KINDS_MAX = 65536, /* candidates */
	BLOCK = 256	   /* pairs */
};
static const double LIFT_LEAST = 1.5, CHANCE_MOST = 0.01;

/* In the order of causes that are equal otherwise. */
enum kind { KIND_CONTEXT, KIND_INTERVAL, KIND_MESSAGE, KIND_GAP, KIND_NO_MESSAGE };
static const char *const kind_names[] = {"context", "interval", "message", "gap", "no message"};

struct pair {
	struct interval_message begin;
	int64_t since, end;
	int64_t reach, least; /* latest end up to this pair; earliest end in the block from it on */
	uint32_t slow_before; /* number of slow pairs before it */
	bool slow, doubtful;
};

/* The pairs that got a candidate at one time: those before `until` that were open, and all others,
 * at their begin.  They are FIRST to END, without END. */
struct given {
	uint32_t first, until, end;
	int64_t time;
};

struct why_candidate {
	enum kind kind;
	size_t what;			/* lane of a context, interval, or trace */
	uint32_t label;			/* value of a context */
	struct message_id id;		/* of the first message */
	uint32_t count[2], in_whole[2]; /* others and slow pairs with it in the window, or ever */
	uint32_t places;		/* times at which pairs got it */
	bool doubt;			/* its context is doubtful now */
	uint32_t doubtful;		/* pairs that got it then */
	size_t last;			/* pairs before it have it, or ended without */
	VEC(struct given) given;	/* those with a slow pair */
};

struct cause {
	enum kind kind;
	bool unproven;
	size_t candidate;
	uint32_t count[2];
	double lift, log_p; /* `log_p`: of chance; or a kind, if there are few pairs */
};

struct why {
	struct session *session;
	struct job job;
	atomic_uint percent;
	size_t interval, part; /* of the clocks */
	bool ticks, sorted;    /* unit of times, else nanoseconds; all pairs are known */
	VEC(struct pair) pairs;
	uint32_t count[2], doubtful[2]; /* others and slow pairs; these that lost messages */
	uint32_t apart;			/* pairs left out */
	uint64_t left_out;		/* messages of more kinds than KINDS_MAX */
	int64_t p90, window;
	bool few, ended; /* too few slow pairs for the test; not stopped */
	VEC(struct why_candidate) candidates;
	struct map by_what; /* hash: 1 + the candidate */
	VEC(struct cause) causes;
	struct spans *spans;
	struct expansion expansion;
};

/* --- pairs ----------------------------------------------------------------- */

static int
compare_pairs(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	return x->since < y->since ? -1 : x->since > y->since;
}

/* Choose the slow pairs.  Return false if there are none. */
static bool
choose_slow(struct why *why)
{
	const uint64_t flip = UINT64_C(1) << 63; /* sorts signed numbers */
	size_t count = why->pairs.count;
	int64_t reach = INT64_MIN;
	long double sum = 0;
	why->count[0] = (uint32_t)count;
	if (count < PAIRS_LEAST)
		return false;
	uint64_t *lengths = mem_new(count * sizeof *lengths);
	qsort(why->pairs.at, count, sizeof *why->pairs.at, compare_pairs);
	why->sorted = true;
	for (size_t i = 0; i < count; i++)
		lengths[i] = (uint64_t)(why->pairs.at[i].end - why->pairs.at[i].since) ^ flip;
	rank_sort(lengths, count);
	why->p90 = (int64_t)(lengths[rank_nearest(count, 90) - 1] ^ flip);
	free(lengths);
	for (size_t i = 0; i < count; i++) {
		struct pair *pair = &why->pairs.at[i], *block = pair - i % BLOCK;
		int64_t length = pair->end - pair->since;
		pair->slow = length > why->p90;
		pair->slow_before = why->count[1];
		pair->reach = reach = pair->end > reach ? pair->end : reach;
		block->least = pair == block || pair->end < block->least ? pair->end : block->least;
		why->count[1] += pair->slow;
		why->doubtful[pair->slow] += pair->doubtful;
		sum += !pair->slow && length > 0 ? (long double)length : 0;
	}
	why->count[0] -= why->count[1];
	why->window = (int64_t)(sum / why->count[0]);
	return why->count[1];
}

/* Return the number of pairs that began before TIME. */
static size_t
begun_before(const struct why *why, int64_t time)
{
	size_t at;
	lower_bound(at, why->pairs.count, why->pairs.at[at].since < time);
	return at;
}

/* --- candidates ------------------------------------------------------------ */

/* Find or add a candidate.  HASH 0: by its members.  Return NULL if there are too many. */
static struct why_candidate *
find_candidate(struct why *why, uint64_t hash, const struct why_candidate *as)
{
	const uint64_t words[] = {as->kind, as->what, as->label};
	hash = hash ? hash : compare_hash_bytes(0, words, sizeof words);
	uint64_t *number = map_find(&why->by_what, hash);
	if (number)
		return &why->candidates.at[*number - 1];
	if (why->candidates.count == KINDS_MAX)
		return NULL;
	*vec_add(&why->candidates) = *as;
	*map_add(&why->by_what, hash) = why->candidates.count;
	return &why->candidates.at[why->candidates.count - 1];
}

/* Count the pairs from FROM to TO as having a candidate.  SOON: in the window of slow ones. */
static void
count_pairs(const struct why *why, struct why_candidate *c, size_t from, size_t to, bool soon)
{
	uint32_t before = to < why->pairs.count ? why->pairs.at[to].slow_before : why->count[1];
	uint32_t slow = before - why->pairs.at[from].slow_before,
		 others = (uint32_t)(to - from) - slow;
	c->in_whole[0] += others;
	c->in_whole[1] += slow;
	c->count[0] += others;
	c->count[1] += soon ? slow : 0;
	c->doubtful += c->doubt ? others + (soon ? slow : 0) : 0;
}

/* Give a candidate that holds from FROM until TO to the pairs that lack it: those before UNTIL that
 * are open at FROM, and those that begin before TO.  Blocks of open pairs get it at once. */
static void
give_pairs(struct why *why, struct why_candidate *c, size_t until, int64_t from, int64_t to)
{
	size_t i, next, end = begun_before(why, to);
	if (!c)
		return;
	uint32_t count = c->count[0] + c->count[1], slow = c->in_whole[1];
	lower_bound(i, until, why->pairs.at[i].reach < from); /* earlier ones have ended */
	size_t first = i = i > c->last ? i : c->last;
	for (; i < until; i = next) {
		const struct pair *pair = &why->pairs.at[i];
		bool soon = from - pair->since <= why->window;
		next = i % BLOCK || i + BLOCK > until || pair->least <= from ||
			       (!soon && from - pair[BLOCK - 1].since <= why->window)
			   ? i + 1
			   : i + BLOCK;
		if (next > i + 1 || from < pair->end || from == pair->since)
			count_pairs(why, c, i, next, soon);
	}
	if (i < end)
		count_pairs(why, c, i, end, true);
	c->last = i < end ? end : i;
	c->places += c->count[0] + c->count[1] > count;
	if (c->in_whole[1] > slow)
		*vec_add(&c->given) =
		    (struct given){(uint32_t)first, (uint32_t)until, (uint32_t)c->last, from};
}

/* --- the walk -------------------------------------------------------------- */

static void
take_context(struct why *why, size_t number)
{
	const span_turns *turns = &spans_lane(why->spans, number)->turns;
	for (size_t i = 0; i < turns->count; i++) {
		const struct span_turn *turn = &turns->at[i];
		const struct why_candidate as = {
		    .kind = KIND_CONTEXT, .what = number, .label = turn->label};
		struct why_candidate *c = find_candidate(why, 0, &as);
		if (!c || turn->time == INT64_MIN || turn->part != why->part ||
		    !(turn->flags & SPAN_TICKS) == why->ticks)
			continue;
		c->doubt = turn->flags & SPAN_DOUBTFUL;
		give_pairs(why, c, begun_before(why, turn->time), turn->time,
			   i + 1 < turns->count ? turn[1].time : INT64_MAX);
	}
}

/* Take a pair of the interval, or, once those are sorted, of another.  All need the unit and the
 * part of the clocks of the first. */
static void
take_pair(void *context, size_t trace, const struct interval_event *begin,
	  const struct interval_event *end)
{
	struct why *why = context;
	bool own = begin->interval == why->interval, ticks = begin->flags & INTERVAL_TICKS;
	size_t part = clocks_part(why->session->traces.at[trace]);
	const struct why_candidate as = {
	    .kind = KIND_INTERVAL, .what = begin->interval, .label = (uint32_t)trace};
	if (own == why->sorted)
		return;
	if (own && !why->pairs.count) {
		why->ticks = ticks;
		why->part = part;
	}
	if (!(begin->flags & INTERVAL_TIMED) || begin->flags & INTERVAL_APART ||
	    ticks != why->ticks || part != why->part)
		why->apart += own;
	else if (own)
		*vec_add(&why->pairs) =
		    (struct pair){.begin = {trace, {begin->offset, begin->ordinal}},
				  .since = begin->time,
				  .end = end->time,
				  .doubtful = begin->flags & INTERVAL_DOUBTFUL};
	else
		give_pairs(why, find_candidate(why, 0, &as), begun_before(why, begin->time),
			   begin->time, end->time);
}

/* Give a message to the open pairs, by its kind.  *LAST is the time of the message before. */
static void
take_message(struct why *why, struct reader *reader, struct position at, const struct message *m,
	     int64_t *last)
{
	const struct expansion *e = &why->expansion;
	struct why_candidate as = {.kind = KIND_GAP, .what = trace_number(reader_trace(reader))};
	struct message_time time;
	bool timed;
	gap_times(reader_trace(reader), m, 1, &time, &timed);
	if (timed && (time.part != why->part || time.known == why->ticks))
		return;
	int64_t now = timed ? time.order : *last; /* without a time: that of the message before */
	if (*last != INT64_MIN && why->window > 1 && now - *last > why->window / 2)
		give_pairs(why, find_candidate(why, 0, &as), begun_before(why, *last + 1),
			   *last + why->window / 2, INT64_MIN);
	*last = now > *last ? now : *last;
	size_t begun = begun_before(why, now + 1);
	if (!begun || why->pairs.at[begun - 1].reach <= now)
		return; /* no pair is open */
	reader_expand(reader, m, EXPAND_TEXT, &why->expansion);
	uint64_t hash = compare_hash_bytes(as.what, text_get(&e->origin), e->origin.length);
	hash = compare_hash_bytes(hash, text_get(&e->type), e->type.length);
	hash = compare_hash_masked(hash, text_get(&e->text), e->text.length);
	as.kind = KIND_MESSAGE;
	as.id = reader_message_id(reader, at);
	struct why_candidate *c = find_candidate(why, hash, &as);
	why->left_out += !c;
	give_pairs(why, c, begun, now, INT64_MIN);
}

static bool
is_stopping(void *context)
{
	const struct why *why = context;
	return job_is_stopping(&why->job);
}

static void
take_trace(struct why *why, size_t t)
{
	struct trace *trace = why->session->traces.at[t];
	struct reader *reader = reader_new(trace);
	uint64_t cells = index_cell_count(trace_index(trace)); /* the last may still grow */
	int64_t last = INT64_MIN;
	for (uint64_t c = 0; c < cells && !is_stopping(why); c++) {
		const struct decoded_cell *decoded = reader_decoded_cell(reader, c);
		for (size_t i = 0; decoded->exact && i < decoded->count && !is_stopping(why); i++) {
			const struct message m = decoded->messages[i];
			take_message(why, reader, (struct position){c, i}, &m, &last);
			decoded = reader_keep(reader, decoded, c);
		}
		atomic_store(&why->percent, (unsigned)((t * cells + c) * 100 / cells /
						       why->session->traces.count));
		if (!job_told_within(&why->job, TELL_MS))
			job_tell(&why->job);
	}
	reader_free(reader);
}

/* --- ranking --------------------------------------------------------------- */

static double
log_choose(uint64_t n, uint64_t k)
{
	int sign; /* lgamma() is not for several threads */
	return lgamma_r((double)n + 1, &sign) - lgamma_r((double)k + 1, &sign) -
	       lgamma_r((double)(n - k) + 1, &sign);
}

/* Sum the terms of the hypergeometric distribution from A on, in units of the first. */
double
why_log_p(uint64_t a, uint64_t slow, uint64_t b, uint64_t others)
{
	uint64_t marked = a + b, most = slow < marked ? slow : marked;
	double sum = 1, term = 1;
	for (uint64_t x = a; x < most && term > sum * 1e-16; x++) {
		term *= (double)(slow - x) * (double)(marked - x) /
			((double)(x + 1) * (double)(others + x + 1 - marked));
		sum += term;
	}
	double log_p = log_choose(slow, a) + log_choose(others, b) -
		       log_choose(slow + others, marked) + log(sum);
	return log_p < 0 ? log_p : 0;
}

static int
compare_causes(const void *a, const void *b)
{
	const struct cause *x = a, *y = b;
	if (x->unproven != y->unproven)
		return x->unproven ? 1 : -1;
	if (fabs(x->log_p - y->log_p) > 1e-6)
		return x->log_p < y->log_p ? -1 : 1;
	if (x->lift != y->lift)
		return x->lift > y->lift ? -1 : 1;
	return x->kind != y->kind ? (int)x->kind - (int)y->kind
				  : (x->candidate > y->candidate) - (x->candidate < y->candidate);
}

/* Test each candidate, and that a message is missing. */
static void
find_causes(struct why *why)
{
	size_t tests = 2 * why->candidates.count;
	double limit = log(CHANCE_MOST / (double)(tests + 1));
	why->few = why_log_p(why->count[1], why->count[1], 0, why->count[0]) >= limit;
	for (size_t i = 0; i < tests; i++) {
		const struct why_candidate *c = &why->candidates.at[i / 2];
		bool absent = i % 2;
		struct cause cause = {.kind = absent ? KIND_NO_MESSAGE : c->kind,
				      .candidate = i / 2};
		for (int s = 0; s < 2; s++)
			cause.count[s] = absent ? why->count[s] - c->in_whole[s] : c->count[s];
		cause.lift =
		    (double)cause.count[1] / why->count[1] * why->count[0] / cause.count[0];
		if ((absent && c->kind != KIND_MESSAGE) || !cause.count[1] ||
		    (uint64_t)cause.count[1] * SHARE_LEAST < why->count[1] ||
		    cause.lift < LIFT_LEAST)
			continue;
		cause.log_p =
		    why_log_p(cause.count[1], why->count[1], cause.count[0], why->count[0]);
		/* pairs that get it at one time are no independent samples */
		uint32_t size = absent ? 1 : (c->count[0] + c->count[1] - 1) / c->places + 1;
		cause.unproven = why_log_p(cause.count[1] / size, why->count[1] / size,
					   cause.count[0] / size, why->count[0] / size) >= limit;
		bool named = why->few ? cause.count[1] == why->count[1] : cause.log_p < limit;
		cause.log_p = why->few ? cause.kind : cause.log_p;
		if (named)
			*vec_add(&why->causes) = cause;
	}
	if (why->causes.count)
		qsort(why->causes.at, why->causes.count, sizeof *why->causes.at, compare_causes);
}

/* --- texts ----------------------------------------------------------------- */

static void
add_length(const struct why *why, int64_t length, struct text *out)
{
	const struct gap gap = {length < 0 ? 0 : (uint64_t)length, !why->ticks};
	gap_format(&gap, true, out);
}

/* Append trace and origin of a message.  Expand it. */
static void
add_sender(struct why *why, size_t trace, struct message_id id, struct text *out)
{
	struct reader *reader = reader_new(why->session->traces.at[trace]);
	struct position at;
	struct message m;
	expansion_clear(&why->expansion);
	if (reader_read_id(reader, id, &at, &m))
		reader_expand(reader, &m, EXPAND_TEXT, &why->expansion);
	if (why->session->traces.count > 1)
		text_addf(out, "%s ", trace_name(why->session->traces.at[trace]));
	text_add_bytes(out, text_get(&why->expansion.origin), why->expansion.origin.length);
	reader_free(reader);
}

static void
add_cause(struct why *why, const struct cause *cause, struct text *out)
{
	const struct why_candidate *c = &why->candidates.at[cause->candidate];
	text_addf(out, "%s ", kind_names[cause->kind]);
	if (cause->kind == KIND_CONTEXT) {
		const struct span_lane *lane = spans_lane(why->spans, c->what);
		const struct span_turn *first = lane->turns.at;
		text_addf(out, "%s %s, of ", contexts_name(why->session->contexts, lane->context),
			  spans_label(why->spans, c->label));
		add_sender(why, lane->trace, (struct message_id){first->offset, first->ordinal},
			   out);
	} else if (cause->kind == KIND_INTERVAL) {
		text_add(out, intervals_name(intervals_of(why->session), c->what));
	} else if (cause->kind == KIND_GAP) {
		text_addf(out, "in %s of ", trace_name(why->session->traces.at[c->what]));
		add_length(why, why->window / 2, out);
	} else {
		add_sender(why, c->what, c->id, out);
		text_add(out, ": ");
		compare_add_masked(text_get(&why->expansion.text), why->expansion.text.length, out);
	}
	if (c->doubtful)
		text_addf(out, " (? in %u pairs)", c->doubtful);
}

void
why_describe(const struct why *why, struct text *out)
{
	if (why->apart || why->left_out)
		text_addf(out, "left out: %u pairs without a comparable length, %llu messages\n",
			  why->apart, (unsigned long long)why->left_out);
	if (!why->count[1]) {
		text_addf(out,
			  why->count[0] < PAIRS_LEAST ? "needs at least %d pairs, not %u\n"
						      : "no pair is above the p90\n",
			  PAIRS_LEAST, why->count[0]);
		return;
	}
	text_addf(out, "slow: %u of %zu pairs, above ", why->count[1], why->pairs.count);
	add_length(why, why->p90, out);
	text_add(out, " (p90); their first ");
	add_length(why, why->window, out);
	text_add(out, " count\n");
	if (why->doubtful[0] + why->doubtful[1])
		text_addf(out, "messages were lost inside %u of the slow and %u of the others\n",
			  why->doubtful[1], why->doubtful[0]);
	if (!why->causes.count)
		text_add(out, "nothing distinguishes the slow pairs\n");
	else if (why->few)
		text_add(out, "unproven: the slow pairs are too few to rule out chance\n");
}

void
why_add_row(struct why *why, size_t row, struct text *out)
{
	const struct cause *cause = &why->causes.at[row];
	if (cause->count[0])
		text_addf(out, "%3.*fx", cause->lift < 9.95, cause->lift);
	else
		text_add(out, "only");
	text_add(out, cause->unproven ? "?" : " ");
	for (int slow = 1; slow >= 0; slow--)
		text_addf(out, " %*u of %u %s ", snprintf(NULL, 0, "%u", why->count[slow]),
			  cause->count[slow], why->count[slow], slow ? "slow" : "others");
	add_cause(why, cause, out);
}

/* --- the search ------------------------------------------------------------ */

static void
why_job(void *context)
{
	struct why *why = context;
	struct intervals *intervals = intervals_of(why->session);
	size_t traces = why->session->traces.count;
	for (size_t t = 0; t < traces; t++)
		intervals_visit(intervals, t, take_pair, why);
	if (choose_slow(why)) {
		spans_extend(why->spans, is_stopping, why);
		for (size_t i = 0; i < spans_count(why->spans); i++)
			take_context(why, i);
		for (size_t t = 0; t < traces; t++) {
			intervals_visit(intervals, t, take_pair, why);
			take_trace(why, t);
		}
		find_causes(why);
	}
	why->ended = !is_stopping(why);
}

struct why *
why_new(struct session *session, size_t interval)
{
	struct why *why = mem_new(sizeof *why);
	why->session = session;
	why->interval = interval;
	why->spans = spans_new(session);
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
	for (size_t i = 0; i < why->candidates.count; i++)
		vec_free(&why->candidates.at[i].given);
	vec_free(&why->pairs);
	vec_free(&why->candidates);
	vec_free(&why->causes);
	map_free(&why->by_what);
	expansion_free(&why->expansion);
	spans_free(why->spans);
	free(why);
}

size_t
why_count(struct why *why, unsigned *percent)
{
	if (percent)
		*percent = atomic_load(&why->percent);
	else
		job_join(&why->job);
	return job_is_done(&why->job) && why->ended ? why->causes.count : SIZE_MAX;
}

bool
why_step(const struct why *why, size_t row, bool back, size_t *at, struct interval_message *begin)
{
	const struct why_candidate *c = &why->candidates.at[why->causes.at[row].candidate];
	bool absent = why->causes.at[row].kind == KIND_NO_MESSAGE;
	for (size_t i = back ? *at - 1 : *at + 1, k; i < why->pairs.count; back ? i-- : i++) {
		const struct pair *pair = &why->pairs.at[i];
		lower_bound(k, c->given.count, c->given.at[k].end <= i);
		bool has = k < c->given.count && c->given.at[k].first <= i;
		int64_t time = has && i < c->given.at[k].until ? c->given.at[k].time : pair->since;
		has &= time < pair->end || time == pair->since;
		if (!pair->slow || (absent ? has : !has || time - pair->since > why->window))
			continue;
		*at = i;
		*begin = pair->begin;
		return true;
	}
	return false;
}
