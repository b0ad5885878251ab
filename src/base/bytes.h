/*
 * Reading numbers out of trace bytes.
 *
 * The rule of the house: the caller proves the bounds once, then these
 * assemble values byte by byte (compilers make single loads of them), so no
 * cast to a wider type ever touches a capture.  bytes_bits() and the nibble
 * reader check their own bounds, since their callers count in other units.
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

/* The value nearest to LAST whose low BITS (1 to 64) are those of VALUE: a counter that wraps
 * around goes on.  Nothing is before 0. */
static inline uint64_t
bytes_unwrap(uint64_t last, uint64_t value, unsigned bits)
{
	if (bits >= 64)
		return value;
	uint64_t range = (uint64_t)1 << bits, ahead = (value - last) & (range - 1);
	return ahead < range / 2 || last < range - ahead ? last + ahead : last + ahead - range;
}

/* Writes VALUE to four bytes, least significant first, or to eight. */
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

/* Little-endian unsigned value of LENGTH bytes, 0 to 8. */
static inline uint64_t
bytes_le(const uint8_t *p, size_t length)
{
	uint64_t value = 0;
	while (length--)
		value = value << 8 | p[length];
	return value;
}

/* Turns the bytes of each word of SIZE around; those of no whole word stay. */
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

/* COUNT bits (0 to 64) of P starting at bit BIT, least significant bit of
 * each byte first, as the first bit of the value.  Bits at or past
 * 8 * LENGTH read as zero. */
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

/* Nibble N of P, low nibble of each byte first.  N must be in bounds. */
static inline unsigned
bytes_nibble(const uint8_t *p, uint64_t n)
{
	return p[n / 2] >> (n % 2 * 4) & 15;
}

/* Value of a hexadecimal digit, or -1. */
static inline int
bytes_hex_digit(unsigned char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Bytes to be taken from the front. */
struct bytes_rest {
	const uint8_t *at;
	size_t left;
};

/* Takes the next LENGTH bytes, which stay where they are; NULL, and nothing taken, if there
 * are fewer. */
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

/* Copies the next LENGTH bytes to OUT; false, and nothing taken, if there are
 * fewer. */
static inline bool
bytes_take(struct bytes_rest *rest, void *out, size_t length)
{
	const uint8_t *at = bytes_pass(rest, length);
	if (at)
		memcpy(out, at, length);
	return at;
}

/* Number of zero bytes at the start of P. */
size_t bytes_zero_run(const uint8_t *p, size_t length);

/* CRC-32C (Castagnoli; RFC 3720 appendix B.4) of LENGTH bytes, continued
 * from CRC (0 to start).  Uses the processor's instruction if it has one. */
uint32_t bytes_crc32c(uint32_t crc, const void *data, size_t length);

/* The same without the instruction, for processors that lack it and for
 * the test that compares both. */
uint32_t bytes_crc32c_portable(uint32_t crc, const void *data, size_t length);

#endif
