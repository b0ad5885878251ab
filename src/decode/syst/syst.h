/*
 * MIPI SyS-T 1.0, the protocol inside a frame.
 *
 * The transports (raw, hex, stp) split the capture into frames; these files decode a frame.
 * Stepping peeks: it reads the header and the length, nothing else.  Expanding makes fields and
 * text and checks the CRC-32C.
 *
 * [SyS-T 1.0, "SECTION"] cites the page "SyS-T Data Protocol" of the documentation of the MIPI
 * SyS-T 1.0 library, by its headings.  For the payloads that page refers to chapter 8 of the
 * specification, which is not public.  The payloads are known from programs, cited as [SyS-T 1.0,
 * PART, second hand: NAMES]: the library (which writes messages), systprint (its reference
 * printer), p_sys-t (Linux), and Zephyr.
 */
#ifndef TRAWL_DECODE_SYST_H
#define TRAWL_DECODE_SYST_H

#include "decode/clock_source.h"

/* Kinds of message, rows of syst_kinds.  SyS-T messages use their type [SyS-T 1.0, "SyS-T Messages
 * Types"].  Kinds of STP and of text follow, so that one table serves all transports. */
enum syst_kind {
	SYST_BUILD = 0,
	SYST_SHORT32 = 1,
	SYST_STRING = 2,
	SYST_CATALOG = 3,
	SYST_RAW = 6,
	SYST_SHORT64 = 7,
	SYST_CLOCK = 8,
	SYST_SBD = 9, /* officially reserved [SyS-T 1.0, SBD, second hand: library, systprint] */
	SYST_UNKNOWN = 10, /* a reserved type or subtype */
	SYST_BAD,	   /* inconsistent: too short, wrong length */
	SYST_FILLER,	   /* a run of zero bytes */
	SYST_DAMAGE,	   /* undecoded bytes */
	SYST_LINE,	   /* hex: a line of other text */
	SYST_DATA,	   /* stp: payload that is not SyS-T */
	SYST_STP_ASYNC,	   /* with its VERSION; from here on like enum stp_kind */
	SYST_STP_FREQ,
	SYST_STP_TRIG,
	SYST_STP_XSYNC,
	SYST_STP_USER,
	SYST_STP_TIME,
	SYST_STP_MERR,
	SYST_STP_GERR,
	SYST_STP_CERR,
	SYST_KIND_COUNT
};

/* Rows of the format's field table, in table order. */
enum syst_field {
	SYST_F_STP,	/* group: transport fields; up to _USER like enum stp_field */
	SYST_F_PACKETS, /* group: packets of the message */
	SYST_F_PACKET,	/* detail: one STP packet */
	SYST_F_MASTER,
	SYST_F_CHANNEL,
	SYST_F_STP_TIME, /* detail: transport time in ticks */
	SYST_F_STP_VERSION,
	SYST_F_STP_FREQ,  /* Hz */
	SYST_F_STP_ERROR, /* error code */
	SYST_F_STP_TRIGGER,
	SYST_F_STP_USER,
	SYST_F_HEADER, /* group */
	SYST_F_TYPE,
	SYST_F_SEVERITY,
	SYST_F_RESERVED,
	SYST_F_HAS_LOCATION,
	SYST_F_HAS_LENGTH,
	SYST_F_HAS_CRC,
	SYST_F_HAS_TIME,
	SYST_F_HAS_GUID,
	SYST_F_SUBTYPE,
	SYST_F_UNIT,
	SYST_F_MODULE,
	SYST_F_GUID,
	SYST_F_LOCATION,
	SYST_F_PAYLOAD_LENGTH, /* detail: LEN */
	SYST_F_MSG_TS,
	SYST_F_ID,
	SYST_F_FORMAT, /* detail: the printf format used */
	SYST_F_ARGS,   /* list */
	SYST_F_ARG_INT,
	SYST_F_ARG_UINT,
	SYST_F_ARG_NUMBER,
	SYST_F_ARG_TEXT,
	SYST_F_VALUE,
	SYST_F_CLOCK,
	SYST_F_FREQ,
	SYST_F_ADDR,
	SYST_F_NAME,
	SYST_F_DATA,
	SYST_F_STRING, /* detail: the bytes of a text */
	SYST_F_CRC,
	SYST_F_CRC_OK,
	SYST_F_TRAILING, /* detail: bytes that the message does not use */
	SYST_F_NOTE,	 /* detail: the fault, in words */
	SYST_F_COUNT
};

/* Kinds that may have a checksum. */
#define SYST_KINDS_CHECKED ((1ull << (SYST_UNKNOWN + 1)) - 1)

extern const struct kind_row syst_kinds[SYST_KIND_COUNT];
extern const struct field_row syst_fields[SYST_F_COUNT];
bool syst_origin_tells(const struct message *, const struct field_row *);

enum syst_transport {
	SYST_TRANSPORT_AUTO, /* found by content */
	SYST_TRANSPORT_RAW,
	SYST_TRANSPORT_STP,
	SYST_TRANSPORT_HEX
};
enum syst_nibbles { SYST_NIBBLES_AUTO, SYST_NIBBLES_MSN, SYST_NIBBLES_LSN };
enum syst_epoch { SYST_EPOCH_UNIX, SYST_EPOCH_NONE, SYST_EPOCH_NANOSECONDS };

/* Section `syst:` of a profile. */
struct syst_options {
	int transport;		       /* enum syst_transport */
	int nibbles;		       /* enum syst_nibbles */
	struct option_list plain;      /* char *: MASTER:CHANNEL; see syst_stp.c */
	char *guid;		       /* sender of short messages, or NULL */
	struct option_list collateral; /* char *: paths of XML files */
	uint64_t ts_hz;		       /* rate of the messages' own timestamps, 0 = unknown */
	int ts_epoch;		       /* enum syst_epoch */
};
extern const struct option_table syst_options;

/* Return the ticks per second of the messages' own timestamps, 0 if unknown.  Set *EPOCH to true
 * if they count from 1970. */
double syst_timestamp_rate(const struct syst_options *, bool *epoch);

/* Common part of all three transports; first member of their decoders. */
struct syst_collateral;
struct syst_decoder {
	struct decoder base;
	const struct syst_options *options;
	bool has_guid;
	uint8_t guid[16];			      /* from the options, in RFC 4122 order */
	_Atomic(struct syst_collateral *) collateral; /* NULL until loaded */
	size_t memory_at; /* offset of struct syst_memory in a history's memory */
};

/* Fill in DECODER from OPTIONS (struct syst_options).  Return 0 or ERR_CONFIG. */
int syst_open(struct syst_decoder *, const struct decoder_ops *, const void *options, struct err *);
void syst_close(struct syst_decoder *);
int syst_load(struct decoder *, struct err *); /* decoder_ops.load */

/* Extent of a message. */
enum syst_extent {
	SYST_WHOLE,   /* `length` bytes, by its length field or its kind */
	SYST_OPEN,    /* no length given: it ends with its frame */
	SYST_SHORT,   /* the given bytes end inside the fixed part or LEN */
	SYST_RESERVED /* a reserved type or subtype; `length` if LEN is set, else 0 */
};

struct syst_peek {
	enum syst_extent extent;
	uint32_t length; /* length of the message with its CRC, if known */
	uint32_t prefix; /* bytes before the payload */
	uint32_t least;	 /* fewest bytes that such a message can have */
	uint8_t kind;
	uint8_t severity;
	bool suspect;	 /* reserved bits of the header or of its location are set */
	bool has_length; /* `length` comes from its length field */
	bool has_ticks;
	bool has_crc;
	uint16_t flags;	 /* MESSAGE_TIMED; MESSAGE_CHECKED: it has a CRC or a format */
	uint64_t ticks;	 /* its own timestamp */
	uint64_t origin; /* raw key, without master and channel */
};

/*
 * Read the header of a message at P.  At most SYST_PREFIX_MAX of the LENGTH bytes are read.  With
 * fewer than 4 bytes, kind is SYST_BAD and extent SYST_SHORT.
 */
enum { SYST_PREFIX_MAX = 39, SYST_MESSAGE_MAX = 39 + 65535 + 4 };
void syst_peek(const uint8_t *p, size_t length, struct syst_peek *);

/* True if a message can start at P, in a stream without sync: known type and subtype, reserved
 * bits zero, fields consistent with LENGTH. */
bool syst_plausible(const uint8_t *p, size_t length);

/* Fill in M from a whole frame of LENGTH bytes at P, ended by its transport.  Leaves out offset,
 * length and transport time. */
void syst_message(const uint8_t *p, size_t length, struct message *m);

/*
 * Clear MESSAGE_CHECKED of M if its checksum is right and its arguments fit its format.  It stays
 * set if earlier messages may matter.  P is the whole and sound frame of LENGTH bytes.  For step()
 * with a window that has CHECK.  SENDER is NULL if unknown.
 */
struct syst_sender {
	uint16_t master, channel;
};
void syst_settle(const struct syst_decoder *, const uint8_t *p, size_t length,
		 const struct syst_sender *, struct decode_check *, struct message *m);

/*
 * Expand the frame P of LENGTH bytes into E: type, origin, text and, if requested, fields with
 * bits relative to P.  Sets no extents.  Fields point into P, which must live as long as they do.
 * SENDER (NULL: unknown) helps to find the collateral of messages without GUID.  Without history,
 * builds are ignored and the first client of a sender is used.
 */
void syst_expand(const struct syst_decoder *, const struct message *, const uint8_t *p,
		 size_t length, enum expand_want, const struct decode_history *,
		 const struct syst_sender *sender, struct expansion *e);

#define SYST_PRINTER "csv-systprint"

#define SYST_UNNAMED "kind = catalog and type ~ /^CATALOG/ and not syst.format"

/* Append the printer's row for a SyS-T message with its frame in e->payload, for
 * decoder_ops.print.  Return false for other messages.  The second function is for transports
 * without senders. */
bool syst_systprint_from(const struct decoder *, const struct message *, const struct syst_sender *,
			 struct expansion *, struct text *out);
bool syst_systprint(const struct decoder *, const struct message *, const struct window *,
		    struct expansion *, struct text *out);

/* Sources for CLOCK messages: in raw and hex, and over STP. */
extern const struct clock_source syst_clocks, syst_stp_clocks;

/* The three decoders of the format. */
extern const struct decoder_ops syst_raw_ops, syst_hex_ops, syst_stp_ops;

#endif
