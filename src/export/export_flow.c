/* The common part of formats for executed code: see export_flow.h. */
#include "config.h"

#include "export/export_flow.h"
#include "session/session.h"

#include <inttypes.h>
#include <string.h>

enum {
	BATCH = 256,
	ORIGINS_MOST = 1 << 12 /* names kept at most, whatever a capture contains */
};

void
export_flow_flush(struct export_flow *run)
{
	if (!run->failed)
		run->failed = export_sink_flush(run->sink, run->err);
}

static const char *
column_name(const struct export_flow_columns *columns, size_t i)
{
	return *(const char *const *)((const char *)columns->at + i * columns->size);
}

/* Return the index of a column, or the number of columns if it is unknown. */
static size_t
find_column(const struct export_flow_columns *columns, const char *name, size_t length)
{
	size_t i = 0;
	for (; i < columns->count; i++) {
		const char *known = column_name(columns, i);
		if (strlen(known) == length && !memcmp(known, name, length))
			break;
	}
	return i;
}

static int
refuse_column(const struct export_flow_columns *columns, const char *name, size_t length,
	      struct err *err)
{
	struct text names = {0};
	for (size_t i = 0; i < columns->count; i++)
		text_addf(&names, "%s%s", i ? ", " : "", column_name(columns, i));
	int failed = err_set(err, ERR_USAGE, "--fields of -t %s has no column %.*s; it has %s",
			     columns->format, (int)length, name, text_get(&names));
	text_free(&names);
	return failed;
}

int
export_flow_choose(const struct export_flow_columns *columns, const char *list,
		   size_t chosen[static EXPORT_FLOW_COLUMNS_MOST], size_t *count, struct err *err)
{
	*count = 0;
	for (size_t length;; list += length + 1) {
		length = strcspn(list, ",");
		size_t column = find_column(columns, list, length);
		if (column == columns->count)
			return refuse_column(columns, list, length, err);
		if (*count == EXPORT_FLOW_COLUMNS_MOST)
			return err_set(err, ERR_USAGE, "--fields: more than %d columns",
				       EXPORT_FLOW_COLUMNS_MOST);
		chosen[(*count)++] = column;
		if (!list[length])
			return 0;
	}
}

bool
export_needs_times(const struct export_options *options)
{
	const struct export_flow_columns *columns = options->format->fields;
	size_t chosen[EXPORT_FLOW_COLUMNS_MOST], count;
	bool needs = options->format->needs & VALUE_NEEDS_CLOCKS;
	if (!columns || !options->fields ||
	    export_flow_choose(columns, options->fields, chosen, &count, NULL))
		return needs;
	for (size_t i = 0; i < count; i++)
		needs |= chosen[i] >= columns->timed;
	return needs;
}

static void
keep_origin(struct export_flow *run, const struct message *m)
{
	if (run->origins.count && m->origin == run->origin)
		return;
	run->origin = m->origin;
	if (map_find(&run->places, m->origin) || run->origins.count == ORIGINS_MOST)
		return;
	struct text *origin = vec_add(&run->origins);
	*map_add(&run->places, m->origin) = run->origins.count;
	expansion_clear(&run->scratch);
	reader_expand_origin(run->reader, m, &run->scratch);
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

const char *
export_flow_class(const struct flow_step *step)
{
	switch ((enum flow_step_kind)step->kind) {
	case FLOW_STEP_TRAP:
		return step->interrupt ? "interrupt" : "exception";
	case FLOW_STEP_RETURN:
		return insn_class_name(INSN_TRAP_RETURN);
	case FLOW_STEP_RUN:
	case FLOW_STEP_UNSEEN:
		return "unseen";
	case FLOW_STEP_DAMAGE:
	case FLOW_STEP_CYCLES:
	case FLOW_STEP_PROOF:
		break;
	}
	return "damage";
}

static void
add_cause(const struct flow_step *step, struct text *out)
{
	if (step->name)
		text_addf(out, "%s ", step->name);
	if (step->name && step->irq >= 0)
		text_addf(out, "%d ", step->irq);
	text_addf(out, "cause %" PRIu64, step->cause);
	if (step->has_tval)
		text_addf(out, " tval 0x%" PRIx64, step->tval);
}

void
export_flow_add_text(const struct flow_step *step, struct text *out)
{
	if (step->kind == FLOW_STEP_RUN)
		text_addf(out, "%" PRIu32 " instructions that are in no program", step->count);
	if (step->kind == FLOW_STEP_TRAP)
		add_cause(step, out);
	if (step->kind == FLOW_STEP_RETURN)
		text_add(out, "the processor came back from an exception");
	if (step->kind != FLOW_STEP_UNSEEN && step->kind != FLOW_STEP_DAMAGE)
		return;
	text_add(out, step->why);
	if (step->has_at)
		text_addf(out, " at 0x%" PRIx64, step->at);
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
	if (run->timed) {
		struct flow_time time = flow_times_find(&run->times, *m);
		flow_set_time(run->flow, &time);
	}
	flow_message(run->flow, run->reader, m, run->count++, passes);
}

static void
take_step(void *context, const struct flow_place *place, const struct flow_step *step)
{
	struct export_flow *run = context;
	if (step->kind == FLOW_STEP_DAMAGE)
		run->result->doubts.count[DOUBT_UNFOLLOWED]++;
	if (run->judged)
		image_fits_step(&run->fits, flow_code_of(run->flow), place, step);
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
	for (size_t i = 0; i < run->fits.walks.count; i++)
		run->result->doubts.count[DOUBT_MISFIT] +=
		    image_fit_is_bad(&run->fits.walks.at[i].fit);
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
	run->judged = flow_has_elements(trace);
	run->flow = flow_new(trace, take_step, run, err);
	if (!run->flow)
		return run->failed = (int)err->code;
	run->reader = reader_new(trace);
	flow_times_begin(&run->times, trace, run->timed ? export_cycles_of(trace) : NULL);
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
	image_fits_free(&run->fits);
	expansion_free(&run->scratch);
	flow_times_end(&run->times);
	reader_free(run->reader);
	flow_free(run->flow);
}

int
export_flow_walk(struct session *session, const struct export_options *options,
		 const struct export_sink *sink, struct export_result *result, struct err *err)
{
	int failed = 0;
	for (size_t i = 0; i < session->traces.count && !failed; i++) {
		struct trace *trace = session->traces.at[i];
		if (trace_is_among(trace, options->source) && trace_decoder(trace)->ops->flow)
			failed = options->format->flow(trace, options, sink, result, err);
	}
	return failed;
}

/* --- calls ------------------------------------------------------------- */

static void
grow_tree(void *context, const struct flow_place *place, const struct flow_step *step)
{
	struct export_tree *run = context;
	if (!run->tree)
		run->tree = flow_tree_new(run->flow.trace, flow_code_of(run->flow.flow));
	flow_tree_step(run->tree, place, step);
}

int
export_tree_run(struct export_tree *run, struct trace *trace, const struct export_options *options,
		const struct export_sink *sink, struct export_result *result, struct err *err)
{
	run->flow.take = grow_tree;
	if (export_flow_run(&run->flow, trace, options, sink, result, err))
		return run->flow.failed;
	if (run->tree)
		flow_tree_end(run->tree);
	else
		run->tree = flow_tree_new(trace, flow_code_of(run->flow.flow));
	const struct flow_tree_sums sums = flow_tree_sums(run->tree);
	result->doubts.count[DOUBT_NAMELESS] += sums.nameless;
	return 0;
}

int
export_tree_end(struct export_tree *run)
{
	flow_tree_free(run->tree);
	export_flow_end(&run->flow);
	return run->flow.failed;
}
