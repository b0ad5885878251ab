/*
 * The messages of one or several lanes in one order.
 *
 * A lane is a trace, read by a reader.  What has an order of its own is a strand: a lane
 * in the transport's order; where the session is in order of time (clocks.h), strand 0 of
 * a lane and one for each sender's clock, each in the transport's order.  The sequence of
 * one strand is just that order and costs nothing beside the reader.  That of several is
 * by the common time of the session and nothing is sorted for it: a message's key is the
 * latest time in its strand up to it, so that a strand's own order is never broken;
 * messages without a time have the key of the one before.  The time is the transport's in
 * strand 0, of which all messages of the lane count; in other strands the messages' own.
 * Equal keys go by the order of the strands, which is that of the lanes and within one
 * that of their clocks.  Lanes that no clock relates stay apart: all of one before all of
 * the other.  Lanes can be left out.
 *
 * What is said of a sequence is one of
 *  - a position: a lane and a position of its reader.  Cheap to step from; it holds
 *    until its cell is indexed, a message ID
 *    for ever;
 *  - a number, from 0, of the lanes that are shown;
 *  - a wish: what is asked for by number, share or time.
 * While the indexes and clocks are not complete, numbers and what is found by them
 * are estimates: *exact tells.  Nothing here waits for them.
 *
 * Cost: a step, a number and a search decode a few cells of each strand at most.
 * Memory: 8 bytes per cell of the index; of several strands see lane_notes.h.
 *
 * Errors: none; a position that is no message any more gives NULL.
 * Threads: a sequence belongs to one thread, and so do its lanes' readers, but for
 * sequence_wake.
 */
#ifndef TRAWL_SESSION_SEQUENCE_H
#define TRAWL_SESSION_SEQUENCE_H

#include "trace/reader.h"

struct session;
struct sequence;

struct sequence_position {
	size_t lane; /* from 0 */
	struct position at;
};

static inline bool
sequence_position_is_same(struct sequence_position a, struct sequence_position b)
{
	return a.lane == b.lane && a.at.cell == b.at.cell && a.at.at == b.at.at;
}

/* Of all traces of a session, which must outlive it; lane I is trace I. */
struct sequence *sequence_new(struct session *);

/* The same for a thread that goes over it in the background, so that its readers keep few
 * cells; traces are not shown that are HIDDEN, by number (NULL: none is). */
struct sequence *sequence_new_walk(struct session *, const bool *hidden);

/* Of one trace of them alone, with a reader of its own: lane 0.  ALL, which must be
 * of all traces and outlive it, is asked where the common time matters; it belongs to
 * the same thread. */
struct sequence *sequence_new_lane(struct sequence *all, size_t trace);

/* NULL is allowed. */
void sequence_free(struct sequence *);

/* Those of all traces only.  Notes the times of all indexed cells, in
 * this thread; or in one of its own, which tells the session.  sequence_wake, from
 * any thread: there may be more of them. */
void sequence_load(struct sequence *);
void sequence_start(struct sequence *);
void sequence_wake(struct sequence *);

/* Takes over new clocks, and another order of the session, in a sequence of all traces and in
 * those made of it.  Other calls, but for sequence_load, never change strands or parts, so
 * their numbers stay valid from one renewal to the next.  Until a renewal after a change, keys
 * of both orders may mix; nothing is exact then. */
void sequence_renew(struct sequence *);

/* False if a renewal would take over something: the clocks or the order are different from
 * those at the last one. */
bool sequence_is_current(const struct sequence *);

/* Counts up when messages may stand in another order than before. */
unsigned sequence_generation(const struct sequence *);

/* --- lanes ------------------------------------------------------------- */

size_t sequence_lane_count(const struct sequence *);

/* The reader of a lane, and through it the trace; borrowed. */
struct reader *sequence_reader(const struct sequence *, size_t lane);

/* The lane of a trace, by its number in the session; false if it is in none. */
bool sequence_find_lane(const struct sequence *, size_t trace, size_t *lane);

/* Leaves a lane out, or takes it in again; one that is alone is always shown. */
void sequence_show(struct sequence *, size_t lane, bool on);
bool sequence_shows(const struct sequence *, size_t lane);

/* Whether the times of two lanes can be compared. */
bool sequence_relates(const struct sequence *, size_t lane, size_t other);

/* Strands, from 0 in the order of their lanes; which there are holds until sequence_renew.
 * The lane of one, and the one that a message is in. */
size_t sequence_strand_count(const struct sequence *);
size_t sequence_strand_lane(const struct sequence *, size_t strand);
size_t sequence_strand(struct sequence *, struct sequence_position);

/* Whether a strand is not all of its lane; then messages are in it whose clocks_strand() is
 * NUMBER. */
bool sequence_strand_is_part(const struct sequence *, size_t strand, size_t *number);

/* --- order ------------------------------------------------------------- */

/* The first and last position.  False: there is no message. */
bool sequence_first(struct sequence *, struct sequence_position *);
bool sequence_last(struct sequence *, struct sequence_position *);

/* The next and previous position.  False at the ends; then it is unchanged. */
bool sequence_next(struct sequence *, struct sequence_position *);
bool sequence_previous(struct sequence *, struct sequence_position *);

/* The message at a position, or NULL; borrowed as that of reader_message. */
const struct message *sequence_message(struct sequence *, struct sequence_position);

/* Which of two is first. */
bool sequence_is_before(struct sequence *, struct sequence_position, struct sequence_position);

/* What the place of a message among those of other strands follows from; it holds until
 * sequence_renew. */
struct sequence_key {
	size_t part; /* of lanes whose times can be compared */
	size_t strand;
	int64_t time; /* the latest one up to the message, on the common clock */
};
struct sequence_key sequence_key(struct sequence *, struct sequence_position);

/* Which of two is first, if they are of different strands. */
static inline bool
sequence_key_is_before(const struct sequence_key *a, const struct sequence_key *b)
{
	if (a->part != b->part)
		return a->part < b->part;
	return a->time != b->time ? a->time < b->time : a->strand < b->strand;
}

/* The first message of a strand that is not before the one at P; false if there is
 * none, then *AT is behind the last cell. */
bool sequence_head(struct sequence *, struct sequence_position p, size_t strand,
		   struct position *at);

/* Likewise the first in its trace of those of a lane that are not before P; of the lane of
 * P that itself. */
bool sequence_lane_head(struct sequence *, struct sequence_position p, size_t lane,
			struct position *at);

/* The first and the last message of a strand between two positions, both included, of which LAST
 * is not before FIRST.  False if there is none. */
bool sequence_between(struct sequence *, size_t strand, struct sequence_position first,
		      struct sequence_position last, struct position *from, struct position *to);

/* The next message of one of several strands, or the one before (DIRECTION -1); FROM need
 * not be a message.  False: there is none, or none near while much is not noted. */
bool sequence_step(struct sequence *, size_t strand, struct position from, int direction,
		   struct position *at);

/* The last message before P that HAS says has a time, of the lanes that are shown and
 * related to its own.  HAS is asked about messages from P back; at most CELLS cells of
 * each lane are decoded, those that have no time at all not counted.  False: there is
 * none so near. */
typedef bool sequence_has(void *context, size_t lane, const struct message *);
bool sequence_find_timed_before(struct sequence *, struct sequence_position p, unsigned cells,
				sequence_has *, void *context, struct sequence_position *found);

/* Whether the order of all messages is known. */
bool sequence_is_exact(struct sequence *);

/* Whether it is uncertain which of two neighbours was first: they are of two strands,
 * and their times are nearer than their errors. */
bool sequence_is_uncertain(const struct sequence *, size_t lane, const struct message *,
			   size_t other, const struct message *of_other);

/* --- numbers and wishes ------------------------------------------------ */

/* The number of a message, and how many there are. */
uint64_t sequence_number(struct sequence *, struct sequence_position, bool *exact);
uint64_t sequence_count(struct sequence *, bool *exact);

/* What is asked for.  Times are those of a lane: only what is related to it can be
 * found by them. */
enum sequence_by {
	SEQUENCE_BY_NOTHING, /* there is no wish */
	SEQUENCE_BY_NUMBER,  /* that message */
	SEQUENCE_BY_PERCENT, /* from 0, the first, to 100, the last: of the messages, or of
				the bytes of the lane while the order is not known or it
				is alone */
	SEQUENCE_BY_TIME,    /* of the common clock (`order` of struct message_time): the
				first message that is not before it, else the last */
	SEQUENCE_BY_TICKS    /* of the lane's own clock, in the lane: likewise; where time
				steps back, one of several */
};

struct sequence_wish {
	enum sequence_by by;
	size_t lane;	/* of PERCENT, TIME and TICKS */
	uint64_t value; /* of NUMBER, PERCENT and TICKS */
	int64_t time;	/* of TIME */
};

/* The message that is asked for, or one near it while that is not known.  False:
 * there is none, or none so far. */
bool sequence_find(struct sequence *, const struct sequence_wish *, struct sequence_position *);

/* Whether what sequence_find answers is final.  Decodes nothing, so a wish that is not
 * can be kept and tried again whenever more is known: ui/list/wishes.h does so. */
bool sequence_is_known(struct sequence *, const struct sequence_wish *);

/* The first message of one lane that is not before TIME (of the common clock), else its
 * last; false: it has none. */
bool sequence_find_in_lane(struct sequence *, size_t lane, int64_t time, struct position *);

#endif
