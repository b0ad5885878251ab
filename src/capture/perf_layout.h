/*
 * The bytes of a trace buffer of a perf.data file, in order: the pieces of the file that
 * contain them, the offsets where decoding restarts, and the losses.
 */
#ifndef TRAWL_CAPTURE_PERF_LAYOUT_H
#define TRAWL_CAPTURE_PERF_LAYOUT_H

#include "capture/capture.h"
#include "capture/perf_data.h"

/* The part of a buffer that becomes one trace. */
struct perf_part {
	const struct perf_buffer *buffer;
	uint32_t cpu;	 /* processor whose runs to take; PERF_NONE: all */
	uint64_t format; /* PERF_RUN_FORMAT bits of the runs to take */
	unsigned unit;	 /* bytes in a unit of the trace */
};

/* An offset where decoding restarts, with the losses there. */
struct perf_mark {
	uint64_t offset;    /* in the gathered bytes */
	uint64_t uncovered; /* bytes after it that no AUX record covers */
	uint64_t lost;	    /* missing bytes before it */
	uint64_t flags;	    /* of the run that begins there: enum perf_run_flag */
};

/* The gathered bytes of a part.  Zero-initialise. */
struct perf_layout {
	VEC(struct capture_piece) pieces;
	VEC(struct perf_mark) marks; /* in order, at most one at each offset */
	uint64_t size;
	uint64_t repeated; /* bytes skipped because an earlier piece has them */
	bool unmarked;	   /* the buffer has no AUX records, so all bytes form one run */
};

/* Gather the runs of a part.  If the part covers the whole buffer, also gather the bytes that no
 * run covers.  Skip an incomplete unit and count it as lost. */
void perf_layout_fill(const struct perf_part *, struct perf_layout *);
void perf_layout_free(struct perf_layout *);

#endif
