/*
 * The messages of a trace, or of several traces in one order.
 *
 * A strand is a trace, or the messages of a group of its senders, in the transport's
 * order. In the transport's order each trace is one strand. In order of time
 * (clocks.h) a trace has strand 0 and one strand for each sender's clock.
 *
 * One strand needs only its reader and costs nothing more. Several strands are
 * merged by the session's common time, without sorting. The key of a message is the
 * latest time in its strand up to it. So the merge never breaks a strand's own
 * order. A message without a time has its predecessor's key. Strand 0 uses the
 * transport's times of all messages of the trace; other strands use the messages'
 * own times. Equal keys are sorted by strand: by trace, then by clock. Traces
 * without related clocks stay apart, all messages of the first before the second.
 * Traces can be hidden.
 *
 * A position is a trace and a position of its reader. Stepping from it is cheap. It
 * is valid until its cell is indexed; a message ID is valid for ever. A number
 * counts the messages of the shown traces from 0. A wish is a number, share or time
 * to find.
 *
 * Until the indexes and clocks are complete, numbers and the messages found by them
 * are estimates, with *exact false. No function waits for them.
 *
 * Cost: a step, a number and a search decode at most a few cells of each strand.
 * Memory: see strand_notes.h.
 *
 * Errors: none; a position without a message yields NULL.
 *
 * Threads: a sequence and its readers belong to one thread, except sequence_wake().
 */
#ifndef TRAWL_SESSION_SEQUENCE_H
#define TRAWL_SESSION_SEQUENCE_H

#include "trace/reader.h"

struct session;
struct sequence;

struct sequence_position {
	size_t trace; /* its number in the sequence, from 0 */
	struct position at;
};

static inline bool
sequence_position_is_same(struct sequence_position a, struct sequence_position b)
{
	return a.trace == b.trace && a.at.cell == b.at.cell && a.at.at == b.at.at;
}

/* Make a sequence of all traces of a session, which must outlive it. */
struct sequence *sequence_new(struct session *);

/* Make a sequence for a background walk; its readers keep few cells. HIDDEN marks the traces to
 * leave out, by number (NULL: none). */
struct sequence *sequence_new_walk(struct session *, const bool *hidden);

/* Make a sequence of a single trace in ALL, with its own reader. ALL is a sequence of
 * all traces; it provides the common time, so it must outlive this one and belong to the same
 * thread. */
struct sequence *sequence_new_single(struct sequence *all, size_t trace);

/* NULL is allowed. */
void sequence_free(struct sequence *);

/* Note the times of all indexed cells, for a sequence of all traces. sequence_load() does this
 * in the calling thread, sequence_start() in a thread that notifies the session.
 * sequence_wake(), from any thread: more cells may be indexed. */
void sequence_load(struct sequence *);
void sequence_start(struct sequence *);
void sequence_wake(struct sequence *);

/* Take over new clocks and a new order of the session, for the sequence of all traces and those
 * made from it. Except sequence_load(), no other call changes strands or parts, so their
 * numbers stay valid until the next renewal. After a change and before the renewal, keys
 * of both orders may mix, and nothing is exact. */
void sequence_renew(struct sequence *);

/* True if clocks and order are those of the last renewal. */
bool sequence_is_current(const struct sequence *);

/* Return an epoch that changes when the order of messages may have changed. */
uint64_t sequence_generation(struct sequence *);

/* --- traces ------------------------------------------------------------ */

size_t sequence_trace_count(const struct sequence *);

/* Return the reader of a trace, borrowed. */
struct reader *sequence_reader(const struct sequence *, size_t trace);

/* Find a trace by its number in the session. Return false if it is not in the sequence. */
bool sequence_find_trace(const struct sequence *, size_t number, size_t *trace);

/* Show or hide a trace; a single trace always stays shown. */
void sequence_show(struct sequence *, size_t trace, bool on);
bool sequence_shows(const struct sequence *, size_t trace);

/* True if the times of two traces are comparable. */
bool sequence_relates(const struct sequence *, size_t trace, size_t other);

/* Return the number of strands, the trace of a strand, or the strand of a message. Strands are
 * numbered from 0 in the order of their traces, until sequence_renew(). */
size_t sequence_strand_count(struct sequence *);
size_t sequence_strand_trace(const struct sequence *, size_t strand);
size_t sequence_strand(struct sequence *, struct sequence_position);

/* True if a strand is a group of senders. Its messages are then those with clocks_strand()
 * NUMBER. */
bool sequence_strand_group(const struct sequence *, size_t strand, size_t *number);

/* --- order ------------------------------------------------------------- */

/* Find the first or last position. Return false if there is no message. */
bool sequence_first(struct sequence *, struct sequence_position *);
bool sequence_last(struct sequence *, struct sequence_position *);

/* Step to the next or previous position. At the ends, return false and leave it unchanged. */
bool sequence_next(struct sequence *, struct sequence_position *);
bool sequence_previous(struct sequence *, struct sequence_position *);

/* Return the message at a position, or NULL; borrowed as from reader_message(). */
const struct message *sequence_message(struct sequence *, struct sequence_position);

/* True if the first position comes before the second. */
bool sequence_is_before(struct sequence *, struct sequence_position, struct sequence_position);

/* A key that orders messages from different strands. It is valid until sequence_renew(). */
struct sequence_key {
	size_t part; /* group of traces with comparable times */
	size_t strand;
	int64_t time; /* latest common time in the strand, up to the message */
};
struct sequence_key sequence_key(struct sequence *, struct sequence_position);

/* True if A comes before B, for messages of different strands. */
static inline bool
sequence_key_is_before(const struct sequence_key *a, const struct sequence_key *b)
{
	if (a->part != b->part)
		return a->part < b->part;
	return a->time != b->time ? a->time < b->time : a->strand < b->strand;
}

/* Find the first message of a strand that is not before the one at P. If there is none, return
 * false and set *AT after the last cell. */
bool sequence_head(struct sequence *, struct sequence_position p, size_t strand,
		   struct position *at);

/* Find the first message of a trace, in its own order, that is not before P. In the trace of P,
 * that is P. */
bool sequence_trace_head(struct sequence *, struct sequence_position p, size_t trace,
			 struct position *at);

/* Find the first and last message of a strand between two positions, both included. LAST must
 * not be before FIRST. Return false if there is none. */
bool sequence_between(struct sequence *, size_t strand, struct sequence_position first,
		      struct sequence_position last, struct position *from, struct position *to);

/* Find the next message of a strand, or the previous one (DIRECTION -1). FROM need not be a
 * message. Return false if there is none, or none nearby while many cells are not noted. */
bool sequence_step(struct sequence *, size_t strand, struct position from, int direction,
		   struct position *at);

/* Find the last message before P for which HAS is true, in shown traces related to that of P.
 * HAS is called on messages from P backwards. At most CELLS cells of each strand are decoded;
 * cells without any time do not count. Return false if there is none so near. */
typedef bool sequence_has(void *context, size_t trace, const struct message *);
bool sequence_find_timed_before(struct sequence *, struct sequence_position p, unsigned cells,
				sequence_has *, void *context, struct sequence_position *found);

/* True if the order of all messages is known. */
bool sequence_is_exact(struct sequence *);

/* True if the order of two neighbours is uncertain: they are in different strands, and their
 * times differ by less than their errors. */
bool sequence_is_uncertain(const struct sequence *, size_t trace, const struct message *,
			   size_t other, const struct message *of_other);

/* --- numbers and wishes ------------------------------------------------ */

/* Return the number of a message, or the count of all messages. */
uint64_t sequence_number(struct sequence *, struct sequence_position, bool *exact);
uint64_t sequence_count(struct sequence *, bool *exact);

/* Ways to choose a message. A time in a trace finds only messages of related traces. */
enum sequence_by {
	SEQUENCE_BY_NOTHING, /* no wish */
	SEQUENCE_BY_NUMBER,  /* message with that number */
	SEQUENCE_BY_PERCENT, /* 0 is the first message, 100 the last; counts bytes of the
				trace while the order is not known or there is one strand */
	SEQUENCE_BY_TIME,    /* first message not before a common time (`order` of struct
				message_time), else the last */
	SEQUENCE_BY_TICKS    /* the same within a trace, by its own clock; one of several where
				time steps back */
};

struct sequence_wish {
	enum sequence_by by;
	size_t trace;	/* for PERCENT, TIME and TICKS */
	uint64_t value; /* for NUMBER, PERCENT and TICKS */
	int64_t time;	/* for TIME */
};

/* Find the message of a wish, or one near it while the exact one is not known. Return false if
 * there is none, or none yet. */
bool sequence_find(struct sequence *, const struct sequence_wish *, struct sequence_position *);

/* True if the result of sequence_find() is final. This decodes nothing, so a caller can keep a
 * wish and try it again later, as ui/list/waiting.h does. */
bool sequence_is_known(struct sequence *, const struct sequence_wish *);

/* Find the first message of a trace that is not before TIME (on the common clock), else its
 * last. Return false if it has none. */
bool sequence_find_in_trace(struct sequence *, size_t trace, int64_t time, struct position *);

#endif
