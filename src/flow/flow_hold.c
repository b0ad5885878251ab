/*
 * Holds steps back until they are proven: see flow_hold.h.
 *
 * One ring holds the steps of all processors in order.  The steps of a processor form a chain
 * from the newest back.  Doubting the unproven ones visits each step once.
 */
#include "config.h"

#include "flow/flow_hold.h"
#include "base/vec.h"
#include "flow/call_stack.h"

#include <stdlib.h>
#include <string.h>

struct held {
	struct flow_place place;
	struct flow_step step;
	uint64_t before; /* previous step of its processor, plus one, counted from the start */
	unsigned processor;
};

struct processor {
	struct call_stack calls;
	uint64_t newest;  /* step, plus one */
	uint64_t settled; /* steps before this one are proven or doubted */
	uint64_t begun;	  /* step at the latest synchronisation; 0: something agreed since */
	uint64_t agreed[FLOW_HOLD_PROOFS]; /* ring of the steps at the latest agreements */
	unsigned agreements;
};

struct flow_hold {
	flow_take *take;
	void *context;
	struct held *ring;
	size_t room;	     /* of `ring`, a power of two */
	uint64_t first, end; /* held steps, counted from the start */
	VEC(struct processor) processors;
};

struct flow_hold *
flow_hold_new(flow_take *take, void *context)
{
	enum { ROOM = 256 };
	struct flow_hold *hold = mem_new(sizeof *hold);
	*hold = (struct flow_hold){.take = take,
				   .context = context,
				   .ring = mem_new(ROOM * sizeof *hold->ring),
				   .room = ROOM};
	return hold;
}

void
flow_hold_free(struct flow_hold *hold)
{
	if (!hold)
		return;
	for (size_t i = 0; i < hold->processors.count; i++)
		call_stack_free(&hold->processors.at[i].calls);
	vec_free(&hold->processors);
	free(hold->ring);
	free(hold);
}

static struct held *
held_at(struct flow_hold *hold, uint64_t number)
{
	return &hold->ring[number & (hold->room - 1)];
}

size_t
flow_hold_size(const struct flow_hold *hold, size_t frames)
{
	size_t size = sizeof *hold + (hold->end - hold->first) * sizeof *hold->ring;
	for (size_t i = 0; i < hold->processors.count; i++) {
		size_t count = hold->processors.at[i].calls.frames.count;
		size += sizeof *hold->processors.at +
			(count < frames ? count : frames) * sizeof(struct call_frame);
	}
	return size;
}

struct flow_hold *
flow_hold_copy(const struct flow_hold *hold, size_t frames, flow_take *take, void *context)
{
	struct flow_hold *copy = mem_new(sizeof *copy);
	*copy = (struct flow_hold){
	    .take = take, .context = context, .room = 1, .first = hold->first, .end = hold->end};
	while (copy->room < hold->end - hold->first)
		copy->room *= 2;
	copy->ring = mem_new(copy->room * sizeof *copy->ring);
	for (uint64_t i = hold->first; i < hold->end; i++)
		*held_at(copy, i) = hold->ring[i & (hold->room - 1)];
	vec_fit(&copy->processors, hold->processors.count);
	for (size_t i = 0; i < hold->processors.count; i++) {
		struct processor *processor = vec_add(&copy->processors);
		*processor = hold->processors.at[i];
		memset(&processor->calls, 0, sizeof processor->calls);
		call_stack_copy(&processor->calls, &hold->processors.at[i].calls, frames);
	}
	return copy;
}

static void
give_first(struct flow_hold *hold)
{
	const struct held *held = held_at(hold, hold->first++);
	hold->take(hold->context, &held->place, &held->step);
}

/* Give out all steps before the first one that is not settled. */
static void
give_settled(struct flow_hold *hold)
{
	while (hold->first < hold->end) {
		unsigned processor = held_at(hold, hold->first)->processor;
		if (hold->first >= hold->processors.at[processor].settled)
			break;
		give_first(hold);
	}
}

static void
grow_ring(struct flow_hold *hold)
{
	struct flow_hold old = *hold;
	hold->room *= 2;
	hold->ring = mem_new(hold->room * sizeof *hold->ring);
	for (uint64_t i = hold->first; i < hold->end; i++)
		*held_at(hold, i) = *held_at(&old, i);
	free(old.ring);
}

/* Mark all steps of PROCESSOR since its last proof as doubtful. */
static void
doubt_steps(struct flow_hold *hold, const struct processor *processor)
{
	uint64_t least = processor->settled > hold->first ? processor->settled : hold->first;
	for (uint64_t at = processor->newest; at > least;) {
		struct held *held = held_at(hold, at - 1);
		held->step.doubtful = held->step.kind != FLOW_STEP_DAMAGE;
		at = held->before;
	}
}

static void
append_step(struct flow_hold *hold, unsigned number, const struct flow_place *place,
	    const struct flow_step *step)
{
	struct processor *processor = &hold->processors.at[number];
	if (hold->end - hold->first == hold->room && hold->room < FLOW_HOLD_MOST)
		grow_ring(hold);
	else if (hold->end - hold->first == hold->room)
		give_first(hold);
	*held_at(hold, hold->end) = (struct held){
	    .place = *place, .step = *step, .before = processor->newest, .processor = number};
	processor->newest = ++hold->end;
}

/* Settle all steps before AT. */
static void
settle_before(struct processor *processor, uint64_t at)
{
	processor->settled = at;
	processor->begun = 0;
	for (size_t i = 0; i < FLOW_HOLD_PROOFS; i++)
		processor->agreed[i] = at;
}

/* Note that packets and program agree at step AT, maybe by chance. */
static void
note_agreement(struct processor *processor, uint64_t at)
{
	if (processor->begun)
		settle_before(processor, processor->begun);
	uint64_t *oldest = &processor->agreed[processor->agreements++ % FLOW_HOLD_PROOFS];
	processor->settled = *oldest;
	*oldest = at;
}

/* Note that the path starts again at step AT.  If that is wrong, the steps since the latest
 * agreement may be wrong as well. */
static void
note_begin(struct processor *processor, uint64_t at)
{
	uint64_t latest = processor->agreed[(processor->agreements - 1) % FLOW_HOLD_PROOFS];
	settle_before(processor, processor->begun ? processor->begun : latest);
	processor->begun = at;
}

void
flow_hold_add(struct flow_hold *hold, unsigned number, const struct flow_place *place,
	      const struct flow_step *step)
{
	if (number >= hold->processors.count)
		*vec_add(&hold->processors) = (struct processor){0};
	struct processor *processor = &hold->processors.at[number];
	bool fits = call_stack_step(&processor->calls, step);
	if (step->kind == FLOW_STEP_DAMAGE && step->doubts)
		doubt_steps(hold, processor);
	if (step->kind != FLOW_STEP_PROOF)
		append_step(hold, number, place, step);
	if (step->kind == FLOW_STEP_DAMAGE)
		settle_before(processor, hold->end);
	else if (step->begins)
		note_begin(processor, hold->end);
	/* a return that is in no packet always fits */
	else if (step->kind == FLOW_STEP_PROOF || (fits && step->reported))
		note_agreement(processor, hold->end);
	else
		return;
	give_settled(hold);
}

void
flow_hold_end(struct flow_hold *hold)
{
	while (hold->first < hold->end)
		give_first(hold);
}
