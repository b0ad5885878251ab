/*
 * From two runs to a list of differences: see compare.h.
 *
 * Each pair of origins is aligned (compare_align.h). Messages between aligned runs
 * are missing or extra. If both sides have some, messages of equal type are paired
 * by the likeness of their words. Such pairs have changed. If one of several equal
 * messages is missing, the times decide which. Then a missing message and an equal
 * extra one nearby become a moved one. Finally times are compared.
 * With several good runs the nearest one is aligned once more at the end: what differs from all of
 * them differs from that one, too.
 *
 * Work is proportional to the number of messages. LOOKS_MAX limits the work on
 * texts.
 */
#include "config.h"

#include "query/compare/compare.h"
#include "base/lower_bound.h"
#include "base/map.h"
#include "base/job.h"
#include "query/compare/compare_align.h"
#include "query/compare/compare_baseline.h"
#include "query/compare/compare_mask.h"
#include "query/compare/compare_slower.h"
#include "query/gap/gap.h"
#include "session/sequence.h"
#include "session/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	LISTED = 16,	     /* most missing or extra neighbours listed one by one */
	PAIRS_MAX = 1024,    /* limit on the product of two counts to pair by words */
	LOOKS_MAX = 1 << 18, /* pairs of texts to compare in all */
	NEAR = 256,	     /* how far a message may move within its origin */
	SHIFT_MAX = 65536    /* how far to shift a skip among equal messages */
};

struct compare {
	struct compare_side sides[2];
	struct compare_options options;
	const atomic_bool *stop;
	VEC(struct compare_difference) list;
	uint64_t kinds[COMPARE_KINDS + 1];
	const struct compare_good *good;
	size_t nearest;

	/* during compare_run() */
	struct compare_baseline baseline; /* of several good runs; else only `runs` is set */
	VEC(struct compare_aligned) aligned;
	struct compare_texts texts[2];
	unsigned looks; /* pairs of texts compared until now */
};

static const char *const kind_names[COMPARE_KINDS] = {
    [COMPARE_MISSING] = "missing", [COMPARE_EXTRA] = "extra",	      [COMPARE_CHANGED] = "changed",
    [COMPARE_MOVED] = "moved",	   [COMPARE_SLOWER] = "slower",	      [COMPARE_DAMAGED] = "damaged",
    [COMPARE_LOST] = "lost",	   [COMPARE_UNALIGNED] = "unaligned",
};

const char *
compare_kind_name(enum compare_kind kind)
{
	return kind_names[kind];
}

struct compare *
compare_new(const struct compare_good *good, const struct compare_side *bad,
	    const struct compare_options *options, const atomic_bool *stop)
{
	struct compare *compare = mem_new(sizeof *compare);
	compare->options = *options;
	compare->stop = stop;
	compare->good = good;
	compare->baseline.runs = good->count;
	compare->sides[COMPARE_BAD] = *bad;
	compare->sides[COMPARE_BAD].stop = stop;
	compare->texts[COMPARE_BAD].session = bad->session;
	return compare;
}

static void
drop_good(struct compare *compare)
{
	compare->looks = 0;
	compare_side_free(&compare->sides[COMPARE_GOOD]);
	for (size_t i = 0; i < compare->aligned.count; i++)
		vec_free(&compare->aligned.at[i].runs);
	vec_free(&compare->aligned);
	for (int run = 0; run < 2; run++)
		compare_texts_free(&compare->texts[run]);
}

static void
drop_work(struct compare *compare)
{
	drop_good(compare);
	compare_baseline_free(&compare->baseline);
	compare_side_free(&compare->sides[COMPARE_BAD]);
}

void
compare_free(struct compare *compare)
{
	if (!compare)
		return;
	drop_work(compare);
	vec_free(&compare->list);
	free(compare);
}

static bool
is_stopped(const struct compare *compare)
{
	return compare->stop && atomic_load_explicit(compare->stop, memory_order_relaxed);
}

/* --- pairs of traces and origins ----------------------------------------- */

static bool
is_same_trace(const struct trace *a, const struct trace *b, bool by_name)
{
	return !strcmp(trace_decoder(a)->ops->format, trace_decoder(b)->ops->format) &&
	       (!by_name || !strcmp(trace_name(a), trace_name(b)));
}

/* Find the trace of BAD for each trace of GOOD, by number; SIZE_MAX: none. */
static void
match_traces(const struct session *good, const struct session *bad, size_t *match)
{
	bool *taken = mem_new(bad->traces.count * sizeof *taken);
	for (size_t i = 0; i < good->traces.count; i++)
		match[i] = SIZE_MAX;
	for (int by_name = 1; by_name >= 0; by_name--)
		for (size_t i = 0; i < good->traces.count; i++)
			for (size_t k = 0; k < bad->traces.count && match[i] == SIZE_MAX; k++)
				if (!taken[k] &&
				    is_same_trace(good->traces.at[i], bad->traces.at[k], by_name)) {
					match[i] = k;
					taken[k] = true;
				}
	free(taken);
}

/* Pair streams of GOOD and BAD that are in paired traces, have the same hash and no partner yet.
 * TAKEN marks the streams of BAD with a partner. */
static void
match_streams(struct compare *compare, const size_t *match, size_t *partner, bool *taken,
	      bool by_name)
{
	const struct compare_side *sides = compare->sides;
	struct map map = {0}; /* from a hash to the first stream of BAD, from 1 */
	size_t *next = mem_new((sides[COMPARE_BAD].streams.count + 1) * sizeof *next);
	for (size_t k = sides[COMPARE_BAD].streams.count; k--;) {
		const struct compare_stream *stream = sides[COMPARE_BAD].streams.at[k];
		uint64_t hash = by_name ? stream->name : stream->alike;
		if (taken[k])
			continue;
		hash = compare_hash_bytes(hash, &stream->trace, sizeof stream->trace);
		uint64_t *first = map_add(&map, hash);
		next[k + 1] = *first;
		*first = k + 1;
	}
	for (size_t i = 0; i < sides[COMPARE_GOOD].streams.count; i++) {
		const struct compare_stream *stream = sides[COMPARE_GOOD].streams.at[i];
		uint64_t hash = by_name ? stream->name : stream->alike;
		if (partner[i] != SIZE_MAX)
			continue;
		hash = compare_hash_bytes(hash, &match[stream->trace], sizeof *match);
		uint64_t *first = map_find(&map, hash);
		if (!first || !*first)
			continue;
		partner[i] = *first - 1;
		taken[partner[i]] = true;
		*first = next[*first];
	}
	free(next);
	map_free(&map);
}

/* List the pairs of origins, and the origins that only one run has. */
static void
match_all(struct compare *compare)
{
	const struct compare_side *good = &compare->sides[COMPARE_GOOD],
				  *bad = &compare->sides[COMPARE_BAD];
	size_t *match = mem_new((good->session->traces.count + 1) * sizeof *match);
	size_t *partner = mem_new((good->streams.count + 1) * sizeof *partner);
	bool *taken = mem_new(bad->streams.count + 1);
	match_traces(good->session, bad->session, match);
	for (size_t i = 0; i < good->streams.count; i++)
		partner[i] = SIZE_MAX;
	match_streams(compare, match, partner, taken, true);
	match_streams(compare, match, partner, taken, false);
	for (size_t i = 0; i < good->streams.count; i++) {
		struct compare_aligned *aligned = vec_add(&compare->aligned);
		aligned->good = good->streams.at[i];
		aligned->bad = partner[i] != SIZE_MAX ? bad->streams.at[partner[i]] : NULL;
	}
	for (size_t k = 0; k < bad->streams.count; k++)
		if (!taken[k])
			vec_add(&compare->aligned)->bad = bad->streams.at[k];
	free(match);
	free(partner);
	free(taken);
}

/* --- choice among equal messages ----------------------------------------- */

/* Return the time from one message to another, or 0 if it is not known. */
static double
length_of(const struct compare_stream *stream, size_t from, size_t to)
{
	int64_t a = stream->times.at[from], b = stream->times.at[to];
	return a == COMPARE_NO_TIME || b == COMPARE_NO_TIME ? 0 : (double)b - (double)a;
}

/* A place between equal messages where the runs differ: MORE has SKIPPED messages from AT on
 * that LESS, at BESIDE, does not have. */
struct skip {
	const struct compare_stream *more, *less;
	size_t at, skipped, beside;
};

/* Return how much the times over a skip differ if it is SHIFT messages earlier. LESS has PASSED
 * others there instead. */
static double
time_apart(const struct skip *skip, size_t shift, size_t passed)
{
	size_t from = skip->at - shift, to = from + skip->skipped;
	size_t beside = skip->beside - shift;
	if (!from || beside <= passed || to >= skip->more->tokens.count ||
	    beside >= skip->less->tokens.count)
		return INFINITY;
	return fabs(length_of(skip->more, from - 1, to) -
		    length_of(skip->less, beside - passed - 1, beside));
}

/* True if K of one side equals I of the other including its numbers, but not J. Then K must keep
 * its partner I. */
static bool
must_keep(const struct compare_stream *more, size_t i, size_t j, const struct compare_stream *less,
	  size_t k)
{
	return more->exact.at[i] == less->exact.at[k] && more->exact.at[j] != less->exact.at[k];
}

/* Return how far a skip can move back, up to ROOM messages. */
static size_t
shift_room(const struct skip *skip, size_t room)
{
	size_t shift = 0;
	for (; shift < room; shift++) {
		size_t i = skip->at - shift - 1, j = i + skip->skipped;
		if (skip->more->tokens.at[i] != skip->more->tokens.at[j] ||
		    must_keep(skip->more, i, j, skip->less, skip->beside - shift - 1))
			break;
	}
	return shift;
}

/* True if a skip that moves back by one more than SHIFT pairs two messages that are equal including
 * their numbers, and parts none. */
static bool
gains_exact(const struct skip *skip, size_t shift)
{
	size_t i = skip->at - shift - 1, j = i + skip->skipped;
	uint64_t exact = skip->less->exact.at[skip->beside - shift - 1];
	return skip->more->exact.at[j] == exact && skip->more->exact.at[i] != exact;
}

/* Return how far to move a skip back, up to the COUNT equal messages before it. Choose the most
 * messages that are equal including their numbers, then the best fit of its times. Before these
 * COUNT, LESS may have PASSED messages that MORE has not. If the times fit there as well, move the
 * skip there: the skipped messages changed into those. */
static size_t
find_shift(const struct skip *skip, size_t count, size_t passed)
{
	size_t room = shift_room(skip, count < SHIFT_MAX ? count : SHIFT_MAX), best = 0;
	double least = INFINITY;
	for (size_t shift = 0; shift <= room && shift < count; shift++) {
		double apart = time_apart(skip, shift, 0);
		if (apart < least || (shift && gains_exact(skip, shift - 1))) {
			least = apart;
			best = shift;
		}
	}
	bool joins = passed && room == count && time_apart(skip, count, passed) <= least;
	return joins ? count : best;
}

/* Extend RUN as far as possible if only one side has messages between it and NEXT. Leave one
 * message in NEXT. */
static void
push_forward(const struct skip *skip, struct compare_run *run, struct compare_run *next)
{
	size_t forward = 0;
	for (; forward + 1 < next->count; forward++) {
		size_t j = skip->at + forward, i = j + skip->skipped;
		if (skip->more->tokens.at[i] != skip->more->tokens.at[j] ||
		    must_keep(skip->more, i, j, skip->less, skip->beside + forward))
			break;
	}
	run->count += forward;
	next->a += forward;
	next->b += forward;
	next->count -= forward;
}

/* Move missing or extra messages between two runs to the best place: as far forward as possible,
 * then back. */
static void
suit_skips(struct compare_aligned *aligned)
{
	size_t count = aligned->runs.count, kept = 0;
	struct compare_run end = {0};
	*vec_add(&aligned->runs) =
	    (struct compare_run){aligned->good->tokens.count, aligned->bad->tokens.count, 0};
	for (size_t i = 0; i < count; i++) {
		struct compare_run run = aligned->runs.at[i];
		struct compare_run *next = &aligned->runs.at[i + 1];
		size_t a = run.a + run.count, b = run.b + run.count, shift = 0;
		if (next->a > a && next->b == b)
			push_forward(&(struct skip){aligned->good, aligned->bad, a, next->a - a, b},
				     &run, next);
		else if (next->b > b && next->a == a)
			push_forward(&(struct skip){aligned->bad, aligned->good, b, next->b - b, a},
				     &run, next);
		a = run.a + run.count;
		b = run.b + run.count;
		if (next->a > a && next->b == b)
			shift = find_shift(
			    &(struct skip){aligned->good, aligned->bad, a, next->a - a, b},
			    run.count, run.a == end.a ? run.b - end.b : 0);
		else if (next->b > b && next->a == a)
			shift = find_shift(
			    &(struct skip){aligned->bad, aligned->good, b, next->b - b, a},
			    run.count, run.b == end.b ? run.a - end.a : 0);
		run.count -= shift;
		next->a -= shift;
		next->b -= shift;
		next->count += shift;
		if (!run.count)
			continue;
		end = (struct compare_run){run.a + run.count, run.b + run.count, 0};
		aligned->runs.at[kept++] = run;
	}
	if (aligned->runs.at[count].count)
		aligned->runs.at[kept++] = aligned->runs.at[count];
	aligned->runs.count = kept;
}

/* --- differences of an origin ------------------------------------------ */

/* Messages between two aligned runs: A to A_END of GOOD and B to B_END of BAD. */
struct between {
	const struct compare_aligned *aligned;
	size_t a, a_end, b, b_end;
};

static struct compare_place
place_of(const struct compare_stream *stream, size_t i)
{
	struct compare_place place = {0};
	if (!stream || !stream->tokens.count)
		return place;
	place.any = true;
	place.behind = i >= stream->tokens.count;
	if (place.behind)
		i = stream->tokens.count - 1;
	place.trace = stream->trace;
	place.number = stream->numbers.at[i];
	place.time = stream->times.at[i];
	return place;
}

/* Estimate the time in BAD of message A of GOOD, before message B of BAD. Keep its time since
 * the last aligned messages. */
static int64_t
missing_time(const struct compare *compare, const struct compare_aligned *aligned, size_t a,
	     size_t b)
{
	const struct compare_stream *good = aligned->good, *bad = aligned->bad;
	int64_t time = good->times.at[a];
	int64_t from = compare->sides[COMPARE_GOOD].begin, to = compare->sides[COMPARE_BAD].begin;
	if (b && aligned->before) {
		from = good->times.at[aligned->before - 1];
		to = bad->times.at[b - 1];
	}
	if (time == COMPARE_NO_TIME || from == COMPARE_NO_TIME || to == COMPARE_NO_TIME)
		return to;
	int64_t sent = (int64_t)((uint64_t)time - (uint64_t)from + (uint64_t)to);
	bool late = bad && b < bad->tokens.count && sent > bad->times.at[b];
	return late ? bad->times.at[b] : sent;
}

/* Add a difference at message A of GOOD and B of BAD. */
static struct compare_difference *
add_difference(struct compare *compare, const struct compare_aligned *aligned,
	       enum compare_kind kind, size_t a, uint64_t count_a, size_t b, uint64_t count_b)
{
	struct compare_difference *d = vec_add(&compare->list);
	d->kind = kind;
	d->count[COMPARE_GOOD] = count_a;
	d->count[COMPARE_BAD] = count_b;
	d->at[COMPARE_GOOD] = place_of(aligned->good, a);
	d->at[COMPARE_BAD] = place_of(aligned->bad, b);
	d->order = count_b ? d->at[COMPARE_BAD].time : missing_time(compare, aligned, a, b);
	return d;
}

/* Return the kind of an extra message. */
static enum compare_kind
extra_kind(uint64_t token)
{
	if (token & (MESSAGE_DAMAGED | MESSAGE_TRUNCATED | MESSAGE_SUSPECT))
		return COMPARE_DAMAGED;
	return token & MESSAGE_LOST ? COMPARE_LOST : COMPARE_EXTRA;
}

static void
add_missing(struct compare *compare, const struct between *between)
{
	size_t count = between->a_end - between->a;
	if (count > LISTED) {
		add_difference(compare, between->aligned, COMPARE_MISSING, between->a, count,
			       between->b, 0);
		return;
	}
	for (size_t i = between->a; i < between->a_end; i++)
		add_difference(compare, between->aligned, COMPARE_MISSING, i, 1, between->b, 0);
}

static void
add_extra(struct compare *compare, const struct between *between)
{
	const struct compare_stream *bad = between->aligned->bad;
	for (size_t i = between->b, end; i < between->b_end; i = end) {
		enum compare_kind kind = extra_kind(bad->tokens.at[i]);
		for (end = i + 1; end < between->b_end; end++)
			if (extra_kind(bad->tokens.at[end]) != kind)
				break;
		if (end - i <= LISTED)
			end = i + 1;
		add_difference(compare, between->aligned, kind, between->a, 0, i, end - i);
	}
}

/* --- changed messages ---------------------------------------------------- */

/* A message for the comparison by words. */
struct message_words {
	struct text text;
	uint64_t type;
};

static void
get_words(struct compare *compare, int run, const struct compare_stream *stream, size_t at,
	  struct message_words *words, struct expansion *scratch)
{
	struct message m;
	*words = (struct message_words){0};
	if (!compare_texts_get(&compare->texts[run], stream->trace, stream->numbers.at[at], &m,
			       scratch))
		return;
	text_add_bytes(&words->text, text_get(&scratch->text), scratch->text.length);
	words->type = compare_hash_bytes(0, text_get(&scratch->type), scratch->type.length);
}

/* Return how well two messages match, or 0 if their types differ. */
static float
suit_words(const struct message_words *a, const struct message_words *b)
{
	return a->type != b->type
		   ? 0
		   : 0.05f + (float)compare_likeness(text_get(&a->text), a->text.length,
						     text_get(&b->text), b->text.length);
}

/* Add the messages from *AT up to A and B as missing or extra, and move *AT there. */
static void
add_unpaired(struct compare *compare, struct between *at, size_t a, size_t b)
{
	struct between part = {at->aligned, at->a, a, at->b, b};
	add_missing(compare, &part);
	part.a = a;
	add_extra(compare, &part);
	at->a = a;
	at->b = b;
}

/* Pair messages, in order, with the best total match. Add the pairs as differences and the rest
 * as missing or extra. Append the pairs to PAIRS. */
static void
add_paired(struct compare *compare, const struct between *between, compare_runs *pairs)
{
	size_t n = between->a_end - between->a, m = between->b_end - between->b;
	struct message_words *words = mem_new((n + m) * sizeof *words);
	float *suits = mem_new(n * m * sizeof *suits);
	float *best = mem_new((n + 1) * (m + 1) * sizeof *best); /* sum from here on */
	struct expansion scratch = {0};
	for (size_t i = 0; i < n + m; i++)
		get_words(compare, i >= n, i < n ? between->aligned->good : between->aligned->bad,
			  i < n ? between->a + i : between->b + i - n, &words[i], &scratch);
	for (size_t i = n; i--;)
		for (size_t k = m; k--;) {
			float down = best[(i + 1) * (m + 1) + k], right = best[i * (m + 1) + k + 1];
			float pair = best[(i + 1) * (m + 1) + k + 1];
			suits[i * m + k] = suit_words(&words[i], &words[n + k]);
			pair += suits[i * m + k];
			float most = down > right ? down : right;
			best[i * (m + 1) + k] = pair > most ? pair : most;
		}
	struct between at = *between;
	for (size_t i = 0, k = 0; i < n && k < m;) {
		float now = best[i * (m + 1) + k];
		if (now == best[(i + 1) * (m + 1) + k]) {
			i++;
		} else if (now == best[i * (m + 1) + k + 1]) {
			k++;
		} else {
			size_t a = between->a + i++, b = between->b + k++;
			enum compare_kind kind = extra_kind(between->aligned->bad->tokens.at[b]);
			add_unpaired(compare, &at, a, b);
			add_difference(compare, between->aligned,
				       kind == COMPARE_EXTRA ? COMPARE_CHANGED : kind, a, 1, b, 1);
			*vec_add(pairs) = (struct compare_run){a, b, 1};
			at.a++;
			at.b++;
		}
	}
	add_unpaired(compare, &at, between->a_end, between->b_end);
	for (size_t i = 0; i < n + m; i++)
		text_free(&words[i].text);
	expansion_free(&scratch);
	free(words);
	free(suits);
	free(best);
}

static void
add_between(struct compare *compare, const struct between *between, compare_runs *pairs)
{
	size_t n = between->a_end - between->a, m = between->b_end - between->b;
	bool pairable = n * m <= PAIRS_MAX && n <= PAIRS_MAX && compare->looks < LOOKS_MAX;
	if (n && m && !pairable) {
		add_difference(compare, between->aligned, COMPARE_UNALIGNED, between->a, n,
			       between->b, m);
	} else if (n && m) {
		compare->looks += (unsigned)(n * m);
		add_paired(compare, between, pairs);
	} else {
		add_missing(compare, between);
		add_extra(compare, between);
	}
}

/* --- moved messages ------------------------------------------------------ */

static bool
is_alone(const struct compare_difference *d, enum compare_kind kind)
{
	return d->kind == kind && d->count[COMPARE_GOOD] + d->count[COMPARE_BAD] == 1;
}

/* List the extra messages among differences by token: MAP has the first of each token, from 1,
 * NEXT the one after. */
static void
list_extra(const struct compare_difference *list, size_t count,
	   const struct compare_aligned *aligned, struct map *map, size_t *next)
{
	for (size_t i = count; i--;) {
		if (!is_alone(&list[i], COMPARE_EXTRA))
			continue;
		size_t at = compare_stream_find(aligned->bad, list[i].at[COMPARE_BAD].number);
		uint64_t *head = map_add(map, aligned->bad->tokens.at[at]);
		next[i + 1] = *head;
		*head = i + 1;
	}
}

/* Join a missing message and an equal extra one, at most NEAR messages away, into a moved one.
 * LIST has the differences of an origin. The missing one gets the kind COMPARE_KINDS. */
static void
join_moved(struct compare_difference *list, size_t count, const struct compare_aligned *aligned,
	   size_t near)
{
	struct map map = {0};
	size_t *next = mem_new((count + 1) * sizeof *next);
	list_extra(list, count, aligned, &map, next);
	for (size_t i = 0; i < count && map.count; i++) {
		if (!is_alone(&list[i], COMPARE_MISSING))
			continue;
		size_t was = compare_stream_find(aligned->good, list[i].at[COMPARE_GOOD].number);
		size_t here = compare_stream_find(aligned->bad, list[i].at[COMPARE_BAD].number);
		uint64_t *head = map_find(&map, aligned->good->tokens.at[was]);
		/* both are in order, so an extra one too far before stays too far for all later
		 * ones */
		for (; head && *head; *head = next[*head]) {
			struct compare_difference *extra = &list[*head - 1];
			size_t now =
			    compare_stream_find(aligned->bad, extra->at[COMPARE_BAD].number);
			if (now + near < here)
				continue;
			if (now > here + near)
				break;
			extra->kind = COMPARE_MOVED;
			extra->at[COMPARE_GOOD] = list[i].at[COMPARE_GOOD];
			extra->count[COMPARE_GOOD] = 1;
			list[i].kind = COMPARE_KINDS;
			*head = next[*head];
			break;
		}
	}
	free(next);
	map_free(&map);
}

/* Find moved messages among the differences of an origin, from FIRST on; shortest distances
 * first. */
static void
find_moved(struct compare *compare, const struct compare_aligned *aligned, size_t first)
{
	size_t kept = first;
	for (size_t near = 4; near <= NEAR; near *= 4)
		join_moved(compare->list.at + first, compare->list.count - first, aligned, near);
	for (size_t i = first; i < compare->list.count; i++)
		if (compare->list.at[i].kind != COMPARE_KINDS)
			compare->list.at[kept++] = compare->list.at[i];
	compare->list.count = kept;
}

/* --- the whole run ------------------------------------------------------- */

/* Add the differences between the aligned runs of an origin. Add changed messages to the runs. */
static void
add_differences(struct compare *compare, struct compare_aligned *aligned)
{
	size_t first = compare->list.count;
	compare_runs pairs = {0};
	size_t a = 0, b = 0;
	for (size_t i = 0; i <= aligned->runs.count && !is_stopped(compare); i++) {
		bool last = i == aligned->runs.count;
		struct compare_run run = last ? (struct compare_run){0} : aligned->runs.at[i];
		if (last && aligned->good)
			run.a = aligned->good->tokens.count;
		if (last && aligned->bad)
			run.b = aligned->bad->tokens.count;
		aligned->before = a;
		add_between(compare, &(struct between){aligned, a, run.a, b, run.b}, &pairs);
		if (!last)
			*vec_add(&pairs) = run;
		a = run.a + run.count;
		b = run.b + run.count;
	}
	vec_free(&aligned->runs);
	aligned->runs.at = pairs.at;
	aligned->runs.count = pairs.count;
	aligned->runs.capacity = pairs.capacity;
	if (aligned->good && aligned->bad && compare->list.count > first)
		find_moved(compare, aligned, first);
}

static bool
align_streams(struct compare *compare, struct compare_aligned *aligned)
{
	if (aligned->good && aligned->bad) {
		if (!compare_align(aligned->good->tokens.at, aligned->good->tokens.count,
				   aligned->bad->tokens.at, aligned->bad->tokens.count,
				   compare->stop, &aligned->runs) ||
		    !compare_align_exact(aligned->good->tokens.at, aligned->good->exact.at,
					 aligned->good->tokens.count, aligned->bad->tokens.at,
					 aligned->bad->exact.at, aligned->bad->tokens.count,
					 compare->stop, &aligned->runs))
			return false;
		suit_skips(aligned);
	}
	size_t first = compare->list.count;
	add_differences(compare, aligned);
	if (compare->good->count > 1)
		compare->list.count = first + compare_baseline_judge(&compare->baseline, aligned,
								     compare->list.at + first,
								     compare->list.count - first);
	return !is_stopped(compare);
}

static void
add_slower(struct compare *compare)
{
	compare_delays delays = {0};
	bool pair = compare->good->count == 1;
	compare_find_delays(compare->aligned.at, compare->aligned.count, compare->options.factor,
			    compare->options.least, compare->good->count, &delays);
	for (size_t i = 0; i < delays.count; i++) {
		const struct compare_delay *delay = &delays.at[i];
		const struct compare_aligned *aligned = &compare->aligned.at[delay->stream];
		if (aligned->good->tokens.at[delay->a] != aligned->bad->tokens.at[delay->b] && pair)
			continue; /* it is already a difference, as changed */
		struct compare_difference *d =
		    add_difference(compare, aligned, COMPARE_SLOWER, delay->a, pair, delay->b, 1);
		d->took[COMPARE_GOOD] = delay->took[0];
		d->took[COMPARE_BAD] = delay->took[1];
		d->runs = delay->runs;
		d->with = delay->with;
	}
	vec_free(&delays);
}

/* --- the order of differences -------------------------------------------- */

/* Compare two places of a run by trace and number. */
static int
place_compare(const struct compare_place *x, const struct compare_place *y)
{
	if (x->trace != y->trace)
		return x->trace < y->trace ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* A difference that only BAD has, and the first pair of messages after it in its trace. */
struct only_bad {
	struct compare_difference *difference;
	struct compare_place next[2];
};
typedef VEC(struct only_bad) only_bad_list;

static int
only_bad_compare(const void *a, const void *b)
{
	const struct only_bad *x = a, *y = b;
	return place_compare(&x->difference->at[COMPARE_BAD], &y->difference->at[COMPARE_BAD]);
}

/* Note a pair of messages for the last difference before it. */
static void
note_pair(const only_bad_list *list, const struct compare_place *good,
	  const struct compare_place *bad)
{
	size_t at;
	lower_bound(at, list->count,
		    place_compare(&list->at[at].difference->at[COMPARE_BAD], bad) < 0);
	if (!at || list->at[at - 1].difference->at[COMPARE_BAD].trace != bad->trace)
		return;
	struct compare_place *next = list->at[at - 1].next;
	if (next[COMPARE_BAD].any && place_compare(bad, &next[COMPARE_BAD]) > 0)
		return;
	next[COMPARE_GOOD] = *good;
	next[COMPARE_BAD] = *bad;
}

/* Set the places in GOOD of differences that only BAD has: before the partner of the first message
 * after them in their trace, of any origin, else at the end. */
static void
place_only_bad(struct compare *compare)
{
	only_bad_list list = {0};
	for (size_t i = 0; i < compare->list.count; i++)
		if (!compare->list.at[i].count[COMPARE_GOOD])
			*vec_add(&list) = (struct only_bad){.difference = &compare->list.at[i]};
	if (list.count)
		qsort(list.at, list.count, sizeof *list.at, only_bad_compare);
	for (size_t i = 0; i < compare->aligned.count && list.count; i++) {
		const struct compare_aligned *aligned = &compare->aligned.at[i];
		for (size_t run = 0; run < aligned->runs.count; run++)
			for (size_t k = 0; k < aligned->runs.at[run].count; k++) {
				struct compare_place good =
				    place_of(aligned->good, aligned->runs.at[run].a + k);
				struct compare_place bad =
				    place_of(aligned->bad, aligned->runs.at[run].b + k);
				note_pair(&list, &good, &bad);
			}
	}
	const struct compare_place end = {.listed = UINT64_MAX};
	for (size_t i = list.count; i--;) {
		struct compare_place *at = list.at[i].difference->at;
		const struct compare_place *next =
		    i + 1 < list.count ? list.at[i + 1].difference->at : NULL;
		bool goes_on = next && next[COMPARE_BAD].trace == at[COMPARE_BAD].trace;
		at[COMPARE_GOOD] = list.at[i].next[COMPARE_GOOD].any ? list.at[i].next[COMPARE_GOOD]
				   : goes_on			     ? next[COMPARE_GOOD]
								     : end;
	}
	vec_free(&list);
}

/* Compare by the time in BAD. */
static int
difference_compare(const void *a, const void *b)
{
	const struct compare_difference *x = a, *y = b;
	const struct compare_place *at_x = &x->at[COMPARE_BAD], *at_y = &y->at[COMPARE_BAD];
	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	if (at_x->trace != at_y->trace || at_x->number != at_y->number)
		return place_compare(at_x, at_y);
	if (x->at[COMPARE_GOOD].number != y->at[COMPARE_GOOD].number)
		return x->at[COMPARE_GOOD].number < y->at[COMPARE_GOOD].number ? -1 : 1;
	return (x->kind > y->kind) - (x->kind < y->kind);
}

/* Compare by the places in the list of GOOD, then of BAD. */
static int
listed_compare(const void *a, const void *b)
{
	const struct compare_difference *x = a, *y = b;
	for (int run = 0; run < 2; run++) {
		uint64_t first = x->at[run].listed, second = y->at[run].listed;
		if (first != second)
			return first < second ? -1 : 1;
		if (!x->count[run] != !y->count[run])
			return x->count[run] ? 1 : -1; /* the others are before that message */
	}
	return (x->kind > y->kind) - (x->kind < y->kind);
}

void
compare_sort_by_good(struct compare *compare)
{
	if (compare->list.count)
		qsort(compare->list.at, compare->list.count, sizeof *compare->list.at,
		      listed_compare);
}

/* --- the whole comparison ------------------------------------------------ */

static void
read_side(void *context)
{
	compare_side_read(context);
}

/* Read GOOD, and BAD before the first good run; in two threads, if they start. */
static bool
read_sides(struct compare *compare)
{
	struct job job;
	job_init(&job, read_side, &compare->sides[COMPARE_GOOD]);
	bool beside = !compare->baseline.run && job_start_once(&job);
	if (!beside)
		read_side(&compare->sides[COMPARE_GOOD]);
	if (!compare->baseline.run)
		read_side(&compare->sides[COMPARE_BAD]);
	if (beside)
		job_join(&job);
	job_free(&job);
	return !is_stopped(compare);
}

/* Read a good run, and BAD with the first one. Find the differences of each origin. */
static bool
compare_with(struct compare *compare, size_t run)
{
	const struct compare_good *good = compare->good;
	vec_clear(&compare->list);
	compare->sides[COMPARE_GOOD] = good->sides[run];
	compare->sides[COMPARE_GOOD].stop = compare->stop;
	compare->texts[COMPARE_GOOD].session = good->sides[run].session;
	if (!read_sides(compare))
		return false;
	match_all(compare);
	for (size_t i = 0; i < compare->aligned.count; i++)
		if (!align_streams(compare, &compare->aligned.at[i]))
			return false;
	return true;
}

/* Compare with each good run. Close all but the nearest one, and choose from its differences. */
static bool
compare_with_all(struct compare *compare)
{
	const struct compare_good *good = compare->good;
	size_t fewest = SIZE_MAX;
	for (size_t run = 0; run < good->count; run++) {
		size_t worse = run, apart = 0;
		if ((good->load && !good->load(good->context, run)) || !compare_with(compare, run))
			return false;
		doubts_add(&compare->sides[COMPARE_BAD].doubts,
			   &compare->sides[COMPARE_GOOD].doubts);
		if (good->count == 1)
			return true;
		compare_add_spans(compare->aligned.at, compare->aligned.count);
		compare_baseline_next(&compare->baseline);
		for (size_t i = 0; i < compare->list.count; i++) {
			const uint64_t *messages = compare->list.at[i].count;
			apart += messages[messages[1] > messages[0]];
		}
		if (apart < fewest) {
			fewest = apart;
			worse = compare->nearest;
			compare->nearest = run;
		}
		drop_good(compare);
		if (worse != compare->nearest)
			good->close(good->context, worse);
	}
	return compare_with(compare, compare->nearest);
}

/* Set the session's numbers of all places in a run. */
static void
number_places(struct compare *compare, enum compare_run_id run)
{
	const struct compare_side *side = &compare->sides[run];
	struct sequence *sequence = sequence_new(side->session);
	for (size_t i = 0; i < side->session->traces.count; i++)
		sequence_show(sequence, i,
			      trace_is_among(side->session->traces.at[i], side->source));
	sequence_load(sequence);
	for (size_t i = 0; i < compare->list.count && !is_stopped(compare); i++) {
		struct compare_place *place = &compare->list.at[i].at[run];
		struct sequence_position p = {.trace = place->trace};
		bool exact;
		if (place->any && reader_find_number(sequence_reader(sequence, place->trace),
						     place->number, &p.at, &exact))
			place->listed = sequence_number(sequence, p, &exact) + 1;
	}
	sequence_free(sequence);
}

bool
compare_run(struct compare *compare)
{
	if (!compare_with_all(compare))
		return false;
	add_slower(compare);
	place_only_bad(compare);
	if (compare->list.count)
		qsort(compare->list.at, compare->list.count, sizeof *compare->list.at,
		      difference_compare);
	for (size_t i = 0; i < compare->list.count; i++)
		compare->kinds[compare->list.at[i].kind]++;
	compare->kinds[COMPARE_KINDS] = compare->baseline.usual;
	for (int run = 0; run < 2; run++)
		number_places(compare, (enum compare_run_id)run);
	drop_work(compare);
	return true;
}

/* --- results ------------------------------------------------------------- */

size_t
compare_count(const struct compare *compare)
{
	return compare->list.count;
}

const struct compare_difference *
compare_get(const struct compare *compare, size_t i)
{
	return &compare->list.at[i];
}

uint64_t
compare_count_kind(const struct compare *compare, enum compare_kind kind)
{
	return compare->kinds[kind];
}

uint64_t
compare_count_messages(const struct compare *compare, enum compare_run_id run)
{
	return compare->sides[run].messages;
}

void
compare_add_doubts(const struct compare *compare, struct doubts *doubts)
{
	doubts_add(doubts, &compare->sides[COMPARE_BAD].doubts);
}

size_t
compare_nearest(const struct compare *compare)
{
	return compare->nearest;
}

static void
add_duration(int64_t nanoseconds, struct text *out)
{
	gap_format(&(struct gap){nanoseconds < 0 ? 0 : (uint64_t)nanoseconds, true}, true, out);
}

/* Append how many more messages a difference stands for. */
static void
add_more(const struct compare_difference *d, struct text *out)
{
	uint64_t good = d->count[COMPARE_GOOD], bad = d->count[COMPARE_BAD];
	uint64_t more = bad > 1 ? bad : good;
	if (d->kind == COMPARE_UNALIGNED)
		text_addf(out, "  [%llu against %llu messages not aligned]",
			  (unsigned long long)good, (unsigned long long)bad);
	else if (more > 1)
		text_addf(out, "  [and %llu more of this origin]", (unsigned long long)more - 1);
}

void
compare_add_remark(const struct compare *compare, const struct compare_difference *d,
		   struct compare_texts *good, struct expansion *e, enum text_charset charset,
		   struct text *out)
{
	const struct compare_place *was = &d->at[COMPARE_GOOD];
	struct message m;
	add_more(d, out);
	if (d->kind == COMPARE_CHANGED && compare_texts_get(good, was->trace, was->number, &m, e)) {
		text_add(out, "  [was: ");
		text_add_safe(out, text_get(&e->text), e->text.length, charset);
		text_add_char(out, ']');
	}
	if (d->runs && d->kind != COMPARE_SLOWER)
		text_addf(out, "  [in %llu of %zu good runs]", (unsigned long long)d->runs,
			  compare->good->count);
	if (d->kind != COMPARE_SLOWER)
		return;
	text_add(out, "  [after ");
	add_duration(d->took[COMPARE_BAD], out);
	text_add(out, d->runs ? ", was up to " : ", was ");
	add_duration(d->took[COMPARE_GOOD], out);
	if (d->runs)
		text_addf(out, " in %llu good runs", (unsigned long long)d->runs);
	if (d->with)
		text_addf(out, "; %llu other origin%s too", (unsigned long long)d->with,
			  d->with == 1 ? "" : "s");
	text_add_char(out, ']');
}

void
compare_summarise(const struct compare *compare, struct text *out)
{
	const char *before = " (";
	if (!compare->list.count)
		text_add(out, "no difference");
	else
		text_addf(out, "%zu difference%s", compare->list.count,
			  compare->list.count == 1 ? "" : "s");
	for (int kind = 0; kind < COMPARE_KINDS; kind++)
		if (compare->kinds[kind]) {
			text_addf(out, "%s%llu %s", before,
				  (unsigned long long)compare->kinds[kind], kind_names[kind]);
			before = ", ";
		}
	text_addf(out, "%s between %llu and %llu messages", compare->list.count ? ")" : "",
		  (unsigned long long)compare_count_messages(compare, COMPARE_GOOD),
		  (unsigned long long)compare_count_messages(compare, COMPARE_BAD));
	if (!compare->list.count)
		text_add(out, ", apart from numbers and severities");
	if (compare->good->count > 1)
		text_addf(out, "; nearest of %zu good runs: %s", compare->good->count,
			  compare->good->names[compare->nearest]);
	if (compare->kinds[COMPARE_KINDS])
		text_addf(out, "; %llu more as between good runs",
			  (unsigned long long)compare->kinds[COMPARE_KINDS]);
}
