/*
 * Undo the CoreSight trace formatter: split frames into runs of bytes, each from a single trace
 * source.  [IHI0029, trace formatter] is that part of Arm's CoreSight Architecture Specification.
 *
 * A frame is 16 bytes of pairs.  The first byte of a pair is data or, with its low bit set, the ID
 * of the next source.  The last byte of the frame holds the low bits of the first bytes.  A trace
 * port (TPIU) adds synchronisation packets between and inside frames [IHI0029, trace formatter].
 *
 * Positions.  An *offset* is a position in the capture.  An *index* counts trace bytes only, as
 * the reference decoder does.  It differs from the offset in a DSTREAM capture, where 8 bytes in
 * 512 carry no trace.  The index of a run is that of its frame, or of the pair that named its
 * source.
 *
 * Every byte is in a run or in `counts`.  Bytes before the first frame synchronisation, or of a
 * frame that it cut short, are in runs of CORESIGHT_NOBODY.
 */
#ifndef TRAWL_DECODE_CORESIGHT_H
#define TRAWL_DECODE_CORESIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum coresight_format {
	CORESIGHT_ALIGNED, /* only frames, from the first byte of the capture */
	CORESIGHT_DSTREAM, /* TPIU in blocks of 504 bytes and 8 others [OpenCSD 1.3.3, second
			      hand: trc_pkt_lister] */
	CORESIGHT_TPIU,	   /* frames with frame and half-frame synchronisation */
	CORESIGHT_SOURCE   /* the bytes of a single source, without frames */
};

enum {
	CORESIGHT_FRAME = 16,
	CORESIGHT_RUN_MAX = 15,	 /* bytes in a run */
	CORESIGHT_NOBODY = 0x80, /* before the first ID */
	CORESIGHT_IDS = 0x81
};

/* IDs that belong to no source [IHI0029, trace formatter, special trace source IDs].  The null ID
 * pads frames. */
enum {
	CORESIGHT_ID_NULL = 0x00,
	CORESIGHT_ID_FIRST_SPECIAL = 0x70,
	CORESIGHT_ID_FLUSH = 0x7b,
	CORESIGHT_ID_TRIGGER = 0x7d,
	CORESIGHT_ID_RESERVED = 0x7f
};

/* Synchronisation as little-endian numbers: ff ff ff 7f between frames, ff 7f between pairs
 * of bytes [IHI0029, trace formatter]. */
enum { CORESIGHT_SYNC_FRAME = 0x7fffffff, CORESIGHT_SYNC_HALF = 0x7fff };

/* The first byte of a pair: data or the ID of the next source. */
struct coresight_pair {
	bool names;
	bool low;     /* its bit in the last byte of the frame */
	uint8_t id;   /* if NAMES; with LOW it takes effect one byte later */
	uint8_t data; /* if not NAMES */
};

/* Return the pair at the even position I.  Bit N of the last byte belongs to byte 2 N.  If that
 * byte is data, the bit is its low bit.  If it is an ID and the bit is set, the next byte still
 * belongs to the old source [IHI0029, trace formatter]. */
static inline struct coresight_pair
coresight_pair(const uint8_t frame[static CORESIGHT_FRAME], unsigned i)
{
	bool low = frame[CORESIGHT_FRAME - 1] >> i / 2 & 1;
	return (struct coresight_pair){.names = frame[i] & 1,
				       .low = low,
				       .id = frame[i] >> 1,
				       .data = (uint8_t)(frame[i] | low)};
}

struct coresight_run {
	uint64_t index; /* index of the first byte; approximate, see above */
	/* An offset from which deformatting finds the source of this run again. */
	uint64_t anchor;
	uint8_t id;
	uint8_t count;
	uint8_t bytes[CORESIGHT_RUN_MAX];
	uint64_t offsets[CORESIGHT_RUN_MAX]; /* offset of each byte */
};

struct coresight {
	enum coresight_format format;
	bool synced;	 /* the start of frames is known */
	bool grid;	 /* frame starts come from coresight_start_grid() */
	uint8_t wait;	 /* bytes before the first frame of the grid */
	uint8_t id;	 /* the current source */
	uint8_t have;	 /* bytes collected of an unfinished frame */
	uint64_t anchor; /* resync point of the current source */
	uint64_t sync;	 /* offset of the last frame synchronisation */
	uint32_t tail;	 /* the last four bytes */
	uint8_t fresh;	 /* bytes of `tail` not yet in a run or in `counts` */
	uint8_t frame[CORESIGHT_FRAME];
	uint64_t offsets[CORESIGHT_FRAME];
	/* bytes that are in no run */
	struct coresight_counts {
		uint64_t frame; /* IDs of sources, and the low bits */
		uint64_t sync;
		uint64_t block; /* at the ends of a DSTREAM's blocks */
	} counts;
};

typedef void coresight_sink(void *context, const struct coresight_run *);

/* Start at OFFSET.  Aligned frames start at multiples of 16. */
void coresight_start(struct coresight *, enum coresight_format, uint64_t offset);

/* Start a trace port without synchronisation: frame offsets are PHASE modulo 16. */
void coresight_start_grid(struct coresight *, unsigned phase, uint64_t offset);

/* Pass the runs in LENGTH bytes at OFFSET to the sink.  The bytes must follow those of the last
 * call.  With aligned frames, a partial frame at the end is ignored.  Not for CORESIGHT_SOURCE. */
void coresight_feed(struct coresight *, const uint8_t *bytes, size_t length, uint64_t offset,
		    coresight_sink *, void *context);

/* Pass the bytes that are in no whole frame at the end of the capture to the sink.  Not for
 * aligned frames. */
void coresight_finish(struct coresight *, coresight_sink *, void *context);

static inline uint64_t
coresight_index(enum coresight_format format, uint64_t offset)
{
	if (format != CORESIGHT_DSTREAM)
		return offset;
	uint64_t part = offset % 512;
	return offset / 512 * 504 + (part < 504 ? part : 504);
}

static inline uint64_t
coresight_offset(enum coresight_format format, uint64_t index)
{
	return format == CORESIGHT_DSTREAM ? index / 504 * 512 + index % 504 : index;
}

#endif
