/*
 * Doubles in decimal digits.  What is right is what the C library's printf writes, which rounds
 * exactly.
 */
#include "config.h"

#include "test.h"

#include "base/decimal.h"
#include "random.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char letters[] = "eEfFgG";

/* Compares one conversion; returns whether it was done without the C library. */
static bool
compare(double value, char letter, int precision)
{
	char format[8], right[512], own[DECIMAL_MAX];
	snprintf(format, sizeof format, "%%.*%c", letter);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	int length = snprintf(right, sizeof right, format, precision, fabs(value));
#pragma GCC diagnostic pop
	size_t written = decimal_write(value, letter, precision, own);
	if (!written)
		return false;
	assert_in_range(written, 1, DECIMAL_MAX);
	assert_int_equal(written, length);
	assert_memory_equal(own, right, written);
	return true;
}

static void
compare_all(double value)
{
	for (size_t i = 0; i < sizeof letters - 1; i++)
		for (int precision = -1; precision <= DECIMAL_PRECISION_MAX + 1; precision++)
			compare(value, letters[i], precision);
}

/* Ties, carries and ends of what is done in integers. */
static void
test_edges(void **state)
{
	(void)state;
	static const double values[] = {0.0,
					-0.0,
					0.5,
					1.5,
					2.5,
					0.25,
					0.125,
					9.5,
					99.5,
					999999.5,
					9999995,
					0.99999949,
					0.9999995,
					9.9999995,
					1e-4,
					9.9999e-5,
					0.0001234565,
					123456.5,
					1234565,
					1e22,
					1e23,
					0x1p52,
					0x1p53,
					0x1p63,
					0x1.fffffffffffffp63,
					0x1p64,
					0x1p-46,
					0x1p-47,
					0x1.8p-46,
					5e-324,
					DBL_MAX,
					INFINITY,
					NAN,
					100,
					1e5,
					1e6,
					0.1,
					0.3,
					-1,
					10,
					4503599627370497.5};
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		compare_all(values[i]);
	assert_true(compare(0, 'g', 17) && compare(0.5, 'f', 0) && compare(1e15, 'e', 3));
	assert_false(compare(INFINITY, 'g', 17) || compare(5e-324, 'e', 3) || compare(1, 'a', 3));
}

/* What a program measures: a number of decimal places. */
static double
measured(uint64_t *seed)
{
	static const double scales[] = {1, 10, 1e3, 1e6, 1e9, 1e12};
	return (double)(int64_t)(random_next(seed) >> random_below(seed, 64)) /
	       scales[random_below(seed, 6)];
}

static void
test_random(void **state)
{
	(void)state;
	uint64_t seed = 4711, done = 0, runs = 3000 * (uint64_t)test_runs(100);
	for (uint64_t i = 0; i < runs; i++) {
		uint64_t bits = random_next(&seed);
		double value = measured(&seed);
		int precision = (int)random_below(&seed, DECIMAL_PRECISION_MAX + 2) - 1;
		if (i % 3 == 0)
			memcpy(&value, &bits, sizeof value);
		if (i % 3 == 1) /* whole bits, so that ties are many */
			value = ldexp((double)(bits >> 52), (int)random_below(&seed, 60) - 40);
		done += compare(value, letters[bits % 6], i % 2 ? precision : precision / 5);
	}
	assert_true(done > runs / 2);
}

static void
test_text(void **state)
{
	(void)state;
	uint64_t seed = 1;
	struct text text = {0};
	for (int i = 0; i < 20000; i++) {
		char right[64];
		uint64_t bits = random_next(&seed);
		double value = measured(&seed) * (i % 2 ? 1 : -1);
		if (i % 5 == 0)
			memcpy(&value, &bits, sizeof value);
		snprintf(right, sizeof right, "x%.17g", value);
		text_clear(&text);
		text_add_char(&text, 'x');
		text_add_number(&text, value);
		assert_string_equal(text_get(&text), right);
		assert_int_equal(text.length, strlen(right));
	}
	text_free(&text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_edges),
	    cmocka_unit_test(test_random),
	    cmocka_unit_test(test_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
