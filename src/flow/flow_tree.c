/*
 * Counts executed instructions by call path: see flow_tree.h.
 *
 * A run is cached by its first address, as pieces of one function each.  A step costs one map
 * lookup for each piece.  A frame is below the node of its call, so the caller's own instructions
 * and its callees share a node.
 */
#include "config.h"

#include "flow/flow_tree.h"
#include "base/byte_map.h"
#include "base/map.h"
#include "flow/call_stack.h"
#include "flow/flow_clock.h"
#include "trace/naming.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
	CHAIN_MOST = 32,	  /* functions inlined into each other */
	ADDRESSES_MOST = 1 << 20, /* addresses with a cached chain */
	NAMELESS_MOST = 1 << 20	  /* functions without a name */
};

/* A function, by name or by start address. */
struct tree_function {
	const char *name; /* NULL: use `address` */
	uint64_t address;
	bool inlined;
};

/* A function with the functions that it is inlined into. */
struct tree_chain {
	uint32_t parent; /* chain that it is inlined into, or CHAIN_NONE */
	uint32_t function;
};

/* Instructions of a run that are in one chain. */
struct tree_piece {
	uint32_t chain, count;
};

struct tree_run {
	bool filled;
	uint16_t space;
	uint32_t count;
	uint64_t first, end;
	VEC(struct tree_piece) pieces;
};

/* Maxima for a call of a function. */
struct tree_most {
	uint64_t count, time;
};

struct tree_frame {
	uint32_t above;	  /* node above its functions */
	uint32_t running; /* function of the call, by `function_of`; NONE: not yet entered */
	uint64_t entry;	  /* its address */
	uint64_t since;	  /* `count` of the processor at the begin of the call */
	struct flow_began began;
};

struct tree_processor {
	struct call_stack stack;
	struct flow_shares cycles; /* instructions since the last cycle count */
	struct flow_clock clock;
	struct tree_frame base; /* below the first call */
	VEC(struct tree_frame) frames;
	uint64_t count; /* counted instructions */
};

struct flow_tree {
	struct trace *trace;
	struct flow_code *code;
	struct flow_tree_sums sums;
	struct map processors_by; /* origin: index in `processors`, plus one */
	VEC(struct tree_processor) processors;
	/* function numbers, plus one: by the address of a name and by the name, inlined or not; by
	 * code address */
	struct map texts_by[2], addresses_by;
	struct byte_map names_by[2];
	struct map chains_at; /* address: chain and flags, see chain_at */
	struct map chains_by; /* parent and function: number */
	struct map nodes_by;  /* parent and function: number */
	VEC(struct tree_function) functions;
	VEC(struct tree_most) most; /* by function */
	VEC(struct tree_chain) chains;
	VEC(struct flow_tree_node) nodes;
	struct tree_run runs[FLOW_TREE_RUNS]; /* by the low bits of the first address */
};

enum { NONE = UINT32_MAX, CHAIN_NONE = 0 };

/* --- functions --------------------------------------------------------- */

static uint32_t
add_function(struct flow_tree *tree, uint64_t *known, struct tree_function function)
{
	if (*known)
		return (uint32_t)*known - 1;
	*vec_add(&tree->functions) = function;
	(void)vec_add(&tree->most);
	*known = tree->functions.count;
	return (uint32_t)*known - 1;
}

/* Return the function of a name.  Equal names at different addresses are one function. */
static uint32_t
function_named(struct flow_tree *tree, const char *name, bool inlined)
{
	uint64_t *known = map_add(&tree->texts_by[inlined], (uintptr_t)name);
	if (*known)
		return (uint32_t)*known - 1;
	size_t length = strlen(name);
	struct byte_map_entry *found =
	    byte_map_add(&tree->names_by[inlined], byte_map_hash(name, length), name, length);
	uint32_t function = add_function(tree, &found->value,
					 (struct tree_function){.name = name, .inlined = inlined});
	*known = (uint64_t)function + 1;
	return function;
}

/* Return the function without a name that begins at ADDRESS. */
static uint32_t
function_from(struct flow_tree *tree, uint64_t address)
{
	uint64_t *known = map_find(&tree->addresses_by, address);
	if (!known && tree->addresses_by.count == NAMELESS_MOST)
		return FLOW_TREE_UNKNOWN;
	if (!known)
		known = map_add(&tree->addresses_by, address);
	return add_function(tree, known, (struct tree_function){.address = address});
}

struct flow_tree *
flow_tree_new(struct trace *trace, struct flow_code *code)
{
	static const char unknown[] = "[unknown]";
	struct flow_tree *tree = mem_new(sizeof *tree);
	tree->trace = trace;
	tree->code = code;
	function_named(tree, unknown, false);
	(void)vec_add(&tree->chains);
	(void)vec_add(&tree->nodes);
	return tree;
}

void
flow_tree_free(struct flow_tree *tree)
{
	if (!tree)
		return;
	for (size_t i = 0; i < tree->processors.count; i++) {
		call_stack_free(&tree->processors.at[i].stack);
		vec_free(&tree->processors.at[i].frames);
		flow_clock_free(&tree->processors.at[i].clock);
	}
	for (size_t i = 0; i < FLOW_TREE_RUNS; i++)
		vec_free(&tree->runs[i].pieces);
	vec_free(&tree->processors);
	vec_free(&tree->functions);
	vec_free(&tree->most);
	vec_free(&tree->chains);
	vec_free(&tree->nodes);
	map_free(&tree->processors_by);
	map_free(&tree->texts_by[0]);
	map_free(&tree->texts_by[1]);
	byte_map_free(&tree->names_by[0]);
	byte_map_free(&tree->names_by[1]);
	map_free(&tree->addresses_by);
	map_free(&tree->chains_at);
	map_free(&tree->chains_by);
	map_free(&tree->nodes_by);
	free(tree);
}

static uint32_t
chain_of(struct flow_tree *tree, uint32_t parent, uint32_t function)
{
	uint64_t *known = map_add(&tree->chains_by, (uint64_t)parent << 32 | function);
	if (!*known) {
		*known = tree->chains.count;
		*vec_add(&tree->chains) = (struct tree_chain){parent, function};
	}
	return (uint32_t)*known;
}

static uint32_t
find_chain(struct flow_tree *tree, uint64_t address, bool *start)
{
	const struct trace *trace = tree->trace;
	struct naming *naming = trace_host(trace)->naming;
	const char *inlined[CHAIN_MOST];
	struct symbol_place place;
	naming_find(naming, trace_name(trace), address, &place);
	*start = !place.offset;
	if (!place.function || place.function == naming_unknown)
		return CHAIN_NONE;
	uint32_t chain = chain_of(tree, CHAIN_NONE, function_named(tree, place.function, false));
	size_t count = naming_inlined(naming, trace_name(trace), address, inlined, CHAIN_MOST);
	for (size_t i = 0; i < count; i++)
		chain = chain_of(tree, chain, function_named(tree, inlined[i], true));
	return chain;
}

/* Return the chain of functions at ADDRESS, or CHAIN_NONE if none has a name.  *START (may be
 * NULL) is true at the first address of the outermost one. */
static uint32_t
chain_at(struct flow_tree *tree, uint64_t address, bool *start)
{
	if (tree->chains_at.count == ADDRESSES_MOST)
		map_free(&tree->chains_at);
	uint64_t *known = map_add(&tree->chains_at, address);
	bool first = *known >> 1 & 1;
	if (!*known) {
		uint64_t chain = find_chain(tree, address, &first);
		*known = chain << 2 | (uint64_t)first << 1 | 1;
	}
	if (start)
		*start = first;
	return (uint32_t)(*known >> 2);
}

/* --- nodes ------------------------------------------------------------- */

/* Return the node of FUNCTION below PARENT, or NONE if there are too many. */
static uint32_t
node_of(struct flow_tree *tree, uint32_t parent, uint32_t function)
{
	uint64_t key = (uint64_t)parent << 32 | function;
	const uint64_t *found = map_find(&tree->nodes_by, key);
	if (parent == NONE)
		return NONE;
	if (found)
		return (uint32_t)*found;
	if (tree->nodes.count == FLOW_TREE_NODES_MOST)
		return NONE;
	*map_add(&tree->nodes_by, key) = tree->nodes.count;
	*vec_add(&tree->nodes) = (struct flow_tree_node){.parent = parent, .function = function};
	return (uint32_t)tree->nodes.count - 1;
}

static uint32_t
outermost_of(const struct flow_tree *tree, uint32_t chain)
{
	while (tree->chains.at[chain].parent != CHAIN_NONE)
		chain = tree->chains.at[chain].parent;
	return tree->chains.at[chain].function;
}

/* Return the function that FRAME runs in CHAIN.  UNSURE: it may not be the one that was called. */
static uint32_t
function_of(struct flow_tree *tree, const struct tree_frame *frame, uint32_t chain, bool unsure)
{
	if (chain != CHAIN_NONE)
		return outermost_of(tree, chain);
	return frame->entry && !unsure ? function_from(tree, frame->entry)
				       : (uint32_t)FLOW_TREE_UNKNOWN;
}

/* Return the node of FUNCTION in FRAME.  UNSURE: calls may be missing between them, so add one
 * `[unknown]` for those. */
static uint32_t
node_below(struct flow_tree *tree, const struct tree_frame *frame, uint32_t function, bool unsure)
{
	uint32_t above = frame->above;
	bool shown =
	    above == NONE || function == FLOW_TREE_UNKNOWN ||
	    (above != FLOW_TREE_ROOT && tree->nodes.at[above].function == FLOW_TREE_UNKNOWN);
	if (unsure && !shown)
		above = node_of(tree, above, FLOW_TREE_UNKNOWN);
	return node_of(tree, above, function);
}

/* Return the node for instructions of CHAIN in FRAME. */
static uint32_t
node_in(struct flow_tree *tree, const struct tree_frame *frame, uint32_t chain, bool unsure)
{
	uint32_t inlined[CHAIN_MOST], node, count = 0;
	for (; tree->chains.at[chain].parent != CHAIN_NONE; chain = tree->chains.at[chain].parent)
		inlined[count++] = tree->chains.at[chain].function;
	node = node_below(tree, frame, function_of(tree, frame, chain, unsure), unsure);
	while (count)
		node = node_of(tree, node, inlined[--count]);
	return node;
}

/* --- frames ------------------------------------------------------------ */

static struct tree_frame *
newest_frame(struct tree_processor *p)
{
	return p->frames.count ? &p->frames.at[p->frames.count - 1] : &p->base;
}

/* Note that a call of FUNCTION took TIME. */
static void
note_time(void *context, uint32_t function, uint64_t time)
{
	struct flow_tree *tree = context;
	if (tree->most.at[function].time < time)
		tree->most.at[function].time = time;
}

/* End the function of a frame, at its return or at a jump to another function. */
static void
end_function(struct flow_tree *tree, struct tree_processor *p, const struct tree_frame *frame)
{
	if (frame->running == NONE)
		return;
	struct tree_most *most = &tree->most.at[frame->running];
	if (most->count < p->count - frame->since)
		most->count = p->count - frame->since;
	flow_clock_end_call(&p->clock, frame->running, &frame->began, note_time, tree);
}

/* Return the node that CALL was made from. */
static uint32_t
node_above(struct flow_tree *tree, const struct tree_frame *caller, const struct call_frame *call)
{
	uint64_t address = call->trap ? call->link : call->link - 1;
	if (!call->known)
		return node_below(tree, caller, FLOW_TREE_UNKNOWN, call->unsure);
	return node_in(tree, caller, chain_at(tree, address, NULL), call->unsure);
}

/* Add and drop frames as the stack did.  A new frame is below the node of its call or trap. */
static void
follow_stack(struct flow_tree *tree, struct tree_processor *p)
{
	struct call_stack *stack = &p->stack;
	for (size_t i = p->frames.count; i > stack->kept; i--)
		end_function(tree, p, &p->frames.at[i - 1]);
	p->frames.count = stack->kept;
	if (stack->unknown && p->base.above == FLOW_TREE_ROOT)
		p->base.above = node_of(tree, FLOW_TREE_ROOT, FLOW_TREE_UNKNOWN);
	for (; stack->kept < stack->frames.count; stack->kept++) {
		const struct call_frame *call = &stack->frames.at[stack->kept];
		const struct tree_frame *caller = newest_frame(p);
		uint32_t above = NONE;
		if (p->frames.count < FLOW_TREE_DEPTH_MOST)
			above = node_above(tree, caller, call);
		*vec_add(&p->frames) = (struct tree_frame){.above = above,
							   .running = NONE,
							   .since = p->count,
							   .began = flow_clock_now(&p->clock)};
	}
}

/* Note that the newest frame executes from ADDRESS on.  This is a call if the frame is new, and
 * a tail call at the start of another function. */
static void
enter_function(struct flow_tree *tree, struct tree_processor *p, uint64_t address, bool counts)
{
	struct tree_frame *frame = newest_frame(p);
	bool start;
	uint32_t chain = chain_at(tree, address, &start);
	bool called = frame->running == NONE;
	if (called && frame != &p->base)
		frame->entry = address;
	uint32_t function = function_of(tree, frame, chain, p->stack.unsure);
	if (function == frame->running)
		return;
	bool jumped = !called && chain != CHAIN_NONE && start;
	if (!called && !jumped)
		return;
	end_function(tree, p, frame);
	frame->running = function;
	frame->since = p->count;
	frame->began = flow_clock_now(&p->clock);
	if (!counts || (called && frame == &p->base))
		return;
	uint32_t node = node_below(tree, frame, function, p->stack.unsure);
	if (node != NONE)
		tree->nodes.at[node].calls++;
}

/* --- runs -------------------------------------------------------------- */

static void
add_piece(struct tree_run *run, uint32_t chain, uint32_t count)
{
	struct tree_piece *last = run->pieces.count ? &run->pieces.at[run->pieces.count - 1] : NULL;
	if (last && last->chain == chain)
		last->count += count;
	else
		*vec_add(&run->pieces) = (struct tree_piece){chain, count};
}

/* Return the pieces of a run.  If the program lacks an instruction, the rest is one piece. */
static const struct tree_run *
run_of(struct flow_tree *tree, const struct flow_step *step)
{
	struct tree_run *run = &tree->runs[step->first >> 1 & (FLOW_TREE_RUNS - 1)];
	if (run->filled && run->first == step->first && run->end == step->end &&
	    run->space == step->space && run->count == step->count)
		return run;
	run->filled = true;
	run->first = step->first;
	run->end = step->end;
	run->space = step->space;
	run->count = step->count;
	vec_clear(&run->pieces);
	uint64_t address = step->first;
	for (uint32_t left = step->count, length = 1; left && length; left--) {
		uint32_t chain = chain_at(tree, address, NULL);
		length = flow_code_find_in(tree->code, step->space, address)->length;
		add_piece(run, chain, length ? 1 : left);
		address += length;
	}
	return run;
}

/* Divide the cycles among the instructions since the last count. */
static void
count_cycles(struct flow_tree *tree, struct tree_processor *p, uint64_t cycles)
{
	uint64_t parts[FLOW_SHARES_MOST];
	size_t count = flow_shares_divide(&p->cycles, cycles, parts);
	tree->sums.cycles += cycles;
	for (size_t i = 0; i < count; i++)
		tree->nodes.at[p->cycles.at[i].node].cycles += parts[i];
	if (!count)
		tree->nodes.at[FLOW_TREE_ROOT].cycles += cycles;
	flow_shares_given(&p->cycles);
}

/* --- times ------------------------------------------------------------- */

/* Resolve the begins of calls in the last message.  They are the newest frames. */
static void
resolve_calls(struct tree_processor *p, uint64_t passed)
{
	size_t i = p->frames.count;
	while (i && flow_clock_resolve(&p->clock, &p->frames.at[i - 1].began, passed))
		i--;
	flow_clock_resolve(&p->clock, &p->base.began, passed);
}

/* Divide the time up to the last message, once all its instructions are added. */
static void
count_time(struct flow_tree *tree, struct tree_processor *p)
{
	uint64_t parts[FLOW_SHARES_MOST], passed;
	bool estimated;
	if (!flow_clock_passed(&p->clock, &passed, &estimated))
		return;
	size_t count = flow_shares_divide(&p->clock.shares, passed, parts);
	for (size_t i = 0; i < count; i++) {
		struct flow_tree_node *node = &tree->nodes.at[p->clock.shares.at[i].node];
		node->time += parts[i];
		node->estimated |= estimated;
	}
	tree->sums.timed = true;
	flow_shares_given(&p->clock.shares);
	resolve_calls(p, passed);
	flow_clock_go_on(&p->clock, passed, note_time, tree);
}

/* Stop the clock: the time of the next instructions is unknown up to the next message. */
static void
stop_clock(struct flow_tree *tree, struct tree_processor *p)
{
	count_time(tree, p);
	resolve_calls(p, 0);
	flow_clock_stop(&p->clock, note_time, tree);
}

static void
take_place(struct flow_tree *tree, struct tree_processor *p, const struct flow_place *place)
{
	if (flow_clock_is_at(&p->clock, place))
		return;
	count_time(tree, p);
	flow_clock_move(&p->clock, place);
}

void
flow_tree_end(struct flow_tree *tree)
{
	for (size_t i = 0; i < tree->processors.count; i++)
		stop_clock(tree, &tree->processors.at[i]);
}

static void
count_piece(struct flow_tree *tree, struct tree_processor *p, const struct tree_piece *piece)
{
	const struct tree_frame *frame = newest_frame(p);
	uint32_t node = node_in(tree, frame, piece->chain, p->stack.unsure);
	tree->sums.all += piece->count;
	if (piece->chain == CHAIN_NONE)
		tree->sums.nameless += piece->count;
	if (node == NONE)
		tree->sums.beyond += piece->count;
	else
		tree->nodes.at[node].count += piece->count;
	node = node == NONE ? FLOW_TREE_ROOT : node;
	flow_shares_add(&p->cycles, node, piece->count);
	flow_clock_add(&p->clock, node, piece->count);
}

static struct tree_processor *
processor_of(struct flow_tree *tree, uint64_t origin)
{
	uint64_t *found = map_add(&tree->processors_by, origin);
	if (!*found) {
		vec_add(&tree->processors)->base.running = NONE;
		*found = tree->processors.count;
	}
	return &tree->processors.at[*found - 1];
}

void
flow_tree_step(struct flow_tree *tree, const struct flow_place *place, const struct flow_step *step)
{
	struct tree_processor *p = processor_of(tree, place->origin);
	bool counts = place->chosen && !step->doubtful;
	if (step->kind == FLOW_STEP_CYCLES) {
		if (counts)
			count_cycles(tree, p, step->cycles);
		return;
	}
	call_stack_step(&p->stack, step);
	bool lost = step->kind == FLOW_STEP_UNSEEN || step->kind == FLOW_STEP_DAMAGE;
	if (lost)
		p->cycles.count = 0; /* the next cycles belong to no known code */
	if (lost || !counts)
		stop_clock(tree, p);
	if (step->kind == FLOW_STEP_DAMAGE) {
		end_function(tree, p, &p->base);
		p->base.running = NONE;
	}
	if (step->kind != FLOW_STEP_RUN)
		return;
	take_place(tree, p, place);
	follow_stack(tree, p);
	enter_function(tree, p, step->first, counts);
	if (!counts)
		return;
	p->count += step->count;
	const struct tree_run *run = run_of(tree, step);
	if (p->stack.above) { /* calls that are only counted */
		tree->sums.all += step->count;
		tree->sums.beyond += step->count;
		return;
	}
	for (size_t i = 0; i < run->pieces.count; i++)
		count_piece(tree, p, &run->pieces.at[i]);
}

/* --- results ----------------------------------------------------------- */

size_t
flow_tree_count(const struct flow_tree *tree)
{
	return tree->nodes.count;
}

const struct flow_tree_node *
flow_tree_node(const struct flow_tree *tree, size_t node)
{
	return &tree->nodes.at[node];
}

struct flow_tree_sums
flow_tree_sums(const struct flow_tree *tree)
{
	return tree->sums;
}

bool
flow_tree_add_name(const struct flow_tree *tree, uint32_t function, bool *inlined, struct text *out)
{
	const struct tree_function *own = &tree->functions.at[function];
	if (inlined)
		*inlined = own->inlined;
	if (own->name)
		text_add(out, own->name);
	else
		text_addf(out, "0x%" PRIx64, own->address);
	return function != FLOW_TREE_UNKNOWN && own->name && !own->inlined;
}

/* Sum of a node and all nodes below it. */
struct tree_sum {
	uint64_t count, cycles, time;
	uint32_t next, child;
};

/* Sum the nodes, last first, as children have higher numbers than their parent. */
static struct tree_sum *
sum_nodes(const struct flow_tree *tree)
{
	struct tree_sum *sums = mem_new(tree->nodes.count * sizeof *sums);
	for (size_t i = tree->nodes.count - 1; i; i--) {
		const struct flow_tree_node *node = &tree->nodes.at[i];
		struct tree_sum *parent = &sums[node->parent];
		sums[i].count += node->count;
		sums[i].cycles += node->cycles;
		sums[i].time += node->time;
		parent->count += sums[i].count;
		parent->cycles += sums[i].cycles;
		parent->time += sums[i].time;
		sums[i].next = parent->child;
		parent->child = (uint32_t)i;
	}
	return sums;
}

/* Add the sums of the nodes that are not below a node of the same function. */
static void
add_totals(const struct flow_tree *tree, struct flow_function *functions)
{
	struct tree_sum *sums = sum_nodes(tree);
	uint32_t *open = mem_new(tree->functions.count * sizeof *open);
	for (uint32_t at = sums[FLOW_TREE_ROOT].child; at;) {
		uint32_t function = tree->nodes.at[at].function;
		if (!open[function]++) {
			functions[function].total += sums[at].count;
			functions[function].total_cycles += sums[at].cycles;
			functions[function].total_time += sums[at].time;
		}
		if (sums[at].child) {
			at = sums[at].child;
			continue;
		}
		for (; at; at = tree->nodes.at[at].parent) {
			open[tree->nodes.at[at].function]--;
			if (sums[at].next)
				break;
		}
		at = sums[at].next;
	}
	free(sums);
	free(open);
}

static void
note_most(const struct tree_processor *p, const struct tree_frame *frame,
	  struct flow_function *functions)
{
	if (frame->running == NONE)
		return;
	struct flow_function *function = &functions[frame->running];
	uint64_t time = flow_clock_elapsed(&p->clock, &frame->began);
	if (function->most < p->count - frame->since)
		function->most = p->count - frame->since;
	if (function->most_time < time)
		function->most_time = time;
}

/* Add the calls that have not ended. */
static void
add_open(const struct tree_processor *p, struct flow_function *functions)
{
	note_most(p, &p->base, functions);
	for (size_t i = 0; i < p->frames.count; i++)
		note_most(p, &p->frames.at[i], functions);
}

struct flow_function *
flow_tree_functions(const struct flow_tree *tree, size_t *count)
{
	struct flow_function *functions = mem_new(tree->functions.count * sizeof *functions);
	*count = 0;
	for (size_t i = 0; i < tree->functions.count; i++)
		functions[i] = (struct flow_function){.function = (uint32_t)i,
						      .most = tree->most.at[i].count,
						      .most_time = tree->most.at[i].time};
	for (size_t i = 0; i < tree->processors.count; i++)
		add_open(&tree->processors.at[i], functions);
	for (size_t i = 1; i < tree->nodes.count; i++) {
		const struct flow_tree_node *node = &tree->nodes.at[i];
		functions[node->function].self += node->count;
		functions[node->function].cycles += node->cycles;
		functions[node->function].time += node->time;
		functions[node->function].estimated |= node->estimated;
		functions[node->function].calls += node->calls;
	}
	add_totals(tree, functions);
	for (size_t i = 0; i < tree->functions.count; i++)
		if (functions[i].total || functions[i].calls)
			functions[(*count)++] = functions[i];
	return functions;
}
