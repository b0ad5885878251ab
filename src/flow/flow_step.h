/*
 * Steps: what a processor did, as followed through the program.
 */
#ifndef TRAWL_FLOW_FLOW_STEP_H
#define TRAWL_FLOW_FLOW_STEP_H

#include <stdbool.h>
#include <stdint.h>

enum flow_step_kind {
	FLOW_STEP_RUN,	  /* instructions that lie one behind the other retired */
	FLOW_STEP_TRAP,	  /* an exception or interrupt */
	FLOW_STEP_RETURN, /* from the newest of these, where no instruction of a run says so */
	FLOW_STEP_UNSEEN, /* code ran, or may have run, that is not seen */
	FLOW_STEP_DAMAGE, /* from here on, up to the next synchronisation, it is not known */
	FLOW_STEP_CYCLES, /* no step: so many cycles passed since the last of these */
	FLOW_STEP_PROOF	  /* no step: an address in a packet is the one that the walk came to by
			     itself, so that what was given before seems right */
};

struct flow_step {
	uint8_t kind; /* enum flow_step_kind */
	/* run, trap: found out to be a guess: behind it, and before there was a proof, packets
	 * and program disagree */
	bool doubtful;
	/* run */
	uint8_t class;	     /* enum insn_class, of the last instruction; no other is a jump */
	bool passed;	     /* by the last one, whose condition did not hold: no jump either */
	bool reported;	     /* `first` is where a packet says that a jump went */
	uint8_t last;	     /* length of the last instruction, in bytes; 0: not known */
	uint16_t space;	     /* the code that the addresses are of: flow_code.h */
	uint32_t count;	     /* instructions */
	uint64_t first, end; /* address of the first, and behind the last */
	const char *mode;    /* exception level and security, or privilege mode, in words that stay;
				NULL: not known */
	/* trap */
	bool interrupt, has_epc, has_tval;
	uint64_t cause, epc, tval;
	const char *name; /* of the cause, a word or two; NULL: it has none here */
	int irq;	  /* the number of the interrupt, behind `name`; negative: none */
	/* proof: the path begins anew, and what follows says nothing of what was before */
	bool begins;
	/* cycles */
	uint64_t cycles;
	bool ended; /* unseen: the trace was ended for that time, so that anything may have run */
	/* damage, unseen: why, a sentence; `at` belongs behind it if `has_at` */
	bool has_at, doubts; /* what was given since the last proof may be wrong */
	const char *why;
	uint64_t at;
};

#endif
