/*
 * Stepping over a capture: combines the decoder's messages with the capture's
 * losses.
 *
 * All code steps over a capture here, so that the index, the list and every export
 * agree. A message with missing bytes (they read as zeros) becomes an error flagged
 * damaged. An incomplete capture ends with a message that is flagged lost and
 * describes the loss.
 *
 * A capture may have a break (capture_next_break). The bytes before it are decoded
 * as if the capture ended there, and those after it as if one began. A message of
 * the same kind stands between. A decoder without decoder_starts_anywhere()
 * continues across the break. decode_state.passed marks the breaks before a state;
 * call step_restored after restoring one.
 *
 * Dropped bytes (capture_drop) are also reported by a message of this kind, before
 * the others: index.h describes where.
 */
#ifndef TRAWL_INDEX_STEP_H
#define TRAWL_INDEX_STEP_H

#include "capture/capture.h"
#include "decode/summary.h"

/* Step as decoder_ops.step does, over a window on the capture. */
size_t step_capture(const struct capture *, const struct decoder *, struct decode_state *,
		    const struct window *, struct message *out, size_t max);

/* Step on and add the messages to SUMMARY, if not NULL. Return true if the window has been
 * passed as far as its bounds allow. */
bool step_summarise(const struct capture *, const struct decoder *, struct decode_state *,
		    const struct window *, struct summary *);

/* Fill in the message of kind DECODE_KIND_LOSS at the end of the capture. Return false if
 * there is none. Call after step_capture returned the last message before the window's
 * `until`. */
bool step_closing(const struct capture *, const struct decoder *, const struct decode_state *,
		  const struct window *, struct message *);

/* Find a resync point as decoder_ops.resync does, for the cell that begins at START, in the
 * window or at its end. A break before START is a resync point; one after it bounds the
 * window. */
int step_resync(const struct capture *, const struct decoder *, struct decode_state *,
		const struct window *, uint64_t start);

/* Call after restoring a state from the checkpoint of the cell that begins at START. */
static inline void
step_restored(struct decode_state *state, uint64_t start)
{
	state->passed = start;
}

/* Fill in the message that stands for all dropped bytes, before OFFSET. */
void step_fill_dropped(const struct decoder *, uint64_t offset, struct message *);

/* Position a new state where decoding can start at or after OFFSET; everything before was
 * dropped. */
void step_start(const struct capture *, const struct decoder *, struct decode_state *,
		uint64_t offset);

/* Append type and text of a message of kind DECODE_KIND_LOSS. */
void step_expand_loss(const struct capture *, const struct message *, struct expansion *);

/* Flag and note in the expansion that the first bytes of a message were dropped; expand
 * nothing else then. Return false if they were not dropped. */
bool step_expand_dropped(const struct capture *, const struct message *, struct expansion *);

/* Flag the expansion of a message with missing bytes and append a note. */
void step_expand_missing(const struct capture *, const struct message *, struct expansion *);

#endif
