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
	const struct compare_good *of_owner;
	struct compare_good good;
	struct filter filter; /* of BAD: a clone */
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

static bool
load_run(void *context, size_t i)
{
	struct compare_job *job = context;
	load_session(job->good.sides[i].session, job->good.sides[i].filter);
	return !job_is_stopping(&job->thread);
}

/* Close a run, but not while compare_job_free() interrupts it. */
static void
close_run(void *context, size_t i)
{
	struct compare_job *job = context;
	job_lock(&job->thread);
	job->of_owner->close(job->of_owner->context, i);
	job_unlock(&job->thread);
}

static void
run_job(void *context)
{
	struct compare_job *job = context;
	job->compared = compare_run(job->compare);
}

struct compare_job *
compare_job_new(const struct compare_request *request)
{
	struct compare_job *job = mem_new(sizeof *job);
	struct compare_side bad = request->bad;
	job->filter = filter_clone(bad.filter);
	bad.filter = &job->filter;
	job->of_owner = &request->good;
	job->good = (struct compare_good){request->good.count, request->good.names,
					  request->good.sides, load_run,
					  close_run,	       job};
	job_init(&job->thread, run_job, job);
	job->thread.notify = trace_host_notify;
	job->thread.owner = &bad.session->host;
	job->compare = compare_new(&job->good, &bad, &request->options, &job->thread.stopping);
	job_start_once(&job->thread);
	return job;
}

void
compare_job_free(struct compare_job *job)
{
	if (!job)
		return;
	job_cancel(&job->thread);
	job_lock(&job->thread);
	for (size_t i = 0; i < job->good.count; i++)
		session_interrupt(job->good.sides[i].session);
	job_unlock(&job->thread);
	job_free(&job->thread);
	compare_free(job->compare);
	filter_free(&job->filter);
	free(job);
}

const struct compare *
compare_job_get(struct compare_job *job)
{
	return job_is_done(&job->thread) && job->compared ? job->compare : NULL;
}
