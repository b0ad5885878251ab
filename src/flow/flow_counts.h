/*
 * Counts how often each instruction of a program was executed, by address.
 *
 * Belongs to one thread.  Memory: 50 bytes for each place that is jumped to or from, at most
 * FLOW_COUNTS_MOST of them.  Beyond that, runs between new places are not counted.
 */
#ifndef TRAWL_FLOW_FLOW_COUNTS_H
#define TRAWL_FLOW_FLOW_COUNTS_H

#include "base/map.h"
#include "base/vec.h"
#include "flow/flow_step.h"

enum { FLOW_COUNTS_MOST = 1 << 20 };

/* Executions from ADDRESS on: the change at that address (`changes`), or the sum (`levels`). */
struct flow_level {
	uint64_t address, count;
};

/* Zero-initialise. */
struct flow_counts {
	struct map changes_by; /* address: index in `changes`, plus one */
	VEC(struct flow_level) changes, levels;
	bool summed;   /* `levels` are the sums of `changes`, sorted by address */
	uint64_t left; /* runs that were not counted */
};

void flow_counts_free(struct flow_counts *);

/* Count a step if it is a run and not doubtful. */
void flow_counts_step(struct flow_counts *, const struct flow_step *);

/* Return how often the instruction at ADDRESS was executed.  Sorts the places if anything was
 * counted since the last call. */
uint64_t flow_counts_at(struct flow_counts *, uint64_t address);

#endif
