/* What every unit test includes, in the order cmocka wants it. */
#ifndef TRAWL_TESTS_UNIT_TEST_H
#define TRAWL_TESTS_UNIT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
