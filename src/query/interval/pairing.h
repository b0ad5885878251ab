/*
 * Pairing of begins with ends, fed in the order of the session.
 *
 * An end belongs to the last open begin with an equal key. Nested intervals thus end from
 * the inside: last begun, first ended. Intervals of different keys may overlap in any way.
 * A begin without an end is open. An end without a begin is only counted. A pair is
 * doubtful if the trace of either end lost messages since the begin.
 *
 * Memory: 32 bytes for each begin or end, so 64 a pair. An open begin adds 24 bytes, and
 * each key that had one adds 32. Arrays have spare capacity.
 *
 * Threads: one at a time.
 */
#ifndef TRAWL_QUERY_INTERVAL_PAIRING_H
#define TRAWL_QUERY_INTERVAL_PAIRING_H

#include "base/vec.h"
#include "trace/reader.h"

enum {
	INTERVALS_MAX = 64,	   /* in a session */
	PAIRING_TRACES_MAX = 65535 /* messages of further traces are ignored */
};

enum interval_flag {
	INTERVAL_END = 1 << 0,
	INTERVAL_PAIRED = 1 << 1,
	INTERVAL_TIMED = 1 << 2, /* the message has a time; if paired, the pair has a length */
	INTERVAL_TICKS = 1 << 3, /* in ticks, at an unknown rate */
	INTERVAL_DOUBTFUL = 1 << 4,
	INTERVAL_APART = 1 << 5 /* its time is in another part of the clocks than its trace */
};

/* A message that begins or ends an interval. */
struct interval_event {
	uint64_t offset; /* offset of the message ID */
	int64_t time;	 /* like `order` of struct message_time */
	uint32_t ordinal;
	uint32_t hash;	      /* copied from the item */
	uint32_t other;	      /* if paired: number of the other event in its trace */
	uint16_t other_trace; /* trace of the other event */
	uint8_t interval;
	uint8_t flags; /* bit set of enum interval_flag */
};
typedef VEC(struct interval_event) interval_events;

struct interval_item {
	uint8_t interval;
	bool end;
	size_t trace;
	struct message_id id;
	uint32_t hash;	   /* from the caller; differs for messages at one offset */
	uint64_t key[2];   /* hash of everything that must be equal in a pair */
	bool timed, ticks; /* `time` is set; its unit */
	size_t part;	   /* of the session's clocks */
	bool apart;	   /* `part` is not the part of the trace */
	int64_t time;
};

struct interval_counts {
	uint64_t pairs;
	uint64_t open, unbegun;
	uint64_t doubtful; /* number of doubtful pairs */
	uint64_t untimed;  /* number of pairs without a length */
};

struct pairing;

struct pairing *pairing_new(size_t traces);
void pairing_free(struct pairing *); /* NULL is fine */

/* Record that messages of a trace are missing before the next item. */
void pairing_lose(struct pairing *, size_t trace);

/* Add an item. An end without a begin creates no event. */
void pairing_feed(struct pairing *, const struct interval_item *);

/* Return the events of a trace, in the order fed. Borrowed until the next item. */
const interval_events *pairing_events(const struct pairing *, size_t trace);
const struct interval_counts *pairing_counts(const struct pairing *, size_t interval);
size_t pairing_memory(const struct pairing *); /* bytes */

/* Return the length of a pair that has one. */
int64_t pairing_length(const struct pairing *, const struct interval_event *);

#endif
