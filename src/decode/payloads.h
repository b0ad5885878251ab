/*
 * Payloads that step has put together, for expand.
 *
 * Where packets of senders lie between each other, to find a message's again means to read
 * them all again.  Who steps over messages that are expanded soon has step keep what it had
 * in its hands, and expand takes it from there; what was not kept it finds as it always can.
 *
 * Threads: one at a time.
 */
#ifndef TRAWL_DECODE_PAYLOADS_H
#define TRAWL_DECODE_PAYLOADS_H

#include "decode/decoder.h"

struct payload_row {
	uint64_t at; /* ID offset of the message */
	uint64_t offset, aux;
	size_t begin; /* in the bytes; it ends where the next one begins */
};

/* Zero-initialise to start. */
struct payloads {
	VEC(struct payload_row) rows; /* in the order of the messages */
	VEC(uint8_t) bytes;
	size_t found; /* the row that was asked for last */
};

void payloads_clear(struct payloads *);
void payloads_free(struct payloads *);

size_t payloads_memory(const struct payloads *);

/* Keeps the payload of M, which is none before the last one. */
void payloads_add(struct payloads *, const struct message *m, const uint8_t *bytes, size_t length);

/* The payload of M, until the next change; NULL if it was not kept.  Of NULL it never was. */
const uint8_t *payloads_find(struct payloads *, const struct message *m, size_t *length);

#endif
