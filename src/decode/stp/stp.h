/*
 * The MIPI System Trace Protocol, version 2: nibbles become packets.
 *
 * A stream is a sequence of 4-bit nibbles, the low one of each byte first;
 * packets start on either.  Values of several nibbles lie most significant
 * nibble first unless a VERSION packet (or the user) says otherwise.  Places
 * in this layer are counted in nibbles.
 *
 * What the data of the packets mean is left to others.
 *
 * The specification (MIPI STP 2.0 to 2.4) is not public: all that is said of it here is
 * known from programs that write or read it, which [STP 2, PART, second hand: NAMES]
 * names: OpenCSD (trc_pkt_proc_stm.cpp, for the packets of Arm's CoreSight STM), Zephyr
 * (mipi_stp_decoder.c), ADI (Analog Devices' parser in TypeScript), stm_core (a decoder in
 * Rust), TI (STP2_DEC), and the SyS-T library (its platform mipi_stp_sim writes STP).
 */
#ifndef TRAWL_DECODE_STP_H
#define TRAWL_DECODE_STP_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a packet does. */
enum stp_what {
	STP_RESERVED, /* no packet: its length is unknown */
	STP_NULL,
	STP_TIME_ONLY, /* NULL_TS: moves the time */
	STP_MASTER,
	STP_CHANNEL,
	STP_DATA,
	STP_FLAG,
	STP_ASYNC,
	STP_VERSION,
	STP_FREQ,
	STP_TRIG,
	STP_XSYNC,
	STP_USER,
	STP_TIME,
	STP_MERR,
	STP_GERR,
	STP_CERR,
	STP_WHAT_COUNT
};

struct stp_opcode {
	const char *name;
	uint8_t what;	 /* enum stp_what */
	uint8_t nibbles; /* of payload, where that is fixed */
	bool timed;	 /* a timestamp follows the payload */
	bool marked;	 /* ends a message [SyS-T 1.0, "MIPI STPv2 Protocol Encoding"] */
};

/* By the last nibble of the opcode; 16 rows each for the opcodes of one
 * nibble, for those that start with F, with F0, and with F0F. */
extern const struct stp_opcode stp_opcodes[64];
enum { STP_AFTER_F = 16, STP_AFTER_F0 = 32, STP_AFTER_F0F = 48 };

/* The nibbles of a timestamp by its length nibble: [STP 2, timestamps, second hand:
 * OpenCSD, Zephyr, ADI, stm_core, TI]. */
enum { STP_NO_LENGTH = 0xff };
extern const uint8_t stp_time_lengths[16];

/* [STP 2, VERSION, second hand: ADI, stm_core] */
enum stp_clock {
	STP_CLOCK_LEGACY, /* version 1: two nibbles, no length */
	STP_CLOCK_DELTA,
	STP_CLOCK_NATURAL,
	STP_CLOCK_GRAY
};

enum stp_sync {
	STP_SYNC_NONE, /* no ASYNC was seen yet */
	STP_SYNC_LOST, /* it was in step, then came what is no packet */
	STP_SYNC_GOOD
};

/* What packets leave behind for later ones. */
struct stp_state {
	uint64_t time;
	uint16_t master, channel;
	uint8_t clock; /* enum stp_clock */
	uint8_t sync;  /* enum stp_sync */
	bool lsn;      /* values lie least significant nibble first */
	bool certain;  /* all bits of `time` are known */
	bool ended;    /* the current sender's last packet ended a message */
};

/* Which nibble of a value comes first.  A VERSION packet that declares it
 * wins [STP 2, VERSION from 2.2 on, second hand: ADI, stm_core], unless `forced`: the SyS-T
 * library writes the least significant one first and declares nothing. */
struct stp_order {
	bool lsn;
	bool forced;
};

/* One packet; places are relative to its first nibble. */
struct stp_packet {
	const struct stp_opcode *opcode;
	uint64_t data;	/* payload; VERSION: its nibble, then the byte of an
			   extended one from bit 8 on */
	uint64_t time;	/* the timestamp as it lies there */
	uint8_t prefix; /* USER: length nibble; TIME: clock | version << 4 */
	uint8_t nibbles;
	uint8_t data_at, data_nibbles;
	uint8_t time_at, time_nibbles;
};

enum {
	STP_ASYNC_NIBBLES = 22,
	STP_LOOK = 40 /* bytes that a packet and what follows may need */
};

/*
 * Reads the packet at NIBBLE of LENGTH bytes.  Returns its nibbles; ERR_MORE
 * if the bytes end first, ERR_DATA if there is no packet: the opcode or a
 * length in it is reserved, or an ASYNC starts in its middle.  With STP_LOOK
 * bytes from the packet's first on, the result does not depend on LENGTH.
 */
int stp_read(const struct stp_state *, const uint8_t *bytes, size_t length, uint64_t nibble,
	     struct stp_packet *);

/* A timestamp of so many nibbles moves the time of the state. */
void stp_apply_time(struct stp_state *, uint64_t value, unsigned nibbles);

/* What data or a FLAG does to the state. */
static inline void
stp_apply_data(struct stp_state *state, const struct stp_packet *packet)
{
	if (packet->opcode->timed)
		stp_apply_time(state, packet->time, packet->time_nibbles);
	state->ended = packet->opcode->marked;
}

/* What the packet does to the state.  ASYNC does nothing, VERSION all. */
void stp_apply(struct stp_state *, const struct stp_packet *, const struct stp_order *);

/* Whether an ASYNC (21 nibbles F, then one 0) lies at NIBBLE: [STP 2, ASYNC, second hand:
 * OpenCSD, Zephyr, ADI, stm_core]. */
bool stp_is_async(const uint8_t *bytes, size_t length, uint64_t nibble);

/* The first ASYNC that starts in [FROM, TO), or STP_NOWHERE. */
#define STP_NOWHERE UINT64_MAX
uint64_t stp_find_async(const uint8_t *bytes, size_t length, uint64_t from, uint64_t to);

/* The 16 nibbles from NIBBLE of P on, the first in the low bits; reads 9
 * bytes.  Without a branch: streams keep changing between even and odd. */
static inline uint64_t
stp_load(const uint8_t *p, uint64_t nibble)
{
	unsigned shift = nibble % 2 * 4;
	p += nibble / 2;
	return bytes_le64(p) >> shift | (uint64_t)p[8] << 1 << (63 - shift);
}

/* The value of the low COUNT nibbles of VALUE, 1 to 16, as stp_load gives them; of none it is
 * any. */
static inline uint64_t
stp_arrange(uint64_t value, unsigned count, bool lsn)
{
	const uint64_t low = 0x0f0f0f0f0f0f0f0f;
	unsigned others = (64 - 4 * count) % 64;
	if (lsn)
		return value & UINT64_MAX >> others;
	value = (value & low) << 4 | (value >> 4 & low);
	return __builtin_bswap64(value) >> others;
}

/* The value of COUNT nibbles, as stp_arrange. */
static inline uint64_t
stp_value(const uint8_t *p, uint64_t nibble, unsigned count, bool lsn)
{
	return stp_arrange(stp_load(p, nibble), count, lsn);
}

/* As stp_load, 15 nibbles at least; reads 8 bytes. */
static inline uint64_t
stp_look(const uint8_t *p, uint64_t nibble)
{
	return bytes_le64(p + nibble / 2) >> nibble % 2 * 4;
}

/* How a packet that the bulk of a stream consists of is taken. */
enum stp_bulk {
	STP_BULK_NONE, /* it is none of those below */
	STP_BULK_NULL,
	STP_BULK_SENDER,
	STP_BULK_DATA,	 /* without a timestamp or a mark */
	STP_BULK_TIMED,	 /* data with a timestamp; from here on a message may begin or end */
	STP_BULK_MARKED, /* with a mark */
	STP_BULK_BOTH,
	STP_BULK_FLAG
};

/* The start of a packet whose opcode has one nibble or two; others are STP_BULK_NONE.  Eight
 * bytes, which is what processors can count in. */
struct stp_short {
	uint8_t nibbles; /* of opcode and payload */
	uint8_t bulk;	 /* enum stp_bulk */
	uint8_t data_at; /* nibbles of the opcode */
	uint8_t count;	 /* those of the payload */
	uint8_t opcode;	 /* row of stp_opcodes */
	bool timed;
	uint8_t from, to; /* of a sender: the bits of it, as stp_sender(), that are replaced */
};

/* By the first two nibbles, the low 8 bits of what stp_look gives: so one look-up says where
 * the next packet is, which all that follows waits for. */
struct stp_shorts {
	struct stp_short at[256];
};
void stp_make_shorts(struct stp_shorts *);

/* Where a timestamp at nibble AT ends; STP_NOWHERE if that is no matter of its length nibble
 * alone. */
static inline uint64_t
stp_time_end(const uint8_t *bytes, uint64_t at, enum stp_clock clock)
{
	unsigned time = stp_time_lengths[bytes_nibble(bytes, at)];
	bool sure = clock != STP_CLOCK_LEGACY && time != STP_NO_LENGTH;
	return sure ? at + 1 + time : STP_NOWHERE;
}

/* The same of the packet at nibble AT. */
static inline uint64_t
stp_short_end(const struct stp_short *start, const uint8_t *bytes, uint64_t at,
	      enum stp_clock clock)
{
	uint64_t end = at + start->nibbles;
	return start->timed ? stp_time_end(bytes, end, clock) : end;
}

/* Whether D8, D16, D32 or D64 begin with FIRST, as stp_look gives it, and the nibbles of their
 * payload: these are known sooner than what stands in the table. */
static inline bool
stp_is_usual_data(uint64_t first)
{
	return (first & 0xc) == 0x4;
}

static inline unsigned
stp_usual_data_nibbles(uint64_t first)
{
	return 2u << (first & 3);
}

/* Whether an ASYNC may cut off a packet that NEXT follows; if not, none does. */
static inline bool
stp_may_cut(uint64_t next)
{
	return (next & 0xff) == 0xff;
}

static inline uint32_t
stp_sender(const struct stp_state *state)
{
	return (uint32_t)state->master << 16 | state->channel;
}

/* Another sender, or the same again. */
static inline void
stp_set_sender(struct stp_state *state, uint32_t sender)
{
	state->master = (uint16_t)(sender >> 16);
	state->channel = (uint16_t)sender;
	state->ended = false;
}

/* The sender, as stp_sender(), behind a packet that replaces some of it. */
static inline uint32_t
stp_next_sender(uint32_t sender, const struct stp_short *start, uint32_t payload)
{
	return (uint32_t)(sender & UINT64_MAX << start->to) | payload << start->from;
}

/* The payload of a packet that replaces master or channel, 2 nibbles or 4, which FIRST, as
 * stp_look gives it, begins. */
static inline uint32_t
stp_sender_payload(const struct stp_short *start, uint64_t first, bool lsn)
{
	uint32_t value = (uint32_t)(first >> 4 * start->data_at) & 0xffff;
	if (lsn)
		return value & 0xffffu >> (16 - 4 * start->count);
	value = (value << 8 | value >> 8) & 0xffff;
	value = (value & 0x0f0f) << 4 | (value >> 4 & 0x0f0f);
	return value >> (16 - 4 * start->count);
}

/* Does what stp_apply does with such a packet. */
static inline void
stp_take_sender(struct stp_state *state, const struct stp_short *start, uint64_t first)
{
	uint32_t payload = stp_sender_payload(start, first, state->lsn);
	stp_set_sender(state, stp_next_sender(stp_sender(state), start, payload));
}

#endif
