/*
 * Which messages are pairs: begins and ends are fed in the order of the session.
 *
 * An end belongs to the last begin of an equal key that has no end yet: what is nested
 * ends from the inside (last begun, first ended).  Intervals of different keys may overlap
 * as they like.  Begins without an end are open, ends without a begin are counted.  A pair
 * is doubtful if messages of the trace of either of its ends were lost since the begin.
 *
 * Memory: 32 bytes a message that begins or ends, 64 a pair; 24 for each open begin and 32
 * for each key that has had one, besides what arrays grow ahead.
 *
 * Threads: one at a time.
 */
#ifndef TRAWL_QUERY_INTERVAL_PAIRING_H
#define TRAWL_QUERY_INTERVAL_PAIRING_H

#include "base/vec.h"
#include "trace/reader.h"

enum {
	INTERVALS_MAX = 64,	   /* in a session */
	PAIRING_TRACES_MAX = 65535 /* messages of further ones are left out */
};

enum interval_flag {
	INTERVAL_END = 1 << 0,
	INTERVAL_PAIRED = 1 << 1,
	INTERVAL_TIMED = 1 << 2, /* its message has a time; paired: the pair has a length, */
	INTERVAL_TICKS = 1 << 3, /* in ticks: the rate is not known */
	INTERVAL_DOUBTFUL = 1 << 4,
	INTERVAL_APART = 1 << 5 /* its time is in another part than those of its trace */
};

/* A message that begins or ends an interval. */
struct interval_event {
	uint64_t offset; /* of its ID */
	int64_t time;	 /* as `order` of struct message_time */
	uint32_t ordinal;
	uint32_t hash;	      /* of its item */
	uint32_t other;	      /* if paired: number of the other end, among those of its trace, */
	uint16_t other_trace; /* which is this one */
	uint8_t interval;
	uint8_t flags; /* enum interval_flag */
};
typedef VEC(struct interval_event) interval_events;

struct interval_item {
	uint8_t interval;
	bool end;
	size_t trace;
	struct message_id id;
	uint32_t hash;	   /* tells messages of one offset apart; the giver's */
	uint64_t key[2];   /* hash of all that must be alike */
	bool timed, ticks; /* `time` is set; its unit */
	size_t part;	   /* of the session's clocks, */
	bool apart;	   /* which is not that of its trace */
	int64_t time;
};

struct interval_counts {
	uint64_t pairs;
	uint64_t open, unbegun;
	uint64_t doubtful; /* of the pairs, */
	uint64_t untimed;  /* and those without a length */
};

struct pairing;

struct pairing *pairing_new(size_t traces);
void pairing_free(struct pairing *); /* NULL is fine */

/* Messages of a trace are missing here, before the next item. */
void pairing_lose(struct pairing *, size_t trace);

/* Takes an item; an end that has no begin leaves no event. */
void pairing_feed(struct pairing *, const struct interval_item *);

/* Those of a trace, in the order they were fed; borrowed until the next item. */
const interval_events *pairing_events(const struct pairing *, size_t trace);
const struct interval_counts *pairing_counts(const struct pairing *, size_t interval);
size_t pairing_memory(const struct pairing *); /* bytes */

/* From begin to end of a pair that has a length. */
int64_t pairing_length(const struct pairing *, const struct interval_event *);

#endif
