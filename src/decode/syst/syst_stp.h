/*
 * SyS-T over MIPI STP: what stepping (syst_stp.c) and expanding
 * (syst_stp_expand.c) share.
 */
#ifndef TRAWL_DECODE_SYST_STP_H
#define TRAWL_DECODE_SYST_STP_H

#include "decode/stp/stp.h"
#include "decode/syst/syst.h"

struct stp_decoder {
	struct syst_decoder syst;
	struct stp_order order;
};

/*
 * message.aux: how the stream stood at the message's first packet, and where
 * in its first and last byte it starts and ends.
 *
 *	0-15 channel, 16-31 master, 32 odd first nibble, 33 lsn, 34-35 clock,
 *	36-37 nibbles at the end of the last byte that are not the message's
 */
static inline uint64_t
stp_aux(const struct stp_state *stp, unsigned odd, unsigned tail)
{
	return stp->channel | (uint64_t)stp->master << 16 | (uint64_t)odd << 32 |
	       (uint64_t)stp->lsn << 33 | (uint64_t)stp->clock << 34 | (uint64_t)tail << 36;
}

static inline struct stp_state
stp_aux_state(uint64_t aux)
{
	return (struct stp_state){
	    .channel = (uint16_t)aux,
	    .master = (uint16_t)(aux >> 16),
	    .lsn = aux >> 33 & 1,
	    .clock = aux >> 34 & 3,
	    .sync = STP_SYNC_GOOD,
	};
}

/* What makes the same sender on another master or channel another one: to be
 * combined with its key by exclusive or. */
static inline uint64_t
stp_sender_key(uint32_t sender)
{
	return (sender + UINT64_C(1)) * 0x9e3779b97f4a7c15;
}

/* First nibble of a message and the one after its last, in the capture. */
static inline uint64_t
stp_first_nibble(const struct message *m)
{
	return 2 * m->offset + (m->aux >> 32 & 1);
}

static inline uint64_t
stp_end_nibble(const struct message *m)
{
	return 2 * (m->offset + m->length) - (m->aux >> 36 & 3);
}

/* The frequency that message M of kind SYST_STP_FREQ announces, else 0. */
uint64_t stp_frequency(const struct message *m, const struct window *);

/* decoder_ops.expand, decoder_ops.announces, decoder_ops.print. */
void syst_stp_expand(const struct decoder *, const struct message *, const struct window *,
		     enum expand_want, const struct decode_history *, struct expansion *);
bool syst_stp_announces(const struct decoder *, const struct message *, const struct window *,
			uint8_t guid[16], uint64_t *build);
bool syst_stp_systprint(const struct decoder *, const struct message *, const struct window *,
			struct expansion *, struct text *out);

#endif
