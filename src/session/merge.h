/*
 * The order of several strands by the common time: how a sequence of them is made (see
 * sequence.h, which says what that order is).  Only sequence.c uses this.
 *
 * Lane I is trace I of the session.  To find a number or a time, the summaries of the
 * indexes are asked, and a few cells of each trace are decoded.
 *
 * Threads: a merge belongs to one thread, but for merge_wake.
 */
#ifndef TRAWL_SESSION_MERGE_H
#define TRAWL_SESSION_MERGE_H

#include "session/sequence.h"

struct merge;

/* Of all traces of the session, which must outlive it. */
struct merge *merge_new(struct session *);
/* Of one trace of them, as lane 0, by the notes of WHOLE, which must outlive it. */
struct merge *merge_new_lane(struct merge *whole, size_t trace);
void merge_free(struct merge *);

/* Those of all traces only.  Notes the keys of all indexed cells, in this thread; or in one
 * of its own, which tells the session.  merge_wake: there may be more of them. */
void merge_load(struct merge *);
void merge_start(struct merge *);
void merge_wake(struct merge *);

/* Counts up when messages may stand in another order than before. */
unsigned merge_generation(const struct merge *);

/* Takes over new clocks and another order of the session, of the merge of all traces and of
 * those of one trace that go by it.  True if there are any.  Parts and strands change in no
 * other call but merge_load. */
bool merge_renew(struct merge *);
/* True if there is nothing to take over. */
bool merge_is_current(const struct merge *);

/* Leaves a trace out of the list, or takes it in again. */
void merge_show(struct merge *, size_t trace, bool on);

/* How many strands there are, the trace of one, and the one that a message is in. */
size_t merge_strand_count(struct merge *);
size_t merge_strand_lane(const struct merge *, size_t strand);
size_t merge_strand(struct merge *, struct sequence_position);
bool merge_strand_is_part(const struct merge *, size_t strand, size_t *number);

/* The part of the list that a trace is in, counted from 0. */
size_t merge_part(const struct merge *, size_t trace);

/* The reader of a trace, borrowed. */
struct reader *merge_reader(struct merge *, size_t trace);

/* The next and previous position.  False at the ends; then it is unchanged. */
bool merge_next(struct merge *, struct sequence_position *);
bool merge_previous(struct merge *, struct sequence_position *);

bool merge_first(struct merge *, struct sequence_position *);
bool merge_last(struct merge *, struct sequence_position *);

/* The number of a message in the list; *exact false for an estimate. */
uint64_t merge_number(struct merge *, struct sequence_position, bool *exact);

/* The message with that number, or near it while not all is known (*exact
 * false).  False if there are fewer. */
bool merge_find_number(struct merge *, uint64_t number, struct sequence_position *, bool *exact);
uint64_t merge_count(struct merge *, bool *exact);

/* The first message in the part that TRACE is in whose key is not before ORDER
 * (of struct message_time); false if there is none. */
bool merge_find_time(struct merge *, size_t trace, int64_t order, struct sequence_position *);

/* The first message of a strand that is not before the one at P; false if there is
 * none, then *AT is behind the last cell. */
bool merge_head(struct merge *, struct sequence_position p, size_t strand, struct position *at);

/* The next message of a strand, or the one before (DIRECTION -1); FROM need not be one. */
bool merge_step(struct merge *, size_t strand, struct position from, int direction,
		struct position *at);

/* What the place of a message among those of other strands follows from. */
struct sequence_key merge_key(struct merge *, struct sequence_position);

/* Whether the order of all messages is known. */
bool merge_is_exact(struct merge *);

/* The first message of one trace whose key is not before ORDER; false if there is
 * none. */
bool merge_cut(struct merge *, size_t trace, int64_t order, struct position *);

/* Whether enough is noted that what merge_cut, and what merge_find_time, answers is
 * final. */
bool merge_cut_is_known(struct merge *, size_t trace, int64_t order);
bool merge_time_is_known(struct merge *, size_t trace, int64_t order);

/* Whether it is uncertain which of two neighbours was first: they are of two
 * strands, and their times are nearer than their errors. */
bool merge_is_uncertain(const struct merge *, size_t trace, const struct message *, size_t other,
			const struct message *of_other);

#endif
