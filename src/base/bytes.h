/*
 * Reading numbers from trace bytes.
 *
 * The caller checks the bounds once.  These functions then assemble a value byte by byte, which
 * compilers turn into a single load.  No capture is ever cast to a wider type.
 * bytes_bits(), bytes_pass() and bytes_take() check the bounds themselves.
 */
#ifndef TRAWL_BASE_BYTES_H
#define TRAWL_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t
bytes_le16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t
bytes_le32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t
bytes_le64(const uint8_t *p)
{
	return bytes_le32(p) | (uint64_t)bytes_le32(p + 4) << 32;
}

static inline uint16_t
bytes_be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t
bytes_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline uint64_t
bytes_be64(const uint8_t *p)
{
	return (uint64_t)bytes_be32(p) << 32 | bytes_be32(p + 4);
}

/* Return the value nearest to LAST with the low BITS (1 to 64) of VALUE.  It extends a counter
 * that wraps around.  The result is never below 0. */
static inline uint64_t
bytes_unwrap(uint64_t last, uint64_t value, unsigned bits)
{
	if (bits >= 64)
		return value;
	uint64_t range = (uint64_t)1 << bits, ahead = (value - last) & (range - 1);
	return ahead < range / 2 || last < range - ahead ? last + ahead : last + ahead - range;
}

/* Write VALUE to four bytes, or to eight, least significant byte first. */
static inline void
bytes_put_le32(uint8_t *p, uint32_t value)
{
	p[0] = (uint8_t)value;
	p[1] = (uint8_t)(value >> 8);
	p[2] = (uint8_t)(value >> 16);
	p[3] = (uint8_t)(value >> 24);
}

static inline void
bytes_put_le64(uint8_t *p, uint64_t value)
{
	p[0] = (uint8_t)value;
	p[1] = (uint8_t)(value >> 8);
	p[2] = (uint8_t)(value >> 16);
	p[3] = (uint8_t)(value >> 24);
	p[4] = (uint8_t)(value >> 32);
	p[5] = (uint8_t)(value >> 40);
	p[6] = (uint8_t)(value >> 48);
	p[7] = (uint8_t)(value >> 56);
}

/* Return the little-endian unsigned value of LENGTH bytes, 0 to 8. */
static inline uint64_t
bytes_le(const uint8_t *p, size_t length)
{
	uint64_t value = 0;
	while (length--)
		value = value << 8 | p[length];
	return value;
}

/* Reverse the bytes of each word of SIZE bytes.  Bytes after the last whole word stay. */
static inline void
bytes_turn_words(uint8_t *p, size_t length, unsigned size)
{
	for (; size && length >= size; p += size, length -= size) {
		for (unsigned i = 0; i < size / 2; i++) {
			uint8_t byte = p[i];
			p[i] = p[size - 1 - i];
			p[size - 1 - i] = byte;
		}
	}
}

/* Return COUNT bits (0 to 64) of P from bit BIT on.  In each byte the least significant bit
 * comes first.  The first bit becomes bit 0 of the value.  Bits at or past 8 * LENGTH read as
 * zero. */
static inline uint64_t
bytes_bits(const uint8_t *p, size_t length, uint64_t bit, unsigned count)
{
	uint64_t value = 0;
	unsigned got = 0;
	while (got < count) {
		uint64_t at = (bit + got) / 8;
		unsigned shift = (unsigned)((bit + got) % 8);
		unsigned take = 8 - shift;
		if (take > count - got)
			take = count - got;
		uint64_t byte = at < length ? p[at] : 0;
		value |= (byte >> shift & ((1u << take) - 1)) << got;
		got += take;
	}
	return value;
}

/* Return nibble N of P.  The low nibble of each byte comes first.  N must be in bounds. */
static inline unsigned
bytes_nibble(const uint8_t *p, uint64_t n)
{
	return p[n / 2] >> (n % 2 * 4) & 15;
}

/* Return the value of a hexadecimal digit, or -1. */
static inline int
bytes_hex_digit(unsigned char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Bytes to take from the front. */
struct bytes_rest {
	const uint8_t *at;
	size_t left;
};

/* Take the next LENGTH bytes without a copy.  If fewer are left, return NULL and take nothing. */
static inline const uint8_t *
bytes_pass(struct bytes_rest *rest, uint64_t length)
{
	const uint8_t *at = rest->at;
	if (rest->left < length)
		return NULL;
	rest->at += length;
	rest->left -= (size_t)length;
	return at;
}

/* Copy the next LENGTH bytes to OUT.  If fewer are left, return false and take nothing. */
static inline bool
bytes_take(struct bytes_rest *rest, void *out, size_t length)
{
	const uint8_t *at = bytes_pass(rest, length);
	if (at)
		memcpy(out, at, length);
	return at;
}

/* Return the number of zero bytes at the start of P. */
size_t bytes_zero_run(const uint8_t *p, size_t length);

/* Return the CRC-32C (Castagnoli; RFC 3720 appendix B.4) of LENGTH bytes, continued from CRC (0
 * to start).  Uses the processor's instruction if it has one. */
uint32_t bytes_crc32c(uint32_t crc, const void *data, size_t length);

/* Same without the instruction: for processors that do not have it, and for the test that
 * compares both. */
uint32_t bytes_crc32c_portable(uint32_t crc, const void *data, size_t length);

#endif
