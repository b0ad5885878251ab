/*
 * Steps: what a processor did, as followed through the program.
 */
#ifndef TRAWL_FLOW_FLOW_STEP_H
#define TRAWL_FLOW_FLOW_STEP_H

#include <stdbool.h>
#include <stdint.h>

enum flow_step_kind {
	FLOW_STEP_RUN,	 /* instructions that lie one behind the other retired */
	FLOW_STEP_TRAP,	 /* an exception or interrupt */
	FLOW_STEP_DAMAGE /* from here on, up to the next synchronisation, it is not known */
};

struct flow_step {
	uint8_t kind; /* enum flow_step_kind */
	/* run */
	uint8_t class;	     /* enum riscv_class, of the last instruction */
	uint32_t count;	     /* instructions */
	uint64_t first, end; /* address of the first, and behind the last */
	/* trap */
	bool interrupt, has_epc;
	uint64_t cause, epc, tval; /* tval of exceptions only */
	/* damage: why, a sentence of at most 120 bytes that lives for the call */
	const char *why;
};

#endif
