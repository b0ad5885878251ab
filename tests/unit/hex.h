/*
 * Bytes for tests, written as hexadecimal digits; blanks do not count and
 * 'text' in single quotes stands for its own bytes.
 */
#ifndef TRAWL_TESTS_UNIT_HEX_H
#define TRAWL_TESTS_UNIT_HEX_H

#include "base/bytes.h"
#include "base/vec.h"

struct hex {
	VEC(uint8_t) bytes;
};

static inline void
hex_add(struct hex *hex, const char *digits)
{
	while (*digits) {
		if (*digits == ' ') {
			digits++;
		} else if (*digits == '\'') {
			while (*++digits != '\'')
				*vec_add(&hex->bytes) = (uint8_t)*digits;
			digits++;
		} else {
			int high = bytes_hex_digit((unsigned char)digits[0]);
			int low = bytes_hex_digit((unsigned char)digits[1]);
			*vec_add(&hex->bytes) = (uint8_t)(high << 4 | low);
			digits += 2;
		}
	}
}

static inline struct hex
hex_bytes(const char *digits)
{
	struct hex hex = {0};
	hex_add(&hex, digits);
	return hex;
}

static inline void
hex_free(struct hex *hex)
{
	vec_free(&hex->bytes);
}

#endif
