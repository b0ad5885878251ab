/*
 * How often instructions were executed, against counting each of them.
 */
#include "config.h"

#include "test.h"

#include "random.h"
#include "flow/flow_counts.h"

enum { ADDRESSES = 64, RUNS = 2000, BASE = 0x1000 };

static void
counts_are_those_of_each(void **state)
{
	uint64_t random = 1;
	struct flow_counts counts = {0};
	uint64_t want[ADDRESSES + 2] = {0};
	(void)state;
	for (int i = 0; i < RUNS; i++) {
		unsigned first = (unsigned)random_below(&random, ADDRESSES),
			 length = 1 + (unsigned)random_below(&random, ADDRESSES - first);
		const struct flow_step step = {.kind = i % 7 ? FLOW_STEP_RUN : FLOW_STEP_TRAP,
					       .doubtful = !(i % 5),
					       .first = BASE + first,
					       .end = BASE + first + length,
					       .count = length};
		flow_counts_step(&counts, &step);
		for (unsigned k = first; i % 7 && i % 5 && k < first + length; k++)
			want[k]++;
		if (i % 100)
			continue;
		for (unsigned k = 0; k < ADDRESSES + 2; k++)
			assert_int_equal(flow_counts_at(&counts, BASE + k), want[k]);
		assert_int_equal(flow_counts_at(&counts, BASE - 1), 0);
	}
	flow_counts_free(&counts);
}

/* Where places are too many, runs between those that are known still count. */
static void
runs_are_left_out(void **state)
{
	struct flow_counts counts = {0};
	struct flow_step step = {.kind = FLOW_STEP_RUN, .count = 1};
	(void)state;
	for (uint64_t i = 0; i < FLOW_COUNTS_MOST / 2 + 10; i++) {
		step.first = 4 * i;
		step.end = 4 * i + 2;
		flow_counts_step(&counts, &step);
	}
	assert_int_equal(counts.left, 10);
	assert_int_equal(counts.changes.count, FLOW_COUNTS_MOST);
	step.first = 0;
	step.end = 6;
	flow_counts_step(&counts, &step);
	assert_int_equal(counts.left, 10);
	assert_int_equal(flow_counts_at(&counts, 0), 2);
	assert_int_equal(flow_counts_at(&counts, 2), 1);
	assert_int_equal(flow_counts_at(&counts, 4), 2);
	assert_int_equal(flow_counts_at(&counts, 6), 0);
	flow_counts_free(&counts);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(counts_are_those_of_each),
	    cmocka_unit_test(runs_are_left_out),
	};
	return cmocka_run_group_tests_name("flow: counts", tests, NULL, NULL);
}
