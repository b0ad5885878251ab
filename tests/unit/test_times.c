/*
 * One time for a message, and one order: random sessions of every format, with senders that
 * keep messages back, clocks that drift or are put back, and messages without a time, against
 * an oracle that has the writers' pairs of a message and its time (oracle.h).
 *
 * TRAWL_RUNS=1000 makes so many sessions of formats mixed, TRAWL_FIRST=N those from N on.
 */
#include "config.h"

#include "oracle.h"

#include <stdlib.h>

enum { PLANS = 24, RUNS = 12, MESSAGES = 1000, FEW = 300 };

/* Clocks of senders beside that of the transport; whether one alone, dates, one clock by the
 * profile. */
static void
test_senders(void **state)
{
	static const struct sent_format *const formats[] = {&sent_stp, &sent_stp, &sent_stp};
	size_t moved = 0, passed = 0, matches = 0;
	(void)state;
	for (unsigned plan = 0; plan < (getenv("QQ") ? 1 : PLANS); plan++) {
		bool one = plan % 4 == 3, dated = plan % 2 || one;
		struct oracle o;
		oracle_open(&o, formats, dated ? 1 + plan / 2 % ORACLE_TRACES : 1, plan, MESSAGES,
			    dated, one);
		oracle_check(&o);
		moved += o.moved;
		passed += o.passed;
		matches += o.matches;
		oracle_close(&o);
	}
	assert_in_range(moved, 1000, 1000000);
	assert_in_range(matches, 10000, 10000000);
	assert_in_range(passed, 30000, 100000000);
}

static const struct sent_format *
any_format(uint64_t *seed)
{
	size_t at = random_below(seed, sent_format_count() + 1);
	return at < sent_format_count() ? &sent_formats[at] : &sent_stp;
}

/* Whether a session can have dates: one of its traces tells one. */
static bool
may_have_dates(const struct sent_format *const *formats, size_t traces)
{
	bool wall = false;
	for (size_t i = 0; i < traces; i++)
		wall |= formats[i]->wall;
	return wall;
}

static unsigned
number_of(const char *name, unsigned usual)
{
	const char *number = getenv(name);
	return number ? (unsigned)strtoul(number, NULL, 10) : usual;
}

static void
test_formats(void **state)
{
	unsigned runs = number_of("TRAWL_RUNS", RUNS), first = number_of("TRAWL_FIRST", 0);
	size_t printed = 0;
	(void)state;
	for (unsigned run = first; run < first + runs; run++) {
		const struct sent_format *formats[ORACLE_TRACES];
		uint64_t seed = run;
		size_t traces = 1 + random_below(&seed, ORACLE_TRACES);
		struct oracle o;
		for (size_t i = 0; i < traces; i++)
			formats[i] = any_format(&seed);
		if (run < sent_format_count())
			formats[0] = &sent_formats[run];
		bool dated = may_have_dates(formats, traces) && random_below(&seed, 2);
		oracle_open(&o, formats, traces, run, FEW, dated, false);
		oracle_check(&o);
		printed += o.printed;
		oracle_close(&o);
	}
	assert_true(printed > 10000 || runs < RUNS);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_senders),
	    cmocka_unit_test(test_formats),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
