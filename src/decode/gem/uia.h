/*
 * TI UIA software events in their packets: one decoder, and the declarations that
 * session/link/serial.c needs to match events with the words of a GEM trace.
 *
 * A packet consists of a header of four big-endian words, and events in the byte order
 * that the header states.  An event consists of a word (type, length, sequence), an
 * optional timestamp (low word first), a word with event and module ID, and
 * arguments.  Sources are cited as in gem.h.
 */
#ifndef TRAWL_DECODE_UIA_H
#define TRAWL_DECODE_UIA_H

#include "base/bytes.h"
#include "decode/clock_source.h"

enum uia_kind {
	UIA_PACKET, /* a packet's header */
	UIA_EVENT,
	UIA_DATA,    /* content of a packet without events */
	UIA_PADDING, /* packets without data, runs of zero bytes */
	UIA_FOOTER,
	UIA_DAMAGE,
	UIA_TRUNCATED,
	UIA_KIND_COUNT
};

enum uia_field {
	UIA_F_HDR_TYPE,
	UIA_F_ENDIAN,
	UIA_F_EVENT_LENGTH,
	UIA_F_SEQ,
	UIA_F_PRIORITY,
	UIA_F_DYNAMIC,
	UIA_F_INSTANCE,
	UIA_F_MODULE,
	UIA_F_DEST,
	UIA_F_SRC,
	UIA_F_LOGGER,
	UIA_F_MISSING,
	UIA_F_TIMESTAMP,
	UIA_F_EVENT_ID,
	UIA_F_MODULE_ID,
	UIA_F_NAME,
	UIA_F_ARGS,
	UIA_F_ARG,
	UIA_F_FILE_PTR,
	UIA_F_LINE,
	UIA_F_OLD,
	UIA_F_FMT_PTR,
	UIA_F_NEW,
	UIA_F_OLD_FUNC,
	UIA_F_NEW_FUNC,
	UIA_F_SERIAL,
	UIA_F_CPU_TS,
	UIA_F_GLOBAL_TS,
	UIA_F_CYCLES_PER_TICK,
	UIA_F_CPU_FREQ,
	UIA_F_CYCLES_PER_GLOBAL_TICK,
	UIA_F_GLOBAL_FREQ,
	UIA_F_SNAPSHOT_ID,
	UIA_F_ADDRESS,
	UIA_F_TOTAL_LENGTH,
	UIA_F_REC_LENGTH,
	UIA_F_DATA,
	UIA_F_BYTES, /* of messages other than events */
	UIA_F_COUNT
};
extern const struct field_row uia_fields[UIA_F_COUNT];
extern const struct kind_row uia_kinds[UIA_KIND_COUNT];

/* Meaning of an event. */
enum uia_role { UIA_ROLE_AUTO, UIA_ROLE_PLAIN, UIA_ROLE_SYNC, UIA_ROLE_TIMER, UIA_ROLE_CONTEXT };

/* `uia:` of a profile: the names, which the log does not contain. */
struct uia_event_options {
	uint64_t id;
	char *name;   /* or NULL */
	char *format; /* or NULL */
	int severity; /* enum severity */
	int role;     /* enum uia_role; AUTO: derived from the name */
};
struct uia_options {
	struct option_list events; /* struct uia_event_options */
};
extern const struct option_table uia_options_table;

/* An entry of `events`, prepared for decoding. */
struct uia_event_row {
	const char *name; /* from the options, or NULL */
	char *format;	  /* for syst_printf, owned; or NULL */
	uint8_t severity;
	uint8_t role; /* enum uia_role, never AUTO */
};

enum { UIA_EVENT_IDS = 65536 };

struct uia_decoder {
	struct decoder base;
	VEC(struct uia_event_row) rows; /* rows.at[0]: IDs that are not listed */
	uint16_t row_of[UIA_EVENT_IDS];
};

int uia_rows_make(struct uia_decoder *, const struct uia_options *, struct err *);
void uia_rows_free(struct uia_decoder *);

/* Origin of an event: core, module and instance of its logger. */
#define UIA_ORIGIN_NONE ((uint64_t)1 << 63)

static inline uint64_t
uia_origin(unsigned source, unsigned module, unsigned instance)
{
	return (uint64_t)source << 32 | (uint64_t)module << 16 | instance;
}

static inline uint64_t
uia_origin_source(uint64_t origin)
{
	return origin >> 32 & 0xffff;
}

static inline unsigned
uia_origin_instance(uint64_t origin)
{
	return origin & 0x7fff;
}

/* Content of an event's `aux`. */
#define UIA_AUX_MISSING(aux) ((unsigned)((aux)&0xffff))
#define UIA_AUX_BIG ((uint64_t)1 << 16)	 /* byte order */
#define UIA_AUX_BACK ((uint64_t)1 << 17) /* its sequence number goes back */

/* Sizes of an event's fixed parts by its header type: 0 plain, 1 with timestamp, 2 snapshot, 3
 * both [UIA 1.01, EventHdr HdrType]. */
enum { UIA_EVENT_TYPES = 4, UIA_SNAPSHOT_WORDS = 6, UIA_TYPE_TIMED = 1, UIA_TYPE_SNAPSHOT = 2 };

static inline size_t
uia_event_prefix(unsigned type)
{
	return type & UIA_TYPE_TIMED ? 16 : 8;
}

static inline size_t
uia_event_least(unsigned type)
{
	return uia_event_prefix(type) + (type & UIA_TYPE_SNAPSHOT ? 4 * UIA_SNAPSHOT_WORDS : 0);
}

static inline uint32_t
uia_word(const uint8_t *p, bool big)
{
	return big ? bytes_be32(p) : bytes_le32(p);
}

/* A parsed event.  Points into the parsed bytes. */
struct uia_event {
	const struct uia_event_row *row;
	const uint8_t *args;
	size_t args_length;
	uint64_t timestamp; /* if timed */
	uint16_t sequence, id, module;
	uint8_t type;
	bool big, timed, snapshot;
};

/* Parse the event M of LENGTH bytes at P.  Return false if the bytes are not a valid event. */
bool uia_event_parse(const struct uia_decoder *, const struct message *, const uint8_t *p,
		     size_t length, struct uia_event *);

/* Return the 32-bit argument N, or two arguments from N on, low word first.  Missing ones are 0. */
uint32_t uia_argument(const struct uia_event *, size_t n);
uint64_t uia_argument64(const struct uia_event *, size_t n);

/* Positions of some arguments: of sync points [UIA 1.01, UIASync], of context changes [UIA
 * 1.01, LogCtxChg], of snapshots [UIA 1.01, EventHdr]. */
enum { UIA_SYNC_SERIAL = 0, UIA_CONTEXT_OLD = 2, UIA_CONTEXT_NEW = 4, UIA_SNAPSHOT_ID = 2 };

void uia_expand(const struct decoder *, const struct message *, const struct window *,
		enum expand_want, const struct decode_history *, struct expansion *);

extern const struct clock_source uia_clocks;

extern const struct decoder_ops uia_ops;

#endif
