/*
 * Assemble messages from an STP stream, for all formats that STP carries.  Messages of the packet
 * layer, positions, damage and checkpoints are the same for all formats.
 *
 * The functions from stp_start() on are members of struct decoder_ops as they are.  Their state is
 * a struct stp_stream.
 */
#ifndef TRAWL_DECODE_STP_STEP_H
#define TRAWL_DECODE_STP_STEP_H

#include "decode/decoder.h"
#include "decode/stp/stp_open.h"

/* Data packets that begin a message of their master and channel.  A message ends with FLAG, with
 * DnMTS, or with a mark or timestamp that does not begin one. */
enum stp_begin {
	STP_BEGIN_TIMED,  /* DnTS: SyS-T [SyS-T 1.0, "MIPI STPv2 Protocol Encoding"] */
	STP_BEGIN_MARKED, /* DnM: OST [STP 2, OST, second hand: Linux, p_ost.c] */
	STP_BEGIN_NOWHERE /* none: the packet after an end begins the next message */
};

/* Properties of a format that STP carries. */
struct stp_protocol {
	/* kind and severity of packets that are messages of their own, by enum stp_what;
	 * STP_RESERVED: damage */
	struct stp_row {
		uint8_t kind, severity;
	} rows[STP_WHAT_COUNT];
	uint8_t data_kind;			  /* kind of messages of plain data */
	uint64_t origin_none;			  /* as in decoder_ops */
	uint64_t (*data_origin)(uint32_t sender); /* origin key of plain data */
	bool strict; /* flag messages without a start as lost, without an end as truncated */
	/* Fill in kind, severity, origin and flags of a message.  The caller sets time and
	 * position afterwards.  WHOLE: the message has reached its end. */
	void (*fill)(const struct decoder *, const struct stp_message *, const struct window *,
		     bool whole, struct message *);
};

/* Settings for one capture. */
struct stp_setup {
	const struct stp_protocol *protocol;
	struct stp_order order;
	uint8_t begin; /* enum stp_begin */
	struct stp_shorts shorts;
};
void stp_setup_init(struct stp_setup *, const struct stp_protocol *);

/* Effect of data or a FLAG on its sender's message. */
struct stp_role {
	bool begins, ends;
};
struct stp_role stp_role_of(const struct stp_setup *, const struct stp_opcode *);

struct stp_stream {
	struct decode_state base;
	uint64_t at;	  /* nibble of the next event */
	uint64_t cut;	  /* next multiple of CUT (stp_step.c) */
	uint64_t busy;	  /* end of the last packet that was not NULL */
	uint32_t emitted; /* messages that this event has returned */

	/* messages before number `skip` of the event at `border` are dropped */
	uint64_t border;
	uint32_t skip;

	/* `hold` is valid: the start of the oldest message that this event closed, for a
	 * checkpoint inside the event */
	bool held;
	struct stp_point hold;

	struct stp_state stp;
	struct stp_open open;
	bool looked;		     /* `current` is valid */
	struct stp_message *current; /* open message of the current sender, or NULL */
};

enum {
	STP_STEP_LOOK = 64 + 2 * STP_LOOK, /* bytes that suffice for any event but damage */
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
int stp_resync(const struct decoder *, struct decode_state *, const struct window *);

/*
 * message.aux: the state of the stream at the message's first packet, and the nibbles at which the
 * message starts and ends.
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

/* Return a value that separates equal senders on different masters or channels.  XOR it with the
 * sender's key. */
static inline uint64_t
stp_sender_key(uint32_t sender)
{
	return (sender + UINT64_C(1)) * 0x9e3779b97f4a7c15;
}

/* Return the first nibble of a message, from the start of the capture. */
static inline uint64_t
stp_first_nibble(const struct message *m)
{
	return 2 * m->offset + (m->aux >> 32 & 1);
}

/* Return the nibble after a message's last one, from the start of the capture. */
static inline uint64_t
stp_end_nibble(const struct message *m)
{
	return 2 * (m->offset + m->length) - (m->aux >> 36 & 3);
}

#endif
