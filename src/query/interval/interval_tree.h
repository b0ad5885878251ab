/*
 * Which of many intervals hold a point, or touch a range.
 *
 * A priority search tree in an array: a node is the interval of its part that ends last, and
 * behind it come those that begin before `split` and those that begin from there on.  Nothing
 * below a node ends after it, so that a search visits what it finds, the nodes right below,
 * and one way down: O(log n + found).
 *
 * Memory: 32 bytes an interval.
 *
 * Threads: a tree that is made does not change and may be shared.
 */
#ifndef TRAWL_QUERY_INTERVAL_TREE_H
#define TRAWL_QUERY_INTERVAL_TREE_H

#include <stddef.h>
#include <stdint.h>

struct interval_node {
	int64_t begin, end; /* both belong to it; INT64_MAX: it has no end */
	int64_t split;	    /* the tree's own */
	uint32_t event;	    /* the owner's: which one it is, */
	uint16_t trace;
	uint16_t part;
};

/* Orders nodes as a tree, in O(n log n). */
void interval_tree_make(struct interval_node *, size_t count);

/* The intervals that begin at TO at the latest and end at FROM at the earliest, in no order
 * that matters; at most MAX of them go to OUT.  Returns how many, MAX at most.  With OUT NULL
 * they are only counted, one by one. */
size_t interval_tree_find(const struct interval_node *, size_t count, int64_t from, int64_t to,
			  const struct interval_node **out, size_t max);

#endif
