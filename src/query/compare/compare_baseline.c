/*
 * What several good runs have in common: see compare_baseline.h.
 *
 * A message that BAD lacks has a place, a position in its origin in BAD. Alignments with different
 * runs may choose different positions. So next to messages that only BAD has, it has several
 * places, and messages that repeat those before them move back as far as possible.
 */
#include "config.h"

#include "query/compare/compare_baseline.h"
#include "query/compare/compare_mask.h"

#include <stdlib.h>

enum {
	WIDE = 32,	/* most places of a message, else only the first */
	SLIDE = 4096,	/* how far messages move back */
	MORE = 1 << 18, /* places that the first run does not have */
	USUAL = 8	/* times as many places as a good run has are usual */
};

void
compare_baseline_free(struct compare_baseline *b)
{
	map_free(&b->places);
	map_free(&b->taken);
	map_free(&b->numbers);
}

static uint64_t
hash_two(uint64_t a, uint64_t b)
{
	return compare_hash_bytes(a, &b, sizeof b);
}

/* Return the kind of message I, the same for all runs. */
static uint64_t
kind_of(const struct compare_stream *origin, const struct compare_stream *stream, size_t i)
{
	return hash_two(hash_two(origin->trace, origin->name), stream->tokens.at[i]);
}

/* Return the number of messages that BAD or a good run has (WITHOUT: lacks), unlike all others. */
static uint64_t *
number_of(struct compare_baseline *b, uint64_t kind, bool bad, bool without)
{
	return map_add(&b->numbers, hash_two(kind, (uint64_t)(2 * bad + without)));
}

/* Return the index of the first message of a difference. */
static size_t
index_of(const struct compare_stream *stream, const struct compare_difference *d, int run)
{
	return d->count[run] ? compare_stream_find(stream, d->at[run].number) : 0;
}

/* Find the places of message A of GOOD, from *LOW to *HIGH. MARKS has the messages that only BAD
 * has. */
static void
find_places(const struct compare_aligned *aligned, const bool *marks, size_t a, size_t *low,
	    size_t *high)
{
	const compare_runs *runs = &aligned->runs;
	size_t next, slid = 0;
	lower_bound(next, runs->count, runs->at[next].a <= a);
	struct compare_run run = next ? runs->at[next - 1] : (struct compare_run){0};
	struct compare_run end = {aligned->good->tokens.count,
				  aligned->bad ? aligned->bad->tokens.count : 0, 0};
	struct compare_run after = next < runs->count ? runs->at[next] : end;
	size_t first = run.a + run.count; /* of its block */
	*low = run.b + (a < first ? a - run.a : run.count);
	*high = a < first ? *low : after.b;
	while (*low && marks[*low - 1])
		--*low;
	while (*high < end.b && marks[*high])
		++*high;
	for (; *low == *high && *low && slid < SLIDE; *high = --*low, slid++)
		if (aligned->bad->tokens.at[*low - 1] !=
		    aligned->good->tokens.at[after.a - 1 - slid % (after.a - first)])
			break;
	if (*high - *low > WIDE)
		*high = *low;
}

/* Add a run to those that have (WITHOUT: lack) a message, in contrast to BAD. */
static void
add_run(struct compare_baseline *b, uint64_t kind, uint64_t runs, bool without)
{
	if (runs <= 2)
		*number_of(b, kind, false, without) += runs == 1 ? 1 : UINT64_MAX;
	if (runs == b->runs)
		++*number_of(b, kind, true, !without);
}

/* Count this run for a message that BAD lacks. Return the number of runs that have it, the most of
 * its places. */
static uint64_t
count_lack(struct compare_baseline *b, uint64_t kind, size_t low, size_t high)
{
	uint64_t most = 0;
	for (size_t at = low; at <= high; at++) {
		uint64_t here = hash_two(kind, at);
		uint64_t key = hash_two(here, (*map_add(&b->taken, here))++);
		bool full = b->run && b->places.count >= b->places_max;
		uint64_t *runs = full ? map_find(&b->places, key) : map_add(&b->places, key);
		if (runs && b->run < b->runs)
			add_run(b, kind, ++*runs, false);
		most = runs && *runs > most ? *runs : most;
	}
	return most;
}

/* True if BAD differs from all good runs in a message, and not in many like it. */
static bool
is_news(struct compare_baseline *b, uint64_t kind, uint64_t runs, bool without)
{
	uint64_t of_bad = *number_of(b, kind, true, without);
	return runs == b->runs && of_bad * b->runs > USUAL * *number_of(b, kind, false, without);
}

/* Count a difference, or after all runs set its kind, to COMPARE_KINDS if a good run shows it. */
static void
judge_one(struct compare_baseline *b, const struct compare_aligned *aligned, const bool *marks,
	  struct compare_difference *d)
{
	const struct compare_stream *good = aligned->good, *bad = aligned->bad;
	bool missing = false, extra = false, all = false;
	size_t a = index_of(good, d, COMPARE_GOOD), at = index_of(bad, d, COMPARE_BAD), low, high;
	for (size_t end = a + d->count[COMPARE_GOOD]; a < end; a++) {
		uint64_t kind = kind_of(bad ? bad : good, good, a);
		find_places(aligned, marks, a, &low, &high);
		uint64_t runs = count_lack(b, kind, low, high);
		missing |= is_news(b, kind, runs, true);
		d->runs = runs > d->runs ? runs : d->runs;
	}
	if (b->run < b->runs)
		return;
	for (size_t end = at + d->count[COMPARE_BAD]; at < end; at++) {
		extra |= is_news(b, kind_of(bad, bad, at), bad->spans[at].lacking, false);
		all |= bad->spans[at].lacking == b->runs;
	}
	b->usual += (all || d->runs == b->runs) && !extra && !missing;
	if (!extra) {
		d->kind = missing ? COMPARE_MISSING : COMPARE_KINDS;
		d->count[COMPARE_BAD] = 0;
	} else if (d->runs <= b->runs / 2 && d->kind < COMPARE_SLOWER) {
		d->kind = COMPARE_EXTRA;
		d->count[COMPARE_GOOD] = d->runs = 0;
	}
}

size_t
compare_baseline_judge(struct compare_baseline *b, const struct compare_aligned *aligned,
		       struct compare_difference *list, size_t count)
{
	struct compare_stream *bad = aligned->bad;
	size_t kept = 0, length = bad ? bad->tokens.count : 0;
	bool *marks = mem_new(length + 1);
	if (bad && !bad->spans)
		bad->spans = mem_new(length * sizeof *bad->spans);
	for (size_t i = 0; i < count; i++)
		memset(marks + index_of(bad, &list[i], COMPARE_BAD), true,
		       list[i].count[COMPARE_BAD]);
	for (size_t i = 0; i < count; i++) {
		judge_one(b, aligned, marks, &list[i]);
		if (list[i].kind != COMPARE_KINDS)
			list[kept++] = list[i];
	}
	for (size_t k = 0; k < length && b->run < b->runs; k++)
		if (marks[k])
			add_run(b, kind_of(bad, bad, k), ++bad->spans[k].lacking, true);
	free(marks);
	return kept;
}

void
compare_baseline_next(struct compare_baseline *b)
{
	map_free(&b->taken);
	b->places_max = b->run++ ? b->places_max : b->places.count + MORE;
}
