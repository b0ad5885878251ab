/*
 * STP: assemble the payloads of messages that are expanded one after another.
 *
 * Packets of several senders interleave, so walking each message separately reads every packet
 * several times.  A gatherer walks the stream once and collects the data of each sender since its
 * message began.  At the end of a message its payload is complete.  Messages that began before the
 * gatherer started, and long ones, need a separate walk.
 */
#ifndef TRAWL_DECODE_STP_GATHER_H
#define TRAWL_DECODE_STP_GATHER_H

#include "decode/stp/stp_step.h"

enum { STP_GATHER_SLOTS = 64, STP_GATHER_BYTES = 512 };

/* Data of a sender from START on. */
struct stp_gathered {
	uint64_t start; /* first nibble of its first packet, in the capture */
	uint32_t sender, nibbles;
	uint32_t run;  /* stp_gatherer.run at `start`; the slot is stale if they differ */
	uint8_t clock; /* enum stp_clock, at `start` */
	bool lsn;      /* at `start` */
	bool ended;    /* the next packet belongs to another message */
	uint8_t bytes[STP_GATHER_BYTES + 16];
};

/* Plain data, initially zero, so that it can be in decode_history.memory. */
struct stp_gatherer {
	uint64_t next; /* nibble of the next packet, in the capture */
	uint64_t last; /* end of the message requested last */
	uint32_t run;  /* number of restarts; 0: not started */
	struct stp_state stp;
	struct stp_gathered slots[STP_GATHER_SLOTS]; /* by hash of the sender */
};

/* Return the payload of M and its length in *LENGTH, valid until the next call.  M must consist of
 * data and lie in the window.  Return NULL if M needs a separate walk. */
const uint8_t *stp_gather(struct stp_gatherer *, const struct stp_setup *, const struct message *m,
			  const struct window *, size_t *length);

#endif
