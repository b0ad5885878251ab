/*
 * Search tree for intervals: see interval_tree.h.
 *
 * A part [0, n) has its node at 0. The lower half of the others starts at 1, and the upper
 * half follows. The halves differ by one at most, so no part is deeper than log2(n) + 1.
 */
#include "config.h"

#include "query/interval/interval_tree.h"

#include <stdlib.h>
#include <string.h>

/* Return the size of the lower half below the node of a part. */
static size_t
lower_half(size_t count)
{
	return (count - 1) / 2;
}

static int
compare_nodes(const void *a, const void *b)
{
	const struct interval_node *x = a, *y = b;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (x->trace != y->trace)
		return x->trace < y->trace ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

/* Arrange a part, which is sorted by begin. */
static void
make_part(struct interval_node *nodes, size_t count)
{
	while (count) {
		size_t last = 0, low = lower_half(count);
		for (size_t i = 1; i < count; i++)
			if (nodes[i].end > nodes[last].end)
				last = i;
		struct interval_node node = nodes[last];
		memmove(nodes + 1, nodes, last * sizeof *nodes);
		node.split = 1 + low < count ? nodes[1 + low].begin : INT64_MAX;
		nodes[0] = node;
		make_part(nodes + 1, low);
		nodes += 1 + low;
		count -= 1 + low;
	}
}

void
interval_tree_make(struct interval_node *nodes, size_t count)
{
	qsort(nodes, count, sizeof *nodes, compare_nodes);
	make_part(nodes, count);
}

size_t
interval_tree_find(const struct interval_node *nodes, size_t count, int64_t from, int64_t to,
		   const struct interval_node **out, size_t max)
{
	size_t found = 0;
	while (count && found < max && nodes[0].end >= from) {
		size_t low = lower_half(count);
		if (nodes[0].begin <= to) {
			if (out)
				out[found] = nodes;
			found++;
		}
		found += interval_tree_find(nodes + 1, low, from, to, out ? out + found : NULL,
					    max - found);
		if (nodes[0].split > to)
			break;
		nodes += 1 + low;
		count -= 1 + low;
	}
	return found;
}
