/*
 * Messages out of an STP stream, for the formats that it carries: the events of the
 * packet layer, places, damage and checkpoints are the same for all.
 *
 * All functions but stp_step are members of struct decoder_ops as they are; the state is
 * a struct stp_stream.
 */
#ifndef TRAWL_DECODE_STP_STEP_H
#define TRAWL_DECODE_STP_STEP_H

#include "decode/decoder.h"
#include "decode/stp/stp_open.h"

/* Which data packets begin a message of their master and channel.  FLAG ends one, and so
 * does data with a mark or a timestamp that begins none; DnMTS always does. */
enum stp_begin {
	STP_BEGIN_TIMED,  /* DnTS: SyS-T [SyS-T 1.0, "MIPI STPv2 Protocol Encoding"] */
	STP_BEGIN_MARKED, /* DnM: OST [STP 2, OST, second hand: Linux, p_ost.c] */
	STP_BEGIN_NOWHERE /* none: what follows an end is the next message */
};

/* What a format makes of a stream. */
struct stp_protocol {
	/* kind and severity of what gives a message of its own, by enum stp_what;
	 * STP_RESERVED: damage */
	struct stp_row {
		uint8_t kind, severity;
	} rows[STP_WHAT_COUNT];
	uint8_t data_kind;			  /* of messages that are data as such */
	uint64_t origin_none;			  /* as in decoder_ops */
	uint64_t (*data_origin)(uint32_t sender); /* key of a sender of plain data */
	bool strict; /* a message without a start is flagged lost, without an end truncated */
	/* Fills kind, severity, origin and flags of a message; whose time and place are set
	 * afterwards.  WHOLE: it has come to its end. */
	void (*fill)(const struct decoder *, const struct stp_message *, const struct window *,
		     bool whole, struct message *);
};

/* How one capture is read. */
struct stp_setup {
	const struct stp_protocol *protocol;
	struct stp_order order;
	uint8_t begin; /* enum stp_begin */
	struct stp_shorts shorts;
};
void stp_setup_init(struct stp_setup *, const struct stp_protocol *);

/* What data or a FLAG does to its sender's message. */
struct stp_role {
	bool begins, ends;
};
struct stp_role stp_role_of(const struct stp_setup *, const struct stp_opcode *);

struct stp_stream {
	struct decode_state base;
	uint64_t at;	  /* nibble of the next event */
	uint64_t cut;	  /* the next multiple of CUT */
	uint64_t busy;	  /* end of the last packet that was not NULL */
	uint32_t emitted; /* messages of this event that were handed out */

	/* what comes before message `skip` of the event at `border` is dropped */
	uint64_t border;
	uint32_t skip;

	/* once an event has handed out something: where its oldest message
	 * started, so that all it closes can be found again */
	bool held;
	struct stp_point hold;

	struct stp_state stp;
	struct stp_open open;
	bool looked;		     /* `current` is valid */
	struct stp_message *current; /* of the current master and channel */
};

enum {
	STP_STEP_LOOK = 64 + 2 * STP_LOOK, /* bytes that decide about any event but damage */
	STP_STEP_REACH = 65536 + 64 + STP_STEP_LOOK,
	STP_STEP_RUN_UP = 65536,
	STP_CHECKPOINT = 33,
	STP_SILENT_COUNT = 3
};

/* Packets that belong to no message. */
extern const struct silent_row stp_silent[STP_SILENT_COUNT];

size_t stp_step(const struct decoder *, const struct stp_setup *, struct decode_state *,
		const struct window *, struct message *out, size_t max);
void stp_start(const struct decoder *, struct decode_state *);
void stp_release(struct decode_state *);
void stp_save(const struct decoder *, const struct decode_state *, uint8_t *out);
void stp_restore(const struct decoder *, struct decode_state *, const uint8_t *saved);
void stp_shift(struct decode_state *, uint64_t bytes);
int stp_resync(const struct decoder *, struct decode_state *, const struct window *);

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

#endif
