/*
 * Finds the steps and calls at a message: see flow_look.h.
 *
 * Steps come in message order but late, as they are held back (flow_hold.h).  So a message is
 * done when a step of a later one comes.
 */
#include "config.h"

#include "flow/flow_look.h"
#include "program/insn.h"

#include <stdlib.h>

enum { RUN_UP = 16 }; /* cells to start before a message without a checkpoint */

/* The event to look for. */
struct flow_wish {
	enum flow_find what;
	bool forward;
	uint64_t depth, from; /* call depth and number of the message where the search began */
	bool found;
	uint64_t number;
	/* the current message */
	bool any, call, trap;
	uint64_t current;
};

struct flow_looker {
	struct trace *trace;
	struct flow_index *index;
	struct flow *flow;
	struct flow_stacks stacks;
	/* for the current search */
	uint64_t origin, number;
	struct flow_look *look; /* result, or NULL */
	uint64_t first, last;
	flow_watch *watch; /* gets the steps of all processors from `number` on; or NULL */
	void *watching;
	struct flow_wish wish;
	bool done;
};

/* --- one message ------------------------------------------------------- */

static void
free_steps(struct flow_steps *steps)
{
	vec_free(&steps->steps);
	vec_free(&steps->numbers);
	vec_free(&steps->cycles);
}

void
flow_look_free(struct flow_look *look)
{
	flow_frames_free(&look->frames);
	free_steps(&look->before);
	free_steps(&look->here);
	free_steps(&look->after);
	*look = (struct flow_look){0};
}

/* True if a step belongs to the last one of STEPS: it is of the same message, or goes straight
 * on. */
static bool
belongs_to(const struct flow_steps *steps, uint64_t number, const struct flow_step *step)
{
	if (!steps->steps.count || steps->numbers.at[steps->steps.count - 1] == number)
		return true;
	const struct flow_step *last = &steps->steps.at[steps->steps.count - 1];
	return step->kind == FLOW_STEP_RUN && last->kind == FLOW_STEP_RUN &&
	       (last->class == INSN_OTHER || last->passed) && last->end == step->first;
}

static void
clear_steps(struct flow_steps *steps)
{
	vec_clear(&steps->steps);
	vec_clear(&steps->numbers);
	vec_clear(&steps->cycles);
}

static void
add_step(struct flow_steps *steps, uint64_t number, const struct flow_step *step, bool newest)
{
	if (steps->steps.count == LOOK_STEPS_MOST && newest) {
		steps->dropped += LOOK_STEPS_MOST;
		clear_steps(steps);
	} else if (steps->steps.count == LOOK_STEPS_MOST) {
		steps->dropped++;
		return;
	}
	*vec_add(&steps->steps) = *step;
	*vec_add(&steps->numbers) = number;
	*vec_add(&steps->cycles) = 0;
}

/* Add cycles to the last step, if that was kept. */
static void
add_cycles(struct flow_look *look, uint64_t cycles)
{
	struct flow_steps *steps = look->after.steps.count  ? &look->after
				   : look->here.steps.count ? &look->here
							    : &look->before;
	bool kept = steps == &look->before || !steps->dropped;
	if (steps->cycles.count && kept)
		steps->cycles.at[steps->cycles.count - 1] += cycles;
}

static void
look_at_step(struct flow_looker *looker, uint64_t number, const struct flow_step *step)
{
	struct flow_look *look = looker->look;
	if (number < looker->first && !belongs_to(&look->before, number, step)) {
		clear_steps(&look->before);
		look->before.dropped = 0;
	}
	if (number < looker->first)
		add_step(&look->before, number, step, true);
	else if (number <= looker->last)
		add_step(&look->here, number, step, false);
	else if (belongs_to(&look->after, number, step))
		add_step(&look->after, number, step, false);
	else
		looker->done = true;
}

/* --- search ------------------------------------------------------------ */

static bool
is_wished(const struct flow_wish *wish, uint64_t depth)
{
	switch (wish->what) {
	case FLOW_FIND_LEVEL:
		return depth <= wish->depth;
	case FLOW_FIND_OUT:
		return depth < wish->depth;
	case FLOW_FIND_CALL:
		return wish->call;
	case FLOW_FIND_TRAP:
		return wish->trap;
	}
	return false;
}

/* End a message, after its last step. */
static void
end_message(struct flow_looker *looker, uint64_t depth)
{
	struct flow_wish *wish = &looker->wish;
	bool beyond = wish->forward ? wish->current > wish->from : wish->current < wish->from;
	if (wish->any && beyond && is_wished(wish, depth)) {
		wish->found = true;
		wish->number = wish->current;
		looker->done |= wish->forward;
	}
	wish->any = wish->call = wish->trap = false;
}

static bool
is_call(const struct flow_step *step)
{
	return step->kind == FLOW_STEP_RUN && !step->passed &&
	       (step->class == INSN_CALL || step->class == INSN_INDIRECT_CALL ||
		step->class == INSN_SWAP);
}

static void
search_step(struct flow_looker *looker, uint64_t number, const struct flow_step *step,
	    uint64_t depth)
{
	struct flow_wish *wish = &looker->wish;
	if (wish->any && wish->current != number)
		end_message(looker, depth);
	looker->done |= !wish->forward && number >= wish->from;
	wish->any = true;
	wish->current = number;
	wish->call |= is_call(step);
	wish->trap |= step->kind == FLOW_STEP_TRAP;
}

/* --- following --------------------------------------------------------- */

static void
take_step(void *context, const struct flow_place *place, const struct flow_step *step)
{
	struct flow_looker *looker = context;
	if (looker->done || (!looker->watch && place->origin != looker->origin))
		return;
	struct flow_frames *frames = flow_stacks_of(&looker->stacks, place->origin);
	if (looker->watch) {
		flow_frames_step(frames, place, step);
		if (place->number >= looker->number)
			looker->done = !looker->watch(looker->watching, place, step, frames);
		return;
	}
	bool cycles = step->kind == FLOW_STEP_CYCLES;
	if (looker->look && cycles)
		add_cycles(looker->look, step->cycles);
	else if (looker->look)
		look_at_step(looker, place->number, step);
	else if (!cycles)
		search_step(looker, place->number, step, call_stack_depth(&frames->calls));
	if (!looker->look || place->number <= looker->number)
		flow_frames_step(frames, place, step);
}

struct flow_looker *
flow_looker_new(struct trace *trace, struct flow_index *index, struct err *err)
{
	struct flow_looker *looker = mem_new(sizeof *looker);
	*looker = (struct flow_looker){.trace = trace, .index = index};
	looker->flow = flow_new(trace, take_step, looker, err);
	if (looker->flow)
		return looker;
	free(looker);
	return NULL;
}

void
flow_looker_free(struct flow_looker *looker)
{
	if (!looker)
		return;
	flow_stacks_free(&looker->stacks);
	flow_free(looker->flow);
	free(looker);
}

struct flow_code *
flow_looker_code(struct flow_looker *looker)
{
	return flow_code_of(looker->flow);
}

/* Restore the last checkpoint before CELL and return the cell to follow first.  *GUESS is true
 * if older steps are unknown. */
static uint64_t
restore_before(struct flow_looker *looker, uint64_t cell, bool *guess)
{
	uint64_t from = flow_index_restore(looker->index, cell, looker->flow, &looker->stacks);
	*guess = cell > flow_index_known(looker->index) && cell - from > RUN_UP;
	if (*guess) {
		flow_restore(looker->flow, NULL);
		flow_stacks_free(&looker->stacks);
		from = cell - RUN_UP;
	}
	looker->done = false;
	return from;
}

/* Follow cells up to END and messages up to number LAST, or until the looker is done.  Return
 * false if there are no more cells. */
static bool
follow_cells(struct flow_looker *looker, struct reader *reader, uint64_t cell, uint64_t end,
	     uint64_t last)
{
	uint64_t count = index_cell_count(trace_index(looker->trace));
	for (; cell < end && cell < count && !looker->done; cell++) {
		const struct decoded_cell *decoded = reader_decoded_cell(reader, cell);
		for (size_t i = 0; i < decoded->count && !looker->done; i++) {
			const struct message m = decoded->messages[i];
			uint64_t number = decoded->first + i;
			if (number > last)
				return true;
			flow_message(looker->flow, reader, &m, number, true);
			decoded = reader_keep(reader, decoded, cell);
		}
	}
	return looker->done || cell < count;
}

static bool
begin_at(struct flow_looker *looker, struct reader *reader, struct position p)
{
	const struct message *m = reader_message(reader, p);
	bool exact;
	if (!m)
		return false;
	looker->origin = m->origin;
	looker->number = reader_number(reader, p, &exact);
	return true;
}

bool
flow_look_at(struct flow_looker *looker, struct reader *reader, struct position p,
	     struct flow_look *look)
{
	bool exact;
	uint64_t number = reader_number(reader, p, &exact);
	return flow_look_around(looker, reader, p, p.cell, number, number, look);
}

bool
flow_look_around(struct flow_looker *looker, struct reader *reader, struct position p,
		 uint64_t cell, uint64_t first, uint64_t last, struct flow_look *look)
{
	flow_look_free(look);
	looker->look = look;
	if (!begin_at(looker, reader, p))
		return false;
	look->number = looker->number;
	looker->first = first;
	looker->last = last;
	uint64_t from = restore_before(looker, cell, &look->guess);
	follow_cells(looker, reader, from, UINT64_MAX, last + LOOK_AHEAD);
	flow_end(looker->flow);
	flow_frames_copy(&look->frames, flow_stacks_of(&looker->stacks, looker->origin), SIZE_MAX);
	look->any = look->before.steps.count || look->here.steps.count || look->frames.running;
	return true;
}

bool
flow_look_steps(struct flow_looker *looker, struct reader *reader, uint64_t cell, uint64_t first,
		size_t count, flow_watch *watch, void *context)
{
	bool guess;
	looker->watch = watch;
	looker->watching = context;
	looker->number = first;
	uint64_t from = restore_before(looker, cell, &guess);
	follow_cells(looker, reader, from, UINT64_MAX, first + count + LOOK_AHEAD);
	flow_end(looker->flow);
	looker->watch = NULL;
	return guess;
}

/* Search the cells from the last checkpoint before CELL up to END.  *CELL becomes the first one. */
static bool
search_cells(struct flow_looker *looker, struct reader *reader, uint64_t *cell, uint64_t end)
{
	bool guess;
	uint64_t from = restore_before(looker, *cell, &guess);
	looker->wish.any = false;
	bool more = follow_cells(looker, reader, from, end, UINT64_MAX);
	flow_end(looker->flow);
	if (!looker->done)
		end_message(looker, call_stack_depth(
					&flow_stacks_of(&looker->stacks, looker->origin)->calls));
	*cell = from;
	return more;
}

/* Find the message of the newest call made before message NUMBER. */
static bool
find_caller(const struct flow_look *look, uint64_t number, uint64_t *found)
{
	for (size_t i = look->frames.frames.count; i; i--) {
		*found = look->frames.frames.at[i - 1].since;
		if (*found < number)
			return true;
	}
	return false;
}

bool
flow_look_find(struct flow_looker *looker, struct reader *reader, struct position *p,
	       enum flow_find what, bool forward, bool *ended)
{
	struct flow_look look = {0};
	bool exact;
	*ended = false;
	if (!flow_look_at(looker, reader, *p, &look))
		return false;
	looker->look = NULL;
	looker->wish = (struct flow_wish){.what = what,
					  .forward = forward,
					  .from = looker->number,
					  .depth = call_stack_depth(&look.frames.calls)};
	bool called = find_caller(&look, looker->number, &looker->wish.number);
	flow_look_free(&look);
	if (what == FLOW_FIND_OUT && !forward) {
		*ended = true;
		return called && reader_find_number(reader, looker->wish.number, p, &exact);
	}
	uint64_t cell = p->cell, least = cell > LOOK_CELLS ? cell - LOOK_CELLS : 0;
	if (forward) {
		*ended = !search_cells(looker, reader, &cell, p->cell + LOOK_CELLS);
	} else {
		search_cells(looker, reader, &cell, p->cell + 1);
		while (!looker->wish.found && cell > least) {
			cell--;
			search_cells(looker, reader, &cell, cell + 1);
		}
		*ended = !cell;
	}
	return looker->wish.found && reader_find_number(reader, looker->wish.number, p, &exact);
}
