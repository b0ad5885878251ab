/*
 * The decoder of CoreSight trace buffers: what opening (opencsd_open.c),
 * stepping (opencsd.c) and expanding (opencsd_expand.c) share.
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

struct opencsd_decoder {
	struct syst_decoder syst; /* for messages over STM */
	struct syst_options syst_options;
	const struct opencsd_options *options;
	enum coresight_format format;
	bool grid;     /* a trace port's frames have no synchronisation */
	uint8_t phase; /* of their offsets then, modulo 16 */
	/* what reads the frames of a trace port with an ITM, and the lane of that; NULL, and
	 * OPENCSD_NO_LANE, of others */
	struct decoder *swo;
	struct swo_options swo_options;
	uint8_t itm_lane;
	struct opencsd_source *sources;
	size_t source_count;
	uint8_t lane_of[CORESIGHT_IDS]; /* source by trace ID; OPENCSD_NO_LANE */
	/* runs of the hardware, in order: pointers into the options */
	VEC(const struct opencsd_run_options *) runs;
	VEC(struct capture *) files;   /* of memory images */
	VEC(struct file_stamp) stamps; /* of these */
	/* the images of the options, an ELF file as its segments; names are theirs */
	VEC(struct opencsd_image_options) images;
	struct text notes;	   /* what is missing: the error of load */
	struct text about;	   /* see struct decoder */
	struct opencsd_pool *pool; /* of workers that expand */
	struct opencsd_kept *kept; /* what step hands on to expand */
};

enum { OPENCSD_NO_LANE = 0xff };

/*
 * How far before a place decoding has to start, in eight bits: three of
 * mantissa and five of exponent, in frames, rounded up.
 */
enum {
	OPENCSD_FROM_START = 0xff, /* of the capture */
	OPENCSD_NOT_BEGUN = 0xfe,  /* no byte came before */
	OPENCSD_UNSYNCED = 0xfd,   /* no synchronisation came before */
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

/* Frames read by units, wherever they start. */
struct opencsd_units {
	uint64_t anchor; /* the unit that named the source that goes on */
	uint8_t id;	 /* of that */
};

/*
 * message.aux: who and where.  Of an element: its number among those with its
 * index and source, the distance of the place from which decoding gives it
 * again, and whether only the end of the trace does.  Of FATAL: why.  Of STRAY:
 * how many bytes.  Of LOST: the number of the run.
 *
 *	0-31 number, why, bytes, run; 32-39 distance from message.offset;
 *	40-47 trace ID; 48 at the end; 49-50 what decoding needs of the
 *	bytes before that place (enum opencsd_since); 51-63 as
 *	opencsd_element_message fills them
 *
 * Beside an ITM the place is exact: 0-13 number, 14-39 distance in bytes, those that are
 * farther excepted.
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

/* opencsd_runs.c: takes the runs of the options, in order. */
void opencsd_runs_open(struct opencsd_decoder *);

/* Number of the first run at or behind OFFSET. */
size_t opencsd_run_from(const struct opencsd_decoder *, uint64_t offset);

/* Where decoding from OFFSET on, at most to END, has to stop: at the next run, or where
 * bytes that are passed over begin or end.  *SKIP: those from OFFSET on are. */
uint64_t opencsd_run_end(const struct opencsd_decoder *, uint64_t offset, uint64_t end, bool *skip);

/* Whether a run starts at OFFSET. */
bool opencsd_starts_run(const struct opencsd_decoder *, uint64_t offset);

/* opencsd_options.c: who sends what lane LANE carries, for people. */
const char *opencsd_source_name(const struct opencsd_decoder *, size_t lane);
/* The name of an enum opencsd_protocol in a profile. */
const char *opencsd_protocol_name(int protocol);

/* Starts to undo the frames of a capture at an offset. */
static inline void
opencsd_start_frames(const struct opencsd_decoder *d, struct coresight *frames, uint64_t offset)
{
	if (d->grid)
		coresight_start_grid(frames, d->phase, offset);
	else
		coresight_start(frames, d->format, offset);
}

enum { OPENCSD_SWO_SOURCES = 7 }; /* with an ITM; a checkpoint has no room for more */

/* opencsd_swo.c: finds the ITM in the frames of a trace port, and opens what reads both. */
int opencsd_swo_open(struct opencsd_decoder *, const struct window *head, struct err *);
/* The ITMs, where the frames of a trace port have several and nothing else. */
bool opencsd_part(const struct decoder *, size_t i, struct decoder_part *);
/* Starts to read units at an offset. */
void opencsd_units_start(struct opencsd_units *, uint64_t offset);
/* Gives the runs of a unit. */
void opencsd_units_take(struct opencsd_units *, uint64_t offset, const struct swo_unit *,
			coresight_sink *, void *context);
/* Makes a message of the ITM one of the mix, whose kinds are from OPENCSD_KIND_COUNT on, and
 * expands such a one. */
void opencsd_swo_mix(struct message *);
void opencsd_swo_expand(const struct opencsd_decoder *, const struct message *,
			const struct window *, enum expand_want, struct expansion *);

/* opencsd_open.c */
void opencsd_probe(const struct window *head, struct probe *);
struct opencsd_decoder *opencsd_open(const struct opencsd_options *, const struct window *head,
				     struct err *);
bool opencsd_is_stm(const struct opencsd_decoder *); /* all its time stamps are an STM's */
void opencsd_close(struct decoder *);
int opencsd_load(struct decoder *, struct err *);

/* opencsd_survey.c */
void opencsd_survey(const struct decoder *, const struct window *head, const struct decoder_names *,
		    struct text *about, struct text *missing);

/* opencsd_packets.c */
void opencsd_list_packets(const struct decoder *, const struct window *,
			  bool (*take)(void *context, const struct text *line), void *context);

/* opencsd_expand.c; the text of an element that is not found any more */
#define OPENCSD_NOT_FOUND "cannot be decoded again: bytes before it are missing"
void opencsd_type_keys(const struct decoder *, const struct message *, size_t count,
		       const struct window *, uint64_t *keys, bool *keyed);
void opencsd_expand(const struct decoder *, const struct message *, const struct window *,
		    enum expand_want, const struct decode_history *, struct expansion *);
bool opencsd_print(const struct decoder *, const struct message *, const struct window *,
		   struct expansion *, struct text *out);
bool opencsd_announces(const struct decoder *, const struct message *, const struct window *,
		       uint8_t guid[16], uint64_t *build);
void opencsd_flow(const struct decoder *, const struct message *, const struct window *,
		  const struct flow_modes *, struct flow_packet *);
const uint8_t *opencsd_memory(const struct decoder *, const struct decode_memory *,
			      uint64_t address, size_t *length);
struct opencsd_pool *opencsd_pool_new(const struct opencsd_decoder *);
void opencsd_pool_free(struct opencsd_pool *);

#endif
