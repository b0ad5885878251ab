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

/* How many of USUAL cases a test tries: all, or with TRAWL_FEWER a third, one at least. */
static inline unsigned
test_some(unsigned usual)
{
	return getenv("TRAWL_FEWER") ? (usual + 2) / 3 : usual;
}

/* How often a test repeats what it does at random: TRAWL_RUNS, or as usual. */
static inline unsigned
test_runs(unsigned usual)
{
	const char *wanted = getenv("TRAWL_RUNS");
	return wanted ? (unsigned)strtoul(wanted, NULL, 10) : test_some(usual);
}

#endif
