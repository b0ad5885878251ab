/*
 * Several traces as one list, in the order of the common time, without sorting
 * anything.
 *
 * A message's key is the latest time in its trace up to it, so that a trace's
 * own order is never broken; messages without a time have that of the one
 * before.  Equal keys go by the order of the traces, then of the places.  Traces
 * that no clock relates to each other stay apart: one part of the list behind
 * the other.
 *
 * Positions are a trace and a position of its reader.  A number in the list is
 * the sum of the numbers in the traces; to find one, or a time, the summaries of
 * the indexes are asked, and a few cells of each trace are decoded.
 *
 * Threads: a merge belongs to one thread, but for merge_wake.
 */
#ifndef TRAWL_SESSION_MERGE_H
#define TRAWL_SESSION_MERGE_H

#include "trace/reader.h"

struct merge;
struct session;

struct merge_position {
	size_t trace; /* in the session */
	struct position at;
};

/* Of all traces of the session, which must outlive it. */
struct merge *merge_new(struct session *);
void merge_free(struct merge *);

/* Notes the keys of all cells that the indexes know, in this thread; or in one
 * of its own, which tells the session.  merge_wake: there may be more of them. */
void merge_load(struct merge *);
void merge_start(struct merge *);
void merge_wake(struct merge *);

/* Counts up when messages may stand in another order than before. */
unsigned merge_generation(const struct merge *);

/* Leaves a trace out of the list, or takes it in again. */
void merge_show(struct merge *, size_t trace, bool on);
bool merge_shows(const struct merge *, size_t trace);

/* The part of the list that a trace is in, counted from 0. */
size_t merge_part(const struct merge *, size_t trace);

/* The reader of a trace, borrowed. */
struct reader *merge_reader(struct merge *, size_t trace);

/* The message at a position, or NULL if there is none. */
const struct message *merge_message(struct merge *, struct merge_position);

/* The next and previous position.  False at the ends; then it is unchanged. */
bool merge_next(struct merge *, struct merge_position *);
bool merge_previous(struct merge *, struct merge_position *);

bool merge_first(struct merge *, struct merge_position *);
bool merge_last(struct merge *, struct merge_position *);

/* The number of a message in the list; *exact false for an estimate. */
uint64_t merge_number(struct merge *, struct merge_position, bool *exact);

/* The message with that number, or near it while not all is known (*exact
 * false).  False if there are fewer. */
bool merge_find_number(struct merge *, uint64_t number, struct merge_position *, bool *exact);
uint64_t merge_count(struct merge *, bool *exact);

/* The first message in the part that TRACE is in whose key is not before ORDER
 * (of struct message_time); false if there is none. */
bool merge_find_time(struct merge *, size_t trace, int64_t order, struct merge_position *);

/* The first message of a trace that is not before the one at P; false if there is
 * none, then *AT is behind its last cell.  And which of two is first. */
bool merge_head(struct merge *, struct merge_position p, size_t trace, struct position *at);
bool merge_is_before(struct merge *, struct merge_position, struct merge_position);

/* Whether the order of all messages is known. */
bool merge_is_exact(struct merge *);

/* The first message of one trace whose key is not before ORDER; false if there is
 * none. */
bool merge_cut(struct merge *, size_t trace, int64_t order, struct position *);

/* Whether it is uncertain which of two neighbours was first: they are of two
 * traces, and their times are nearer than their errors. */
bool merge_is_uncertain(struct merge *, struct merge_position, struct merge_position);

#endif
