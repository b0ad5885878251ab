/* Generations: what is new, what was seen, and several in one number. */
#include "config.h"

#include "test.h"

#include "base/generation.h"

static void
test_changes(void **state)
{
	struct generation one = {0};
	unsigned seen = 0; /* of nothing that was made */
	(void)state;
	assert_int_equal(generation_now(&one), GENERATION_FIRST);
	assert_true(generation_renew(&seen, generation_now(&one)));
	assert_false(generation_renew(&seen, generation_now(&one)));
	generation_bump(&one);
	generation_bump(&one);
	assert_true(generation_renew(&seen, generation_now(&one)));
	assert_false(generation_renew(&seen, generation_now(&one)));
}

static void
test_sum(void **state)
{
	struct generation of[2] = {0};
	unsigned seen = 0;
	(void)state;
	for (size_t i = 0; i < 6; i++) {
		unsigned now = generation_now(&of[0]) + generation_now(&of[1]);
		assert_true(generation_renew(&seen, now));
		assert_false(generation_renew(&seen, now));
		generation_bump(&of[i % 3 == 1]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_changes),
	    cmocka_unit_test(test_sum),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
