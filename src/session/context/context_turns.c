/*
 * The turns of contexts along a trace: see context.h.
 *
 * The thread of contexts keeps only the states at the ends of cells. A separate walker
 * walks the same cells again and passes on the changes in each.
 */
#include "config.h"

#include "session/context/context_build.h"
#include "session/context/context_walk.h"

#include <stdlib.h>

struct context_turns {
	struct contexts *contexts;
	struct context_trace *tracked;
	struct context_walker *walker;
	uint64_t next; /* cell */
};

struct context_turns *
context_turns_new(struct contexts *contexts, struct trace *trace)
{
	struct context_trace *tracked = context_trace_of(contexts, trace);
	if (!tracked || !tracked->rules.count)
		return NULL;
	struct context_turns *turns = mem_new(sizeof *turns);
	turns->contexts = contexts;
	turns->tracked = tracked;
	turns->walker = context_walker_new(contexts, tracked);
	return turns;
}

void
context_turns_free(struct context_turns *turns)
{
	if (!turns)
		return;
	context_walker_free(turns->walker);
	free(turns);
}

static void
give_turns(struct context_turns *turns, const struct context_history *history,
	   context_turns_take *take, void *context)
{
	struct context_walker *w = turns->walker;
	const struct context_held *before = &history->start;
	for (size_t i = 0; i < history->changes.count; i++) {
		const struct context_change *change = &history->changes.at[i];
		const struct context_held *held = &change->held;
		bool begins = held->state != before->state || held->offset != before->offset ||
			      held->ordinal != before->ordinal;
		bool doubts = held->flags & ~before->flags & HELD_DOUBTFUL;
		struct context_turn turn = {.context = history->key.context,
					    .origin = history->key.origin,
					    .begins = begins};
		before = held;
		if (!begins && !doubts)
			continue;
		const struct decoded_cell *decoded = reader_decoded_cell(w->reader, w->cell);
		if (change->at >= decoded->count)
			continue;
		turn.message = decoded->messages[change->at];
		context_describe(w, history->key.context, held, &turn.value);
		take(context, &turn);
	}
}

bool
context_turns_next(struct context_turns *turns, context_turns_take *take, void *context)
{
	struct context_walker *w = turns->walker;
	if (turns->next >= context_readable_cells(turns->tracked))
		return false;
	if (w->filled)
		context_walk_on(w);
	else
		context_walk_from(w, 0, true);
	context_walk(w, SIZE_MAX);
	turns->next++;
	for (size_t i = 0; i < w->histories.count; i++)
		give_turns(turns, &w->histories.at[i], take, context);
	return true;
}

void
context_turns_text(struct context_turns *turns, const struct context_turn *turn, struct text *out)
{
	if (turn->value.name)
		text_add(out, turn->value.name);
	else
		context_walker_text(turns->walker, turn->context, &turn->value, out);
}
