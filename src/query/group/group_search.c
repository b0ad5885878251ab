/*
 * Groups in the background: see group_search.h.
 *
 * The worker counts into a group of its own and appends it to the shown group. Readers thus
 * need not wait for a message. Cells that summaries rule out are scanned, too: a filter
 * mostly passes all messages, or few.
 */
#include "config.h"

#include "query/group/group_search.h"
#include "base/thread.h"
#include "base/job.h"
#include "query/flow/flow_cursor.h"
#include "query/span/spans.h"
#include "session/context/context.h"
#include "session/sequence.h"
#include "session/session.h"

#include <stdlib.h>

enum {
	TELL_MS = 200, /* between two signals */
	BATCH = 256,   /* messages between two checks of the clock */
	PART = 1024    /* messages between two checks of the memory */
};

struct group_search {
	struct session *session;
	const struct group_spec *spec;
	struct filter filter; /* a copy */
	bool *hidden;
	size_t most; /* bytes of memory */
	struct job job;

	/* for the worker only */
	struct sequence *sequence;
	struct context_cursor **contexts; /* of each trace, made on first use */
	struct gap_cursor *gaps;	  /* only if a name needs it */
	struct flow_cursor *flow;	  /* only if a name needs it */
	struct spans *spans;		  /* only if a name needs it */
	struct group *part;
	struct expansion expansion;

	/* under the job's lock */
	struct group *group;
	bool full; /* stopped: the rows take more than `most` */
};

/* Append the new counts to the shown group. Return false if it has too many rows for more. */
static bool
show_counted(struct group_search *s)
{
	job_lock(&s->job);
	group_append(s->group, s->part);
	bool full = group_bytes(s->group) > s->most;
	job_unlock(&s->job);
	return !full;
}

static struct context_cursor *
contexts_of(struct group_search *s, size_t lane)
{
	struct contexts *contexts = s->session->contexts;
	if (!contexts || !(s->spec->needs & VALUE_NEEDS_CONTEXTS))
		return NULL;
	if (!s->contexts[lane])
		s->contexts[lane] =
		    context_cursor_new(contexts, reader_trace(sequence_reader(s->sequence, lane)));
	return s->contexts[lane];
}

static void
count_message(struct group_search *s, struct sequence_position at)
{
	struct reader *reader = sequence_reader(s->sequence, at.trace);
	const struct message *own = sequence_message(s->sequence, at);
	bool exact;
	if (!own)
		return;
	struct message m = *own; /* copy: the reader may drop the block */
	if (!filter_match(&s->filter, reader, &m, &s->expansion))
		return;
	struct value_look look = {.reader = reader,
				  .message = &m,
				  .number = reader_number(reader, at.at, &exact),
				  .expansion = &s->expansion,
				  .ends = true,
				  .contexts = contexts_of(s, at.trace),
				  .gaps = s->gaps,
				  .flow = s->flow,
				  .spans = s->spans};
	group_add(s->part, &look);
}

static void
walk_messages(struct group_search *s)
{
	struct sequence_position at;
	bool any = sequence_first(s->sequence, &at);
	for (unsigned passed = 1; any; passed++) {
		count_message(s, at);
		any = sequence_next(s->sequence, &at);
		if (passed % BATCH)
			continue;
		bool quiet = job_told_within(&s->job, TELL_MS);
		if (job_is_stopping(&s->job))
			return;
		if (quiet && passed % PART)
			continue;
		if (any && !show_counted(s)) {
			job_lock(&s->job);
			s->full = true;
			job_unlock(&s->job);
			return;
		}
		if (!quiet)
			job_tell(&s->job);
	}
}

static bool
is_stopping(void *context)
{
	struct group_search *s = context;
	return job_is_stopping(&s->job);
}

static void
open_sequence(struct group_search *s)
{
	s->sequence = sequence_new_walk(s->session, s->hidden);
	s->contexts = mem_new((s->session->traces.count + 1) * sizeof *s->contexts);
	sequence_load(s->sequence);
	if (s->spec->needs & VALUE_NEEDS_GAPS)
		s->gaps = gap_cursor_new(s->session);
	if (s->spec->needs & (VALUE_NEEDS_FLOW | VALUE_NEEDS_RUNS))
		s->flow = flow_cursor_new();
	if (s->spec->needs & VALUE_NEEDS_SPANS) {
		s->spans = spans_new(s->session);
		spans_extend(s->spans, is_stopping, s);
	}
}

static void
search_job(void *context)
{
	struct group_search *s = context;
	s->job.news_ms = thread_now_ms(); /* so that the first signal comes after TELL_MS */
	open_sequence(s);
	walk_messages(s);
	show_counted(s);
}

struct group_search *
group_search_new(struct session *session, const struct group_spec *spec,
		 const struct filter *filter, const bool *hidden, size_t most)
{
	struct group_search *s = mem_new(sizeof *s);
	size_t traces = session->traces.count;
	s->session = session;
	s->spec = spec;
	s->most = most;
	s->filter = filter_clone(filter);
	s->hidden = mem_new((traces + 1) * sizeof *s->hidden);
	for (size_t i = 0; hidden && i < traces; i++)
		s->hidden[i] = hidden[i];
	s->part = group_new(spec);
	s->group = group_new(spec);
	job_init(&s->job, search_job, s);
	s->job.notify = trace_host_notify;
	s->job.owner = &session->host;
	job_run_once(&s->job);
	return s;
}

void
group_search_free(struct group_search *s)
{
	if (!s)
		return;
	job_free(&s->job);
	for (size_t i = 0; s->contexts && i < sequence_trace_count(s->sequence); i++)
		context_cursor_free(s->contexts[i]);
	gap_cursor_free(s->gaps);
	flow_cursor_free(s->flow);
	spans_free(s->spans);
	sequence_free(s->sequence);
	filter_free(&s->filter);
	expansion_free(&s->expansion);
	group_free(s->part);
	group_free(s->group);
	free(s->contexts);
	free(s->hidden);
	free(s);
}

struct group *
group_search_hold(struct group_search *s)
{
	job_lock(&s->job);
	return s->group;
}

void
group_search_release(struct group_search *s)
{
	job_unlock(&s->job);
}

bool
group_search_is_full(struct group_search *s)
{
	job_lock(&s->job);
	bool full = s->full;
	job_unlock(&s->job);
	return full;
}

bool
group_search_is_done(struct group_search *s)
{
	return job_is_done(&s->job);
}

unsigned
group_search_generation(struct group_search *s)
{
	return job_generation(&s->job);
}
