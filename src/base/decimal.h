/*
 * Doubles as decimal digits, with the same result as fprintf.  Several times as fast for values
 * that integers can represent exactly.
 */
#ifndef TRAWL_BASE_DECIMAL_H
#define TRAWL_BASE_DECIMAL_H

#include "base/text.h"

enum { DECIMAL_MAX = 96, DECIMAL_PRECISION_MAX = 40 };

/*
 * Write the magnitude of VALUE as fprintf does for LETTER (e E f F g G) without flags [C99,
 * fprintf].  A negative PRECISION means the default.  Rounds to nearest, adds no NUL.  Return the
 * length.  Return 0 if the value is not supported: then use the C library.
 */
size_t decimal_write(double value, char letter, int precision, char out[static DECIMAL_MAX]);

void text_add_number(struct text *, double value); /* `%.17g`: unique for each double */

#endif
