/*
 * How two clocks go together, and times through a graph of clocks.
 *
 * A relation is a list of points: a tick of clock A and one of clock B that
 * are the same time.  Between points it is linear; where a clock starts
 * again or jumps, a new segment begins.  Points that contradict those around
 * them are rejected, and counted.  Where clock A is known to start again, points
 * before and after have nothing in common, and there is no time without one.
 * Clocks and relations form a graph: a time takes as many hops as it needs to the
 * root of its part, which stands for the common time of all clocks that can reach it.
 *
 * Arithmetic is in integers of 128 bits, with RELATION_FRACTION bits behind
 * the point; what is judged (which points are sound, how large the error may
 * be) is in floating point.
 *
 * Pure: nothing here needs captures.  Threads: the one that changes a graph has it
 * alone; settled ones may be asked by many.
 */
#ifndef TRAWL_SESSION_CLOCK_RELATION_H
#define TRAWL_SESSION_CLOCK_RELATION_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum { RELATION_FRACTION = 40, RELATION_POINTS_MAX = 65536, RELATION_SEGMENTS_MAX = 16384 };

#define RELATION_NOWHERE UINT64_MAX

/* What a clock shows: ticks, with RELATION_FRACTION bits of their parts. */
typedef __int128 relation_ticks;

/* Ticks per second, as a fraction; numerator 0: unknown. */
struct relation_rate {
	uint64_t numerator, denominator;
};

struct relation_rate relation_rate_of(double hz);
double relation_rate_hz(struct relation_rate);
/* How many nanoseconds a tick is; 0: that is no whole number, or not known. */
uint64_t relation_rate_tick(struct relation_rate);

struct relation_point {
	uint64_t a, b;
	uint64_t found_at; /* where it was found, in the trace `owner` */
	bool rejected;
};

/* Accepted points without a step between them. */
struct relation_segment {
	size_t first, count; /* in `used` */
	double error;	     /* that interpolating may make, in ticks of B */
	double residual;     /* largest of a point from the line through its
				neighbours, in ticks of B */
	double spread;	     /* between the points farthest above and below a line
				through those around, in ticks of B */
};

/* The slope of two clocks as it is known apart from the segment in question, in ticks of B
 * per tick of A, and what it may be off, as a share of it. */
struct relation_usual {
	const struct relation_segment *segment; /* whose it is; NULL: by the stated rates */
	double slope, error;			/* 0: unknown */
};

struct relation {
	const char *kind; /* what it was made from, a static word */
	size_t a, b;	  /* clocks of the graph */
	size_t owner;	  /* trace in which the points were found, SIZE_MAX: none */
	bool exact;	  /* by definition: no error, however far away */
	bool uneven;	  /* A counts something that goes along with time, but not
			     evenly: only between two points is it worth something */
	struct relation_rate rate_a, rate_b; /* of the clocks, as stated; by graph_settle */
	/* where in `owner` clock A starts again, rising; borrowed, NULL: nowhere */
	const uint64_t *restarts;
	size_t restart_count;
	VEC(struct relation_point) points; /* in the order of their offsets */
	uint64_t seen;			   /* points added; more than are kept */
	uint64_t stride;		   /* every so many are kept */

	/* made by relation_settle */
	VEC(struct relation_point) used;
	VEC(struct relation_segment) segments;
	struct relation_usual usual; /* beyond segments that are too short for their own */
	size_t rejected;
	double slope;	 /* ticks of B per tick of A, over the longest segment; 0: unknown */
	double ppm;	 /* what it differs from the stated rates; NAN: unknown */
	double offset;	 /* B - A in seconds at the first point; NAN: unknown */
	double residual; /* largest of all segments, in seconds; NAN: unknown */
	double rms;	 /* the usual one, likewise */
	bool thin;	 /* another one of its clocks reaches over more than twice as much;
			    by graph_settle */
};

/* Adds a point.  Of more than RELATION_POINTS_MAX every second is forgotten. */
void relation_add(struct relation *, uint64_t a, uint64_t b, uint64_t found_at);

/* Judges the points and makes the segments. */
void relation_settle(struct relation *);

/* From A to B, or back.  FOUND_AT, where A or B is the clock of the owner, says
 * which segment is meant; else RELATION_NOWHERE.  *ERROR, in ticks of the clock
 * at the start, becomes one of the other clock; INFINITY where nothing limits
 * it.  False if the rate is not known, the result too large, or no point lies
 * between the same restarts. */
bool relation_convert(const struct relation *, bool back, uint64_t found_at, relation_ticks from,
		      relation_ticks *to, double *error);

/* The end of the last segment that ends before FOUND_AT, or the beginning of the next one
 * after it; RELATION_NOWHERE: there is none. */
uint64_t relation_place_beside(const struct relation *, uint64_t found_at, bool after);

/* By how much the error grows outside of the points: seconds in each second; NAN
 * where it does not. */
double relation_growth(const struct relation *);

/* --- the graph --------------------------------------------------------- */

struct graph_clock {
	char *name; /* owned */
	struct relation_rate rate;
	bool unix_epoch; /* tick 0 is 1970-01-01 00:00 UTC */

	/* made by graph_settle */
	size_t root;			/* the clock that stands for its part */
	double span;			/* ticks that a relation of it reaches over at most */
	const struct relation *towards; /* the relation to go through, NULL at the root */
	bool back;			/* against its direction */
};

/* A time in a part of the graph. */
struct graph_time {
	size_t root;
	relation_ticks ticks; /* of the root's clock */
	bool known;	      /* the root's rate is, so `nanoseconds` is */
	int64_t nanoseconds;
	double error; /* how far off it may be, in nanoseconds; INFINITY: unknown */
	bool alone;   /* some hop went by a point that no other confirms */
};

struct graph {
	VEC(struct graph_clock) clocks;
	VEC(struct relation *) relations; /* owned */
};

size_t graph_add_clock(struct graph *, const char *name, struct relation_rate, bool unix_epoch);

/* A new relation between two clocks. */
struct relation *graph_add_relation(struct graph *, const char *kind, size_t a, size_t b);

/* Settles the relations and finds the ways: with as few thin relations as can be,
 * then as few hops.  The root of a part is a clock with
 * the Unix epoch, else the first whose rate is known, else the first. */
void graph_settle(struct graph *);

void graph_free(struct graph *);

/* The time at which CLOCK shows TICKS; OWNER and FOUND_AT say where that was
 * read.  False if there is none. */
bool graph_time(const struct graph *, size_t clock, uint64_t ticks, size_t owner, uint64_t found_at,
		struct graph_time *);

/* The times at which it shows LOW and HIGH, of which LOW is not more, read from place
 * BEGIN to END: between them are those of all ticks between.  False if there are none,
 * or if some clock on the way may step there, so that they say nothing of the others. */
bool graph_span(const struct graph *, size_t clock, uint64_t low, uint64_t high, size_t owner,
		uint64_t begin, uint64_t end, struct graph_time *first, struct graph_time *last);

#endif
