/*
 * The part of a message in the flow of control through the program (`flow` of
 * struct decoder_ops).
 *
 * Formats report it in one of two ways.  E-Trace sends packets that make sense
 * only together with the program.  Their names follow [E-Trace 2.0,
 * "Instruction Trace Encoder Output Packets"].  CoreSight trace comes as
 * elements that were already followed through the program.
 */
#ifndef TRAWL_DECODE_FLOW_PACKET_H
#define TRAWL_DECODE_FLOW_PACKET_H

#include <stdbool.h>
#include <stdint.h>

/* `flow_form` of struct decoder_ops. */
enum flow_form { FLOW_PACKETS, FLOW_ELEMENTS };

enum flow_packet_kind {
	FLOW_NOTHING,  /* not part of the flow */
	FLOW_LOST,     /* damaged or in doubt; or something is lost before it */
	FLOW_START,    /* format 3 subformat 0 */
	FLOW_TRAP,     /* format 3 subformat 1 */
	FLOW_SUPPORT,  /* format 3 subformat 3 */
	FLOW_ADDRESS,  /* format 2; format 1 with an address */
	FLOW_BRANCHES, /* format 1 without an address: 31 branches */
	FLOW_COUNT,    /* format 0 subformat 0 */
	FLOW_INDEX,    /* format 0 subformat 1 */
	/* elements */
	FLOW_RANGE,	       /* instructions at consecutive addresses were executed */
	FLOW_UNSEEN,	       /* code that ran before or after it is not seen */
	FLOW_CONTEXT,	       /* later addresses are in this context's memory */
	FLOW_EXCEPTION,	       /* an exception was taken */
	FLOW_EXCEPTION_RETURN, /* a return that no instruction shows */
	FLOW_CYCLES,	       /* `cycles` passed */
	FLOW_TIME,	       /* `cycles` passed, with a timestamp */
};

/* Parameters of an encoder, named as in the specification. */
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

/* Cleared for each element, so it is small and without gaps. */
struct flow_element {
	uint8_t machine;  /* range: enum insn_machine */
	uint8_t class;	  /* range: enum insn_class of the last instruction */
	uint8_t last;	  /* range: length of the last instruction, in bytes */
	bool passed;	  /* range: the last instruction is a jump with a false condition */
	bool interrupt;	  /* exception: it is an interrupt */
	bool has_address; /* unseen, exception: `first` is valid */
	uint32_t count;	  /* range: number of instructions */
	uint32_t number;  /* exception */
	int irq;	  /* exception: number of the interrupt; negative: none */
	/* range: address of the first byte and after the last; unseen: `first` address;
	 * exception: `first` is the return address */
	uint64_t first, end;
	const char *name;	   /* exception: name of `number`, or NULL */
	const char *mode;	   /* context: as in struct flow_step */
	const char *why;	   /* unseen, lost: reason, a sentence */
	uint64_t cycles;	   /* cycles that passed; range: while it ran */
	uint32_t context_id, vmid; /* context; 0 if memory is the same in all contexts */
};

struct flow_packet {
	uint8_t kind; /* enum flow_packet_kind */
	bool all;     /* lost: may concern any processor of the trace */
	bool missing; /* lost: earlier packets are not in doubt */
	bool branch;  /* start, trap: false if the instruction at `address` is a taken branch */
	bool interrupt, thaddr; /* trap */
	bool unhandled;		/* trap: `address` is not known although `thaddr` is set */
	bool notify, updiscon, irreport;
	/* number of branches in `branch_map`, 0 to 31; bit 0 is the oldest, 0 means taken */
	uint8_t branches;
	uint8_t privilege; /* start, trap */
	uint8_t status;	   /* support: enum flow_status */
	uint32_t branch_map;
	/* start, trap: full address; else a difference or a full address cut to iaddress_width,
	 * depending on the modes; in bytes */
	uint64_t address;
	uint64_t irdepth;	 /* if irreport */
	uint64_t count;		 /* count: correctly predicted branches */
	uint64_t index;		 /* index */
	bool fails, addressed;	 /* count: one more branch was mispredicted; `address` is valid */
	uint64_t cause, tval;	 /* trap; tval of exceptions only */
	const char *cause_name;	 /* or NULL */
	const char *mode;	 /* start, trap: name of `privilege`, as in struct flow_step */
	struct flow_modes modes; /* support */
	struct flow_modes begin; /* modes before the first support packet */
	struct flow_widths widths;
	struct flow_element element;
};

/* Begin an element.  With FLOW_ELEMENTS the packet members stay unset. */
static inline void
flow_packet_begin_element(struct flow_packet *packet, enum flow_packet_kind kind)
{
	packet->kind = (uint8_t)kind;
	packet->all = packet->missing = false;
	packet->element = (struct flow_element){0};
}

#endif
