/*
 * Messages under way on an STP stream: one at most for each master and channel, whose
 * packets may lie between those of others.  Of each message is kept where it starts,
 * how the stream stood there, its time, its size and its first bytes; the rest of its
 * payload stays in the capture, unless all of it is to be kept.
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
	bool keeps;			   /* all of its payload is in `bytes` */
	/* What is added is written to nibble `most` at the farthest, which the next overwrites;
	 * at `full` of them there must be made room first. */
	uint32_t most, full;
	uint8_t *bytes; /* STP_HEAD of payload at least, zeroes after it: `head`, or `room` */
	uint32_t room_size;
	uint8_t *room; /* kept for the messages after it */
	uint8_t head[STP_HEAD + 16];
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

static inline struct stp_message **
stp_open_bucket(const struct stp_open *open, uint32_t sender)
{
	return &open->buckets[sender * 0x9e3779b1u >> 8 & (open->bucket_count - 1)];
}

/* The message of SENDER, or NULL. */
static inline struct stp_message *
stp_open_find(const struct stp_open *open, uint32_t sender)
{
	struct stp_message *m = open->count ? *stp_open_bucket(open, sender) : NULL;
	while (m && m->sender != sender)
		m = m->chain;
	return m;
}

/* A new message of START's sender, which must have none.  It stays where it
 * is until it is removed. */
struct stp_message *stp_open_add(struct stp_open *, const struct stp_point *start);
void stp_open_remove(struct stp_open *, struct stp_message *);

void stp_open_clear(struct stp_open *);
void stp_open_free(struct stp_open *);

/* From now on, when nothing was added yet, all of the payload is kept; more than
 * STP_KEPT_MAX bytes are not. */
void stp_message_keep(struct stp_message *);
/* Makes room for what is to be added at `full`. */
void stp_message_grow(struct stp_message *);

/* All of the payload, or NULL: it was not kept. */
static inline const uint8_t *
stp_message_payload(const struct stp_message *m)
{
	return m->keeps || m->nibbles <= 2 * STP_HEAD ? m->bytes : NULL;
}

/* Adds COUNT nibbles, those of DATA from the low ones on; higher ones must be
 * zero. */
static inline void
stp_message_add(struct stp_message *m, uint64_t data, unsigned count)
{
	if (m->nibbles >= m->full)
		stp_message_grow(m);
	uint32_t at = m->nibbles < m->most ? m->nibbles : m->most;
	m->nibbles += count;
	uint8_t *p = m->bytes + at / 2;
	unsigned shift = at % 2 * 4;
	bytes_put_le64(p, data << shift | (shift ? *p : 0));
	p[8] = (uint8_t)(data >> 1 >> (63 - shift));
}

#endif
