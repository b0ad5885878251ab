/*
 * `-t folded`: in which calls instructions were executed, as programs that draw flame graphs
 * read it:
 *
 *	main;work;isqrt 1234
 *
 * A tree of functions, each with the instructions that were executed in it itself.  The
 * functions of the frames of a stack are found when they are first on it, so a step costs a
 * look into two maps.  What is doubtful is not counted.  Memory: 32 bytes for each stack that
 * there was, NODES_MOST at most.
 */
#include "config.h"

#include "base/map.h"
#include "export/export_flow.h"
#include "flow/call_stack.h"
#include "trace/naming.h"

#include <inttypes.h>
#include <stdlib.h>

enum { NODES_MOST = 1 << 20, FUNCTION_UNKNOWN = 0, NODE_NONE = UINT32_MAX };

struct node {
	uint32_t parent, function;
	uint64_t count; /* instructions */
};

/* A processor, and the nodes of the frames of its stack. */
struct hart_stack {
	struct call_stack stack;
	VEC(uint32_t) nodes;
};

struct folded_run {
	struct export_flow flow; /* comes first */
	struct map stacks_by;	 /* origin: place in `stacks` and one */
	VEC(struct hart_stack) stacks;
	struct map by_address, by_name, by_place; /* number and one; by_place: of a node's parent
						     and function */
	VEC(const char *) functions;
	VEC(struct node) nodes;
};

/* The number of the function that ADDRESS lies in. */
static uint32_t
function_at(struct folded_run *run, uint64_t address)
{
	struct symbol_place place;
	uint64_t *known = map_add(&run->by_address, address);
	if (*known)
		return (uint32_t)*known - 1;
	const struct trace *trace = run->flow.trace;
	naming_find(trace_host(trace)->naming, trace_name(trace), address, &place);
	uint64_t *named = place.function ? map_add(&run->by_name, (uintptr_t)place.function) : NULL;
	if (named && !*named) {
		*vec_add(&run->functions) = place.function;
		*named = run->functions.count;
	}
	*known = named ? *named : FUNCTION_UNKNOWN + 1;
	return (uint32_t)*known - 1;
}

/* The node of FUNCTION called by PARENT, which stands for both where there are too many. */
static uint32_t
node_of(struct folded_run *run, uint32_t parent, uint32_t function)
{
	uint64_t key = (uint64_t)parent << 32 | function;
	const uint64_t *found = map_find(&run->by_place, key);
	if (found)
		return (uint32_t)*found - 1;
	if (run->nodes.count == NODES_MOST)
		return parent == NODE_NONE ? 0 : parent;
	*vec_add(&run->nodes) = (struct node){.parent = parent, .function = function};
	*map_add(&run->by_place, key) = run->nodes.count;
	return (uint32_t)run->nodes.count - 1;
}

/* A frame is the function that calls, or that a trap interrupts. */
static uint64_t
frame_address(const struct call_frame *frame)
{
	return frame->trap ? frame->link : frame->link - 1;
}

/* The node that the functions called by the last frame are below. */
static uint32_t
stack_node(struct folded_run *run, struct hart_stack *hart)
{
	struct call_stack *stack = &hart->stack;
	uint32_t node =
	    stack->unknown ? node_of(run, NODE_NONE, FUNCTION_UNKNOWN) : (uint32_t)NODE_NONE;
	if (stack->kept)
		node = hart->nodes.at[stack->kept - 1];
	hart->nodes.count = stack->kept;
	for (; stack->kept < stack->frames.count; stack->kept++) {
		const struct call_frame *frame = &stack->frames.at[stack->kept];
		uint32_t function =
		    frame->known ? function_at(run, frame_address(frame)) : FUNCTION_UNKNOWN;
		node = node_of(run, node, function);
		*vec_add(&hart->nodes) = node;
	}
	return node;
}

/* Instructions that lie one behind the other are seldom of two functions. */
static void
count_run(struct folded_run *run, uint32_t above, const struct flow_step *step)
{
	uint32_t function = function_at(run, step->first);
	if (function == function_at(run, step->end - 1)) {
		uint32_t node = node_of(run, above, function);
		run->nodes.at[node].count += step->count;
		return;
	}
	struct flow_code *code = flow_code_of(run->flow.flow);
	uint64_t address = step->first;
	for (uint32_t left = step->count, length = 1; left && length; left--) {
		uint32_t node = node_of(run, above, function_at(run, address));
		length = flow_code_find_in(code, step->space, address)->length;
		/* where the program ends, the rest is all that is known */
		run->nodes.at[node].count += length ? 1 : left;
		address += length;
	}
}

static void
take_step(void *context, const struct flow_place *place, const struct flow_step *step)
{
	struct folded_run *run = context;
	uint64_t *found = map_add(&run->stacks_by, place->origin);
	if (!*found) {
		*vec_add(&run->stacks) = (struct hart_stack){0};
		*found = run->stacks.count;
	}
	struct hart_stack *hart = &run->stacks.at[*found - 1];
	call_stack_step(&hart->stack, step);
	if (step->kind == FLOW_STEP_RUN && place->chosen && !step->doubtful)
		count_run(run, stack_node(run, hart), step);
}

static void
add_name(struct folded_run *run, uint32_t function, struct text *out)
{
	const char *name = run->functions.at[function];
	size_t from = out->length;
	text_add_safe(out, name, strlen(name), run->flow.options->charset);
	for (size_t i = from; i < out->length; i++)
		if (out->data[i] == ';')
			out->data[i] = ':';
}

static void
write_nodes(struct folded_run *run)
{
	VEC(uint32_t) path = {0};
	struct text *out = run->flow.sink->out;
	for (size_t i = 0; i < run->nodes.count; i++) {
		if (!run->nodes.at[i].count)
			continue;
		vec_clear(&path);
		for (uint32_t at = (uint32_t)i; at != NODE_NONE; at = run->nodes.at[at].parent)
			*vec_add(&path) = at;
		for (size_t k = path.count; k; k--) {
			add_name(run, run->nodes.at[path.at[k - 1]].function, out);
			text_add_char(out, k > 1 ? ';' : ' ');
		}
		text_addf(out, "%" PRIu64 "\n", run->nodes.at[i].count);
		export_flow_flush(&run->flow);
	}
	vec_free(&path);
}

int
export_folded(struct trace *trace, const struct export_options *options,
	      const struct export_sink *sink, struct export_result *result, struct err *err)
{
	struct folded_run run = {.flow = {.take = take_step}};
	*vec_add(&run.functions) = "[unknown]";
	int failed = export_flow_run(&run.flow, trace, options, sink, result, err);
	if (!failed && run.nodes.count && run.functions.count == 1)
		failed =
		    err_set(err, ERR_DATA, "%s: its program names no functions; link it without -s",
			    trace_name(trace));
	if (!failed) {
		write_nodes(&run);
		failed = run.flow.failed;
	}
	for (size_t i = 0; i < run.stacks.count; i++) {
		call_stack_free(&run.stacks.at[i].stack);
		vec_free(&run.stacks.at[i].nodes);
	}
	vec_free(&run.stacks);
	vec_free(&run.functions);
	vec_free(&run.nodes);
	map_free(&run.stacks_by);
	map_free(&run.by_address);
	map_free(&run.by_name);
	map_free(&run.by_place);
	export_flow_end(&run.flow);
	return failed;
}
