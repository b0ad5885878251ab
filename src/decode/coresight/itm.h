/*
 * Decode the packets of an Instrumentation Trace Macrocell (ITM) to generic trace elements.
 * [ARMv7-M, D4] is the appendix on ITM and DWT packets of the ARMv7-M Architecture Reference
 * Manual.
 *
 * Software writes to stimulus ports, and the watchpoint hardware (DWT) adds its packets.  Both
 * come with local timestamps (differences) and global timestamps (48 or 64 bits in two packets).
 */
#ifndef TRAWL_DECODE_ITM_H
#define TRAWL_DECODE_ITM_H

#include "decode/coresight/opencsd_element.h"

enum { ITM_PACKET_MAX = 8 };

struct itm {
	uint64_t index; /* of the first byte of the packet */
	uint64_t last;	/* of the last byte received */
	uint8_t packet[ITM_PACKET_MAX];
	uint8_t have;		    /* bytes in `packet` */
	uint8_t zeros;		    /* zeros of a synchronisation packet, at most 5 */
	bool synced;		    /* packet boundaries are known */
	bool begun;		    /* NO_SYNC was emitted */
	bool whole;		    /* the trace began with the first byte */
	bool overflow;		    /* packets were lost before the next one */
	bool low_known, high_known; /* parts of the global time received since the last
				       synchronisation, where decoding may begin */
	uint8_t page;		    /* page of the stimulus ports */
	uint64_t local;		    /* sum of local timestamps since the last synchronisation or
				       overflow */
	uint64_t global;
};

struct itm_sink {
	void *context;
	void (*element)(void *context, const struct opencsd_element *);
	/* Called for every packet, before its element.  TEXT describes the packet. */
	void (*packet)(void *context, uint64_t index, const uint8_t *bytes, size_t length,
		       const char *text);
};

/* Start decoding.  WHOLE: the next byte is the first one of the trace. */
void itm_start(struct itm *, bool whole);
void itm_feed(struct itm *, uint64_t index, const uint8_t *bytes, size_t length,
	      const struct itm_sink *);
/* End the trace. */
void itm_end(struct itm *, const struct itm_sink *);

#endif
