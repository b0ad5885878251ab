/*
 * The program flow at a message: the call depth of its processor after the message, and
 * the target of the last branch or trap that it took.
 *
 * The cursor follows a whole cell, from the last saved position before it
 * (session/flows.h).  Messages read in order therefore cost about twice as much as
 * following them once.
 *
 * Threads: a cursor belongs to one thread.  The session must outlive it.
 */
#ifndef TRAWL_QUERY_FLOW_CURSOR_H
#define TRAWL_QUERY_FLOW_CURSOR_H

#include "flow/flow_marks.h"
#include "query/flow/run_on.h"

struct flow_cursor;

struct flow_cursor *flow_cursor_new(void);
void flow_cursor_free(struct flow_cursor *); /* NULL is fine */

/* Return the mark of a message that READER reads, borrowed until the next call.  Return NULL if
 * the message executed nothing, or if its flow is unknown or not followed yet
 * (flows_generation). */
const struct flow_mark *flow_cursor_find(struct flow_cursor *, struct reader *,
					 const struct message *);

/* Sum up the run that starts at a message (run_on.h), of instructions or of unseen code.  Return
 * false if no run starts there. */
bool flow_cursor_run(struct flow_cursor *, struct reader *, const struct message *,
		     struct run_sums *);

/* Return run_on_pages for a run that flow_cursor_run found. */
uint64_t flow_cursor_pages(struct flow_cursor *, struct reader *, const struct run_sums *);

/* Append FUNCTION+0xOFFSET, not safe yet, or the digits of the address.  Return true if the
 * address has a name. */
bool flow_add_address(const struct trace *, uint64_t address, struct text *out);

#endif
