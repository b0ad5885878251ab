/*
 * How long calls took, by hand: what two messages tell, and what lies between.
 */
#include "config.h"

#include "test.h"

#include "flow/flow_clock.h"

enum { A, B, FUNCTIONS };

static void
note(void *context, uint32_t function, uint64_t nanoseconds)
{
	uint64_t *most = context;
	if (most[function] < nanoseconds)
		most[function] = nanoseconds;
}

static void
move_to(struct flow_clock *clock, uint64_t number, struct flow_time time)
{
	const struct flow_place place = {.number = number, .time = time};
	assert_false(flow_clock_is_at(clock, &place));
	flow_clock_move(clock, &place);
	assert_true(flow_clock_is_at(clock, &place));
}

/* Ends a message; the time that passed. */
static uint64_t
pass(struct flow_clock *clock, uint64_t *most, bool *estimated)
{
	uint64_t passed;
	assert_true(flow_clock_passed(clock, &passed, estimated));
	flow_shares_given(&clock->shares);
	flow_clock_go_on(clock, passed, note, most);
	return passed;
}

/* What comes before the first time takes none that is known; a message without one tells only
 * more; a call within two times has its part of what passed. */
static void
time_is_divided(void **state)
{
	struct flow_clock clock = {0};
	uint64_t most[FUNCTIONS] = {0}, parts[FLOW_SHARES_MOST], passed;
	bool estimated;
	(void)state;
	move_to(&clock, 1, (struct flow_time){.known = true, .nanoseconds = 1000});
	flow_clock_add(&clock, A, 5);
	assert_int_equal(pass(&clock, most, &estimated), 0);
	move_to(&clock, 2, (struct flow_time){0});
	flow_clock_add(&clock, A, 2);
	assert_false(flow_clock_passed(&clock, &passed, &estimated));
	move_to(&clock, 3, (struct flow_time){.known = true, .nanoseconds = 2000});
	struct flow_began began = flow_clock_now(&clock);
	flow_clock_add(&clock, B, 6);
	flow_clock_end_call(&clock, B, &began, note, most);
	flow_clock_add(&clock, A, 2);
	assert_int_equal(most[B], 0);
	assert_int_equal(flow_shares_divide(&clock.shares, 1000, parts), 3);
	assert_int_equal(parts[0], 200);
	assert_int_equal(parts[1], 600);
	assert_int_equal(parts[2], 200);
	assert_int_equal(pass(&clock, most, &estimated), 1000);
	assert_false(estimated);
	assert_int_equal(most[B], 600);
	assert_int_equal(clock.elapsed, 1000);
	flow_clock_free(&clock);
}

/* Times that step back, or are guesses, are said to be; where the path is lost no time is
 * divided up to the next one. */
static void
doubts_are_said(void **state)
{
	struct flow_clock clock = {0};
	uint64_t most[FUNCTIONS] = {0};
	bool estimated;
	(void)state;
	move_to(&clock, 1, (struct flow_time){.known = true, .nanoseconds = 1000});
	pass(&clock, most, &estimated);
	move_to(&clock, 2, (struct flow_time){.known = true, .nanoseconds = 900});
	struct flow_began began = flow_clock_now(&clock);
	flow_clock_add(&clock, A, 1);
	assert_int_equal(pass(&clock, most, &estimated), 0);
	assert_true(estimated);
	move_to(&clock, 3,
		(struct flow_time){.known = true, .estimated = true, .nanoseconds = 1300});
	flow_clock_add(&clock, A, 1);
	assert_int_equal(pass(&clock, most, &estimated), 400);
	assert_true(estimated);
	move_to(&clock, 4, (struct flow_time){.known = true, .nanoseconds = 1400});
	flow_clock_add(&clock, A, 1);
	flow_clock_end_call(&clock, A, &began, note, most);
	flow_clock_stop(&clock, note, most);
	assert_int_equal(most[A], 400); /* as far as it is known */
	move_to(&clock, 5, (struct flow_time){.known = true, .nanoseconds = 9000});
	flow_clock_add(&clock, A, 1);
	assert_int_equal(pass(&clock, most, &estimated), 0);
	assert_int_equal(clock.elapsed, 400);
	flow_clock_free(&clock);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(time_is_divided),
	    cmocka_unit_test(doubts_are_said),
	};
	return cmocka_run_group_tests_name("flow_clock", tests, NULL, NULL);
}
