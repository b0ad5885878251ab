/* Zero runs and CRC-32C: see bytes.h. */
#include "config.h"

#include "base/bytes.h"

#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <nmmintrin.h>
#define HAVE_SSE42 1
#endif

size_t
bytes_zero_run(const uint8_t *p, size_t length)
{
	size_t n = 0;
	while (length - n >= 8) {
		uint64_t word;
		memcpy(&word, p + n, 8);
		if (word)
			break;
		n += 8;
	}
	while (n < length && !p[n])
		n++;
	return n;
}

/* Compute the CRC nibble by nibble.  The reflected polynomial is 0x82F63B78.  A table of 16
 * words is enough, because only processors without the instruction run this. */
uint32_t
bytes_crc32c_portable(uint32_t crc, const void *data, size_t length)
{
	static const uint32_t table[16] = {0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1,
					   0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
					   0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
					   0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75};
	const uint8_t *p = data;
	crc = ~crc;
	while (length--) {
		crc ^= *p++;
		crc = crc >> 4 ^ table[crc & 15];
		crc = crc >> 4 ^ table[crc & 15];
	}
	return ~crc;
}

#ifdef HAVE_SSE42
__attribute__((target("sse4.2"))) static uint32_t
crc32c_sse42(uint32_t crc, const void *data, size_t length)
{
	const uint8_t *p = data;
	uint64_t state = ~crc;
	for (; length >= 8; length -= 8, p += 8) {
		uint64_t word;
		memcpy(&word, p, 8);
		state = _mm_crc32_u64(state, word);
	}
	while (length--)
		state = _mm_crc32_u8((uint32_t)state, *p++);
	return ~(uint32_t)state;
}
#endif

uint32_t
bytes_crc32c(uint32_t crc, const void *data, size_t length)
{
#ifdef HAVE_SSE42
	if (__builtin_cpu_supports("sse4.2"))
		return crc32c_sse42(crc, data, length);
#endif
	return bytes_crc32c_portable(crc, data, length);
}
