/*
 * For tests: programs that QEMU executed, and an E-Trace encoder for what they did.
 *
 * The encoder shares no code with the decoder, the walk or the program's instructions as
 * they are understood there.  [E-Trace 2.0, "SECTION"] and [RISC-V I, "SECTION"] are as in
 * decode/encap/etrace.h and program/riscv.h.
 */
#ifndef TRAWL_TESTS_UNIT_ETRACE_ENCODE_H
#define TRAWL_TESTS_UNIT_ETRACE_ENCODE_H

#include "unit/encap_tool.h"

/* --- what was executed --------------------------------------------------- */

/* An instruction that retired, or a trap. */
struct etrace_ran {
	uint64_t pc; /* of a trap: EPC */
	uint8_t privilege;
	bool trap, interrupt;
	uint64_t cause, tval;
	/* of the instruction: */
	uint8_t kind, length, rd, rs1; /* kind: see etrace_encode.c */
	bool loads;		       /* rd is `value` behind it */
	bool taken;
	uint64_t value;
};

struct etrace_run {
	bool wide;     /* RV64 */
	uint64_t base; /* address of `bytes` */
	const uint8_t *bytes;
	size_t length;
	uint8_t *file;
	VEC(struct etrace_ran) ran;
};

/* Adds the instruction at PC, or whatever is there; false: nothing is. */
bool etrace_run_add(struct etrace_run *, uint64_t pc, uint8_t privilege);

/* Reads tests/flow/NAME.elf and NAME.log of the folder of sources. */
void etrace_run_read(struct etrace_run *, const char *name);
void etrace_run_free(struct etrace_run *);

/* --- how it is sent ------------------------------------------------------ */

struct etrace_style {
	struct encap_widths encap;
	bool stamped; /* with `encap.stamp` bytes */
	unsigned address_width, address_lsb, privilege, cause, context, time; /* bits; 0: none */
	unsigned stack_size, counter_size, cache_size, predictor_size;
	bool pulp; /* layout of the options in support packets */
	bool full_address, implicit_return, implicit_exception, sijump;
	bool jump_target_cache, branch_prediction;
	bool unannounced;  /* no support packet comes first */
	bool trap_retires; /* ECALL and EBREAK that trap count as executed */
	unsigned resync;   /* packets between resynchronisations; 0: none */
	unsigned notify;   /* of 1000 instructions, how many a trigger reports */
	unsigned contexts; /* of 1000 instructions, before how many a context is sent */
	uint64_t seed;
	/* what an encoder may do at any time, by instruction (of `want`), in place of `resync`,
	 * `notify`: bits of enum etrace_will; NULL: those say */
	const uint8_t *will;
};

enum etrace_will {
	ETRACE_WILL_START = 1 << 0,  /* a resynchronisation */
	ETRACE_WILL_NOTIFY = 1 << 1, /* a trigger reports it */
	ETRACE_WILL_SPELL = 1 << 2,  /* its address, though that is in the cache */
	ETRACE_WILL_INDEX = 1 << 3,  /* its index, though that does not announce what follows */
	ETRACE_WILL_ENTER = 1 << 4,  /* of an interrupt behind a jump the handler, not the EPC */
	ETRACE_WILL_DEPTH = 1 << 5   /* of calls, though that is 0 */
};

/* Packets, by format and subformat. */
enum etrace_format {
	PACKET_COUNT,	 /* 0, subformat 0 */
	PACKET_INDEX,	 /* 0, subformat 1 */
	PACKET_BRANCHES, /* 1 */
	PACKET_ADDRESS,	 /* 2 */
	PACKET_START,	 /* 3, from subformat 0 on */
	PACKET_TRAP,
	PACKET_CONTEXT,
	PACKET_SUPPORT,
	PACKETS
};

struct etrace_sent {
	struct stream stream;
	VEC(uint8_t) kinds;	     /* of the packets: enum etrace_format */
	VEC(size_t) ends;	     /* of the packets, in the stream */
	VEC(struct etrace_ran) want; /* what a decoder must find */
	unsigned formats[PACKETS];   /* how many, by enum etrace_format */
	bool unsure;	 /* packets do not tell it, whatever is reported, or no hart does it */
	unsigned helped; /* reports for the sake of what they would not tell */
};

void etrace_encode(const struct etrace_run *, const struct etrace_style *, struct etrace_sent *);
void etrace_sent_free(struct etrace_sent *);

#endif
