/*
 * Instruction flow of a session's processors: one index (flow/flow_index.h) for
 * each trace, which screen, filters and values share. The first request for a trace
 * starts following it in the background.
 *
 * Threads: any, unless a function restricts it.
 */
#ifndef TRAWL_SESSION_FLOWS_H
#define TRAWL_SESSION_FLOWS_H

#include "flow/flow_index.h"

struct flows;
struct session;

/* From the owner's thread; the traces must outlive it. */
struct flows *flows_new(struct session *);
void flows_free(struct flows *); /* stops all threads; NULL is allowed */

/* Return the index of a trace, borrowed while its session is linked. If the trace cannot be
 * followed, return NULL with the reason in *WHY. */
struct flow_index *flows_index(const struct trace *, const char **why);

/* True if any trace can be followed; otherwise set *WHY to the reason. */
bool flows_any(const struct session *, const char **why);

/* Return the number of cells that are followed. If the trace cannot be followed, all cells
 * count. */
uint64_t flows_known(const struct trace *);

/* Return an epoch that goes up when any trace has an answer for a cell of flows_missed(). */
uint64_t flows_generation(const struct session *);

/* Record that the flow of a message in CELL was requested before it was known. */
void flows_missed(const struct trace *, uint64_t cell);

/* Wake the threads: an index advanced or a capture grew. */
void flows_wake(struct flows *); /* NULL is allowed */

/* Follow all traces to their end in this thread, for batch output. */
void flows_load(struct session *);

#endif
