/*
 * Needles: see needle.h.
 *
 * The search picks the two places of the needle whose bytes are rarest in written text.  It
 * compares these for sixteen starts at once, with vectors that compilers support on every machine.
 * Only where both agree does it compare the rest.  The cost does not depend on how frequent one
 * byte is.  A string of frequent letters is thus found nearly as fast as any other.  A class is
 * compared as a range of bytes, perhaps with some bits ignored: the one with fewest other bytes.
 */
#include "config.h"

#include "base/needle.h"
#include "base/bytes.h"

#include <string.h>

typedef uint8_t lanes __attribute__((vector_size(16)));
typedef uint64_t halves __attribute__((vector_size(16)));

enum { LANES = sizeof(lanes), BYTES = 256 };

/* --- frequency of bytes ---------------------------------------------------- */

static bool
is_letter(uint8_t c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/* Return the relative frequency of a byte in logs, from 1 (rare) up. */
static unsigned
frequency_of(uint8_t c)
{
	static const uint8_t of_letters[] = {24, 7,  15, 16, 26, 12, 10, 18, 22, 2, 5, 17, 13,
					     21, 23, 11, 3,  19, 20, 25, 14, 6,	 9, 4, 8,  1};
	if (is_letter(c))
		return 1 + of_letters[(c | 0x20) - 'a'] / (c & 0x20 ? 1u : 2u);
	return c >= '0' && c <= '9' ? 28u + c - '0' : c == ' ' ? 38 : 1;
}

struct byte_set
needle_place(const struct needle *n, size_t place)
{
	struct byte_set set = {0};
	for (unsigned c = 0; c < BYTES; c++)
		if (n->places[c] >> place & 1)
			byte_set_add(&set, (uint8_t)c);
	return set;
}

/* Return the share of bytes in a log that are in a set. */
static double
share_of(const struct byte_set *set)
{
	unsigned sum = 0, all = 0;
	for (unsigned c = 0; c < BYTES; c++) {
		unsigned own = frequency_of((uint8_t)c);
		sum += byte_set_has(set, (uint8_t)c) ? own : 0;
		all += own;
	}
	return (double)sum / all;
}

/* Estimate the share of places in a log where a needle starts.  Digits follow digits and letters
 * follow letters, so among frequent sets only the rarest counts. */
static double
needle_share(const struct needle *n)
{
	double share = 1, frequent = 1;
	for (size_t i = 0; i < n->length; i++) {
		const struct byte_set set = needle_place(n, i);
		double own = share_of(&set);
		if (own < 1.0 / 8)
			share *= own;
		else if (own < frequent)
			frequent = own;
	}
	return share * frequent;
}

double
needles_share(const struct needles *set)
{
	double share = set->count ? 0 : 2;
	for (size_t i = 0; i < set->count; i++)
		share += needle_share(&set->at[i]);
	return share;
}

/* --- making ---------------------------------------------------------------- */

/* A range, and the frequency of the bytes in it. */
struct guess {
	struct needle_test test;
	unsigned frequency;
};

/* Return the range that contains a set when the bits of EITHER are ignored. */
static struct guess
guess_range(const struct byte_set *set, uint8_t either)
{
	unsigned low = BYTES, high = 0;
	struct guess guess = {0};
	for (unsigned c = 0; c < BYTES; c++)
		if (byte_set_has(set, (uint8_t)c)) {
			low = (c | either) < low ? (c | either) : low;
			high = (c | either) > high ? (c | either) : high;
		}
	guess.test = (struct needle_test){
	    .either = either, .low = (uint8_t)low, .span = (uint8_t)(high - low)};
	for (unsigned c = 0; c < BYTES; c++)
		if ((c | either) >= low && (c | either) <= high)
			guess.frequency += frequency_of((uint8_t)c);
	return guess;
}

/* Return the bits in which the bytes of a set differ. */
static uint8_t
differing_bits(const struct byte_set *set)
{
	unsigned any = 0, all = BYTES - 1;
	for (unsigned c = 0; c < BYTES; c++)
		if (byte_set_has(set, (uint8_t)c)) {
			any |= c;
			all &= c;
		}
	return (uint8_t)(any & ~all);
}

static struct guess
guess_place(const struct byte_set *set, size_t place)
{
	const uint8_t masks[] = {differing_bits(set), 0x20, 0x0f, 0xf0};
	struct guess best = guess_range(set, 0);
	for (size_t i = 0; i < sizeof masks && best.test.span; i++) {
		struct guess other = guess_range(set, masks[i]);
		if (other.frequency < best.frequency ||
		    (other.frequency == best.frequency && !other.test.span))
			best = other;
	}
	best.test.place = (uint8_t)place;
	return best;
}

/* Choose the two places with the rarest ranges. */
static void
choose_tests(struct needle *n, const struct byte_set *sets)
{
	struct guess best[2];
	best[0] = best[1] = guess_place(&sets[0], 0);
	for (size_t i = 1; i < n->length; i++) {
		struct guess other = guess_place(&sets[i], i);
		if (other.frequency < best[0].frequency) {
			best[1] = best[0];
			best[0] = other;
		} else if (i == 1 || other.frequency < best[1].frequency) {
			best[1] = other;
		}
	}
	n->tests[0] = best[0].test;
	n->tests[1] = best[1].test;
}

void
needle_init_sets(struct needle *n, const struct byte_set *sets, size_t length)
{
	memset(n, 0, sizeof *n);
	n->length = (uint8_t)(length < NEEDLE_MAX ? length : NEEDLE_MAX);
	for (size_t i = 0; i < n->length; i++)
		for (unsigned c = 0; c < BYTES; c++)
			n->places[c] |= (uint32_t)byte_set_has(&sets[i], (uint8_t)c) << i;
	choose_tests(n, sets);
}

void
needle_init(struct needle *n, const char *bytes, size_t length, bool fold)
{
	struct byte_set sets[NEEDLE_MAX] = {0};
	for (size_t i = 0; i < length && i < NEEDLE_MAX; i++) {
		uint8_t c = (uint8_t)bytes[i];
		byte_set_add(&sets[i], c);
		if (fold && is_letter(c))
			byte_set_add(&sets[i], c ^ 0x20);
	}
	needle_init_sets(n, sets, length);
}

/* --- finding --------------------------------------------------------------- */

bool
needle_is_at(const struct needle *n, const uint8_t *p)
{
	for (size_t i = 0; i < n->length; i++)
		if (!(n->places[p[i]] >> i & 1))
			return false;
	return true;
}

static lanes
all_of(uint8_t byte)
{
	return (lanes){0} + byte;
}

/* A test, spread over all lanes. */
struct lane_range {
	const uint8_t *p; /* first place to compare */
	lanes either, low, span;
};

static struct lane_range
range_of(const struct needle_test *test, const uint8_t *p)
{
	return (struct lane_range){.p = p + test->place,
				   .either = all_of(test->either),
				   .low = all_of(test->low),
				   .span = all_of(test->span)};
}

/* Return the starts, among sixteen from AT, that pass the test. */
static inline lanes
pass_test(const struct lane_range *range, size_t at, bool single)
{
	lanes loaded;
	memcpy(&loaded, range->p + at, sizeof loaded);
	loaded |= range->either;
	return single ? (lanes)(loaded == range->low)
		      : (lanes)((loaded - range->low) <= range->span);
}

static inline bool
is_any(lanes starts)
{
	halves both = (halves)starts;
	return both[0] | both[1];
}

static size_t
find_simply(const struct needle *n, const uint8_t *p, size_t from, size_t starts)
{
	while (from < starts && !needle_is_at(n, p + from))
		from++;
	return from;
}

/* Return the first of sixteen starts that has the needle, or LANES. */
static size_t
find_among(const struct needle *n, const uint8_t *p, lanes starts)
{
	uint8_t may[LANES];
	memcpy(may, &starts, sizeof may);
	for (size_t half = 0; half < LANES; half += 8)
		for (uint64_t left = bytes_le64(may + half); left;) {
			size_t at = half + (size_t)__builtin_ctzll(left) / 8;
			if (needle_is_at(n, p + at))
				return at;
			left &= ~(UINT64_C(0xff) << (at - half) * 8);
		}
	return LANES;
}

/* Search as needle_find does, over at least sixteen STARTS.  SINGLE: each test is for one byte,
 * apart from ignored bits. */
static inline __attribute__((always_inline)) size_t
find_by_lanes(const struct needle *n, const uint8_t *p, size_t starts, bool single)
{
	const struct lane_range a = range_of(&n->tests[0], p), b = range_of(&n->tests[1], p);
	size_t at = 0, found;
	while (starts - at >= 2 * LANES) {
		lanes one = pass_test(&a, at, single) & pass_test(&b, at, single);
		lanes two = pass_test(&a, at + LANES, single) & pass_test(&b, at + LANES, single);
		if (is_any(one | two)) {
			if ((found = find_among(n, p + at, one)) < LANES)
				return at + found;
			if ((found = find_among(n, p + at + LANES, two)) < LANES)
				return at + LANES + found;
		}
		at += 2 * LANES;
	}
	while (at < starts) { /* the last sixteen may overlap the ones before */
		at = starts - at < LANES ? starts - LANES : at;
		lanes one = pass_test(&a, at, single) & pass_test(&b, at, single);
		if (is_any(one) && (found = find_among(n, p + at, one)) < LANES)
			return at + found;
		at += LANES;
	}
	return starts;
}

size_t
needle_find(const struct needle *n, const uint8_t *p, size_t length)
{
	if (length < n->length)
		return length;
	size_t starts = length - n->length + 1, at; /* possible starts */
	if (starts < LANES)
		at = find_simply(n, p, 0, starts);
	else if (n->tests[0].span | n->tests[1].span)
		at = find_by_lanes(n, p, starts, false);
	else
		at = find_by_lanes(n, p, starts, true);
	return at < starts ? at : length;
}

bool
needles_are_in(const struct needles *set, const uint8_t *p, size_t length)
{
	for (size_t i = 0; i < set->count; i++)
		if (needle_find(&set->at[i], p, length) < length)
			return true;
	return !set->count;
}
