/*
 * Words: memory that a tool printed as lines of text becomes bytes again.
 *
 *	xxd, xxd -e, xxd -p   00000000: 50cf 0802 00c8 030b  P.......
 *	xxd -b                00000000: 01010000 11001111  P.
 *	xxd -i                  0x50, 0xcf, 0x08, 0x02,
 *	OpenOCD, mdb to mdd   0x20000000: 0208cf50 0b03c800
 *	J-Link, mem to mem64  20000000 = 0208CF50 0B03C800
 *	GDB, x                0x20000000 <trace>:	0x0208cf50	0x0b03c800
 *	Xilinx, mrd           20000000:   0208CF50
 *	TRACE32, Data.dump    SD:20000000|>0208CF50 0B03C800 P.......
 *	Code Composer Studio  0x0208cf50
 *	Intel HEX             :0800000050CF080200C8030BF9
 *	S-records             S10B000050CF080200C8030BF5
 *	hexdump -C            00000000  50 cf 08 02 00 c8 03 0b  |P.......|
 *	hexdump, od -A x, od  0000000 cf50 0208 c800 0b03
 *	od, hexdump -o        0000000 147520 001010 144000 005403
 *
 * Which form it is, the beginning says: nearly all of its lines must be of one form, with
 * addresses that follow from each other, or elements of an array in C.  Words are taken for
 * little-endian, but those of plain xxd, which prints bytes in their order.  A line `*`
 * repeats the one before it up to the next address.  Other lines (prompts, commands) are
 * passed over; bytes of which the addresses say that their lines are missing are given as
 * such.
 *
 * Memory: about 200 KiB, whatever the text says.  One thread at a time.
 */
#ifndef TRAWL_CAPTURE_WORDS_H
#define TRAWL_CAPTURE_WORDS_H

#include "capture/unpack.h"

enum {
	WORDS_HEAD = 64 * 1024,	    /* bytes that the form is found in */
	WORDS_GAP_MOST = 16 << 20,  /* bytes missing in one place; a larger step of addresses
				       is told as a line that is missing */
	WORDS_REPEAT_MOST = 1 << 28 /* bytes of all lines that a `*` stands for */
};

struct words;

/* Whether a file whose first bytes these are (512 tell) is worth opening. */
bool words_may_be(const uint8_t *head, ssize_t length);

/* Opens text, whose read and context outlive it.  Its first bytes may be read again; all
 * else is read in order.  NULL: it is no such text. */
struct words *words_open(const struct unpack_source *);
void words_close(struct words *); /* NULL is fine */

/* The tool that prints such lines: `xxd -e`. */
const char *words_name(const struct words *);

/* The address of the first byte. */
uint64_t words_base(const struct words *);

/* The next bytes in *BYTES, good until the next call, or NULL there for bytes that are
 * missing; how many, 0 at the end.  Negative: the text cannot be read. */
ssize_t words_read(struct words *, const void **bytes);

#endif
