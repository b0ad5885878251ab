/*
 * Interpolated times of messages without a timestamp, where a processor counted cycles
 * between timed messages. For the screen.
 *
 * Nothing is computed ahead. The screen asks for each message it shows. A thread then
 * walks the message's cell and its neighbours (cycles_walk.h) and notifies the session.
 * These times do not affect the order of messages.
 *
 * Threads: any thread may call cycles_find(); all other calls belong to the session's
 * owner.
 */
#ifndef TRAWL_SESSION_CLOCK_CYCLES_H
#define TRAWL_SESSION_CLOCK_CYCLES_H

#include "trace/cycles_walk.h"

struct cycles;
struct message_time;
struct session;

/* Return NULL if no trace of the session has cycles. The session must outlive the result. Called
 * by session_link(). */
struct cycles *cycles_new(struct session *);
void cycles_free(struct cycles *); /* stops the thread; NULL is fine */

/* Build the indexes of traces with cycles, for batch output. WAIT waits for streams to end;
 * without it, open streams are left out. */
void cycles_load(struct cycles *, bool wait);

/* True if messages of a trace may have such times. */
bool cycles_may_have(struct trace *);

/* Start to answer questions. cycles_wake(): an index or a capture grew. */
void cycles_start(struct cycles *);
void cycles_wake(struct cycles *);

/* Return the epoch of the answers, which goes up with new ones; 0 for NULL. */
unsigned cycles_generation(const struct cycles *);

/* Find the time of a message without a timestamp. Return false if it is unknown or not yet
 * known; the session is notified of a later answer. */
bool cycles_find(struct trace *, const struct message *, struct cycles_estimate *);

/* Return a copy of the message with TICKS as its timestamp. */
struct message cycles_timed(const struct message *, uint64_t ticks);

/* Find the session's time of *M, as clocks_time(). If *M has no timestamp, set it from its
 * cycles first. Return false if it has no time. The walk may be NULL. */
bool cycles_time(struct trace *, struct cycles_walk *, struct message *m, struct message_time *);

#endif
