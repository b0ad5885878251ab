/*
 * Follows a trace in the background: see flow_index.h.
 *
 * The checkpoint of a cell never changes.  If the messages changed, all is followed again.
 */
#include "config.h"

#include "flow/flow_index.h"
#include "base/generation.h"
#include "base/job.h"
#include "flow/flow_counts.h"
#include "index/index.h"

#include <stdlib.h>

enum { TELL_MS = 200 }; /* between two notifications */

struct flow_point {
	uint64_t cell;
	size_t size;
	struct flow_state *state;
	struct flow_stacks stacks;
};

struct flow_index {
	struct trace *trace;
	struct flow_timer timer;
	struct job job;
	/* used by the worker only */
	struct flow *flow;
	struct reader *reader;
	struct flow_stacks stacks;
	uint64_t next, stride;	 /* next cell; distance of checkpoints in cells */
	uint64_t basis;		 /* epoch of the trace and its index */
	bool ended;		 /* the steps held at the end of the trace are given out */
	bool grows;		 /* the trace went on after that; do not repeat it */
	atomic_bool timed;	 /* the tree gets times */
	atomic_bool wants_times; /* the tree should get times; any thread */

	pthread_mutex_t tree_lock; /* guards the tree and the counts; held for a cell */
	struct flow_tree *tree;
	struct flow_counts counts;

	/* under the job's lock */
	VEC(struct flow_point) points;
	size_t size;

	_Atomic uint64_t known;
};

/* --- checkpoints ------------------------------------------------------- */

static void
drop_point(struct flow_index *index, struct flow_point *point)
{
	index->size -= point->size;
	flow_state_free(point->state);
	flow_stacks_free(&point->stacks);
}

static void
drop_points(struct flow_index *index)
{
	for (size_t i = 0; i < index->points.count; i++)
		drop_point(index, &index->points.at[i]);
	vec_free(&index->points);
}

/* Drop every other checkpoint and keep half as many from now on. */
static void
thin_points(struct flow_index *index)
{
	size_t count = 0;
	index->stride *= 2;
	for (size_t i = 0; i < index->points.count; i++) {
		struct flow_point *point = &index->points.at[i];
		if (point->cell % index->stride)
			drop_point(index, point);
		else
			index->points.at[count++] = *point;
	}
	index->points.count = count;
}

static void
keep_point(struct flow_index *index)
{
	struct flow_point point = {.cell = index->next};
	size_t stacks = flow_stacks_size(&index->stacks, FLOW_STATE_FRAMES);
	if (index->next % index->stride || stacks > FLOW_STATE_MOST)
		return;
	point.state = flow_save(index->flow, &point.size);
	if (!point.state)
		return;
	point.size += stacks;
	flow_stacks_copy(&point.stacks, &index->stacks, FLOW_STATE_FRAMES);
	job_lock(&index->job);
	*vec_add(&index->points) = point;
	index->size += point.size;
	if (index->size > FLOW_INDEX_MOST)
		thin_points(index);
	job_unlock(&index->job);
}

/* --- the worker -------------------------------------------------------- */

static void
take_step(void *context, const struct flow_place *place, const struct flow_step *step)
{
	struct flow_index *index = context;
	flow_frames_step(flow_stacks_of(&index->stacks, place->origin), place, step);
	flow_tree_step(index->tree, place, step);
	flow_counts_step(&index->counts, step);
}

/* Replace the tree, as symbols may have changed.  The epoch goes up, as function numbers of the
 * old tree are invalid in the new one. */
static void
renew_tree(struct flow_index *index)
{
	pthread_mutex_lock(&index->tree_lock);
	flow_tree_free(index->tree);
	flow_counts_free(&index->counts);
	index->tree = flow_tree_new(index->trace, flow_code_of(index->flow));
	generation_bump(&index->job.news);
	pthread_mutex_unlock(&index->tree_lock);
}

static void
start_anew(struct flow_index *index)
{
	job_lock(&index->job);
	drop_points(index);
	job_unlock(&index->job);
	flow_restore(index->flow, NULL);
	flow_stacks_free(&index->stacks);
	reader_free(index->reader);
	index->reader = reader_new(index->trace);
	reader_limit(index->reader, 2);
	renew_tree(index);
	index->known = 0; /* before `timed` is set: flow_index_is_whole */
	index->timed = index->wants_times;
	if (index->timed)
		index->timer.begin(index->timer.context);
	index->ended = false;
	index->next = 0;
	index->stride = 1;
}

/* True if the next cell is indexed, with the cells that its times depend on. */
static bool
has_next_cell(const struct flow_index *index)
{
	struct index *cells = trace_index(index->trace);
	uint64_t known = index_known(cells), behind = known - index->next;
	if (index->next >= known || !index->timed || behind > index->timer.ahead)
		return index->next < known;
	return index_is_complete(cells);
}

static void
follow_message(struct flow_index *index, const struct decoded_cell *cell, size_t i)
{
	const struct message *m = &cell->messages[i];
	if (index->timed) {
		struct flow_time time = index->timer.find(index->timer.context, m);
		flow_set_time(index->flow, &time);
	}
	flow_message(index->flow, index->reader, m, cell->first + i, true);
}

/* Follow the next cell.  Return false if it does not exist or is not indexed. */
static bool
follow_cell(struct flow_index *index)
{
	if (!has_next_cell(index))
		return false;
	const struct decoded_cell *cell = reader_decoded_cell(index->reader, index->next);
	if (!cell->exact)
		return false;
	keep_point(index);
	pthread_mutex_lock(&index->tree_lock);
	for (size_t i = 0; i < cell->count; i++)
		follow_message(index, cell, i);
	pthread_mutex_unlock(&index->tree_lock);
	index->known = ++index->next;
	return true;
}

/* Give out the steps that wait for a proof, at the end of the trace. */
static bool
end_flow(struct flow_index *index)
{
	struct index *cells = trace_index(index->trace);
	if (index->ended || index->grows || !index_is_complete(cells) ||
	    index->next < index_cell_count(cells))
		return false;
	index->ended = true;
	pthread_mutex_lock(&index->tree_lock);
	flow_end(index->flow);
	flow_tree_end(index->tree);
	pthread_mutex_unlock(&index->tree_lock);
	return true;
}

static bool
lacks_times(const struct flow_index *index)
{
	return index->wants_times && !index->timed;
}

static void
begin_job(struct flow_index *index)
{
	bool more = index->ended && index->next < index_known(trace_index(index->trace));
	bool renewed = generation_renew(&index->basis, trace_and_index_generation(index->trace));
	index->grows |= more && !renewed;
	if (renewed || more || lacks_times(index))
		start_anew(index);
}

static void
follow_job(void *context)
{
	struct flow_index *index = context;
	uint64_t before = index->next;
	begin_job(index);
	while (!job_is_stopping(&index->job) && !lacks_times(index) && follow_cell(index))
		if (!job_told_within(&index->job, TELL_MS))
			job_tell(&index->job);
	if (end_flow(index) || index->next != before)
		job_tell(&index->job);
}

/* --- for the owner ----------------------------------------------------- */

struct flow_index *
flow_index_new(struct trace *trace, const struct flow_timer *timer, struct err *err)
{
	struct flow_index *index = mem_new(sizeof *index);
	index->trace = trace;
	index->timer = *timer;
	index->flow = flow_new(trace, take_step, index, err);
	if (!index->flow) {
		free(index);
		return NULL;
	}
	pthread_mutex_init(&index->tree_lock, NULL);
	job_init(&index->job, follow_job, index);
	index->job.nice = 10;
	index->job.notify = trace_host_notify;
	index->job.owner = trace_host(trace);
	renew_tree(index);
	job_start(&index->job);
	return index;
}

void
flow_index_free(struct flow_index *index)
{
	if (!index)
		return;
	job_free(&index->job);
	drop_points(index);
	flow_stacks_free(&index->stacks);
	reader_free(index->reader);
	flow_tree_free(index->tree);
	flow_counts_free(&index->counts);
	flow_free(index->flow);
	pthread_mutex_destroy(&index->tree_lock);
	free(index);
}

void
flow_index_wake(struct flow_index *index)
{
	job_wake(&index->job);
}

void
flow_index_build(struct flow_index *index)
{
	job_stop(&index->job);
	follow_job(index);
}

void
flow_index_want_times(struct flow_index *index)
{
	if (index->timer.begin && !atomic_exchange(&index->wants_times, true))
		job_wake(&index->job);
}

unsigned
flow_index_generation(const struct flow_index *index)
{
	return job_generation(&index->job);
}

uint64_t
flow_index_known(const struct flow_index *index)
{
	return index->known;
}

bool
flow_index_is_whole(const struct flow_index *index)
{
	return !lacks_times(index) && index->known >= index_cell_count(trace_index(index->trace));
}

const struct flow_tree *
flow_index_hold(struct flow_index *index)
{
	pthread_mutex_lock(&index->tree_lock);
	return index->tree;
}

void
flow_index_release(struct flow_index *index)
{
	pthread_mutex_unlock(&index->tree_lock);
}

uint64_t
flow_index_count(struct flow_index *index, uint64_t address, bool *more)
{
	pthread_mutex_lock(&index->tree_lock);
	uint64_t count = flow_counts_at(&index->counts, address);
	*more = index->counts.left;
	pthread_mutex_unlock(&index->tree_lock);
	return count;
}

uint64_t
flow_index_restore(struct flow_index *index, uint64_t cell, struct flow *flow,
		   struct flow_stacks *stacks)
{
	uint64_t from = 0;
	flow_stacks_free(stacks);
	job_lock(&index->job);
	size_t i = index->points.count;
	while (i && index->points.at[i - 1].cell > cell)
		i--;
	flow_restore(flow, i ? index->points.at[i - 1].state : NULL);
	if (i) {
		flow_stacks_copy(stacks, &index->points.at[i - 1].stacks, FLOW_STATE_FRAMES);
		from = index->points.at[i - 1].cell;
	}
	job_unlock(&index->job);
	return from;
}
