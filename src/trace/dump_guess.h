/*
 * Guesses how a memory dump was made, by trying to decode it.
 *
 * Swapped bytes in words: a format is certain of the swapped bytes, and no format of
 * the bytes as they are. For a format that is not found by content, nearly all good
 * messages must appear only after swapping.
 *
 * Circular buffer: its times go back once, by most of their span. Its beginning
 * follows its end after not much more than the usual gap. It is not a counter that
 * overflows, nor a capture that starts with a resync point, as STP does with ASYNC
 * and VERSION. Text logs are no such buffers and are skipped.
 */
#ifndef TRAWL_TRACE_DUMP_GUESS_H
#define TRAWL_TRACE_DUMP_GUESS_H

#include "decode/decoder.h"

struct capture;

/* Return the size of the words to swap: 2, 4, 8, or 0 for none. HEAD is the beginning of a
 * capture of FORMAT; NULL: not given. */
unsigned dump_guess_swap(const struct window *head, const char *format);

/* Like dump_guess_swap, for a format that is not found by content: OPS with OPTIONS. */
unsigned dump_guess_swap_of(const struct decoder_ops *ops, const void *options,
			    const struct window *head);

/*
 * Find the write pointer of a circular buffer: at the last message before it or the
 * first one after it. Decodes the whole capture if that is small enough and its end
 * is earlier than its beginning.
 */
enum { DUMP_SEAM_MOST = 16 << 20 /* largest buffer to examine, in bytes */ };
enum dump_seam {
	DUMP_SEAM_NONE, /* times do not go back by much */
	/* they do, at *POINTER, but more than once, or the capture does not begin or end like
	 * a circular buffer */
	DUMP_SEAM_MAYBE,
	DUMP_SEAM_FOUND
};
enum dump_seam dump_guess_seam(const struct decoder *, const struct capture *, uint64_t *pointer);

#endif
