/* A comparison in the background: see compare_job.h. */
#include "config.h"

#include "query/compare/compare_job.h"
#include "base/job.h"
#include "session/clock/clocks.h"
#include "session/context/context.h"
#include "session/context/context_naming.h"
#include "session/link/serial.h"
#include "session/session.h"

#include <stdlib.h>

struct compare_job {
	struct session *good, *bad;
	struct filter filters[2]; /* clones */
	struct compare *compare;
	struct job thread;
	bool compared; /* valid once done */
};

/* Load everything that texts, times and the filter of a session need. */
static void
load_session(struct session *session, const struct filter *filter)
{
	for (size_t i = 0; i < session->traces.count; i++) {
		struct err err;
		trace_load(session->traces.at[i], &err);
		if (serial_of(session->traces.at[i]))
			serial_load(serial_of(session->traces.at[i]));
	}
	clocks_load(session->clocks, true);
	if (session->contexts && (filter_needs_contexts(filter) || context_names(session, NULL)))
		contexts_load(session->contexts);
}

static void
run_job(void *context)
{
	struct compare_job *job = context;
	load_session(job->good, &job->filters[COMPARE_GOOD]);
	job->compared = !job_is_stopping(&job->thread) && compare_run(job->compare);
}

struct compare_job *
compare_job_new(const struct compare_request *request)
{
	struct compare_job *job = mem_new(sizeof *job);
	struct compare_side sides[2];
	for (int run = 0; run < 2; run++) {
		job->filters[run] = filter_clone(request->sides[run].filter);
		sides[run] = request->sides[run];
		sides[run].filter = &job->filters[run];
	}
	job->good = sides[COMPARE_GOOD].session;
	job->bad = sides[COMPARE_BAD].session;
	job_init(&job->thread, run_job, job);
	job->thread.notify = trace_host_notify;
	job->thread.owner = &job->bad->host;
	job->compare = compare_new(sides, &request->options, &job->thread.stopping);
	job_start_once(&job->thread);
	return job;
}

void
compare_job_free(struct compare_job *job)
{
	if (!job)
		return;
	job_cancel(&job->thread);
	session_interrupt(job->good);
	job_free(&job->thread);
	compare_free(job->compare);
	filter_free(&job->filters[COMPARE_GOOD]);
	filter_free(&job->filters[COMPARE_BAD]);
	free(job);
}

const struct compare *
compare_job_get(struct compare_job *job)
{
	return job_is_done(&job->thread) && job->compared ? job->compare : NULL;
}
