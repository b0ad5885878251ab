/*
 * A comparison of two runs in the background, for the screen.
 *
 * Threads: a job belongs to one thread; it works in others.
 */
#ifndef TRAWL_QUERY_COMPARE_COMPARE_JOB_H
#define TRAWL_QUERY_COMPARE_COMPARE_JOB_H

#include "query/compare/compare.h"

/* A comparison to run. Sessions and filters must outlive the job, and nothing else may use the
 * sessions of good runs. */
struct compare_request {
	struct compare_good good; /* without `load` */
	struct compare_side bad;
	struct compare_options options;
};

struct compare_job;

/* Start the comparison. BAD must be fully indexed and its clocks related; the job itself loads
 * what the good runs need. The session of BAD is notified at the end. */
struct compare_job *compare_job_new(const struct compare_request *);
void compare_job_free(struct compare_job *); /* stops the job; NULL is allowed */

/* Return the result, borrowed, or NULL until the job is done. */
const struct compare *compare_job_get(struct compare_job *);

#endif
