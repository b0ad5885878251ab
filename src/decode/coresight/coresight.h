/*
 * The CoreSight trace formatter undone: frames become runs of bytes of one
 * trace source.  [IHI0029, trace formatter] is that part of Arm's CoreSight Architecture
 * Specification.
 *
 * A frame is 16 bytes: pairs of which the first byte is data or, if its low
 * bit is set, the ID of the source that goes on; the last byte holds the low
 * bits of the first bytes.  A trace port (TPIU) puts synchronisation packets
 * between and into the frames [IHI0029, trace formatter].
 *
 * Places.  An *offset* is one of the capture.  An *index* counts trace bytes
 * alone, as the reference decoder does: it differs from the offset in the
 * captures of a DSTREAM, of which 8 bytes in 512 are no trace.  A run's index
 * is that of its frame, or of the pair that named its source.
 *
 * Every byte is in a run or is counted: bytes of a frame that carry no trace,
 * synchronisation, what is no trace.  Bytes that no frame synchronisation came
 * before, or of a frame that one cut short, are in runs of CORESIGHT_NOBODY.
 */
#ifndef TRAWL_DECODE_CORESIGHT_H
#define TRAWL_DECODE_CORESIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum coresight_format {
	CORESIGHT_ALIGNED, /* frames alone, from the first byte of the capture */
	CORESIGHT_DSTREAM, /* TPIU in blocks of 504 bytes and 8 others [OpenCSD 1.3.3, second
			      hand: trc_pkt_lister] */
	CORESIGHT_TPIU,	   /* frames with frame and half-frame synchronisation */
	CORESIGHT_SOURCE   /* no frames: the bytes of one source */
};

enum {
	CORESIGHT_FRAME = 16,
	CORESIGHT_RUN_MAX = 15,	 /* bytes of a run in a frame */
	CORESIGHT_NOBODY = 0x80, /* no ID came yet */
	CORESIGHT_IDS = 0x81
};

/* IDs that are no source's [IHI0029, trace formatter, special trace source IDs].  Frames
 * are filled up with the null ID. */
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

/* What the first byte of a pair is: data, or the ID of the source that goes on. */
struct coresight_pair {
	bool names;
	bool low;     /* its bit in the last byte of the frame */
	uint8_t id;   /* if it names one; LOW: from the byte after the next on */
	uint8_t data; /* if not */
};

/* The pair at I, which is even.  Bit N of the last byte is the low bit of byte 2 N where
 * that is data; where it is an ID, the next byte is the old source's if the bit is set
 * [IHI0029, trace formatter]. */
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
	uint64_t index; /* of its first byte, about: see above */
	/* Deformatting from this offset on gives this run its source again. */
	uint64_t anchor;
	uint8_t id;
	uint8_t count;
	uint8_t bytes[CORESIGHT_RUN_MAX];
	uint64_t offsets[CORESIGHT_RUN_MAX]; /* where each byte lies */
};

struct coresight {
	enum coresight_format format;
	bool synced;	 /* the frame's start is known */
	bool grid;	 /* by its offset */
	uint8_t wait;	 /* bytes before the first frame of the grid */
	uint8_t id;	 /* of the source that goes on */
	uint8_t have;	 /* bytes of an unfinished frame */
	uint64_t anchor; /* of that source */
	uint64_t sync;	 /* offset of the last frame synchronisation */
	uint32_t tail;	 /* the last four bytes */
	uint8_t fresh;	 /* so many of those are in nothing yet */
	uint8_t frame[CORESIGHT_FRAME];
	uint64_t offsets[CORESIGHT_FRAME];
	/* bytes so far that are in no run */
	struct coresight_counts {
		uint64_t frame; /* the IDs of sources, and the low bits */
		uint64_t sync;
		uint64_t block; /* at the ends of a DSTREAM's blocks */
	} counts;
};

typedef void coresight_sink(void *context, const struct coresight_run *);

/* Starts at an offset.  Aligned frames start at multiples of 16. */
void coresight_start(struct coresight *, enum coresight_format, uint64_t offset);

/* Starts a trace port without synchronisation: frames start at offsets that are PHASE modulo
 * 16. */
void coresight_start_grid(struct coresight *, unsigned phase, uint64_t offset);

/* Gives the runs in LENGTH bytes at OFFSET, which follow those of the last
 * call.  Of aligned frames only whole ones are taken.  Not for
 * CORESIGHT_SOURCE. */
void coresight_feed(struct coresight *, const uint8_t *bytes, size_t length, uint64_t offset,
		    coresight_sink *, void *context);

/* Gives what is left at the end of the capture, of no whole frame.  Not for aligned
 * frames. */
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
