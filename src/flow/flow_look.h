/*
 * Finds the steps and the calls of a processor at a message, and the next message where it did
 * something.
 *
 * It follows from the last checkpoint of the flow index before the message.  If the index is not
 * there yet, it starts a few cells before the message.  Older calls are then unknown, and the
 * result is a guess.  Later messages prove or doubt the steps, so it reads up to LOOK_AHEAD
 * messages more.
 *
 * Belongs to one thread.  Cost: that of following a few cells.
 */
#ifndef TRAWL_FLOW_FLOW_LOOK_H
#define TRAWL_FLOW_FLOW_LOOK_H

#include "flow/flow_index.h"

enum {
	LOOK_AHEAD = 4096,     /* messages */
	LOOK_STEPS_MOST = 1024 /* kept of a message */
};

struct flow_looker;

/* Create a looker.  INDEX is borrowed and belongs to TRACE.  Return NULL with a reason, as
 * flow_new. */
struct flow_looker *flow_looker_new(struct trace *, struct flow_index *, struct err *);
void flow_looker_free(struct flow_looker *); /* NULL is fine */

struct flow_code *flow_looker_code(struct flow_looker *);

/* Steps of a message, or of several messages with consecutive instructions. */
struct flow_steps {
	VEC(struct flow_step) steps;
	VEC(uint64_t) numbers; /* message of each step */
	VEC(uint64_t) cycles;  /* counted with or after each step */
	uint64_t dropped;      /* steps over LOOK_STEPS_MOST: the oldest of `before`, the newest
				  of the others */
};

/* Zero-initialise. */
struct flow_look {
	uint64_t number;	   /* of the message */
	bool guess;		   /* not followed from the begin of the trace */
	bool any;		   /* the processor did something up to the message */
	struct flow_frames frames; /* after the message */
	/* `here`: steps of the message, or of messages around it.  `before` and `after`: steps of
	 * the last and the next message with steps, and of messages that lead straight there. */
	struct flow_steps before, here, after;
};

void flow_look_free(struct flow_look *);

/* Look at the message at a position of READER, of the same trace.  Return false if there is
 * none. */
bool flow_look_at(struct flow_looker *, struct reader *, struct position, struct flow_look *);

/* Look at a message as above, with the steps of messages FIRST to LAST in `here`.  FIRST is in
 * CELL. */
bool flow_look_around(struct flow_looker *, struct reader *, struct position, uint64_t cell,
		      uint64_t first, uint64_t last, struct flow_look *);

/* Gets a step of any processor, and its call stack after the step.  Returns false to stop. */
typedef bool flow_watch(void *context, const struct flow_place *, const struct flow_step *,
			const struct flow_frames *);

/* Follow all processors and pass their steps to WATCH, in COUNT messages from number FIRST on,
 * which is in CELL, and up to LOOK_AHEAD more.  Return true if the stacks are a guess, as in
 * struct flow_look. */
bool flow_look_steps(struct flow_looker *, struct reader *, uint64_t cell, uint64_t first,
		     size_t count, flow_watch *, void *context);

/* Event to look for. */
enum flow_find {
	FLOW_FIND_LEVEL, /* as many calls as at the message, or fewer */
	FLOW_FIND_OUT,	 /* fewer calls; backward: the call that led here */
	FLOW_FIND_CALL,	 /* a call */
	FLOW_FIND_TRAP,	 /* an exception or interrupt */
};

/* Move the position to the next message of the processor with that event, or to the last one
 * before.  Return false if there is none within LOOK_CELLS cells.  *ENDED is true if there is
 * none at all. */
enum { LOOK_CELLS = 256 };
bool flow_look_find(struct flow_looker *, struct reader *, struct position *, enum flow_find,
		    bool forward, bool *ended);

#endif
