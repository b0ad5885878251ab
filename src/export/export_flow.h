/*
 * Output of the code that the processors of a trace executed: the common part of its
 * formats.
 *
 * The state of a format begins with a struct export_flow.  The functions there get the
 * messages and the steps.
 */
#ifndef TRAWL_EXPORT_EXPORT_FLOW_H
#define TRAWL_EXPORT_EXPORT_FLOW_H

#include "base/map.h"
#include "export/export.h"
#include "flow/flow.h"
#include "flow/flow_tree.h"
#include "flow/image_fit.h"
#include "session/flow_times.h"

struct export_flow {
	/* set by the format: `take` gets the steps, with this struct as context; `named`
	 * requests names of senders */
	flow_take *take;
	bool named;
	bool timed; /* set by the format: it needs times of messages */
	/* private */
	struct trace *trace;
	const struct export_options *options;
	const struct export_sink *sink;
	struct export_result *result;
	struct reader *reader;
	struct flow *flow;
	bool judged; /* `fits` is valid */
	struct image_fits fits;
	struct expansion scratch;
	uint64_t count; /* messages */
	struct flow_times times;
	struct map places; /* origin of a sender: its index in `origins`, plus one */
	uint64_t origin;   /* of the last message, after the first one */
	VEC(struct text) origins;
	struct err *err;
	int failed;
};

/* Follow a trace to its end.  Return 0, or a negative code with a reason: the program is
 * unknown, or the output failed.  `flow` lives until export_flow_end. */
int export_flow_run(struct export_flow *, struct trace *, const struct export_options *,
		    const struct export_sink *, struct export_result *, struct err *);
void export_flow_end(struct export_flow *);

/* Return the name of a step's sender, made safe, or `?` if there are too many senders. */
const struct text *export_flow_origin(const struct export_flow *, const struct flow_place *);

/* Return the class of a step without known instructions, for a column of classes.
 * export_flow_add_text appends its description. */
const char *export_flow_class(const struct flow_step *);
void export_flow_add_text(const struct flow_step *, struct text *);

/* The columns of a format for --fields: COUNT structs of SIZE bytes that begin with their name,
 * a const char *. */
struct export_flow_columns {
	const char *format; /* name for -t */
	const void *at;
	size_t size, count;
	size_t timed; /* index of the first one that needs times */
};

enum { EXPORT_FLOW_COLUMNS_MOST = 32 };

/* Fill in the indexes of the columns in LIST, separated by commas.  Return 0, or ERR_USAGE with
 * the valid names. */
int export_flow_choose(const struct export_flow_columns *, const char *list,
		       size_t chosen[static EXPORT_FLOW_COLUMNS_MOST], size_t *count, struct err *);

/* Write the output if it is large enough. */
void export_flow_flush(struct export_flow *);

/* The common part of formats for calls. */
struct export_tree {
	struct export_flow flow; /* must be first */
	struct flow_tree *tree;
};

/* As export_flow_run; also counts doubts about the tree. */
int export_tree_run(struct export_tree *, struct trace *, const struct export_options *,
		    const struct export_sink *, struct export_result *, struct err *);
int export_tree_end(struct export_tree *); /* returns the error, or 0 */

/* Write each trace that has program flow, as `flow` of the format does. */
export_walk export_flow_walk;

/* The formats: -t insn, -t folded, -t functions, -t lcov. */
export_flow_format export_insn, export_folded, export_functions, export_lcov;
extern const struct export_flow_columns export_insn_columns, export_functions_columns;

/* -t insn --fields. */
export_flow_format export_insn_fields;

#endif
