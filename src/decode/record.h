/*
 * Expanding records: fields of a run of bytes that lies in the capture
 * unchanged, for formats without a transport.
 *
 * record_open() copies the bytes, because those of a growing capture may
 * change, and makes them the payload.  The other functions add fields at byte
 * positions of the payload.
 */
#ifndef TRAWL_DECODE_RECORD_H
#define TRAWL_DECODE_RECORD_H

#include "decode/decoder.h"

struct record {
	struct expansion *e;
	const struct field_row *rows;
	const uint8_t *p;
	size_t length;
};

struct record record_open(struct expansion *, const struct field_row *, const struct message *,
			  const struct window *, enum expand_want);

/* Add a number from BYTES bytes at AT, or from bits. */
void record_uint(struct record *, unsigned row, size_t at, size_t bytes, uint64_t value);
void record_bits(struct record *, unsigned row, uint64_t bit, uint32_t bits, uint64_t value);

/* Add the bytes as a field of bytes or text. */
struct field *record_part(struct record *, unsigned row, size_t at, size_t length);

/* Add a value computed from other messages, or in another form.  TEXT must live as long as the
 * expansion. */
void record_value(struct record *, unsigned row, uint64_t value);
void record_text(struct record *, unsigned row, const char *text);

/* Open and close a level: fields added between are its elements. */
void record_list(struct record *, unsigned row);
void record_list_end(struct record *);

#endif
