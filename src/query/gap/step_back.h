/*
 * Times that step back: a message's session time is before that of the last earlier
 * message of the same origin that has one.
 *
 * Where times follow from ticks alone, cell summaries settle most messages.  If no earlier
 * message of the origin is in the same cell, ticks that reach the maximum of all earlier
 * cells do not step back.  Otherwise the last message of the origin is searched, in
 * earlier cells that may contain one.
 *
 * Cost: 8 bytes for each cell of the index.
 *
 * Threads: a step_back belongs to one thread.
 */
#ifndef TRAWL_QUERY_STEP_BACK_H
#define TRAWL_QUERY_STEP_BACK_H

#include "trace/reader.h"

struct step_back;

struct step_back *step_back_new(struct trace *);
void step_back_free(struct step_back *); /* NULL is fine */

/* True if the time of message AT of a cell steps back.  At most LIMIT earlier cells are decoded
 * (0: no limit); past the limit the result is false.  False beyond the index. */
bool step_back_test(struct step_back *, const struct decoded_cell *, size_t at, unsigned limit);

/* True if the summary of an index cell proves that no time in it steps back. */
bool step_back_rules_out(struct step_back *, uint64_t cell);

/* Convert a message's time to a number that rises with time.  Return false if it has no time. */
bool step_back_order(struct trace *, const struct message *, uint64_t *order);

#endif
