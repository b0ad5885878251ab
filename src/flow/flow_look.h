/*
 * What the processor of a message executed there, and which calls it was in; and where it
 * did something next.
 *
 * It is followed from the last place before the message that a flow index keeps; where that
 * is not followed yet, from a few cells before the message on: then nothing is known of the
 * calls that were made before, and what is shown is a guess.  Steps are given as they are
 * proven or doubted by what comes behind the message, up to LOOK_AHEAD messages.
 *
 * Belongs to one thread.  Cost: that of following a few cells.
 */
#ifndef TRAWL_FLOW_FLOW_LOOK_H
#define TRAWL_FLOW_FLOW_LOOK_H

#include "flow/flow_index.h"

enum {
	LOOK_AHEAD = 4096,     /* messages */
	LOOK_STEPS_MOST = 1024 /* of a message, that are kept */
};

struct flow_looker;

/* INDEX is borrowed and of TRACE.  NULL with a reason: see flow_new. */
struct flow_looker *flow_looker_new(struct trace *, struct flow_index *, struct err *);
void flow_looker_free(struct flow_looker *); /* NULL is fine */

/* The program's code. */
struct flow_code *flow_looker_code(struct flow_looker *);

/* The steps of a message, or of several whose instructions lie one behind the other. */
struct flow_steps {
	VEC(struct flow_step) steps;
	VEC(uint64_t) numbers; /* of the message of each, */
	VEC(uint64_t) cycles;  /* and how many were counted with or behind it */
	uint64_t dropped;      /* more of them: those before (of the message before), or behind */
};

/* Zero-initialise. */
struct flow_look {
	uint64_t number;	   /* of the message */
	bool guess;		   /* not followed from the begin of the trace */
	bool any;		   /* the processor did something up to the message */
	struct flow_frames frames; /* behind the message */
	/* of this message, or of those around it; and before and behind those of the last and the
	 * next message that have some, with what goes straight on to or from there */
	struct flow_steps before, here, after;
};

void flow_look_free(struct flow_look *);

/* Looks at the message at a position of READER, of the same trace; false: there is none. */
bool flow_look_at(struct flow_looker *, struct reader *, struct position, struct flow_look *);

/* The same; `here` are the messages from number FIRST on, which is in CELL, up to LAST. */
bool flow_look_around(struct flow_looker *, struct reader *, struct position, uint64_t cell,
		      uint64_t first, uint64_t last, struct flow_look *);

/* Gets the calls that a processor is in behind each of its steps, with the message that the
 * step is of. */
typedef void flow_watch(void *context, uint64_t number, const struct flow_frames *);

/* Follows processor ORIGIN, and has WATCH look at its steps of COUNT messages from number FIRST
 * on, which is in CELL.  True: it is a guess, as of struct flow_look. */
bool flow_look_walk(struct flow_looker *, struct reader *, uint64_t cell, uint64_t origin,
		    uint64_t first, uint64_t count, flow_watch *, void *context);

/* Gets a step of any processor, and the calls that it is in behind it; false: no more is
 * wanted. */
typedef bool flow_watch_step(void *context, const struct flow_place *, const struct flow_step *,
			     const struct flow_frames *);

/* Follows all processors, and has WATCH look at their steps of messages from number FIRST on,
 * which is in CELL, up to number LAST.  What is in cells that the index does not know yet
 * (flow_index_known) may be a guess. */
void flow_look_steps(struct flow_looker *, struct reader *, uint64_t cell, uint64_t first,
		     uint64_t last, flow_watch_step *, void *context);

/* What may be looked for. */
enum flow_find {
	FLOW_FIND_LEVEL, /* as many calls as at the message, or fewer */
	FLOW_FIND_OUT,	 /* fewer calls; backward: the call that led here is made */
	FLOW_FIND_CALL,	 /* a call is made */
	FLOW_FIND_TRAP,	 /* an exception or interrupt comes */
};

/* The next message of the processor at which that is so, or the last one before; false: there
 * is none within LOOK_CELLS cells.  *ENDED: nor anywhere. */
enum { LOOK_CELLS = 256 };
bool flow_look_find(struct flow_looker *, struct reader *, struct position *, enum flow_find,
		    bool forward, bool *ended);

#endif
