/*
 * Maps of clocks: the graph of relation.h, and the clock of each trace's messages. A map
 * is made from the points in the captures and from the relations in the profile and by the
 * user.
 *
 * Threads: a settled map does not change, so any thread may read it.
 */
#ifndef TRAWL_SESSION_CLOCK_CLOCK_MAP_H
#define TRAWL_SESSION_CLOCK_CLOCK_MAP_H

#include "base/map.h"
#include "session/clock/clock_points.h"

struct sync_end;
struct sync_options;

/* A sender with its clock. */
struct clock_client {
	size_t clock;
	struct clock_owner sender;
};

/* How closely a client's clock matches a message's sender, best first: same port, same origin,
 * same group of ports. */
enum client_fit { CLIENT_PORT, CLIENT_ORIGIN, CLIENT_GROUP, CLIENT_FITS };

/* The clocks of a trace's messages in a map. */
struct trace_clocks {
	size_t main;
	size_t own; /* clock of the senders' timestamps by their stated rate, or SIZE_MAX */
	bool by_offset;
	VEC(struct clock_keyed {
		uint64_t key;
		size_t clock;
	}) others; /* by origin or core */
	VEC(struct clock_client) clients;
	struct map first[CLIENT_FITS]; /* by key: the first client with that key, from 1 */
	VEC(uint64_t) restarts;	       /* offsets where the main clock starts again, rising */
	VEC(size_t) strands;	       /* senders' clocks: at[I] is that of strand I + 1, see
				        * clocks_strand() */
	size_t cores;  /* senders that are strands, too, after those of clocks; see `strand_of` of
		       * the decoder */
	int64_t shift; /* the profile's offset, in nanoseconds */
};

/* The clocks of a session and the paths between them. */
struct clock_map {
	const struct session *session;
	struct graph graph;
	VEC(struct clock_id) ids;	 /* of the graph's clocks */
	VEC(struct trace_clocks) traces; /* as in the session */
	size_t strands, left_out;	 /* of all traces; those beyond CLOCKS_STRANDS_MAX */
};

/* Make a map from POINTS and the profile; settle it before use. The session is borrowed until
 * clock_map_free(). */
struct clock_map *clock_map_new(const struct session *, const struct clock_points *points);
void clock_map_free(struct clock_map *); /* NULL is fine */

/* Add ties, then settle: compute paths, offsets and strands. */
void clock_map_add_ties(struct clock_map *, const struct sync_options *ties, size_t count);
void clock_map_settle(struct clock_map *);

/* Return the clock of a message's SENDER; SIZE_MAX: none. */
size_t clock_map_client(const struct trace_clocks *, const struct clock_owner *sender);

/* Return the strand of a trace for messages timed by CLOCK. clock_map_core(): for those of M's
 * sender. 0: it has none of its own. */
size_t clock_map_strand(const struct trace_clocks *, size_t clock);
size_t clock_map_core(const struct trace_clocks *, const struct trace *, const struct message *m);

/* Return the clock of a message of TRACE, which has number NUMBER in the session. */
size_t clock_map_find(const struct clock_map *, size_t number, const struct message *,
		      const struct trace *);

/* Return the message's ticks on its clock: its timestamp, or its offset if `by_offset` is set. */
uint64_t clock_map_ticks(const struct trace_clocks *, const struct message *);

/* Return the clock at an end of a tie; SIZE_MAX: its trace is not open. */
size_t clock_map_end(const struct clock_map *, const struct sync_end *);

/* See clocks_reference(). */
bool clock_map_reference(const struct clock_map *, size_t number, struct text *name,
			 double *residual);

/* Append the parts and relations, a line each. */
void clock_map_describe(const struct clock_map *, struct text *);

#endif
