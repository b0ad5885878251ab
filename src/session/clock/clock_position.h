/*
 * Positions in time: where another trace was when a message was sent.
 */
#ifndef TRAWL_SESSION_CLOCK_CLOCK_POSITION_H
#define TRAWL_SESSION_CLOCK_CLOCK_POSITION_H

#include "session/context/context.h"

/*
 * Where READER's trace was at the time of M of FROM, as a context_relate.  False if M has
 * no time, no clock relates the two traces, or no message is that early.  Times that
 * step back are passed over as they lie in the capture.
 */
bool clock_find_position(void *unused, const struct trace *from, const struct message *m,
			 struct reader *reader, struct context_position *);

#endif
