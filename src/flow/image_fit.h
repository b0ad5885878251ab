/*
 * Image fit: judges if a program's image is the one that was traced.
 *
 * A decoder follows any program it gets, right or wrong, so its direct branches prove little.
 * Addresses in the trace do: a return must lead to after its call, and a direct branch with an
 * address must lead to its target.
 *
 * Only consecutive steps are judged, so no return after unseen code or without its call.  Where
 * the decoder keeps a return stack, the return address was not sent, and the return always fits.
 * Only traces with flow_has_elements() are judged.  The walk of E-Trace itself reports where
 * packets and program disagree.
 *
 * Belongs to one thread.
 */
#ifndef TRAWL_FLOW_IMAGE_FIT_H
#define TRAWL_FLOW_IMAGE_FIT_H

#include "base/map.h"
#include "base/job.h"
#include "flow/call_stack.h"
#include "flow/flow_code.h"
#include "flow/flow_hold.h"
#include "trace/trace.h"

struct image_fit {
	uint64_t returns, behind;   /* judged returns, and those that led to after their call */
	uint64_t branches, reached; /* direct branches taken, and those that led to their target */
};

/* The judgement of a processor.  Zero-initialise. */
struct image_fit_walk {
	uint64_t origin;
	struct text name; /* name of the origin, from image_fits_read */
	struct image_fit fit;
	struct call_stack calls;
	bool aimed; /* the last step ended in a jump to `target` */
	uint64_t target;
};

/* All processors of a trace.  Zero-initialise. */
struct image_fits {
	struct map places; /* by origin: index in `walks`, plus one */
	VEC(struct image_fit_walk) walks;
	size_t last;   /* walk of the last step */
	uint64_t lost; /* places where the path was lost */
	/* read the trace even if there is nothing to judge, and count `codeless` */
	bool wants_lost;
	uint64_t codeless; /* executed instructions without bytes in any image */
	/* collect executed instructions that are patched (program/insn.h) */
	bool wants_patched;
	struct map patched; /* by address */
	uint64_t first_patched, patched_count;
};

void image_fits_free(struct image_fits *);

/* Take the next step of the processor of PLACE. */
void image_fits_step(struct image_fits *, struct flow_code *, const struct flow_place *,
		     const struct flow_step *);

/* Take the steps of the first MOST messages of a trace.  With a JOB, stop when it is stopping
 * and at the current end of the capture; without one, wait for a growing capture.  Read nothing
 * if nothing is judged or wanted: without overlapping images, nothing can be patched.  Return 0,
 * or negative with a reason if the format is not followed or the program is not known. */
int image_fits_read(struct image_fits *, struct trace *, uint64_t most, const struct job *,
		    struct err *);

/* Append `patched: 3 executed instructions have other bytes ...`, or nothing if there are none. */
void image_fits_add_patched(const struct image_fits *, struct text *out);

/* True if the image does not fit: under 80 % of at least 20 fit. */
bool image_fit_is_bad(const struct image_fit *);

/* Append `image fits: 429 of 478 returns lead behind their call, 2 of 2 direct branches to their
 * target`, or `image does not fit: ...`, or that so few prove nothing.  Append nothing if
 * nothing was judged. */
void image_fit_describe(const struct image_fit *, struct text *);

#endif
