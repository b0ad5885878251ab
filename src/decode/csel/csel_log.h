/*
 * Parts of a CSEL log and the tables of its checks, shared by the files of this
 * format.
 *
 * [CSEL 1.0, "SECTION"] is the page "Stream Event Log File Format" of the
 * documentation of Arm's Critical Application Monitoring (CAM) 1.0.  It does not
 * define units or the order of sequence numbers.  Where we use these, the source is
 * the demonstration that comes with CAM: [CSEL 1.0, second hand: CAM demonstration].
 */
#ifndef TRAWL_DECODE_CSEL_LOG_H
#define TRAWL_DECODE_CSEL_LOG_H

#include "decode/csel/csel.h"

enum {
	CSEL_HEADER_SIZE = 8,	 /* [CSEL 1.0, "Header Section"] */
	CSEL_METADATA_SIZE = 88, /* [CSEL 1.0, "Metadata Section"] */
	CSEL_CONTROL_SIZE = 8,	 /* [CSEL 1.0, "State Control Section"] */
	CSEL_UUID_AT = 0,	 /* offset in the metadata */
	CSEL_NAME_AT = 16,
	CSEL_NAME_SIZE = 64,
	CSEL_INIT_AT = 80
};
extern const uint8_t csel_signature[4];

enum csel_kind {
	CSEL_HEADER,
	CSEL_START, /* up to CSEL_EVENT: the identifiers [CSEL 1.0, "Log Entries Section"] */
	CSEL_STOP,
	CSEL_END,
	CSEL_EVENT,
	CSEL_METADATA,
	CSEL_STATE_CONTROL,
	CSEL_UNKNOWN,
	CSEL_TRUNCATED,
	CSEL_EOF,
	CSEL_KIND_COUNT
};

enum csel_state_name { CSEL_STATE_INIT, CSEL_STATE_RUNNING, CSEL_STATE_STOPPED, CSEL_STATE_ENDED };

enum csel_diag {
	CSEL_DIAG_NONE,
	CSEL_DIAG_BAD_SIGNATURE,
	CSEL_DIAG_UNKNOWN_ENTRY,
	CSEL_DIAG_TRUNCATED,
	CSEL_DIAG_BAD_VERSION,
	CSEL_DIAG_NAME_NOT_TERMINATED,
	CSEL_DIAG_RESERVED_NONZERO,
	CSEL_DIAG_ZERO_EVENT_TIMEOUT,
	CSEL_DIAG_EVENT_BEFORE_START,
	CSEL_DIAG_EVENT_AFTER_STOP,
	CSEL_DIAG_EVENT_AFTER_END,
	CSEL_DIAG_START_WHILE_RUNNING,
	CSEL_DIAG_STOP_NOT_RUNNING,
	CSEL_DIAG_START_AFTER_END,
	CSEL_DIAG_STOP_AFTER_END,
	CSEL_DIAG_END_REPEATED,
	CSEL_DIAG_END_WHILE_RUNNING,
	CSEL_DIAG_START_TIMEOUT,
	CSEL_DIAG_EVENT_TIMEOUT,
	CSEL_DIAG_TIMESTAMP_REGRESSION,
	CSEL_DIAG_SEQUENCE_GAP,
	CSEL_DIAG_SEQUENCE_REPEAT,
	CSEL_DIAG_SEQUENCE_REGRESSION,
	CSEL_DIAG_MISSING_START,
	CSEL_DIAG_MISSING_STOP,
	CSEL_DIAG_MISSING_END,
	CSEL_DIAG_COUNT
};

struct csel_diag_row {
	const char *name;
	uint8_t severity;
	uint16_t flags; /* flags of a message with this diagnostic */
};
extern const struct csel_diag_row csel_diags[CSEL_DIAG_COUNT];

/* By kind of entry and state before it: the diagnostic if it is out of order, and the state
 * after it. */
extern const uint8_t csel_order_diags[CSEL_EVENT + 1][4];
extern const uint8_t csel_next_states[CSEL_EVENT + 1][4];

/* Content of `aux` of an entry: the state before it, and the result of its sequence check as an
 * index into csel_sequence_diags. */
#define CSEL_AUX_STATE(aux) ((aux) % 4)
#define CSEL_AUX_LATE(aux) ((aux) >> 2 & 1)
#define CSEL_AUX_BACK(aux) ((aux) >> 3 & 1)
#define CSEL_AUX_SEQUENCE(aux) ((aux) >> 4 & 3)
#define CSEL_AUX_RUN(aux) ((uint32_t)((aux) >> 6 & 0x7ffffff))
#define CSEL_AUX_MISSING(aux) ((uint32_t)((aux) >> 33))
extern const uint8_t csel_sequence_diags[4];

/* Content of `aux` of CSEL_UNKNOWN: it begins with an unknown entry; entries were found after
 * it. */
#define CSEL_UNKNOWN_FIRST 1u
#define CSEL_UNKNOWN_ENDS 2u

/* Content of `aux` of the end. */
#define CSEL_EOF_STATE(aux) ((aux) % 4)
#define CSEL_EOF_RUNS(aux) ((aux) >> 2)

/* Find the diagnostics for missing entries at the end of a log, at most two. */
void csel_missing_at_end(enum csel_state_name, uint64_t runs, enum csel_diag missing[static 2]);

enum csel_field {
	CSEL_F_SIGNATURE,
	CSEL_F_VERSION,
	CSEL_F_UUID,
	CSEL_F_NAME,
	CSEL_F_INIT_TS,
	CSEL_F_TIMEOUT_START,
	CSEL_F_TIMEOUT_EVENT,
	CSEL_F_ID,
	CSEL_F_TS,
	CSEL_F_SEQ,
	CSEL_F_EVENT,
	CSEL_F_RESERVED,
	CSEL_F_DIAG,
	CSEL_F_DIAG_NAME,
	CSEL_F_MISSING,
	CSEL_F_STATE,
	CSEL_F_RUN,
	CSEL_F_RUNS,
	CSEL_F_COUNT
};
extern const struct field_row csel_fields[CSEL_F_COUNT];
extern const struct kind_row csel_kinds[CSEL_KIND_COUNT];

struct csel_decoder {
	struct decoder base;
	const struct csel_options *options;
	char name[CSEL_NAME_SIZE + 1]; /* of the stream */
	struct text uuid;	       /* of the stream; empty: unknown */
};

/* Append 16 bytes in the usual form of a UUID, in file order.  For the format they are "an
 * opaque data value" [CSEL 1.0, "About the Universally Unique Identifier (UUID) fields"]. */
void csel_add_uuid(struct text *, const uint8_t *uuid);

void csel_expand(const struct decoder *, const struct message *, const struct window *,
		 enum expand_want, const struct decode_history *, struct expansion *);

#endif
