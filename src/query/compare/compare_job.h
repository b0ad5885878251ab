/*
 * Two runs compared in the background, for the screen.
 *
 * Threads: a job belongs to one thread; it works in others.
 */
#ifndef TRAWL_QUERY_COMPARE_COMPARE_JOB_H
#define TRAWL_QUERY_COMPARE_COMPARE_JOB_H

#include "query/compare/compare.h"

/* What is to be compared: sessions and filters outlive the job; the session of GOOD is used
 * by nobody else. */
struct compare_request {
	const char *name; /* of GOOD, for people */
	struct compare_side sides[2];
	struct compare_options options;
};

struct compare_job;

/* Starts, once all of BAD is indexed and its clocks are related; what GOOD needs is loaded
 * by the job.  The session of BAD is notified at the end. */
struct compare_job *compare_job_new(const struct compare_request *);
void compare_job_free(struct compare_job *); /* ends it; NULL is fine */

/* What was found; NULL: it is not at its end.  Borrowed. */
const struct compare *compare_job_get(struct compare_job *);

#endif
