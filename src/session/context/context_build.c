/*
 * Contexts over whole traces: see context_build.h.
 *
 * A thread scans the cells with messages that may carry a context, or with loss. For each
 * context of each origin (a lane), it keeps the state at the end of the cells that changed
 * it.
 *
 * Entries are bounded. When there are too many, cells are grouped by two, four, eight and
 * so on. Each step drops about half of the entries, and the walk to a message starts up to
 * a group earlier.
 */
#include "config.h"

#include "session/context/context_build.h"
#include "base/generation.h"
#include "base/lower_bound.h"
#include "session/link/serial.h"

#include <stdlib.h>
#include <string.h>

enum { SHIFT_MAX = 32, NOTIFY_MS = 500 };

struct context_trace *
context_trace_of(struct contexts *contexts, const struct trace *trace)
{
	for (size_t i = 0; i < contexts->count; i++)
		if (contexts->traces[i].trace == trace)
			return &contexts->traces[i];
	return NULL;
}

uint64_t
context_readable_cells(const struct context_trace *tracked)
{
	uint64_t known = index_known(trace_index(tracked->trace));
	if (!tracked->needs_session)
		return known;
	uint64_t matched = serial_known(serial_of(tracked->trace));
	return matched < known ? matched : known;
}

/* --- entries ----------------------------------------------------------- */

size_t
context_entry_position(const struct context_lane *lane, uint64_t cell)
{
	size_t at;
	lower_bound(at, lane->entries.count, lane->entries.at[at].cell < cell);
	return at;
}

uint64_t
context_group_of(const struct context_trace *tracked, uint64_t cell)
{
	return cell >> tracked->shift << tracked->shift;
}

/* Double the number of cells in a group. */
static void
thin_out(struct context_trace *tracked)
{
	tracked->shift++;
	tracked->entries = 0;
	for (size_t i = 0; i < tracked->lanes.count; i++) {
		struct context_lane *lane = &tracked->lanes.at[i];
		size_t kept = 0;
		for (size_t k = 0; k < lane->entries.count; k++) {
			const struct context_entry entry = lane->entries.at[k];
			if (kept && context_group_of(tracked, lane->entries.at[kept - 1].cell) ==
					context_group_of(tracked, entry.cell))
				kept--;
			lane->entries.at[kept++] = entry;
		}
		lane->entries.count = kept;
		tracked->entries += kept;
	}
}

static void
add_entry(struct context_trace *tracked, struct context_lane *lane, struct context_entry entry)
{
	size_t count = lane->entries.count;
	struct context_entry *last = count ? &lane->entries.at[count - 1] : NULL;
	if (last &&
	    context_group_of(tracked, last->cell) == context_group_of(tracked, entry.cell)) {
		*last = entry;
		return;
	}
	*vec_add(&lane->entries) = entry;
	tracked->entries++;
}

/* Keep the changes of the walker's cell. Histories and lanes have the same order, and each lane
 * has a history. */
static void
keep_cell(struct context_trace *tracked, const struct context_walker *w)
{
	for (size_t i = 0; i < w->histories.count; i++) {
		const struct context_history *history = &w->histories.at[i];
		size_t count = tracked->lanes.count;
		if (i == count || context_key_compare(tracked->lanes.at[i].key, history->key)) {
			*vec_add(&tracked->lanes) = (struct context_lane){.key = history->key};
			struct context_lane *lane = &tracked->lanes.at[i];
			memmove(lane + 1, lane, (count - i) * sizeof *lane);
			*lane = (struct context_lane){.key = history->key};
		}
		if (history->changes.count)
			add_entry(tracked, &tracked->lanes.at[i],
				  (struct context_entry){.cell = w->cell,
							 .held = *context_held_now(history)});
	}
	tracked->overflowed |= w->overflowed;
	while (tracked->entries > w->contexts->limit && tracked->shift < SHIFT_MAX)
		thin_out(tracked);
}

bool
context_load(struct context_walker *w, uint64_t cell)
{
	struct context_trace *tracked = w->tracked;
	job_lock(&w->contexts->job);
	bool known = tracked->known >= cell;
	uint64_t start = context_group_of(tracked, cell);
	if (known) {
		context_walker_clear(w);
		w->restarts = generation_now(&w->contexts->restarts);
	}
	for (size_t i = 0; known && i < tracked->lanes.count; i++) {
		const struct context_lane *lane = &tracked->lanes.at[i];
		size_t at = context_entry_position(lane, start);
		if (at)
			*vec_add(&w->histories) = (struct context_history){
			    .key = lane->key, .start = lane->entries.at[at - 1].held};
	}
	w->overflowed |= tracked->overflowed;
	job_unlock(&w->contexts->job);
	if (!known)
		return false;
	context_walk_from(w, start, true);
	context_walk_to(w, cell);
	return true;
}

bool
context_changes_between(struct contexts *contexts, const struct context_trace *tracked,
			struct context_key key, uint64_t from, uint64_t to)
{
	job_lock(&contexts->job);
	bool any = from + 1 < to && tracked->known < to;
	for (size_t i = 0; i < tracked->lanes.count && !any; i++) {
		const struct context_lane *lane = &tracked->lanes.at[i];
		if (context_key_compare(lane->key, key))
			continue;
		size_t at = context_entry_position(lane, from + 1);
		any = at < lane->entries.count &&
		      context_group_of(tracked, lane->entries.at[at].cell) < to;
	}
	job_unlock(&contexts->job);
	return any;
}

/* --- the thread -------------------------------------------------------- */

static void
forget_trace(struct contexts *contexts, struct context_trace *tracked)
{
	job_lock(&contexts->job);
	for (size_t i = 0; i < tracked->lanes.count; i++)
		vec_free(&tracked->lanes.at[i].entries);
	vec_clear(&tracked->lanes);
	tracked->entries = 0;
	tracked->known = 0;
	tracked->shift = 0;
	tracked->overflowed = false;
	generation_bump(&contexts->restarts);
	job_unlock(&contexts->job);
	context_walker_clear(tracked->walker);
	tracked->walker->filled = false;
}

/* Drop the contexts of a trace if they became invalid. */
static void
renew_trace(struct contexts *contexts, struct context_trace *tracked)
{
	/* the epoch of a GEM trace counts found events, which stay valid */
	unsigned generation = serial_of(tracked->trace) ? 0 : trace_generation(tracked->trace);
	if (tracked->known > index_known(trace_index(tracked->trace)) ||
	    generation != tracked->generation)
		forget_trace(contexts, tracked);
	tracked->generation = generation;
}

/* Scan the next cell of a trace. Return false if it cannot be read yet. */
static bool
build_cell(struct contexts *contexts, struct context_trace *tracked)
{
	pthread_mutex_lock(&contexts->building);
	if (!tracked->walker)
		tracked->walker = context_walker_new(contexts, tracked);
	struct context_walker *w = tracked->walker;
	renew_trace(contexts, tracked);
	bool any = tracked->known < context_readable_cells(tracked);
	if (any) {
		if (w->filled)
			context_walk_on(w);
		else
			context_walk_from(w, 0, true);
		context_walk(w, SIZE_MAX);
		job_lock(&contexts->job);
		keep_cell(tracked, w);
		tracked->known++;
		job_unlock(&contexts->job);
	}
	pthread_mutex_unlock(&contexts->building);
	return any;
}

void
context_build(struct contexts *contexts, struct context_trace *tracked, uint64_t cell)
{
	while (context_known(contexts, tracked) < cell && build_cell(contexts, tracked))
		continue;
}

/* Scan the readable cells of a trace. Return true if there were any. */
static bool
contexts_work(struct contexts *contexts, struct context_trace *tracked)
{
	bool any = false;
	while (tracked->rules.count && !job_is_stopping(&contexts->job) &&
	       build_cell(contexts, tracked)) {
		if (!job_told_within(&contexts->job, NOTIFY_MS))
			job_tell(&contexts->job);
		any = true;
	}
	return any;
}

void
context_walk_all(void *context)
{
	struct contexts *contexts = context;
	bool any = false;
	for (size_t i = 0; i < contexts->count; i++)
		any |= contexts_work(contexts, &contexts->traces[i]);
	if (any)
		job_tell(&contexts->job);
}

void
context_let_run(struct contexts *contexts, bool *flag)
{
	job_lock(&contexts->job);
	*flag = true;
	if (contexts->requested && contexts->allowed && !job_is_running(&contexts->job))
		job_start(&contexts->job);
	job_unlock(&contexts->job);
}

void
contexts_start(struct contexts *contexts)
{
	if (!contexts->allowed)
		context_let_run(contexts, &contexts->allowed);
}

void
contexts_wake(struct contexts *contexts)
{
	job_wake(&contexts->job);
}

void
contexts_load(struct contexts *contexts)
{
	for (size_t i = 0; i < contexts->count; i++) {
		struct context_trace *tracked = &contexts->traces[i];
		if (tracked->rules.count && !index_is_complete(trace_index(tracked->trace)))
			index_build(trace_index(tracked->trace));
	}
	contexts->patient = true;
}

void
contexts_free(struct contexts *contexts)
{
	if (!contexts)
		return;
	job_free(&contexts->job);
	for (size_t i = 0; i < contexts->count; i++) {
		struct context_trace *tracked = &contexts->traces[i];
		for (size_t k = 0; k < tracked->rules.count; k++)
			context_rule_free(&tracked->rules.at[k]);
		vec_free(&tracked->rules);
		for (size_t k = 0; k < tracked->lanes.count; k++)
			vec_free(&tracked->lanes.at[k].entries);
		vec_free(&tracked->lanes);
		context_walker_free(tracked->walker);
	}
	for (size_t i = 0; i < contexts->definitions.count; i++) {
		vec_free(&contexts->definitions.at[i].names);
		vec_free(&contexts->definitions.at[i].applies_to);
	}
	vec_free(&contexts->definitions);
	free(contexts->traces);
	text_free(&contexts->complaint);
	pthread_mutex_destroy(&contexts->building);
	free(contexts);
}

unsigned
contexts_generation(const struct contexts *contexts)
{
	return contexts ? job_generation(&contexts->job) : 0;
}

uint64_t
context_known(struct contexts *contexts, const struct context_trace *tracked)
{
	job_lock(&contexts->job);
	uint64_t known = tracked->known;
	job_unlock(&contexts->job);
	return known;
}

uint64_t
contexts_known(struct contexts *contexts, const struct trace *trace)
{
	const struct context_trace *tracked = context_trace_of(contexts, trace);
	return tracked && tracked->rules.count ? context_known(contexts, tracked) : UINT64_MAX;
}

void
contexts_limit(struct contexts *contexts, size_t entries)
{
	contexts->limit = entries;
}

size_t
contexts_memory(struct contexts *contexts)
{
	size_t sum = 0;
	job_lock(&contexts->job);
	for (size_t i = 0; i < contexts->count; i++) {
		const struct context_trace *tracked = &contexts->traces[i];
		for (size_t k = 0; k < tracked->lanes.count; k++)
			sum += tracked->lanes.at[k].entries.capacity * sizeof(struct context_entry);
		sum += tracked->lanes.capacity * sizeof(struct context_lane);
	}
	job_unlock(&contexts->job);
	return sum;
}
