/*
 * Times that step back: whether a message's time, on the session's clock, is before that
 * of the last message before it of the same origin that has one.
 *
 * Where times follow from ticks alone, a message whose ticks are not before those of any
 * cell before it, nor step back in its own, is known by the summaries; else the last
 * message of its origin is looked for, in cells before it that may have one.
 *
 * Cost: 8 bytes for each cell of the index.
 *
 * Threads: it belongs to one.
 */
#ifndef TRAWL_QUERY_STEP_BACK_H
#define TRAWL_QUERY_STEP_BACK_H

#include "trace/reader.h"

struct step_back;

struct step_back *step_back_new(struct trace *);
void step_back_free(struct step_back *); /* NULL is fine */

/* Whether the time of message AT of a cell of the trace steps back.  LIMIT: so many cells
 * before it are decoded at most, beyond which it does not; 0: no limit.  False where the
 * index does not reach. */
bool step_back_test(struct step_back *, const struct decoded_cell *, size_t at, unsigned limit);

/* Whether by its summary no time in a cell of the index steps back. */
bool step_back_rules_out(struct step_back *, uint64_t cell);

/* When a message was sent, as a number that rises with time; false if it has no time. */
bool step_back_order(struct trace *, const struct message *, uint64_t *order);

#endif
