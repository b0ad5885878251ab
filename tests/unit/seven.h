/*
 * A program of seven instructions for RV32, and packets of E-Trace of what it did, by hand.
 *
 *	80000000 nop
 *	80000004 jal ra, 80000010
 *	80000008 nop
 *	8000000c j 8000000c
 *	80000010 beq x0, x0, 80000018
 *	80000014 nop
 *	80000018 ret
 */
#ifndef TRAWL_TESTS_UNIT_SEVEN_H
#define TRAWL_TESTS_UNIT_SEVEN_H

#include "folder.h"

/* [ELF 1.2, "ELF Header", "Program Header"]; instructions [RISC-V I]. */
static const char seven_elf[] =
    "\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\363\0\1\0\0\0\0\0\0\200"
    "\64\0\0\0\0\0\0\0\0\0\0\0\64\0\40\0\1\0\0\0\0\0\0\0"
    "\1\0\0\0\124\0\0\0\0\0\0\200\0\0\0\200\34\0\0\0\34\0\0\0\5\0\0\0\4\0\0\0"
    "\23\0\0\0\357\0\300\0\23\0\0\0\157\0\0\0\143\4\0\0\23\0\0\0\147\200\0\0";

/* The same with symbols: main from 80000000 on, work from 80000010 on [ELF 1.2, "Sections",
 * "String Table", "Symbol Table"]; sections: none, .text, .symtab, .strtab. */
static const char seven_named_elf[] =
    "\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\363\0\1\0\0\0\0\0\0\200"
    "\64\0\0\0\254\0\0\0\0\0\0\0\64\0\40\0\1\0\50\0\4\0\3\0"
    "\1\0\0\0\124\0\0\0\0\0\0\200\0\0\0\200\34\0\0\0\34\0\0\0\5\0\0\0\4\0\0\0"
    "\23\0\0\0\357\0\300\0\23\0\0\0\157\0\0\0\143\4\0\0\23\0\0\0\147\200\0\0"
    /* 112: names; 124: symbols */
    "\0main\0work\0\0"
    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
    "\1\0\0\0\0\0\0\200\20\0\0\0\22\0\1\0"
    "\6\0\0\0\20\0\0\200\14\0\0\0\22\0\1\0"
    /* 172: sections */
    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
    "\0\0\0\0\1\0\0\0\6\0\0\0\0\0\0\200\124\0\0\0\34\0\0\0\0\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0"
    "\0\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0\174\0\0\0\60\0\0\0\3\0\0\0\1\0\0\0\4\0\0\0\20\0\0\0"
    "\0\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\160\0\0\0\14\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0";

static const char seven_yaml[] =
    "traces:\n"
    "  - {match: seven.encap, format: encap, encap: {srcid_width: 0, timestamp_bytes: 0}}\n"
    "symbols: [{file: seven.elf}]\n";

/* [E-Trace 2.0, "Instruction Trace Encoder Output Packets"], each behind its length. */
#define SEVEN_START "\005\163\0\0\0\340" /* format 3 subformat 0, at 80000000 */
#define SEVEN_CALL "\002\005\014"	 /* format 1: a branch, taken; 18 on: to the ret */
#define SEVEN_BACK "\002\005\004"	 /* the same, 8 on: to behind the call */
/* Format 3 subformat 1: interrupt 7, the handler at 80000014. */
#define SEVEN_TRAP "\006\367\263\002\0\0\360"
#define SEVEN_NOWHERE "\002\312\0" /* format 2: 100 on, where nothing is */

/* The files seven.elf, seven.yaml and seven.encap, of these packets. */
static inline void
seven_put(struct folder *folder, const char *packets, size_t length)
{
	folder_put(folder, "seven.elf", seven_elf, sizeof seven_elf - 1);
	folder_put_text(folder, "seven.yaml", seven_yaml);
	folder_put(folder, "seven.encap", packets, length);
}

#endif
