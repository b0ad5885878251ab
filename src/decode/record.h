/*
 * Expanding records: fields of a run of bytes that lies in the capture as it
 * is, for the formats that have nothing between them and their capture.
 *
 * record_open() copies the bytes (those of a growing capture may change
 * meanwhile) and makes them the payload; the others add fields at byte
 * positions of it.  Without fields they all go into one spare
 * field, so that callers need no test.
 */
#ifndef TRAWL_DECODE_RECORD_H
#define TRAWL_DECODE_RECORD_H

#include "decode/decoder.h"

struct record {
	struct expansion *e;
	const struct field_row *rows;
	const uint8_t *p;
	size_t length;
	bool with_fields;
	struct field spare;
};

struct record record_open(struct expansion *, const struct field_row *, const struct message *,
			  const struct window *, enum expand_want);

/* A number in BYTES bytes from AT on, or in bits of them. */
void record_uint(struct record *, unsigned row, size_t at, size_t bytes, uint64_t value);
void record_bits(struct record *, unsigned row, uint64_t bit, uint32_t bits, uint64_t value);

/* The bytes themselves, as a field of bytes or text. */
void record_part(struct record *, unsigned row, size_t at, size_t length);

/* Gives the field that was added last, of bytes or text, another text, which must live as long
 * as the expansion. */
void record_replace(struct record *, const void *text, size_t length);

/* What follows from other messages, or in another form; TEXT must live as
 * long as the expansion. */
void record_value(struct record *, unsigned row, uint64_t value);
void record_text(struct record *, unsigned row, const char *text);

/* A level: fields added between are its elements. */
void record_list(struct record *, unsigned row);
void record_list_end(struct record *);

#endif
