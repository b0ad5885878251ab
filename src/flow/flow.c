/*
 * Follows the processors of a trace: see flow.h.
 *
 * Each origin has a walk; all walks share the code.  A loss that may concern any of them ends all
 * walks until the next synchronisation.
 *
 * Memory comes from the decoder first, as read from the target, then from the files with symbols.
 */
#include "config.h"

#include "flow/flow.h"
#include "base/map.h"
#include "base/vec.h"
#include "flow/flow_walk.h"
#include "trace/naming.h"

#include <stdlib.h>
#include <string.h>

enum { HARTS_MOST = 4096 }; /* limit against hostile captures */

struct hart {
	struct flow *flow;
	void *walk;
	uint64_t origin;
	unsigned number;
};

/* Copies of the walks, by hart. */
struct flow_state {
	const struct flow_walk_form *form;
	struct flow_hold *hold;
	VEC(struct flow_space) spaces; /* spaces of the code, as numbered in held steps */
	VEC(struct {
		uint64_t origin;
		void *walk;
	}) harts;
};

struct flow {
	const struct decoder *decoder;
	const struct flow_walk_form *form;
	struct image *image;
	struct flow_code *code;
	struct flow_hold *hold;
	flow_take *take; /* receiver of the steps */
	void *context;
	struct flow_place place; /* place of the current message */
	struct flow_time time;	 /* time of the next message */
	struct map places;	 /* by origin: index in `harts`, plus one */
	VEC(struct hart *) harts;
	struct hart *last; /* hart found last, or NULL */
};

/* --- the program ------------------------------------------------------- */

/* Return why the files of a program do not fit the trace, or NULL. */
static const char *
refuse_image(const struct decoder *decoder, const struct image *image)
{
	enum image_machine machine = image_machine(image);
	bool riscv = machine == IMAGE_RISCV32 || machine == IMAGE_RISCV64;
	if (decoder->ops->flow_form == FLOW_PACKETS)
		return riscv ? NULL : "its program is not for RISC-V";
	return riscv ? "its program is not for Arm" : NULL;
}

/* Open the image of the program.  CoreSight elements need no file. */
static struct image *
open_image(struct trace *trace, struct err *err)
{
	const struct decoder *decoder = trace_decoder(trace);
	struct image *image = image_new();
	int added = naming_add_images(trace_host(trace)->naming, trace_name(trace), image, err);
	const char *why = added > 0 ? refuse_image(decoder, image) : NULL;
	if (!added && decoder->ops->flow_form == FLOW_PACKETS)
		err_set(err, ERR_USAGE,
			"%s: its program is not known, so only its packets can be shown; name the "
			"ELF file in a profile: "
			"`symbols: [{file: PROGRAM.elf}]`",
			trace_name(trace));
	else if (why)
		err_set(err, ERR_UNSUPPORTED, "%s: %s", trace_name(trace), why);
	else if (added >= 0)
		return image;
	image_free(image);
	return NULL;
}

/* Read memory of a target, for a space of the code. */
static const uint8_t *
read_target(const struct flow_space *space, uint64_t address, size_t *length)
{
	const struct flow *flow = space->memory;
	const struct decoder *decoder = flow->decoder;
	const uint8_t *bytes = NULL;
	if (decoder->ops->memory)
		bytes = decoder->ops->memory(decoder, &space->whose, address, length);
	return bytes ? bytes : image_find(flow->image, address, length);
}

/* --- walks ------------------------------------------------------------- */

static void
take_step(void *context, const struct flow_step *step)
{
	const struct hart *hart = context;
	struct flow *flow = hart->flow;
	if (flow->form->held)
		flow_hold_add(flow->hold, hart->number, &flow->place, step);
	else
		flow->take(flow->context, &flow->place, step);
}

static const struct flow_walk_form *const forms[] = {
    [FLOW_PACKETS] = &etrace_walk_form,
    [FLOW_ELEMENTS] = &coresight_walk_form,
};

bool
flow_has_elements(const struct trace *trace)
{
	const struct decoder_ops *ops = trace_decoder(trace)->ops;
	return ops->flow && ops->flow_form == FLOW_ELEMENTS;
}

struct flow *
flow_new(struct trace *trace, flow_take *take, void *context, struct err *err)
{
	const struct decoder *decoder = trace_decoder(trace);
	if (!decoder->ops->flow) {
		err_set(err, ERR_USAGE,
			"%s: only E-Trace and CoreSight trace are followed through their program",
			trace_name(trace));
		return NULL;
	}
	struct image *image = open_image(trace, err);
	if (!image)
		return NULL;
	struct flow *flow = mem_new(sizeof *flow);
	*flow = (struct flow){.decoder = decoder,
			      .form = forms[decoder->ops->flow_form],
			      .image = image,
			      .code = flow_code_new(image),
			      .hold = flow_hold_new(take, context),
			      .take = take,
			      .context = context};
	return flow;
}

static void
drop_harts(struct flow *flow)
{
	for (size_t i = 0; i < flow->harts.count; i++) {
		flow->form->close(flow->harts.at[i]->walk);
		free(flow->harts.at[i]);
	}
	vec_free(&flow->harts);
	map_free(&flow->places);
	flow->last = NULL;
}

void
flow_free(struct flow *flow)
{
	if (!flow)
		return;
	drop_harts(flow);
	flow_hold_free(flow->hold);
	flow_code_free(flow->code);
	image_free(flow->image);
	free(flow);
}

struct flow_code *
flow_code_of(struct flow *flow)
{
	return flow->code;
}

/* Add a hart.  The one after HARTS_MOST stands for all further ones and is not followed. */
static struct hart *
add_hart(struct flow *flow, uint64_t origin)
{
	struct hart *hart = mem_new(sizeof *hart);
	*hart =
	    (struct hart){.flow = flow, .origin = origin, .number = (unsigned)flow->harts.count};
	const struct flow_space space = {
	    .read = read_target, .memory = flow, .whose = {.origin = origin}};
	hart->walk = flow->form->open(flow->code, &space, take_step, hart);
	*vec_add(&flow->harts) = hart;
	if (flow->harts.count <= HARTS_MOST)
		*map_add(&flow->places, origin) = flow->harts.count;
	return hart;
}

/* Return the hart of an origin, or NULL if it has none. */
static struct hart *
find_hart(struct flow *flow, uint64_t origin)
{
	if (flow->last && flow->last->origin == origin)
		return flow->last;
	const uint64_t *found = map_find(&flow->places, origin);
	if (!found)
		return NULL;
	flow->last = flow->harts.at[*found - 1];
	return flow->last;
}

static struct hart *
make_hart(struct flow *flow, uint64_t origin)
{
	if (flow->harts.count > HARTS_MOST)
		return flow->harts.at[HARTS_MOST];
	return add_hart(flow, origin);
}

/* --- states ------------------------------------------------------------ */

struct flow_state *
flow_save(const struct flow *flow, size_t *size)
{
	const struct flow_code *code = flow->code;
	*size = flow_hold_size(flow->hold, FLOW_STATE_FRAMES) +
		code->spaces.count * sizeof *code->spaces.at;
	for (size_t i = 0; i < flow->harts.count; i++)
		*size += flow->form->size(flow->harts.at[i]->walk);
	if (*size > FLOW_STATE_MOST)
		return NULL;
	struct flow_state *state = mem_new(sizeof *state);
	state->form = flow->form;
	state->hold = flow_hold_copy(flow->hold, FLOW_STATE_FRAMES, NULL, NULL);
	vec_fit(&state->spaces, code->spaces.count);
	vec_fit(&state->harts, flow->harts.count);
	for (size_t i = 0; i < code->spaces.count; i++)
		*vec_add(&state->spaces) = code->spaces.at[i];
	for (size_t i = 0; i < flow->harts.count; i++) {
		const struct hart *hart = flow->harts.at[i];
		vec_add(&state->harts)->origin = hart->origin;
		state->harts.at[i].walk = flow->form->copy(hart->walk, NULL, NULL, NULL, NULL);
	}
	return state;
}

void
flow_state_free(struct flow_state *state)
{
	if (!state)
		return;
	for (size_t i = 0; i < state->harts.count; i++)
		state->form->close(state->harts.at[i].walk);
	vec_free(&state->harts);
	vec_free(&state->spaces);
	flow_hold_free(state->hold);
	free(state);
}

/* Number the spaces of the code as in the state, with this flow's own memory. */
static void
restore_spaces(struct flow *flow, const struct flow_state *state)
{
	struct flow_code *code = flow->code;
	size_t same = 0;
	for (size_t i = 0; i < state->spaces.count; i++) {
		struct flow_space space = state->spaces.at[i];
		if (space.read != read_target)
			space = code->spaces.at[i]; /* the image is the first space of any flow */
		else
			space.memory = flow;
		if (i < code->spaces.count && !memcmp(&space, &code->spaces.at[i], sizeof space))
			same++;
		if (i >= code->spaces.count)
			*vec_add(&code->spaces) = space;
		code->spaces.at[i] = space;
	}
	if (same < state->spaces.count)
		memset(code->slots, 0, sizeof code->slots);
}

void
flow_restore(struct flow *flow, const struct flow_state *state)
{
	drop_harts(flow);
	flow_hold_free(flow->hold);
	flow->hold = state
			 ? flow_hold_copy(state->hold, FLOW_STATE_FRAMES, flow->take, flow->context)
			 : flow_hold_new(flow->take, flow->context);
	if (state)
		restore_spaces(flow, state);
	for (size_t i = 0; state && i < state->harts.count; i++) {
		struct hart *hart = add_hart(flow, state->harts.at[i].origin);
		flow->form->close(hart->walk);
		hart->walk =
		    flow->form->copy(state->harts.at[i].walk, flow->code, flow, take_step, hart);
	}
}

/* --- messages ---------------------------------------------------------- */

void
flow_message(struct flow *flow, struct reader *r, const struct message *m, uint64_t number,
	     bool chosen)
{
	struct window window = reader_window(r);
	struct flow_packet packet;
	const struct hart *hart = find_hart(flow, m->origin);
	const struct flow_modes *modes =
	    hart && flow->form->modes ? flow->form->modes(hart->walk) : NULL;
	flow->decoder->ops->flow(flow->decoder, m, &window, modes, &packet);
	if (packet.kind == FLOW_NOTHING)
		return;
	flow->place = (struct flow_place){
	    .number = number, .origin = m->origin, .chosen = chosen, .time = flow->time};
	if (packet.all) {
		for (size_t i = 0; i < flow->harts.count && i < HARTS_MOST; i++)
			flow->form->packet(flow->harts.at[i]->walk, &packet);
		return;
	}
	if (!hart)
		hart = make_hart(flow, m->origin);
	if (hart->number < HARTS_MOST)
		flow->form->packet(hart->walk, &packet);
	else
		take_step((void *)(uintptr_t)hart,
			  &(struct flow_step){.kind = FLOW_STEP_DAMAGE,
					      .why = "too many harts to follow"});
}

void
flow_set_time(struct flow *flow, const struct flow_time *time)
{
	flow->time = *time;
}

void
flow_end(struct flow *flow)
{
	flow_hold_end(flow->hold);
}
