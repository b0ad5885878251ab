/*
 * Decodes the effect of Arm instructions on the flow of control: A32, T32 and A64, of Armv6-M to
 * Armv9-A.
 *
 * [Arm ARM, "INSTRUCTION"] is the Arm Architecture Reference Manual for A-profile, DDI 0487, or
 * with Armv8-M that for M-profile, DDI 0553; by the names of instructions.
 *
 * Conditions are ignored: a conditional call or return is in the class of the unconditional one.
 * Only a conditional jump is a branch.  The effect of an IT block on its instructions is not
 * seen.
 */
#ifndef TRAWL_PROGRAM_ARM_H
#define TRAWL_PROGRAM_ARM_H

#include "program/insn.h"

#include <stddef.h>

/* Decode the instruction at PC; LENGTH bytes are readable.  Its length is 0 if it is cut off or
 * if MACHINE is not one of Arm. */
struct insn arm_decode(enum insn_machine, uint64_t pc, const uint8_t *bytes, size_t length);

#endif
