/*
 * What the program flow says of a message: how deep in calls its processor is behind it, and
 * where what it executed went.
 *
 * A cell is followed as a whole, from the last place before it that the session keeps
 * (session/flows.h), so messages that are asked for in order cost about twice what following
 * them does.
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

/* What is known of a message that READER reads, borrowed until the next call; NULL: it executed
 * nothing, or what is not known, or not yet: flows_generation(). */
const struct flow_mark *flow_cursor_find(struct flow_cursor *, struct reader *,
					 const struct message *);

/* The run that a message begins (run_on.h), of instructions or of code that is not seen; false:
 * none. */
bool flow_cursor_run(struct flow_cursor *, struct reader *, const struct message *,
		     struct run_sums *);

/* run_on_pages of a run that flow_cursor_run found. */
uint64_t flow_cursor_pages(struct flow_cursor *, struct reader *, const struct run_sums *);

/* Appends FUNCTION+0xOFFSET, not safe yet, or the digits of the address; true: it has a name. */
bool flow_add_address(const struct trace *, uint64_t address, struct text *out);

#endif
