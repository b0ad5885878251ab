/* Instruction flow of a session's processors: see flows.h. */
#include "config.h"

#include "session/flows.h"
#include "base/generation.h"
#include "session/clock/cycles.h"
#include "session/flow_times.h"
#include "session/session.h"

#include <pthread.h>
#include <stdlib.h>

#define NONE UINT64_MAX

struct followed {
	bool tried;
	struct flow_index *index; /* NULL: the trace cannot be followed */
	struct err why;		  /* why not */
	_Atomic uint64_t missed;  /* first cell requested too early, or NONE */
	struct generation changes;
	struct flow_times times; /* for the worker of the index */
};

struct flows {
	pthread_mutex_t lock; /* protects opening an index */
	size_t count;
	struct followed *traces;
};

struct flows *
flows_new(struct session *session)
{
	struct flows *flows = mem_new(sizeof *flows);
	pthread_mutex_init(&flows->lock, NULL);
	flows->count = session->traces.count;
	flows->traces = mem_new((flows->count + 1) * sizeof *flows->traces);
	for (size_t i = 0; i < flows->count; i++)
		flows->traces[i].missed = NONE;
	return flows;
}

void
flows_free(struct flows *flows)
{
	if (!flows)
		return;
	for (size_t i = 0; i < flows->count; i++) {
		flow_index_free(flows->traces[i].index);
		flow_times_end(&flows->traces[i].times);
	}
	free(flows->traces);
	pthread_mutex_destroy(&flows->lock);
	free(flows);
}

/* Times from cycle counts depend on later messages, which a stream does not have. */
static bool
has_cycles(struct trace *trace)
{
	return cycles_may_have(trace) && !capture_is_stream(trace_capture(trace));
}

static void
begin_times(void *context)
{
	struct flow_times *times = context;
	struct trace *trace = times->trace;
	flow_times_end(times);
	flow_times_begin(times, trace, has_cycles(trace) ? cycles_walk_new(trace) : NULL);
}

static struct flow_time
find_time(void *context, const struct message *m)
{
	return flow_times_find(context, *m);
}

static struct flow_index *
open_index(struct followed *followed, struct trace *trace)
{
	followed->times.trace = trace;
	return flow_index_new(
	    trace,
	    &(const struct flow_timer){.begin = begin_times,
				       .find = find_time,
				       .context = &followed->times,
				       .ahead = has_cycles(trace) ? CYCLES_CELLS : 0},
	    &followed->why);
}

static struct followed *
followed_of(const struct trace *trace)
{
	struct session *session = session_of(trace);
	struct flows *flows = session->flows;
	struct followed *followed = &flows->traces[trace_number(trace)];
	pthread_mutex_lock(&flows->lock);
	if (!followed->tried)
		followed->index = open_index(followed, session->traces.at[trace_number(trace)]);
	followed->tried = true;
	pthread_mutex_unlock(&flows->lock);
	return followed;
}

struct flow_index *
flows_index(const struct trace *trace, const char **why)
{
	const struct followed *followed = followed_of(trace);
	*why = followed->index ? NULL : followed->why.what;
	return followed->index;
}

/* A trace with a format without flow gives a reason only if no other trace does. */
bool
flows_any(const struct session *session, const char **why)
{
	const char *own;
	*why = NULL;
	for (size_t i = 0; i < session->traces.count; i++) {
		const struct trace *trace = session->traces.at[i];
		if (flows_index(trace, &own))
			return true;
		if (!*why || trace_decoder(trace)->ops->flow)
			*why = own;
	}
	return false;
}

uint64_t
flows_known(const struct trace *trace)
{
	const struct followed *followed = followed_of(trace);
	return followed->index ? flow_index_known(followed->index) : NONE;
}

static unsigned
generation_of(struct followed *followed)
{
	uint64_t missed = followed->missed;
	if (followed->index && missed < flow_index_known(followed->index) &&
	    atomic_compare_exchange_strong(&followed->missed, &missed, NONE))
		generation_bump(&followed->changes);
	return generation_now(&followed->changes);
}

uint64_t
flows_generation(const struct session *session)
{
	struct flows *flows = session->flows;
	uint64_t now = 0;
	pthread_mutex_lock(&flows->lock);
	for (size_t i = 0; i < flows->count; i++)
		now = generation_join(now, generation_of(&flows->traces[i]));
	pthread_mutex_unlock(&flows->lock);
	return now;
}

void
flows_missed(const struct trace *trace, uint64_t cell)
{
	struct followed *followed = followed_of(trace);
	uint64_t missed = followed->missed;
	while (cell < missed && !atomic_compare_exchange_weak(&followed->missed, &missed, cell))
		continue;
}

void
flows_wake(struct flows *flows)
{
	for (size_t i = 0; flows && i < flows->count; i++)
		if (flows->traces[i].index)
			flow_index_wake(flows->traces[i].index);
}

void
flows_load(struct session *session)
{
	const char *why;
	for (size_t i = 0; i < session->traces.count; i++) {
		struct flow_index *index = flows_index(session->traces.at[i], &why);
		if (!index)
			continue;
		trace_build_whole(session->traces.at[i]);
		flow_index_build(index);
	}
}
