/*
 * Clocks by what they are, and what relates two of them: the links that were found.
 *
 * Threads: one at a time.
 */
#ifndef TRAWL_SESSION_CLOCK_CLOCK_LINK_H
#define TRAWL_SESSION_CLOCK_CLOCK_LINK_H

#include "decode/clock_source.h"
#include "session/clock/relation.h"

struct session;
struct trace;

struct clock_id {
	enum clock_kind kind;
	size_t trace;
	uint64_t key;
};

/* What relates two clocks. */
struct clock_link {
	const char *kind; /* a static word */
	struct clock_id a, b;
	double hz_a, hz_b;	/* 0: unknown */
	double configured_hz_b; /* by the profile, instead of hz_b; 0: none */
	bool uneven;
	size_t owner;		   /* trace in which the points were found */
	struct relation points;	   /* only `points`, `seen` and `stride` of it */
	struct clock_owner sender; /* of a client */
};

/* Zero-initialise. */
struct clock_links {
	struct clock_link **at; /* owned */
	size_t count, capacity; /* as VEC */
	bool overflowed;	/* there were more */
};

/* The clock that most messages of a trace have. */
struct clock_id clock_id_of(const struct session *, size_t trace);
bool clock_id_same(const struct clock_id *, const struct clock_id *);

/* What the trace's format says of clocks, or NULL. */
const struct clock_source *clock_source_of(const struct trace *);

/* Whether its senders have times of their own beside the transport's. */
bool clock_is_transported(const struct trace *);

/* The link of KIND, a static word, between two clocks, made if it is new; NULL: there
 * are too many. */
struct clock_link *clock_link_between(struct clock_links *, const char *kind, struct clock_id a,
				      struct clock_id b);

/* Removes the links whose points are in a trace, or whose first clock is the trace's. */
void clock_links_remove(struct clock_links *, size_t trace);
void clock_links_free(struct clock_links *);

#endif
