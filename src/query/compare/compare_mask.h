/*
 * Texts with their numbers masked, so that two runs of a program say the same where they
 * did the same.
 *
 * A number is
 *  - a word that begins with a digit, with its sign, its unit and what goes on behind a
 *    point or a colon: 12, -3, 8.65ms, 0x1f, 12:30:45.25, 2024-05-01T12:30:45Z;
 *  - three or more digits at the end of a word (`frame_1204`, not `uart0` or `i2c`);
 *  - a word of hexadecimal digits that has four characters or more and a digit among them,
 *    or eight or more (`7fa0`, `deadbeef`);
 *  - a GUID, 8-4-4-4-12;
 *  - bytes in hexadecimal, four or more with a blank between, whatever their number.
 *
 * Threads: any.
 */
#ifndef TRAWL_QUERY_COMPARE_COMPARE_MASK_H
#define TRAWL_QUERY_COMPARE_COMPARE_MASK_H

#include "base/text.h"

/* Continues HASH (0 at first) with a text; equal for texts that differ in numbers alone. */
uint64_t compare_hash_masked(uint64_t hash, const char *text, size_t length);

/* The same for bytes as they are. */
uint64_t compare_hash_bytes(uint64_t hash, const void *bytes, size_t length);

/* Appends a text with `#` for each number. */
void compare_add_masked(const char *text, size_t length, struct text *out);

/* How many of the words of two texts are the same and in the same order, from 0, none, to
 * 1, all, numbers masked.  Only the first words of long texts count. */
double compare_likeness(const char *a, size_t a_length, const char *b, size_t b_length);

#endif
