/*
 * How often the instructions of a program were executed, by address.
 *
 * Belongs to one thread.  Memory: 50 bytes for each place that is jumped to or from,
 * FLOW_COUNTS_MOST of them at most; runs between others are not counted then.
 */
#ifndef TRAWL_FLOW_FLOW_COUNTS_H
#define TRAWL_FLOW_FLOW_COUNTS_H

#include "base/map.h"
#include "base/vec.h"
#include "flow/flow_step.h"

enum { FLOW_COUNTS_MOST = 1 << 20 };

/* From ADDRESS on instructions were executed COUNT times: more than before, or in all. */
struct flow_level {
	uint64_t address, count;
};

/* Zero-initialise. */
struct flow_counts {
	struct map changes_by; /* address: place in `changes` and one */
	VEC(struct flow_level) changes, levels;
	bool summed;   /* `levels` are the sums of `changes`, by address */
	uint64_t left; /* runs that are not counted */
};

void flow_counts_free(struct flow_counts *);

/* Counts a step, if it is a run that is not doubtful. */
void flow_counts_step(struct flow_counts *, const struct flow_step *);

/* How often the instruction at ADDRESS was executed.  Sorts the places if something was
 * counted since. */
uint64_t flow_counts_at(struct flow_counts *, uint64_t address);

#endif
