/* The test of causes, Fisher's exact one, by hand. */
#include "config.h"

#include "test.h"

#include "query/why/why.h"

#include <math.h>

static void
check(uint64_t a, uint64_t slow, uint64_t b, uint64_t others, double want)
{
	double got = exp(why_log_p(a, slow, b, others));
	if (fabs(got - want) > want * 1e-9)
		fail_msg("%d of %d, %d of %d: %.12g, not %.12g", (int)a, (int)slow, (int)b,
			 (int)others, got, want);
}

/* Numbers of ways to choose the marked ones. */
static void
test_by_hand(void **state)
{
	(void)state;
	/* a lady tastes tea [Fisher, The Design of Experiments, 1935]: 4 * 4 + 1 ways of 70 */
	check(3, 4, 1, 4, 17.0 / 70);
	check(4, 4, 0, 4, 1.0 / 70);
	check(1, 1, 0, 11, 1.0 / 12);
	check(1, 1, 6, 11, 7.0 / 12);
	check(5, 5, 0, 10, 1.0 / 3003);
	check(0, 5, 3, 10, 1);
	check(5, 5, 10, 10, 1);
	/* 2 of 3 marked ones are among 4 of 10: C(4,2) C(6,1) + C(4,3) = 36 + 4 ways of 120 */
	check(2, 4, 1, 6, 40.0 / 120);
}

/* The sum of all probabilities is 1, so is that of both sides of a table. */
static void
test_sum(void **state)
{
	(void)state;
	double more = exp(why_log_p(40, 100, 260, 900));
	double fewer = exp(why_log_p(261, 900, 39, 100)); /* the others have more */
	assert_true(fabs(more + fewer - 1) < 1e-9);
	double log_p = why_log_p(9000, 10000, 500, 90000);
	assert_true(isfinite(log_p) && log_p < -10000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_hand),
					   cmocka_unit_test(test_sum)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
