/*
 * How two clocks are related, and times through a graph of clocks.
 *
 * A relation is a list of points: a tick of clock A and a tick of clock B at the same
 * time. It is linear between points. A new segment begins where a clock starts again or
 * jumps. Points that contradict their neighbours are rejected and counted. Where clock A
 * is known to start again, points before and after are unrelated; without a point there is
 * no time.
 *
 * Clocks and relations form a graph. A time takes as many hops as it needs to the root of
 * its part. The root is the common clock of all clocks that reach it.
 *
 * Arithmetic uses integers of 128 bits with RELATION_FRACTION fraction bits. Judgements
 * (which points are sound, how large the error may be) use floating point.
 *
 * Pure: needs no captures. Threads: a graph belongs to the thread that changes it; any
 * thread may read a settled one.
 */
#ifndef TRAWL_SESSION_CLOCK_RELATION_H
#define TRAWL_SESSION_CLOCK_RELATION_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum { RELATION_FRACTION = 40, RELATION_POINTS_MAX = 16384, RELATION_SEGMENTS_MAX = 16384 };

#define RELATION_NOWHERE UINT64_MAX

/* A clock value: ticks with RELATION_FRACTION fraction bits. */
typedef __int128 relation_ticks;

/* Ticks per second, as a fraction; numerator 0: unknown. */
struct relation_rate {
	uint64_t numerator, denominator;
};

struct relation_rate relation_rate_of(double hz);
double relation_rate_hz(struct relation_rate);
/* Return the nanoseconds per tick; 0: not a whole number, or the rate is unknown. */
uint64_t relation_rate_tick(struct relation_rate);

struct relation_point {
	uint64_t a, b;
	uint64_t found_at; /* its offset in the trace `owner` */
	bool rejected;
};

/* Accepted points without a step between them. */
struct relation_segment {
	size_t first, count; /* indices in `used` */
	double error;	     /* largest error of interpolation, in ticks of B */
	double residual;     /* largest distance of a point from the line through its neighbours,
			      * in ticks of B */
	double spread;	     /* distance between the farthest points above and below a line
			      * fitted to their surroundings, in ticks of B */
};

/* A slope that does not depend on the segment in question, in ticks of B per tick of A. Its
 * error is a fraction of it. */
struct relation_usual {
	const struct relation_segment *segment; /* segment with that slope; NULL: from the stated
						 * rates */
	double slope, error;			/* 0: unknown */
};

struct relation {
	const char *kind; /* kind of its points, a static word */
	size_t a, b;	  /* clocks of the graph */
	size_t owner;	  /* trace that contains the points, SIZE_MAX: none */
	bool exact;	  /* by definition: no error at any distance */
	bool uneven;	  /* A counts something that advances with time, but unevenly: useful
			   * only between two points */
	struct relation_rate rate_a, rate_b; /* stated rates of the clocks, set by graph_settle() */
	/* offsets in `owner` where clock A starts again, rising; borrowed, NULL: none */
	const uint64_t *restarts;
	size_t restart_count;
	VEC(struct relation_point) points; /* by rising offset */
	uint64_t seen;			   /* points added; may be more than are kept */
	uint64_t stride;		   /* one in `stride` points is kept */

	/* set by relation_settle() */
	VEC(struct relation_point) used;
	VEC(struct relation_segment) segments;
	struct relation_usual usual; /* beyond segments that are too short for a slope */
	size_t rejected;
	double slope;	 /* ticks of B per tick of A in the longest segment; 0: unknown */
	double ppm;	 /* deviation of the slope from the stated rates; NAN: unknown */
	double offset;	 /* B - A in seconds at the first point; NAN: unknown */
	double residual; /* largest of all segments, in seconds; NAN: unknown */
	double rms;	 /* root mean square of all residuals, in seconds; NAN: unknown */
	bool thin;	 /* another relation of clock A or B spans more than twice as much; set
			  * by graph_settle() */
};

/* Add a point. Above RELATION_POINTS_MAX points, keep only every second one. */
void relation_add(struct relation *, uint64_t a, uint64_t b, uint64_t found_at);

/* Judge the points and make the segments. */
void relation_settle(struct relation *);

/* Convert from A to B, or back. FOUND_AT selects the segment if A or B is the clock of the
 * owner; otherwise pass RELATION_NOWHERE. *ERROR, in ticks of the source clock, becomes an error
 * in ticks of the target; INFINITY: unlimited. Return false if the rate is unknown, the result
 * too large, or no point lies between the same restarts. */
bool relation_convert(const struct relation *, bool back, uint64_t found_at, relation_ticks from,
		      relation_ticks *to, double *error);

/* Return the end of the last segment that ends before FOUND_AT. With AFTER, return the beginning
 * of the next one. RELATION_NOWHERE: none. */
uint64_t relation_place_beside(const struct relation *, uint64_t found_at, bool after);

/* Return the growth of the error outside of the points, in seconds per second; NAN: it does not
 * grow. */
double relation_growth(const struct relation *);

/* --- the graph --------------------------------------------------------- */

struct graph_clock {
	char *name; /* owned */
	struct relation_rate rate;
	bool unix_epoch; /* tick 0 is 1970-01-01 00:00 UTC */

	/* set by graph_settle() */
	size_t root;			/* the root clock of its part */
	double span;			/* largest span of its relations, in ticks */
	const struct relation *towards; /* the next relation on the path to the root, NULL at the
					 * root */
	bool back;			/* that relation is taken from B to A */
};

/* A time in a part of the graph. */
struct graph_time {
	size_t root;
	relation_ticks ticks; /* of the root's clock */
	bool known;	      /* the root's rate is known, so `nanoseconds` is valid */
	int64_t nanoseconds;
	double error; /* largest possible error in nanoseconds; INFINITY: unknown */
	bool alone;   /* some hop used a point that no other confirms */
};

struct graph {
	VEC(struct graph_clock) clocks;
	VEC(struct relation *) relations; /* owned */
};

size_t graph_add_clock(struct graph *, const char *name, struct relation_rate, bool unix_epoch);

/* Add a relation between two clocks. */
struct relation *graph_add_relation(struct graph *, const char *kind, size_t a, size_t b);

/* Settle the relations and find the paths: the fewest thin relations first, then the fewest
 * hops. The root of a part is a clock with the Unix epoch, else the first with a known rate,
 * else the first. */
void graph_settle(struct graph *);

void graph_free(struct graph *);

/* Find the time at which CLOCK shows TICKS, read at FOUND_AT in trace OWNER. Return false if
 * there is none. */
bool graph_time(const struct graph *, size_t clock, uint64_t ticks, size_t owner, uint64_t found_at,
		struct graph_time *);

/* Find the times of ticks LOW <= HIGH, read at offsets BEGIN to END. The times of all ticks in
 * between lie between them. Return false if there are none, or if a clock on the path may step
 * there, which breaks that bound. */
bool graph_span(const struct graph *, size_t clock, uint64_t low, uint64_t high, size_t owner,
		uint64_t begin, uint64_t end, struct graph_time *first, struct graph_time *last);

#endif
