/*
 * Read STPv2 packets, see stp.h, which also explains the citations.
 *
 * The opcode table is the protocol; the functions only read values.  A packet is read with a few
 * unaligned 64-bit loads.  Near the end of the input they read a padded copy.  The zeroes of the
 * padding never make a packet invalid.  A packet cut off by the end therefore differs from an
 * invalid one.
 *
 * ASYNC may cut a packet anywhere.  No packet contains 21 nibbles F in a row.  If a packet
 * swallows the first ones, at least two follow it.  It is therefore enough to check the two
 * nibbles after a packet.
 *
 * Of DIP and PDID packets (STP 2.3) only the names are known, so they cannot be skipped.  The time
 * in a TIME packet is assumed to have a length nibble, as a timestamp has.  No program read here
 * is certain about that.
 */
#include "config.h"

#include "decode/stp/stp.h"

#include "base/bytes.h"
#include "base/err.h"

#include <string.h>

const struct stp_opcode stp_opcodes[64] = {
    /* [STP 2, opcode table, second hand: OpenCSD, Zephyr, ADI, stm_core, TI] */
    [0x0] = {"NULL", STP_NULL},
    [0x1] = {"M8", STP_MASTER, 2},
    [0x2] = {"MERR", STP_MERR, 2},
    [0x3] = {"C8", STP_CHANNEL, 2},
    [0x4] = {"D8", STP_DATA, 2},
    [0x5] = {"D16", STP_DATA, 4},
    [0x6] = {"D32", STP_DATA, 8},
    [0x7] = {"D64", STP_DATA, 16},
    [0x8] = {"D8MTS", STP_DATA, 2, .timed = true, .marked = true},
    [0x9] = {"D16MTS", STP_DATA, 4, .timed = true, .marked = true},
    [0xa] = {"D32MTS", STP_DATA, 8, .timed = true, .marked = true},
    [0xb] = {"D64MTS", STP_DATA, 16, .timed = true, .marked = true},
    [0xc] = {"D4", STP_DATA, 1},
    [0xd] = {"D4MTS", STP_DATA, 1, .timed = true, .marked = true},
    [0xe] = {"FLAG_TS", STP_FLAG, .timed = true, .marked = true},

    /* [STP 2, opcodes F 1 to F E, second hand: OpenCSD (but M16), Zephyr, ADI, stm_core, TI] */
    [STP_AFTER_F + 0x1] = {"M16", STP_MASTER, 4},
    [STP_AFTER_F + 0x2] = {"GERR", STP_GERR, 2},
    [STP_AFTER_F + 0x3] = {"C16", STP_CHANNEL, 4},
    [STP_AFTER_F + 0x4] = {"D8TS", STP_DATA, 2, .timed = true},
    [STP_AFTER_F + 0x5] = {"D16TS", STP_DATA, 4, .timed = true},
    [STP_AFTER_F + 0x6] = {"D32TS", STP_DATA, 8, .timed = true},
    [STP_AFTER_F + 0x7] = {"D64TS", STP_DATA, 16, .timed = true},
    [STP_AFTER_F + 0x8] = {"D8M", STP_DATA, 2, .marked = true},
    [STP_AFTER_F + 0x9] = {"D16M", STP_DATA, 4, .marked = true},
    [STP_AFTER_F + 0xa] = {"D32M", STP_DATA, 8, .marked = true},
    [STP_AFTER_F + 0xb] = {"D64M", STP_DATA, 16, .marked = true},
    [STP_AFTER_F + 0xc] = {"D4TS", STP_DATA, 1, .timed = true},
    [STP_AFTER_F + 0xd] = {"D4M", STP_DATA, 1, .marked = true},
    [STP_AFTER_F + 0xe] = {"FLAG", STP_FLAG, .marked = true},
    [STP_AFTER_F + 0xf] = {"ASYNC", STP_ASYNC},

    [STP_AFTER_F0 + 0x0] = {"VERSION", STP_VERSION},
    /* [STP 2, NULL_TS, second hand: Zephyr, ADI, stm_core, TI] */
    [STP_AFTER_F0 + 0x1] = {"NULL_TS", STP_TIME_ONLY, .timed = true},
    /* [STP 2, USER, second hand: stm_core, TI] */
    [STP_AFTER_F0 + 0x2] = {"USER", STP_USER},
    [STP_AFTER_F0 + 0x3] = {"USER_TS", STP_USER, .timed = true},
    /* [STP 2, TIME, second hand: TI] */
    [STP_AFTER_F0 + 0x4] = {"TIME", STP_TIME},
    [STP_AFTER_F0 + 0x5] = {"TIME_TS", STP_TIME, .timed = true},
    /* [STP 2, TRIG, second hand: OpenCSD, ADI, TI] */
    [STP_AFTER_F0 + 0x6] = {"TRIG", STP_TRIG, 2},
    [STP_AFTER_F0 + 0x7] = {"TRIG_TS", STP_TRIG, 2, .timed = true},
    /* [STP 2, FREQ, second hand: OpenCSD, Zephyr, ADI, stm_core, TI]: ticks per second */
    [STP_AFTER_F0 + 0x8] = {"FREQ", STP_FREQ, 8},
    [STP_AFTER_F0 + 0x9] = {"FREQ_TS", STP_FREQ, 8, .timed = true},
    /* [STP 2, XSYNC, second hand: TI] */
    [STP_AFTER_F0 + 0xa] = {"XSYNC", STP_XSYNC, 2},
    [STP_AFTER_F0 + 0xb] = {"XSYNC_TS", STP_XSYNC, 2, .timed = true},

    /* [STP 2, FREQ_40, second hand: ADI, stm_core] */
    [STP_AFTER_F0F + 0x0] = {"FREQ_40", STP_FREQ, 10},
    [STP_AFTER_F0F + 0x1] = {"FREQ_40_TS", STP_FREQ, 10, .timed = true},
    [STP_AFTER_F0F + 0x2] = {"DIP"},
    /* [STP 2, CERR, second hand: ADI] */
    [STP_AFTER_F0F + 0x3] = {"CERR", STP_CERR, 2},
};

/* Clock by the low three bits of VERSION: [STP 2, VERSION, second hand: ADI, stm_core]. */
static const uint8_t clocks[] = {
    STP_CLOCK_LEGACY, STP_CLOCK_LEGACY, STP_CLOCK_DELTA, STP_CLOCK_NATURAL, STP_CLOCK_GRAY,
};

const uint8_t stp_time_lengths[16] = {
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, STP_NO_LENGTH,
};

/* True if the 22 nibbles of an ASYNC start there.  Reads 17 bytes. */
static bool
is_async(const uint8_t *p, unsigned nibble)
{
	return stp_load(p, nibble) == UINT64_MAX &&
	       (stp_load(p, nibble + 16) & 0xffffff) == 0x0fffff;
}

bool
stp_is_async(const uint8_t *bytes, size_t length, uint64_t nibble)
{
	size_t at = (size_t)(nibble / 2);
	uint8_t copy[STP_LOOK] = {0};
	if (2 * (uint64_t)length < nibble + STP_ASYNC_NIBBLES)
		return false;
	if (length - at < sizeof copy)
		bytes = memcpy(copy, bytes + at, length - at);
	else
		bytes += at;
	return is_async(bytes, nibble % 2);
}

uint64_t
stp_find_async(const uint8_t *bytes, size_t length, uint64_t from, uint64_t to)
{
	/* an ASYNC in range has its final 0 before END */
	uint64_t end = 2 * (uint64_t)length;
	if (to < end && to + STP_ASYNC_NIBBLES - 1 < end)
		end = to + STP_ASYNC_NIBBLES - 1;

	size_t at = (size_t)(from / 2), last = (size_t)((end + 1) / 2);
	while (at < last) {
		const uint8_t *run = memchr(bytes + at, 0xff, last - at);
		if (!run)
			break;
		at = (size_t)(run - bytes);
		uint64_t first = 2 * (uint64_t)at;
		if (at && bytes[at - 1] >> 4 == 15)
			first--;
		if (first < from)
			first = from;
		while (at < last && bytes[at] == 0xff)
			at++;
		uint64_t zero = 2 * (uint64_t)at;
		if (at < last && (bytes[at] & 15) == 15)
			zero++;
		if (zero < end && bytes_nibble(bytes, zero) == 0 &&
		    zero >= first + STP_ASYNC_NIBBLES - 1)
			return zero - (STP_ASYNC_NIBBLES - 1);
	}
	return STP_NOWHERE;
}

/* Return the opcode at AT and set *LENGTH to its nibbles. */
static const struct stp_opcode *
read_opcode(const uint8_t *p, unsigned at, unsigned *length)
{
	unsigned op = bytes_le32(p) >> 4 * at;
	if ((op & 0xf) != 0xf) {
		*length = 1;
		return &stp_opcodes[op & 0xf];
	}
	if ((op & 0xf0) != 0) {
		*length = 2;
		return &stp_opcodes[STP_AFTER_F + (op >> 4 & 0xf)];
	}
	if ((op & 0xf00) != 0xf00) {
		*length = 3;
		return &stp_opcodes[STP_AFTER_F0 + (op >> 8 & 0xf)];
	}
	*length = 4;
	return &stp_opcodes[STP_AFTER_F0F + (op >> 12 & 0xf)];
}

static uint8_t
bulk_of(const struct stp_opcode *opcode)
{
	switch (opcode->what) {
	case STP_DATA:
		return opcode->timed ? (opcode->marked ? STP_BULK_BOTH : STP_BULK_TIMED)
				     : (opcode->marked ? STP_BULK_MARKED : STP_BULK_DATA);
	case STP_FLAG:
		return STP_BULK_FLAG;
	case STP_MASTER:
	case STP_CHANNEL:
		return STP_BULK_SENDER;
	case STP_NULL:
		return STP_BULK_NULL;
	default:
		return STP_BULK_NONE;
	}
}

/* Make the row of an opcode.  A master or channel packet replaces the low 8 or all 16 bits; a new
 * master begins at channel 0: [STP 2, M8 to C16, second hand: OpenCSD, Zephyr, ADI, TI]. */
static struct stp_short
make_short(const struct stp_opcode *opcode, unsigned data_at)
{
	unsigned from = opcode->what == STP_MASTER ? 16 : 0;
	return (struct stp_short){
	    .nibbles = (uint8_t)(data_at + opcode->nibbles),
	    .bulk = bulk_of(opcode),
	    .data_at = (uint8_t)data_at,
	    .count = opcode->nibbles,
	    .opcode = (uint8_t)(opcode - stp_opcodes),
	    .timed = opcode->timed,
	    .from = (uint8_t)from,
	    .to = (uint8_t)(from + 4u * opcode->nibbles),
	};
}

void
stp_make_shorts(struct stp_shorts *shorts)
{
	for (unsigned first = 0; first < 256; first++)
		shorts->at[first] = (first & 15) == 15
					? make_short(&stp_opcodes[STP_AFTER_F + (first >> 4)], 2)
					: make_short(&stp_opcodes[first & 15], 1);
}

/* Read the start of a payload at nibble AT of P, if its length is not in the table.  Return the
 * number of nibbles before the payload proper, or ERR_DATA. */
static int
read_variable(const uint8_t *p, unsigned at, struct stp_packet *packet)
{
	unsigned first = (unsigned)stp_load(p, at);
	unsigned n0 = first & 15, n1 = first >> 4 & 15, n2 = first >> 8 & 15;

	if (packet->opcode->what == STP_USER) { /* length nibble n, then n + 1 nibbles */
		packet->prefix = (uint8_t)n0;
		packet->data_nibbles = (uint8_t)(n0 + 1);
		return 1;
	}
	if (packet->opcode->what == STP_TIME) {
		packet->prefix = (uint8_t)(n0 | n1 << 4);
		packet->data_nibbles = stp_time_lengths[n2];
		return n2 == 15 ? ERR_DATA : 3;
	}
	/* VERSION: bit 3 marks an extended one with two more nibbles, always most significant
	 * nibble first: [STP 2, VERSION, second hand: ADI, stm_core] */
	if ((n0 & 7) >= sizeof clocks)
		return ERR_DATA;
	packet->data_nibbles = n0 & 8 ? 3 : 1;
	packet->data = n0 & 8 ? n0 | n1 << 12 | n2 << 8 : n0;
	return 0;
}

/* Read the payload at nibble AT of P.  Return its end, or ERR_DATA. */
static int
read_payload(const struct stp_state *state, const uint8_t *p, unsigned at,
	     struct stp_packet *packet)
{
	uint8_t what = packet->opcode->what;

	packet->data_nibbles = packet->opcode->nibbles;
	if (what == STP_USER || what == STP_TIME || what == STP_VERSION) {
		int prefix = read_variable(p, at, packet);
		if (prefix < 0)
			return prefix;
		at += (unsigned)prefix;
	}
	packet->data_at = (uint8_t)at;
	if (packet->data_nibbles && what != STP_VERSION)
		packet->data = stp_value(p, at, packet->data_nibbles, state->lsn);
	return (int)at + packet->data_nibbles;
}

/* Read the timestamp at nibble AT of P.  Return its end, or ERR_DATA. */
static int
read_time(const struct stp_state *state, const uint8_t *p, unsigned at, struct stp_packet *packet)
{
	if (state->clock == STP_CLOCK_LEGACY) { /* two nibbles, without a length */
		packet->time_nibbles = 2;
	} else {
		packet->time_nibbles = stp_time_lengths[p[at / 2] >> at % 2 * 4 & 15];
		if (packet->time_nibbles == STP_NO_LENGTH)
			return ERR_DATA;
		at++;
	}
	packet->time_at = (uint8_t)at;
	if (packet->time_nibbles)
		packet->time = stp_value(p, at, packet->time_nibbles, state->lsn);
	return (int)at + packet->time_nibbles;
}

/* True if an ASYNC starts between AT and END, nibbles of P. */
static bool
async_inside(const uint8_t *p, unsigned at, unsigned end, unsigned limit)
{
	if ((stp_load(p, end - 1) & 0xfff) != 0xfff)
		return false;
	while (++at < end && at + STP_ASYNC_NIBBLES <= limit)
		if (is_async(p, at))
			return true;
	return false;
}

/* Read opcode FF: ASYNC, or PDID from 2.3 on, which is not supported: [STP 2, opcode table, second
 * hand: ADI]. */
static int
read_async(const uint8_t *p, unsigned at, unsigned limit, struct stp_packet *packet)
{
	if (at + STP_ASYNC_NIBBLES <= limit) {
		packet->nibbles = STP_ASYNC_NIBBLES;
		return is_async(p, at) ? STP_ASYNC_NIBBLES : ERR_DATA;
	}
	for (; at < limit; at++)
		if (bytes_nibble(p, at) != 15)
			return ERR_DATA;
	return ERR_MORE;
}

/* Read the packet at nibble AT (0 or 1) of P.  P has STP_LOOK bytes; its first LIMIT nibbles are
 * real. */
static int
read_packet(const struct stp_state *state, const uint8_t *p, unsigned at, unsigned limit,
	    struct stp_packet *packet)
{
	unsigned opcode;
	int end;

	memset(packet, 0, sizeof *packet);
	packet->opcode = read_opcode(p, at, &opcode);
	if (packet->opcode->what == STP_ASYNC)
		return read_async(p, at, limit, packet);
	if (at + opcode > limit)
		return ERR_MORE;
	if (packet->opcode->what == STP_RESERVED)
		return ERR_DATA;
	end = read_payload(state, p, at + opcode, packet);
	if (end >= 0 && packet->opcode->timed)
		end = read_time(state, p, (unsigned)end, packet);
	if (end < 0)
		return end;
	if ((unsigned)end > limit)
		return ERR_MORE;
	if (async_inside(p, at, (unsigned)end, limit))
		return ERR_DATA;
	packet->data_at = (uint8_t)(packet->data_at - at);
	if (packet->opcode->timed)
		packet->time_at = (uint8_t)(packet->time_at - at);
	packet->nibbles = (uint8_t)((unsigned)end - at);
	return packet->nibbles;
}

int
stp_read(const struct stp_state *state, const uint8_t *bytes, size_t length, uint64_t nibble,
	 struct stp_packet *packet)
{
	size_t at = (size_t)(nibble / 2), left = length - at;
	uint8_t copy[STP_LOOK];
	const uint8_t *p = bytes + at;
	if (left < sizeof copy) {
		memset(copy, 0, sizeof copy);
		p = memcpy(copy, p, left);
	} else {
		left = sizeof copy;
	}
	return read_packet(state, p, nibble % 2, (unsigned)(2 * left), packet);
}

/* Convert Gray code to binary: each bit is the parity of itself and all higher bits. */
static uint64_t
from_gray(uint64_t gray)
{
	for (unsigned shift = 32; shift; shift /= 2)
		gray ^= gray >> shift;
	return gray;
}

/* Update the time from a timestamp.  It replaces the low bits of the time [STP 2, STPv2NAT, second
 * hand: OpenCSD, Zephyr, TI], or of the time's Gray code [STP 2, STPv2GRAY, second hand: OpenCSD],
 * or it is a difference [STP 2, STPv2NATDELTA, second hand: ADI].  TI instead adds (value + 1)
 * times a granularity; no source decides. */
void
stp_apply_time(struct stp_state *state, uint64_t value, unsigned nibbles)
{
	if (!nibbles)
		return;
	if (state->clock == STP_CLOCK_DELTA) {
		state->time += value;
		return;
	}
	uint64_t known = UINT64_MAX >> (64 - 4 * nibbles), before = state->time;
	if (state->clock == STP_CLOCK_GRAY) {
		uint64_t gray = state->time ^ state->time >> 1;
		state->time = from_gray((gray & ~known) | value);
	} else {
		state->time = (state->time & ~known) | value;
	}
	if (state->clock == STP_CLOCK_LEGACY) {
		/* only eight bits, which wrap, maybe more than once */
		state->time += state->time < before ? known + 1 : 0;
		state->certain = false;
	}
	if (known == UINT64_MAX)
		state->certain = true;
}

static void
apply_sender(struct stp_state *state, const struct stp_packet *packet)
{
	const struct stp_short start = make_short(packet->opcode, 0);
	stp_set_sender(state, stp_next_sender(stp_sender(state), &start, (uint32_t)packet->data));
}

/* Apply VERSION, which sets master and channel to 0: [STP 2, VERSION, second hand: OpenCSD, TI]. */
static void
apply_version(struct stp_state *state, const struct stp_packet *packet,
	      const struct stp_order *order)
{
	bool declared = packet->data_nibbles > 1 && !order->forced;
	state->lsn = declared ? packet->data >> 15 : order->lsn;
	state->clock = clocks[packet->data & 7];
	state->sync = STP_SYNC_GOOD;
	state->master = state->channel = 0;
	state->ended = false;
}

void
stp_apply(struct stp_state *state, const struct stp_packet *packet, const struct stp_order *order)
{
	if (packet->opcode->timed)
		stp_apply_time(state, packet->time, packet->time_nibbles);
	switch (packet->opcode->what) {
	case STP_MASTER:
	case STP_CHANNEL:
		apply_sender(state, packet);
		break;
	case STP_DATA:
	case STP_FLAG:
		state->ended = packet->opcode->marked;
		break;
	case STP_MERR: /* [STP 2, MERR and GERR, second hand: OpenCSD, ADI, TI] */
		state->channel = 0;
		state->ended = false;
		break;
	case STP_GERR:
		state->master = state->channel = 0;
		state->ended = false;
		break;
	case STP_VERSION:
		apply_version(state, packet, order);
		break;
	default:
		break;
	}
}
