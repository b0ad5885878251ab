/* What every unit test includes, in the order cmocka wants it. */
#ifndef TRAWL_TESTS_UNIT_TEST_H
#define TRAWL_TESTS_UNIT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* cmocka 2 splits this one in two; unsigned is what it always was. */
#ifdef assert_uint_in_range
#undef assert_in_range
#define assert_in_range assert_uint_in_range
#endif

/* How often a test repeats what it does at random: TRAWL_RUNS, or as usual. */
static inline unsigned
test_runs(unsigned usual)
{
	const char *wanted = getenv("TRAWL_RUNS");
	return wanted ? (unsigned)atoi(wanted) : usual;
}

#endif
