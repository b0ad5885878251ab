/* Images that do not fit: see misfit.h. */
#include "config.h"

#include "ui/misfit.h"
#include "base/job.h"
#include "flow/flow.h"
#include "flow/image_fit.h"
#include "session/session.h"
#include "ui/app.h"

#include <stdlib.h>

enum { LOOK = 1 << 17 /* messages checked at the start of a trace */ };

struct misfit {
	struct job job;
	struct session *session;
	size_t count; /* traces at the start; later ones are not checked */
	bool started;
	atomic_bool *bad;
	atomic_uint found, said;
};

static bool
does_not_fit(struct misfit *misfit, struct trace *trace)
{
	struct image_fits fits = {0};
	struct err err = {0};
	bool bad = false;
	if (flow_has_elements(trace))
		image_fits_read(&fits, trace, LOOK, &misfit->job, &err);
	for (size_t i = 0; i < fits.walks.count; i++)
		bad |= image_fit_is_bad(&fits.walks.at[i].fit);
	image_fits_free(&fits);
	return bad;
}

static void
look_at_traces(void *context)
{
	struct misfit *misfit = context;
	for (size_t i = 0; i < misfit->count && !job_is_stopping(&misfit->job); i++) {
		if (!does_not_fit(misfit, misfit->session->traces.at[i]))
			continue;
		atomic_store(&misfit->bad[i], true);
		atomic_fetch_add(&misfit->found, 1);
		trace_host_notify(&misfit->session->host);
	}
}

static struct misfit *
misfit_new(struct session *session)
{
	struct misfit *misfit = mem_new(sizeof *misfit);
	misfit->session = session;
	misfit->count = session->traces.count;
	misfit->bad = mem_new(misfit->count * sizeof *misfit->bad);
	job_init(&misfit->job, look_at_traces, misfit);
	misfit->job.nice = 19;
	return misfit;
}

/* True if the messages to check have arrived.  A stream may still bring them.  A followed file is
 * checked as it is, since it may never grow. */
static bool
is_there(struct trace *trace)
{
	const struct capture *capture = trace_capture(trace);
	struct index_progress progress;
	if (capture_ended(capture) || capture_followed(capture) != FOLLOW_NOT)
		return true;
	index_get_progress(trace_index(trace), &progress);
	return progress.messages >= LOOK;
}

static void
start_when_there(struct misfit *misfit)
{
	bool any = false, all = true;
	for (size_t i = 0; i < misfit->count; i++) {
		struct trace *trace = misfit->session->traces.at[i];
		bool judges = flow_has_elements(trace);
		any |= judges;
		all &= !judges || is_there(trace);
	}
	misfit->started = all;
	if (any && all)
		job_start_once(&misfit->job);
}

void
misfit_free(struct misfit *misfit)
{
	if (!misfit)
		return;
	job_free(&misfit->job);
	free(misfit->bad);
	free(misfit);
}

bool
misfit_poll(struct screen *screen)
{
	struct app *app = app_of(screen);
	if (!app->misfit)
		app->misfit = misfit_new(screen->session);
	if (!app->misfit->started)
		start_when_there(app->misfit);
	unsigned found = atomic_load(&app->misfit->found);
	return atomic_exchange(&app->misfit->said, found) != found;
}

bool
misfit_is(const struct screen *screen, const struct trace *trace)
{
	const struct misfit *misfit = app_of(screen)->misfit;
	size_t number = trace_number(trace);
	return misfit && number < misfit->count && atomic_load(&misfit->bad[number]);
}
