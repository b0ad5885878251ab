/*
 * Following the processors of a trace: see flow.h.
 *
 * A walk for each origin; all share the code.  What may be missing of any of them ends all
 * walks until the next synchronisation.
 */
#include "config.h"

#include "flow/flow.h"
#include "base/map.h"
#include "base/vec.h"
#include "flow/etrace_walk.h"
#include "trace/naming.h"

#include <stdlib.h>

enum { HARTS_MOST = 4096 }; /* that are followed, whatever a capture says */

struct hart {
	struct flow *flow;
	struct etrace_walk *walk;
	unsigned number;
};

struct flow {
	const struct decoder *decoder;
	struct image *image;
	struct flow_code *code;
	struct flow_hold *hold;
	struct flow_place place; /* of the message that is being followed */
	struct map places;	 /* by origin: place in `harts` and one */
	VEC(struct hart *) harts;
};

static struct image *
open_image(struct trace *trace, struct err *err)
{
	struct image *image = image_new();
	int added = naming_add_images(trace_host(trace)->naming, trace_name(trace), image, err);
	if (!added)
		err_set(err, ERR_USAGE,
			"%s: its program is not known; name the ELF file in a profile: "
			"`symbols: [{file: PROGRAM.elf}]`",
			trace_name(trace));
	else if (added > 0 && image_machine(image) == IMAGE_OTHER)
		err_set(err, ERR_UNSUPPORTED, "%s: its program is not for RISC-V",
			trace_name(trace));
	else if (added > 0)
		return image;
	image_free(image);
	return NULL;
}

struct flow *
flow_new(struct trace *trace, flow_take *take, void *context, struct err *err)
{
	const struct decoder *decoder = trace_decoder(trace);
	if (!decoder->ops->flow) {
		err_set(err, ERR_USAGE, "%s: only E-Trace is followed through its program",
			trace_name(trace));
		return NULL;
	}
	struct image *image = open_image(trace, err);
	if (!image)
		return NULL;
	struct flow *flow = mem_new(sizeof *flow);
	*flow = (struct flow){.decoder = decoder,
			      .image = image,
			      .code = flow_code_new(image),
			      .hold = flow_hold_new(take, context)};
	return flow;
}

void
flow_free(struct flow *flow)
{
	if (!flow)
		return;
	for (size_t i = 0; i < flow->harts.count; i++) {
		etrace_walk_free(flow->harts.at[i]->walk);
		free(flow->harts.at[i]);
	}
	vec_free(&flow->harts);
	map_free(&flow->places);
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

static void
take_step(void *context, const struct flow_step *step)
{
	const struct hart *hart = context;
	flow_hold_add(hart->flow->hold, hart->number, &hart->flow->place, step);
}

static struct hart *
add_hart(struct flow *flow)
{
	struct hart *hart = mem_new(sizeof *hart);
	*hart = (struct hart){.flow = flow, .number = (unsigned)flow->harts.count};
	hart->walk = etrace_walk_new(flow->code, take_step, hart);
	*vec_add(&flow->harts) = hart;
	return hart;
}

/* Where there are too many, all that are more are one, which is not followed. */
static struct hart *
hart_of(struct flow *flow, uint64_t origin)
{
	const uint64_t *found = map_find(&flow->places, origin);
	if (found)
		return flow->harts.at[*found - 1];
	if (flow->harts.count > HARTS_MOST)
		return flow->harts.at[HARTS_MOST];
	struct hart *hart = add_hart(flow);
	if (flow->harts.count <= HARTS_MOST)
		*map_add(&flow->places, origin) = flow->harts.count;
	return hart;
}

void
flow_message(struct flow *flow, struct reader *r, const struct message *m, uint64_t number,
	     bool chosen)
{
	struct window window = reader_window(r);
	struct flow_packet packet;
	flow->decoder->ops->flow(flow->decoder, m, &window, &packet);
	if (packet.kind == FLOW_NOTHING)
		return;
	flow->place = (struct flow_place){.number = number, .origin = m->origin, .chosen = chosen};
	if (packet.all) {
		for (size_t i = 0; i < flow->harts.count && i < HARTS_MOST; i++)
			etrace_walk_packet(flow->harts.at[i]->walk, &packet);
		return;
	}
	const struct hart *hart = hart_of(flow, m->origin);
	if (hart->number < HARTS_MOST)
		etrace_walk_packet(hart->walk, &packet);
	else
		take_step((void *)(uintptr_t)hart,
			  &(struct flow_step){.kind = FLOW_STEP_DAMAGE,
					      .why = "too many harts to follow"});
}

void
flow_end(struct flow *flow)
{
	flow_hold_end(flow->hold);
}
