/*
 * How memory became a capture, where that is not said: found by what decodes.
 *
 * Words whose bytes stand the wrong way round: a format is certain of them turned, and none
 * as they are; of a format that is not found by content, nearly all that decodes does so
 * turned.
 * A circular buffer: its times go back once, by most of what they span, and its beginning
 * comes not much later after its end than messages come elsewhere; it is no counter that
 * begins anew, and no capture that starts with a resync point, as STP does with ASYNC and
 * VERSION.  Logs of text, which are not
 * such buffers, are not looked at.
 */
#ifndef TRAWL_TRACE_DUMP_GUESS_H
#define TRAWL_TRACE_DUMP_GUESS_H

#include "decode/decoder.h"

struct capture;

/* Bytes of the words that are to be turned: 2, 4, 8, or 0 if none are.  HEAD is the
 * beginning of a capture of FORMAT, or NULL if none is said. */
unsigned dump_guess_swap(const struct window *head, const char *format);

/* The same for a format that is not found by content: OPS with OPTIONS. */
unsigned dump_guess_swap_of(const struct decoder_ops *ops, const void *options,
			    const struct window *head);

/*
 * Where the next byte would be written in a circular buffer, at the last message of before
 * or the first of after the write pointer that stands there.  The capture is looked at as
 * a whole, if it is small enough for a buffer and ends before it begins.
 */
enum { DUMP_SEAM_MOST = 16 << 20 /* bytes of a buffer that is looked at */ };
enum dump_seam {
	DUMP_SEAM_NONE,	 /* its times do not go back by much */
	DUMP_SEAM_MAYBE, /* they do, at *POINTER, but not once, or the capture does not
				begin or end as a circular buffer */
	DUMP_SEAM_FOUND
};
enum dump_seam dump_guess_seam(const struct decoder *, const struct capture *, uint64_t *pointer);

#endif
