/*
 * Image fit: whether a program's image is the one that was traced.
 *
 * A decoder follows the program that it is given, right or wrong, so what it says of direct
 * branches proves little.  What the trace says by itself does: a return leads to where an
 * address in the trace says, and behind a call it does so only if the calls were there.  Where
 * a trace gives an address for a direct branch, that has to be its target.
 *
 * Only steps that follow each other are judged: no return behind code that is not seen, or
 * whose call was not seen.  Returns out of traces whose decoder keeps a stack of its own, so
 * that their address was not sent, fit in any case.  E-Trace is not judged: packets and
 * program disagree there, and the walk says where.
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
	uint64_t returns, behind;   /* that were judged; of them, to behind their call */
	uint64_t branches, reached; /* direct ones that were taken; of them, to their target */
};

/* What is known of a processor.  Zero-initialise. */
struct image_fit_walk {
	uint64_t origin;
	struct text name; /* what image_fits_read found it is called */
	struct image_fit fit;
	struct call_stack calls;
	bool aimed; /* the last step ended in a jump to `target` */
	uint64_t target;
};

/* All processors of a trace.  Zero-initialise. */
struct image_fits {
	struct map places; /* by origin: place in `walks` and one */
	VEC(struct image_fit_walk) walks;
	size_t last;   /* of these, that a step was of */
	uint64_t lost; /* places from which on it is not known what was executed */
	/* likewise, whether or not there is anything to judge, with: */
	bool wants_lost;
	uint64_t codeless; /* executed instructions whose bytes no image has */
	/* executed instructions that are patched (program/insn.h), if they are asked for, */
	bool wants_patched;
	struct map patched; /* by address, */
	uint64_t first_patched, patched_count;
};

void image_fits_free(struct image_fits *);

/* Takes the next step, of the processor that PLACE names. */
void image_fits_step(struct image_fits *, struct flow_code *, const struct flow_place *,
		     const struct flow_step *);

/* Takes the steps of the first MOST messages of a trace.  With a WORKER until that is to stop, and
 * of those that are there; without it waits for a capture that grows.  None if nothing is judged
 * or wanted: nothing can be patched where images do not overlap.
 * 0, or negative with a reason: it says nothing of the flow, or its program is not known. */
int image_fits_read(struct image_fits *, struct trace *, uint64_t most, const struct job *,
		    struct err *);

/* Appends `patched: 3 executed instructions have other bytes ...`; nothing if there are none. */
void image_fits_add_patched(const struct image_fits *, struct text *out);

/* Whether there is anything to judge in a trace. */
bool image_fits_judge(const struct trace *);

/* Whether the image does not fit: fewer than 80 % of at least 20. */
bool image_fit_is_bad(const struct image_fit *);

/* Appends `image fits: 429 of 478 returns lead behind their call, 2 of 2 direct branches to
 * their target`, or `image does not fit: ...`, or that so few say nothing; nothing if nothing
 * was judged. */
void image_fit_describe(const struct image_fit *, struct text *);

#endif
