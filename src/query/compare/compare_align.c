/*
 * Align two sequences of tokens: see compare_align.h.
 *
 * Myers' algorithm [An O(ND) Difference Algorithm and Its Variations, 1986] finds
 * the fewest differences. Its time is proportional to the length plus the square of
 * their number. It stops at FEW differences, or if repeating tokens make its
 * diagonals long. Then tokens that each side has exactly once divide the range, if
 * enough such tokens come in the same order. In repetitive logs, runs of 4, 16 or
 * 64 tokens serve instead. If nothing divides a range, its alignment is the path
 * that Myers' algorithm reached with FEW differences. From there the algorithm
 * starts again, so each message costs at most FEW steps.
 */
#include "config.h"

#include "query/compare/compare_align.h"
#include "base/lower_bound.h"
#include "base/map.h"

#include <stdlib.h>

enum {
	FEW = 160,	       /* limit on differences found in one pass */
	SLIDES_PER_TOKEN = 32, /* steps along diagonals before giving up */
	LONGEST = 64,	       /* longest runs of tokens that divide */
	DEPTH_MAX = 12	       /* nested divisions */
};

#define NOWHERE INT64_MIN

struct align_range {
	size_t a, a_end, b, b_end;
};

struct align {
	const uint64_t *a, *b;
	const atomic_bool *stop;
	compare_runs *runs;
	/* Myers' algorithm: how far each diagonal reached, for 0, 1, 2 ... differences in turn;
	 * NULL until it runs */
	int64_t *reached;
	compare_runs back; /* found runs, last first */
};

static bool
is_stopped(const struct align *w)
{
	return w->stop && atomic_load_explicit(w->stop, memory_order_relaxed);
}

static void
add_run(struct align *w, size_t a, size_t b, size_t count)
{
	struct compare_run *last = w->runs->count ? &w->runs->at[w->runs->count - 1] : NULL;
	if (!count)
		return;
	if (last && last->a + last->count == a && last->b + last->count == b)
		last->count += count;
	else
		*vec_add(w->runs) = (struct compare_run){a, b, count};
}

/* --- few differences --------------------------------------------------- */

/* Return the storage for every second diagonal from -D to D. */
static int64_t *
diagonals_of(const struct align *w, int64_t d)
{
	return w->reached + d * (d + 1) / 2;
}

/* Return how far diagonal K reached with D differences. */
static int64_t
reach_of(const struct align *w, int64_t d, int64_t k)
{
	return k < -d || k > d ? NOWHERE : diagonals_of(w, d)[(k + d) / 2];
}

/* True if the last of D differences on the way to diagonal K is a token of B. */
static bool
comes_down(const struct align *w, int64_t d, int64_t k)
{
	return reach_of(w, d - 1, k - 1) < reach_of(w, d - 1, k + 1);
}

/* Return where the equal tokens of diagonal K begin with D differences; NOWHERE: outside. */
static int64_t
step_to(const struct align *w, int64_t d, int64_t k)
{
	if (!d)
		return 0;
	if (comes_down(w, d, k))
		return reach_of(w, d - 1, k + 1);
	int64_t x = reach_of(w, d - 1, k - 1);
	return x == NOWHERE ? x : x + 1;
}

/* Add the runs on the path with D differences to the end of diagonal K. */
static void
add_path(struct align *w, const struct align_range *range, int64_t d, int64_t k)
{
	vec_clear(&w->back);
	for (;; d--) {
		int64_t x = reach_of(w, d, k), from = step_to(w, d, k);
		*vec_add(&w->back) = (struct compare_run){
		    range->a + (size_t)from, range->b + (size_t)(from - k), (size_t)(x - from)};
		if (!d)
			break;
		k += comes_down(w, d, k) ? 1 : -1;
	}
	for (size_t i = w->back.count; i--;)
		add_run(w, w->back.at[i].a, w->back.at[i].b, w->back.at[i].count);
}

/*
 * Align a range with at most FEW differences. If that fails, return false and add
 * nothing; with PART, add the reached part and reduce the range to the rest.
 */
static bool
align_few(struct align *w, struct align_range *range, bool part)
{
	const uint64_t *a = w->a + range->a, *b = w->b + range->b;
	int64_t n = (int64_t)(range->a_end - range->a), m = (int64_t)(range->b_end - range->b);
	int64_t slides = SLIDES_PER_TOKEN * (n + m), best = 0, best_k = 0, d;
	if (!w->reached)
		w->reached = mem_new((FEW + 1) * (FEW + 2) / 2 * sizeof *w->reached);
	for (d = 0; d <= FEW && slides >= 0; d++) {
		int64_t *now = diagonals_of(w, d);
		best = -1;
		for (int64_t k = -d; k <= d; k += 2) {
			int64_t x = step_to(w, d, k);
			int64_t *end = &now[(k + d) / 2];
			*end = NOWHERE;
			if (x == NOWHERE || x > n || x - k > m)
				continue;
			int64_t from = x;
			while (x < n && x - k < m && a[x] == b[x - k])
				x++;
			slides -= x - from;
			*end = x;
			if (x == n && x - k == m) {
				add_path(w, range, d, k);
				return true;
			}
			if (2 * x - k > best) {
				best = 2 * x - k;
				best_k = k;
			}
		}
	}
	if (!part)
		return false;
	int64_t x = reach_of(w, d - 1, best_k);
	add_path(w, range, d - 1, best_k);
	range->a += (size_t)x;
	range->b += (size_t)(x - best_k);
	return false;
}

/* --- division ---------------------------------------------------------- */

/* The place of a run of tokens. */
struct place {
	size_t a, b;
	unsigned in_a, in_b; /* occurrences; 2 means 2 or more */
};

struct token_pair {
	size_t a, b;
	size_t before; /* previous pair in the longest chain that ends here */
};

/* A rolling hash over each run of LENGTH tokens, in order: each follows from the previous one. */
struct roll {
	const uint64_t *tokens;
	size_t at, end, length;
	uint64_t hash, leaving;
};

#define ROLL_FACTOR UINT64_C(0x9e3779b97f4a7c15)

static bool
roll_begin(struct roll *roll, const uint64_t *tokens, size_t at, size_t end, size_t length)
{
	*roll =
	    (struct roll){.tokens = tokens, .at = at, .end = end, .length = length, .leaving = 1};
	if (end - at < length)
		return false;
	for (size_t i = 0; i < length; i++) {
		roll->hash = roll->hash * ROLL_FACTOR + tokens[at + i];
		roll->leaving *= ROLL_FACTOR;
	}
	return true;
}

static bool
roll_next(struct roll *roll)
{
	if (roll->at + roll->length >= roll->end)
		return false;
	roll->hash = roll->hash * ROLL_FACTOR + roll->tokens[roll->at + roll->length] -
		     roll->tokens[roll->at] * roll->leaving;
	roll->at++;
	return true;
}

typedef VEC(struct place) place_list;
typedef VEC(struct token_pair) pair_list;

static void
note_places(struct map *map, place_list *places, const uint64_t *tokens, size_t at, size_t end,
	    size_t length, bool of_b)
{
	struct roll roll;
	for (bool more = roll_begin(&roll, tokens, at, end, length); more;
	     more = roll_next(&roll)) {
		uint64_t *number = of_b ? map_find(map, roll.hash) : map_add(map, roll.hash);
		if (!number)
			continue;
		if (!*number) {
			(void)vec_add(places);
			*number = places->count;
		}
		struct place *place = &places->at[*number - 1];
		*(of_b ? &place->b : &place->a) = roll.at;
		unsigned *times = of_b ? &place->in_b : &place->in_a;
		*times += *times < 2;
	}
}

/* List the runs of LENGTH tokens that each side has exactly once, in the order of A. */
static void
list_pairs(const struct align *w, const struct align_range *range, size_t length, pair_list *pairs)
{
	struct map map = {0};
	place_list places = {0};
	note_places(&map, &places, w->a, range->a, range->a_end, length, false);
	note_places(&map, &places, w->b, range->b, range->b_end, length, true);
	for (size_t i = 0; i < places.count; i++)
		if (places.at[i].in_a == 1 && places.at[i].in_b == 1)
			*vec_add(pairs) =
			    (struct token_pair){places.at[i].a, places.at[i].b, SIZE_MAX};
	vec_free(&places);
	map_free(&map);
}

static int
pair_compare(const void *a, const void *b)
{
	const struct token_pair *x = a, *y = b;
	return (x->a > y->a) - (x->a < y->a);
}

/* Find the longest chain of pairs that rises in A and B, and return its length. CHAIN has room
 * for all pairs. */
static size_t
find_chain(pair_list *pairs, size_t *chain)
{
	size_t length = 0;
	for (size_t i = 0; i < pairs->count; i++) {
		size_t at;
		lower_bound(at, length, pairs->at[chain[at]].b < pairs->at[i].b);
		pairs->at[i].before = at ? chain[at - 1] : SIZE_MAX;
		chain[at] = i;
		length += at == length;
	}
	for (size_t i = length, at = length ? chain[length - 1] : 0; i--; at = pairs->at[at].before)
		chain[i] = at;
	return length;
}

static void align_all(struct align *, struct align_range, unsigned depth);

/* Align the ranges between the pairs of a chain. */
static void
align_between(struct align *w, const struct align_range *range, const pair_list *pairs,
	      const size_t *chain, size_t length, unsigned depth)
{
	struct align_range left = *range;
	for (size_t i = 0; i < length && !is_stopped(w); i++) {
		const struct token_pair *pair = &pairs->at[chain[i]];
		if (pair->a < left.a || pair->b < left.b)
			continue;
		align_all(w, (struct align_range){left.a, pair->a, left.b, pair->b}, depth);
		add_run(w, pair->a, pair->b, 1);
		left.a = pair->a + 1;
		left.b = pair->b + 1;
	}
	align_all(w, left, depth);
}

/* Divide a range by runs of the length that gives the longest chain; a few runs may be equal by
 * chance. Return false if there are none. */
static bool
divide_range(struct align *w, const struct align_range *range, unsigned depth)
{
	pair_list best = {0};
	size_t *best_chain = NULL, best_count = 0;
	for (size_t length = 1; length <= LONGEST && depth < DEPTH_MAX; length *= 4) {
		pair_list pairs = {0};
		list_pairs(w, range, length, &pairs);
		if (pairs.count)
			qsort(pairs.at, pairs.count, sizeof *pairs.at, pair_compare);
		size_t *chain = mem_new((pairs.count + 1) * sizeof *chain);
		size_t count = find_chain(&pairs, chain);
		bool better = count > best_count;
		free(better ? best_chain : chain);
		vec_release(better ? best.at : pairs.at);
		if (!better)
			continue;
		best = pairs;
		best_chain = chain;
		best_count = count;
	}
	if (best_count)
		align_between(w, range, &best, best_chain, best_count, depth + 1);
	vec_free(&best);
	free(best_chain);
	return best_count;
}

static void
align_all(struct align *w, struct align_range range, unsigned depth)
{
	size_t head = 0, tail = 0;
	size_t least = range.a_end - range.a < range.b_end - range.b ? range.a_end - range.a
								     : range.b_end - range.b;
	while (head < least && w->a[range.a + head] == w->b[range.b + head])
		head++;
	add_run(w, range.a, range.b, head);
	range.a += head;
	range.b += head;
	while (tail < least - head && w->a[range.a_end - 1 - tail] == w->b[range.b_end - 1 - tail])
		tail++;
	range.a_end -= tail;
	range.b_end -= tail;
	if (range.a < range.a_end && range.b < range.b_end && !align_few(w, &range, false) &&
	    !divide_range(w, &range, depth))
		while (!is_stopped(w) && !align_few(w, &range, true))
			;
	add_run(w, range.a_end, range.b_end, tail);
}

/* Free the memory of the work. Return false if it was stopped. */
static bool
align_end(struct align *w)
{
	free(w->reached);
	vec_free(&w->back);
	return !is_stopped(w);
}

bool
compare_align(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count,
	      const atomic_bool *stop, compare_runs *runs)
{
	struct align w = {.a = a, .b = b, .stop = stop, .runs = runs};
	align_all(&w, (struct align_range){0, a_count, 0, b_count}, 0);
	return align_end(&w);
}

/* --- exact tokens -------------------------------------------------------- */

/* A walk over the pairs of an alignment. */
struct pair_walk {
	const compare_runs *runs;
	size_t run, done; /* the next pair is DONE pairs after the start of RUN */
};

static bool
walk_get(const struct pair_walk *walk, size_t *a, size_t *b)
{
	if (walk->run == walk->runs->count)
		return false;
	*a = walk->runs->at[walk->run].a + walk->done;
	*b = walk->runs->at[walk->run].b + walk->done;
	return true;
}

static void
walk_next(struct pair_walk *walk)
{
	if (++walk->done < walk->runs->at[walk->run].count)
		return;
	walk->run++;
	walk->done = 0;
}

#define PAIR_SCORE (UINT64_C(1) << 32) /* the number of pairs counts, then that of exact pairs */

/* Move a walk to the first pair at or after A_END; return the score of the passed pairs. EXACT
 * has the exact tokens. Exact pairs of messages not in KEPT (may be NULL) count as two pairs. */
static uint64_t
walk_to(struct pair_walk *walk, size_t a_end, const struct align *exact, const bool *kept)
{
	size_t a, b;
	uint64_t score = 0;
	for (; walk_get(walk, &a, &b) && a < a_end; walk_next(walk))
		if (exact->a[a] != exact->b[b])
			score += PAIR_SCORE;
		else
			score += (kept && !kept[a] ? 2 : 1) * PAIR_SCORE + 1;
	return score;
}

/* Append the pairs from one place of a walk to another. */
static void
add_pairs(struct align *w, struct pair_walk from, const struct pair_walk *to)
{
	size_t a, b;
	for (; (from.run != to->run || from.done != to->done) && walk_get(&from, &a, &b);
	     walk_next(&from))
		add_run(w, a, b, 1);
}

/* Append the better of two alignments to W, for each range between two pairs of both. KEPT marks
 * the messages of A in exact pairs of the second. */
static void
add_better(struct align *w, const compare_runs *first, const compare_runs *second, const bool *kept)
{
	struct pair_walk x = {.runs = first}, y = {.runs = second}, x_from = x, y_from = y;
	size_t xa, xb, ya, yb;
	uint64_t x_score = 0, y_score = 0;
	for (;;) {
		bool x_more = walk_get(&x, &xa, &xb), y_more = walk_get(&y, &ya, &yb);
		if (x_more && (!y_more || xa < ya)) {
			x_score += walk_to(&x, y_more ? ya : SIZE_MAX, w, kept);
			continue;
		}
		if (y_more && (!x_more || ya < xa)) {
			y_score += walk_to(&y, x_more ? xa : SIZE_MAX, w, NULL);
			continue;
		}
		if (x_more && xb != yb) {
			x_score += walk_to(&x, xa + 1, w, kept);
			y_score += walk_to(&y, ya + 1, w, NULL);
			continue;
		}
		if (y_score > x_score)
			add_pairs(w, y_from, &y);
		else
			add_pairs(w, x_from, &x);
		if (!x_more)
			return;
		add_run(w, xa, xb, 1);
		walk_next(&x);
		walk_next(&y);
		x_from = x;
		y_from = y;
		x_score = y_score = 0;
	}
}

/* True if all pairs of an alignment are exact. */
static bool
is_exact(const struct align *exact, const compare_runs *runs)
{
	for (size_t i = 0; i < runs->count; i++)
		for (size_t k = 0; k < runs->at[i].count; k++)
			if (exact->a[runs->at[i].a + k] != exact->b[runs->at[i].b + k])
				return false;
	return true;
}

bool
compare_align_exact(const uint64_t *a, const uint64_t *exact_a, size_t a_count, const uint64_t *b,
		    const uint64_t *exact_b, size_t b_count, const atomic_bool *stop,
		    compare_runs *runs)
{
	compare_runs second = {0}, better = {0};
	struct align exact = {.a = exact_a, .b = exact_b, .stop = stop, .runs = &better};
	struct align w = {.a = a, .b = b, .stop = stop, .runs = &second};
	struct align_range range = {0, a_count, 0, b_count};
	pair_list pairs = {0};
	if (is_exact(&exact, runs))
		return !is_stopped(&w);
	list_pairs(&exact, &range, 1, &pairs);
	if (pairs.count) {
		qsort(pairs.at, pairs.count, sizeof *pairs.at, pair_compare);
		size_t *chain = mem_new((pairs.count + 1) * sizeof *chain);
		size_t length = find_chain(&pairs, chain);
		align_between(&w, &range, &pairs, chain, length, 0);
		free(chain);
		bool *kept = mem_new((a_count + 1) * sizeof *kept);
		for (size_t i = 0; i < second.count; i++)
			for (size_t k = 0; k < second.at[i].count; k++)
				kept[second.at[i].a + k] =
				    exact_a[second.at[i].a + k] == exact_b[second.at[i].b + k];
		add_better(&exact, runs, &second, kept);
		free(kept);
		vec_free(runs);
		runs->at = better.at;
		runs->count = better.count;
		runs->capacity = better.capacity;
	}
	vec_free(&second);
	vec_free(&pairs);
	return align_end(&w);
}
