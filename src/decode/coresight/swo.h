/*
 * ITM packets of an SWO pin, either bare (format `itm`) or in TPIU frames with other sources
 * (format `tpiu`).  This header declares what their source files share.
 *
 * An SWO capture often has no synchronisation at all, since the manual recommends none on an
 * asynchronous pin [ARMv7-M, C1.7.1].  So decoding starts at the first byte, and the packets
 * inside the frames show where frames start.
 *
 * Positions.  A message of `itm` covers the bytes of its packets.  A message of `tpiu` covers
 * whole frames, because the low bits of bytes are at the end of a frame.
 */
#ifndef TRAWL_DECODE_SWO_H
#define TRAWL_DECODE_SWO_H

#include "decode/coresight/coresight.h"
#include "decode/coresight/opencsd_element.h"
#include "decode/coresight/swo_packet.h"
#include "decode/decoder.h"

/* --- options and decoder ------------------------------------------------ */

/* Profile settings `itm:` and `tpiu:`. */
struct swo_options {
	char *lines; /* text ports separated by commas, or `none`; NULL: found from the head */
	uint64_t id; /* trace ID of the ITM in frames; 0: found from the head */
};

enum { SWO_CHECKPOINT = 64 }; /* maximum size in bytes */
enum { SWO_PORTS = 32, SWO_IDS = 0x80, SWO_HEAD_PCS = 1024, SWO_HEAD_FIRST = 64 };

/* Findings from the head of a capture. */
struct swo_head {
	struct swo_fit fit;	       /* of ITM packets */
	uint64_t bytes[CORESIGHT_IDS]; /* bytes of each source; only with frames */
	const char *carries[SWO_IDS];  /* guessed protocols of the other sources, or NULL */
	uint64_t start;		       /* offset of the first frame */
	uint64_t lost;		       /* bytes outside of frames */
	uint64_t frames;
	struct swo_head_port {
		uint32_t writes, bytes;
		uint32_t text;	/* bytes that belong to text */
		uint32_t shown; /* visible bytes */
		uint32_t ascii;
		/* size of a UTF-8 character, and its missing bytes */
		uint8_t length, pending;
	} ports[SWO_PORTS];
	uint32_t kinds[SWO_OVERFLOW + 1]; /* packets by enum swo_what */
	uint32_t headers[256];		  /* good packets by first byte */
	uint64_t last[256];		  /* last value for each first byte */
	uint32_t varied;		  /* subject packets with a different value from the
					     last one */
	uint8_t first[SWO_HEAD_FIRST];	  /* first bytes of the packets before the first bad one */
	uint8_t first_count;
	struct {
		uint32_t pc, count;
	} pcs[SWO_HEAD_PCS]; /* hashed PC samples; those that find no free slot are dropped */
	uint8_t id;	     /* trace ID of the ITM; 0: none */
	bool text;	     /* the capture is plain text */
	bool whole;	     /* the head is the whole capture */
};

struct swo_decoder {
	struct decoder base;
	bool framed;
	uint8_t id;	     /* trace ID of the ITM; CORESIGHT_NOBODY for bare packets */
	uint32_t text_ports; /* one bit for each port */
	bool itms[SWO_IDS];  /* sources that are ITMs */
	struct decoder_part parts[SWO_IDS]; /* the ITMs, if several and the options choose none */
	bool stamped;			    /* the head has local timestamps */
	bool by_global;	      /* time comes from global timestamps, as the head has only those */
	bool paged;	      /* ports may be on several pages */
	bool changes_page;    /* page changes are frequent */
	bool regular;	      /* nearly all packets have one of a few first bytes */
	bool begins;	      /* the first packets prove that one begins at byte 0 */
	uint8_t weights[256]; /* proof of a packet by first byte: more if frequent */
	uint8_t sorts[256];   /* enum swo_pair_sort by first byte of a pair in a frame */
};

/* True if a write must be to the first page: its header is frequent, and page changes are rare. */
static inline bool
swo_is_first_page(const struct swo_decoder *d, const struct swo_packet *write)
{
	return d->regular && !d->changes_page && d->weights[write->header] > 1;
}

/* Bits that describe a byte which may name a source. */
enum swo_pair_sort {
	SWO_PAIR_ODD = 1,	 /* source missing in the head */
	SWO_PAIR_IMPOSSIBLE = 2, /* source that cannot exist */
	SWO_PAIR_ITM = 4,	 /* source is the ITM */
	SWO_PAIR_STAYS = 8	 /* names no source, or may be synchronisation */
};

/* Fill `sorts` from the sources of a head.  With NULL, any source is allowed. */
void swo_sort_pairs(struct swo_decoder *, const struct swo_head *);

/* --- units (swo_frame.c) ------------------------------------------------- */

/* Bytes taken from a capture in one step: a frame with its synchronisation, or one byte of bare
 * packets. */
enum { SWO_UNIT_MAX = 48 };
struct swo_unit {
	uint32_t length; /* in capture bytes */
	uint32_t sync;	 /* synchronisation bytes, part of `length` */
	uint8_t count;	 /* bytes of sources */
	uint8_t next;	 /* source after this unit */
	bool impossible; /* names a source that cannot exist */
	bool odd;	 /* names a source missing in the head */
	uint8_t bytes[CORESIGHT_RUN_MAX], ids[CORESIGHT_RUN_MAX];
	uint8_t places[CORESIGHT_RUN_MAX]; /* offsets from the start of the unit */
};

/* Read the unit at OFFSET, where source ID is current.  Return false if the window ends inside the
 * unit. */
bool swo_unit_read(const struct swo_decoder *, const struct window *, uint64_t offset, uint8_t id,
		   struct swo_unit *);

/*
 * Find where frames start, from OFFSET on.  Set *SKIPPED to 0 ..  15 for the best fit, or to more
 * if odd frames come first.  START: no frames came before.  *ID is the current source, updated for
 * the new place.  Return false if the window is too short; SWO_ALIGN_REACH bytes are always
 * enough.
 */
enum { SWO_ALIGN_WINDOW = 1024, SWO_ALIGN_REACH = SWO_ALIGN_WINDOW + 256 };
bool swo_align(const struct swo_decoder *, const struct window *, uint64_t offset, bool start,
	       uint8_t *id, uint32_t *skipped);

/* Callbacks that receive all units, in addition to the messages of the ITM. */
struct swo_units {
	void *context;
	/* Takes the unit at OFFSET.  Called once for each unit, in order. */
	void (*take)(void *context, uint64_t offset, const struct swo_unit *);
	/* Frames continue at OFFSET; the bytes before it are in no unit. */
	void (*move)(void *context, uint64_t offset);
};

/* Step like decoder_ops.step and pass each unit to the callbacks.  Takes every unit that ends
 * before `until`, if the window has SWO_AHEAD bytes after it or ends the capture. */
enum { SWO_AHEAD = 2048 };
size_t swo_step_units(const struct decoder *, struct decode_state *, const struct window *,
		      struct message *out, size_t max, const struct swo_units *);

/* --- messages ------------------------------------------------------------ */

enum swo_kind {
	SWO_KIND_LINE,
	SWO_KIND_PORT,
	SWO_KIND_EVENTS,
	SWO_KIND_EXCEPTION,
	SWO_KIND_PC,
	SWO_KIND_DATA,
	SWO_KIND_LOCAL,
	SWO_KIND_GLOBAL,
	SWO_KIND_GLOBAL_PART,
	SWO_KIND_EXTENSION,
	SWO_KIND_RESERVED,
	SWO_KIND_SYNC,
	SWO_KIND_OVERFLOW,
	SWO_KIND_TRIGGER,
	SWO_KIND_DAMAGE,
	SWO_KIND_CUT,
	SWO_KIND_ALIGN,
	SWO_KIND_COUNT
};

/* Origins: port numbers first, then these. */
enum { SWO_ORIGIN_DWT = 256, SWO_ORIGIN_ITM, SWO_ORIGIN_TRIGGER };

/*
 * Layout of message.aux.
 *
 * Packets: bits 0-39 value, 40-47 header, 48-55 page of a port, 56-58 bytes after the header.
 * Bits 60-63 are the position of the first byte in the first unit.
 *
 * Lines: bits 0-15 bytes, 16-17 bytes of the first write that belong to the previous line.  The
 * rest is as for packets.
 *
 * Complete global times: the time.
 */
#define SWO_AUX_VALUE(aux) ((aux)&0xffffffffff)
#define SWO_AUX_COUNT(aux) ((unsigned)((aux)&0xffff))
#define SWO_AUX_SKIP(aux) ((unsigned)((aux) >> 16 & 3))
#define SWO_AUX_HEADER(aux) ((uint8_t)((aux) >> 40))
#define SWO_AUX_SIZE(aux) ((unsigned)((aux) >> 56 & 7))
#define SWO_AUX_FIRST(aux) ((unsigned)((aux) >> 60))

/* --- head, text (swo_head.c, swo_expand.c) ------------------------------- */

/* Read a head.  ID is the trace ID of the ITM, or 0 to find it. */
void swo_head_read(const struct window *, bool framed, uint8_t id, struct swo_head *);
/* Rate a head as one of an SWO pin and give the reason.  If it is none, the reason counts the
 * packets that prove it. */
void swo_head_rate(const struct window *, bool framed, struct probe *);
/* True if a source has more bytes than chance explains. */
bool swo_head_has(const struct swo_head *, unsigned id);
uint32_t swo_head_text_ports(const struct swo_head *);
/* True if a source is an ITM, whether it is decoded or not. */
bool swo_head_is_itm(const struct swo_head *, unsigned id);

/* Add the part for a trace ID to the parts of a decoder, in PARTS. */
void swo_part_add(struct decoder *, struct decoder_part *parts, unsigned id);

/* Sum of weights of consecutive good packets that proves a packet boundary. */
enum { SWO_PROOF = 64 };
/* Fill in the weights of packets, and whether the capture begins with a packet. */
void swo_head_weigh(const struct swo_head *, struct swo_decoder *);

enum swo_field {
	SWO_F_PORT,
	SWO_F_SIZE,
	SWO_F_VALUE,
	SWO_F_BYTES,
	SWO_F_WRITES,
	SWO_F_EXCEPTION,
	SWO_F_NAME,
	SWO_F_ACTION,
	SWO_F_RUNNING,
	SWO_F_PC,
	SWO_F_STATE,
	SWO_F_COMPARATOR,
	SWO_F_WHAT,
	SWO_F_ADDRESS,
	SWO_F_COUNTERS,
	SWO_F_PMU,
	SWO_F_TICKS,
	SWO_F_RELATION,
	SWO_F_GLOBAL,
	SWO_F_LOW,
	SWO_F_PAGE,
	SWO_F_NOTE,
	SWO_F_FUNCTION, /* FIELD_SYMBOL_ROWS */
	SWO_F_COUNT = SWO_F_FUNCTION + FIELD_SYMBOLS
};
/* Rows of packets, after the rows of elements: `opencsd` shows both. */
#define SWO_FIELDS (opencsd_fields + OPENCSD_F_COUNT)
#define SWO_KINDS (opencsd_kinds + OPENCSD_KIND_COUNT)

void swo_expand(const struct decoder *, const struct message *, const struct window *,
		enum expand_want, const struct decode_history *, struct expansion *);
/* See struct decoder_guide. */
bool swo_itm_propose(const struct window *head, struct text *profile);
bool swo_tpiu_propose(const struct window *head, struct text *profile);
void swo_survey(const struct decoder *, const struct window *head, const struct decoder_names *,
		struct text *about, struct text *missing);

/* Append the part of swo_survey() about the ITM. */
void swo_survey_itm(const struct swo_decoder *, struct swo_head *, const struct decoder_names *,
		    struct text *about);

extern const struct decoder_ops itm_ops, tpiu_ops;

#endif
