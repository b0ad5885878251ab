/*
 * Decode ITM packets to elements: see itm.h.
 *
 * The first byte determines the kind of a packet [ARMv7-M, D4]; its size follows from that byte or
 * from continuation bits.  Packets are collected one byte at a time, since a frame may cut them
 * anywhere.  A byte that begins no packet is an UNKNOWN element, and the next byte may begin a
 * packet again.  Nothing is decoded before the first synchronisation packet.  Local timestamps are
 * differences.  They are summed from one synchronisation packet to the next, as decoding may begin
 * at either.
 */
#include "config.h"

#include "decode/coresight/itm.h"

#include "base/bytes.h"
#include "decode/coresight/swo_packet.h"

#include <string.h>

/* First global timestamp [ARMv7-M, D4]. */
enum { GLOBAL_1 = 0x94 };

void
itm_start(struct itm *itm, bool whole)
{
	*itm = (struct itm){.whole = whole};
}

static void
itm_give(struct itm *itm, struct opencsd_element *e, const struct itm_sink *sink)
{
	e->index = itm->index;
	if (e->type == OPENCSD_ITMTRACE && itm->overflow) {
		e->flags |= OPENCSD_OVERFLOW;
		itm->overflow = false;
	}
	sink->element(sink->context, e);
}

/* --- kinds of packet --------------------------------------------------- */

/* Decode a port packet `aaaaa0ss` or a hardware source packet `aaaaa1ss`, with 1, 2 or 4 bytes
 * [ARMv7-M, D4; of hardware sources D4.3]. */
static const char *
take_payload(struct itm *itm, struct opencsd_element *e)
{
	uint8_t header = itm->packet[0];
	bool hardware = header & 4;
	e->type = OPENCSD_ITMTRACE;
	e->reason = hardware ? OPENCSD_ITM_HARDWARE : OPENCSD_ITM_SOFTWARE;
	e->channel = header >> 3;
	if (!hardware) {
		e->channel |= (uint16_t)(itm->page << 5);
		e->flags |= OPENCSD_HAS_SENDER;
	}
	e->packets = (uint8_t)(itm->have - 1);
	e->value = bytes_le(itm->packet + 1, itm->have - 1u);
	return hardware ? "DWT: hardware packet" : "SWIT: software packet";
}

/* Decode a local timestamp, the difference to the last one.  `11rr0000` has up to 28 bits; rr
 * shows which of time and data is late.  `0ttt0000` holds the time, 1 to 6, in ttt [ARMv7-M,
 * D4]. */
static const char *
take_local(struct itm *itm, struct opencsd_element *e)
{
	uint8_t header = itm->packet[0];
	bool more = header & 0x80;
	e->type = OPENCSD_ITMTRACE;
	e->reason = more ? header >> 4 & 3 : OPENCSD_ITM_TIME_SYNC;
	e->value = more ? swo_continued_value(itm->packet, itm->have) : header >> 4 & 7;
	itm->local += e->value;
	e->timestamp = itm->local;
	e->packets = (uint8_t)(more ? itm->have - 1 : 1);
	return "TS_LOCAL: local time stamp";
}

/* Decode a global timestamp.  The low packet has bits 25:0 in four bytes, with "clock changed" and
 * "wrapped" in the last.  The high packet has bits 47:26 in four bytes or 63:26 in six [ARMv7-M,
 * D4]. */
static const char *
take_global(struct itm *itm, struct opencsd_element *e)
{
	const uint64_t low = 0x3ffffff; /* bits of the first packet */
	uint64_t value = swo_continued_value(itm->packet, itm->have);
	bool first = itm->packet[0] == GLOBAL_1;
	if (first) {
		unsigned bits = 7u * (itm->have - 1u);
		if (itm->have == 5) { /* the last byte has two flags */
			bits = 26;
			if (itm->packet[4] & 0x20)
				e->flags |= OPENCSD_FREQ_CHANGE;
			if (itm->packet[4] & 0x40)
				itm->high_known = false; /* the low bits wrapped */
		}
		itm->low_known |= bits == 26;
		uint64_t mask = (UINT64_C(1) << bits) - 1;
		itm->global = (itm->global & ~mask) | (value & mask);
	} else {
		itm->global = (itm->global & low) | value << 26;
		itm->high_known = true;
	}
	e->type = OPENCSD_ITMTRACE;
	e->reason = OPENCSD_ITM_TIME_GLOBAL;
	e->value = value;
	e->timestamp = itm->global;
	if (itm->low_known && itm->high_known)
		e->flags |= OPENCSD_HAS_TIMESTAMP;
	return first ? "TS_GLOBAL_1: global time stamp, low bits"
		     : "TS_GLOBAL_2: global time stamp, high bits";
}

/* Decode `0ppp1000`, the page of the stimulus ports: port = 32 * page + a [ARMv7-M, D4]. */
static const char *
take_extension(struct itm *itm, struct opencsd_element *e)
{
	(void)e;
	/* one byte from software sets the page of its ports */
	if (itm->have == 1 && !(itm->packet[0] & 4))
		itm->page = itm->packet[0] >> 4 & 7;
	return "EXTENSION: page of the stimulus ports";
}

/* Note lost packets.  From here the sum of local times is a lower bound, so it restarts at 0. */
static const char *
take_overflow(struct itm *itm, struct opencsd_element *e)
{
	(void)e;
	itm->overflow = true;
	itm->local = 0;
	return "OVERFLOW: packets were lost";
}

static const char *
take_reserved(struct itm *itm, struct opencsd_element *e)
{
	(void)itm;
	e->type = OPENCSD_UNKNOWN;
	return "RESERVED: no packet";
}

/* --- packets ----------------------------------------------------------- */

/* Handlers by kind of packet, enum swo_what. */
static const struct kind {
	const char *(*take)(struct itm *, struct opencsd_element *);
	bool element; /* emits an element */
} kinds[] = {
    [SWO_BAD] = {take_reserved, true},	     [SWO_PORT] = {take_payload, true},
    [SWO_EVENTS] = {take_payload, true},     [SWO_EXCEPTION] = {take_payload, true},
    [SWO_PC] = {take_payload, true},	     [SWO_DATA] = {take_payload, true},
    [SWO_LOCAL] = {take_local, true},	     [SWO_GLOBAL_LOW] = {take_global, true},
    [SWO_GLOBAL_HIGH] = {take_global, true}, [SWO_EXTENSION] = {take_extension, false},
    [SWO_OVERFLOW] = {take_overflow, false},
};

static void
take_packet(struct itm *itm, struct swo_form form, const struct itm_sink *sink)
{
	const struct kind *kind = &kinds[form.what];
	struct opencsd_element e = {0};
	/* continuation bits up to the maximum length: no packet */
	bool endless = form.continued && itm->packet[itm->have - 1] & 0x80;
	const char *text = endless ? take_reserved(itm, &e) : kind->take(itm, &e);
	sink->packet(sink->context, itm->index, itm->packet, itm->have, text);
	if (kind->element || endless)
		itm_give(itm, &e, sink);
	itm->have = 0;
}

/* Drop everything learnt before a synchronisation, because decoding may also begin here. */
static void
itm_forget(struct itm *itm)
{
	itm->low_known = itm->high_known = false;
	itm->global = 0;
	itm->local = 0;
	itm->page = 0;
}

/* Handle the byte after zeros: it ends a synchronisation packet, or the zeros are damage. */
static void
take_zeros(struct itm *itm, uint8_t byte, const struct itm_sink *sink)
{
	static const uint8_t sync[] = {0, 0, 0, 0, 0, SWO_SYNC_LAST};
	struct opencsd_element e = {.type = OPENCSD_UNKNOWN};
	if (itm->zeros >= SWO_SYNC_ZEROS && byte == SWO_SYNC_LAST) {
		itm_forget(itm);
		itm->synced = true;
		sink->packet(sink->context, itm->index, sync, sizeof sync,
			     "ASYNC: alignment synchronisation");
	} else if (itm->synced) {
		sink->packet(sink->context, itm->index, sync, 1, "BAD_SEQUENCE: zeros");
		itm_give(itm, &e, sink);
	}
	itm->zeros = 0;
}

static void
feed_byte(struct itm *itm, uint64_t index, uint8_t byte, const struct itm_sink *sink)
{
	if (!itm->have && byte == 0) {
		if (!itm->zeros++)
			itm->index = index;
		if (itm->zeros > SWO_SYNC_ZEROS)
			itm->zeros = SWO_SYNC_ZEROS;
		return;
	}
	if (itm->zeros) {
		bool used = itm->zeros >= SWO_SYNC_ZEROS && byte == SWO_SYNC_LAST;
		take_zeros(itm, byte, sink);
		if (used)
			return;
	}
	if (!itm->synced)
		return;
	if (!itm->have)
		itm->index = index;
	itm->packet[itm->have++] = byte;
	const struct swo_form form = swo_form_of(itm->packet[0]);
	if (swo_form_is_whole(form, itm->packet, itm->have))
		take_packet(itm, form, sink);
}

void
itm_feed(struct itm *itm, uint64_t index, const uint8_t *bytes, size_t length,
	 const struct itm_sink *sink)
{
	if (!itm->begun && length) {
		struct opencsd_element e = {.type = OPENCSD_NO_SYNC,
					    .reason = itm->whole ? OPENCSD_UNSYNC_INIT
								 : OPENCSD_UNSYNC_RESET};
		itm->begun = true;
		itm->index = index;
		itm_give(itm, &e, sink);
	}
	if (length)
		itm->last = index + length - 1;
	for (size_t i = 0; i < length; i++)
		feed_byte(itm, index + i, bytes[i], sink);
}

void
itm_end(struct itm *itm, const struct itm_sink *sink)
{
	struct opencsd_element e = {.type = OPENCSD_EO_TRACE, .reason = OPENCSD_UNSYNC_END};
	struct opencsd_element nothing = {.type = OPENCSD_UNKNOWN};
	if (itm->begun && !itm->synced) {
		/* no byte was decoded; report that at the last one */
		itm->index = itm->last;
		itm_give(itm, &nothing, sink);
	}
	if (itm->have)
		sink->packet(sink->context, itm->index, itm->packet, itm->have,
			     "INCOMPLETE_EOT: the trace ends inside a packet");
	itm->have = 0;
	itm_give(itm, &e, sink);
}
