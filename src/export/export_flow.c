/* What is common to formats of what was executed: see export_flow.h. */
#include "config.h"

#include "export/export_flow.h"

enum {
	BATCH = 256,
	FULL = 256 * 1024,
	ORIGINS_MOST = 1 << 12 /* whose names are kept, whatever a capture says */
};

void
export_flow_flush(struct export_flow *run)
{
	if (run->sink->out->length >= FULL && !run->failed)
		run->failed = run->sink->flush(run->sink->context, run->err);
}

static void
keep_origin(struct export_flow *run, const struct message *m)
{
	if (map_find(&run->places, m->origin) || run->origins.count == ORIGINS_MOST)
		return;
	struct text *origin = vec_add(&run->origins);
	*map_add(&run->places, m->origin) = run->origins.count;
	expansion_clear(&run->scratch);
	reader_expand(run->reader, m, EXPAND_TEXT, &run->scratch);
	text_add_safe(origin, text_get(&run->scratch.origin), run->scratch.origin.length,
		      run->options->charset);
}

const struct text *
export_flow_origin(const struct export_flow *run, const struct flow_place *place)
{
	static char name[] = "?";
	static const struct text unknown = {.data = name, .length = 1};
	const uint64_t *found = map_find(&run->places, place->origin);
	return found ? &run->origins.at[*found - 1] : &unknown;
}

static void
take_message(struct export_flow *run, const struct message *m)
{
	doubts_add_flags(&run->result->doubts, m->flags);
	bool passes = filter_is_all(&run->options->filter) ||
		      filter_match(&run->options->filter, run->reader, m, &run->scratch);
	run->result->messages += passes;
	if (run->named)
		keep_origin(run, m);
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
	for (size_t i = 0; i < run->origins.count; i++)
		text_free(&run->origins.at[i]);
	vec_free(&run->origins);
	map_free(&run->places);
	expansion_free(&run->scratch);
	reader_free(run->reader);
	flow_free(run->flow);
}
