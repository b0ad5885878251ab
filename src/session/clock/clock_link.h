/*
 * Clocks by their meaning, and the links found between two clocks.
 *
 * Threads: one at a time.
 */
#ifndef TRAWL_SESSION_CLOCK_CLOCK_LINK_H
#define TRAWL_SESSION_CLOCK_CLOCK_LINK_H

#include "base/map.h"
#include "decode/clock_source.h"
#include "session/clock/relation.h"

struct session;
struct trace;

struct clock_id {
	enum clock_kind kind;
	size_t trace;
	uint64_t key;
};

/* A relation between two clocks, as found. */
struct clock_link {
	const char *kind; /* a static word */
	struct clock_id a, b;
	double hz_a, hz_b;	/* 0: unknown */
	double configured_hz_b; /* from the profile, replaces hz_b; 0: none */
	bool uneven;
	size_t owner;		   /* trace that contains the points */
	struct relation points;	   /* uses only `points`, `seen` and `stride` */
	struct clock_owner sender; /* of a client */
	uint64_t before;	   /* the previous link with the same key, from 1; 0: none */
};

/* Zero-initialise. */
struct clock_links {
	struct clock_link **at; /* owned */
	size_t count, capacity; /* as VEC */
	bool overflowed;	/* some links did not fit */
	struct map latest;	/* by the key of the second clock: the latest link, from 1 */
};

/* Return the clock of most messages of a trace. */
struct clock_id clock_id_of(const struct session *, size_t trace);
bool clock_id_same(const struct clock_id *, const struct clock_id *);

/* Return the clock table of the trace's format, or NULL. */
const struct clock_source *clock_source_of(const struct trace *);

/* True if its senders have times of their own in addition to the transport's. */
bool clock_is_transported(const struct trace *);

/* Return the link of KIND, a static word, between two clocks, made if new. NULL: too many links. */
struct clock_link *clock_link_between(struct clock_links *, const char *kind, struct clock_id a,
				      struct clock_id b);

/* Remove the links with points in a trace, or with their first clock in the trace. */
void clock_links_remove(struct clock_links *, size_t trace);
void clock_links_free(struct clock_links *);

#endif
