/*
 * Messages under way on an STP stream: one at most for each master and channel, whose
 * packets may lie between those of others.  Of each message is kept where it starts,
 * how the stream stood there, its time, its size and its first bytes; its payload
 * stays in the capture, unless it is to be kept.
 *
 * The table finds a message by its sender and lists all in the order in which
 * they started.  Memory of messages that are over is used again.
 */
#ifndef TRAWL_DECODE_STP_OPEN_H
#define TRAWL_DECODE_STP_OPEN_H

#include "base/bytes.h"
#include "decode/stp/stp.h"

/* A place from which packets can be decoded. */
struct stp_point {
	uint64_t nibble; /* from the start of the capture */
	struct stp_state stp;
};

enum { STP_HEAD = 40, STP_KEPT_MAX = 1 << 17 };

struct stp_message {
	struct stp_point start;
	struct stp_message *older, *newer; /* by start; NULL at the ends */
	struct stp_message *chain;	   /* next with the same hash */
	uint64_t ticks;			   /* time of its first packet */
	uint32_t sender;		   /* as stp_sender() */
	uint32_t nibbles;		   /* of payload so far */
	uint16_t flags;			   /* enum message_flag */
	bool orphan;			   /* its start may lie before what was read */
	bool keeps;			   /* all of its payload, up to STP_KEPT_MAX bytes */
	bool kept;			   /* which is in */
	uint32_t room;
	uint8_t *payload;
	uint8_t head[STP_HEAD + 8]; /* payload, zeroes after it */
};

/* Zero-initialise to start. */
struct stp_open {
	struct stp_message *oldest, *newest;
	struct stp_message **buckets;
	struct stp_message *spare;
	uint32_t count, bucket_count; /* a power of two, or 0 */
};

static inline uint32_t
stp_sender(const struct stp_state *stp)
{
	return (uint32_t)stp->master << 16 | stp->channel;
}

/* The message of SENDER, or NULL. */
struct stp_message *stp_open_find(const struct stp_open *, uint32_t sender);

/* A new message of START's sender, which must have none.  It stays where it
 * is until it is removed. */
struct stp_message *stp_open_add(struct stp_open *, const struct stp_point *start);
void stp_open_remove(struct stp_open *, struct stp_message *);

void stp_open_clear(struct stp_open *);
void stp_open_free(struct stp_open *);

/* As stp_message_add, for nibbles behind the head that were counted. */
void stp_message_keep(struct stp_message *, uint64_t data, unsigned count);

/* All of the payload, or NULL: it was not kept. */
static inline const uint8_t *
stp_message_payload(const struct stp_message *m)
{
	if (m->nibbles <= 2 * STP_HEAD)
		return m->head;
	return m->keeps ? m->kept ? m->payload : m->head : NULL;
}

/* Adds COUNT nibbles, those of DATA from the low ones on; higher ones must be
 * zero. */
static inline void
stp_message_add(struct stp_message *m, uint64_t data, unsigned count)
{
	uint32_t at = m->nibbles;
	m->nibbles = at + count;
	if (at >= 2 * STP_HEAD) {
		if (m->keeps)
			stp_message_keep(m, data, count);
		return;
	}
	uint8_t *p = m->head + at / 2;
	bytes_put_le64(p, data << at % 2 * 4 | *p);
	if (at % 2)
		p[8] = (uint8_t)(data >> 60);
}

#endif
