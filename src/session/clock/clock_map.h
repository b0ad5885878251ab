/*
 * Maps of clocks: the graph of relation.h, made of what was found in the captures and
 * of what the profile and the user say, and for each trace which clock its messages have.
 *
 * Threads: a map does not change once it is settled; then it may be read from any.
 */
#ifndef TRAWL_SESSION_CLOCK_CLOCK_MAP_H
#define TRAWL_SESSION_CLOCK_CLOCK_MAP_H

#include "base/map.h"
#include "session/clock/clock_points.h"

struct sync_end;
struct sync_options;

/* A sender with a clock of its own. */
struct clock_client {
	size_t clock;
	struct clock_owner sender;
};

/* How well a client's clock is that of a message's sender, best first: known for its port,
 * for the sender itself, for its group of ports. */
enum client_fit { CLIENT_PORT, CLIENT_ORIGIN, CLIENT_GROUP, CLIENT_FITS };

/* What the clocks of a trace's messages are, in a map. */
struct trace_clocks {
	size_t main;
	size_t own; /* of the senders' time stamps by their stated rate, or SIZE_MAX */
	bool by_offset;
	VEC(struct clock_keyed {
		uint64_t key;
		size_t clock;
	}) others; /* by origin or core */
	VEC(struct clock_client) clients;
	struct map first[CLIENT_FITS]; /* of the clients that fit alike: its place, from 1 */
	VEC(uint64_t) restarts;	       /* of the main clock: offsets, rising */
	VEC(size_t) strands; /* clocks of senders: that of strand I + 1, see clocks_strand() */
	int64_t shift;	     /* nanoseconds, of the profile's offset */
};

/* The clocks of a session, and how to get from one to another. */
struct clock_map {
	const struct session *session;
	struct graph graph;
	VEC(struct clock_id) ids;	 /* of the graph's clocks */
	VEC(struct trace_clocks) traces; /* as in the session */
	size_t strands, left_out;	 /* of all traces; clocks beyond CLOCKS_STRANDS_MAX */
};

/* A map of what POINTS and the profile say; to be settled before anything is asked of it.
 * The session is borrowed until clock_map_free. */
struct clock_map *clock_map_new(const struct session *, const struct clock_points *points);
void clock_map_free(struct clock_map *); /* NULL is fine */

/* Adds the ties of these; then finds what follows from all there is. */
void clock_map_add_ties(struct clock_map *, const struct sync_options *ties, size_t count);
void clock_map_settle(struct clock_map *);

/* The clock of a message's SENDER; SIZE_MAX if there is none. */
size_t clock_map_client(const struct trace_clocks *, const struct clock_owner *sender);

/* The strand of a trace whose messages' times are by CLOCK. */
size_t clock_map_strand(const struct trace_clocks *, size_t clock);

/* The clock of a message of TRACE, which has that NUMBER. */
size_t clock_map_find(const struct clock_map *, size_t number, const struct message *,
		      const struct trace *);

/* What that clock shows at the message. */
uint64_t clock_map_ticks(const struct trace_clocks *, const struct message *);

/* The clock that an end of a tie means; SIZE_MAX: its trace is not open. */
size_t clock_map_end(const struct clock_map *, const struct sync_end *);

/* See clocks_reference(). */
bool clock_map_reference(const struct clock_map *, size_t number, struct text *name,
			 double *residual);

/* Appends the parts and relations, a line each. */
void clock_map_describe(const struct clock_map *, struct text *);

#endif
