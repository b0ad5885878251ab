/*
 * An instant in another trace: where it was when a message was sent.
 */
#ifndef TRAWL_SESSION_CLOCK_INSTANT_H
#define TRAWL_SESSION_CLOCK_INSTANT_H

#include "session/context/context.h"

/*
 * The instant of M of FROM in READER's trace, as a context_relate.  False if M has
 * no time, no clock relates the two traces, or no message is that early.  Times that
 * step back are passed over as they lie in the capture.
 */
bool instant_find(void *unused, const struct trace *from, const struct message *m,
		  struct reader *reader, struct context_instant *);

#endif
