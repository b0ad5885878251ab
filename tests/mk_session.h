/*
 * Several captures of one imagined system for mkcapture, each by a clock of its
 * own, and when everything really happened: see mk_session.c.
 */
#ifndef MK_SESSION_H
#define MK_SESSION_H

#include <stdbool.h>
#include <stdint.h>

struct mk_session_plan {
	uint64_t seed, count; /* of messages in all */
	double drift;	      /* ppm: what clocks are off by at most */
	uint64_t jitter;      /* ns: of what is read at a sync point, at most */
	double loss;	      /* share of messages, and of sync points, that are lost */
	uint64_t sync;	      /* ms between sync points; 0: two at the start only */
	bool contexts;	      /* the words tell of tasks, for soc.stp and cam.csel too */
	bool global;	      /* after the first two sync points the words tell the low
				 half of the global time instead of a number */
};

/* Writes soc.stp, aux.stp, dsp.gem, dsp.uia, cam.csel, session.yaml and
 * session.truth.tsv: lines of trace, offset, nanoseconds since 1970, in the
 * order of time; and session.contexts.tsv with a line of nanoseconds and value for
 * each change of a context. */
void mk_session(const char *folder, const struct mk_session_plan *);

#endif
