/* Output without a screen: see batch.h.  A run collects its doubts, which decide the exit status
 * at its end. */
#include "config.h"

#include "batch/batch.h"
#include "base/generation.h"
#include "base/nearest.h"
#include "base/regex.h"
#include "base/thread.h"
#include "batch/follow.h"
#include "batch/output.h"
#include "batch/report.h"
#include "export/export.h"
#include "query/check.h"
#include "query/origin_names.h"
#include "session/clock/clocks.h"
#include "session/clock/cycles.h"
#include "session/context/context.h"
#include "session/context/context_naming.h"
#include "session/link/serial.h"
#include "session/flows.h"
#include "session/session.h"
#include "trace/doubts.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static const char *
output_format(const struct cli *cli)
{
	bool table = cli->value[CLI_BY] || cli->value[CLI_OF] || cli->value[CLI_SORT];
	return cli->value[CLI_TO] ? cli->value[CLI_TO] : table ? "table" : "text";
}

/* Report a guessed format or setting: the messages may be wrong. */
static void
report_guess(const struct trace *trace)
{
	struct text text = {0};
	if (trace_explain_guess(trace, &text))
		report_text(text_get(&text));
	text_free(&text);
}

/* True if all traces are decoded.  Report those of unknown format. */
static bool
are_decoded(const struct session *session)
{
	bool all = true;
	for (size_t i = 0; i < session->traces.count; i++) {
		const struct trace *trace = session->traces.at[i];
		struct text text = {0};
		if (trace_is_decoded(trace))
			continue;
		all = false;
		text_addf(&text, "%s: %s\n", trace_name(trace), trace_reason(trace));
		trace_list_candidates(trace, &text);
		if (!trace_is_foreign(trace))
			text_add(&text, "say the format with -f NAME; trawl --list-formats shows "
					"them");
		report_text(text_get(&text));
		text_free(&text);
	}
	return all;
}

int
batch_keep_indexes(struct session *session, const struct cli *cli)
{
	if (!are_decoded(session))
		return STATUS_FAILED;
	for (size_t i = 0; i < session->traces.count; i++) {
		struct err err = {0};
		if (trace_keep_index(session->traces.at[i], &err) < 0)
			return report_error(&err);
	}
	if (!cli->value[CLI_QUIET])
		report_text("the index is in the cache folder; the next release has no --index");
	return STATUS_GOOD;
}

/* Load the data that the traces' texts need. */
static void
load_traces(struct session *session, const struct cli *cli, struct doubts *doubts)
{
	for (size_t i = 0; i < session->traces.count; i++) {
		struct err trouble = {0};
		trace_load(session->traces.at[i], &trouble);
		if (serial_of(session->traces.at[i]))
			serial_load(serial_of(session->traces.at[i]));
		if (trouble.code && !cli->value[CLI_QUIET])
			report_text(trouble.what);
		if (!cli->value[CLI_QUIET])
			report_guess(session->traces.at[i]);
		doubts->count[DOUBT_UNLOADED] += trouble.code != 0;
	}
}

/* Report bytes missing from a capture, or that it has none.  Return true if any are missing, or
 * changed while being read. */
static bool
report_loss(struct trace *trace, const struct cli *cli)
{
	struct text loss = {0}, line = {0};
	capture_describe_loss(trace_capture(trace), &loss);
	bool amiss = loss.length || (!cli->value[CLI_FOLLOW] &&
				     capture_generation(trace_capture(trace)) != GENERATION_FIRST);
	if (loss.length)
		text_addf(&line, "%s: %s", trace_name(trace), text_get(&loss));
	else if (!capture_size(trace_capture(trace)))
		text_addf(&line, "%s: the capture is empty", trace_name(trace));
	if (line.length && !cli->value[CLI_QUIET])
		report_text(text_get(&line));
	else if (amiss)
		report_notice(trace, cli);
	text_free(&loss);
	text_free(&line);
	return amiss;
}

/* Report and count captures with missing bytes, and programs that changed. */
static void
report_losses(struct session *session, const struct cli *cli, struct doubts *doubts)
{
	for (size_t i = 0; i < session->traces.count; i++)
		doubts->count[DOUBT_INCOMPLETE] += report_loss(session->traces.at[i], cli);
	doubts->count[DOUBT_INCOMPLETE] += report_programs(session, cli);
}

/* Add the doubts that are known at the end of a run. */
static void
collect_doubts(struct session *session, const struct cli *cli, struct doubts *doubts)
{
	doubts->count[DOUBT_UNSEARCHED] += regex_given_up();
	report_losses(session, cli, doubts);
}

/* Report the doubts.  The results of --check and --compare name messages with flags. */
static void
report_doubts(const struct cli *cli, const struct doubts *all)
{
	struct doubts doubts = *all;
	struct text line = {0};
	if (cli->value[CLI_CHECK] || cli->value[CLI_COMPARE])
		doubts_remove(&doubts, DOUBT_FLAGS);
	doubts_describe(&doubts, &line);
	if (!cli->value[CLI_QUIET])
		report_text(text_get(&line));
	text_free(&line);
}

/* Return the final status of a run that ended with STATUS.  With --check or --compare, only
 * their own results count, not other doubts from decoding. */
static int
judge_doubts(const struct cli *cli, const struct doubts *all, int status)
{
	struct doubts doubts = *all;
	if (cli->value[CLI_CHECK] || cli->value[CLI_COMPARE])
		doubts_remove(&doubts, DOUBT_DECODING);
	return status == STATUS_GOOD && doubts_are_bad(&doubts) ? STATUS_DAMAGED : status;
}

/* Report names in the filter that no message has.  A set of a single name needs no check if it
 * selected a message. */
static void
report_missing_names(struct session *session, const struct cli *cli, const struct filter *filter,
		     uint64_t selected)
{
	struct text missing = {0};
	size_t length;
	if (!filter->expr || cli->value[CLI_FOLLOW] || cli->value[CLI_QUIET] ||
	    (selected && filter_expr_lists(filter->expr, "origin") &&
	     !filter_expr_name(filter->expr, 1, &length)))
		return;
	origin_names_check(session, filter->expr, cli->value[CLI_SOURCE],
			   selected ? ORIGIN_NAMES_INDEXED : ORIGIN_NAMES_SCAN, &missing);
	report_text(text_get(&missing));
	text_free(&missing);
}

/* Report columns that no message had, as their names may be mistyped. */
static void
report_absent(const struct cli *cli, const struct export_format *format, uint64_t messages)
{
	struct text line = {0};
	if (!messages || cli->value[CLI_QUIET])
		return;
	if (format->line)
		export_line_explain_absent(format->line, &line);
	if (format->table)
		export_table_explain_absent(format->table, &line);
	report_text(text_get(&line));
	text_free(&line);
}

/* Report traces that the output leaves out. */
static void
report_unfit(const struct session *session, const struct cli *cli,
	     const struct export_options *options)
{
	struct text names = {0}, line = {0};
	export_name_unfit(session, options, &names);
	text_addf(&line, "-t %s leaves out %s, as it has no rows for their format",
		  options->format->name, text_get(&names));
	if (names.length && session->traces.count > 1 && !options->source && !cli->value[CLI_QUIET])
		report_text(text_get(&line));
	text_free(&names);
	text_free(&line);
}

/* Report messages out of the requested order, and those that cannot be compared by time. */
static void
report_clocks(const struct session *session, const struct cli *cli)
{
	struct text line = {0};
	session_describe_clocks(session, &line);
	if (!cli->value[CLI_QUIET])
		report_text(text_get(&line));
	text_free(&line);
}

/* Report why columns and filters on executed code have no values. */
static void
report_flow(const struct session *session, const struct cli *cli,
	    const struct export_options *options)
{
	struct text line = {0};
	const char *why = NULL;
	bool asked = export_needs(options) & VALUE_NEEDS_FLOW;
	if (asked && options->follow)
		why = "they are not known while a capture grows (--follow)";
	else if (!asked || flows_any(session, &why))
		return;
	text_addf(&line, "depth and target are empty: %s", why ? why : "there is no trace");
	if (!cli->value[CLI_QUIET])
		report_text(text_get(&line));
	text_free(&line);
}

/* True if the filter or a column depends on earlier messages in session order. */
static bool
needs_order(const struct export_options *options)
{
	return !options->follow &&
	       (filter_needs_order(&options->filter) || export_needs(options) & VALUE_NEEDS_GAPS);
}

/* True if the run waits for the clocks of streams that have not ended. */
static bool
needs_all_clocks(const struct session *session, const struct export_options *options)
{
	return !options->follow &&
	       (!options->format->live || needs_order(options) ||
		export_is_ordered(session, options) || session->profile.order == CLOCKS_BY_TIME);
}

/* A wait that is reported once it is long. */
struct patience {
	int64_t begun; /* thread_now_ms() at its start */
	atomic_flag said;
};

/* Report a long wait, once.  Runs in any thread, while the capture is read. */
static void
lose_patience(void *context)
{
	enum { PATIENCE_MS = 1000 };
	struct patience *patience = context;
	if (thread_now_ms() - patience->begun < PATIENCE_MS ||
	    atomic_flag_test_and_set(&patience->said))
		return;
	report_text("the capture is read to its end first, for what it tells of clocks; lines "
		    "without times (--fields=number,text) begin at once");
}

/* Load the clocks.  At a terminal, report the reason for a long wait. */
static void
load_clocks(struct session *session, const struct export_options *options)
{
	struct patience patience = {.begun = thread_now_ms(), .said = ATOMIC_FLAG_INIT};
	bool tells = session->host.report_waiting && isatty(STDERR_FILENO);
	if (tells)
		session_notify(session, lose_patience, &patience);
	clocks_load(session->clocks, needs_all_clocks(session, options));
	if (tells)
		session_notify(session, NULL, NULL);
}

/* Wait for relations between traces, as far as the format or the filter needs them. */
static void
load_relations(struct session *session, const struct export_options *options)
{
	const struct filter *filter = &options->filter;
	bool names = !options->follow && context_names(session, NULL);
	/* first, because building the index also reads the clocks */
	if (export_rests_on_clocks(session, options) || (names && session->traces.count > 1))
		load_clocks(session, options);
	if (needs_order(options))
		session_build(session);
	if (export_needs_times(options) && !options->format->writer && !options->format->rows &&
	    !options->follow)
		cycles_load(session->cycles, !options->format->live);
	if (!options->follow && session->contexts &&
	    (names || filter_needs_contexts(filter) ||
	     export_has_contexts(options->format, session->contexts)))
		contexts_load(session->contexts);
	if (!options->follow &&
	    (filter_needs_flow(filter) || export_needs(options) & VALUE_NEEDS_FLOW))
		flows_load(session);
	if (!options->follow &&
	    (filter_needs_intervals(filter) || export_needs(options) & VALUE_NEEDS_INTERVALS))
		session_load_intervals(session);
}

/* Check that the filter is valid with the clocks as found.  If GROWS, also check that it works
 * on a growing capture.  Return 0, or a negative err_code with a reason. */
static int
check_filter(const struct session *session, const struct filter *filter, bool grows,
	     struct err *err)
{
	struct filter_error error;
	if (grows && filter_needs_flow(filter))
		return err_set(err, ERR_USAGE,
			       "depth and target are known once a capture has ended, not with "
			       "--follow");
	if (!filter->expr || !filter_needs_clocks(filter))
		return 0;
	struct filter_expr *again = filter_parse(filter_expr_text(filter->expr), session, &error);
	if (!again)
		return err_set(err, ERR_USAGE, "%s", error.what);
	filter_expr_free(again);
	return 0;
}

/* Parse --stop-when into STOP. */
static int
parse_stop(const struct session *session, const struct cli *cli, struct filter *stop,
	   struct export_options *options, struct err *err)
{
	struct filter_error error;
	const char *text = cli->value[CLI_STOP_WHEN];
	if (!text)
		return 0;
	if (!options->follow)
		return err_set(err, ERR_USAGE, "--stop-when needs --follow");
	stop->expr = filter_parse(text, session, &error);
	if (!stop->expr) {
		struct text why = {0};
		filter_explain(&error, text, &why);
		err_set(err, ERR_USAGE, "--stop-when: %s", text_get(&why));
		text_free(&why);
		return err->code;
	}
	options->stop = stop;
	return check_filter(session, stop, true, err);
}

/* Report the number of messages written. */
static void
report_count(uint64_t messages)
{
	struct text line = {0};
	text_addf(&line, "%llu messages", (unsigned long long)messages);
	report_text(text_get(&line));
	text_free(&line);
}

/* Run --check on the messages that OPTIONS choose, and report the results. */
static int
check_session(struct session *session, const struct cli *cli, const struct export_options *options)
{
	struct err err = {0};
	struct text report = {0};
	struct export_result result;
	struct export_options silent = *options;
	silent.format = export_find("none");
	silent.output = NULL;
	silent.columns = silent.around = 0;
	silent.part = silent.parts = 0;
	silent.check = check_new(cli->value[CLI_CHECK], session, &err);
	if (!silent.check)
		return report_error(&err);
	check_load(silent.check, session, options->source);
	int failed = export_run(session, &silent, &result, &err);
	bool found = !failed &&
		     check_report(silent.check, session, options->source, &result.doubts, &report);
	report_notices(session, cli);
	if (!cli->value[CLI_QUIET])
		report_lines(text_get(&report));
	text_free(&report);
	check_free(silent.check);
	return failed ? report_error(&err) : found ? STATUS_DAMAGED : STATUS_GOOD;
}

/* Write the output, or run --check.  Add the doubts. */
static int
write_output(struct session *session, const struct cli *cli, const struct filter *filter,
	     const struct export_format *format, struct doubts *doubts)
{
	struct err err = {0};
	struct export_options options = {.format = format,
					 .filter = *filter,
					 .fields = cli->value[CLI_FIELDS],
					 .of = cli->value[CLI_OF],
					 .source = cli->value[CLI_SOURCE],
					 .threads = session->host.threads,
					 .follow =
					     cli->value[CLI_FOLLOW] || session_is_live(session),
					 .charset = cli_charset(cli, isatty(STDOUT_FILENO))};
	struct filter stop = filter_all();
	if (output_parse_split(cli, &options, &err) < 0 ||
	    (!format->rows &&
	     export_parse_columns(cli->value[CLI_COLUMNS], &options.columns, &err) < 0) ||
	    cli_parse_context(cli, EXPORT_AROUND_MAX, &options.around, &err) < 0)
		return report_error(&err);
	load_traces(session, cli, doubts);
	report_notices(session, cli);
	load_relations(session, &options);
	if (check_filter(session, filter, options.follow, &err) < 0)
		return report_error(&err);
	if (cli->value[CLI_CHECK] && !cli->value[CLI_TO] && !cli->value[CLI_OUTPUT]) {
		report_missing_names(session, cli, filter, 0);
		int status = check_session(session, cli, &options);
		report_clocks(session, cli);
		return status;
	}
	if (parse_stop(session, cli, &stop, &options, &err) < 0)
		return report_error(&err);
	report_unfit(session, cli, &options);
	report_clocks(session, cli);
	report_flow(session, cli, &options);
	struct export_result result;
	struct writer writer = {0};
	options.output = &writer;
	int failed = output_open(&writer, cli, &session, 1, options.format, options.follow, &err);
	if (!failed)
		failed = options.follow ? follow_export(cli, session, &options, &result, &err)
					: export_run(session, &options, &result, &err);
	if (!failed)
		failed = writer_commit(&writer, &err);
	writer_abandon(&writer);
	filter_free(&stop);
	if (failed < 0)
		return report_error(&err);
	report_missing_names(session, cli, filter, result.messages);
	report_absent(cli, format, result.messages);
	if (cli->value[CLI_VERBOSE])
		report_count(result.messages);
	report_notices(session, cli);
	doubts_add(doubts, &result.doubts);
	return cli->value[CLI_CHECK] ? check_session(session, cli, &options) : STATUS_GOOD;
}

/* Write the messages in FORMAT, and report the doubts. */
static int
run_format(struct session *session, const struct cli *cli, const struct filter *filter,
	   const struct export_format *format)
{
	struct doubts doubts = {0};
	int status = write_output(session, cli, filter, format, &doubts);
	collect_doubts(session, cli, &doubts);
	report_doubts(cli, &doubts);
	return judge_doubts(cli, &doubts, status);
}

int
batch_load(struct session *session, const struct cli *cli, const struct filter *filter,
	   struct doubts *doubts)
{
	struct err err = {0};
	const struct export_options options = {.format = export_find("jsonl"), .filter = *filter};
	if (!are_decoded(session))
		return STATUS_FAILED;
	load_traces(session, cli, doubts);
	report_notices(session, cli);
	load_relations(session, &options);
	return check_filter(session, filter, false, &err) < 0 ? report_error(&err) : STATUS_GOOD;
}

void
batch_report(struct session *session, const struct filter *filter, const struct cli *cli,
	     struct doubts *doubts)
{
	report_missing_names(session, cli, filter, 0);
	report_notices(session, cli);
	report_losses(session, cli, doubts);
}

int
batch_judge(const struct cli *cli, struct doubts *doubts)
{
	doubts->count[DOUBT_UNSEARCHED] += regex_given_up();
	report_doubts(cli, doubts);
	return judge_doubts(cli, doubts, STATUS_GOOD);
}

int
batch_run(struct session *session, const struct cli *cli, const struct filter *filter)
{
	struct err err = {0};
	const char *name = output_format(cli);
	const struct export_format *format = export_find(name);
	struct export_line *line;
	struct export_table *table;
	if (!are_decoded(session))
		return STATUS_FAILED;
	if (!format)
		err_set(&err, ERR_USAGE, "no such output format: %s%s", name,
			nearest_hint(name, export_next_name, NULL).text);
	else if (cli->value[CLI_CHECK] && session_is_live(session))
		err_set(&err, ERR_USAGE,
			"--check reads to the end, and a live source has none; --stop-when waits "
			"for a message");
	if (err.code || output_make_line(cli, format, session, &line, &err) < 0)
		return report_error(&err);
	if (output_make_table(cli, format, session, &table, &err) < 0) {
		export_line_free(line);
		return report_error(&err);
	}
	int status = run_format(session, cli, filter,
				line	? export_line_format(line)
				: table ? export_table_format(table)
					: format);
	export_line_free(line);
	export_table_free(table);
	return status;
}
