/*
 * The calls that processors are in, with what a person asks of each: which code it runs,
 * since which message, and how many instructions ago that was.
 *
 * It is call_stack.h with more for each frame.  Belongs to one thread.  Memory: 90 bytes a
 * frame, and as call_stack.h has it.
 */
#ifndef TRAWL_FLOW_FLOW_FRAMES_H
#define TRAWL_FLOW_FLOW_FRAMES_H

#include "base/map.h"
#include "flow/call_stack.h"
#include "flow/flow_hold.h"

struct flow_frame {
	struct call_frame call;
	bool entered;	       /* `entry` is known */
	bool doubtful;	       /* it rests on a step that is a guess */
	bool interrupt;	       /* of a trap */
	uint16_t space;	       /* of the addresses */
	uint64_t entry;	       /* where its code begins */
	uint64_t since;	       /* number of the message that tells of the call */
	uint64_t instructions; /* counts of struct flow_frames as they were then */
	uint64_t cycles, unseen;
	uint64_t cause;	  /* of a trap */
	const char *name; /* of that, or NULL */
};

/* Of one processor.  Zero-initialise. */
struct flow_frames {
	struct call_stack calls;
	VEC(struct flow_frame) frames; /* as many as `calls` has */
	struct flow_frame base;	       /* what the outermost call left; `since`: from when on it is
					  known */
	uint64_t instructions;	       /* executed so far */
	uint64_t cycles;	       /* counted so far */
	uint64_t unseen;	       /* stretches of code that is not seen */
	size_t unsure;		       /* above so many frames calls may be missing: calls.unsure */
	uint64_t first, end;	       /* of the last run */
	uint16_t space;
	bool running;  /* there was one since the path was lost */
	bool doubtful; /* the last step was */
	uint64_t last; /* message of the last step */
};

void flow_frames_free(struct flow_frames *);
/* Into what is zero: with the newest MOST frames. */
void flow_frames_copy(struct flow_frames *, const struct flow_frames *, size_t most);
void flow_frames_step(struct flow_frames *, const struct flow_place *, const struct flow_step *);

/* Of all processors.  Zero-initialise. */
struct flow_stacks {
	struct map places; /* origin: place in `all` and one */
	VEC(struct {
		uint64_t origin;
		struct flow_frames frames;
	}) all;
};

void flow_stacks_free(struct flow_stacks *);
void flow_stacks_copy(struct flow_stacks *, const struct flow_stacks *, size_t most);
/* The processor that a step is of; one that is new has no frames. */
struct flow_frames *flow_stacks_of(struct flow_stacks *, uint64_t origin);
size_t flow_stacks_size(const struct flow_stacks *, size_t most); /* of a copy, in bytes */

#endif
