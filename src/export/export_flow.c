/* What is common to formats of what was executed: see export_flow.h. */
#include "config.h"

#include "export/export_flow.h"

enum { BATCH = 256, FULL = 256 * 1024 };

void
export_flow_flush(struct export_flow *run)
{
	if (run->sink->out->length >= FULL && !run->failed)
		run->failed = run->sink->flush(run->sink->context, run->err);
}

static void
take_message(struct export_flow *run, const struct message *m)
{
	doubts_add_flags(&run->result->doubts, m->flags);
	bool passes = filter_is_all(&run->options->filter) ||
		      filter_match(&run->options->filter, run->reader, m, &run->scratch);
	run->result->messages += passes;
	if (run->see)
		run->see(run, m);
	flow_message(run->flow, run->reader, m, run->count++, passes);
}

static void
take_step(void *context, const struct flow_place *place, const struct flow_step *step)
{
	struct export_flow *run = context;
	if (step->kind == FLOW_STEP_DAMAGE)
		run->result->doubts.count[DOUBT_UNFOLLOWED]++;
	if (!run->failed)
		run->take(run, place, step);
}

static void
walk_messages(struct export_flow *run)
{
	struct message messages[BATCH];
	size_t count;
	while (!run->failed && (count = reader_walk(run->reader, messages, BATCH)))
		for (size_t i = 0; i < count && !run->failed; i++)
			take_message(run, &messages[i]);
	flow_end(run->flow);
	doubts_add_walk(&run->result->doubts, run->reader);
}

int
export_flow_run(struct export_flow *run, struct trace *trace, const struct export_options *options,
		const struct export_sink *sink, struct export_result *result, struct err *err)
{
	run->trace = trace;
	run->options = options;
	run->sink = sink;
	run->result = result;
	run->err = err;
	run->flow = flow_new(trace, take_step, run, err);
	if (!run->flow)
		return run->failed = (int)err->code;
	run->reader = reader_new(trace);
	walk_messages(run);
	return run->failed;
}

void
export_flow_end(struct export_flow *run)
{
	expansion_free(&run->scratch);
	reader_free(run->reader);
	flow_free(run->flow);
}
