/*
 * The bytes of one trace buffer of a perf.data file, in order: which pieces of the file
 * they are, where decoding starts anew, and what is missing.
 */
#ifndef TRAWL_CAPTURE_PERF_LAYOUT_H
#define TRAWL_CAPTURE_PERF_LAYOUT_H

#include "capture/capture.h"
#include "capture/perf_data.h"

/* What becomes one trace: runs of a buffer. */
struct perf_part {
	const struct perf_buffer *buffer;
	uint32_t cpu;	 /* whose runs; PERF_NONE: all */
	uint64_t format; /* what their flags have of PERF_RUN_FORMAT */
	unsigned unit;	 /* what their bytes come in */
};

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

/* Gathers the runs of a part and, where it has all of a buffer, what no run has.  Of a unit
 * that is not whole nothing is taken, and it counts as lost. */
void perf_layout_fill(const struct perf_part *, struct perf_layout *);
void perf_layout_free(struct perf_layout *);

#endif
