/*
 * A hart that executes RV32I in machine mode, with one memory and devices
 * beside it, for captures of programs that ran.
 *
 * Instructions: RISC-V ISA manual, volume I, chapter "RV32I Base Integer
 * Instruction Set"; traps: volume II, chapter "Machine-Level ISA".
 */
#ifndef MK_CPU_H
#define MK_CPU_H

#include <stdbool.h>
#include <stdint.h>

enum mk_cpu_kind {
	MK_CPU_PLAIN,
	MK_CPU_BRANCH,
	MK_CPU_CALL,	 /* jal that keeps where it came from */
	MK_CPU_JUMP,	 /* jal that does not */
	MK_CPU_INDIRECT, /* jalr but for: */
	MK_CPU_RETURN,
	MK_CPU_TRAP_RETURN,
	MK_CPU_WAIT,
	MK_CPU_TRAPPED, /* it did not retire; pc is at the handler */
};

struct mk_cpu {
	uint32_t pc, x[32];
	uint32_t mtvec, mepc, mcause, mtval;
	uint32_t base, size; /* of the memory, bytes */
	uint8_t *memory;
	/* of devices, which have every other address from DEVICES on: */
	uint32_t (*load)(void *context, uint32_t address);
	void (*store)(void *context, uint32_t address, uint32_t value);
	void *context;
};

enum {
	MK_CPU_DEVICES = 0x40000000, /* 256 bytes */
	MK_CPU_LOAD_FAULT = 5,
	MK_CPU_STORE_FAULT = 7,
	MK_CPU_EXTERNAL = 11,
};

/* Executes the instruction at pc, and says what it was.  What it does not know ends
 * mkcapture. */
enum mk_cpu_kind mk_cpu_step(struct mk_cpu *);

/* Enters the handler of an interrupt. */
void mk_cpu_interrupt(struct mk_cpu *, uint32_t cause);

#endif
