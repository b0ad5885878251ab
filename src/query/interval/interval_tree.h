/*
 * Search tree for the intervals that hold a point or touch a range.
 *
 * A priority search tree in an array. The first node of a part is its interval with the
 * latest end. Then come the intervals that begin before `split`, then those that begin at
 * or after it. Nothing below a node ends after it. A search therefore visits its results,
 * the nodes right below them, and one path down: O(log n + found).
 *
 * Memory: 32 bytes an interval.
 *
 * Threads: a finished tree is constant and can be shared.
 */
#ifndef TRAWL_QUERY_INTERVAL_TREE_H
#define TRAWL_QUERY_INTERVAL_TREE_H

#include <stddef.h>
#include <stdint.h>

struct interval_node {
	int64_t begin, end; /* both included; INT64_MAX: no end */
	int64_t split;	    /* for the tree */
	uint32_t event;	    /* identifies the interval; for the owner, like `trace` and `part` */
	uint16_t trace;
	uint16_t part;
};

/* Arrange the nodes as a tree, in O(n log n). */
void interval_tree_make(struct interval_node *, size_t count);

/* Find the intervals that begin at TO or earlier and end at FROM or later, in any order.
 * Store up to MAX of them in OUT and return their number, MAX at most. If OUT is NULL, only
 * count them. */
size_t interval_tree_find(const struct interval_node *, size_t count, int64_t from, int64_t to,
			  const struct interval_node **out, size_t max);

#endif
