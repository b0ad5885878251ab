/*
 * A capture whose senders have known shares of each slice of it.
 */
#ifndef TRAWL_TESTS_UNIT_SHARES_H
#define TRAWL_TESTS_UNIT_SHARES_H

#include "test.h"

#include "base/bytes.h"

#include <stdlib.h>
#include <unistd.h>

enum { SHARES_SLICE = 16 << 20, SHARES_MESSAGE = 1 << 16, SHARES_SENDERS = 3 };

/* How many of the 256 messages of a slice each sender has. */
static const unsigned shares[][SHARES_SENDERS] = {{256, 0, 0},	{128, 128, 0}, {64, 0, 192},
						  {32, 224, 0}, {1, 0, 255},   {0, 255, 1}};

/* A capture of so many slices of 16 MiB, of messages (RAW, with length) of modules 1
 * to 3; mostly holes. */
static inline void
shares_make(char *path, unsigned slices)
{
	int file = mkstemp(path);
	assert_true(file >= 0);
	for (unsigned i = 0; i < slices * 256; i++) {
		const unsigned *share = shares[i / 256 % 6];
		unsigned at = i % 256;
		unsigned module = at < share[0] ? 1 : at < share[0] + share[1] ? 2 : 3;
		uint8_t head[8]; /* RAW, INFO, with a length; the length; payload */
		bytes_put_le64(head, 6 | 4 << 4 | 1 << 9 | module << 16 |
					 (uint64_t)(SHARES_MESSAGE - 6) << 32);
		assert_int_equal(pwrite(file, head, 8, (off_t)i * SHARES_MESSAGE), 8);
	}
	assert_int_equal(ftruncate(file, (off_t)slices * SHARES_SLICE), 0);
	close(file);
}

#endif
