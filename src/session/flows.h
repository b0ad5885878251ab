/*
 * How far the processors of a session's traces are followed through their program: one index
 * (flow/flow_index.h) for each trace, for the screen, filters and values alike.  A trace is
 * followed in the background from the first time on that it is asked for.
 *
 * Threads: any, unless it says otherwise.
 */
#ifndef TRAWL_SESSION_FLOWS_H
#define TRAWL_SESSION_FLOWS_H

#include "flow/flow_index.h"

struct flows;
struct session;

/* The owner's; the traces must outlive it. */
struct flows *flows_new(struct session *);
void flows_free(struct flows *); /* stops all; NULL is fine */

/* The index of a trace, borrowed as long as its session is linked; NULL: it cannot be followed,
 * as *WHY says. */
struct flow_index *flows_index(const struct trace *, const char **why);

/* Whether any trace can be followed; else *WHY says what is missing. */
bool flows_any(const struct session *, const char **why);

/* How many cells are followed: those before this one; all, if it cannot be followed. */
uint64_t flows_known(const struct trace *);

/* Counts up when what flows_missed told of can be answered, of any trace. */
unsigned flows_generation(const struct session *);

/* What a message of CELL did was asked for and is not known yet. */
void flows_missed(const struct trace *, uint64_t cell);

/* Has them look on: an index went on, or a capture grew. */
void flows_wake(struct flows *); /* NULL is fine */

/* For batch output: follows all traces to their end, in this thread. */
void flows_load(struct session *);

#endif
