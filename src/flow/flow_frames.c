/*
 * The call stacks of processors as shown to the user: see flow_frames.h.
 *
 * A call is on the stack from the next step on, so the step before contains the call.
 */
#include "config.h"

#include "flow/flow_frames.h"

#include <string.h>

void
flow_frames_free(struct flow_frames *frames)
{
	call_stack_free(&frames->calls);
	vec_free(&frames->frames);
}

void
flow_frames_copy(struct flow_frames *copy, const struct flow_frames *frames, size_t most)
{
	size_t count = frames->frames.count, from = count > most ? count - most : 0;
	*copy = *frames;
	memset(&copy->calls, 0, sizeof copy->calls);
	memset(&copy->frames, 0, sizeof copy->frames);
	call_stack_copy(&copy->calls, &frames->calls, most);
	vec_fit(&copy->frames, count - from);
	for (size_t i = from; i < count; i++)
		*vec_add(&copy->frames) = frames->frames.at[i];
	copy->unsure = frames->unsure > from ? frames->unsure - from : 0;
}

/* Add the frame of a trap, or of a call in the last step. */
static void
add_frame(struct flow_frames *frames, const struct call_frame *call, uint64_t number,
	  const struct flow_step *step)
{
	struct flow_frame *frame = vec_add(&frames->frames);
	bool trap = call->trap && step->kind == FLOW_STEP_TRAP;
	*frame = (struct flow_frame){.call = *call,
				     .doubtful = step->doubtful || frames->doubtful,
				     .since = trap ? number : frames->last,
				     .space = frames->space,
				     .instructions = frames->instructions,
				     .cycles = frames->cycles,
				     .unseen = frames->unseen};
	if (trap) {
		frame->interrupt = step->interrupt;
		frame->cause = step->cause;
		frame->name = step->name;
	}
}

/* Let the newest frame begin with this step, unless its entry is known. */
static void
enter_frame(struct flow_frames *frames, const struct flow_step *step)
{
	struct flow_frame *frame = &frames->base;
	if (frames->frames.count)
		frame = &frames->frames.at[frames->frames.count - 1];
	if (frame->entered)
		return;
	frame->entered = true;
	frame->entry = step->first;
	frame->space = step->space;
}

static void
take_run(struct flow_frames *frames, const struct flow_step *step)
{
	enter_frame(frames, step);
	frames->instructions += step->count;
	frames->first = step->first;
	frames->end = step->end;
	frames->space = step->space;
	frames->running = true;
}

void
flow_frames_step(struct flow_frames *frames, const struct flow_place *place,
		 const struct flow_step *step)
{
	struct call_stack *calls = &frames->calls;
	bool unsure = calls->unsure;
	frames->cycles += step->kind == FLOW_STEP_CYCLES ? step->cycles : 0;
	if (step->kind == FLOW_STEP_CYCLES)
		return;
	call_stack_step(calls, step);
	frames->frames.count = calls->kept;
	for (; calls->kept < calls->frames.count; calls->kept++)
		add_frame(frames, &calls->frames.at[calls->kept], place->number, step);
	if (calls->unsure && !unsure)
		frames->unsure = frames->frames.count;
	if (step->kind == FLOW_STEP_DAMAGE) {
		frames->base = (struct flow_frame){.since = place->number,
						   .instructions = frames->instructions,
						   .cycles = frames->cycles,
						   .unseen = frames->unseen};
		frames->running = false;
	}
	frames->unseen += step->kind == FLOW_STEP_UNSEEN;
	frames->last = place->number;
	frames->doubtful = step->doubtful;
	if (step->kind == FLOW_STEP_RUN && !frames->running)
		frames->base.since = place->number;
	if (step->kind == FLOW_STEP_RUN)
		take_run(frames, step);
}

/* --- all processors ---------------------------------------------------- */

void
flow_stacks_free(struct flow_stacks *stacks)
{
	for (size_t i = 0; i < stacks->all.count; i++)
		flow_frames_free(&stacks->all.at[i].frames);
	vec_free(&stacks->all);
	map_free(&stacks->places);
}

void
flow_stacks_copy(struct flow_stacks *copy, const struct flow_stacks *stacks, size_t most)
{
	vec_fit(&copy->all, stacks->all.count);
	for (size_t i = 0; i < stacks->all.count; i++) {
		vec_add(&copy->all)->origin = stacks->all.at[i].origin;
		flow_frames_copy(&copy->all.at[i].frames, &stacks->all.at[i].frames, most);
	}
}

struct flow_frames *
flow_stacks_of(struct flow_stacks *stacks, uint64_t origin)
{
	for (size_t i = stacks->places.count; i < stacks->all.count; i++) /* of a copy */
		*map_add(&stacks->places, stacks->all.at[i].origin) = i + 1;
	uint64_t *place = map_add(&stacks->places, origin);
	if (!*place) {
		vec_add(&stacks->all)->origin = origin;
		*place = stacks->all.count;
	}
	return &stacks->all.at[*place - 1].frames;
}

size_t
flow_stacks_size(const struct flow_stacks *stacks, size_t most)
{
	size_t size = 0;
	for (size_t i = 0; i < stacks->all.count; i++) {
		size_t count = stacks->all.at[i].frames.frames.count;
		size += sizeof *stacks->all.at +
			(count < most ? count : most) *
			    (sizeof(struct flow_frame) + sizeof(struct call_frame));
	}
	return size;
}
