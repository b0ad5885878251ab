/*
 * Sorting numbers: see rank.h.
 *
 * Short arrays are sorted by comparison.  Long ones are distributed byte by byte, lowest byte
 * first.  A byte that is equal in all numbers is skipped, so a million small numbers cost two or
 * three passes.
 */
#include "config.h"

#include "base/rank.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { FEW = 512, BYTES = 8 };

static int
compare_numbers(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* Sort the numbers into OUT by one byte, and keep the order of equal ones. */
static void
sort_by_byte(const uint64_t *numbers, size_t count, unsigned shift, uint64_t *out)
{
	size_t starts[256] = {0}, start = 0;
	for (size_t i = 0; i < count; i++)
		starts[numbers[i] >> shift & 0xff]++;
	for (size_t i = 0; i < 256; i++) {
		size_t own = starts[i];
		starts[i] = start;
		start += own;
	}
	for (size_t i = 0; i < count; i++)
		out[starts[numbers[i] >> shift & 0xff]++] = numbers[i];
}

void
rank_sort(uint64_t *numbers, size_t count)
{
	uint64_t any = 0, all = UINT64_MAX;
	if (count < FEW) {
		if (count)
			qsort(numbers, count, sizeof *numbers, compare_numbers);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		any |= numbers[i];
		all &= numbers[i];
	}
	uint64_t *other = mem_new(count * sizeof *other), *from = numbers, *to = other;
	for (unsigned shift = 0; shift < 8 * BYTES; shift += 8) {
		if (!((any ^ all) >> shift & 0xff))
			continue;
		sort_by_byte(from, count, shift, to);
		uint64_t *last = from;
		from = to;
		to = last;
	}
	if (from != numbers)
		memcpy(numbers, from, count * sizeof *numbers);
	free(other);
}
