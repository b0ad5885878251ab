/*
 * Captures of an SWO pin, for tests: the packets of ITMs and their DWTs, written from the
 * packet tables of the Arm manuals ([ARMv7-M, D4], [Armv8-M, "DWT packets"]).  It shares no
 * code with the decoders.
 *
 * With the capture come the rows that a decoder should show, and the places that were damaged.
 */
#ifndef TRAWL_TESTS_UNIT_ITM_ENCODE_H
#define TRAWL_TESTS_UNIT_ITM_ENCODE_H

#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ITM_MAX = 3 };

/* What a capture has, a bit each. */
enum itm_has {
	ITM_TEXT = 1 << 0,   /* text on port 0 */
	ITM_WRITES = 1 << 1, /* numbers on other ports */
	ITM_EXCEPTIONS = 1 << 2,
	ITM_PCS = 1 << 3,
	ITM_DATA = 1 << 4,
	ITM_COUNTERS = 1 << 5,
	ITM_OVERFLOWS = 1 << 6,
	ITM_PAGES = 1 << 7,
	ITM_V8M = 1 << 8,     /* packets that Armv8-M added, and reserved ones */
	ITM_LOCAL = 1 << 9,   /* local timestamps */
	ITM_GLOBAL = 1 << 10, /* global ones */
	ITM_SYNCS = 1 << 11,
	ITM_COLOUR = 1 << 12 /* the text has colours, UTF-8 and NUL bytes */
};

struct itm_plan {
	uint64_t seed;
	unsigned has;
	unsigned text_size; /* bytes in each write of text: 1, 2 or 4 */
	unsigned itms;	    /* 1 .. ITM_MAX */
	unsigned framed;    /* in frames of a TPIU; several ITMs are */
	unsigned packets;   /* of each ITM, at least */
	unsigned cuts;	    /* stretches of bytes that are lost */
	unsigned strays;    /* bytes that came in */
};

struct itm_row {
	char *text;	     /* as itm_encode.c describes; to be freed */
	uint64_t start, end; /* in the capture: of the packet, or of its frames */
	uint64_t ticks;
	uint8_t itm;
	bool timed; /* by local timestamps */
	bool is_sync;
	bool hit; /* damage took some of its bytes, or came in between */
};

struct itm_made {
	VEC(uint8_t) bytes;
	VEC(struct itm_row) rows; /* of each ITM in order; all that were sent */
	VEC(uint64_t) damage;	  /* offsets in the capture */
	uint8_t ids[ITM_MAX];
};

/* Fills a plan at random; DAMAGED: with damage. */
struct itm_plan itm_plan_random(uint64_t seed, bool damaged);
void itm_encode(const struct itm_plan *, struct itm_made *);
void itm_made_free(struct itm_made *);

#endif
