/*
 * RISC-V trace packets in their encapsulation (Unformatted Trace & Diagnostic Data
 * Packet Encapsulation for RISC-V 1.0), with E-Trace payloads.
 *
 * A capture is a sequence of packets.  Each consists of a header byte with the length,
 * the source ID, a timestamp if the header announces one, and the payload.  The stream
 * does not contain the widths of its fields.  They come from the profile or are
 * guessed from the sync sequences, runs of null packets longer than any packet.
 *
 * [Encap 1.0, "SECTION"] cites that document, ratified in June 2024, by its headings.
 */
#ifndef TRAWL_DECODE_ENCAP_H
#define TRAWL_DECODE_ENCAP_H

#include "decode/encap/etrace.h"

enum encap_kind {
	ENCAP_NULL_RUN,	 /* [Encap 1.0, "Null Encapsulation"] */
	ENCAP_TRUNCATED, /* end is missing */
	ENCAP_MALFORMED, /* no room for a payload */
	ENCAP_OPAQUE,	 /* a payload of another protocol */
	ETRACE_START,	 /* first of the packets of etrace.h */
	ETRACE_TRAP,
	ETRACE_CONTEXT,
	ETRACE_SUPPORT,
	ETRACE_ADDRESS,
	ETRACE_BRANCH,
	ETRACE_BRANCH_MAP, /* branches without an address */
	ETRACE_BRANCH_COUNT,
	ETRACE_JUMP_TARGET,
	ETRACE_RESERVED,
	DTRACE_LOAD,
	DTRACE_STORE,
	DTRACE_CSR,
	DTRACE_ATOMIC,
	DTRACE_SPLIT, /* data of a split transfer */
	ENCAP_KIND_COUNT
};

/* Rows of the field table. */
enum encap_field {
	/* the encapsulation */
	ENCAP_F_HEADER_LENGTH,
	ENCAP_F_FLOW,
	ENCAP_F_EXTEND,
	ENCAP_F_SRCID,
	ENCAP_F_TIMESTAMP,
	ENCAP_F_TYPE,
	ENCAP_F_PAYLOAD_BITS,
	ENCAP_F_PAYLOAD,
	ENCAP_F_CLASS,
	ENCAP_F_DECLARED_LENGTH,
	ENCAP_F_BIT_OFFSET,
	ENCAP_F_COUNT_NULLS,
	ENCAP_F_IDLE,
	ENCAP_F_ALIGNMENT,
	ENCAP_F_LAST,
	ENCAP_F_FLOWS,
	ENCAP_F_SYNC,
	ENCAP_F_NOTES,
	ENCAP_F_NOTE,
	/* instruction payloads */
	ENCAP_F_ETRACE,
	ENCAP_F_FORMAT,
	ENCAP_F_SUBFORMAT,
	ENCAP_F_NAME, /* data payloads too */
	ENCAP_F_BRANCH,
	ENCAP_F_PRIVILEGE,
	ENCAP_F_TIME,
	ENCAP_F_CONTEXT,
	ENCAP_F_ECAUSE,
	ENCAP_F_INTERRUPT,
	ENCAP_F_THADDR,
	ENCAP_F_TVAL,
	ENCAP_F_EXCEPTION_NAME,
	ENCAP_F_IENABLE,
	ENCAP_F_ENCODER_MODE,
	ENCAP_F_QUAL_STATUS,
	ENCAP_F_IOPTIONS,
	ENCAP_F_IOPTION,
	ENCAP_F_DENABLE,
	ENCAP_F_DLOSS,
	ENCAP_F_DOPTIONS,
	ENCAP_F_INDEX,
	ENCAP_F_BRANCHES,
	ENCAP_F_BRANCH_MAP,
	ENCAP_F_BRANCH_MAP_BITS,
	ENCAP_F_BRANCH_COUNT,
	ENCAP_F_BRANCH_FMT,
	ENCAP_F_ADDRESS,       /* data payloads too */
	ENCAP_F_ADDRESS_DELTA, /* data payloads too */
	ENCAP_F_NOTIFY,
	ENCAP_F_UPDISCON,
	ENCAP_F_IRREPORT,
	ENCAP_F_IRDEPTH,
	ENCAP_F_PC,
	ENCAP_F_ERROR,
	/* data payloads */
	ENCAP_F_DTRACE,
	ENCAP_F_DFORMAT,
	ENCAP_F_SUBTYPE,
	ENCAP_F_SIZE,
	ENCAP_F_DIFF,
	ENCAP_F_DATA_LEN,
	ENCAP_F_DATA,
	ENCAP_F_OP_LEN,
	ENCAP_F_OPERAND,
	ENCAP_F_CSR,
	ENCAP_F_FUNCTION, /* first of FIELD_SYMBOL_ROWS */
	ENCAP_F_COUNT = ENCAP_F_FUNCTION + FIELD_SYMBOLS
};

/* Bytes outside messages: rows of encap_silent. */
enum encap_silence { ENCAP_SILENT_EDGE, ENCAP_SILENT_PADDING, ENCAP_SILENT_COUNT };

extern const struct silent_row encap_silent[ENCAP_SILENT_COUNT];
extern const struct kind_row encap_kinds[ENCAP_KIND_COUNT];
extern const struct field_row encap_fields[ENCAP_F_COUNT];

/* Meaning of a payload, by the packet's type. */
enum encap_class { ENCAP_INSTRUCTION, ENCAP_DATA, ENCAP_OTHER };

/* An entry of `types:`. */
struct encap_type {
	uint64_t type;
	int payload; /* enum encap_class */
};

/* An entry of `sources:`: a name, and the settings that differ for this source. */
struct encap_source_options {
	uint64_t id;
	char *name;		  /* or NULL */
	int64_t type_width;	  /* -1: the common one */
	struct option_list types; /* struct encap_type; empty: the common ones */
	struct etrace_changes etrace;
};

/* `encap:` of a profile, and its sibling `etrace:`. */
struct encap_options {
	int64_t srcid_width;	 /* bits; -1: guessed */
	int64_t timestamp_bytes; /* -1: guessed */
	int64_t type_width;	 /* bits; -1: guessed if srcid_width is, else 0 */
	bool framed;
	bool bit_stream;
	struct option_list types;   /* struct encap_type */
	struct option_list sources; /* struct encap_source_options */
	uint64_t block_size;	    /* 0 = none */
	struct encap_container {
		uint64_t slot; /* bytes, 0 = none */
		bool reversed;
	} container;
	struct etrace_options etrace;
};
extern const struct option_table encap_options;

extern const struct decoder_ops encap_ops;

/*
 * Append a starting profile made from the head of a capture.  Its comments mark
 * guesses and list alternatives.  Return false, and append nothing, if the head has no
 * sync sequence.
 */
bool encap_propose(const struct window *head, struct text *profile);

#endif
