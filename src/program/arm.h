/*
 * What an Arm instruction does to the flow of control: A32, T32 and A64, of Armv6-M to
 * Armv9-A.
 *
 * [Arm ARM, "INSTRUCTION"] is the Arm Architecture Reference Manual for A-profile, DDI 0487,
 * or where it says Armv8-M that for M-profile, DDI 0553; by the names of instructions.
 *
 * A condition is not looked at: a call or return that has one is of that class, and only a
 * jump is a branch with one.  What an IT block makes of an instruction is not seen.
 */
#ifndef TRAWL_PROGRAM_ARM_H
#define TRAWL_PROGRAM_ARM_H

#include "program/insn.h"

#include <stddef.h>

/* The instruction at PC, of which LENGTH bytes are readable; of no length if it is not there
 * or MACHINE is not one of Arm. */
struct insn arm_decode(enum insn_machine, uint64_t pc, const uint8_t *bytes, size_t length);

#endif
