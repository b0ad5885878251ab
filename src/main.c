/*
 * trawl: arguments to session to screen or output; nothing else.
 *
 * The order matters for what a user sees first: captures are opened and looked
 * at before the screen starts, so that "no such file" is a line on the
 * terminal; collateral and the index come after the first screen.
 */
#include "config.h"

#include "base/regex.h"
#include "base/thread.h"
#include "command/cli.h"
#include "config/files.h"
#include "config/looks.h"
#include "config/profile.h"
#include "config/schema.h"
#include "decode/registry.h"
#include "export/export.h"
#include "query/check.h"
#include "query/origin_names.h"
#include "session/clock/clocks.h"
#include "session/clock/cycles.h"
#include "session/context/context.h"
#include "session/link/serial.h"
#include "session/session.h"
#include "trace/doubts.h"
#include "trace/reader.h"
#include "trace/trace.h"
#include "ui/state.h"
#include "ui/ui.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STATUS_GOOD = 0, STATUS_DAMAGED = 1, STATUS_FAILED = 2 };

/* Writes each line of a text to standard error. */
static void
complain(const char *text)
{
	struct text out = {0};
	for (size_t length; *text; text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");
		text_add(&out, "trawl: ");
		text_add_safe(&out, text, length, TEXT_UTF8);
		text_add_char(&out, '\n');
	}
	fputs(text_get(&out), stderr);
	text_free(&out);
}

static int
fail(const struct err *err)
{
	complain(err->what);
	return STATUS_FAILED;
}

/* --- what needs no capture --------------------------------------------- */

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

/* Writes a text to standard output, all of it or with status 2, and clears it. */
static int
print(struct text *out)
{
	struct err err = {0};
	return export_flush(out, STDOUT_FILENO, NULL, NULL, &err) < 0 ? fail(&err) : STATUS_GOOD;
}

/* Prints what the options ask for without looking at a capture; false if they
 * ask for none of that. */
static bool
answer(const struct cli *cli, int *status)
{
	struct text out = {0};
	if (cli->value[CLI_HELP])
		cli_help(&out);
	else if (cli->value[CLI_VERSION])
		text_add(&out, PACKAGE_STRING "\n");
	else if (cli->value[CLI_LIST_FORMATS])
		list_formats(&out);
	else if (cli->value[CLI_LIST_FIELDS])
		list_fields(&out);
	else
		return false;
	*status = print(&out);
	text_free(&out);
	return true;
}

/* --- opening ----------------------------------------------------------- */

/* *FOUND: where the profile is, empty without one. */
static int
load_profile(struct session *session, const struct cli *cli, struct text *found, struct err *err)
{
	const char *path = cli->value[CLI_PROFILE];
	if (profile_is_session(cli->files.at[0])) {
		if (path)
			return err_set(err, ERR_USAGE,
				       "%s is a profile itself; leave out --profile",
				       cli->files.at[0]);
		path = cli->files.at[0];
	}
	if (path)
		text_add(found, path);
	else
		profile_find(cli->files.at[0], found);
	if (found->length)
		return profile_load(found->data, &session->profile, err);
	option_defaults(profile_options_table(), &session->profile);
	return 0;
}

/* Says what in the profile has no effect on the captures. */
static void
check_profile(struct session *session, const char *path)
{
	struct text complaint = {0};
	if (*path)
		profile_complain(session, path, &complaint);
	if (complaint.length)
		session_add_notice(session, complaint.data);
	text_free(&complaint);
}

/* Splits FORMAT:FILE where FORMAT is one and no file has the whole name. */
static const char *
split_format(const char *argument, char *format, size_t size)
{
	const char *colon = strchr(argument, ':');
	if (!colon || (size_t)(colon - argument) >= size || !access(argument, F_OK))
		return argument;
	memcpy(format, argument, (size_t)(colon - argument));
	format[colon - argument] = '\0';
	if (decoder_find(format))
		return colon + 1;
	*format = '\0';
	return argument;
}

/* What opening needs to know; CACHE keeps a path that the session borrows. */
static int
prepare_session(struct session *session, const struct cli *cli, struct text *cache, struct err *err)
{
	const char *threads = cli->value[CLI_THREADS], *told = cli->value[CLI_CACHE_DIR];
	const char *follow = cli->value[CLI_FOLLOW];
	uint64_t number = 0;
	if (follow && *follow && strcmp(follow, "name") != 0 && strcmp(follow, "descriptor") != 0)
		return err_set(err, ERR_USAGE, "--follow is name or descriptor, not %s", follow);
	session->host.follow = follow && !strcmp(follow, "descriptor") ? FOLLOW_FILE : FOLLOW_NAME;
	if (threads && !text_parse_uint(threads, 1024, &number))
		return err_set(err, ERR_USAGE, "--threads is a number up to 1024, not %s", threads);
	session->host.threads = (unsigned)number;
	session->host.spool_dir = cli->value[CLI_SPOOL];
	if (told)
		text_add(cache, told);
	else
		files_cache_path(cache);
	if (cache->length && !cli->value[CLI_NO_CACHE])
		session->host.cache_dir = text_get(cache);
	return 0;
}

static int
open_captures(struct session *session, const struct cli *cli, struct err *err)
{
	size_t from = profile_is_session(cli->files.at[0]);
	if (from) {
		int opened =
		    session_open_named(session, cli->collateral.at, cli->collateral.count, err);
		if (!opened)
			err_set(err, ERR_USAGE,
				"%s names no captures; give its traces a file:", cli->files.at[0]);
		if (opened <= 0)
			return err->code;
	}
	for (size_t i = from; i < cli->files.count; i++) {
		char own[32] = "";
		const char *path = split_format(cli->files.at[i], own, sizeof own);
		const char *format = *own ? own : cli->value[CLI_FROM];
		if (!session_open(session, path, format, cli->collateral.at, cli->collateral.count,
				  err))
			return err->code;
	}
	session_link(session);
	return 0;
}

/* --- what to select ---------------------------------------------------- */

/* Reads an expression that OPTION gave, and adds it to the whole in brackets. */
static int
add_expression(const struct session *session, const char *option, const char *before,
	       const char *text, struct text *whole, struct err *err)
{
	struct filter_error error;
	struct filter_expr *expr = filter_parse(text, session, &error);
	filter_expr_free(expr);
	if (!expr) {
		struct text why = {0};
		filter_explain(&error, text, &why);
		err_set(err, ERR_USAGE, "--%s: %s", option, text_get(&why));
		text_free(&why);
		return err->code;
	}
	text_addf(whole, "%s%s(%s)", whole->length ? " and " : "", before, text);
	return 0;
}

/* Appends `origin in {"A", "B"}`. */
static void
add_origins(const char *list, struct text *out)
{
	text_add(out, "origin in {");
	for (;;) {
		size_t length = strcspn(list, ",");
		filter_quote(list, length, out);
		if (!list[length])
			break;
		text_add(out, ", ");
		list += length + 1;
	}
	text_add_char(out, '}');
}

/* The expression of an option that is a short form of one. */
static void
spell_out(const struct cli_given *given, struct text *out)
{
	text_clear(out);
	if (given->id == CLI_ORIGIN)
		add_origins(given->text, out);
	else if (given->id == CLI_SINCE || given->id == CLI_UNTIL)
		text_add(out, given->id == CLI_SINCE ? "time >= " : "time <= ");
	if (given->id == CLI_SINCE || given->id == CLI_UNTIL)
		filter_quote(given->text, strlen(given->text), out);
	if (given->id == CLI_FILTER || given->id == CLI_EXCLUDE)
		text_add(out, given->text);
	if (given->id == CLI_GREP)
		filter_quote_regex(given->text, out);
}

/* All that the options say together, as one expression. */
static int
make_expression(const struct cli *cli, const struct session *session, struct filter *filter,
		struct err *err)
{
	struct text whole = {0}, one = {0};
	struct filter_error error;
	int failed = 0;
	for (size_t i = 0; i < cli->given.count && !failed; i++) {
		const struct cli_given *given = &cli->given.at[i];
		spell_out(given, &one);
		if (one.length || given->id == CLI_FILTER || given->id == CLI_EXCLUDE)
			failed = add_expression(session, cli_rows[given->id].name,
						given->id == CLI_EXCLUDE ? "not " : "",
						text_get(&one), &whole, err);
	}
	if (!failed && whole.length && !(filter->expr = filter_parse(whole.data, NULL, &error)))
		failed = err_set(err, ERR_USAGE, "the filters together are %s", error.what);
	text_free(&whole);
	text_free(&one);
	return failed;
}

static int
make_filter(const struct cli *cli, const struct session *session, struct filter *filter,
	    struct err *err)
{
	*filter = filter_all();
	const char *level = cli->value[CLI_SEVERITY], *unassigned = cli->value[CLI_UNASSIGNED];
	bool hide = unassigned && !strcmp(unassigned, "hide");
	if (unassigned && !hide && strcmp(unassigned, "pass") != 0)
		return err_set(err, ERR_USAGE, "--unassigned is pass or hide, not %s", unassigned);
	int severity = level ? severity_parse(level) : SEVERITY_DEBUG;
	if (severity < 0)
		return err_set(err, ERR_USAGE, "no such severity: %s; see trawl --help", level);
	filter->severities = filter_threshold((enum severity)severity, hide);
	return make_expression(cli, session, filter, err);
}

/* What people can read: files are always UTF-8, a terminal may not be. */
static enum text_charset
charset(const struct cli *cli, bool terminal)
{
	bool utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	if (!utf8) /* widths and kinds of characters do not depend on the user */
		setlocale(LC_CTYPE, "C.UTF-8");
	return cli->value[CLI_ASCII] || (terminal && !utf8) ? TEXT_ASCII : TEXT_UTF8;
}

/* --- batch ------------------------------------------------------------- */

static const char *
output_format(const struct cli *cli)
{
	return cli->value[CLI_TO] ? cli->value[CLI_TO] : "text";
}

/* What opening a trace has to say. */
static void
print_notice(struct trace *trace, const struct cli *cli)
{
	char *notice = trace_take_notice(trace);
	if (notice && !cli->value[CLI_QUIET])
		complain(notice);
	free(notice);
}

/* What was guessed: the messages may be no messages. */
static void
print_guess(const struct trace *trace)
{
	struct text text = {0};
	if (trace_explain_guess(trace, &text))
		complain(text_get(&text));
	text_free(&text);
}

/* Whether all traces have messages; complains of those that no format explains. */
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
		complain(text_get(&text));
		text_free(&text);
	}
	return all;
}

/* Appends lines as comments of YAML. */
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

/* What the decoder knows of a capture. */
static void
add_survey(struct trace *trace, struct text *out)
{
	struct text lines = {0}, lacks = {0};
	if (trace_decoder(trace)->about)
		add_comments(trace_decoder(trace)->about, out);
	if (trace_survey(trace, &lines, &lacks)) {
		add_comments(text_get(&lines), out);
		add_comments(text_get(&lacks), out);
	}
	text_free(&lines);
	text_free(&lacks);
}

static void
print_all_notices(struct session *session, const struct cli *cli)
{
	for (size_t i = 0; i < session->traces.count; i++)
		print_notice(session->traces.at[i], cli);
}

/* Loads what texts need and makes some: what is missing becomes a notice. */
static void
look_at_head(struct trace *trace, const struct cli *cli)
{
	enum { LOOK = 256 };
	struct err err = {0};
	struct expansion e = {0};
	trace_load(trace, &err);
	if (err.code && !cli->value[CLI_QUIET])
		complain(err.what);
	struct reader *reader = reader_new(trace);
	struct message head[LOOK];
	size_t count = reader_walk(reader, head, LOOK);
	for (size_t i = 0; i < count; i++)
		reader_expand(reader, &head[i], EXPAND_BARE, &e);
	reader_free(reader);
	expansion_free(&e);
}

/* A profile, with what is known of each trace as comments. */
static int
print_info(struct session *session, const struct cli *cli)
{
	struct text out = {0}, profile = {0}, line = {0};
	for (size_t i = 0; i < session->traces.count; i++) {
		struct trace *trace = session->traces.at[i];
		struct capture *capture = trace_capture(trace);
		text_clear(&line);
		text_addf(&line, "%s: %s, %llu bytes, ", trace_name(trace),
			  trace_is_decoded(trace) ? decoder_name(trace_decoder(trace)->ops)
						  : "format unknown",
			  (unsigned long long)capture_size(capture));
		if (trace_guess(trace))
			text_addf(&line, "[guessed %d %%] ", trace_guess(trace));
		text_add(&line, trace_reason(trace));
		if (trace_clock(trace).hz > 0)
			text_addf(&line, ", clock %.0f Hz", trace_clock(trace).hz);
		add_comments(text_get(&line), &out);
		text_clear(&line);
		if (!trace_is_decoded(trace) || trace_guess(trace) ||
		    trace_decoder(trace)->ops->candidates)
			trace_list_candidates(trace, &line);
		add_comments(text_get(&line), &out);
		trace_propose(trace, &profile);
		if (trace_is_decoded(trace)) {
			add_survey(trace, &out);
			look_at_head(trace, cli);
		}
		print_notice(trace, cli);
	}
	text_add(&out, "traces:\n");
	text_add(&out, text_get(&profile));
	int status = print(&out);
	text_free(&out);
	text_free(&profile);
	text_free(&line);
	return status;
}

static int
keep_indexes(struct session *session)
{
	for (size_t i = 0; i < session->traces.count; i++) {
		struct err err = {0};
		if (trace_keep_index(session->traces.at[i], &err) < 0)
			return fail(&err);
	}
	return STATUS_GOOD;
}

static int
cannot_write(const char *path, struct err *err)
{
	return err_set(err, ERR_IO, "%s: %s%s", path, strerror(errno),
		       errno == EEXIST ? "; --force overwrites it" : "");
}

/* Makes the folder PATH. */
static int
open_folder(const char *path, bool force, struct err *err)
{
	if (mkdir(path, 0777) && (errno != EEXIST || !force))
		return cannot_write(path, err);
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return folder < 0 ? cannot_write(path, err) : folder;
}

static int
open_output(const struct cli *cli, const struct export_format *format, struct err *err)
{
	const char *path = cli->value[CLI_OUTPUT];
	if (format->folder && !path)
		return err_set(err, ERR_USAGE, "-t %s writes a folder; name it with -o",
			       format->name);
	if (format->folder)
		return open_folder(path, cli->value[CLI_FORCE], err);
	if (!path)
		return STDOUT_FILENO;
	int exclusive = cli->value[CLI_FORCE] ? O_TRUNC : O_EXCL;
	int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | exclusive, 0666);
	return file < 0 ? cannot_write(path, err) : file;
}

static bool
read_split(const char *split, struct export_options *options)
{
	char part[32];
	const char *slash = strchr(split, '/');
	if (!slash || (size_t)(slash - split) >= sizeof part)
		return false;
	memcpy(part, split, (size_t)(slash - split));
	part[slash - split] = '\0';
	return text_parse_uint(slash + 1, UINT32_MAX, &options->parts) &&
	       text_parse_uint(part, options->parts, &options->part) && options->part;
}

static int
take_split(const struct cli *cli, struct export_options *options, struct err *err)
{
	const char *split = cli->value[CLI_SPLIT];
	if (split && !read_split(split, options))
		return err_set(err, ERR_USAGE, "--split is K/N with K from 1 to N, not %s", split);
	return 0;
}

/* How many messages to show around those selected.  A part cannot tell what is
 * around its own. */
static int
take_context(const struct cli *cli, unsigned most, unsigned *around, struct err *err)
{
	const char *context = cli->value[CLI_CONTEXT];
	uint64_t number = 0;
	if (context && !text_parse_uint(context, most, &number))
		return err_set(err, ERR_USAGE, "--context is a number up to %u, not %s", most,
			       context);
	if (number && cli->value[CLI_SPLIT])
		return err_set(err, ERR_USAGE, "--context does not go with --split");
	*around = (unsigned)number;
	return 0;
}

/* What happens to a capture while it is followed. */
static void
print_notices(void *context)
{
	struct session *session = context;
	for (size_t i = 0; i < session->traces.count; i++) {
		char *notice = trace_take_notice(session->traces.at[i]);
		if (notice)
			fprintf(stderr, "trawl: %s\n", notice);
		free(notice);
	}
}

struct ending {
	struct session *session;
	sigset_t signals;
	int number; /* what came, or 0 */
};

/* A signal lets the output end with a whole line; the next one ends all. */
static void *
await_ending(void *context)
{
	struct ending *ending = context;
	sigwait(&ending->signals, &ending->number);
	pthread_sigmask(SIG_UNBLOCK, &ending->signals, NULL);
	session_interrupt(ending->session);
	pause();
	return NULL;
}

/* Who is started with a signal ignored leaves it so, as background jobs are. */
static void
add_unless_ignored(sigset_t *set, int number)
{
	struct sigaction now;
	if (!sigaction(number, NULL, &now) && now.sa_handler != SIG_IGN)
		sigaddset(set, number);
}

/* Prints what comes until a signal ends it. */
static int
follow(const struct cli *cli, struct session *session, const struct export_options *options,
       struct export_result *result, struct err *err)
{
	struct ending ending = {.session = session};
	pthread_t thread;
	sigemptyset(&ending.signals);
	add_unless_ignored(&ending.signals, SIGINT);
	add_unless_ignored(&ending.signals, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &ending.signals, NULL);
	if (!cli->value[CLI_QUIET])
		session_notify(session, print_notices, session);
	bool waits = thread_start(&thread, await_ending, &ending);
	int failed = export_run(session, options, result, err);
	if (waits) {
		pthread_cancel(thread);
		pthread_join(thread, NULL);
	}
	session_notify(session, NULL, NULL);
	if (ending.number)
		raise(ending.number); /* as it would have ended us */
	pthread_sigmask(SIG_UNBLOCK, &ending.signals, NULL);
	return failed;
}

/* Looks for what --check names, and tells about it. */
static int
check(struct session *session, const struct cli *cli, const struct filter *filter)
{
	struct err err = {0};
	struct text report = {0};
	struct check *check = check_new(cli->value[CLI_CHECK], session, &err);
	if (!check)
		return fail(&err);
	bool found = check_run(check, session, filter, cli->value[CLI_SOURCE], &report);
	print_all_notices(session, cli);
	if (!cli->value[CLI_QUIET])
		fputs(text_get(&report), stderr);
	text_free(&report);
	check_free(check);
	return found ? STATUS_DAMAGED : STATUS_GOOD;
}

/* Loads what the traces' texts need. */
static void
load_traces(struct session *session, const struct cli *cli, struct doubts *doubts)
{
	for (size_t i = 0; i < session->traces.count; i++) {
		struct err trouble = {0};
		trace_load(session->traces.at[i], &trouble);
		if (serial_of(session->traces.at[i]))
			serial_load(serial_of(session->traces.at[i]));
		if (trouble.code && !cli->value[CLI_QUIET])
			complain(trouble.what);
		if (!cli->value[CLI_QUIET])
			print_guess(session->traces.at[i]);
		doubts->count[DOUBT_UNLOADED] += trouble.code != 0;
	}
}

/* Says what is missing of a capture; whether anything is, or its bytes changed
 * while they were read. */
static bool
tell_loss(struct trace *trace, const struct cli *cli)
{
	struct text loss = {0}, line = {0};
	capture_describe_loss(trace_capture(trace), &loss);
	bool amiss =
	    loss.length || (!cli->value[CLI_FOLLOW] && capture_epoch(trace_capture(trace)));
	if (loss.length)
		text_addf(&line, "%s: %s", trace_name(trace), text_get(&loss));
	if (line.length && !cli->value[CLI_QUIET])
		complain(text_get(&line));
	else if (amiss)
		print_notice(trace, cli);
	text_free(&loss);
	text_free(&line);
	return amiss;
}

/* Adds what is known at the end of a run, of all that was done in it. */
static void
collect_doubts(struct session *session, const struct cli *cli, struct doubts *doubts)
{
	doubts->count[DOUBT_UNSEARCHED] += regex_given_up();
	for (size_t i = 0; i < session->traces.count; i++)
		doubts->count[DOUBT_INCOMPLETE] += tell_loss(session->traces.at[i], cli);
}

/* Tells of the doubts that the output does not show. */
static void
print_doubts(const struct cli *cli, const struct doubts *all)
{
	const struct export_format *format = export_find(output_format(cli));
	struct doubts doubts = *all;
	struct text line = {0};
	if (format && format->flagged)
		doubts_remove(&doubts, DOUBT_FLAGS);
	doubts_describe(&doubts, &line);
	if (!cli->value[CLI_QUIET])
		complain(text_get(&line));
	text_free(&line);
}

/* The status of a run that ended with STATUS.  What --check names counts, and
 * nothing else that decoding finds. */
static int
judge_doubts(const struct cli *cli, const struct doubts *all, int status)
{
	struct doubts doubts = *all;
	if (cli->value[CLI_CHECK])
		doubts_remove(&doubts, DOUBT_DECODING);
	return status == STATUS_GOOD && doubts_are_bad(&doubts) ? STATUS_DAMAGED : status;
}

/* Says which names of --origin nobody has.  Where there is one name and something
 * was selected, it has been found. */
static void
check_origins(struct session *session, const struct cli *cli, uint64_t selected)
{
	const char *list = cli->value[CLI_ORIGIN];
	struct text missing = {0};
	if (!list || cli->value[CLI_FOLLOW] || cli->value[CLI_QUIET] ||
	    (selected && !strchr(list, ',')))
		return;
	origin_names_check(session, list, cli->value[CLI_SOURCE], &missing);
	complain(text_get(&missing));
	text_free(&missing);
}

/* Names traces that are not in the output. */
static void
tell_unfit(const struct session *session, const struct cli *cli,
	   const struct export_options *options)
{
	struct text names = {0}, line = {0};
	export_name_unfit(session, options, &names);
	text_addf(&line, "-t %s has no rows for %s", options->format->name, text_get(&names));
	if (names.length && session->traces.count > 1 && !options->source && !cli->value[CLI_QUIET])
		complain(text_get(&line));
	text_free(&names);
	text_free(&line);
}

/* Writes the output, or looks for what --check names; adds what is doubtful of it. */
static int
produce(struct session *session, const struct cli *cli, const struct filter *filter,
	struct doubts *doubts)
{
	struct err err = {0};
	const char *name = output_format(cli);
	struct export_options options = {.format = export_find(name),
					 .filter = *filter,
					 .source = cli->value[CLI_SOURCE],
					 .threads = session->host.threads,
					 .follow = cli->value[CLI_FOLLOW],
					 .charset = charset(cli, isatty(STDOUT_FILENO))};
	if (!options.format) {
		err_set(&err, ERR_USAGE, "no such output format: %s; see trawl --help", name);
		return fail(&err);
	}
	if (take_split(cli, &options, &err) < 0 ||
	    take_context(cli, EXPORT_AROUND_MAX, &options.around, &err) < 0)
		return fail(&err);
	load_traces(session, cli, doubts);
	print_all_notices(session, cli);
	if (options.format->timed || filter_needs_clocks(filter))
		clocks_load(session->clocks,
			    !options.follow &&
				(!options.format->live || export_is_merged(session, &options)));
	if (options.format->timed && !options.format->joiner && !options.follow)
		cycles_load(session->cycles, !options.format->live);
	if (!options.follow && session->contexts &&
	    (filter_needs_contexts(filter) ||
	     (options.format->contexts && contexts_defined(session->contexts))))
		contexts_load(session->contexts);
	if (cli->value[CLI_CHECK] && !cli->value[CLI_TO] && !cli->value[CLI_OUTPUT]) {
		check_origins(session, cli, 0);
		return check(session, cli, filter);
	}
	tell_unfit(session, cli, &options);
	options.output = open_output(cli, options.format, &err);
	options.name = cli->value[CLI_OUTPUT];
	struct export_result result;
	if (options.output < 0)
		return fail(&err);
	int failed = options.follow ? follow(cli, session, &options, &result, &err)
				    : export_run(session, &options, &result, &err);
	if (failed < 0)
		return fail(&err);
	check_origins(session, cli, result.messages);
	if (cli->value[CLI_VERBOSE])
		fprintf(stderr, "trawl: %llu messages\n", (unsigned long long)result.messages);
	print_all_notices(session, cli);
	doubts_add(doubts, &result.doubts);
	return cli->value[CLI_CHECK] ? check(session, cli, filter) : STATUS_GOOD;
}

static int
batch(struct session *session, const struct cli *cli, const struct filter *filter)
{
	struct doubts doubts = {0};
	int status = produce(session, cli, filter, &doubts);
	collect_doubts(session, cli, &doubts);
	print_doubts(cli, &doubts);
	return judge_doubts(cli, &doubts, status);
}

/* --- screen ------------------------------------------------------------ */

/* For ui_options.load. */
static int
load_looks(void *context, enum looks_part part, const char *what, struct looks *looks,
	   struct err *err)
{
	struct looks_source *source = context;
	if (part < LOOKS_PARTS)
		return looks_choose(source, looks, part, what, err);
	return what ? looks_read(source, looks, what, err) : looks_load(source, looks, err);
}

static bool
name_looks(void *context, enum looks_part part, size_t i, struct text *out)
{
	(void)context;
	return looks_name(part, i, out);
}

/* The format that all traces have, or NULL. */
static const char *
common_format(const struct session *session)
{
	const char *format = NULL;
	for (size_t i = 0; i < session->traces.count; i++) {
		const char *other = trace_decoder(session->traces.at[i])->ops->format;
		if (format && strcmp(format, other) != 0)
			return NULL;
		format = other;
	}
	return format;
}

/* What the user chose to look at and with: the options go before the file of
 * --config, that goes before what is usual. */
static int
first_looks(const struct cli *cli, struct looks_source *source, struct looks *looks,
	    struct err *err)
{
	static const enum cli_id options[LOOKS_PARTS] = {
	    [LOOKS_VIEW] = CLI_VIEW, [LOOKS_THEME] = CLI_THEME, [LOOKS_KEYS] = CLI_KEYS};
	looks_standard(source);
	int failed = looks_load(source, looks, err);
	if (!failed && cli->value[CLI_CONFIG])
		failed = looks_read(source, looks, cli->value[CLI_CONFIG], err);
	for (int part = 0; part < LOOKS_PARTS && !failed; part++) {
		const char *what = cli->value[options[part]];
		if (what)
			failed = looks_choose(source, looks, (enum looks_part)part, what, err);
	}
	return failed;
}

static int
dump_config(struct session *session, const struct cli *cli)
{
	struct err err = {0};
	struct looks_source source = {.format = common_format(session)};
	struct looks looks = {0};
	struct text out = {0};
	int failed = first_looks(cli, &source, &looks, &err);
	int status = STATUS_GOOD;
	if (!failed) {
		looks_write(&looks, &out);
		status = print(&out);
	}
	option_release(&looks_options_table, &looks);
	looks_free(&source);
	text_free(&out);
	return failed < 0 ? fail(&err) : status;
}

/* Where the session is kept that belongs to the captures. */
static void
session_path(const struct cli *cli, struct text *path)
{
	const char *capture = cli->files.at[0];
	size_t length = strlen(capture);
	while (length > 1 && capture[length - 1] == '/') /* a snapshot's folder */
		length--;
	if (cli->value[CLI_SESSION])
		text_add(path, cli->value[CLI_SESSION]);
	else if (strcmp(capture, "-") != 0)
		text_addf(path, "%.*s.session.yaml", (int)length, capture);
}

/* A session's file without its folders; NULL: captures were named. */
static const char *
session_name(const struct cli *cli)
{
	const char *path = cli->files.at[0], *slash = strrchr(path, '/');
	return !profile_is_session(path) ? NULL : slash ? slash + 1 : path;
}

/* For ui_options.load_state. */
static int
load_state(const char *path, struct state_file *file, struct err *err)
{
	return schema_load_file(path, &state_options_table, file, err);
}

static int
screen(struct session *session, struct cli *cli, const struct filter *filter)
{
	struct err err = {0};
	struct err trouble = {0};
	struct notebook notebook = {0};
	struct text path = {0}, state = {0};
	struct looks_source source = {.format = common_format(session)};
	struct ui_options options = {.session_name = session_name(cli),
				     .filter = *filter,
				     .ascii = charset(cli, true) == TEXT_ASCII,
				     .follow = cli->value[CLI_FOLLOW],
				     .commands = cli->commands.at,
				     .command_count = cli->commands.count,
				     .load = load_looks,
				     .name = name_looks,
				     .load_context = &source,
				     .notebook_given = cli->value[CLI_SESSION],
				     .load_state = load_state,
				     .complain = complain};
	files_state_path(&state);
	if (!cli->value[CLI_NO_STATE])
		options.state_dir = text_get(&state);
	session_path(cli, &path);
	if (path.length)
		options.notebook_path = path.data;
	if (path.length && files_exist(path.data)) {
		if (schema_load_file(path.data, &notebook_options_table, &notebook, &trouble) < 0)
			options.trouble = trouble.what; /* no reason not to open */
		else
			options.notebook = &notebook;
		if (cli->value[CLI_VIEW]) { /* asked for now */
			free(notebook.view);
			notebook.view = NULL;
		}
	}
	int failed = first_looks(cli, &source, &options.looks, &err);
	if (!failed)
		failed = take_context(cli, UI_AROUND_MAX, &options.around, &err);
	if (!failed)
		failed = ui_run(session, &options, &err);
	option_release(&looks_options_table, &options.looks);
	option_release(&notebook_options_table, &notebook);
	looks_free(&source);
	text_free(&path);
	text_free(&state);
	return failed < 0 ? fail(&err) : STATUS_GOOD;
}

int
main(int argc, char **argv)
{
	setlocale(LC_CTYPE, "");
	signal(SIGXFSZ, SIG_IGN); /* such a file is as one on a full disk */
	struct err err = {0};
	struct cli cli = {0};
	struct session session = {0};
	struct text cache = {0}, profile = {0};
	struct filter filter = filter_all();
	int status = STATUS_GOOD;
	if (cli_parse(&cli, argc, argv, &err) < 0) {
		status = fail(&err);
		goto out;
	}
	if (answer(&cli, &status))
		goto out;
	if (!cli.files.count && cli.value[CLI_DUMP_CONFIG]) {
		status = dump_config(&session, &cli);
		goto out;
	}
	if (!cli.files.count) {
		if (isatty(STDIN_FILENO)) {
			err_set(&err, ERR_USAGE, "name a capture; trawl --help tells more");
			status = fail(&err);
			goto out;
		}
		*vec_add(&cli.files) = "-";
	}
	bool to_batch = cli.value[CLI_TO] || cli.value[CLI_OUTPUT] || cli.value[CLI_SPLIT] ||
			cli.value[CLI_CHECK] || !isatty(STDOUT_FILENO);
	if (load_profile(&session, &cli, &profile, &err) < 0 ||
	    prepare_session(&session, &cli, &cache, &err) < 0 ||
	    open_captures(&session, &cli, &err) < 0 ||
	    make_filter(&cli, &session, &filter, &err) < 0)
		status = fail(&err);
	else
		check_profile(&session, text_get(&profile));
	if (status != STATUS_GOOD)
		goto out;
	if (cli.value[CLI_INFO])
		status = print_info(&session, &cli);
	else if ((to_batch || cli.value[CLI_INDEX]) && !cli.value[CLI_DUMP_CONFIG] &&
		 !are_decoded(&session))
		status = STATUS_FAILED;
	else if (cli.value[CLI_INDEX])
		status = keep_indexes(&session);
	else if (cli.value[CLI_DUMP_CONFIG])
		status = dump_config(&session, &cli);
	else if (to_batch)
		status = batch(&session, &cli, &filter);
	else
		status = screen(&session, &cli, &filter);
out:
	filter_free(&filter); /* which may read the traces */
	session_close(&session);
	text_free(&cache);
	text_free(&profile);
	cli_free(&cli);
	return status;
}
