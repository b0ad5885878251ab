/*
 * Generic trace elements: the content of CoreSight trace, independent of the protocol.
 *
 * Members and names follow the elements of the OpenCSD library.  The struct is a separate one
 * because the library's numbers differ between its versions.  Elements also come from the ITM
 * decoder in itm.c and from listings.  One table maps members to fields; another is the grammar
 * for elements in listings.
 *
 * [OpenCSD 1.3.3, HEADER] is a header of that version of the library, [OpenCSD, "SECTION"] its
 * page "Generic Trace Packet Descriptions".  Facts without a document are from the behaviour of
 * its printer, [OpenCSD 1.3.3, second hand: trc_pkt_lister].
 */
#ifndef TRAWL_DECODE_OPENCSD_ELEMENT_H
#define TRAWL_DECODE_OPENCSD_ELEMENT_H

#include "decode/decoder.h"

/* Kinds of message.  First the types of element, in the library's order: [OpenCSD 1.3.3,
 * trc_gen_elem_types.h, ocsd_gen_trc_elem_t], of later versions INSTRUMENTATION [OpenCSD 1.4,
 * trc_gen_elem_types.h] and ITMTRACE [OpenCSD 1.7, trc_gen_elem_types.h]. */
enum opencsd_kind {
	OPENCSD_UNKNOWN,
	OPENCSD_NO_SYNC,
	OPENCSD_TRACE_ON,
	OPENCSD_EO_TRACE,
	OPENCSD_PE_CONTEXT,
	OPENCSD_INSTR_RANGE,
	OPENCSD_I_RANGE_NOPATH,
	OPENCSD_ADDR_NACC,
	OPENCSD_ADDR_UNKNOWN,
	OPENCSD_EXCEPTION,
	OPENCSD_EXCEPTION_RET,
	OPENCSD_TIMESTAMP,
	OPENCSD_CYCLE_COUNT,
	OPENCSD_EVENT,
	OPENCSD_SWTRACE,
	OPENCSD_SYNC_MARKER,
	OPENCSD_MEMTRANS,
	OPENCSD_INSTRUMENTATION,
	OPENCSD_ITMTRACE,
	OPENCSD_CUSTOM,
	OPENCSD_ELEMENTS,		 /* number of element types */
	OPENCSD_SYST = OPENCSD_ELEMENTS, /* SWTRACE at the end of a SyS-T message */
	OPENCSD_FATAL,			 /* a decoder gave up */
	OPENCSD_STRAY,			 /* bytes without a source, or of a source without
					    decoder */
	OPENCSD_PACKET,			 /* packet line of a listing */
	OPENCSD_LINE,			 /* other line of a listing */
	OPENCSD_LOST,			 /* missing bytes, or bytes outside of runs */
	OPENCSD_KIND_COUNT
};
/* Rows by enum opencsd_kind.  The rows of ITM packets follow: see swo.h. */
extern const struct kind_row opencsd_kinds[];

enum opencsd_isa { OPENCSD_A32, OPENCSD_T32, OPENCSD_A64, OPENCSD_ISA_COUNT = 7 };

/* [OpenCSD 1.3.3, trc_gen_elem_types.h, unsync_info_t] */
enum opencsd_unsync {
	OPENCSD_UNSYNC_UNKNOWN,
	OPENCSD_UNSYNC_INIT,
	OPENCSD_UNSYNC_RESET,
	OPENCSD_UNSYNC_OVERFLOW,
	OPENCSD_UNSYNC_DISCARD,
	OPENCSD_UNSYNC_BAD_PACKET,
	OPENCSD_UNSYNC_BAD_IMAGE,
	OPENCSD_UNSYNC_END,
	OPENCSD_UNSYNC_COUNT
};

enum { OPENCSD_ON_OVERFLOW = 1 }; /* trace_on_reason */
enum { OPENCSD_MEMTRANS_FAIL = 3 };

enum opencsd_itm {
	OPENCSD_ITM_TIME_SYNC, /* local time; the next three show the delayed part */
	OPENCSD_ITM_TIME_DELAY,
	OPENCSD_ITM_PACKET_DELAY,
	OPENCSD_ITM_BOTH_DELAY,
	OPENCSD_ITM_SOFTWARE,
	OPENCSD_ITM_HARDWARE,
	OPENCSD_ITM_TIME_GLOBAL,
	OPENCSD_ITM_COUNT
};

/* Members that do not apply to a type, or are not valid, are zero: [OpenCSD, "Generic Trace
 * Packets - Packet Reference"]. */
struct opencsd_element {
	uint64_t index; /* in trace bytes, as the reference decoder counts */
	uint8_t type;	/* enum opencsd_kind < OPENCSD_ELEMENTS */
	uint8_t id;	/* trace ID */
	uint8_t isa;
	uint8_t reason; /* reason or kind of NO_SYNC, EO_TRACE, TRACE_ON, EVENT, SYNC_MARKER,
			   MEMTRANS, ITMTRACE */
	uint8_t last_type, last_subtype, last_size;
	uint8_t security, level;
	uint8_t bits; /* size of a payload packet: 4, 8, 16, 32, 64 */
	uint8_t packets;
	uint16_t master, channel; /* in ITMTRACE, channel is the port or discriminator */
	uint32_t number;	  /* count of instructions; or exception, event, marker value,
				     space */
	uint32_t cycles;
	uint32_t context_id, vmid;
	uint32_t flags;	     /* enum opencsd_flag */
	uint64_t start, end; /* addresses: `end` is exclusive, or the next or return address */
	uint64_t timestamp;
	uint64_t value; /* payload, at most its first eight bytes */
};

enum opencsd_flag {
	OPENCSD_HAS_CYCLES = 1 << 0,
	OPENCSD_HAS_TIMESTAMP = 1 << 1,
	OPENCSD_FREQ_CHANGE = 1 << 2, /* processor frequency changed at a timestamp */
	OPENCSD_EXECUTED = 1 << 3,    /* the last instruction took effect, e.g. a branch was
					 taken */
	OPENCSD_CONDITIONAL = 1 << 4,
	OPENCSD_BITS64 = 1 << 5,
	OPENCSD_HAS_LEVEL = 1 << 6,
	OPENCSD_HAS_CONTEXT_ID = 1 << 7,
	OPENCSD_HAS_VMID = 1 << 8,
	OPENCSD_HAS_RETURN = 1 << 9,	    /* `end` is the preferred return address */
	OPENCSD_RETURN_IS_TARGET = 1 << 10, /* and the target of the previous branch */
	OPENCSD_DATA_MARKER = 1 << 11,
	OPENCSD_HAS_SENDER = 1 << 12, /* master and channel are valid */
	OPENCSD_HAS_PAYLOAD = 1 << 13,
	OPENCSD_MARKER = 1 << 14,
	OPENCSD_MARKER_FIRST = 1 << 15,
	OPENCSD_FREQUENCY = 1 << 16, /* the payload is the timestamp frequency in Hz */
	OPENCSD_TRIGGER = 1 << 17,
	OPENCSD_MASTER_ERROR = 1 << 18,
	OPENCSD_GLOBAL_ERROR = 1 << 19,
	OPENCSD_OVERFLOW = 1 << 20,
	OPENCSD_HAS_SPACE = 1 << 21,	/* ADDR_NACC: `number` is the memory space */
	OPENCSD_PASSED_BRANCH = 1 << 22 /* the library passed over a branch, here or earlier */
};

/*
 * message.origin of an element: the trace ID, plus master and channel if the element is an STM
 * packet with both.
 */
enum { OPENCSD_ORIGIN_SENDER = 1 << 8, OPENCSD_ORIGIN_STRAY = 1 << 9 };
uint64_t opencsd_element_origin(const struct opencsd_element *);
/* Filter for trigger messages.  Event 0 of an ETMv4 (bit 0 of its number) puts a trigger on the
 * trace bus (Arm IHI 0064, TRCEVENTCTL1R.ATB). */
#define OPENCSD_TRIGGERS                                                                           \
	"trigger_event = true or ev_type = trigger or ev_number in {1, 3, 5, 7, 9, 11, 13, 15}"

/* Contexts of elements; OPENCSD_CONTEXTS_ALL includes that of ITM packets. */
enum { OPENCSD_CONTEXTS = 4, OPENCSD_CONTEXTS_ALL = 5 };
extern const struct context_row opencsd_contexts[];

/* Name for decoder_ops.print: lines as trc_pkt_lister prints elements. */
#define OPENCSD_PRINTER "ppl"
#define OPENCSD_LISTING "ppl-packets"

/* True if a master and channel sent the element.  False for a trigger, frequency or error. */
bool opencsd_element_has_sender(const struct opencsd_element *);

/* Fill in kind, severity, flags, time and origin of M, and the data for opencsd_cycles().  That
 * data is in the upper OPENCSD_CYCLES_BITS of message.aux or, for an element without a time, in
 * the ticks.  The ticks of ADDR_NACC hold the address instead. */
enum { OPENCSD_CYCLES_BITS = 13 };
void opencsd_element_message(const struct opencsd_element *, struct message *m);

/* Implement decoder_ops.cycles for such messages.  The processors are the sources of program trace
 * [OpenCSD, "Correlation - timestamps and cycle counts"]. */
bool opencsd_cycles(const struct message *m, struct decode_cycles *);

/* Append a whole line without its line feed: `Idx:14; ID:2; OCSD_GEN_TRC_ELEM_...`. */
void opencsd_element_line(const struct opencsd_element *, struct text *);
/* Parse such a whole line.  Return false unless every part is as trc_pkt_lister writes it.  READ:
 * bytes up to the first difference. */
bool opencsd_element_parse(const char *p, size_t length, struct opencsd_element *, size_t *read);
/* Parse index and ID, up to the second semicolon. */
bool opencsd_element_parse_head(const char *p, size_t length, struct opencsd_element *,
				size_t *read);

/* Append a short text for display. */
void opencsd_element_describe(const struct opencsd_element *, struct text *);

/* --- fields ------------------------------------------------------------ */

/* Rows of the field table that opencsd and ppl share. */
enum opencsd_field {
	OPENCSD_F_INDEX,
	OPENCSD_F_ID,
	OPENCSD_F_SOURCE,
	OPENCSD_F_ELEMENT,
	OPENCSD_F_UNSYNC,
	OPENCSD_F_TRACE_ON,
	OPENCSD_F_ISA,
	OPENCSD_F_SECURITY,
	OPENCSD_F_LEVEL,
	OPENCSD_F_BITS64,
	OPENCSD_F_VMID,
	OPENCSD_F_CONTEXT_ID,
	OPENCSD_F_START,
	OPENCSD_F_END,
	OPENCSD_F_SPACE,
	OPENCSD_F_NUMBER,
	OPENCSD_F_LAST_TYPE,
	OPENCSD_F_LAST_SUBTYPE,
	OPENCSD_F_EXECUTED,
	OPENCSD_F_LAST_SIZE,
	OPENCSD_F_CONDITIONAL,
	OPENCSD_F_EXCEPTION,
	OPENCSD_F_RETURN,
	OPENCSD_F_RETURN_ADDRESS,
	OPENCSD_F_RETURN_IS_TARGET,
	OPENCSD_F_DATA_MARKER,
	OPENCSD_F_EVENT_TYPE,
	OPENCSD_F_EVENT,
	OPENCSD_F_MARKER_TYPE,
	OPENCSD_F_MARKER_VALUE,
	OPENCSD_F_MEMTRANS,
	OPENCSD_F_MASTER,
	OPENCSD_F_CHANNEL,
	OPENCSD_F_PAYLOAD_BITS,
	OPENCSD_F_PAYLOAD_PACKETS,
	OPENCSD_F_PAYLOAD,
	OPENCSD_F_MARKER,
	OPENCSD_F_MARKER_FIRST,
	OPENCSD_F_FREQUENCY,
	OPENCSD_F_TRIGGER,
	OPENCSD_F_MASTER_ERROR,
	OPENCSD_F_GLOBAL_ERROR,
	OPENCSD_F_ITM_TYPE,
	OPENCSD_F_ITM_PORT,
	OPENCSD_F_ITM_SOURCE,
	OPENCSD_F_ITM_SIZE,
	OPENCSD_F_ITM_VALUE,
	OPENCSD_F_OVERFLOW,
	OPENCSD_F_ITE_LEVEL,
	OPENCSD_F_ITE_VALUE,
	OPENCSD_F_TIMESTAMP,
	OPENCSD_F_FREQ_CHANGE,
	OPENCSD_F_CYCLES,
	OPENCSD_F_MEMBERS, /* the rows above are members of elements, except SOURCE */
	OPENCSD_F_DATA = OPENCSD_F_MEMBERS,
	OPENCSD_F_EXCEPTION_NAME,
	OPENCSD_F_SYST,
	OPENCSD_F_PACKETS,
	OPENCSD_F_PACKET,
	OPENCSD_F_PACKET_NAME,
	OPENCSD_F_PACKET_TEXT,
	OPENCSD_F_PACKET_BYTES,
	OPENCSD_F_NOTE,
	OPENCSD_F_TEXT,
	OPENCSD_F_FUNCTION, /* FIELD_SYMBOL_ROWS */
	OPENCSD_F_COUNT = OPENCSD_F_FUNCTION + FIELD_SYMBOLS
};
extern const struct field_row opencsd_fields[]; /* rows of ITM packets follow: see swo.h */

/* Return the security in words, after the exception level.  LEVEL is the exception level plus one,
 * or 0 if unknown.  Return NULL for an invalid mode. */
const char *opencsd_mode_name(unsigned security, unsigned level);

/* Return the name of a member's value.  Only for members with names. */
const char *opencsd_member_name(enum opencsd_field, const struct opencsd_element *);

/* Append the fields that are valid for the element.  SOURCE names its sender and may be NULL; it
 * must live as long as E. */
void opencsd_element_fields(const struct opencsd_element *, const char *source,
			    struct expansion *e);

/* Return the element's type as in a listing, without prefix: INSTR_RANGE. */
const char *opencsd_type_name(unsigned type);

#endif
