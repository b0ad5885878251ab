/*
 * `-t stats`: the number of messages of each origin and severity, and the bytes that
 * belong to no message.
 *
 * Origins come from the index summaries.  One message of each is decoded for its name, and
 * origins with one name share a line.  Doubts are counted in the cells that have any.
 * Most formats let the index count the bytes outside messages.  The others are decoded
 * again for it.
 */
#include "config.h"

#include "export/export.h"
#include "query/group/group.h"
#include "session/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAMES = 2 /* of a line: trace and origin */, COUNT_COLUMNS = 10 };

/* Append lines.  The names in them, which end in tabs, become columns. */
static void
add_aligned(const struct text *lines, struct text *out)
{
	int widths[NAMES] = {12, 24};
	for (int pass = 0; pass < 2; pass++)
		for (const char *at = text_get(lines), *end; *at; at = end) {
			for (int i = 0; i < NAMES; i++, at = end + 1) {
				end = strchr(at, '\t');
				int own = text_columns(at, (size_t)(end - at), TEXT_UTF8);
				widths[i] = own > widths[i] ? own : widths[i];
				if (!pass)
					continue;
				text_add_bytes(out, at, (size_t)(end - at));
				text_add_fill(out, ' ', (size_t)(widths[i] - own + 1));
			}
			end = strchr(at, '\n') + 1;
			if (pass)
				text_add_bytes(out, at, (size_t)(end - at));
		}
}

static void
add_line(const char *trace, const char *origin, const uint64_t *severities, uint16_t passing,
	 struct text *out)
{
	uint64_t sum = 0;
	for (int s = 0; s < SEVERITY_COUNT; s++)
		sum += passing >> s & 1 ? severities[s] : 0;
	text_addf(out, "%s\t%s\t%*" PRIu64, trace, *origin ? origin : "-", COUNT_COLUMNS, sum);
	for (int s = 0; s < SEVERITY_COUNT; s++)
		if (passing >> s & 1)
			text_addf(out, " %*" PRIu64, COUNT_COLUMNS, severities[s]);
	text_add_char(out, '\n');
}

static void
count_doubts(struct reader *reader, struct doubts *doubts)
{
	struct index *index = trace_index(reader_trace(reader));
	struct index_cell cell;
	for (uint64_t i = 0; index_cell(index, i, &cell); i++) {
		if (!(cell.message_flags & ((1u << DOUBT_FLAGS) - 1)))
			continue;
		const struct decoded_cell *decoded = reader_decoded_cell(reader, i);
		for (size_t m = 0; m < decoded->count; m++)
			doubts_add_flags(doubts, decoded->messages[m].flags);
	}
}

static void
add_silent(const char *name, const char *kind, const char *bytes, struct text *silent)
{
	text_addf(silent, "%s\t%s\t%*s\n", name, kind, COUNT_COLUMNS, bytes);
}

static void
add_silent_rows(const struct decoder_ops *ops, const uint64_t *all, const char *name,
		struct text *silent)
{
	for (size_t i = 0; i < ops->silent_count; i++) {
		uint64_t bits = all[i];
		char bytes[32]; /* half a byte is a nibble */
		if (!bits)
			continue;
		if (!silent->length)
			add_silent("trace", "in no message", "bytes", silent);
		snprintf(bytes, sizeof bytes, "%.*f", bits % 8 != 0, (double)bits / 8);
		add_silent(name, ops->silent[i].name, bytes, silent);
	}
}

static void
add_head(const struct export_options *options, struct text *out)
{
	text_addf(out, "trace\torigin\t%*s", COUNT_COLUMNS, "messages");
	for (int s = 0; s < SEVERITY_COUNT; s++)
		if (options->filter.severities >> s & 1)
			text_addf(out, " %*s", COUNT_COLUMNS, severity_name((enum severity)s));
	text_add_char(out, '\n');
}

/* Add the number of messages that pass, and the doubts of all.  BITS gets the bits outside
 * messages. */
static void
add_result(struct reader *reader, const struct export_options *options,
	   uint64_t bits[static DECODE_SILENT_MAX], struct export_result *result)
{
	struct trace *trace = reader_trace(reader);
	const struct decoder_ops *ops = trace_decoder(trace)->ops;
	struct index_progress progress;
	index_get_progress(trace_index(trace), &progress);
	for (int s = 0; s < SEVERITY_COUNT; s++)
		result->messages +=
		    options->filter.severities >> s & 1 ? progress.severities[s] : 0;
	count_doubts(reader, &result->doubts);
	if (!ops->silent_count)
		return;
	doubts_read_silent(trace, bits);
	doubts_add_silent(&result->doubts, ops, bits);
}

void
export_count_indexed(struct trace *trace, const struct export_options *options, struct group *group,
		     struct export_result *result)
{
	uint64_t bits[DECODE_SILENT_MAX] = {0};
	trace_build_whole(trace);
	struct reader *reader = reader_new(trace);
	group_add_index(group, reader, options->filter.severities);
	add_result(reader, options, bits, result);
	reader_free(reader);
}

/* Append a line for each origin, even if none of its messages passes. */
static void
add_origins(struct reader *reader, const struct export_options *options, const char *trace,
	    struct text *out)
{
	struct group_spec spec;
	struct err unused;
	struct text name = {0};
	group_spec_make(&spec, "origin", NULL, NULL, &unused);
	spec.by_severity = true;
	struct group *group = group_new(&spec);
	group_add_index(group, reader, SEVERITY_ALL);
	for (size_t i = 0; i < group_count(group); i++) {
		const struct group_row *row = group_row(group, i);
		struct group_key key;
		group_get_key(row, 0, &key);
		text_clear(&name);
		text_add_safe(&name, key.text, key.length, options->charset);
		add_line(trace, text_get(&name), row->more->severities, options->filter.severities,
			 out);
	}
	group_free(group);
	group_spec_free(&spec);
	text_free(&name);
}

/* Append lines for a trace once it is complete.  Lines for bytes that belong to no message go to
 * SILENT. */
static void
add_trace(struct trace *trace, const struct export_options *options, struct text *out,
	  struct text *silent, struct export_result *result)
{
	const struct decoder_ops *ops = trace_decoder(trace)->ops;
	uint64_t bits[DECODE_SILENT_MAX] = {0};
	struct index_progress progress;
	struct text name = {0};
	trace_build_whole(trace);
	struct reader *reader = reader_new(trace);
	text_add_safe(&name, trace_name(trace), strlen(trace_name(trace)), options->charset);
	add_origins(reader, options, text_get(&name), out);
	index_get_progress(trace_index(trace), &progress);
	add_line(text_get(&name), "(all)", progress.severities, options->filter.severities, out);
	add_result(reader, options, bits, result);
	add_silent_rows(ops, bits, text_get(&name), silent);
	reader_free(reader);
	text_free(&name);
}

int
export_stats(struct session *session, const struct export_options *options,
	     const struct export_sink *sink, struct export_result *result, struct err *err)
{
	struct text lines = {0}, silent = {0};
	if (options->filter.expr)
		return err_set(err, ERR_USAGE,
			       "-t %s counts all messages, or by severity; leave out other filters",
			       options->format->name);
	add_head(options, &lines);
	for (size_t i = 0; i < session->traces.count; i++)
		if (trace_is_among(session->traces.at[i], options->source))
			add_trace(session->traces.at[i], options, &lines, &silent, result);
	text_add_bytes(&lines, text_get(&silent), silent.length);
	add_aligned(&lines, sink->out);
	text_free(&lines);
	text_free(&silent);
	return 0;
}
