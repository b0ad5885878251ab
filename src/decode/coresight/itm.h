/*
 * The packets of an Instrumentation Trace Macrocell as generic trace elements.
 * [ARMv7-M, D4] is the appendix on ITM and DWT packets of the ARMv7-M Architecture
 * Reference Manual.
 *
 * Software writes to stimulus ports, the watchpoint hardware (DWT) adds packets
 * of its own, both with local timestamps (differences) and global ones (48 or
 * 64 bits in two packets).
 */
#ifndef TRAWL_DECODE_ITM_H
#define TRAWL_DECODE_ITM_H

#include "decode/coresight/opencsd_element.h"

enum { ITM_PACKET_MAX = 8 };

struct itm {
	uint64_t index; /* of the packet's first byte */
	uint64_t last;	/* of the last byte so far */
	uint8_t packet[ITM_PACKET_MAX];
	uint8_t have;		    /* bytes of it */
	uint8_t zeros;		    /* of a synchronisation packet, at most 5 count */
	bool synced;		    /* packets begin where they seem to */
	bool begun;		    /* NO_SYNC was given */
	bool whole;		    /* the trace began here */
	bool overflow;		    /* packets were lost before the next one */
	bool low_known, high_known; /* both parts of the global time, since the last
				       synchronisation, at which decoding may begin */
	uint8_t page;		    /* of the stimulus ports */
	uint64_t local;		    /* since then */
	uint64_t global;
};

struct itm_sink {
	void *context;
	void (*element)(void *context, const struct opencsd_element *);
	/* every packet, before its element; TEXT says what it is */
	void (*packet)(void *context, uint64_t index, const uint8_t *bytes, size_t length,
		       const char *text);
};

/* WHOLE: the first byte of the trace comes next. */
void itm_start(struct itm *, bool whole);
void itm_feed(struct itm *, uint64_t index, const uint8_t *bytes, size_t length,
	      const struct itm_sink *);
/* The trace ends. */
void itm_end(struct itm *, const struct itm_sink *);

#endif
