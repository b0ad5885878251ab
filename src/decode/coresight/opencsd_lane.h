/*
 * A lane: one trace source on its way through a capture.
 *
 * A lane feeds the bytes of its source to a tree, and keeps
 * where decoding could have started to give the same elements from some place
 * on, which bytes of the capture a packet lies in, and which SyS-T message an
 * STM packet ends.  Decoders that give up are set up again, and their first
 * NO_SYNC is dropped: it would only repeat an element.
 */
#ifndef TRAWL_DECODE_OPENCSD_LANE_H
#define TRAWL_DECODE_OPENCSD_LANE_H

#include "decode/coresight/coresight.h"
#include "decode/coresight/opencsd_tree.h"
#include "decode/stp/stp_open.h"

enum {
	OPENCSD_SYNCS = 80,
	OPENCSD_SYNC_SPACING = 4096, /* at most one is kept in so many bytes */
	OPENCSD_RUNS = 32,
	OPENCSD_PACKETS = 256,
	OPENCSD_MESSAGE_SPAN = 256 * 1024, /* a SyS-T message reaches no further */
	OPENCSD_OTHER_SPAN = 16 * 1024	   /* nor are other payloads put together */
};

struct opencsd_lane;

struct opencsd_lane_sink {
	void *context;
	void (*element)(void *context, struct opencsd_lane *, const struct opencsd_element *);
	/* The decoder gave up at a byte. */
	void (*fatal)(void *context, struct opencsd_lane *, uint64_t index, int why);
	/* May be NULL; as in opencsd_tree_sink.  The packet begins BACK bytes
	 * before INDEX. */
	void (*packet)(void *context, struct opencsd_lane *, uint64_t index, unsigned back,
		       size_t length, const void *packet);
};

/* What is certain of the bytes before those that a lane gets. */
enum opencsd_since {
	OPENCSD_SINCE_START,	/* there were none */
	OPENCSD_SINCE_UNSYNCED, /* no synchronisation was among them */
	OPENCSD_SINCE_SYNC,	/* what comes next is right once it matters */
	OPENCSD_SINCE_ANYWHERE	/* nothing */
};

struct opencsd_lane {
	const struct opencsd_source *source;
	enum coresight_format format;
	struct opencsd_lane_sink sink;
	struct opencsd_tree *tree; /* made when it is first needed */

	/* synchronisation packets: who starts at START gives the same from
	 * EXACT on (offsets; UINT64_MAX: not known yet) */
	struct opencsd_sync {
		uint64_t start, exact;
	} syncs[OPENCSD_SYNCS];
	uint64_t sync_count; /* ever; the last OPENCSD_SYNCS are there */
	enum opencsd_since since;
	uint64_t first;			    /* offset of the first byte */
	uint64_t first_anchor, last_anchor; /* of the first run and the last */
	bool between;			    /* two runs: the trace does not end */
	unsigned pattern;		    /* zero bytes, or nibbles F, so far */
	uint64_t pattern_start;

	struct {
		uint64_t index;
		uint32_t count;
	} runs[OPENCSD_RUNS];
	uint64_t run_count;
	struct {
		uint64_t index;
		uint32_t length;    /* in the capture */
	} packets[OPENCSD_PACKETS]; /* by index modulo their number */

	/* for the sink, about the element at hand */
	uint64_t index;
	uint32_t ordinal;		   /* among the elements with the same index */
	const struct stp_message *message; /* that it ends, or NULL */
	struct stp_open open;
};

void opencsd_lane_init(struct opencsd_lane *, const struct opencsd_source *, enum coresight_format,
		       const struct opencsd_lane_sink *);
void opencsd_lane_free(struct opencsd_lane *);

/* Forgets all. */
void opencsd_lane_start(struct opencsd_lane *, enum opencsd_since);

/* A run of the source's bytes out of a frame. */
void opencsd_lane_feed(struct opencsd_lane *, const struct coresight_run *);
/* Bytes of a capture that holds nothing but the source's. */
void opencsd_lane_feed_plain(struct opencsd_lane *, const uint8_t *bytes, size_t length,
			     uint64_t offset);
void opencsd_lane_end(struct opencsd_lane *);

/* A run of the hardware ends here and another starts at OFFSET: what the decoder holds back
 * comes, and it starts anew. */
void opencsd_lane_start_run(struct opencsd_lane *, uint64_t offset);

/* Bytes are lost here: what the decoder holds back is lost with them, and it starts anew. */
void opencsd_lane_break(struct opencsd_lane *);

/* Where the oldest message under way starts; UINT64_MAX if there is none. */
uint64_t opencsd_lane_oldest(const struct opencsd_lane *);

/* Where a lane can start to give the same from AT on: a late offset, and what
 * opencsd_lane_start has to be given of what came before. */
struct opencsd_restart {
	uint64_t offset;
	enum opencsd_since since;
};
struct opencsd_restart opencsd_lane_restart(const struct opencsd_lane *, uint64_t at);

/* Bytes of the capture from the first of the packet at INDEX to its last; 1 if
 * that is not known. */
uint32_t opencsd_lane_length(const struct opencsd_lane *, uint64_t index);

#endif
