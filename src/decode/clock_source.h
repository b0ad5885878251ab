/*
 * What messages of a format say of clocks: decoder_ops.clocks.
 *
 * A source names two clocks and reads, from single messages, moments that both
 * show.  What is made of them, for one capture or several, is no decoder's matter.
 */
#ifndef TRAWL_DECODE_CLOCK_SOURCE_H
#define TRAWL_DECODE_CLOCK_SOURCE_H

#include "decode/decoder.h"

enum clock_kind {
	CLOCK_WALL,	  /* nanoseconds since 1970 */
	CLOCK_TRACE,	  /* of a transport */
	CLOCK_GROUP,	  /* of a snapshot: all its buffers; trace is its first one */
	CLOCK_OFFSETS,	  /* of a trace without times: where a message lies */
	CLOCK_CORE,	  /* UIA: of the core `key` */
	CLOCK_GLOBAL,	  /* UIA: the time of all cores, by its rate */
	CLOCK_TIMESTAMPS, /* SyS-T: of the messages' own timestamps, as the profile says */
	CLOCK_CLIENT,	  /* SyS-T: of the sender `key` */
	CLOCK_HART,	  /* E-Trace: of the source `key` */
	CLOCK_ORIGIN,	  /* whose rate the profile gives; `key` is the origin */
	CLOCK_STEADY	  /* nanoseconds of a trace whose rate changes */
};

enum clock_reading_kind {
	CLOCK_READING_NOTHING,
	CLOCK_READING_POINT,  /* clock A shows `a` when clock B shows `b` */
	CLOCK_READING_RATE_A, /* that of A from this message on is `hz_a` */
	CLOCK_READING_RATE_B  /* that of B is `hz_b`, for the points of the same cell */
};

/* What one message says; zeroed before it is read. */
struct clock_reading {
	enum clock_reading_kind kind;
	uint64_t a, b;
	uint64_t key_a, key_b; /* which of the trace's clocks of that kind */
	double hz_a, hz_b;     /* 0: not in it */
};

/* A sender as the transport has it: by its port, of which the upper half is a group
 * of ports (STP: master and channel), and the key of its messages without that. */
struct clock_owner {
	uint32_t port;
	uint64_t origin;
};

struct clock_source {
	uint64_t kinds;	      /* of messages that say something, a bit each */
	uint16_t flags;	      /* one of these is set where there is a point; 0: any */
	const char *link;     /* what relates the two clocks, for people */
	enum clock_kind a, b; /* equal: it reads the rate of that clock alone */

	/* What M, of one of `kinds`, says.  E is its expansion with fields where
	 * `expand` is set, else NULL. */
	void (*read)(const struct decoder *, const struct message *m, const struct window *,
		     const struct expansion *e, struct clock_reading *);
	bool expand;
	bool rate_apart; /* not points have the rate of B, but other messages */
	unsigned bits_b; /* points have so many low bits of B, the rest is known from
			    `matched`; 0: all */

	/* Messages are matched with the events of a log, whose clocks A is tied to by
	 * a link of this name; NULL: they are not. */
	const char *matched;

	/* Which of the trace's clocks M is stamped by, UINT64_MAX: its main one; NULL: its
	 * origin's. */
	uint64_t (*key)(const struct message *m);
	/* The sender of M, whose own timestamps stand beside the transport's; NULL:
	 * there are no two. */
	struct clock_owner (*owner)(const struct message *m);
	bool by_sender; /* ticks are those of each message's sender */
};

/* Whether M may say something. */
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

/* Whether what a message says is all in itself: no log or other message is needed. */
static inline bool
clock_source_is_plain(const struct clock_source *source)
{
	return source && !source->matched && !source->rate_apart;
}

#endif
