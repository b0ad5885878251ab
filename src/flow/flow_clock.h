/*
 * Divides time among the instructions of a processor, from the times of its messages.
 *
 * The instructions of a message were executed between the time of the message before it and its
 * own.  The time is divided evenly among them, which is a guess.  A message without a time only
 * adds instructions.
 *
 * Belongs to one thread.
 */
#ifndef TRAWL_FLOW_FLOW_CLOCK_H
#define TRAWL_FLOW_FLOW_CLOCK_H

#include "base/vec.h"
#include "flow/flow_hold.h"

/* --- shares ------------------------------------------------------------ */

enum { FLOW_SHARES_MOST = 64 }; /* nodes; the last one gets the rest */

/* Instructions executed in each node since the last count or time. */
struct flow_shares {
	struct {
		uint32_t node;
		uint64_t count;
	} at[FLOW_SHARES_MOST];
	size_t count;
	bool given; /* `at` holds only the last node of the past; the next addition replaces it */
};

void flow_shares_add(struct flow_shares *, uint32_t node, uint64_t count);

/* Divide AMOUNT in proportion to the instructions of each node, without losing a rest to
 * rounding.  Return the number of PARTS, which has room for FLOW_SHARES_MOST. */
size_t flow_shares_divide(const struct flow_shares *, uint64_t amount, uint64_t *parts);

/* Start the next period, after flow_shares_divide. */
void flow_shares_given(struct flow_shares *);

/* --- the clock of a processor ------------------------------------------ */

/* Begin of a call: the time elapsed up to a message, and the instructions executed after it. */
struct flow_began {
	uint64_t elapsed, behind;
};

/* A call that ended after the last message with a known time. */
struct flow_ended {
	uint32_t function;
	struct flow_began began;
	uint64_t behind;
};

struct flow_clock {
	bool known;	/* `since` is known */
	bool estimated; /* `since` is a guess */
	bool moved;	/* `number` and `time` of a message are set */
	uint64_t number;
	struct flow_time time;
	int64_t since;		   /* time up to which all is divided */
	uint64_t elapsed;	   /* all time divided so far */
	uint64_t behind;	   /* instructions executed since then */
	struct flow_shares shares; /* nodes they ran in */
	VEC(struct flow_ended) ended;
};

typedef void flow_note_time(void *context, uint32_t function, uint64_t nanoseconds);

void flow_clock_free(struct flow_clock *);

/* True if the clock is at the message of PLACE.  flow_clock_move moves it there. */
bool flow_clock_is_at(const struct flow_clock *, const struct flow_place *);
void flow_clock_move(struct flow_clock *, const struct flow_place *);

/* Add COUNT instructions of the message, executed in NODE. */
void flow_clock_add(struct flow_clock *, uint32_t node, uint64_t count);

struct flow_began flow_clock_now(const struct flow_clock *);
uint64_t flow_clock_elapsed(const struct flow_clock *, const struct flow_began *since);

/* End a call that began at BEGAN.  NOTE gets its duration, now or when a later time is known. */
void flow_clock_end_call(struct flow_clock *, uint32_t function, const struct flow_began *began,
			 flow_note_time *, void *context);

/* Find the time passed since the last message with a time, once all instructions of this message
 * are added.  *PASSED is 0 if there was none, or if its time was later.  Return false if this
 * message has no time. */
bool flow_clock_passed(struct flow_clock *, uint64_t *passed, bool *estimated);

/* Complete the begin of a call, after flow_clock_passed.  Return false if it was complete. */
bool flow_clock_resolve(const struct flow_clock *, struct flow_began *, uint64_t passed);

/* Go on from the message, after flow_clock_passed and flow_clock_resolve. */
void flow_clock_go_on(struct flow_clock *, uint64_t passed, flow_note_time *, void *context);

/* Stop: the code executed up to the next message is not known. */
void flow_clock_stop(struct flow_clock *, flow_note_time *, void *context);

#endif
