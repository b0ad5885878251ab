/*
 * Counts executed instructions by call path: a tree of functions, each below its caller, from the
 * steps of all processors of a trace.
 *
 * Functions come from symbols (trace/naming.h), with inlined functions below them.  A function
 * without a name is named by the address that a call led to.  `[unknown]` is where calls may be
 * missing: the path was lost, or unseen code ran.  Steps that are doubtful, or of messages not
 * chosen, are followed but not counted.
 *
 * Belongs to one thread.  Memory: 64 bytes for each distinct stack of functions and for each
 * distinct run, at most FLOW_TREE_NODES_MOST and FLOW_TREE_RUNS of them.
 */
#ifndef TRAWL_FLOW_FLOW_TREE_H
#define TRAWL_FLOW_FLOW_TREE_H

#include "base/text.h"
#include "flow/flow_code.h"
#include "flow/flow_hold.h"

struct trace;

enum {
	FLOW_TREE_NODES_MOST = 1 << 20,
	FLOW_TREE_DEPTH_MOST = 1 << 12, /* nested calls */
	FLOW_TREE_RUNS = 1 << 13,
	FLOW_TREE_ROOT = 0,   /* node without a function; its own parent */
	FLOW_TREE_UNKNOWN = 0 /* function `[unknown]` */
};

struct flow_tree_node {
	uint32_t parent; /* less than its own number */
	uint32_t function;
	uint64_t calls;	 /* calls that led here; none for an inlined function */
	uint64_t count;	 /* instructions executed in it, without those of its callees */
	uint64_t cycles; /* a guess: cycles between two counts, divided by instructions */
	uint64_t time;	 /* nanoseconds between two messages with times, divided as `cycles` */
	bool estimated;	 /* some times are guesses */
};

/* Sums for a function, over all its callers. */
struct flow_function {
	uint32_t function;
	uint64_t calls, self, total; /* instructions in it, and with its callees; recursive calls
					count once */
	uint64_t most;		     /* maximum for a call */
	uint64_t cycles, total_cycles;
	uint64_t time, total_time, most_time; /* nanoseconds */
	bool estimated;			      /* `time` is estimated */
};

struct flow_tree;

struct flow_tree *flow_tree_new(struct trace *, struct flow_code *); /* both are borrowed */
void flow_tree_free(struct flow_tree *);			     /* NULL is fine */

/* Take the next step of the processor of PLACE. */
void flow_tree_step(struct flow_tree *, const struct flow_place *, const struct flow_step *);

/* Count the time of the last messages, after the last step. */
void flow_tree_end(struct flow_tree *);

size_t flow_tree_count(const struct flow_tree *); /* nodes */
const struct flow_tree_node *flow_tree_node(const struct flow_tree *, size_t);

/* Sums of instructions: all, those in functions without a name, and those in no node, as their
 * stack was one too many. */
struct flow_tree_sums {
	uint64_t all, nameless, beyond;
	uint64_t cycles; /* counted cycles */
	bool timed;	 /* times are known */
};
struct flow_tree_sums flow_tree_sums(const struct flow_tree *);

/* Append the name of a function as captured: its symbol, its address in digits or `[unknown]`.
 * Return true if messages can have it as their function.  *INLINED (may be NULL) is true for an
 * inlined copy. */
bool flow_tree_add_name(const struct flow_tree *, uint32_t function, bool *inlined, struct text *);

/* Return all executed functions in order of their first execution.  *COUNT is their number.  The
 * caller frees them. */
struct flow_function *flow_tree_functions(const struct flow_tree *, size_t *count);

#endif
