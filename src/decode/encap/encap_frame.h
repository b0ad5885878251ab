/*
 * Layout of a packet of the encapsulation, shared by the files of this format.
 *
 * After the header byte a packet is one string of bits, least significant first and
 * unaligned: source (W bits), timestamp (8 T bits, if the header has `extend`), type
 * (Y bits), payload [Encap 1.0, "Normal Encapsulation Structure", tables 1 to 3].  Its
 * length is 1 + W / 8 + (extend ? T : 0) + L bytes [Encap 1.0, "Packet Length"].  A
 * null packet (L = 0) is one byte [Encap 1.0, "Null Encapsulation"].
 */
#ifndef TRAWL_DECODE_ENCAP_FRAME_H
#define TRAWL_DECODE_ENCAP_FRAME_H

#include "base/bytes.h"
#include "decode/encap/encap.h"

/* Limits of each part: 16 bits of source, 31 bytes of payload [Encap 1.0, "Normal Encapsulation
 * Structure", table 1].  Timestamps above 64 bits and types above 8 bits are not supported. */
enum {
	ENCAP_PACKET_MAX = 1 + 2 + 8 + 31,
	ENCAP_LOOK = 64, /* bytes that must be readable at the start of a packet */
	ENCAP_TYPE_WIDTH_MAX = 8,
	ENCAP_SLOT_MAX = 256
};

#define ENCAP_ORIGIN_NONE (1ull << 16) /* null and truncated packets */

/* Oddities of a message; in message.aux. */
enum encap_note {
	/* unframed: null.alignment "must be transmitted as the final null before a normal
	 * packet" [Encap 1.0, "Synchronization"] */
	ENCAP_AFTER_IDLE = 1 << 0,
	/* unframed: flow "must be zero in all null packets" [Encap 1.0, "Null Encapsulation"] */
	ENCAP_FLOW_IN_NULL = 1 << 1,
	/* extend "must be 0 if timestamp width is 0" [Encap 1.0, "Header", table 2] */
	ENCAP_NO_TIMESTAMP = 1 << 2,
	ENCAP_UNUSED_BITS = 1 << 3,  /* more bits left over than padding needs */
	ENCAP_CUT_BY_BLOCK = 1 << 4, /* crosses a block border */
	ENCAP_CUT_BY_SLOT = 1 << 5,  /* crosses a slot border */
	ENCAP_NOTE_COUNT = 6
};
#define ENCAP_RUN_SHIFT 8 /* bits above: earlier null packets of the same run */

/* Settings that several sources may share. */
struct encap_source {
	struct etrace_options etrace;
	struct etrace_head heads[1 << ETRACE_HEAD_BITS];
	unsigned type_width;
	uint8_t classes[1 << ENCAP_TYPE_WIDTH_MAX]; /* enum encap_class, by type */
	const char *name;
};

struct encap_decoder {
	struct decoder base;
	const struct encap_options *options;
	unsigned srcid_width, timestamp_bytes, type_width;
	unsigned longest; /* N = 31 + T + S null bytes in a row [Encap 1.0, "Synchronization"] */
	unsigned phase;	  /* bits before the first byte of a bit stream */
	bool framed;
	bool syncs;		      /* the head has sync sequences */
	uint8_t length[256];	      /* of a packet, by its header */
	struct encap_source *sources; /* [0]: for sources without settings of their own */
	size_t source_count;
	uint16_t *source_of; /* by srcID: index into `sources`; NULL: all 0 */
};

struct encap_state {
	struct decode_state base;
	uint64_t ticks; /* last timestamp, unwrapped */
	uint8_t run;	/* null packets directly before, up to longest + 1 */
	uint8_t tail;	/* null bytes at the end of a suspect packet before that run */
	bool timed;	/* ticks is valid */
	bool idle;	/* the previous packet is null.idle */
	bool suspect;	/* not certain to be on a packet boundary */
};

/* "A byte with the 5LSBs all zero" [Encap 1.0, "Synchronization"]. */
static inline bool
encap_is_null(uint8_t byte)
{
	return (byte & 0x1f) == 0;
}

/* True if a null packet is alignment, not idle [Encap 1.0, "Null Encapsulation"]. */
static inline bool
encap_is_extended(uint8_t header)
{
	return header >> 7;
}

/* [Encap 1.0, "Header", table 2] */
static inline unsigned
encap_flow(uint8_t header)
{
	return header >> 5 & 3;
}

/* Parsed fields of a normal packet. */
struct encap_packet {
	unsigned length; /* bytes */
	bool extend;
	uint32_t srcid;
	uint64_t timestamp;
	unsigned type;
	enum encap_class class;
	const struct encap_source *source;
	unsigned payload; /* its first bit */
	int payload_bits; /* less than 1: malformed */
	unsigned head;	  /* first bits of the payload: index of a struct etrace_head */
};

/* Return at least 57 bits starting at BIT. */
static inline uint64_t
encap_load(const uint8_t *p, unsigned bit)
{
	return bytes_le64(p + bit / 8) >> bit % 8;
}

static inline const struct encap_source *
encap_source_of(const struct encap_decoder *d, uint32_t srcid)
{
	return &d->sources[d->source_of ? d->source_of[srcid] : 0];
}

/* Parse the packet at P, with ENCAP_LOOK bytes readable: [Encap 1.0, "srcID", "Timestamp",
 * "Payload"]. */
static inline __attribute__((always_inline)) void
encap_read(const struct encap_decoder *d, const uint8_t *p, struct encap_packet *packet)
{
	unsigned at = 8 + d->srcid_width;

	packet->length = d->length[p[0]];
	packet->extend = encap_is_extended(p[0]);
	packet->srcid = bytes_le16(p + 1) & ((1u << d->srcid_width) - 1);
	packet->source = encap_source_of(d, packet->srcid);
	packet->timestamp = 0;
	if (packet->extend && d->timestamp_bytes) {
		packet->timestamp = encap_load(p, at);
		if (at % 8)
			packet->timestamp |= (uint64_t)p[at / 8 + 8] << (64 - at % 8);
		packet->timestamp &= etrace_mask(8 * d->timestamp_bytes);
		at += 8 * d->timestamp_bytes;
	}
	uint64_t bits = encap_load(p, at);
	unsigned type_width = packet->source->type_width;
	packet->type = (unsigned)bits & ((1u << type_width) - 1);
	packet->class = packet->source->classes[packet->type];
	packet->payload = at + type_width;
	packet->payload_bits = (int)(8 * packet->length) - (int)packet->payload;
	bits >>= type_width;
	if (packet->payload_bits > 0 && packet->payload_bits < ETRACE_HEAD_BITS)
		bits = etrace_signed(bits, (unsigned)packet->payload_bits);
	packet->head = (unsigned)bits & ((1u << ETRACE_HEAD_BITS) - 1);
}

/* Return a bit reader for the payload of the packet at P. */
static inline struct etrace_bits
encap_bits(const uint8_t *p, const struct encap_packet *packet, struct expansion *fields)
{
	return (struct etrace_bits){
	    .packet = p, .length = packet->length, .at = packet->payload, .fields = fields};
}

/* Return byte AT of a bit stream, combined from two bytes of the capture. */
static inline uint8_t
encap_shifted(const uint8_t *bytes, size_t at, unsigned phase)
{
	return (uint8_t)(bytes[at] >> phase | bytes[at + 1] << (8 - phase));
}

/* --- encap_step.c ------------------------------------------------------ */

void encap_start(const struct decoder *, struct decode_state *);
void encap_save(const struct decoder *, const struct decode_state *, uint8_t *);
void encap_restore(const struct decoder *, struct decode_state *, const uint8_t *);
size_t encap_step(const struct decoder *, struct decode_state *, const struct window *,
		  struct message *out, size_t max);
void encap_summarise(const struct decoder *, struct decode_state *, const struct window *,
		     struct summary *);
int encap_resync(const struct decoder *, struct decode_state *, const struct window *);

/* Copy COUNT bytes of a bit stream or of a reversed slot at P to OUT in aligned form.  With a
 * phase, one more byte must be readable. */
void encap_align(const struct encap_decoder *, const uint8_t *p, size_t count, uint8_t *out);

enum { ENCAP_CHECKPOINT = 8 + 8 + 3 };

/* --- encap_expand.c, encap_place.c ------------------------------------- */

void encap_expand(const struct decoder *, const struct message *, const struct window *,
		  enum expand_want, const struct decode_history *, struct expansion *);

/* Return the bytes of message M in aligned form, with ENCAP_LOOK readable bytes, from the
 * window or copied to ROOM.  Return NULL if the window does not cover M. */
const uint8_t *encap_fetch(const struct encap_decoder *, const struct message *,
			   const struct window *, uint8_t room[static ENCAP_LOOK]);

/* True if a message of this kind changes the state of its source or depends on it. */
bool encap_place_matters(const struct message *);
/* Return the state of M's source before M, found through HISTORY (may be NULL). */
struct etrace_place encap_place_before(const struct encap_decoder *, const struct message *,
				       const struct window *, const struct decode_history *);
/* Remember the state of the source after M. */
void encap_place_after(const struct message *, const struct etrace_place *,
		       const struct decode_history *);
/* Note that M is expanded.  Call it once for each message, after the others. */
void encap_place_passed(const struct message *, const struct decode_history *);

/* State of a source after its last expanded packet. */
struct encap_place_memory {
	uint64_t origin;
	uint64_t offset; /* of the packet */
	struct etrace_place place;
	bool valid;
};

/* decode_history.memory: some sources, by the low bits of their IDs. */
enum { ENCAP_MEMORIES = 64 };
struct encap_memory {
	/* All messages in these bytes were expanded, and none is damaged.  A source with a packet
	 * here thus needs no walk back. */
	uint64_t from, to;
	struct encap_place_memory sources[ENCAP_MEMORIES];
};

/* --- encap_text.c ------------------------------------------------------ */

/* Append the text of a run of null packets, of a message of DECLARED bytes that is cut to LENGTH,
 * of a packet without a payload, or of one with another protocol. */
void encap_text_nulls(struct text *, unsigned count, uint64_t idle, bool sync);
void encap_text_truncated(struct text *, unsigned length, unsigned declared);
void encap_text_malformed(struct text *);
void encap_text_opaque(struct text *, const uint8_t *p, const struct encap_packet *);

/* The type of messages of a kind. */
const char *encap_type_name(unsigned kind);

/* in_place and type_keys of the decoder. */
bool encap_in_place(const struct decoder *, const struct needles *, const struct window *,
		    uint64_t kinds, unsigned flags);
void encap_type_keys(const struct decoder *, const struct message *, size_t count,
		     const struct window *, uint64_t *keys, bool *keyed);

/* --- encap_flow.c ------------------------------------------------------ */

void encap_read_flow(const struct decoder *, const struct message *, const struct window *,
		     const struct flow_modes *, struct flow_packet *);

/* --- encap_probe.c ----------------------------------------------------- */

/* Intervals between sync sequences, and the number in which a chain of packets ends exactly at
 * the next sequence. */
struct encap_chains {
	unsigned intervals, reached;
};

/* Widths guessed from the head of a capture, with the evidence. */
struct encap_guess {
	unsigned srcid_width, timestamp_bytes, type_width, phase;
	bool framed;
	unsigned syncs; /* number of sync sequences seen */
	struct encap_chains chains;
	unsigned nulls;	  /* length of the shortest sync sequence */
	double bits;	  /* of evidence, before the penalty for choosing the best of many */
	bool other_split; /* other widths with the same sum fit equally well */
};
bool encap_guess(const struct window *head, struct encap_guess *);
int encap_score(const struct encap_guess *); /* score of a candidate, at least 1 */
void encap_probe(const struct window *head, struct probe *);

/* encap_tables.c: create a decoder from OPTIONS, which must outlive it.  GUESS supplies the
 * widths that OPTIONS leave open.  `base` is zero.  Return NULL on error. */
struct encap_decoder *encap_new(const struct encap_options *, const struct encap_guess *,
				struct err *);
void encap_free(struct encap_decoder *);
/* Change the guess of a decoder without sources of its own.  Cheaper than a new decoder. */
void encap_set_guess(struct encap_decoder *, const struct encap_guess *);

/* Return the phase shown by the first sync sequence of a bit stream, 0 without one. */
unsigned encap_find_phase(const struct window *head, unsigned longest);
/* True if the head contains a sync sequence. */
bool encap_has_sync(const struct encap_decoder *, const struct window *head);

#endif
