/*
 * Layout of SyS-T frames, shared by the files of this format.
 *
 * A message is a 32-bit header word, then the parts that its flags announce, in this order: GUID
 * (16), location (1 + 4 or 8), length (2), timestamp (8), the payload, CRC-32C (4) [SyS-T 1.0,
 * "Message Anatomy"].  The length comes before the timestamp [SyS-T 1.0, order of fields, second
 * hand: library, systprint].  SHORT and BUILD:COMPACT messages are the exception: a single word of
 * fixed size, in which only the type (and BUILD's subtype) is header.  All numbers are
 * little-endian, a GUID is in text order [SyS-T 1.0, "Data Field Byte Ordering"; RFC 4122].
 *
 * The functions that every step uses are inline and read a message once, only its first
 * SYST_PREFIX_MAX bytes.  In a mix of message shapes, branches on the flags are unpredictable.
 * These functions therefore have few branches and multiply numbers by the flags instead.
 */
#ifndef TRAWL_DECODE_SYST_FRAME_H
#define TRAWL_DECODE_SYST_FRAME_H

#include "base/bytes.h"
#include "decode/syst/syst.h"
#include "decode/syst/syst_collateral.h"

#include <string.h>

/* Bits of the header word: [SyS-T 1.0, "Header"]. */
#define SYST_HEADER_LOCATION (1u << 8)
#define SYST_HEADER_LENGTH (1u << 9)
#define SYST_HEADER_CRC (1u << 10)
#define SYST_HEADER_TIME (1u << 11)
#define SYST_HEADER_MODULE (0x7fu << 16) /* of senders without GUID */
#define SYST_HEADER_GUID (1u << 23)
#define SYST_HEADER_RESERVED (1u << 7 | 3u << 30)
/* All bits that are not part of a number. */
#define SYST_HEADER_FLAGS                                                                          \
	(SYST_HEADER_LOCATION | SYST_HEADER_LENGTH | SYST_HEADER_CRC | SYST_HEADER_TIME |          \
	 SYST_HEADER_GUID | SYST_HEADER_RESERVED)

/* Bits of a location's first byte: el_format, 0 to 3 [SyS-T 1.0, "Location"]. */
#define SYST_LOCATION_WIDE 1u
#define SYST_LOCATION_ADDRESS 2u
#define SYST_LOCATION_RESERVED 0xfcu

/* Raw keys of senders.  Keys of GUIDs have this bit; module and unit are far below it. */
#define SYST_ORIGIN_GUID (1ull << 63)
#define SYST_ORIGIN_NONE (1ull << 62) /* not a message */
#define SYST_ORIGIN_WORD (1ull << 61) /* SHORT and COMPACT, which state no sender */

/* [SyS-T 1.0, subtypes, second hand: library, systprint] */
enum syst_subtype {
	SYST_BUILD_COMPACT32 = 0,
	SYST_BUILD_COMPACT64 = 1,
	SYST_BUILD_LONG = 2,
	SYST_STRING_PRINTF32 = 11,
	SYST_STRING_PRINTF64 = 12
};
enum { SYST_SBD_NAMED = 2 }; /* a bit in the subtypes of SBD */

/* By type: a bit for each defined subtype. */
extern const uint64_t syst_subtypes[16];
extern const uint64_t syst_words[2][16];  /* subtypes that are a single word: 4 bytes, 8 bytes */
extern const uint64_t syst_formatted[16]; /* subtypes with a text made from a format */
/* Fewest payload bytes, by type and the low four bits of the subtype. */
extern const uint8_t syst_payload_least[16][16];

static inline unsigned
syst_header_type(uint32_t header)
{
	return header & 15;
}

static inline unsigned
syst_header_subtype(uint32_t header)
{
	return header >> 24 & 63;
}

/* Return the size of a message that is a single word, else 0: [SyS-T 1.0, "SyS-T Messages Types"],
 * for compact builds [SyS-T 1.0, BUILD, second hand: library, systprint]. */
static inline uint32_t
syst_word_size(uint32_t header)
{
	unsigned type = syst_header_type(header), subtype = syst_header_subtype(header);
	return (uint32_t)(4 * (syst_words[0][type] >> subtype & 1) +
			  8 * (syst_words[1][type] >> subtype & 1));
}

/* Offsets of the parts before the payload, present or not. */
struct syst_layout {
	uint8_t guid, location, length, time, payload;
};

/* Return the layout of a message.  P must contain the header and the first byte of a location, if
 * any. */
static inline struct syst_layout
syst_layout(uint32_t header, const uint8_t *p)
{
	struct syst_layout at = {.guid = 4};
	at.location = (uint8_t)(at.guid + (header & SYST_HEADER_GUID ? 16 : 0));
	unsigned located = header / SYST_HEADER_LOCATION % 2;
	unsigned wide = p[located * at.location] & SYST_LOCATION_WIDE;
	at.length = (uint8_t)(at.location + located * (5 + 4 * wide));
	at.time = (uint8_t)(at.length + (header & SYST_HEADER_LENGTH ? 2 : 0));
	at.payload = (uint8_t)(at.time + (header & SYST_HEADER_TIME ? 8 : 0));
	return at;
}

static inline uint64_t
syst_origin(uint32_t header, const uint8_t *p)
{
	if (!(header & SYST_HEADER_GUID))
		return header >> 12 & 0x7ff; /* module << 4 | unit [SyS-T 1.0, "Header"] */
	uint64_t key = bytes_le64(p + 4) * 0x9e3779b97f4a7c15u ^ bytes_le64(p + 12);
	key = (key ^ key >> 29) * 0xbf58476d1ce4e5b9u;
	return key | SYST_ORIGIN_GUID;
}

/* Like syst_peek_padded(), for a message with a full HEADER and the layout AT.  FLAGS are the
 * header's.  A walk over messages of one shape has FLAGS and AT before the header arrives from
 * memory. */
static inline __attribute__((always_inline)) void
syst_peek_laid(const uint8_t *p, size_t length, uint32_t header, uint32_t flags,
	       struct syst_layout at, struct syst_peek *out)
{
	unsigned type = syst_header_type(header), subtype = syst_header_subtype(header);
	bool known = syst_subtypes[type] >> subtype & 1;
	out->prefix = at.payload;
	out->kind = (uint8_t)(known ? type : SYST_UNKNOWN);
	out->severity = header >> 4 & 7;
	out->suspect = (flags & SYST_HEADER_RESERVED) != 0;
	bool located = flags & SYST_HEADER_LOCATION;
	out->suspect |= located & ((p[at.location] & SYST_LOCATION_RESERVED) != 0);
	out->has_length = (flags & SYST_HEADER_LENGTH) != 0;
	out->has_ticks = (flags & SYST_HEADER_TIME) != 0;
	out->has_crc = (flags & SYST_HEADER_CRC) != 0;
	unsigned checked =
	    (flags / SYST_HEADER_CRC | (unsigned)(syst_formatted[type] >> subtype)) & 1;
	out->flags =
	    (uint16_t)(flags / SYST_HEADER_TIME % 2 * MESSAGE_TIMED | checked * MESSAGE_CHECKED);
	out->ticks = out->has_ticks * bytes_le64(p + at.time);
	out->origin = syst_origin(header, p);

	uint32_t around = at.payload + (out->has_crc ? 4u : 0);
	out->least = around + (known ? syst_payload_least[type][subtype & 15] : 0);
	if (out->has_length) /* "the number of message payload bytes" [SyS-T 1.0, "Length"] */
		out->length = around + bytes_le16(p + at.length);
	else
		out->length = out->kind == SYST_CLOCK ? out->least : 0;
	if (length < around || length < out->length)
		out->extent = SYST_SHORT;
	else if (!known)
		out->extent = SYST_RESERVED;
	else
		out->extent = out->length ? SYST_WHOLE : SYST_OPEN;
}

/* Like syst_peek(), for a message that is a single word of SIZE bytes. */
static inline void
syst_peek_word(uint32_t header, uint32_t size, size_t length, struct syst_peek *out)
{
	*out = (struct syst_peek){
	    .extent = length < size ? SYST_SHORT : SYST_WHOLE,
	    .length = size,
	    .least = size,
	    .kind = (uint8_t)syst_header_type(header),
	    .severity = SEVERITY_NONE, /* its header has no room for one */
	    .origin = SYST_ORIGIN_WORD,
	};
}

/* Like syst_peek(), but SYST_PREFIX_MAX bytes at P are readable, whatever LENGTH is. */
static inline void
syst_peek_padded(const uint8_t *p, size_t length, struct syst_peek *out)
{
	uint32_t header = bytes_le32(p), word = syst_word_size(header);
	if (word)
		syst_peek_word(header, word, length, out);
	else
		syst_peek_laid(p, length, header, header, syst_layout(header, p), out);
}

/* Like syst_peek_padded(), with zeroes from LENGTH on. */
static inline void
syst_peek_zeroed(const uint8_t *p, size_t length, struct syst_peek *peek)
{
	if (length < 4) {
		*peek = (struct syst_peek){.extent = SYST_SHORT,
					   .least = 4,
					   .kind = SYST_BAD,
					   .severity = SEVERITY_ERROR,
					   .origin = SYST_ORIGIN_NONE};
		return;
	}
	syst_peek_padded(p, length, peek);
	if (length >= peek->prefix)
		return;
	/* parts of the prefix are missing */
	if (peek->has_length)
		peek->length = 0;
	peek->has_ticks = false;
	peek->flags &= (uint16_t)~MESSAGE_TIMED;
	if (peek->origin & SYST_ORIGIN_GUID && length < 20)
		peek->origin = SYST_ORIGIN_NONE;
}

enum syst_fault {
	SYST_SOUND,
	SYST_TOO_SHORT, /* for its fixed parts, or for its length field */
	SYST_TOO_LONG	/* for its length field */
};

/* Check that a frame of LENGTH bytes is consistent. */
static inline enum syst_fault
syst_fault(const struct syst_peek *peek, size_t length)
{
	size_t own = peek->length ? peek->length : length;
	if (length < own || own < peek->least)
		return SYST_TOO_SHORT;
	return length > own && peek->has_length ? SYST_TOO_LONG : SYST_SOUND;
}

/* Like syst_message(), for a frame after syst_peek(). */
static inline __attribute__((always_inline)) void
syst_fill(const struct syst_peek *peek, size_t length, struct message *m)
{
	m->ticks = peek->ticks;
	m->origin = peek->origin;
	m->aux = 0;
	m->flags = peek->flags; /* copied whole: combining the parts here would stall */
	m->kind = peek->kind;
	m->severity = peek->severity;
	if (peek->suspect)
		m->flags |= MESSAGE_SUSPECT;
	if (peek->kind == SYST_CLOCK) {
		m->flags |= MESSAGE_SYNC;
		if (m->severity == SEVERITY_MAX) /* it relates clocks and reports nothing */
			m->severity = SEVERITY_NONE;
	}

	enum syst_fault fault = syst_fault(peek, length);
	if (fault == SYST_SOUND && peek->kind != SYST_UNKNOWN)
		return;
	m->severity = SEVERITY_ERROR;
	if (fault == SYST_SOUND) {
		m->flags |= MESSAGE_SUSPECT;
		return;
	}
	m->kind = SYST_BAD;
	m->flags = (uint16_t)((m->flags & ~(MESSAGE_SYNC | MESSAGE_CHECKED)) | MESSAGE_DAMAGED);
	if (fault == SYST_TOO_SHORT)
		m->flags |= MESSAGE_TRUNCATED;
}

/* Set *KEY to a number for the type of M, the frame P.  Return false if unsure.  The header alone
 * determines a type, except that a protocol of the collateral names that of RAW. */
static inline bool
syst_type_key(const struct syst_decoder *d, const struct message *m, const uint8_t *p,
	      size_t length, uint64_t *key)
{
	if (m->kind >= SYST_UNKNOWN || m->flags & (MESSAGE_LOSS | MESSAGE_SUSPECT) || length < 4)
		return false;
	uint32_t header = bytes_le32(p);
	*key = syst_header_type(header) << 6 | syst_header_subtype(header);
	return syst_header_type(header) != SYST_RAW ||
	       !syst_collateral_has(d->collateral, SYST_TABLE_PROTOCOLS);
}

/* A parsed frame, for expanding. */
struct syst_frame {
	const uint8_t *p;
	size_t length;
	uint32_t header; /* 0 if missing */
	unsigned type, subtype;
	bool word; /* a single word: SHORT, BUILD:COMPACT */
	struct syst_layout at;
	struct syst_peek peek;
	enum syst_fault fault;
	size_t payload, payload_end; /* offsets; in range even with a fault */
};

void syst_frame_parse(struct syst_frame *, const uint8_t *p, size_t length);

/* Treat the CRC from syst_frame_crc() as payload: the frame was cut short, and its CRC is
 * missing. */
void syst_frame_drop_crc(struct syst_frame *);

/* True if the part of SIZE bytes at AT, which header FLAG announces, is in the frame. */
static inline bool
syst_frame_has(const struct syst_frame *f, uint32_t flag, size_t at, size_t size)
{
	return !f->word && f->header & flag && at + size <= f->length;
}

/* Get the CRC-32C at the end of the frame, and its correct value: "over all of the message bytes,
 * excluding the checksum value itself" [SyS-T 1.0, "Checksum"].  Return false if it has none. */
bool syst_frame_crc(const struct syst_frame *, uint32_t *stated, uint32_t *computed);

/* Write a GUID's text [RFC 4122, text form], in lower case with braces: 39 bytes with the NUL. */
enum { SYST_GUID_TEXT = 39 };
char *syst_guid_text(char text[static SYST_GUID_TEXT], const uint8_t guid[static 16]);
/* Read a GUID in any case, with or without braces.  Return false if TEXT is not a GUID. */
bool syst_guid_parse(const char *text, uint8_t guid[static 16]);

/* Return the name of a type or subtype as in the reference printer [SyS-T 1.0, second hand:
 * systprint].  Return NULL if it is reserved or has only a number. */
const char *syst_type_name(unsigned type);
const char *syst_subtype_name(unsigned type, unsigned subtype);

/* Open and close decoders of the transports without state (raw, hex).  They use the messages' own
 * time. */
struct decoder *syst_plain_open(const struct decoder_ops *, const void *options, struct err *);
void syst_plain_close(struct decoder *);

#endif
