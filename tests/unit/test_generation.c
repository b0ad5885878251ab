/* Generations: what is new, what was seen, and several in one number. */
#include "config.h"

#include "test.h"

#include "base/generation.h"
#include "random.h"

static void
test_changes(void **state)
{
	struct generation one = {0};
	uint64_t seen = 0; /* of nothing that was made */
	(void)state;
	assert_int_equal(generation_now(&one), GENERATION_FIRST);
	assert_true(generation_renew(&seen, generation_now(&one)));
	assert_false(generation_renew(&seen, generation_now(&one)));
	generation_bump(&one);
	generation_bump(&one);
	assert_true(generation_renew(&seen, generation_now(&one)));
	assert_false(generation_renew(&seen, generation_now(&one)));
}

/* Whichever number of several changes, up or down, the joined one does. */
static void
test_join(void **state)
{
	uint64_t seed = 1, many[] = {0, 1, 2, UINT32_MAX, UINT64_MAX, 7, 7, 7};
	const size_t count = sizeof many / sizeof *many;
	(void)state;
	for (unsigned times = 0; times < 10000; times++) {
		uint64_t before = generation_mix(many, count);
		size_t i = random_below(&seed, count), k = random_below(&seed, count);
		uint64_t by = times % 2 ? 1 + random_below(&seed, 4) : random_next(&seed) | 1;
		many[i] += by;
		assert_true(generation_mix(many, count) != before);
		many[i] -= 2 * by;
		assert_true(generation_mix(many, count) != before);
		many[i] += by;
		assert_true(generation_mix(many, count) == before);
		many[i] += by; /* a sum would be the same if another goes down by as much */
		many[k] -= by;
		assert_int_equal(generation_mix(many, count) == before, i == k);
	}
	assert_true(generation_join(1, 2) != generation_join(2, 1));
	assert_true(generation_join(1, 2) == generation_join(1, 2));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_changes),
	    cmocka_unit_test(test_join),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
