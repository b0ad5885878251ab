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

struct flow {
	const struct decoder *decoder;
	struct image *image;
	struct flow_code *code;
	flow_take *take;
	void *context;
	const struct message *message; /* that is being followed */
	struct map harts;	       /* by origin: place in `walks` and one */
	VEC(struct etrace_walk *) walks;
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
		err_set(err, ERR_UNSUPPORTED, "%s: its program is not one of RISC-V",
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
		err_set(err, ERR_USAGE, "%s: what was executed is followed in E-Trace alone",
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
			      .take = take,
			      .context = context};
	return flow;
}

void
flow_free(struct flow *flow)
{
	if (!flow)
		return;
	for (size_t i = 0; i < flow->walks.count; i++)
		etrace_walk_free(flow->walks.at[i]);
	vec_free(&flow->walks);
	map_free(&flow->harts);
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
	struct flow *flow = context;
	flow->take(flow->context, flow->message, step);
}

/* NULL: there are too many. */
static struct etrace_walk *
walk_of(struct flow *flow, uint64_t origin)
{
	const uint64_t *found = map_find(&flow->harts, origin);
	if (found)
		return flow->walks.at[*found - 1];
	if (flow->walks.count == HARTS_MOST)
		return NULL;
	*vec_add(&flow->walks) = etrace_walk_new(flow->code, take_step, flow);
	*map_add(&flow->harts, origin) = flow->walks.count;
	return flow->walks.at[flow->walks.count - 1];
}

void
flow_message(struct flow *flow, struct reader *r, const struct message *m)
{
	struct window window = reader_window(r);
	struct flow_packet packet;
	flow->decoder->ops->flow(flow->decoder, m, &window, &packet);
	flow->message = m;
	if (packet.kind == FLOW_NOTHING)
		return;
	if (packet.all) {
		for (size_t i = 0; i < flow->walks.count; i++)
			etrace_walk_packet(flow->walks.at[i], &packet);
		return;
	}
	struct etrace_walk *walk = walk_of(flow, m->origin);
	struct flow_step step = {.kind = FLOW_STEP_DAMAGE, .why = "too many harts to follow"};
	if (walk)
		etrace_walk_packet(walk, &packet);
	else
		take_step(flow, &step);
}
