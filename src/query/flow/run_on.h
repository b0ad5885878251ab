/*
 * Messages that run on: a range of instructions that goes on where the one before it of its
 * processor ended, counts of cycles behind a range, and code that no image has behind such
 * code.  Who looks for where the program went leaves them out.
 *
 * A cell of the index is looked at as a whole, behind the cell before it: the first message of
 * a processor in both does not run on.
 *
 * Threads: it belongs to one.
 */
#ifndef TRAWL_QUERY_RUN_ON_H
#define TRAWL_QUERY_RUN_ON_H

#include "decode/flow_packet.h"
#include "trace/reader.h"

struct run_on;

/* Whether its format says what was executed in ranges. */
bool run_on_is_told(const struct trace *);

struct run_on *run_on_new(struct trace *);
void run_on_free(struct run_on *); /* NULL is fine */

/* Whether message AT of a cell of the trace runs on.  False where the index does not reach, and
 * in formats that do not say what was executed in ranges. */
bool run_on_test(struct run_on *, const struct decoded_cell *, size_t at);

enum { RUN_MOST = 4096 /* messages of a run, those of others between them included */ };

/* A message and those that run on behind it. */
struct run_sums {
	struct position first, last;
	struct position end;		   /* the last of them that is no count of cycles */
	struct flow_element begin, finish; /* what it begins with, and `end`; of code that is not
					      seen there are no instructions */
	uint64_t messages, instructions, cycles;
	bool more; /* it is longer than RUN_MOST */
};

/* The run that a message of READER, of the same trace, begins; false: it runs on itself, or says
 * nothing of what was executed. */
bool run_on_read(struct run_on *, struct reader *, struct position, struct run_sums *);

/* How many pages the code lies in that a run of addresses without instructions names. */
uint64_t run_on_pages(struct run_on *, struct reader *, const struct run_sums *);

/* The run that a message is of, whether it begins it or runs on. */
bool run_on_find(struct run_on *, struct reader *, struct position, struct run_sums *);

#endif
