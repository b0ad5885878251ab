/* --help, --list-formats and similar, and --info: see info.h. */
#include "config.h"

#include "batch/info.h"
#include "batch/report.h"
#include "decode/registry.h"
#include "flow/flow.h"
#include "flow/image_fit.h"
#include "session/session.h"
#include "trace/reader.h"
#include "trace/trace_options.h"

#include <stdlib.h>
#include <string.h>

static void
list_formats(struct text *out)
{
	for (size_t i = 0; i < decoder_count; i++)
		text_addf(out, "%-12s %s\n", decoder_name(decoders[i]), decoders[i]->title);
}

static void
list_fields(struct text *out)
{
	const char *last = "";
	for (size_t i = 0; i < decoder_count; i++) {
		const struct decoder_ops *ops = decoders[i];
		if (!strcmp(last, ops->format))
			continue;
		last = ops->format;
		for (size_t f = 0; f < ops->field_count; f++)
			if (!ops->fields[f].detail && ops->fields[f].type != FIELD_GROUP)
				text_addf(out, "%s.%-14s %s\n", ops->format, ops->fields[f].name,
					  ops->fields[f].help);
	}
}

bool
info_answer(const struct cli *cli, int *status)
{
	struct text out = {0};
	if (cli->value[CLI_HELP])
		cli_help(&out);
	else if (cli->value[CLI_LIST_FORMATS])
		list_formats(&out);
	else if (cli->value[CLI_LIST_FIELDS])
		list_fields(&out);
	else
		return false;
	*status = report_print(&out);
	text_free(&out);
	return true;
}

/* Append lines as YAML comments. */
static void
add_comments(const char *lines, struct text *out)
{
	for (size_t length; *lines; lines += length + (lines[length] == '\n')) {
		length = strcspn(lines, "\n");
		text_add(out, "# ");
		text_add_safe(out, lines, length, TEXT_UTF8);
		text_add_char(out, '\n');
	}
}

/* Append the decoder's findings about a capture. */
static void
add_survey(struct trace *trace, struct text *out)
{
	struct text lines = {0}, missing = {0};
	if (trace_decoder(trace)->about)
		add_comments(trace_decoder(trace)->about, out);
	if (trace_survey(trace, &lines, &missing)) {
		add_comments(text_get(&lines), out);
		add_comments(text_get(&missing), out);
	}
	text_free(&lines);
	text_free(&missing);
}

/* Append how well the program images fit the trace, and where they differ.  Only the start of
 * the trace counts. */
static void
add_fits(struct trace *trace, struct text *out)
{
	enum { LOOK = 1 << 18 };
	struct image_fits fits = {.wants_patched = true};
	struct text line = {0};
	struct err err = {0};
	bool judged = flow_has_elements(trace);
	if (image_fits_read(&fits, trace, LOOK, NULL, &err) && judged)
		add_comments(err.what, out);
	for (size_t i = 0; judged && i < fits.walks.count; i++) {
		const struct image_fit_walk *walk = &fits.walks.at[i];
		struct text fit = {0};
		image_fit_describe(&walk->fit, &fit);
		if (fit.length)
			text_addf(&line, "%s: %s\n", text_get(&walk->name), text_get(&fit));
		text_free(&fit);
	}
	image_fits_add_patched(&fits, &line);
	add_comments(text_get(&line), out);
	text_free(&line);
	image_fits_free(&fits);
}

/* Load the data for texts and expand the first messages, so that missing data becomes a notice.
 * Return true if any has a time. */
static bool
expand_head(struct trace *trace, const struct cli *cli)
{
	bool timed = false;
	enum { LOOK = 256 };
	struct err err = {0};
	struct expansion e = {0};
	trace_load(trace, &err);
	if (err.code && !cli->value[CLI_QUIET])
		report_text(err.what);
	struct reader *reader = reader_new(trace);
	struct message head[LOOK];
	size_t count = reader_walk(reader, head, LOOK);
	for (size_t i = 0; i < count; i++) {
		timed |= head[i].flags & MESSAGE_TIMED;
		reader_expand(reader, &head[i], EXPAND_BARE, &e);
	}
	reader_free(reader);
	expansion_free(&e);
	return timed;
}

static void
add_trace_info(struct trace *trace, struct text *out)
{
	struct text line = {0};
	struct capture *capture = trace_capture(trace);
	struct capture_packing packing;
	trace_add_label(trace, &line);
	text_addf(&line, ": %s, ",
		  trace_is_decoded(trace) ? decoder_name(trace_decoder(trace)->ops)
					  : "format unknown");
	if (!capture_is_stream(capture) && capture_packing(capture, &packing))
		text_addf(&line, "%llu bytes %s, ", (unsigned long long)packing.size,
			  *packing.name ? "compressed" : "in the file");
	text_addf(&line, "%llu bytes, ", (unsigned long long)capture_size(capture));
	if (trace_guess(trace))
		text_addf(&line, "[guessed %d %%] ", trace_guess(trace));
	text_add(&line, trace_reason(trace));
	if (trace_clock(trace).hz > 0)
		text_addf(&line, ", clock %.0f Hz", trace_clock(trace).hz);
	add_comments(text_get(&line), out);
	text_clear(&line);
	trace_list_candidates(trace, &line);
	add_comments(text_get(&line), out);
	text_free(&line);
}

/* Append the base folder of relative paths, with its slash.  Append nothing if it is unknown. */
static void
add_folder(struct text *out)
{
	char *folder = realpath(".", NULL);
	if (folder)
		text_addf(out, "%s%s", folder, strcmp(folder, "/") != 0 ? "/" : "");
	free(folder);
}

/* Append an entry that reads a capture as it was read. */
static void
add_entry(const struct trace *trace, const char *folder, struct text *out)
{
	struct trace_options *options = mem_new(trace_options_table()->size);
	option_copy(trace_options_table(), options, trace_options(trace));
	option_resolve(trace_options_table(), options, folder);
	trace_propose(trace, options, true, out);
	trace_options_free(options);
}

/* Append the sections of the current profile other than `traces:`. */
static void
add_relations(const struct session *session, const char *folder, struct text *out)
{
	const struct option_table *table = profile_options_table();
	struct profile *profile = mem_new(sizeof *profile);
	option_copy(table, profile, &session->profile);
	option_resolve(table, profile, folder);
	for (size_t i = 0; i < table->count; i++)
		if (strcmp(table->rows[i].name, "traces") != 0)
			option_write_changed(table, &table->rows[i], profile, 0, out);
	option_release(table, profile);
	free(profile);
}

int
info_print(struct session *session, const struct cli *cli)
{
	struct text out = {0}, profile = {0}, folder = {0};
	add_folder(&folder);
	for (size_t i = 0; i < session->traces.count; i++) {
		struct trace *trace = session->traces.at[i];
		trace_unpack(trace);
		if (trace_container(trace))
			add_comments(trace_container(trace), &out);
		add_trace_info(trace, &out);
		add_entry(trace, text_get(&folder), &profile);
		if (trace_is_decoded(trace)) {
			/* this also loads the names of addresses */
			bool timed = expand_head(trace, cli);
			add_survey(trace, &out);
			add_fits(trace, &out);
			if (!timed && trace_may_be_circular(trace))
				add_comments(
				    "no times show its order; if it is a circular buffer, give the "
				    "offset of its oldest byte: --write-pointer=OFFSET",
				    &out);
		}
		report_notice(trace, cli);
	}
	text_addf(&out, "traces:\n%s", text_get(&profile));
	add_relations(session, text_get(&folder), &out);
	int status = report_print(&out);
	if (report_programs(session, cli) && status == STATUS_GOOD)
		status = STATUS_DAMAGED;
	text_free(&out);
	text_free(&profile);
	text_free(&folder);
	return status;
}
