/*
 * STP: fields and text of the messages that stp_step() returns, for all formats that STP
 * carries.
 */
#ifndef TRAWL_DECODE_STP_EXPAND_H
#define TRAWL_DECODE_STP_EXPAND_H

#include "decode/stp/stp_step.h"

/* Fields of the packet layer: the first rows of a format's field table. */
enum stp_field {
	STP_F_STP,     /* group: transport fields */
	STP_F_PACKETS, /* group: packets of the message */
	STP_F_PACKET,  /* detail: one packet */
	STP_F_MASTER,
	STP_F_CHANNEL,
	STP_F_TIME, /* detail: in ticks */
	STP_F_VERSION,
	STP_F_FREQ,  /* Hz */
	STP_F_ERROR, /* error code */
	STP_F_TRIGGER,
	STP_F_USER,
	STP_F_COUNT
};

/* clang-format off: a table has rows */
#define STP_FIELDS                                                                                 \
	[STP_F_STP] = {"stp", FIELD_GROUP, "fields of the transport", .folded = true,              \
		       .part = FIELD_TRANSPORT},                                                   \
	[STP_F_PACKETS] = {"packets", FIELD_GROUP, "the packets that the message came in",         \
			   .folded = true},                                                        \
	[STP_F_PACKET] = {"packet", FIELD_TEXT, "one packet of the transport", .detail = true},    \
	[STP_F_MASTER] = {"master", FIELD_UINT, "STP master"},                                     \
	[STP_F_CHANNEL] = {"channel", FIELD_UINT, "STP channel"},                                  \
	[STP_F_TIME] = {"stp_time", FIELD_UINT, "the transport's time in ticks", .detail = true},  \
	[STP_F_VERSION] = {"stp_version", FIELD_UINT, "version of the transport's protocol"},      \
	[STP_F_FREQ] = {"stp_freq", FIELD_UINT, "ticks per second of the transport's clock"},      \
	[STP_F_ERROR] = {"stp_error", FIELD_HEX, "error code of the transport"},                   \
	[STP_F_TRIGGER] = {"stp_trigger", FIELD_HEX,                                               \
			   "payload of a trigger or cross synchronisation"},                       \
	[STP_F_USER] = {"stp_user", FIELD_HEXTEXT, "user-defined data"}

/* Kinds of message from FIRST on, in the order of enum stp_kind. */
#define STP_KINDS(first)                                                                           \
	[(first) +                                                                                 \
	    STP_KIND_ASYNC] = {"stp_async", "synchronisation, with the version that follows"},     \
	    [(first) + STP_KIND_FREQ] = {"stp_freq", "the frequency of the transport's clock"},    \
	    [(first) + STP_KIND_TRIG] = {"stp_trig", "a trigger"},                                 \
	    [(first) +                                                                             \
		STP_KIND_XSYNC] = {"stp_xsync", "cross synchronisation with another source"},      \
	    [(first) + STP_KIND_USER] = {"stp_user", "user-defined data"},                         \
	    [(first) + STP_KIND_TIME] = {"stp_time", "a time stamp of its own"},                   \
	    [(first) + STP_KIND_MERR] = {"stp_merr", "an error of a master"},                      \
	    [(first) + STP_KIND_GERR] = {"stp_gerr", "an error of the whole stream"},              \
	    [(first) + STP_KIND_CERR] = {"stp_cerr", "an error of a channel"}

/* Rows of struct stp_protocol, with the kinds from FIRST on, and those of a FLAG and of damage. */
#define STP_ROWS(first, flag, damage)                                                              \
	[STP_ASYNC] = {(first) + STP_KIND_ASYNC, SEVERITY_DEBUG},                                  \
	[STP_VERSION] = {(first) + STP_KIND_ASYNC, SEVERITY_DEBUG},                                \
	[STP_FREQ] = {(first) + STP_KIND_FREQ, SEVERITY_DEBUG},                                    \
	[STP_TRIG] = {(first) + STP_KIND_TRIG, SEVERITY_WARNING},                                  \
	[STP_XSYNC] = {(first) + STP_KIND_XSYNC, SEVERITY_DEBUG},                                  \
	[STP_USER] = {(first) + STP_KIND_USER, SEVERITY_DEBUG},                                    \
	[STP_TIME] = {(first) + STP_KIND_TIME, SEVERITY_DEBUG},                                    \
	[STP_MERR] = {(first) + STP_KIND_MERR, SEVERITY_ERROR},                                    \
	[STP_GERR] = {(first) + STP_KIND_GERR, SEVERITY_ERROR},                                    \
	[STP_CERR] = {(first) + STP_KIND_CERR, SEVERITY_ERROR},                                    \
	[STP_FLAG] = {flag, SEVERITY_DEBUG}, [STP_RESERVED] = {damage, SEVERITY_ERROR}
/* clang-format on */

enum stp_kind {
	STP_KIND_ASYNC, /* with its VERSION */
	STP_KIND_FREQ,
	STP_KIND_TRIG,
	STP_KIND_XSYNC,
	STP_KIND_USER,
	STP_KIND_TIME,
	STP_KIND_MERR,
	STP_KIND_GERR,
	STP_KIND_CERR,
	STP_KIND_COUNT
};

/* Field rows of a format. */
struct stp_field_rows {
	const struct field_row *rows; /* by enum stp_field */
	const struct field_row *data, *note;
};

/*
 * Clear E and fill in type, origin, fields and, for transport messages, text of M.  Return true if
 * M consists of data: E then has its payload and extents.  The caller adds the rest, which for the
 * protocol's kind of plain data is only the text.  HISTORY may be NULL; its memory is a struct
 * stp_gatherer (stp_gather.h).
 */
bool stp_expand(const struct stp_setup *, const struct stp_field_rows *, const struct message *m,
		const struct window *, enum expand_want, const struct decode_history *,
		struct expansion *e);

/* Iterator over the packets of a message, in order. */
struct stp_walk {
	const struct window *window;
	const struct stp_setup *setup;
	struct stp_state stp;
	uint64_t next;	/* first nibble of the next packet, in the capture */
	uint64_t end;	/* end of the message */
	uint64_t place; /* first nibble of the packet returned last */
};
struct stp_walk stp_walk_start(const struct message *, const struct window *,
			       const struct stp_setup *);
/* Read the next data or FLAG packet of message M, skipping other senders.  Return false at the
 * end. */
bool stp_walk_next(struct stp_walk *, const struct message *m, struct stp_packet *);

/* Walk to the end and assemble the payload of M.  PAYLOAD needs room for m->length +
 * STP_COLLECT_MORE bytes.  Return the payload's length in bytes. */
enum { STP_COLLECT_MORE = 16 };
size_t stp_walk_collect(struct stp_walk *, const struct message *m, uint8_t *payload);

/* Return the rate in Hz that message M, a FREQ packet, states; 0 if it is unreadable. */
uint64_t stp_frequency(const struct message *m, const struct window *);

/* Format of STP streams that carry plain data (stp_data.c). */
extern const struct decoder_ops stp_ops;

#endif
