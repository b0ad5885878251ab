/*
 * Positions in time: where another trace was when a message was sent.
 */
#ifndef TRAWL_SESSION_CLOCK_CLOCK_POSITION_H
#define TRAWL_SESSION_CLOCK_CLOCK_POSITION_H

#include "session/context/context.h"

/*
 * Find the position of READER's trace at the time of M, a message of FROM. A
 * context_relate callback. Return false if M has no time, no clock relates the traces, or
 * every message is later. The search ends at the first later message, even if times step
 * back after it.
 */
bool clock_find_position(void *unused, const struct trace *from, const struct message *m,
			 struct reader *reader, struct context_position *);

#endif
