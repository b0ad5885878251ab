/*
 * The decoder of CoreSight trace buffers: shared declarations for opening (opencsd_open.c),
 * stepping (opencsd.c) and expanding (opencsd_expand.c).
 */
#ifndef TRAWL_DECODE_OPENCSD_DECODER_H
#define TRAWL_DECODE_OPENCSD_DECODER_H

#include "decode/coresight/coresight.h"
#include "decode/coresight/opencsd_lane.h"
#include "decode/coresight/opencsd_tree.h"
#include "decode/coresight/swo.h"
#include "decode/syst/syst.h"

struct opencsd_pool;
struct opencsd_kept;

enum { OPENCSD_SWO_SOURCES = 7 }; /* with an ITM; limited by the checkpoint */

struct opencsd_decoder {
	struct syst_decoder syst; /* decodes messages over STM */
	struct syst_options syst_options;
	const struct opencsd_options *options;
	enum coresight_format format;
	bool grid;     /* trace port frames without synchronisation */
	uint8_t phase; /* of frame offsets modulo 16, if `grid` */
	/* Reader of trace port frames with an ITM, and the lane of the ITM.  Otherwise NULL and
	 * OPENCSD_NO_LANE. */
	struct decoder *swo;
	struct swo_options swo_options;
	uint8_t itm_lane;
	struct decoder_part parts[OPENCSD_SWO_SOURCES];
	struct opencsd_source *sources;
	size_t source_count;
	uint8_t lane_of[CORESIGHT_IDS]; /* source by trace ID, or OPENCSD_NO_LANE */
	uint8_t strand_of[CORESIGHT_IDS]; /* see struct decoder */
	/* hardware runs in order: pointers into the options */
	VEC(const struct opencsd_run_options *) runs;
	VEC(struct capture *) files;   /* files of memory images */
	VEC(struct file_stamp) stamps; /* stamps of `files` */
	/* Images of the options, with ELF files split into segments.  The options own the names. */
	VEC(struct opencsd_image_options) images;
	struct text notes;	   /* missing files and sources: the error of load() */
	struct text about;	   /* see struct decoder */
	struct opencsd_pool *pool; /* for opencsd_expand.c */
	struct opencsd_kept *kept; /* elements that step() keeps for expand() */
};

enum { OPENCSD_NO_LANE = 0xff };

/*
 * Distance back to the offset where decoding must start, encoded in eight bits.  Five bits of
 * exponent and three of mantissa, in frames, rounded up.
 */
enum {
	OPENCSD_FROM_START = 0xff, /* start of the capture */
	OPENCSD_NOT_BEGUN = 0xfe,  /* no byte of the source came before */
	OPENCSD_UNSYNCED = 0xfd,   /* no synchronisation of the source came before */
	OPENCSD_DISTANCE_MAX = 0xfc
};

static inline uint64_t
opencsd_frames_back(unsigned code)
{
	return (uint64_t)(8 + (code & 7)) << (code >> 3);
}

static inline unsigned
opencsd_distance(uint64_t start, uint64_t at)
{
	unsigned code = 0;
	if (!start)
		return OPENCSD_FROM_START;
	uint64_t frames = start < at ? (at - start) / CORESIGHT_FRAME + 1 : 0;
	while (code + 8 < OPENCSD_DISTANCE_MAX && opencsd_frames_back(code + 8) <= frames)
		code += 8;
	while (code < OPENCSD_DISTANCE_MAX && opencsd_frames_back(code) < frames)
		code++;
	return code;
}

static inline uint64_t
opencsd_start_of(unsigned code, uint64_t at)
{
	uint64_t back = opencsd_frames_back(code) * CORESIGHT_FRAME;
	return code <= OPENCSD_DISTANCE_MAX && back < at ? (at - back) & ~(uint64_t)15 : 0;
}

/* State for frames read by units, which may start at any offset. */
struct opencsd_units {
	uint64_t anchor; /* offset of the unit that named the current source */
	uint8_t id;	 /* current source */
};

/*
 * Layout of message.aux.
 *
 * An element stores three things: its number among the elements with the same index and source,
 * the distance back to the offset from which decoding yields it again, and whether it appears only
 * at the end of the trace.  FATAL stores the reason, STRAY the number of bytes, LOST the number of
 * the run.
 *
 *	0-31 number, reason, bytes or run; 32-39 distance from message.offset;
 *	40-47 trace ID; 48 at the end; 49-50 knowledge about the bytes
 *	before that offset (enum opencsd_since); 51-63 filled by
 *	opencsd_element_message()
 *
 * With an ITM in frames the offset is exact: 0-13 number, 14-39 distance in bytes, limited to
 * OPENCSD_EXACT_FAR.
 */
static inline uint64_t
opencsd_aux(uint8_t id, uint32_t number)
{
	return number | (uint64_t)id << 40;
}

enum { OPENCSD_EXACT_NUMBERS = 1 << 14, OPENCSD_EXACT_FAR = (1 << 26) - 1 };
static inline uint64_t
opencsd_aux_exact(uint8_t id, uint32_t number, uint64_t start, uint64_t at)
{
	uint64_t distance = start < at ? at - start : 0;
	if (distance > OPENCSD_EXACT_FAR)
		distance = OPENCSD_EXACT_FAR;
	return number % OPENCSD_EXACT_NUMBERS | distance << 14 | (uint64_t)id << 40;
}

static inline uint64_t
opencsd_aux_place(unsigned distance, bool at_end, enum opencsd_since since)
{
	return (uint64_t)distance << 32 | (uint64_t)at_end << 48 | (uint64_t)since << 49;
}

static inline uint8_t
opencsd_aux_id(uint64_t aux)
{
	return (uint8_t)(aux >> 40);
}

/* opencsd_runs.c: collect the runs of the options, in order. */
void opencsd_runs_open(struct opencsd_decoder *);

/* Return the number of the first run at or after OFFSET. */
size_t opencsd_run_from(const struct opencsd_decoder *, uint64_t offset);

/* Return where decoding from OFFSET to END must stop: at the next run, or where skipped bytes
 * begin or end.  Set *SKIP if the bytes from OFFSET on are skipped. */
uint64_t opencsd_run_end(const struct opencsd_decoder *, uint64_t offset, uint64_t end, bool *skip);

/* True if a run starts at OFFSET. */
bool opencsd_starts_run(const struct opencsd_decoder *, uint64_t offset);

/* opencsd_options.c: return the display name of the source of LANE. */
const char *opencsd_source_name(const struct opencsd_decoder *, size_t lane);
/* Return the name of an enum opencsd_protocol in a profile. */
const char *opencsd_protocol_name(int protocol);

/* Start undoing the frames of a capture at OFFSET. */
static inline void
opencsd_start_frames(const struct opencsd_decoder *d, struct coresight *frames, uint64_t offset)
{
	if (d->grid)
		coresight_start_grid(frames, d->phase, offset);
	else
		coresight_start(frames, d->format, offset);
}

/* opencsd_swo.c: find the ITM in the frames of a trace port and open the reader for both.  If the
 * frames contain several ITMs and nothing else, each is a part. */
int opencsd_swo_open(struct opencsd_decoder *, const struct window *head, struct err *);
/* Start reading units at OFFSET. */
void opencsd_units_start(struct opencsd_units *, uint64_t offset);
/* Pass the runs of a unit to the sink. */
void opencsd_units_take(struct opencsd_units *, uint64_t offset, const struct swo_unit *,
			coresight_sink *, void *context);
/* opencsd_swo_mix() turns an ITM message into one of `opencsd`, with a kind from
 * OPENCSD_KIND_COUNT on.  Use opencsd_swo_expand() to expand it. */
void opencsd_swo_mix(struct message *);
void opencsd_swo_expand(const struct opencsd_decoder *, const struct message *,
			const struct window *, enum expand_want, struct expansion *);

/* opencsd_open.c */
void opencsd_probe(const struct window *head, struct probe *);
struct opencsd_decoder *opencsd_open(const struct opencsd_options *, const struct window *head,
				     struct err *);
bool opencsd_is_stm(const struct opencsd_decoder *); /* true if all timestamps come from STMs */
void opencsd_close(struct decoder *);
int opencsd_load(struct decoder *, struct err *);

/* opencsd_survey.c */
void opencsd_survey(const struct decoder *, const struct window *head, const struct decoder_names *,
		    struct text *about, struct text *missing);

/* opencsd_packets.c */
void opencsd_list_packets(const struct decoder *, const struct window *,
			  bool (*take)(void *context, const struct text *line), void *context);

/* opencsd_expand.c; text of an element that can no longer be decoded */
#define OPENCSD_NOT_FOUND "cannot be decoded again: bytes before it are missing"
void opencsd_type_keys(const struct decoder *, const struct message *, size_t count,
		       const struct window *, uint64_t *keys, bool *keyed);
void opencsd_expand(const struct decoder *, const struct message *, const struct window *,
		    enum expand_want, const struct decode_history *, struct expansion *);
bool opencsd_print(const struct decoder *, const struct message *, const struct window *,
		   struct expansion *, struct text *out);
void opencsd_flow(const struct decoder *, const struct message *, const struct window *,
		  const struct flow_modes *, struct flow_packet *);
const uint8_t *opencsd_memory(const struct decoder *, const struct decode_memory *,
			      uint64_t address, size_t *length);
struct opencsd_pool *opencsd_pool_new(const struct opencsd_decoder *);
void opencsd_pool_free(struct opencsd_pool *);

#endif
