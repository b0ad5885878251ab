/*
 * In which calls instructions were executed: a tree of functions, each below the one that
 * called it, out of the steps of all processors of a trace.
 *
 * Functions are those that symbols tell (trace/naming.h), with those that a compiler put into
 * them (inlined) below.  Where none has a name, the place where a call led to stands for the
 * function.  `[unknown]` stands where calls may be missing: where the path was lost, and where
 * code ran that is not seen.  What is doubtful, or of a message that is not chosen, is followed
 * but not counted.
 *
 * Belongs to one thread.  Memory: 64 bytes for each stack of functions that there was, and as
 * much for each run that was executed, FLOW_TREE_NODES_MOST and FLOW_TREE_RUNS of them at most.
 */
#ifndef TRAWL_FLOW_FLOW_TREE_H
#define TRAWL_FLOW_FLOW_TREE_H

#include "base/text.h"
#include "flow/flow_code.h"
#include "flow/flow_hold.h"

struct trace;

enum {
	FLOW_TREE_NODES_MOST = 1 << 20,
	FLOW_TREE_DEPTH_MOST = 1 << 12, /* calls in each other */
	FLOW_TREE_RUNS = 1 << 13,
	FLOW_TREE_ROOT = 0,   /* node that calls nothing by itself; its parent is itself */
	FLOW_TREE_UNKNOWN = 0 /* function */
};

struct flow_tree_node {
	uint32_t parent; /* less than its own number */
	uint32_t function;
	uint64_t calls;	 /* that led here; of an inlined function none */
	uint64_t count;	 /* instructions that were executed in it itself, */
	uint64_t cycles; /* and cycles: those between two counts by how many instructions were
			    executed where, which is a guess */
	uint64_t time;	 /* likewise nanoseconds, between two messages that have times */
	bool estimated;	 /* of these some are between times that are guesses */
};

/* What is known of a function, whoever called it. */
struct flow_function {
	uint32_t function;
	uint64_t calls, self, total; /* instructions in it itself; with those that it called, which
					count once where it calls itself */
	uint64_t most;		     /* of one call */
	uint64_t cycles, total_cycles;
	uint64_t time, total_time, most_time; /* nanoseconds */
	bool estimated;			      /* `time` is */
};

struct flow_tree;

struct flow_tree *flow_tree_new(struct trace *, struct flow_code *); /* both are borrowed */
void flow_tree_free(struct flow_tree *);			     /* NULL is fine */

/* Takes the next step, of the processor that PLACE names. */
void flow_tree_step(struct flow_tree *, const struct flow_place *, const struct flow_step *);

/* Behind the last step: what the last messages' times tell counts too. */
void flow_tree_end(struct flow_tree *);

size_t flow_tree_count(const struct flow_tree *); /* nodes */
const struct flow_tree_node *flow_tree_node(const struct flow_tree *, size_t);

/* Instructions that were counted, those in functions without a name, and those whose stack
 * was one too many: these are in no node. */
struct flow_tree_sums {
	uint64_t all, nameless, beyond;
	uint64_t cycles; /* that were counted */
	bool timed;	 /* times are known */
};
struct flow_tree_sums flow_tree_sums(const struct flow_tree *);

/* Appends the name of a function, as captured: its symbol, the digits of its address or
 * `[unknown]`; true: messages have it as theirs.  *INLINED (may be NULL): it is an inlined
 * copy. */
bool flow_tree_add_name(const struct flow_tree *, uint32_t function, bool *inlined, struct text *);

/* All functions that were executed, in the order in which they first were; *COUNT of them, to
 * be freed. */
struct flow_function *flow_tree_functions(const struct flow_tree *, size_t *count);

#endif
