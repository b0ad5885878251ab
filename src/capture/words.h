/*
 * Words: convert memory that a tool printed as lines of text to bytes.
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
 * The first lines decide the form.  Nearly all must fit it, with consecutive addresses or
 * as elements of a C array.  Words are taken for little-endian, except in plain xxd,
 * which prints bytes in order.  A line `*` repeats the line before it up to the next
 * address.  Other lines (prompts, commands) are skipped.  Where addresses show that lines
 * are missing, words_read reports missing bytes.
 *
 * Memory: about 200 KiB for any text.  One thread at a time.
 */
#ifndef TRAWL_CAPTURE_WORDS_H
#define TRAWL_CAPTURE_WORDS_H

#include "capture/unpack.h"

enum {
	WORDS_HEAD = 64 * 1024,	    /* bytes that decide the form */
	WORDS_GAP_MOST = 16 << 20,  /* missing bytes in one place; a larger step counts as one
				     * missing line */
	WORDS_REPEAT_MOST = 1 << 28 /* bytes that all `*` lines together may stand for */
};

struct words;

/* True if a file that begins with these bytes is worth opening.  512 bytes are enough. */
bool words_may_be(const uint8_t *head, ssize_t length);

/* Open text, whose read function and context must outlive the result.  Read from offset 0 on, in
 * order.  Return NULL if no form fits. */
struct words *words_open(const struct unpack_source *);
void words_close(struct words *); /* NULL is fine */

/* Return the tool that prints such lines: `xxd -e`. */
const char *words_name(const struct words *);

/* Return the address of the first byte. */
uint64_t words_base(const struct words *);

/* Set *BYTES to the next bytes, valid until the next call, or to NULL for missing bytes.  Return
 * their number, 0 at the end, or negative if the text cannot be read. */
ssize_t words_read(struct words *, const void **bytes);

#endif
