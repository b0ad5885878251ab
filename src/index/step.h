/*
 * Stepping over a capture: what the decoder finds in the bytes, and what the
 * capture reports about bytes that are missing.
 *
 * All who step over a capture do it here, so that the index, the list and every
 * export agree: a message of which bytes are missing (they read as zeros) is an
 * error flagged damaged, and a capture of which anything is missing ends with a
 * message that is flagged lost and says what.
 *
 * Where a capture has a break (capture_next_break), what is before it is decoded as if the
 * capture ended there and what is behind as if one began, with a message of the same kind
 * between; a decoder that cannot begin anywhere goes on over it.  decode_state.passed says
 * which breaks lie behind a state; whoever restores a state calls step_restored.
 *
 * What was dropped of a capture (capture_drop) is a message of the same kind too, in front of
 * the others: index.h says where.
 */
#ifndef TRAWL_INDEX_STEP_H
#define TRAWL_INDEX_STEP_H

#include "capture/capture.h"
#include "decode/summary.h"

/* decoder_ops.step, over a window on the bytes of the capture. */
size_t step_capture(const struct capture *, const struct decoder *, struct decode_state *,
		    const struct window *, struct message *out, size_t max);

/* Steps on; SUMMARY (NULL: not counted) gets what the messages of step_capture add up
 * to.  Whether all that the window lets be stepped over is. */
bool step_summarise(const struct capture *, const struct decoder *, struct decode_state *,
		    const struct window *, struct summary *);

/* Once step_capture gave the last message before the window's `until`: whether
 * one of kind DECODE_KIND_LOSS stands behind it, at the end of the capture. */
bool step_closing(const struct capture *, const struct decoder *, const struct decode_state *,
		  const struct window *, struct message *);

/* As decoder_ops.resync, for the cell that begins at START, which lies in the window or at
 * its end: a break before it is a resync point, and one behind it bounds the window. */
int step_resync(const struct capture *, const struct decoder *, struct decode_state *,
		const struct window *, uint64_t start);

/* To be called once a state has been restored from the checkpoint of the cell that begins
 * at START. */
static inline void
step_restored(struct decode_state *state, uint64_t start)
{
	state->passed = start;
}

/* The message that stands for all before OFFSET, which was dropped. */
void step_fill_dropped(const struct decoder *, uint64_t offset, struct message *);

/* Places a state of which nothing is known where decoding can begin at or behind OFFSET, of
 * a capture of which all before was dropped. */
void step_start(const struct capture *, const struct decoder *, struct decode_state *,
		uint64_t offset);

/* Makes the text of a message of kind DECODE_KIND_LOSS. */
void step_expand_loss(const struct capture *, const struct message *, struct expansion *);

/* Whether the first bytes of a message were dropped: then that is all that its expansion
 * says. */
bool step_expand_dropped(const struct capture *, const struct message *, struct expansion *);

/* Flags the expansion of a message of which bytes are missing, and says so. */
void step_expand_missing(const struct capture *, const struct message *, struct expansion *);

#endif
