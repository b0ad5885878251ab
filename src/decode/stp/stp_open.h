/*
 * Open messages on an STP stream, at most one for each master and channel.  Their packets may
 * interleave.  A message keeps its start, the stream state there, its time, its size and its first
 * bytes.  The rest of its payload stays in the capture, unless stp_message_keep() was called.
 *
 * The table finds a message by its sender and lists all messages by start.  It reuses the memory
 * of closed messages.
 */
#ifndef TRAWL_DECODE_STP_OPEN_H
#define TRAWL_DECODE_STP_OPEN_H

#include "base/bytes.h"
#include "decode/stp/stp.h"

/* Position from which packets can be decoded. */
struct stp_point {
	uint64_t nibble; /* from the start of the capture */
	struct stp_state stp;
};

enum { STP_HEAD = 40, STP_KEPT_MAX = 1 << 17 };

struct stp_message {
	struct stp_point start;
	struct stp_message *older, *newer; /* by start; NULL at the ends */
	struct stp_message *chain;	   /* next in the bucket */
	uint64_t ticks;			   /* time of its first packet */
	uint32_t sender;		   /* as stp_sender() */
	uint32_t nibbles;		   /* present length of the payload */
	uint16_t flags;			   /* enum message_flag */
	bool orphan;			   /* its start may precede the decoded bytes */
	bool keeps;			   /* all of its payload is in `bytes` */
	uint32_t limit; /* data that begins at or after this nibble is not kept */
	uint32_t full;	/* length at which stp_message_grow() is due, or UINT32_MAX */
	uint8_t *bytes; /* payload, zero-padded to STP_HEAD; `head` or `room` */
	uint32_t room_size;
	uint8_t *room; /* buffer, reused by later messages */
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
	/* these bits of the product depend on all bits of the sender */
	return &open->buckets[sender * 0x9e3779b97f4a7c15 >> 32 & (open->bucket_count - 1)];
}

/* Return the open message of SENDER, or NULL. */
static inline struct stp_message *
stp_open_find(const struct stp_open *open, uint32_t sender)
{
	struct stp_message *m = open->count ? *stp_open_bucket(open, sender) : NULL;
	while (m && m->sender != sender)
		m = m->chain;
	return m;
}

/* Add a message that starts at NIBBLE.  Its sender is the current one of the state, and must have
 * no open message.  The pointer stays valid until removal. */
struct stp_message *stp_open_add(struct stp_open *, uint64_t nibble, const struct stp_state *);
void stp_open_remove(struct stp_open *, struct stp_message *);

void stp_open_clear(struct stp_open *);
void stp_open_free(struct stp_open *);

/* Keep the whole payload.  Call before any data is added.  Payloads of more than STP_KEPT_MAX
 * bytes are not kept. */
void stp_message_keep(struct stp_message *);
/* Enlarge the buffer past `limit`, or stop keeping the payload. */
void stp_message_grow(struct stp_message *);

/* Return the whole payload, or NULL if it was not kept. */
static inline const uint8_t *
stp_message_payload(const struct stp_message *m)
{
	return m->keeps || m->nibbles <= m->limit ? m->bytes : NULL;
}

/* Write the nibbles of DATA at nibble AT of P, the low ones first.  Higher nibbles must be zero.
 * Writes at most nine bytes. */
static inline void
stp_put(uint8_t *p, uint64_t at, uint64_t data)
{
	p += at / 2;
	if (at % 2) { /* after D4, which is rare */
		p[8] = (uint8_t)(data >> 60);
		data = data << 4 | *p;
	}
	bytes_put_le64(p, data);
}

/* Append COUNT nibbles.  Data past the limit is written too, at `limit`: a test costs more,
 * because its outcome is unpredictable. */
static inline void
stp_message_add(struct stp_message *m, uint64_t data, unsigned count)
{
	if (m->nibbles >= m->full)
		stp_message_grow(m);
	stp_put(m->bytes, m->nibbles < m->limit ? m->nibbles : m->limit, data);
	m->nibbles += count;
}

#endif
