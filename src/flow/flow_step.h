/*
 * Steps: the actions of a processor, as followed through the program.
 */
#ifndef TRAWL_FLOW_FLOW_STEP_H
#define TRAWL_FLOW_FLOW_STEP_H

#include <stdbool.h>
#include <stdint.h>

enum flow_step_kind {
	FLOW_STEP_RUN,	  /* consecutive instructions retired */
	FLOW_STEP_TRAP,	  /* an exception or interrupt */
	FLOW_STEP_RETURN, /* a return from the newest trap without an instruction for it */
	FLOW_STEP_UNSEEN, /* unseen code ran, or may have run */
	FLOW_STEP_DAMAGE, /* the path is unknown from here to the next synchronisation */
	FLOW_STEP_CYCLES, /* no step: cycles passed since the last such count */
	FLOW_STEP_PROOF	  /* no step: a packet has the address that the walk reached without it,
			     so the steps before seem right */
};

struct flow_step {
	uint8_t kind; /* enum flow_step_kind */
	/* run, trap: a guess, as packets and program disagreed later, before a proof */
	bool doubtful;
	/* run */
	uint8_t class;	     /* enum insn_class of the last instruction; no other one jumps */
	bool passed;	     /* the condition of the last one did not hold: no jump either */
	bool reported;	     /* a packet contains `first` as the target of a jump */
	uint8_t last;	     /* length of the last instruction in bytes; 0: unknown */
	uint16_t space;	     /* code space of the addresses: flow_code.h */
	uint32_t count;	     /* instructions */
	uint64_t first, end; /* address of the first one, and after the last */
	const char *mode;    /* exception level and security, or privilege mode; static text;
				NULL: unknown */
	/* trap */
	bool interrupt, has_epc, has_tval;
	uint64_t cause, epc, tval;
	const char *name; /* of the cause, a word or two; NULL: it has none here */
	int irq;	  /* number of the interrupt, shown after `name`; negative: none */
	/* proof: the path starts again, independent of the steps before */
	bool begins;
	/* cycles */
	uint64_t cycles;
	bool ended; /* unseen: the trace was ended meanwhile, so any code may have run */
	/* damage, unseen: the reason, a sentence; `at` follows it if `has_at` */
	bool has_at, doubts; /* `doubts`: steps since the last proof may be wrong */
	const char *why;
	uint64_t at;
};

#endif
