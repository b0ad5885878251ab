/*
 * Clock points of all captures of a session, for clocks.c.
 *
 * Each trace has a feed that adds points to the links between two clocks. Clocks are named
 * by their meaning, not by numbers.
 *
 * Threads: one at a time.
 */
#ifndef TRAWL_SESSION_CLOCK_CLOCK_POINTS_H
#define TRAWL_SESSION_CLOCK_CLOCK_POINTS_H

#include "session/clock/clock_feed.h"

struct job;
struct session;

struct clock_points {
	struct job *job;	      /* its request to stop is obeyed */
	VEC(struct clock_feed) feeds; /* as the session's traces */
	struct clock_links links;     /* found so far */
};

/* The session is borrowed until clock_points_close(). */
void clock_points_open(struct clock_points *, struct session *, struct job *);
void clock_points_close(struct clock_points *);

/* Look at the newly indexed cells. Return true if earlier points became invalid. */
bool clock_points_look(struct clock_points *);

/* Count the points, rates and clocks found. clock_points_are_all(): true if no more can follow. */
uint64_t clock_points_count(const struct clock_points *);
bool clock_points_are_all(const struct clock_points *);

/* True if a trace can have points at all. */
bool clock_points_may_have(const struct clock_points *, size_t trace);

#endif
