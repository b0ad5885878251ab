/*
 * Floating point in decimal digits: what fprintf writes, several times as fast where that can
 * be done exactly in integers.
 */
#ifndef TRAWL_BASE_DECIMAL_H
#define TRAWL_BASE_DECIMAL_H

#include "base/text.h"

enum { DECIMAL_MAX = 96, DECIMAL_PRECISION_MAX = 40 };

/*
 * Writes the magnitude of VALUE as the conversion LETTER (e E f F g G) with PRECISION (negative:
 * none given) and without flags has it [C99, fprintf], rounded to nearest, without a NUL.
 * Returns its length; 0 where it is none of those that are done here: then ask the C library.
 */
size_t decimal_write(double value, char letter, int precision, char out[static DECIMAL_MAX]);

void text_add_number(struct text *, double value); /* as `%.17g`: no other double has this text */

#endif
