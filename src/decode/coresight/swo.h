/*
 * What comes out of an SWO pin: packets of an ITM, alone (format `itm`) or among other
 * sources in the frames of a TPIU (format `tpiu`).  What the files of both share.
 *
 * An SWO capture often has no synchronisation at all, since the manual recommends none on
 * an asynchronous pin [ARMv7-M, C1.7.1].  So packets are decoded from the
 * first byte on, and frames are found by the packets in them.
 *
 * Places.  A message of `itm` has the bytes of its packets.  One of `tpiu` has the whole
 * frames that they lie in, since the low bits of bytes stand at the end of a frame.
 */
#ifndef TRAWL_DECODE_SWO_H
#define TRAWL_DECODE_SWO_H

#include "decode/coresight/coresight.h"
#include "decode/coresight/opencsd_element.h"
#include "decode/coresight/swo_packet.h"
#include "decode/decoder.h"

/* --- options and decoder ------------------------------------------------ */

/* `itm:` and `tpiu:` of a profile. */
struct swo_options {
	char *lines; /* ports of text, parted by commas, or `none`; NULL: as the head shows */
	uint64_t id; /* of the ITM in frames; 0: as the head shows */
};

enum { SWO_CHECKPOINT = 64 }; /* bytes, at most */
enum { SWO_PORTS = 32, SWO_IDS = 0x80, SWO_HEAD_PCS = 1024, SWO_HEAD_FIRST = 64 };

/* What the head of a capture shows. */
struct swo_head {
	struct swo_fit fit;	       /* of the ITM's packets */
	uint64_t bytes[CORESIGHT_IDS]; /* of each source; frames only */
	const char *carries[SWO_IDS];  /* what sources other than the ITM look like, or NULL */
	uint64_t start;		       /* offset of the first frame */
	uint64_t lost;		       /* bytes that are in no frame */
	uint64_t frames;
	struct swo_head_port {
		uint32_t writes, bytes;
		uint32_t text;	/* of these bytes, those of a text, */
		uint32_t shown; /* and of them those that are seen, and ASCII */
		uint32_t ascii;
		/* bytes of a character in UTF-8, and those that it still lacks */
		uint8_t length, pending;
	} ports[SWO_PORTS];
	uint32_t kinds[SWO_OVERFLOW + 1]; /* packets by enum swo_what */
	uint32_t headers[256];		  /* packets by their first byte, but for bad ones */
	uint64_t last[256];		  /* their values, the last one of each */
	uint32_t varied;		  /* that differ from the last one */
	uint8_t first[SWO_HEAD_FIRST];	  /* first bytes of the packets before any bad one */
	uint8_t first_count;
	struct {
		uint32_t pc, count;
	} pcs[SWO_HEAD_PCS]; /* samples, hashed; those that find no room are left out */
	uint8_t id;	     /* of the ITM; 0: none */
	bool text;	     /* it is plain text */
	bool whole;	     /* there is no more of the capture */
};

struct swo_decoder {
	struct decoder base;
	bool framed;
	uint8_t id;	      /* of the ITM; bare packets have CORESIGHT_NOBODY */
	uint32_t text_ports;  /* a bit each */
	bool itms[SWO_IDS];   /* sources that are ITMs */
	bool several;	      /* they are, and none is given */
	bool stamped;	      /* the head has local timestamps */
	bool by_global;	      /* it has global ones alone, which are the time then */
	bool paged;	      /* ports may be of several pages */
	bool changes_page;    /* they often are */
	bool regular;	      /* nearly all packets have one of a few first bytes */
	bool begins;	      /* the capture begins with a packet, as those that follow show */
	uint8_t weights[256]; /* by first byte: what a packet proves, as often as the head has it */
	uint8_t sorts[256];   /* of first bytes of pairs in a frame, of enum swo_pair_sort */
};

/* Whether a write, whose header is usual, must be to the first page, as others are rare. */
static inline bool
swo_is_first_page(const struct swo_decoder *d, const struct swo_packet *write)
{
	return d->regular && !d->changes_page && d->weights[write->header] > 1;
}

/* Bits: what a byte that may name a source says about it and the place of the frame. */
enum swo_pair_sort {
	SWO_PAIR_ODD = 1,	 /* the head does not have such a source */
	SWO_PAIR_IMPOSSIBLE = 2, /* nor can any */
	SWO_PAIR_ITM = 4,	 /* the ITM */
	SWO_PAIR_STAYS = 8	 /* it names none, or may be of synchronisation */
};

/* Sorts the bytes by the sources that a head has; NULL: it may have any. */
void swo_sort_pairs(struct swo_decoder *, const struct swo_head *);

/* --- units (swo_frame.c) ------------------------------------------------- */

/* Bytes that are taken from a capture at once: a frame with what stands in it, or
 * one byte of bare packets. */
enum { SWO_UNIT_MAX = 48 };
struct swo_unit {
	uint32_t length; /* in the capture */
	uint32_t sync;	 /* of these, bytes of synchronisation */
	uint8_t count;	 /* bytes of sources */
	uint8_t next;	 /* the source that goes on */
	bool impossible; /* it names a source that cannot be */
	bool odd;	 /* or one that the head does not have */
	uint8_t bytes[CORESIGHT_RUN_MAX], ids[CORESIGHT_RUN_MAX];
	uint8_t places[CORESIGHT_RUN_MAX]; /* from the unit's start, where that is below 256 */
};

/* Reads the unit at OFFSET, at which source ID goes on; false if the window ends in it. */
bool swo_unit_read(const struct swo_decoder *, const struct window *, uint64_t offset, uint8_t id,
		   struct swo_unit *);

/*
 * Where frames start, from OFFSET on: 0 .. 15 bytes on for those that fit best, more where
 * odd ones come first.  START: no frames came before.  *ID: the source that goes on, which
 * becomes the one that goes on there.  False if the window is too short to tell, which
 * SWO_ALIGN_REACH bytes are not.
 */
enum { SWO_ALIGN_WINDOW = 1024, SWO_ALIGN_REACH = SWO_ALIGN_WINDOW + 256 };
bool swo_align(const struct swo_decoder *, const struct window *, uint64_t offset, bool start,
	       uint8_t *id, uint32_t *skipped);

/* Who gets all that is in frames, beside the messages of the ITM. */
struct swo_units {
	void *context;
	/* A unit at an offset: once each, as the state moves on. */
	void (*take)(void *context, uint64_t offset, const struct swo_unit *);
	/* Frames go on at an offset: before it are bytes of none. */
	void (*move)(void *context, uint64_t offset);
};

/* As decoder_ops.step.  Units that end before `until` are taken if SWO_AHEAD bytes behind it
 * are in the window, or the last ones. */
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

/* Origins: ports by number, then */
enum { SWO_ORIGIN_DWT = 256, SWO_ORIGIN_ITM, SWO_ORIGIN_TRIGGER };

/*
 * message.aux of packets: 0-39 value, 40-47 header, 48-55 page of a port, 56-58 bytes behind
 * the header, 60-63 the byte in the first unit that it begins with.  Of lines: 0-15
 * bytes, 16-17 bytes of the first write that belong to the line before, the rest the same.
 * Of full global times: the time.
 */
#define SWO_AUX_VALUE(aux) ((aux)&0xffffffffff)
#define SWO_AUX_COUNT(aux) ((unsigned)((aux)&0xffff))
#define SWO_AUX_SKIP(aux) ((unsigned)((aux) >> 16 & 3))
#define SWO_AUX_HEADER(aux) ((uint8_t)((aux) >> 40))
#define SWO_AUX_SIZE(aux) ((unsigned)((aux) >> 56 & 7))
#define SWO_AUX_FIRST(aux) ((unsigned)((aux) >> 60))

/* --- head, text (swo_head.c, swo_expand.c) ------------------------------- */

/* Looks at a head; ID is that of the ITM, 0 to find it. */
void swo_head_read(const struct window *, bool framed, uint8_t id, struct swo_head *);
/* Whether it is the head of a capture of an SWO pin, and why; the reason of what is none
 * counts the packets that show that. */
void swo_head_rate(const struct window *, bool framed, struct probe *);
/* Whether a source is there, not only by chance. */
bool swo_head_has(const struct swo_head *, unsigned id);
uint32_t swo_head_text_ports(const struct swo_head *);
/* Whether a source is an ITM, the one that is decoded or another. */
bool swo_head_is_itm(const struct swo_head *, unsigned id);

/* Fills the part of a trace ID. */
void swo_part_fill(unsigned id, struct decoder_part *);

/* Good packets in a row whose weights add up to it prove where packets begin. */
enum { SWO_PROOF = 64 };
/* Fills what packets prove, and whether the capture begins with one. */
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
	SWO_F_FUNCTION, /* of FIELD_SYMBOL_ROWS */
	SWO_F_COUNT = SWO_F_FUNCTION + FIELD_SYMBOLS
};
/* The rows of packets stand behind those of elements, with which `opencsd` mixes them. */
#define SWO_FIELDS (opencsd_fields + OPENCSD_F_COUNT)
#define SWO_KINDS (opencsd_kinds + OPENCSD_KIND_COUNT)

void swo_expand(const struct decoder *, const struct message *, const struct window *,
		enum expand_want, const struct decode_history *, struct expansion *);
/* As in struct decoder_guide. */
bool swo_itm_propose(const struct window *head, struct text *profile);
bool swo_tpiu_propose(const struct window *head, struct text *profile);
void swo_survey(const struct decoder *, const struct window *head, const struct decoder_names *,
		struct text *about, struct text *missing);

/* The part of it that is about the ITM. */
void swo_survey_itm(const struct swo_decoder *, struct swo_head *, const struct decoder_names *,
		    struct text *about);

extern const struct decoder_ops itm_ops, tpiu_ops;

#endif
