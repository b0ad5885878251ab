/*
 * Messages that run on, so that views of the program's path can leave them out.  A message
 * runs on in three cases.  A range of instructions starts where the previous range of its
 * processor ended.  A cycle count follows a range.  Code without an image follows other
 * such code.
 *
 * Each index cell is judged with only the cell before it: the first message of a processor
 * in these two cells does not run on.
 *
 * Threads: a run_on belongs to one thread.
 */
#ifndef TRAWL_QUERY_RUN_ON_H
#define TRAWL_QUERY_RUN_ON_H

#include "decode/flow_packet.h"
#include "trace/reader.h"

struct run_on;

struct run_on *run_on_new(struct trace *);
void run_on_free(struct run_on *); /* NULL is fine */

/* True if message AT of a cell of the trace runs on.  False beyond the index, and in formats
 * that do not report ranges. */
bool run_on_test(struct run_on *, const struct decoded_cell *, size_t at);

enum {
	RUN_MOST = 4096 /* messages of a run, and others in between */
};

/* A message and those after it that run on. */
struct run_sums {
	struct position first, last;
	struct position end; /* the last message that is not a cycle count */
	struct flow_element begin,
	    finish; /* elements at `first` and `end`; unseen code has no instructions */
	uint64_t messages, instructions, cycles;
	bool more; /* the run is longer than RUN_MOST */
};

/* Sum up the run that starts at a message of READER, which must read the same trace.  Return
 * false if the message itself runs on, or reports no execution. */
bool run_on_read(struct run_on *, struct reader *, struct position, struct run_sums *);

/* Return the number of 4 KiB pages with addresses of the run, for a run of unseen code. */
uint64_t run_on_pages(struct run_on *, struct reader *, const struct run_sums *);

/* Sum up the run that contains a message, at its start or later. */
bool run_on_find(struct run_on *, struct reader *, struct position, struct run_sums *);

#endif
