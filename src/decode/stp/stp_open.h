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
	uint32_t limit; /* what is added is kept where it begins before this nibble */
	uint32_t full;	/* the same, if room is to be made for more; else UINT32_MAX */
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

static inline struct stp_message **
stp_open_bucket(const struct stp_open *open, uint32_t sender)
{
	/* of the product, these bits depend on all of the sender */
	return &open->buckets[sender * 0x9e3779b97f4a7c15 >> 32 & (open->bucket_count - 1)];
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

/* A new message, from NIBBLE on, of the sender of the stream as it is there, which must have
 * none.  It stays where it is until it is removed. */
struct stp_message *stp_open_add(struct stp_open *, uint64_t nibble, const struct stp_state *);
void stp_open_remove(struct stp_open *, struct stp_message *);

void stp_open_clear(struct stp_open *);
void stp_open_free(struct stp_open *);

/* From now on, when nothing was added yet, all of the payload is kept; more than
 * STP_KEPT_MAX bytes are not. */
void stp_message_keep(struct stp_message *);
/* Makes room behind `limit`, or keeps no more of the payload. */
void stp_message_grow(struct stp_message *);

/* All of the payload, or NULL: it was not kept. */
static inline const uint8_t *
stp_message_payload(const struct stp_message *m)
{
	return m->keeps || m->nibbles <= m->limit ? m->bytes : NULL;
}

/* Writes nibbles at nibble AT of P, those of DATA from the low ones on; higher ones must be
 * zero.  Writes nine bytes at most. */
static inline void
stp_put(uint8_t *p, uint64_t at, uint64_t data)
{
	p += at / 2;
	if (at % 2) { /* behind D4, seldom */
		p[8] = (uint8_t)(data >> 60);
		data = data << 4 | *p;
	}
	bytes_put_le64(p, data);
}

/* Adds COUNT nibbles.  What is not to be kept is written, too, at `limit`: to ask would cost
 * more, for which it is cannot be foreseen. */
static inline void
stp_message_add(struct stp_message *m, uint64_t data, unsigned count)
{
	if (m->nibbles >= m->full)
		stp_message_grow(m);
	stp_put(m->bytes, m->nibbles < m->limit ? m->nibbles : m->limit, data);
	m->nibbles += count;
}

#endif
