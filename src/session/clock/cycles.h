/*
 * Times of messages that tell none, where a processor counted cycles between those
 * that do: for the screen.
 *
 * Nothing is made ahead.  A message that is to be shown is asked for; a
 * thread looks at its cell and those around it (cycles_walk.h) and notifies the
 * session.  Such times are for showing: the order of messages does not depend on
 * them.
 *
 * Threads: questions from any; the rest is the owner's of the session.
 */
#ifndef TRAWL_SESSION_CLOCK_CYCLES_H
#define TRAWL_SESSION_CLOCK_CYCLES_H

#include "trace/cycles_walk.h"

struct cycles;
struct message_time;
struct session;

/* NULL if no trace of the session has cycles.  The session must outlive it; made by
 * session_link. */
struct cycles *cycles_new(struct session *);
void cycles_free(struct cycles *); /* stops its thread; NULL is fine */

/* Builds the indexes of traces with cycles, for batch output.  Waits for the end of
 * streams, or leaves them out. */
void cycles_load(struct cycles *, bool wait);

/* Whether messages of a trace may have such times. */
bool cycles_may_have(struct trace *);

/* Lets questions be answered.  cycles_wake: an index went on, or a
 * capture grew. */
void cycles_start(struct cycles *);
void cycles_wake(struct cycles *);

/* Counts up when there are new answers; 0 for NULL. */
unsigned cycles_generation(const struct cycles *);

/* When a message without a time was sent.  False: it is not known, or not yet;
 * then the session is notified when it is. */
bool cycles_find(struct trace *, const struct message *, struct cycles_estimate *);

/* The message as if it had a time of its own. */
struct message cycles_timed(const struct message *, uint64_t ticks);

/* The session's time of *M (clocks_time), which gets the one that cycles tell if it has none
 * itself; false: it has none.  The walk may be NULL. */
bool cycles_time(struct trace *, struct cycles_walk *, struct message *m, struct message_time *);

#endif
