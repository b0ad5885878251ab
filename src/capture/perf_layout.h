/*
 * The bytes of one trace buffer of a perf.data file, in order: which pieces of the file
 * they are, where decoding starts anew, and what is missing.
 */
#ifndef TRAWL_CAPTURE_PERF_LAYOUT_H
#define TRAWL_CAPTURE_PERF_LAYOUT_H

#include "capture/capture.h"
#include "capture/perf_data.h"

/* A place where decoding starts anew, and what is wrong there. */
struct perf_mark {
	uint64_t offset;    /* among the bytes that are gathered */
	uint64_t uncovered; /* bytes from there on that no AUX record has */
	uint64_t lost;	    /* bytes known to be missing before it */
	uint64_t flags;	    /* of the run that begins there: enum perf_run_flag */
};

/* What is gathered of a buffer; zero-initialise. */
struct perf_layout {
	VEC(struct capture_piece) pieces;
	VEC(struct perf_mark) marks; /* in order, one for an offset */
	uint64_t size;
	uint64_t repeated; /* bytes that were read before, and left out */
	bool unmarked;	   /* no AUX record has any: all is one run */
};

/*
 * Gathers the runs that were on CPU (PERF_NONE: all) and whose flags have FORMAT, and what
 * no run has.  UNIT: what a run's bytes come in; of a unit that is not whole nothing is
 * taken, and it counts as lost.
 */
void perf_data_gather(const struct perf_buffer *, uint32_t cpu, uint64_t format, unsigned unit,
		      struct perf_layout *);
void perf_layout_free(struct perf_layout *);

#endif
