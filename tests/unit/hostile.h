/*
 * Text that no terminal should be sent, and a search for it, for tests.  It shares no code with
 * the program: the ranges are those of ECMA-48, ECMA-35 and UAX #9.
 */
#ifndef TRAWL_TESTS_UNIT_HOSTILE_H
#define TRAWL_TESTS_UNIT_HOSTILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A title (OSC), a cursor movement, C1 as UTF-8 and as a byte, bidirectional formats, DEL, half
 * a character.  It has no slash, line feed or NUL, so that it can be the name of a file. */
#define HOSTILE                                                                                    \
	"\033]0;owned\a\033[31337;1H\302\2332J\233\342\200\256\342\201\246\330\234\177\342\202"

/* The length of the character that begins with these bytes, 1 to 4, and its code; 0 if they are
 * not UTF-8 (RFC 3629). */
static inline size_t
hostile_decode(const char *bytes, size_t length, uint32_t *code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *p = (const unsigned char *)bytes;
	size_t size = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	if (!size || p[0] > 0xf4 || size > length)
		return 0;
	*code = size == 1 ? p[0] : p[0] & (0xffU >> (size + 1));
	for (size_t i = 1; i < size; i++) {
		if (p[i] >> 6 != 2)
			return 0;
		*code = *code << 6 | (p[i] & 0x3f);
	}
	bool good = *code >= least[size] && *code <= 0x10ffff && *code >> 11 != 0x1b;
	return good ? size : 0;
}

/* True if a terminal may do something else than show the character. */
static inline bool
hostile_code(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e ||
	       code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069);
}

/* The first bytes that no terminal should be sent, or NULL; the controls in OWN, a string, are
 * the program's own. */
static inline const char *
hostile_find(const char *bytes, size_t length, const char *own)
{
	uint32_t code;
	for (size_t i = 0, taken; i < length; i += taken) {
		taken = hostile_decode(bytes + i, length - i, &code);
		if (!taken || (hostile_code(code) && !(code < 0x80 && strchr(own, (int)code))))
			return bytes + i;
	}
	return NULL;
}

#endif
