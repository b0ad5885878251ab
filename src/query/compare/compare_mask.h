/*
 * Mask the numbers in texts, so that two runs of a program have equal texts where
 * they behaved equally.
 *
 * A number is
 *  - a word that begins with a digit, with its sign, its unit and the parts after a
 *    point or colon: 12, -3, 8.65ms, 0x1f, 12:30:45.25, 2024-05-01T12:30:45Z;
 *  - three or more digits at the end of a word (`frame_1204`, not `uart0` or `i2c`);
 *  - a word of hexadecimal digits with at least four characters, one of them a digit,
 *    or with at least eight characters (`7fa0`, `deadbeef`);
 *  - a GUID, 8-4-4-4-12;
 *  - four or more bytes in hexadecimal, separated by blanks.
 *
 * Threads: any.
 */
#ifndef TRAWL_QUERY_COMPARE_COMPARE_MASK_H
#define TRAWL_QUERY_COMPARE_COMPARE_MASK_H

#include "base/text.h"

/* Continue HASH (0 at first) with a text. Texts that differ only in numbers have equal hashes. */
uint64_t compare_hash_masked(uint64_t hash, const char *text, size_t length);

/* Continue HASH with bytes, without masking. */
uint64_t compare_hash_bytes(uint64_t hash, const void *bytes, size_t length);

/* Append a text with `#` in place of each number. */
void compare_add_masked(const char *text, size_t length, struct text *out);

/* Return the share of words that two texts have in common, in the same order and with numbers
 * masked: from 0, none, to 1, all. Only the first words of long texts count. */
double compare_likeness(const char *a, size_t a_length, const char *b, size_t b_length);

#endif
