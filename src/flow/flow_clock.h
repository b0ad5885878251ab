/*
 * How long what a processor executed took, by the times of messages that tell it.
 *
 * Instructions that one message tells were executed up to its time, and since that of the
 * message before it: that time is theirs, evenly, which is a guess.  A message without a time
 * only tells more of them.
 *
 * Belongs to one thread.
 */
#ifndef TRAWL_FLOW_FLOW_CLOCK_H
#define TRAWL_FLOW_FLOW_CLOCK_H

#include "base/vec.h"
#include "flow/flow_hold.h"

/* --- shares ------------------------------------------------------------ */

enum { FLOW_SHARES_MOST = 64 }; /* nodes: the last one has the instructions of more */

/* Where instructions were executed since something was counted. */
struct flow_shares {
	struct {
		uint32_t node;
		uint64_t count;
	} at[FLOW_SHARES_MOST];
	size_t count;
	bool given; /* what passed before: the last one is who goes on, until there is another */
};

void flow_shares_add(struct flow_shares *, uint32_t node, uint64_t count);

/* Divides AMOUNT, by how many instructions were executed in each; the last one has what is
 * left.  Returns how many PARTS there are, of FLOW_SHARES_MOST. */
size_t flow_shares_divide(const struct flow_shares *, uint64_t amount, uint64_t *parts);

/* They were given what was divided. */
void flow_shares_given(struct flow_shares *);

/* --- the clock of a processor ------------------------------------------ */

/* When a call began: the time that had passed up to a message, and instructions behind it. */
struct flow_began {
	uint64_t elapsed, behind;
};

/* A call that ended behind the last message whose time is known. */
struct flow_ended {
	uint32_t function;
	struct flow_began began;
	uint64_t behind;
};

struct flow_clock {
	bool known;	/* `since` is */
	bool estimated; /* and a guess */
	bool moved;	/* there is a message: */
	uint64_t number;
	struct flow_time time;
	int64_t since;		   /* the time that all is divided up to */
	uint64_t elapsed;	   /* all that was divided */
	uint64_t behind;	   /* instructions since then */
	struct flow_shares shares; /* of these */
	VEC(struct flow_ended) ended;
};

typedef void flow_note_time(void *context, uint32_t function, uint64_t nanoseconds);

void flow_clock_free(struct flow_clock *);

/* Whether it stands at the message of PLACE; moves there. */
bool flow_clock_is_at(const struct flow_clock *, const struct flow_place *);
void flow_clock_move(struct flow_clock *, const struct flow_place *);

/* So many instructions of the message were executed in NODE. */
void flow_clock_add(struct flow_clock *, uint32_t node, uint64_t count);

struct flow_began flow_clock_now(const struct flow_clock *);
uint64_t flow_clock_elapsed(const struct flow_clock *, const struct flow_began *since);

/* A call ends now that began then: NOTE gets how long it took, maybe later. */
void flow_clock_end_call(struct flow_clock *, uint32_t function, const struct flow_began *began,
			 flow_note_time *, void *context);

/* All instructions of the message are known.  Gives the time since the last one that has a
 * time, 0 where that is not known or later; false: this one has none. */
bool flow_clock_passed(struct flow_clock *, uint64_t *passed, bool *estimated);

/* Behind that: says when a call began; false: that is known. */
bool flow_clock_resolve(const struct flow_clock *, struct flow_began *, uint64_t passed);

/* Behind all these: goes on from the message. */
void flow_clock_go_on(struct flow_clock *, uint64_t passed, flow_note_time *, void *context);

/* It is not known what is executed up to the next message. */
void flow_clock_stop(struct flow_clock *, flow_note_time *, void *context);

#endif
