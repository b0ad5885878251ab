/*
 * Clock readings in messages of a format: decoder_ops.clocks.
 *
 * A clock source names two clocks.  It reads points from single messages: pairs
 * of times that both clocks show.  Decoders only read points; the session
 * relates the clocks of captures.
 */
#ifndef TRAWL_DECODE_CLOCK_SOURCE_H
#define TRAWL_DECODE_CLOCK_SOURCE_H

#include "decode/decoder.h"

enum clock_kind {
	CLOCK_WALL,	  /* nanoseconds since 1970 */
	CLOCK_TRACE,	  /* transport time of a trace */
	CLOCK_GROUP,	  /* of a snapshot, for all its buffers; trace is the first one */
	CLOCK_OFFSETS,	  /* capture offsets, for a trace without times */
	CLOCK_CORE,	  /* UIA: of the core `key` */
	CLOCK_GLOBAL,	  /* UIA: global time of all cores, with its rate */
	CLOCK_TIMESTAMPS, /* SyS-T: timestamps of the messages, as the profile defines them */
	CLOCK_CLIENT,	  /* SyS-T: of the sender `key` */
	CLOCK_HART,	  /* E-Trace: of the source `key` */
	CLOCK_ORIGIN,	  /* of the origin `key`, with a rate from the profile */
	CLOCK_STEADY	  /* nanoseconds, for a trace with a changing rate */
};

enum clock_reading_kind {
	CLOCK_READING_NOTHING,
	CLOCK_READING_POINT,  /* clock A shows `a` when clock B shows `b` */
	CLOCK_READING_RATE_A, /* the rate of A from this message on is `hz_a` */
	CLOCK_READING_RATE_B  /* the rate of B is `hz_b`, for the points of the same cell */
};

/* Reading from one message.  Zeroed before the read. */
struct clock_reading {
	enum clock_reading_kind kind;
	uint64_t a, b;
	uint64_t key_a, key_b; /* keys of clocks A and B among the trace's clocks */
	double hz_a, hz_b;     /* 0: not in the message */
};

/* Sender in a transport: its port, and the origin key without the port.  The upper half of the
 * port is a group of ports (STP: master and channel). */
struct clock_owner {
	uint32_t port;
	uint64_t origin;
};

struct clock_source {
	uint64_t kinds;	      /* kinds of messages with readings, a bit each */
	uint16_t flags;	      /* each point has a flag from this set; 0: no flag needed */
	const char *link;     /* relation of the two clocks, for people */
	enum clock_kind a, b; /* A and B; equal: the source reads only that clock's rate */

	/* Read M, with a kind from `kinds`.  E is its expansion with fields if `expand` is set,
	 * else NULL. */
	void (*read)(const struct decoder *, const struct message *m, const struct window *,
		     const struct expansion *e, struct clock_reading *);
	bool expand;
	bool rate_apart; /* other messages than points give the rate of B */
	unsigned bits_b; /* low bits of B in points, the rest comes from `matched`; 0: all bits */

	/* Name of the link between A and the clocks of a log.  Each message is matched with an
	 * event of that log.  NULL: no log. */
	const char *matched;

	/* Return the key of the clock that stamps M, UINT64_MAX for the trace's main clock.
	 * NULL: it is the clock of M's origin. */
	uint64_t (*key)(const struct message *m);
	/* Return the sender of M, if messages have sender times next to transport times.  NULL:
	 * they do not. */
	struct clock_owner (*owner)(const struct message *m);
	bool by_sender; /* `ticks` are sender times */
};

/* True if M may contain a reading. */
static inline bool
clock_source_concerns(const struct clock_source *source, const struct message *m)
{
	return source->kinds >> m->kind & 1 && (!source->flags || m->flags & source->flags);
}

static inline struct clock_owner
clock_source_owner(const struct clock_source *source, const struct message *m)
{
	return source->owner ? source->owner(m) : (struct clock_owner){0, m->origin};
}

/* True if each message is enough for its reading, without a log or other messages. */
static inline bool
clock_source_is_plain(const struct clock_source *source)
{
	return source && !source->matched && !source->rate_apart;
}

#endif
