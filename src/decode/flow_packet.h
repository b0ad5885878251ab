/*
 * What a message says of where a program went: its part in following the flow of control
 * through the program (`flow` of struct decoder_ops).
 *
 * Formats say so in one of two ways.  E-Trace sends packets that mean something only beside
 * the program; names are those of [E-Trace 2.0, "Instruction Trace Encoder Output Packets"].
 * CoreSight trace comes as elements that were followed through the program already.
 */
#ifndef TRAWL_DECODE_FLOW_PACKET_H
#define TRAWL_DECODE_FLOW_PACKET_H

#include <stdbool.h>
#include <stdint.h>

/* `flow_form` of struct decoder_ops. */
enum flow_form { FLOW_PACKETS, FLOW_ELEMENTS };

enum flow_packet_kind {
	FLOW_NOTHING,  /* nothing of the flow */
	FLOW_LOST,     /* damaged, or not for sure what was sent; or what is lost before it */
	FLOW_START,    /* format 3 subformat 0 */
	FLOW_TRAP,     /* format 3 subformat 1 */
	FLOW_SUPPORT,  /* format 3 subformat 3 */
	FLOW_ADDRESS,  /* format 2; format 1 with an address */
	FLOW_BRANCHES, /* format 1 without one: 31 branches */
	FLOW_COUNT,    /* format 0 subformat 0 */
	FLOW_INDEX,    /* format 0 subformat 1 */
	/* elements */
	FLOW_RANGE,	       /* instructions were executed that lie one behind the other */
	FLOW_UNSEEN,	       /* what comes next, or came, is not seen */
	FLOW_CONTEXT,	       /* whose memory addresses are of from now on */
	FLOW_EXCEPTION,	       /* was taken */
	FLOW_EXCEPTION_RETURN, /* where no instruction says so */
	FLOW_CYCLES,	       /* that passed: `cycles` */
	FLOW_TIME,	       /* the same, with a time */
};

/* Parameters of an encoder, under their names in the specification. */
struct flow_widths {
	uint8_t iaddress_width, iaddress_lsb, return_stack_size, call_counter_size;
	uint8_t bpred_size, cache_size;
};

/* Run-time modes of an encoder. */
struct flow_modes {
	bool full_address, implicit_return, implicit_exception, sijump;
	bool branch_prediction, jump_target_cache;
};

/* "qual_status" of a support packet. */
enum flow_status { FLOW_NO_CHANGE, FLOW_ENDED_REP, FLOW_TRACE_LOST, FLOW_ENDED_NTR };

/* Cleared for each element: small, and without gaps. */
struct flow_element {
	uint8_t machine;	   /* range: enum insn_machine */
	uint8_t class;		   /* range: enum insn_class, of the last instruction */
	uint8_t last;		   /* range: its length, in bytes */
	bool passed;		   /* range: it is a jump, whose condition did not hold */
	bool implied;		   /* range: where returns lead is not always sent */
	bool interrupt;		   /* exception: it is one */
	bool has_address;	   /* unseen, exception: `first` is known */
	uint32_t count;		   /* range: instructions */
	uint32_t number;	   /* exception */
	int irq;		   /* exception: number of the interrupt; negative: none */
	uint64_t first, end;	   /* range: addresses, `end` is behind it; unseen: `first` of it;
				exception: `first` is where it returns to */
	const char *name;	   /* exception: of `number`, or NULL */
	const char *mode;	   /* context: as of struct flow_step */
	const char *why;	   /* unseen, lost: a sentence */
	uint64_t cycles;	   /* that passed; range: as it was executed */
	uint32_t context_id, vmid; /* context; 0 where the memory is the same in all */
};

struct flow_packet {
	uint8_t kind;		/* enum flow_packet_kind */
	bool all;		/* lost: it may be of any processor of the trace */
	bool missing;		/* lost: nothing that came before it is in doubt */
	bool branch;		/* start, trap: false if at `address` is a taken branch */
	bool interrupt, thaddr; /* trap */
	bool unhandled;		/* trap: `address` is not known, though thaddr */
	bool notify, updiscon, irreport;
	uint8_t branches;  /* 0 to 31 in `branch_map`: bit 0 the oldest, 0 taken */
	uint8_t privilege; /* start, trap */
	uint8_t status;	   /* support: enum flow_status */
	uint32_t branch_map;
	uint64_t address;	 /* in full of start and trap; else a difference, or, cut to
				iaddress_width, in full, as the modes have it; in bytes */
	uint64_t irdepth;	 /* if irreport */
	uint64_t count;		 /* count: branches that were predicted */
	uint64_t index;		 /* index */
	bool fails, addressed;	 /* count: one more that was not; there is an address */
	uint64_t cause, tval;	 /* trap; tval of exceptions only */
	const char *cause_name;	 /* or NULL */
	const char *mode;	 /* start, trap: of `privilege`, as of struct flow_step */
	struct flow_modes modes; /* support */
	struct flow_modes begin; /* before the first support packet */
	struct flow_widths widths;
	struct flow_element element;
};

/* Begins an element: of FLOW_ELEMENTS the members of packets are not set. */
static inline void
flow_packet_begin_element(struct flow_packet *packet, enum flow_packet_kind kind)
{
	packet->kind = (uint8_t)kind;
	packet->all = packet->missing = false;
	packet->element = (struct flow_element){0};
}

#endif
