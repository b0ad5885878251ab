/*
 * E-Trace payloads: what is inside a packet of the encapsulation, for instruction
 * and for data trace.
 *
 * [E-Trace 2.0, "SECTION"] is Efficient Trace for RISC-V 2.0, June 2025, by its headings,
 * for their numbers differ between editions.  [RISC-V II, "SECTION"] is volume II, privileged
 * architecture, of the RISC-V Instruction Set Manual, 20240411.
 *
 * A payload is a string of bits, least significant first.  Its widths are
 * parameters of the encoder and come from the profile.  Bits at the top that
 * equal the last one sent are not sent ("sign based compression"), so reading past
 * the end repeats it and no payload is ever too short [E-Trace 2.0, "Instruction Trace
 * Encoder Output Packets"].
 *
 * One function reads a payload, for stepping (kind and severity), for
 * following the program counter, and for fields and text.
 */
#ifndef TRAWL_DECODE_ETRACE_H
#define TRAWL_DECODE_ETRACE_H

#include "base/bytes.h"
#include "decode/decoder.h"

/* Parameters under their names in the specification, where it has one [E-Trace 2.0,
 * "Parameters and Discovery"]; defaults are this program's.  The same list makes
 * `etrace:` of a profile and what a source may override. */
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
	FLAG(implicit_return, "false", "returns to behind their calls are not sent")               \
	FLAG(implicit_exception, "false",                                                          \
	     "packets of traps leave out the handler's address, which mtvec, stvec or vstvec say") \
	FLAG(                                                                                      \
	    sijump, "false",                                                                       \
	    "jumps right behind a constant are not sent; a reference support packet does not say") \
	FLAG(jump_target_cache, "false", "jumps to a recent target are sent as its index")         \
	FLAG(branch_prediction, "false", "branches that were predicted are counted")               \
	ADDRESS(mtvec, "where traps to machine mode lead, as that register has it; 0: not known")  \
	ADDRESS(stvec, "the same of traps to supervisor mode")                                     \
	ADDRESS(vstvec, "the same of traps to virtual supervisor mode")                            \
	NUMBER(doptions_width, 0, 16, "4", "bits of the data options in support packets")          \
	NUMBER(bpred_size, 0, 32, "0", "log2 of the entries of the branch predictor")              \
	CHOICE(addr_comp, etrace_compressions, "packet",                                           \
	       "what is shortened: packet or address field")                                       \
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

/* The same where each may be left as it is: numbers then are -1, addresses 0, flags and
 * choices 0, else one more than in struct etrace_options. */
#define ETRACE_MAYBE(name, standard, help) int name;
struct etrace_changes {
	ETRACE_OPTIONS(ETRACE_NUMBER, ETRACE_MAYBE, ETRACE_CHOICE, ETRACE_ADDRESS)
};

/* The names of choices; [0] is for "as it is". */
extern const char *const etrace_layouts[], *const etrace_compressions[], *const etrace_flags[];

void etrace_change(struct etrace_options *, const struct etrace_changes *);

/* Why no payload can be like that, or is not read; NULL if the options are consistent. */
const char *etrace_check(const struct etrace_options *);

/* Bits of a packet from bit `at` on. */
enum { ETRACE_SLACK = 8 };
struct etrace_bits {
	const uint8_t *packet;	  /* ETRACE_SLACK bytes behind it are readable */
	size_t length;		  /* of the packet in bytes, at least 1 */
	unsigned at;		  /* next bit */
	struct expansion *fields; /* where values become fields, or NULL */
};

/* What is true of a source until its next packet. */
struct etrace_place {
	uint64_t pc;
	bool known;	   /* pc is valid */
	bool full_address; /* addresses come in full, not as differences */
	bool no_address;   /* data packets come without */
	bool no_data;
	bool implicit_exception; /* traps leave out the handler's address */
	bool implicit_return;	 /* returns behind their calls are not reported */
	bool sijump;		 /* nor jumps whose target the instruction before loads */
	bool branch_prediction, jump_target_cache;
};

enum etrace_move {
	ETRACE_STAYS,
	ETRACE_TO,  /* `address` is where the program is */
	ETRACE_BY,  /* `address` is how far it moved, signed */
	ETRACE_LOST /* it went somewhere */
};

/* A payload as read. */
struct etrace_packet {
	const char *name;	/* sync.start, store.aligned, ... */
	const char *cause_name; /* of a trap; NULL: the standard has none */
	const char *error;	/* what is wrong with it, or NULL */
	uint16_t flags;		/* enum message_flag */
	uint8_t kind;		/* enum encap_kind */
	uint8_t severity;
	unsigned unused; /* bits left over */

	uint8_t move; /* enum etrace_move */
	uint64_t address;
	bool has_options; /* `options` hold from now on */
	bool unhandled;	  /* where traps lead is neither sent nor known */
	bool data_lost;
	struct etrace_place options;

	/* for text; what is not there is 0 */
	bool has_context, has_time, is_interrupt, has_tval, has_address, full;
	uint8_t privilege, status;
	uint16_t branches, index_bits;
	uint32_t branch_map;
	uint64_t context, time, ecause, tval, count;
	/* for the flow */
	bool branch, thaddr, notify, updiscon, irreport;
	bool fails;	  /* of branch counts: a branch that was not predicted comes behind */
	uint64_t irdepth; /* if irreport */

	unsigned bytes; /* of a data transfer */
	bool has_data;
	uint64_t data[2]; /* as sent, low half first */
};

/* What the standard calls the cause of a trap; NULL: it is reserved, or the platform's. */
const char *etrace_cause_name(bool interrupt, uint64_t cause);

/* What a privilege is called; NULL: it has no name. */
const char *etrace_privilege_name(uint8_t privilege);

/* Reads an instruction or a data payload; PLACE is how its source stands
 * before it, of which only the modes matter. */
void etrace_read(const struct etrace_options *, const struct etrace_place *, struct etrace_bits *,
		 struct etrace_packet *);
void dtrace_read(const struct etrace_options *, const struct etrace_place *, struct etrace_bits *,
		 struct etrace_packet *);

/* The modes before the first support packet; where it is, is not known. */
struct etrace_place etrace_begin(const struct etrace_options *);

/* How the source stands after a packet. */
void etrace_apply(const struct etrace_options *, const struct etrace_packet *,
		  struct etrace_place *);

/* Adds what the packet says for people; PLACE is how its source stands
 * after it. */
void etrace_text(const struct etrace_packet *, const struct etrace_place *, struct text *);

/* What the first seven bits of an instruction payload give. */
enum { ETRACE_HEAD_BITS = 7 };
struct etrace_head {
	uint8_t kind, severity;
	uint16_t flags;
	/* bits such a payload can have, padding included; 0: the rest decides, etrace_read it */
	uint16_t most;
	uint16_t sure; /* `most` where there is no choice, else 0 */
	/* not 0: a bit of the payload, and what is otherwise if it is set */
	uint16_t choice, chosen_most;
	uint8_t chosen_severity;
};
void etrace_make_heads(const struct etrace_options *,
		       struct etrace_head heads[static 1 << ETRACE_HEAD_BITS]);

/* --- for the files of the format --------------------------------------- */

/* Adds COUNT bits from AT on as field ROW (enum encap_field). */
void etrace_add(struct etrace_bits *, unsigned row, unsigned at, unsigned count, uint64_t value);
struct field *etrace_last(const struct etrace_bits *);
/* Adds a text, which must live, as a field that is COUNT bits from AT on. */
void etrace_note(struct etrace_bits *, unsigned row, const char *text, unsigned at, unsigned count);

/* What is wrong with a payload, in words. */
void etrace_fail(struct etrace_bits *, struct etrace_packet *, const char *error);

static inline uint64_t
etrace_mask(unsigned bits)
{
	return bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
}

/* The low BITS of VALUE as a signed number. */
static inline uint64_t
etrace_signed(uint64_t value, unsigned bits)
{
	if (!bits || bits >= 64)
		return bits ? value : 0;
	uint64_t sign = (uint64_t)1 << (bits - 1);
	return ((value & etrace_mask(bits)) ^ sign) - sign;
}

/* COUNT bits at AT, at most 64, some of which may not have been sent; "sign-extending from the
 * most significant received bit" [E-Trace 2.0, "Instruction Trace Encoder Output Packets"]. */
uint64_t etrace_peek_beyond(const struct etrace_bits *, unsigned at, unsigned count);

/* The same without moving on; nearly all have been sent and lie in one word. */
static inline uint64_t
etrace_peek(const struct etrace_bits *b, unsigned at, unsigned count)
{
	if (count - 1 >= 57 || at + count > 8 * (unsigned)b->length)
		return etrace_peek_beyond(b, at, count);
	return bytes_le64(b->packet + at / 8) >> at % 8 & (((uint64_t)1 << count) - 1);
}

/* The next COUNT bits, as a field if there are any and fields are asked for. */
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
