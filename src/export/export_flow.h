/*
 * Output of what the processors of a trace executed: what is common to its formats.
 *
 * A format has a state that begins with a struct export_flow, and gets the messages and the
 * steps through the functions there.
 */
#ifndef TRAWL_EXPORT_EXPORT_FLOW_H
#define TRAWL_EXPORT_EXPORT_FLOW_H

#include "base/map.h"
#include "export/export.h"
#include "flow/flow.h"
#include "flow/flow_tree.h"
#include "flow/image_fit.h"
#include "session/flow_times.h"

/* Where the output goes: FLUSH writes what OUT has, now and then; 0 or ERR_IO. */
struct export_sink {
	struct text *out;
	int (*flush)(void *context, struct err *);
	void *context;
};

struct export_flow {
	/* to be set by the format: gets the steps, with this as their context; whether it asks
	 * for names of senders */
	flow_take *take;
	bool named;
	bool timed; /* and for times of messages */
	/* its own */
	struct trace *trace;
	const struct export_options *options;
	const struct export_sink *sink;
	struct export_result *result;
	struct reader *reader;
	struct flow *flow;
	bool judged; /* `fits` are of use */
	struct image_fits fits;
	struct expansion scratch;
	uint64_t count; /* messages */
	struct flow_times times;
	struct map places; /* of senders by origin: place in `origins` and one */
	uint64_t origin;   /* of the last message, once there is one */
	VEC(struct text) origins;
	struct err *err;
	int failed;
};

/* Follows a trace to its end.  0, or negative with a reason: the program is not known, or
 * the output failed.  What `flow` is lives until export_flow_end. */
int export_flow_run(struct export_flow *, struct trace *, const struct export_options *,
		    const struct export_sink *, struct export_result *, struct err *);
void export_flow_end(struct export_flow *);

/* How the sender of a step is called, made safe; of those that are too many `?`. */
const struct text *export_flow_origin(const struct export_flow *, const struct flow_place *);

/* What a step that has no instructions, or none that the program has, is called in a column of
 * classes; and what there is to say of it, appended. */
const char *export_flow_class(const struct flow_step *);
void export_flow_add_text(const struct flow_step *, struct text *);

/* The columns of a format for --fields: COUNT structs of SIZE bytes that begin with their
 * name, a const char *. */
struct export_flow_columns {
	const char *format; /* as of -t */
	const void *at;
	size_t size, count;
};

/* Appends the places of the columns that LIST names, separated by commas, to CHOSEN, where
 * *CHOSEN_COUNT are of MOST.  0, or ERR_USAGE with the names that there are. */
int export_flow_choose(const struct export_flow_columns *, const char *list, size_t most,
		       size_t *chosen, size_t *chosen_count, struct err *);

/* Writes what there is, if it is much. */
void export_flow_flush(struct export_flow *);

/* A format of the calls that were made: what is common to these. */
struct export_tree {
	struct export_flow flow; /* comes first */
	struct flow_tree *tree;
};

/* As export_flow_run, and counts doubts about the tree. */
int export_tree_run(struct export_tree *, struct trace *, const struct export_options *,
		    const struct export_sink *, struct export_result *, struct err *);
int export_tree_end(struct export_tree *); /* what failed, or 0 */

/* The formats: -t insn, -t folded, -t functions, -t lcov. */
typedef int export_flow_format(struct trace *, const struct export_options *,
			       const struct export_sink *, struct export_result *, struct err *);
export_flow_format export_insn, export_folded, export_functions, export_lcov;

/* Whether columns of -t functions need times. */
bool export_functions_times(const char *fields);

/* -t insn --fields. */
export_flow_format export_insn_fields;

#endif
