/*
 * STP: the payloads of messages that are expanded one after another.
 *
 * Where senders take turns the packets of several messages lie between each other, so to
 * walk over each message by itself reads every packet several times.  A gatherer goes over
 * the stream once, keeps what each sender has sent since its message began, and so has the
 * payload when it comes to the end of a message.  It knows nothing of what came before it
 * began: such a message is walked over by itself, and so is a long one.
 */
#ifndef TRAWL_DECODE_STP_GATHER_H
#define TRAWL_DECODE_STP_GATHER_H

#include "decode/stp/stp_step.h"

enum { STP_GATHER_SLOTS = 64, STP_GATHER_BYTES = 512 };

/* What a sender has sent from START on. */
struct stp_gathered {
	uint64_t start; /* first nibble of its first packet, in the capture */
	uint32_t sender, nibbles;
	uint32_t run;  /* of another the rest says nothing */
	uint8_t clock; /* enum stp_clock, there */
	bool lsn;      /* there */
	bool ended;    /* what comes next is of another message */
	uint8_t bytes[STP_GATHER_BYTES + 16];
};

/* Plain data, zero to begin with: it can be in decode_history.memory. */
struct stp_gatherer {
	uint64_t next; /* nibble of the next packet, in the capture */
	uint64_t last; /* where the message ended that was asked for last */
	uint32_t run;  /* counts how often it began anew; 0: it has not begun */
	struct stp_state stp;
	struct stp_gathered slots[STP_GATHER_SLOTS]; /* by sender */
};

/* The payload of M, which consists of data and lies in the window, until the next call: its
 * length in *LENGTH.  NULL: it must be walked over by itself. */
const uint8_t *stp_gather(struct stp_gatherer *, const struct stp_setup *, const struct message *m,
			  const struct window *, size_t *length);

#endif
