/*
 * `-t folded`: instructions executed in each call stack, in the format of flame graph
 * programs:
 *
 *	main;work;isqrt_[i] 1234
 *
 * `_[i]` marks an inlined function, which those programs colour.  One line counts the
 * instructions of stacks beyond the limits.
 */
#include "config.h"

#include "export/export_flow.h"
#include "flow/flow_tree.h"

#include <inttypes.h>
#include <string.h>

struct folded_run {
	struct export_tree tree; /* must be first */
	struct text name;
};

static void
add_name(struct folded_run *run, uint32_t function, struct text *out)
{
	size_t from = out->length;
	bool inlined;
	text_clear(&run->name);
	flow_tree_add_name(run->tree.tree, function, &inlined, &run->name);
	text_add_safe(out, text_get(&run->name), run->name.length, run->tree.flow.options->charset);
	for (size_t i = from; i < out->length; i++)
		if (out->data[i] == ';')
			out->data[i] = ':';
	text_add(out, inlined ? "_[i]" : "");
}

static void
write_nodes(struct folded_run *run)
{
	VEC(uint32_t) path = {0};
	const struct flow_tree *tree = run->tree.tree;
	struct text *out = run->tree.flow.sink->out;
	uint64_t beyond = flow_tree_sums(tree).beyond;
	for (size_t i = 1; i < flow_tree_count(tree) && !run->tree.flow.failed; i++) {
		const struct flow_tree_node *node = flow_tree_node(tree, i);
		if (!node->count)
			continue;
		vec_clear(&path);
		for (uint32_t at = (uint32_t)i; at != FLOW_TREE_ROOT;
		     at = flow_tree_node(tree, at)->parent)
			*vec_add(&path) = at;
		for (size_t k = path.count; k; k--) {
			add_name(run, flow_tree_node(tree, path.at[k - 1])->function, out);
			text_add_char(out, k > 1 ? ';' : ' ');
		}
		text_addf(out, "%" PRIu64 "\n", node->count);
		export_flow_flush(&run->tree.flow);
	}
	if (beyond)
		text_addf(out, "[stacks that were too many or too deep] %" PRIu64 "\n", beyond);
	vec_free(&path);
}

int
export_folded(struct trace *trace, const struct export_options *options,
	      const struct export_sink *sink, struct export_result *result, struct err *err)
{
	struct folded_run run = {0};
	if (!export_tree_run(&run.tree, trace, options, sink, result, err))
		write_nodes(&run);
	text_free(&run.name);
	return export_tree_end(&run.tree);
}
