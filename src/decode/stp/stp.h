/*
 * MIPI System Trace Protocol, version 2: split a stream of nibbles into packets.
 *
 * A stream is a sequence of 4-bit nibbles, the low nibble of each byte first.  A packet can start
 * on either nibble.  Values of several nibbles are most significant nibble first, unless a VERSION
 * packet or the user overrides that.  Positions in this layer are counted in nibbles.
 *
 * The meaning of the data is left to other files.
 *
 * The specification (MIPI STP 2.0 to 2.4) is not public.  Every fact cited here comes from
 * programs that write or read STP; [STP 2, PART, second hand: NAMES] lists them: OpenCSD
 * (trc_pkt_proc_stm.cpp, for the packets of Arm's CoreSight STM), Zephyr (mipi_stp_decoder.c), ADI
 * (Analog Devices' parser in TypeScript), stm_core (a decoder in Rust), TI (STP2_DEC), and the
 * SyS-T library (its platform mipi_stp_sim writes STP).
 */
#ifndef TRAWL_DECODE_STP_H
#define TRAWL_DECODE_STP_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kinds of packet. */
enum stp_what {
	STP_RESERVED, /* not a packet, so its length is unknown */
	STP_NULL,
	STP_TIME_ONLY, /* NULL_TS: updates the time */
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
	uint8_t nibbles; /* payload length, if fixed */
	bool timed;	 /* a timestamp follows the payload */
	bool marked;	 /* ends a message [SyS-T 1.0, "MIPI STPv2 Protocol Encoding"] */
};

/* Opcode table, indexed by the last nibble of the opcode.  It has four groups of 16 rows:
 * one-nibble opcodes, then opcodes that start with F, F0 and F0F. */
extern const struct stp_opcode stp_opcodes[64];
enum { STP_AFTER_F = 16, STP_AFTER_F0 = 32, STP_AFTER_F0F = 48 };

/* Timestamp length in nibbles, indexed by the length nibble: [STP 2, timestamps, second hand:
 * OpenCSD, Zephyr, ADI, stm_core, TI]. */
enum { STP_NO_LENGTH = 0xff };
extern const uint8_t stp_time_lengths[16];

/* [STP 2, VERSION, second hand: ADI, stm_core] */
enum stp_clock {
	STP_CLOCK_LEGACY, /* version 1: two nibbles, no length nibble */
	STP_CLOCK_DELTA,
	STP_CLOCK_NATURAL,
	STP_CLOCK_GRAY
};

enum stp_sync {
	STP_SYNC_NONE, /* no ASYNC found yet */
	STP_SYNC_LOST, /* out of step: damage, or a start at a resync point */
	STP_SYNC_GOOD
};

/* Stream state that packets change and later packets depend on. */
struct stp_state {
	uint64_t time;
	uint16_t master, channel;
	uint8_t clock; /* enum stp_clock */
	uint8_t sync;  /* enum stp_sync */
	bool lsn;      /* values are least significant nibble first */
	bool certain;  /* all bits of `time` are known */
	bool ended;    /* the current sender's last packet ended a message */
};

/* Nibble order of values.  A VERSION packet that declares an order overrides `lsn` [STP 2, VERSION
 * from 2.2 on, second hand: ADI, stm_core], unless `forced`.  The SyS-T library writes the least
 * significant nibble first without declaring it. */
struct stp_order {
	bool lsn;
	bool forced;
};

/* One packet.  Positions are relative to its first nibble. */
struct stp_packet {
	const struct stp_opcode *opcode;
	uint64_t data;	/* payload; VERSION: its nibble, then from bit 8 on the extension byte */
	uint64_t time;	/* raw timestamp value */
	uint8_t prefix; /* USER: length nibble; TIME: clock | version << 4 */
	uint8_t nibbles;
	uint8_t data_at, data_nibbles;
	uint8_t time_at, time_nibbles;
};

enum {
	STP_ASYNC_NIBBLES = 22,
	STP_LOOK = 40 /* bytes that a packet and the check after it may need */
};

/*
 * Read the packet at NIBBLE of LENGTH bytes.  Return its length in nibbles, ERR_MORE if the bytes
 * end first, or ERR_DATA if the packet is invalid: the opcode or a length in it is reserved, or an
 * ASYNC starts in its middle.  With STP_LOOK bytes from the packet's first byte on, the result
 * does not depend on LENGTH.
 */
int stp_read(const struct stp_state *, const uint8_t *bytes, size_t length, uint64_t nibble,
	     struct stp_packet *);

/* Update the time of the state from a timestamp of NIBBLES nibbles. */
void stp_apply_time(struct stp_state *, uint64_t value, unsigned nibbles);

/* Update the state after data or a FLAG. */
static inline void
stp_apply_data(struct stp_state *state, const struct stp_packet *packet)
{
	if (packet->opcode->timed)
		stp_apply_time(state, packet->time, packet->time_nibbles);
	state->ended = packet->opcode->marked;
}

/* Update the state after any packet.  ASYNC changes nothing, VERSION all but the time. */
void stp_apply(struct stp_state *, const struct stp_packet *, const struct stp_order *);

/* True if an ASYNC (21 nibbles F, then one 0) starts at NIBBLE: [STP 2, ASYNC, second hand:
 * OpenCSD, Zephyr, ADI, stm_core]. */
bool stp_is_async(const uint8_t *bytes, size_t length, uint64_t nibble);

/* Find the first ASYNC that starts in [FROM, TO).  Return STP_NOWHERE if none does. */
#define STP_NOWHERE UINT64_MAX
uint64_t stp_find_async(const uint8_t *bytes, size_t length, uint64_t from, uint64_t to);

/* Return the 16 nibbles from NIBBLE of P on, the first in the low bits.  Reads 9 bytes.  Has no
 * branch: streams keep changing between even and odd nibbles. */
static inline uint64_t
stp_load(const uint8_t *p, uint64_t nibble)
{
	unsigned shift = nibble % 2 * 4;
	p += nibble / 2;
	return bytes_le64(p) >> shift | (uint64_t)p[8] << 1 << (63 - shift);
}

/* Return the number in the low COUNT nibbles (1 to 16) of VALUE, as returned by stp_load().  The
 * result for COUNT 0 is meaningless. */
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

/* Return the number in COUNT nibbles at NIBBLE of P, see stp_arrange(). */
static inline uint64_t
stp_value(const uint8_t *p, uint64_t nibble, unsigned count, bool lsn)
{
	return stp_arrange(stp_load(p, nibble), count, lsn);
}

/* Like stp_load(), but only 15 nibbles are valid, and 8 bytes are read. */
static inline uint64_t
stp_look(const uint8_t *p, uint64_t nibble)
{
	return bytes_le64(p + nibble / 2) >> nibble % 2 * 4;
}

/* Classes of frequent packets, for fast paths. */
enum stp_bulk {
	STP_BULK_NONE, /* any other packet */
	STP_BULK_NULL,
	STP_BULK_SENDER,
	STP_BULK_DATA,	 /* without a timestamp or a mark */
	STP_BULK_TIMED,	 /* data with a timestamp; from here on a message may begin or end */
	STP_BULK_MARKED, /* data with a mark */
	STP_BULK_BOTH,
	STP_BULK_FLAG
};

/* Start of a packet with a one- or two-nibble opcode; longer ones are STP_BULK_NONE.  Eight bytes,
 * a size that processors can scale an index by. */
struct stp_short {
	uint8_t nibbles; /* length of opcode and payload */
	uint8_t bulk;	 /* enum stp_bulk */
	uint8_t data_at; /* length of the opcode */
	uint8_t count;	 /* length of the payload */
	uint8_t opcode;	 /* row of stp_opcodes */
	bool timed;
	uint8_t from, to; /* STP_BULK_SENDER: bits of stp_sender() that it replaces */
};

/* Table indexed by the first two nibbles, the low 8 bits of stp_look().  One look-up finds the
 * next packet, and all further work waits for that position. */
struct stp_shorts {
	struct stp_short at[256];
};
void stp_make_shorts(struct stp_shorts *);

/* Return the end of the timestamp at nibble AT, or STP_NOWHERE if its length nibble alone does not
 * determine it. */
static inline uint64_t
stp_time_end(const uint8_t *bytes, uint64_t at, enum stp_clock clock)
{
	unsigned time = stp_time_lengths[bytes_nibble(bytes, at)];
	bool sure = clock != STP_CLOCK_LEGACY && time != STP_NO_LENGTH;
	return sure ? at + 1 + time : STP_NOWHERE;
}

/* Return the end of the packet at nibble AT, or STP_NOWHERE as stp_time_end() does. */
static inline uint64_t
stp_short_end(const struct stp_short *start, const uint8_t *bytes, uint64_t at,
	      enum stp_clock clock)
{
	uint64_t end = at + start->nibbles;
	return start->timed ? stp_time_end(bytes, end, clock) : end;
}

/* True if FIRST, as returned by stp_look(), begins D8, D16, D32 or D64.  Faster than the table. */
static inline bool
stp_is_usual_data(uint64_t first)
{
	return (first & 0xc) == 0x4;
}

/* Return the payload length of such a packet.  Faster than the table. */
static inline unsigned
stp_usual_data_nibbles(uint64_t first)
{
	return 2u << (first & 3);
}

/* False if no ASYNC can cut off the packet before NEXT. */
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

/* Select a sender, which may be the current one. */
static inline void
stp_set_sender(struct stp_state *state, uint32_t sender)
{
	state->master = (uint16_t)(sender >> 16);
	state->channel = (uint16_t)sender;
	state->ended = false;
}

/* Return the sender, as stp_sender(), after a packet that replaces some bits. */
static inline uint32_t
stp_next_sender(uint32_t sender, const struct stp_short *start, uint32_t payload)
{
	return (uint32_t)(sender & UINT64_MAX << start->to) | payload << start->from;
}

/* Return the payload (2 or 4 nibbles) of the master or channel packet that starts with FIRST, as
 * returned by stp_look(). */
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

/* Apply a master or channel packet, with the same result as stp_apply(). */
static inline void
stp_take_sender(struct stp_state *state, const struct stp_short *start, uint64_t first)
{
	uint32_t payload = stp_sender_payload(start, first, state->lsn);
	stp_set_sender(state, stp_next_sender(stp_sender(state), start, payload));
}

#endif
