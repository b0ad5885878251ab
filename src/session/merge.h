/*
 * Merge several strands by the common time; this implements a sequence of several
 * strands. sequence.h defines the order. Only sequence.c uses this.
 *
 * Lane I is trace I of the session. Finding a number or a time reads the summaries
 * of the indexes and decodes a few cells of each trace.
 *
 * Threads: a merge belongs to one thread, except merge_wake().
 */
#ifndef TRAWL_SESSION_MERGE_H
#define TRAWL_SESSION_MERGE_H

#include "session/sequence.h"

struct merge;

/* Make a merge of all traces of the session, which must outlive it. */
struct merge *merge_new(struct session *);
/* Make a merge of a single such trace, as lane 0. It uses the notes of WHOLE, which must outlive
 * it. */
struct merge *merge_new_lane(struct merge *whole, size_t trace);
void merge_free(struct merge *);

/* Note the keys of all indexed cells, for a merge of all traces. merge_load() does this in the
 * calling thread, merge_start() in a thread that notifies the session. merge_wake(): more cells
 * may be indexed. */
void merge_load(struct merge *);
void merge_start(struct merge *);
void merge_wake(struct merge *);

/* Return an epoch that goes up when the order of messages may have changed. */
unsigned merge_generation(const struct merge *);

/* Take over new clocks and a new order of the session. Merges of single traces follow the merge
 * of all traces. Return true if anything changed. Except merge_load(), no other call changes
 * parts and strands. */
bool merge_renew(struct merge *);
/* True if merge_renew() would change nothing. */
bool merge_is_current(const struct merge *);

/* Show or hide a trace. */
void merge_show(struct merge *, size_t trace, bool on);

/* Return the number of strands, the trace of a strand, or the strand of a message. */
size_t merge_strand_count(struct merge *);
size_t merge_strand_lane(const struct merge *, size_t strand);
size_t merge_strand(struct merge *, struct sequence_position);
bool merge_strand_is_part(const struct merge *, size_t strand, size_t *number);

/* Return the part of the list that contains a trace, from 0. */
size_t merge_part(const struct merge *, size_t trace);

/* Return the reader of a trace, borrowed. */
struct reader *merge_reader(struct merge *, size_t trace);

/* Step to the next or previous position. At the ends, return false and leave it unchanged. */
bool merge_next(struct merge *, struct sequence_position *);
bool merge_previous(struct merge *, struct sequence_position *);

bool merge_first(struct merge *, struct sequence_position *);
bool merge_last(struct merge *, struct sequence_position *);

/* Return the number of a message in the list; *exact is false for an estimate. */
uint64_t merge_number(struct merge *, struct sequence_position, bool *exact);

/* Find the message with a number, or one near it while notes are incomplete (*exact false).
 * Return false if there are fewer messages. */
bool merge_find_number(struct merge *, uint64_t number, struct sequence_position *, bool *exact);
uint64_t merge_count(struct merge *, bool *exact);

/* Find the first message, in the part of TRACE, with a key not before ORDER (of struct
 * message_time). Return false if there is none. */
bool merge_find_time(struct merge *, size_t trace, int64_t order, struct sequence_position *);

/* Find the first message of a strand that is not before the one at P. If there is none, return
 * false and set *AT after the last cell. */
bool merge_head(struct merge *, struct sequence_position p, size_t strand, struct position *at);

/* Find the next message of a strand, or the previous one (DIRECTION -1). FROM need not be a
 * message. */
bool merge_step(struct merge *, size_t strand, struct position from, int direction,
		struct position *at);

/* Return the key that orders messages from different strands. */
struct sequence_key merge_key(struct merge *, struct sequence_position);

/* True if the order of all messages is known. */
bool merge_is_exact(struct merge *);

/* Find the first message of a trace with a key not before ORDER. Return false if there is none. */
bool merge_cut(struct merge *, size_t trace, int64_t order, struct position *);

/* True if the notes suffice for a final result of merge_cut(), or of merge_find_time(). */
bool merge_cut_is_known(struct merge *, size_t trace, int64_t order);
bool merge_time_is_known(struct merge *, size_t trace, int64_t order);

/* True if the order of two neighbours is uncertain: they are in different strands, and their
 * times differ by less than their errors. */
bool merge_is_uncertain(const struct merge *, size_t trace, const struct message *, size_t other,
			const struct message *of_other);

#endif
