/*
 * What the captures of a session say of how clocks go together: for clocks.c.
 *
 * A feed for each trace notes points of links between two clocks, which are named by
 * what they are, not by numbers.
 *
 * Threads: one at a time.
 */
#ifndef TRAWL_SESSION_CLOCK_CLOCK_POINTS_H
#define TRAWL_SESSION_CLOCK_CLOCK_POINTS_H

#include "session/clock/clock_feed.h"

struct job;
struct session;

struct clock_points {
	struct job *job;	      /* to be obeyed when it is to stop */
	VEC(struct clock_feed) feeds; /* as the session's traces */
	struct clock_links links;     /* found so far */
};

/* The session is borrowed until clock_points_close. */
void clock_points_open(struct clock_points *, struct session *, struct job *);
void clock_points_close(struct clock_points *);

/* Looks on as far as the indexes are known.  True if something that was found
 * before does not hold any more. */
bool clock_points_look(struct clock_points *);

/* How much was found: points, rates and clocks; and whether they are all there will be. */
uint64_t clock_points_count(const struct clock_points *);
bool clock_points_are_all(const struct clock_points *);

/* Whether there may be points in a trace at all. */
bool clock_points_may_have(const struct clock_points *, size_t trace);

#endif
