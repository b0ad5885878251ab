/*
 * A lane decodes one trace source of a capture.
 *
 * It feeds the bytes of the source to a tree.  It records where decoding could have started to
 * give the same elements, and the capture bytes of each packet.  It also finds the SyS-T message
 * that an STM packet ends.  After a decoder gives up, the lane resets it.  The first NO_SYNC after
 * a reset is dropped, as it only repeats an element.
 */
#ifndef TRAWL_DECODE_OPENCSD_LANE_H
#define TRAWL_DECODE_OPENCSD_LANE_H

#include "decode/coresight/coresight.h"
#include "decode/coresight/opencsd_tree.h"
#include "decode/stp/stp_open.h"

enum {
	OPENCSD_SYNCS = 80,
	OPENCSD_SYNC_SPACING = 4096, /* bytes in which at most one is kept */
	OPENCSD_RUNS = 32,
	OPENCSD_PACKETS = 256,
	OPENCSD_MESSAGE_SPAN = 256 * 1024, /* maximum extent of a SyS-T message */
	OPENCSD_OTHER_SPAN = 16 * 1024	   /* maximum extent of any other payload */
};

struct opencsd_lane;

struct opencsd_lane_sink {
	void *context;
	void (*element)(void *context, struct opencsd_lane *, const struct opencsd_element *);
	/* Called when the decoder gives up at a byte. */
	void (*fatal)(void *context, struct opencsd_lane *, uint64_t index, int why);
	/* May be NULL.  Like opencsd_tree_sink.packet, but the packet begins BACK bytes before
	 * INDEX. */
	void (*packet)(void *context, struct opencsd_lane *, uint64_t index, unsigned back,
		       size_t length, const void *packet);
};

/* Knowledge about the bytes before those that a lane gets. */
enum opencsd_since {
	OPENCSD_SINCE_START,	/* no bytes came before */
	OPENCSD_SINCE_UNSYNCED, /* no synchronisation was among them */
	OPENCSD_SINCE_SYNC,	/* decoding is right by the time it matters */
	OPENCSD_SINCE_ANYWHERE	/* nothing is known */
};

struct opencsd_lane {
	const struct opencsd_source *source;
	enum coresight_format format;
	struct opencsd_lane_sink sink;
	struct opencsd_tree *tree; /* NULL until first needed */

	/* Synchronisation packets.  Decoding from START gives the same elements from EXACT on.
	 * Both are offsets; UINT64_MAX: not known yet. */
	struct opencsd_sync {
		uint64_t start, exact;
	} syncs[OPENCSD_SYNCS];
	uint64_t sync_count; /* in total; the last OPENCSD_SYNCS are kept */
	enum opencsd_since since;
	uint64_t first;			    /* offset of the first byte */
	uint64_t first_anchor, last_anchor; /* resync points of the first and the last run */
	bool between;			    /* between two hardware runs: no end of trace */
	unsigned pattern;		    /* consecutive zero bytes, or nibbles F */
	uint64_t pattern_start;

	struct {
		uint64_t index;
		uint32_t count;
	} runs[OPENCSD_RUNS];
	uint64_t run_count;
	struct {
		uint64_t index;
		uint32_t length;    /* in the capture */
	} packets[OPENCSD_PACKETS]; /* by index modulo OPENCSD_PACKETS */

	/* for the sink: the current element */
	uint64_t index;
	uint32_t ordinal;		   /* number among the elements with the same index */
	const struct stp_message *message; /* message that the element ends, or NULL */
	struct stp_open open;
};

void opencsd_lane_init(struct opencsd_lane *, const struct opencsd_source *, enum coresight_format,
		       const struct opencsd_lane_sink *);
void opencsd_lane_free(struct opencsd_lane *);

/* Drop all state. */
void opencsd_lane_start(struct opencsd_lane *, enum opencsd_since);

/* Feed a run of the source's bytes from a frame. */
void opencsd_lane_feed(struct opencsd_lane *, const struct coresight_run *);
/* Feed bytes of a capture that contains only this source. */
void opencsd_lane_feed_plain(struct opencsd_lane *, const uint8_t *bytes, size_t length,
			     uint64_t offset);
void opencsd_lane_end(struct opencsd_lane *);

/* End a hardware run and start another at OFFSET.  The decoder emits its held-back elements and
 * restarts. */
void opencsd_lane_start_run(struct opencsd_lane *, uint64_t offset);

/* Note lost bytes.  The decoder drops its held-back elements and restarts. */
void opencsd_lane_break(struct opencsd_lane *);

/* Return the offset of the oldest open message, or UINT64_MAX. */
uint64_t opencsd_lane_oldest(const struct opencsd_lane *);

/* Where a lane can start to give the same elements from AT on: the latest such offset, and the
 * argument for opencsd_lane_start(). */
struct opencsd_restart {
	uint64_t offset;
	enum opencsd_since since;
};
struct opencsd_restart opencsd_lane_restart(const struct opencsd_lane *, uint64_t at);

/* Return the capture bytes from the first to the last of the packet at INDEX, or 1 if unknown. */
uint32_t opencsd_lane_length(const struct opencsd_lane *, uint64_t index);

#endif
