/*
 * What a packet of the encapsulation looks like: shared by the files of this
 * format.
 *
 * After the header byte a packet is one string of bits, least significant
 * first, nothing in it is aligned: source (W bits), timestamp (8 T bits, if
 * the header says `extend`), type (Y bits), payload [Encap 1.0, "Normal Encapsulation
 * Structure", tables 1 to 3].  Its length is 1 + W / 8 + (extend ? T : 0) + L bytes
 * [Encap 1.0, "Packet Length"]; a null packet (L = 0) is one byte [Encap 1.0, "Null
 * Encapsulation"].
 */
#ifndef TRAWL_DECODE_ENCAP_FRAME_H
#define TRAWL_DECODE_ENCAP_FRAME_H

#include "base/bytes.h"
#include "decode/encap/encap.h"

/* The most of each part: 16 bits of source, 31 bytes of payload [Encap 1.0, "Normal
 * Encapsulation Structure", table 1]; timestamps above 64 bits and types above 8 are not
 * read. */
enum {
	ENCAP_PACKET_MAX = 1 + 2 + 8 + 31,
	ENCAP_LOOK = 64, /* bytes that must be readable where a packet starts */
	ENCAP_TYPE_WIDTH_MAX = 8,
	ENCAP_SLOT_MAX = 256
};

#define ENCAP_ORIGIN_NONE (1ull << 16) /* null packets, and what is none */

/* What is odd about a message; in message.aux. */
enum encap_note {
	/* unframed: null.alignment "must be transmitted as the final null before a normal
	 * packet" [Encap 1.0, "Synchronization"] */
	ENCAP_AFTER_IDLE = 1 << 0,
	/* unframed: flow "must be zero in all null packets" [Encap 1.0, "Null Encapsulation"] */
	ENCAP_FLOW_IN_NULL = 1 << 1,
	/* extend "must be 0 if timestamp width is 0" [Encap 1.0, "Header", table 2] */
	ENCAP_NO_TIMESTAMP = 1 << 2,
	ENCAP_UNUSED_BITS = 1 << 3,  /* more than padding */
	ENCAP_CUT_BY_BLOCK = 1 << 4, /* it crosses a block border */
	ENCAP_CUT_BY_SLOT = 1 << 5,  /* or its slot's */
	ENCAP_NOTE_COUNT = 6
};
#define ENCAP_RUN_SHIFT 8 /* above: null packets of the same run before this part */

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
	unsigned longest; /* N = 31 + T + S, the most null bytes in a row of one packet
			     [Encap 1.0, "Synchronization"] */
	unsigned phase;	  /* bits in front of the first byte of a bit stream */
	bool framed;
	bool syncs;		      /* there are sync sequences to rely on */
	uint8_t length[256];	      /* of a packet, by its header */
	struct encap_source *sources; /* [0]: of all that have no settings of their own */
	size_t source_count;
	uint16_t *source_of; /* by srcID: position in `sources`; NULL: all 0 */
};

struct encap_state {
	struct decode_state base;
	uint64_t ticks; /* last timestamp, unwrapped */
	uint8_t run;	/* null packets right before, up to longest + 1 */
	uint8_t tail;	/* null bytes of a suspect packet right before those */
	bool timed;	/* ticks is valid */
	bool idle;	/* the packet before is null.idle */
	bool suspect;	/* off the track until the next certain boundary */
};

/* "A byte with the 5LSBs all zero" [Encap 1.0, "Synchronization"]. */
static inline bool
encap_is_null(uint8_t byte)
{
	return (byte & 0x1f) == 0;
}

/* Of a null packet: alignment, not idle [Encap 1.0, "Null Encapsulation"]. */
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

/* A normal packet taken apart. */
struct encap_packet {
	unsigned length; /* bytes */
	bool extend;
	uint32_t srcid;
	uint64_t timestamp;
	unsigned type;
	enum encap_class class;
	const struct encap_source *source;
	unsigned payload; /* first bit of it */
	int payload_bits; /* less than 1: malformed */
	unsigned head;	  /* its first bits: index of a struct etrace_head */
};

/* At least 57 bits from BIT on. */
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

/* Takes apart the packet at P, ENCAP_LOOK bytes of which are readable: [Encap 1.0, "srcID",
 * "Timestamp", "Payload"]. */
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

/* The payload of a packet at P as bits to read. */
static inline struct etrace_bits
encap_bits(const uint8_t *p, const struct encap_packet *packet, struct expansion *fields)
{
	return (struct etrace_bits){
	    .packet = p, .length = packet->length, .at = packet->payload, .fields = fields};
}

/* Byte AT of a bit stream, made of two bytes of the file. */
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

/* Makes the aligned form of COUNT bytes of a bit stream or a reversed slot
 * at P, of which one more is readable if there is a phase. */
void encap_align(const struct encap_decoder *, const uint8_t *p, size_t count, uint8_t *out);

enum { ENCAP_CHECKPOINT = 8 + 8 + 3 };

/* --- encap_expand.c, encap_place.c ------------------------------------- */

void encap_expand(const struct decoder *, const struct message *, const struct window *,
		  enum expand_want, const struct decode_history *, struct expansion *);

/* The bytes of message M in aligned form, ENCAP_LOOK of them readable, in
 * the window or made in ROOM; NULL if the window does not cover it. */
const uint8_t *encap_fetch(const struct encap_decoder *, const struct message *,
			   const struct window *, uint8_t room[static ENCAP_LOOK]);

/* Whether such a message changes how its source stands, or depends on it. */
bool encap_place_matters(const struct message *);
/* How the source of M stands before it, by HISTORY (may be NULL). */
struct etrace_place encap_place_before(const struct encap_decoder *, const struct message *,
				       const struct window *, const struct decode_history *);
/* Remembers how it stands after M. */
void encap_place_after(const struct message *, const struct etrace_place *,
		       const struct decode_history *);

/* decode_history.memory: how some sources stood after the packet that was
 * expanded last, by the low bits of their number. */
enum { ENCAP_MEMORIES = 64 };
struct encap_memory {
	uint64_t offset; /* of the packet, and so of its source */
	struct etrace_place place;
	bool valid;
};

/* --- encap_flow.c ------------------------------------------------------ */

void encap_read_flow(const struct decoder *, const struct message *, const struct window *,
		     const struct flow_modes *, struct flow_packet *);

/* --- encap_probe.c ----------------------------------------------------- */

/* Runs between sync sequences, and how many of them a chain of packets
 * crosses to end exactly at the next sequence. */
struct encap_chains {
	unsigned intervals, reached;
};

/* What the head of a capture shows of the widths. */
struct encap_guess {
	unsigned srcid_width, timestamp_bytes, type_width, phase;
	bool framed;
	unsigned syncs; /* sync sequences seen */
	struct encap_chains chains;
	unsigned nulls;	  /* of the shortest sync sequence */
	double bits;	  /* of evidence, before what it costs to choose the best of many */
	bool other_split; /* other widths with the same sum fit as well */
};
bool encap_guess(const struct window *head, struct encap_guess *);
int encap_score(const struct encap_guess *); /* as of a candidate */
void encap_probe(const struct window *head, struct probe *);
size_t encap_candidates(const struct window *head, struct probe *, size_t most);

/* encap_tables.c: what OPTIONS, which must outlive it, and where they leave widths open
 * GUESS make of a decoder; NULL on error.  Its `base` is zero. */
struct encap_decoder *encap_new(const struct encap_options *, const struct encap_guess *,
				struct err *);
void encap_free(struct encap_decoder *);
/* Another guess for a decoder without sources of its own: that costs less than a new one. */
void encap_set_guess(struct encap_decoder *, const struct encap_guess *);

/* The phase that the first sync sequence of a bit stream shows; 0 if none. */
unsigned encap_find_phase(const struct window *head, unsigned longest);
/* Whether a sync sequence is somewhere in the head. */
bool encap_has_sync(const struct encap_decoder *, const struct window *head);

#endif
