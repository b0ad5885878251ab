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
	MORE = 1 << 18, /* messages that BAD lacks and the first run, too */
	USUAL = 8	/* times as many places as a good run has are usual */
};

/* Numbers of messages of a kind that one run has (+ 1: lacks), unlike all others. */
enum number { OF_BAD = 0, OF_GOOD = 2 };

void
compare_baseline_free(struct compare_baseline *b)
{
	vec_free(&b->others);
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

/* Return a number of messages of a kind. */
static uint64_t *
number_of(struct compare_baseline *b, uint64_t kind, int number)
{
	return map_add(&b->numbers, hash_two(kind, (uint64_t)number));
}

/* Return the index of the first message of a difference. */
static size_t
index_of(const struct compare_aligned *aligned, const struct compare_difference *d, int run)
{
	const struct compare_stream *stream = run == COMPARE_BAD ? aligned->bad : aligned->good;
	return stream ? compare_stream_find(stream, d->at[run].number) : 0;
}

/* Find the places of message A of GOOD, from *LOW to *HIGH. MARKS has the messages that only BAD
 * has. */
static void
find_places(const struct compare_aligned *aligned, const bool *marks, size_t a, size_t *low,
	    size_t *high)
{
	const compare_runs *runs = &aligned->runs;
	size_t next, end = aligned->bad ? aligned->bad->tokens.count : 0, slid = 0;
	lower_bound(next, runs->count, runs->at[next].a <= a);
	const struct compare_run *run = next ? &runs->at[next - 1] : &(struct compare_run){0};
	bool changed = a < run->a + run->count;
	*low = run->b + (changed ? a - run->a : run->count);
	*high = changed ? *low : next < runs->count ? runs->at[next].b : end;
	while (*low && marks[*low - 1])
		--*low;
	while (*high < end && marks[*high])
		++*high;
	size_t first = run->a + run->count;
	size_t last = next < runs->count ? runs->at[next].a : aligned->good->tokens.count;
	for (; *low == *high && *low && slid < SLIDE; *high = --*low, slid++)
		if (aligned->bad->tokens.at[*low - 1] !=
		    aligned->good->tokens.at[last - 1 - slid % (last - first)])
			break;
	if (*high - *low > WIDE)
		*high = *low;
}

/* Add MORE runs to a message of GOOD that BAD lacks. Return their number, of its places the most. */
static uint64_t
count_other(struct compare_baseline *b, const struct compare_aligned *aligned, const bool *marks,
	    size_t a, unsigned more)
{
	const struct compare_stream *good = aligned->good, *bad = aligned->bad;
	uint64_t most = 0, kind = kind_of(bad ? bad : good, good, a);
	size_t low, high;
	find_places(aligned, marks, a, &low, &high);
	for (size_t at = low; at <= high; at++) {
		uint64_t here = hash_two(kind, at), ordinal = (*map_add(&b->taken, here))++;
		uint64_t *number = map_add(&b->places, hash_two(here, ordinal));
		if (!*number && (!b->run || b->others.count < b->others_max)) {
			*vec_add(&b->others) = (struct compare_other){kind, 0};
			*number = b->others.count;
		}
		if (!*number)
			continue;
		struct compare_other *other = &b->others.at[*number - 1];
		other->runs += more;
		most = other->runs > most ? other->runs : most;
	}
	return most;
}

/* True if all good runs have (LACKS) or lack a message of a kind, and are not that different. */
static bool
is_news(struct compare_baseline *b, uint64_t kind, uint64_t runs, bool lacks)
{
	return runs == b->runs && *number_of(b, kind, OF_BAD + lacks) * b->runs >
				      USUAL * *number_of(b, kind, OF_GOOD + lacks);
}

/* Choose the kind of a difference, COMPARE_KINDS if a good run shows it. */
static void
choose(struct compare_baseline *b, const struct compare_aligned *aligned, const bool *marks,
       struct compare_difference *d)
{
	const struct compare_stream *good = aligned->good, *bad = aligned->bad;
	bool missing = false, extra = false, all = false;
	size_t at = index_of(aligned, d, COMPARE_GOOD);
	for (size_t k = at; k < at + d->count[COMPARE_GOOD]; k++) {
		uint64_t runs = count_other(b, aligned, marks, k, 0);
		missing |= is_news(b, kind_of(bad ? bad : good, good, k), runs, true);
		d->runs = runs > d->runs ? runs : d->runs;
	}
	at = index_of(aligned, d, COMPARE_BAD);
	for (size_t k = at; k < at + d->count[COMPARE_BAD]; k++) {
		extra |= is_news(b, kind_of(bad, bad, k), bad->spans[k].lacking, false);
		all |= bad->spans[k].lacking == b->runs;
	}
	b->usual += (all || d->runs == b->runs) && !extra && !missing;
	if (!extra) {
		d->kind = missing ? COMPARE_MISSING : COMPARE_KINDS;
		d->count[COMPARE_BAD] = 0;
	} else if (d->runs <= b->runs / 2 || (d->kind == COMPARE_MOVED && d->runs < b->runs)) {
		d->kind =
		    d->kind == COMPARE_DAMAGED || d->kind == COMPARE_LOST ? d->kind : COMPARE_EXTRA;
		d->count[COMPARE_GOOD] = d->runs = 0;
	}
}

size_t
compare_baseline_judge(struct compare_baseline *b, const struct compare_aligned *aligned,
		       struct compare_difference *list, size_t count)
{
	const struct compare_stream *bad = aligned->bad;
	size_t length = bad ? bad->tokens.count : 0, kept = 0;
	bool *marks = mem_new(length + 1);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < list[i].count[COMPARE_BAD]; k++)
			marks[index_of(aligned, &list[i], COMPARE_BAD) + k] = true;
	for (size_t i = 0; i < count; i++) {
		if (b->run == b->runs) {
			choose(b, aligned, marks, &list[i]);
			list[kept] = list[i];
			kept += list[i].kind != COMPARE_KINDS;
			continue;
		}
		for (size_t k = 0; k < list[i].count[COMPARE_GOOD]; k++)
			count_other(b, aligned, marks,
				    index_of(aligned, &list[i], COMPARE_GOOD) + k, 1);
	}
	for (size_t k = 0; k < length && b->run < b->runs; k++)
		bad->spans[k].lacking += marks[k];
	free(marks);
	return b->run < b->runs ? count : kept;
}

/* Count a message that BAD has or lacks (LACKS), unlike RUNS good runs. */
static void
count_alone(struct compare_baseline *b, uint64_t kind, uint64_t runs, bool lacks)
{
	if (runs == b->runs)
		++*number_of(b, kind, OF_BAD + lacks);
	else if (runs == 1)
		++*number_of(b, kind, OF_GOOD + !lacks);
}

void
compare_baseline_next(struct compare_baseline *b, const struct compare_side *bad)
{
	map_free(&b->taken);
	if (!b->run++)
		b->others_max = b->others.count + MORE;
	if (b->run < b->runs)
		return;
	for (size_t i = 0; i < bad->streams.count; i++) {
		const struct compare_stream *stream = bad->streams.at[i];
		for (size_t k = 0; k < stream->tokens.count; k++)
			count_alone(b, kind_of(stream, stream, k), stream->spans[k].lacking, false);
	}
	for (size_t i = 0; i < b->others.count; i++)
		count_alone(b, b->others.at[i].kind, b->others.at[i].runs, true);
}
