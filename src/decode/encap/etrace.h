/*
 * E-Trace payloads, the content of encapsulated packets, for instruction and data
 * trace.
 *
 * [E-Trace 2.0, "SECTION"] is Efficient Trace for RISC-V 2.0, June 2025, by its
 * headings, because their numbers differ between editions. [RISC-V II, "SECTION"] is
 * volume II, privileged architecture, of the RISC-V Instruction Set Manual, 20240411.
 *
 * A payload is a string of bits, least significant first.  Its widths are parameters
 * of the encoder and come from the profile.  Top bits that equal the last bit sent are
 * omitted ("sign based compression").  Reading past the end therefore repeats that
 * bit, and no payload is too short [E-Trace 2.0, "Instruction Trace Encoder Output
 * Packets"].
 *
 * One function reads a payload for all purposes: stepping (kind and severity),
 * following the program counter, fields and text.
 */
#ifndef TRAWL_DECODE_ETRACE_H
#define TRAWL_DECODE_ETRACE_H

#include "base/bytes.h"
#include "decode/decoder.h"

/* Parameters, under their names in the specification where it has one [E-Trace 2.0, "Parameters
 * and Discovery"].  The defaults are ours.  The list defines both `etrace:` of a profile and
 * the overrides of a source. */
#define ETRACE_OPTIONS(NUMBER, FLAG, CHOICE, ADDRESS)                                              \
	NUMBER(iaddress_width, 1, 64, "32", "bits of an instruction address")                      \
	NUMBER(iaddress_lsb, 0, 3, "1", "lowest bit of an instruction address that is sent")       \
	NUMBER(privilege_width, 1, 8, "2", "bits of the privilege level")                          \
	NUMBER(ecause_width, 1, 64, "5", "bits of the cause of a trap")                            \
	FLAG(nocontext, "true", "packets carry no context")                                        \
	NUMBER(context_width, 1, 64, "8", "bits of the context, where packets carry one")          \
	FLAG(notime, "true", "packets carry no time")                                              \
	NUMBER(time_width, 1, 64, "32", "bits of the time, where packets carry one")               \
	NUMBER(f0s_width, 0, 8, "0", "bits of the subformat of format 0")                          \
	NUMBER(cache_size, 0, 32, "0", "bits of an index of the jump target cache")                \
	NUMBER(return_stack_size, 0, 32, "0", "log2 of the depth of the return stack")             \
	NUMBER(call_counter_size, 0, 31, "0", "bits of the counter of nested calls")               \
	NUMBER(encoder_mode_width, 0, 8, "1", "bits of the mode in support packets")               \
	CHOICE(ioptions, etrace_layouts, "reference", "layout of the options in support packets")  \
	FLAG(full_address, "false",                                                                \
	     "addresses are sent in full; this and the modes below hold up to a support packet")   \
	FLAG(implicit_return, "false", "returns to the instruction after a call are not sent")     \
	FLAG(implicit_exception, "false",                                                          \
	     "trap packets leave out the handler's address, which is in mtvec, stvec or vstvec")   \
	FLAG(sijump, "false",                                                                      \
	     "jumps right after a constant load are not sent; support packets of the reference "   \
	     "encoder do not contain this flag")                                                   \
	FLAG(jump_target_cache, "false", "jumps to a recent target are sent as its index")         \
	FLAG(branch_prediction, "false", "branches that were predicted are counted")               \
	ADDRESS(mtvec, "where traps to machine mode lead, as that register has it; 0: not known")  \
	ADDRESS(stvec, "as mtvec, for traps to supervisor mode")                                   \
	ADDRESS(vstvec, "as mtvec, for traps to virtual supervisor mode")                          \
	NUMBER(doptions_width, 0, 16, "4", "bits of the data options in support packets")          \
	NUMBER(bpred_size, 0, 32, "0", "log2 of the entries of the branch predictor")              \
	CHOICE(addr_comp, etrace_compressions, "packet",                                           \
	       "shortened part: packet or address field")                                          \
	FLAG(dtrace, "false", "the encoder traces data too")                                       \
	NUMBER(dfmt_width, 2, 3, "3", "bits of the format of data packets")                        \
	NUMBER(data_width, 8, 128, "32", "bits of the widest data transfer")                       \
	NUMBER(daddress_width, 1, 64, "32", "bits of a data address")

enum etrace_layout { ETRACE_LAYOUT_REFERENCE, ETRACE_LAYOUT_PULP };
/* "At the very minimum this should be applied to the address field of format 1 and 2
 * packets, but ideally ... to the whole packet" [E-Trace 2.0, "Instruction Trace Encoder
 * Output Packets"]. */
enum etrace_compression { ETRACE_SHORT_PACKET, ETRACE_SHORT_FIELD };

#define ETRACE_NUMBER(name, least, most, standard, help) int64_t name;
#define ETRACE_FLAG(name, standard, help) bool name;
#define ETRACE_CHOICE(name, choices, standard, help) int name;
#define ETRACE_ADDRESS(name, help) uint64_t name;

/* `etrace:` of a profile. */
struct etrace_options {
	ETRACE_OPTIONS(ETRACE_NUMBER, ETRACE_FLAG, ETRACE_CHOICE, ETRACE_ADDRESS)
};
extern const struct option_table etrace_options;

/* Overrides of struct etrace_options.  Unchanged numbers are -1, addresses 0, flags and choices
 * 0.  A changed flag or choice is one more than in struct etrace_options. */
#define ETRACE_MAYBE(name, standard, help) int name;
struct etrace_changes {
	ETRACE_OPTIONS(ETRACE_NUMBER, ETRACE_MAYBE, ETRACE_CHOICE, ETRACE_ADDRESS)
};

/* Names of choices; [0] means "unchanged". */
extern const char *const etrace_layouts[], *const etrace_compressions[], *const etrace_flags[];

void etrace_change(struct etrace_options *, const struct etrace_changes *);

/* Return an error text if the options are inconsistent or unsupported, else NULL. */
const char *etrace_check(const struct etrace_options *);

/* Bits of a packet, read from bit `at` on. */
enum { ETRACE_SLACK = 8 };
struct etrace_bits {
	const uint8_t *packet;	  /* followed by ETRACE_SLACK readable bytes */
	size_t length;		  /* of the packet in bytes, at least 1 */
	unsigned at;		  /* next bit */
	struct expansion *fields; /* destination of fields, or NULL */
};

/* State of a source until its next packet. */
struct etrace_place {
	uint64_t pc;
	bool known;	   /* pc is valid */
	bool full_address; /* addresses are sent in full, not as differences */
	bool no_address;   /* data packets have no address */
	bool no_data;
	bool implicit_exception; /* traps leave out the handler's address */
	bool implicit_return;	 /* returns to their call are not reported */
	bool sijump; /* jumps to a target loaded by the previous instruction are not reported */
	bool branch_prediction, jump_target_cache;
};

enum etrace_move {
	ETRACE_STAYS,
	ETRACE_TO,  /* to `address` */
	ETRACE_BY,  /* by `address` bytes, signed */
	ETRACE_LOST /* to an unknown address */
};

/* A parsed payload. */
struct etrace_packet {
	const char *name;	/* sync.start, store.aligned, ... */
	const char *cause_name; /* cause of a trap; NULL: not in the standard */
	const char *error;	/* defect of the payload, or NULL */
	uint16_t flags;		/* enum message_flag */
	uint8_t kind;		/* enum encap_kind */
	uint8_t severity;
	unsigned unused; /* bits left over */

	uint8_t move; /* enum etrace_move */
	uint64_t address;
	bool has_options; /* `options` apply from now on */
	bool unhandled;	  /* the trap's target is neither sent nor in the profile */
	bool data_lost;
	struct etrace_place options;

	/* for text; absent values are 0 */
	bool has_context, has_time, is_interrupt, has_tval, has_address, full;
	uint8_t privilege, status;
	uint16_t branches;
	uint32_t branch_map;
	uint64_t context, time, ecause, tval, count;
	/* for the flow */
	bool branch, thaddr, notify, updiscon, irreport;
	bool fails;	  /* after the counted branches, one was mispredicted */
	uint64_t irdepth; /* if irreport */

	unsigned bytes; /* of a data transfer */
	bool has_data;
	uint64_t data[2]; /* as sent, low half first */
};

/* Return the standard's name for the cause of a trap, NULL if it is reserved or platform
 * specific. */
const char *etrace_cause_name(bool interrupt, uint64_t cause);

/* Return the name of a privilege level, NULL if it has none. */
const char *etrace_privilege_name(uint8_t privilege);

/* Parse an instruction or a data payload.  PLACE is the state of its source before it; only the
 * modes are used. */
void etrace_read(const struct etrace_options *, const struct etrace_place *, struct etrace_bits *,
		 struct etrace_packet *);
void dtrace_read(const struct etrace_options *, const struct etrace_place *, struct etrace_bits *,
		 struct etrace_packet *);

/* Return the modes before the first support packet, with an unknown pc. */
struct etrace_place etrace_begin(const struct etrace_options *);

/* Update the state of the source after a packet. */
void etrace_apply(const struct etrace_options *, const struct etrace_packet *,
		  struct etrace_place *);

/* Append the packet's text.  PLACE is the state of its source after it. */
void etrace_text(const struct etrace_packet *, const struct etrace_place *, struct text *);

/* Facts that follow from the first seven bits of an instruction payload. */
enum { ETRACE_HEAD_BITS = 7 };
struct etrace_head {
	uint8_t kind, severity;
	uint16_t flags;
	/* most bits of such a payload, padding included; 0: not fixed, call etrace_read */
	uint16_t most;
	uint16_t sure; /* `most` if `choice` is 0, else 0 */
	/* if not 0: the payload bit that selects the chosen_ values when set */
	uint16_t choice, chosen_most;
	uint8_t chosen_severity;
};
void etrace_make_heads(const struct etrace_options *,
		       struct etrace_head heads[static 1 << ETRACE_HEAD_BITS]);

/* --- for the files of the format --------------------------------------- */

/* Add COUNT bits starting at AT as field ROW (enum encap_field). */
void etrace_add(struct etrace_bits *, unsigned row, unsigned at, unsigned count, uint64_t value);
struct field *etrace_last(const struct etrace_bits *);
/* Add TEXT as a field of COUNT bits starting at AT.  TEXT must outlive the expansion. */
void etrace_note(struct etrace_bits *, unsigned row, const char *text, unsigned at, unsigned count);

/* Faults of a payload. */
enum etrace_error {
	ETRACE_ERROR_BRANCH_FMT,
	ETRACE_ERROR_SUBFORMAT,
	ETRACE_ERROR_WIDE,
	ETRACE_ERROR_COUNT
};
extern const char *const etrace_errors[ETRACE_ERROR_COUNT];

/* Mark a payload as defective and add its error as a field. */
void etrace_fail(struct etrace_bits *, struct etrace_packet *, enum etrace_error);

/* qual_status of a support packet. */
enum etrace_status {
	ETRACE_STATUS_SAME,
	ETRACE_STATUS_REPORTED,
	ETRACE_STATUS_LOST,
	ETRACE_STATUS_ENDED,
	ETRACE_STATUS_COUNT
};
extern const char *const etrace_statuses[ETRACE_STATUS_COUNT];

/* Names of the causes of traps, NULL as in etrace_cause_name. */
enum { ETRACE_EXCEPTIONS = 24, ETRACE_INTERRUPTS = 14 };
extern const char *const etrace_exceptions[ETRACE_EXCEPTIONS];
extern const char *const etrace_interrupts[ETRACE_INTERRUPTS];

/* Names of data payloads, by kind from DTRACE_LOAD on. */
enum { DTRACE_KINDS = 5, DTRACE_NAMES_MAX = 8 };
extern const char *const dtrace_names[DTRACE_KINDS][DTRACE_NAMES_MAX];

/* Write a packet's branches, oldest first.  Return their number. */
enum { ETRACE_BRANCHES_MAX = 32 };
size_t etrace_branches(const struct etrace_packet *, char text[static ETRACE_BRANCHES_MAX]);

static inline uint64_t
etrace_mask(unsigned bits)
{
	return bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
}

/* Sign-extend the low BITS of VALUE. */
static inline uint64_t
etrace_signed(uint64_t value, unsigned bits)
{
	if (!bits || bits >= 64)
		return bits ? value : 0;
	uint64_t sign = (uint64_t)1 << (bits - 1);
	return ((value & etrace_mask(bits)) ^ sign) - sign;
}

/* Return COUNT bits at AT, at most 64.  Bits that were not sent are filled by "sign-extending
 * from the most significant received bit" [E-Trace 2.0, "Instruction Trace Encoder Output
 * Packets"]. */
uint64_t etrace_peek_beyond(const struct etrace_bits *, unsigned at, unsigned count);

/* Return COUNT bits at AT without moving on.  Nearly always they were all sent and lie in one
 * word. */
static inline uint64_t
etrace_peek(const struct etrace_bits *b, unsigned at, unsigned count)
{
	if (count - 1 >= 57 || at + count > 8 * (unsigned)b->length)
		return etrace_peek_beyond(b, at, count);
	return bytes_le64(b->packet + at / 8) >> at % 8 & (((uint64_t)1 << count) - 1);
}

/* Consume the next COUNT bits.  Add them as a field if COUNT is not 0 and fields are wanted. */
static inline uint64_t
etrace_take(struct etrace_bits *b, unsigned count, unsigned row)
{
	uint64_t value = etrace_peek(b, b->at, count);
	if (count && b->fields)
		etrace_add(b, row, b->at, count, value);
	b->at += count;
	return value;
}

#endif
