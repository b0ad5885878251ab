/*
 * Payloads that step has assembled, kept for expand.
 *
 * If the packets of several senders are interleaved, finding a payload again
 * means reading all packets again.  A caller that expands messages soon after
 * step lets step keep their payloads here.  expand looks here first and finds
 * other payloads in the usual way.
 *
 * Threads: one at a time.
 */
#ifndef TRAWL_DECODE_PAYLOADS_H
#define TRAWL_DECODE_PAYLOADS_H

#include "decode/decoder.h"

struct payload_row {
	uint64_t at; /* ID offset of the message */
	uint64_t offset, aux;
	size_t begin; /* offset in `bytes`; the payload ends where the next one begins */
};

/* Zero-initialise. */
struct payloads {
	VEC(struct payload_row) rows; /* in message order */
	VEC(uint8_t) bytes;
	size_t found; /* row of the last lookup */
};

void payloads_clear(struct payloads *);
void payloads_free(struct payloads *);

size_t payloads_memory(const struct payloads *);

/* Append the payload of M, which does not come before the last message. */
void payloads_add(struct payloads *, const struct message *m, const uint8_t *bytes, size_t length);

/* Return the payload of M, valid until the next change.  Return NULL if it was not kept, or if
 * the payloads are NULL. */
const uint8_t *payloads_find(struct payloads *, const struct message *m, size_t *length);

#endif
