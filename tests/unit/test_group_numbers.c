/*
 * Sums, limits and percentiles of random numbers, added in parts that are joined: against what
 * their sorted list says by the definitions.  Numbers are small and large, in all shares, and
 * some negative or no integers.  TRAWL_RUNS=100 tries so many times as many, TRAWL_SEED=7 others.
 */
#include "config.h"

#include "test.h"

#include "query/group/group_numbers.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 30000 };

static uint64_t seed = 1;

static size_t
below(size_t n)
{
	return random_below(&seed, n);
}

/* What a list is drawn of: in so many of 100 numbers. */
struct shares {
	unsigned large, negative, real;
};

static struct value
draw(const struct shares *shares)
{
	struct value value = {.type = VALUE_UNSIGNED, .u = below(below(2) ? 64 : 4096)};
	if (below(100) < shares->large)
		value.u = below(2) ? 4096 + below(8) : (uint64_t)below(1000000) << 20;
	if (below(4) == 0)
		value.type = VALUE_SIGNED;
	if (below(10000) < shares->negative) {
		value.type = VALUE_SIGNED;
		value.i = -(int64_t)below(5000);
	}
	if (below(10000) < shares->real) {
		value.type = VALUE_REAL;
		value.d = below(50) ? (double)below(10000) / 4 : (double)NAN;
	}
	return value;
}

static int
compare_numbers(const void *a, const void *b)
{
	const long double *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static void
assert_column(struct group_numbers *numbers, enum group_column column, long double want)
{
	struct value value = {0};
	long double got;
	group_numbers_value(numbers, column, &value);
	assert_true(value_number(&value, &got));
	/* what is no integer is rounded to a double */
	assert_true(value.type == VALUE_REAL ? got == (double)want : got == want);
}

/* By the definition: the least number that so many per cent do not exceed. */
static long double
percentile(const long double *sorted, size_t count, unsigned percent)
{
	size_t rank = 1;
	while (rank * 100 < count * percent)
		rank++;
	return sorted[rank - 1];
}

static void
check_numbers(struct group_numbers *numbers, const long double *all, size_t count)
{
	static long double sorted[NUMBERS];
	long double sum = 0;
	assert_int_equal(group_numbers_count(numbers), count);
	if (!count)
		return;
	memcpy(sorted, all, count * sizeof *all);
	qsort(sorted, count, sizeof *sorted, compare_numbers);
	for (size_t i = 0; i < count; i++)
		sum += sorted[i]; /* exact: all are multiples of a quarter */
	assert_true(group_numbers_sum(numbers) == sum);
	assert_column(numbers, GROUP_COLUMN_SUM, sum);
	assert_column(numbers, GROUP_COLUMN_MIN, sorted[0]);
	assert_column(numbers, GROUP_COLUMN_MAX, sorted[count - 1]);
	assert_column(numbers, GROUP_COLUMN_MEAN, sum / (long double)count);
	assert_column(numbers, GROUP_COLUMN_P50, percentile(sorted, count, 50));
	assert_column(numbers, GROUP_COLUMN_P90, percentile(sorted, count, 90));
	assert_column(numbers, GROUP_COLUMN_P99, percentile(sorted, count, 99));
}

static void
add(struct group_numbers **numbers, const struct value *value)
{
	if (!*numbers)
		*numbers = group_numbers_new(value->type, false);
	if (value->type == VALUE_UNSIGNED && below(2))
		group_numbers_add_unsigned(*numbers, value->u);
	else
		group_numbers_add(*numbers, value);
}

/* Draws numbers in parts of PART at most, and asks now and then amid them. */
static void
try_numbers(const struct shares *shares, size_t count, size_t part)
{
	static long double all[NUMBERS];
	struct group_numbers *whole = NULL, *own = NULL;
	size_t known = 0;
	for (size_t i = 0, left = 0; i < count; i++, left--) {
		const struct value value = draw(shares);
		long double number;
		if (!left) {
			if (own)
				whole = group_numbers_join(whole, own);
			own = NULL;
			left = 1 + below(part);
			if (whole && below(20) == 0)
				check_numbers(whole, all, known);
		}
		add(&own, &value);
		assert_true(value_number(&value, &number));
		if (number == number)
			all[known++] = number;
	}
	whole = group_numbers_join(whole, own);
	check_numbers(whole, all, known);
	group_numbers_free(whole);
}

static void
test_random(void **state)
{
	static const unsigned large[] = {0, 1, 45, 55, 100};
	(void)state;
	for (unsigned run = 0; run < test_runs(60); run++) {
		const struct shares shares = {large[below(5)], below(3) ? 0 : (unsigned)below(4),
					      below(3) ? 0 : (unsigned)below(4)};
		try_numbers(&shares, 1 + below(below(2) ? 300 : NUMBERS),
			    1 + below(below(2) ? 50 : NUMBERS));
	}
}

/* Durations in ticks and in nanoseconds do not count together. */
static void
test_ticks(void **state)
{
	struct group_numbers *ticks = group_numbers_new(VALUE_UNSIGNED, true), *other;
	(void)state;
	assert_true(group_numbers_add(
	    ticks, &(struct value){.type = VALUE_UNSIGNED, .u = 5, .ticks = true}));
	assert_false(group_numbers_add(ticks, &(struct value){.type = VALUE_UNSIGNED, .u = 7}));
	other = group_numbers_new(VALUE_UNSIGNED, false);
	assert_true(group_numbers_add(other, &(struct value){.type = VALUE_UNSIGNED, .u = 9}));
	ticks = group_numbers_join(ticks, other);
	assert_int_equal(group_numbers_count(ticks), 1);
	assert_column(ticks, GROUP_COLUMN_SUM, 5);
	group_numbers_free(ticks);
}

/* Sums beyond 64 bits, and numbers that are negative beside others that no signed one holds. */
static void
test_large(void **state)
{
	struct group_numbers *numbers = group_numbers_new(VALUE_UNSIGNED, false);
	struct value value = {0};
	(void)state;
	for (int i = 0; i < 3; i++)
		group_numbers_add_unsigned(numbers, UINT64_MAX);
	assert_column(numbers, GROUP_COLUMN_MAX, (long double)UINT64_MAX);
	assert_column(numbers, GROUP_COLUMN_SUM, (double)(3 * (long double)UINT64_MAX));
	group_numbers_add(numbers, &(struct value){.type = VALUE_SIGNED, .i = -1});
	group_numbers_value(numbers, GROUP_COLUMN_MIN, &value);
	assert_int_equal(value.type, VALUE_REAL);
	assert_true(value.d == -1);
	group_numbers_free(numbers);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random),
	    cmocka_unit_test(test_ticks),
	    cmocka_unit_test(test_large),
	};
	const char *text = getenv("TRAWL_SEED");
	seed = text ? strtoull(text, NULL, 10) : seed;
	return cmocka_run_group_tests_name("group_numbers", tests, NULL, NULL);
}
