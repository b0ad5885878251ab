/*
 * Counting without output, with a temporary index of large cells.
 *
 * Its threads check each message as far as the exit status depends on it.  Their results
 * are added up in the order of the cells, so the sum equals that of one walk.  The threads
 * do not see earlier cells.  Where a flag may depend on earlier messages, and for streams
 * and parts, one walk reads all messages.
 */
#include "config.h"

#include "export/export.h"

enum { CELL_SHIFT = 20, SEGMENT = 16 /* cells */ };

static bool
can_count(struct trace *trace, const struct export_options *options)
{
	const struct decoder *decoder = trace_decoder(trace);
	const struct filter *filter = &options->filter;
	bool history = atomic_load(&decoder->needs_history) && decoder->ops->kinds_checked;
	return capture_ended(trace_capture(trace)) && !trace_dropped(trace) && !options->parts &&
	       !options->follow && !filter->expr && !filter->flags && !filter->by_origin &&
	       filter->severities && !history && !decoder->ops->silent_repeats;
}

static void
take_counts(struct trace *trace, const struct export_options *options, const struct index *index,
	    struct export_result *result)
{
	struct index_progress progress;
	uint64_t silent[DECODE_SILENT_MAX];
	bool unnamed;
	index_get_progress(index, &progress);
	for (int s = 0; s < SEVERITY_COUNT; s++)
		if (options->filter.severities >> s & 1)
			result->messages += progress.severities[s];
	index_get_flags(index, result->doubts.count, &unnamed);
	index_silent(index, silent);
	doubts_add_silent(&result->doubts, trace_decoder(trace)->ops, silent);
	if (unnamed)
		trace_lacks_name(trace, trace_generation(trace));
}

bool
export_count(struct trace *trace, const struct export_options *options,
	     struct export_result *result)
{
	const struct index_options index_options = {.threads = options->threads,
						    .segment = SEGMENT,
						    .cell_shift = CELL_SHIFT,
						    .checked = options->filter.severities};
	struct capture *capture = trace_capture(trace);
	struct index_progress progress;
	if (!can_count(trace, options))
		return false;
	unsigned generation = capture_generation(capture);
	struct index *index = index_new(capture, trace_decoder(trace), &index_options);
	index_build(index);
	index_get_progress(index, &progress);
	bool good = progress.complete && capture_generation(capture) == generation;
	if (good)
		take_counts(trace, options, index, result);
	index_free(index);
	return good;
}
