/*
 * The call stacks of processors as shown to the user.  Each frame also has the code it runs, the
 * message of its call, and the instructions executed since then.
 *
 * This extends call_stack.h.  Belongs to one thread.  Memory: 90 bytes a frame, and that of
 * call_stack.h.
 */
#ifndef TRAWL_FLOW_FLOW_FRAMES_H
#define TRAWL_FLOW_FLOW_FRAMES_H

#include "base/map.h"
#include "flow/call_stack.h"
#include "flow/flow_hold.h"

struct flow_frame {
	struct call_frame call;
	bool entered;	       /* `entry` is known */
	bool doubtful;	       /* it rests on a doubtful step */
	bool interrupt;	       /* the trap is an interrupt */
	uint16_t space;	       /* space of the addresses */
	uint64_t entry;	       /* address where its code begins */
	uint64_t since;	       /* number of the message that contains the call */
	uint64_t instructions; /* counts of struct flow_frames at the call */
	uint64_t cycles, unseen;
	uint64_t cause;	  /* cause of a trap */
	const char *name; /* name of the cause, or NULL */
};

/* The stack of a processor.  Zero-initialise. */
struct flow_frames {
	struct call_stack calls;
	VEC(struct flow_frame) frames; /* as many as in `calls` */
	struct flow_frame base;	       /* below the outermost call, known from `since` on */
	uint64_t instructions;	       /* executed in all */
	uint64_t cycles;	       /* counted in all */
	uint64_t unseen;	       /* number of times that unseen code ran */
	size_t unsure;		       /* if calls.unsure: calls may be missing above it */
	uint64_t first, end;	       /* addresses of the last run */
	uint16_t space;
	bool running;  /* a run came since the path was lost */
	bool doubtful; /* the last step was doubtful */
	uint64_t last; /* message of the last step */
};

void flow_frames_free(struct flow_frames *);
/* Copy the stack with its newest MOST frames into a zero-initialised one. */
void flow_frames_copy(struct flow_frames *, const struct flow_frames *, size_t most);
void flow_frames_step(struct flow_frames *, const struct flow_place *, const struct flow_step *);

/* The stacks of all processors.  Zero-initialise. */
struct flow_stacks {
	struct map places; /* origin: index in `all`, plus one */
	VEC(struct {
		uint64_t origin;
		struct flow_frames frames;
	}) all;
};

void flow_stacks_free(struct flow_stacks *);
void flow_stacks_copy(struct flow_stacks *, const struct flow_stacks *, size_t most);
/* Return the stack of a processor, which is empty if the processor is new. */
struct flow_frames *flow_stacks_of(struct flow_stacks *, uint64_t origin);
size_t flow_stacks_size(const struct flow_stacks *, size_t most); /* of a copy, in bytes */

#endif
