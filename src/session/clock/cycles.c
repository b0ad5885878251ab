/*
 * Questions for times by cycles: see cycles.h.
 *
 * A question is a message, kept with its answer. At QUESTIONS_MAX all are dropped; a
 * screen needs fewer at once. The thread takes the latest open question and answers all
 * questions in the same cell. An answer without a later timed message is computed again
 * when the index or the capture has grown.
 *
 * Cost: a map lookup for each message shown, and a walk for the first one of each cell.
 */
#include "config.h"

#include "session/clock/cycles.h"
#include "base/generation.h"
#include "base/map.h"
#include "base/job.h"
#include "session/clock/clocks.h"
#include "session/session.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { QUESTIONS_MAX = 8192 };

struct cycles_question {
	size_t trace;	     /* in the session */
	unsigned generation; /* of its index */
	struct message m;
	uint64_t cell;
	bool answered;
	uint64_t known, size; /* indexed cells and capture size when it was answered */
	struct cycles_estimate answer;
};

struct cycles {
	struct session *session;
	struct job job;
	struct cycles_walk **walks; /* of the traces; made on first use */

	/* under the job's lock */
	VEC(struct cycles_question) questions;
	struct map places; /* by message: 1 + the number of its question */
};

static bool
has_cycles(const struct trace *trace)
{
	return trace_decoder(trace)->ops->cycles;
}

/* --- questions --------------------------------------------------------- */

static uint64_t
key_of(size_t trace, const struct message *m)
{
	uint64_t key = (uint64_t)trace * 0x9e3779b97f4a7c15 ^ m->offset;
	return (key * 0xff51afd7ed558ccd ^ m->aux) * 0xc4ceb9fe1a85ec53;
}

/* Return the question for a message, adding it if necessary. *IS_NEW: it needs an answer. */
static struct cycles_question *
ask_question(struct cycles *cycles, struct trace *trace, const struct message *m, bool *is_new)
{
	struct index *index = trace_index(trace);
	size_t number = trace_number(trace);
	if (cycles->questions.count == QUESTIONS_MAX) {
		vec_clear(&cycles->questions);
		map_free(&cycles->places);
	}
	uint64_t *place = map_add(&cycles->places, key_of(number, m));
	*is_new = !*place;
	if (*is_new) {
		(void)vec_add(&cycles->questions);
		*place = cycles->questions.count;
	}
	struct cycles_question *q = &cycles->questions.at[*place - 1];
	unsigned generation = index_generation(index);
	*is_new |= q->trace != number || q->generation != generation || !message_is_same(&q->m, m);
	if (*is_new)
		*q =
		    (struct cycles_question){.trace = number,
					     .generation = generation,
					     .m = *m,
					     .cell = message_id_offset(m) / index_cell_size(index)};
	return q;
}

bool
cycles_find(struct trace *trace, const struct message *m, struct cycles_estimate *answer)
{
	struct cycles *cycles = session_of(trace)->cycles;
	struct decode_cycles counted;
	bool is_new;
	*answer = (struct cycles_estimate){0};
	if (!cycles || !has_cycles(trace) || m->flags & MESSAGE_TIMED ||
	    !trace_decoder(trace)->ops->cycles(m, &counted))
		return false;
	job_lock(&cycles->job);
	*answer = ask_question(cycles, trace, m, &is_new)->answer;
	job_unlock(&cycles->job);
	if (is_new)
		job_wake(&cycles->job);
	return answer->known;
}

struct message
cycles_timed(const struct message *m, uint64_t ticks)
{
	struct message timed = *m;
	timed.ticks = ticks;
	timed.flags |= MESSAGE_TIMED | MESSAGE_ESTIMATED;
	return timed;
}

/* --- answers ----------------------------------------------------------- */

static struct trace *
trace_of(const struct cycles *cycles, const struct cycles_question *q)
{
	return cycles->session->traces.at[q->trace];
}

/* True if a question can be answered now. Messages of the first cell after the index are exact,
 * too. */
static bool
is_open(const struct cycles *cycles, const struct cycles_question *q)
{
	return !q->answered && q->cell <= index_known(trace_index(trace_of(cycles, q)));
}

/* True if a better answer may be possible. */
static bool
is_stale(const struct cycles *cycles, const struct cycles_question *q)
{
	struct trace *trace = trace_of(cycles, q);
	bool bounded = q->answer.known && q->answer.to != UINT64_MAX;
	return !bounded && q->known <= q->cell + CYCLES_CELLS &&
	       (q->known != index_known(trace_index(trace)) ||
		q->size != capture_size(trace_capture(trace)));
}

/* Find the latest open question. Return false if there is none. */
static bool
next_question(struct cycles *cycles, struct cycles_question *next)
{
	bool any = false;
	job_lock(&cycles->job);
	for (size_t i = cycles->questions.count; i-- && !any;) {
		*next = cycles->questions.at[i];
		any = is_open(cycles, next);
	}
	job_unlock(&cycles->job);
	return any;
}

/* Answer all questions for messages in Q's cell. */
static void
answer_cell(struct cycles *cycles, const struct cycles_question *q)
{
	struct trace *trace = trace_of(cycles, q);
	struct cycles_walk **walk = &cycles->walks[q->trace];
	const struct cycles_estimate *estimates;
	uint64_t known = index_known(trace_index(trace));
	uint64_t size = capture_size(trace_capture(trace));
	if (!*walk)
		*walk = cycles_walk_new(trace);
	cycles_walk_cell(*walk, q->cell, &estimates);
	job_lock(&cycles->job);
	for (size_t i = 0; i < cycles->questions.count; i++) {
		struct cycles_question *one = &cycles->questions.at[i];
		if (one->trace != q->trace || one->cell != q->cell ||
		    one->generation != q->generation)
			continue;
		cycles_walk_find(*walk, &one->m, &one->answer);
		one->answered = true;
		one->known = known;
		one->size = size;
	}
	job_unlock(&cycles->job);
}

static void
cycles_run(void *context)
{
	struct cycles *cycles = context;
	struct cycles_question q;
	while (!job_is_stopping(&cycles->job) && next_question(cycles, &q)) {
		answer_cell(cycles, &q);
		job_tell(&cycles->job);
	}
}

/* --- life cycle ----------------------------------------------------------- */

struct cycles *
cycles_new(struct session *session)
{
	bool any = false;
	for (size_t i = 0; i < session->traces.count; i++)
		any |= has_cycles(session->traces.at[i]);
	if (!any)
		return NULL;
	struct cycles *cycles = mem_new(sizeof *cycles);
	cycles->session = session;
	cycles->walks = mem_new(session->traces.count * sizeof *cycles->walks);
	job_init(&cycles->job, cycles_run, cycles);
	cycles->job.notify = trace_host_notify;
	cycles->job.owner = &session->host;
	return cycles;
}

void
cycles_free(struct cycles *cycles)
{
	if (!cycles)
		return;
	job_free(&cycles->job);
	for (size_t i = 0; i < cycles->session->traces.count; i++)
		cycles_walk_free(cycles->walks[i]);
	free(cycles->walks);
	vec_free(&cycles->questions);
	map_free(&cycles->places);
	free(cycles);
}

bool
cycles_may_have(struct trace *trace)
{
	return has_cycles(trace);
}

void
cycles_load(struct cycles *cycles, bool wait)
{
	for (size_t i = 0; cycles && i < cycles->session->traces.count; i++) {
		struct trace *trace = cycles->session->traces.at[i];
		if (!cycles_may_have(trace))
			continue;
		while (wait && trace_wait(trace))
			continue;
		trace_unpack(trace);
		if (capture_ended(trace_capture(trace)))
			trace_build(trace);
	}
}

void
cycles_start(struct cycles *cycles)
{
	if (cycles)
		job_start(&cycles->job);
}

void
cycles_wake(struct cycles *cycles)
{
	if (!cycles)
		return;
	job_lock(&cycles->job);
	for (size_t i = 0; i < cycles->questions.count; i++) {
		struct cycles_question *q = &cycles->questions.at[i];
		q->answered &= !is_stale(cycles, q);
	}
	job_unlock(&cycles->job);
	job_wake(&cycles->job);
}

unsigned
cycles_generation(const struct cycles *cycles)
{
	return cycles ? job_generation(&cycles->job) : 0;
}

bool
cycles_time(struct trace *trace, struct cycles_walk *walk, struct message *m,
	    struct message_time *time)
{
	struct cycles_estimate estimate;
	if (walk && cycles_walk_find(walk, m, &estimate))
		*m = cycles_timed(m, estimate.ticks);
	return clocks_time(trace, m, time);
}
