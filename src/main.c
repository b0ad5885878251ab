/*
 * trawl: arguments to session to screen or output; nothing else.
 *
 * The order matters to the user.  Captures are opened and recognised before the screen starts, so
 * that "no such file" is a line on the terminal.  Collateral and the index come after the first
 * screen.
 */
#include "config.h"

#include "base/file.h"
#include "base/notice.h"
#include "base/regex.h"
#include "batch/batch.h"
#include "batch/compare_print.h"
#include "batch/info.h"
#include "batch/output.h"
#include "batch/report.h"
#include "capture/case.h"
#include "capture/live.h"
#include "capture/unpack.h"
#include "command/cli.h"
#include "command/cli_filter.h"
#include "config/completion.h"
#include "config/files.h"
#include "config/looks.h"
#include "config/profile.h"
#include "config/schema.h"
#include "config/survey.h"
#include "decode/registry.h"
#include "export/export_line.h"
#include "program/symbols.h"
#include "query/compare/compare_job.h"
#include "query/interval/intervals.h"
#include "session/clock/clocks.h"
#include "session/session.h"
#include "trace/recognise.h"
#include "trace/trace.h"
#include "ui/pack.h"
#include "ui/screen/still.h"
#include "ui/screen/term.h"
#include "ui/signals.h"
#include "ui/state.h"
#include "ui/ui.h"

#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* --- opening ----------------------------------------------------------- */

/* Load the profile.  *FOUND is its path, empty without one. */
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
		profile_find(cli->files.at, cli->files.count, found);
	if (found->length) {
		session->profile_path = found->data;
		return profile_load(found->data, &session->profile, err);
	}
	option_defaults(profile_options_table(), &session->profile);
	return 0;
}

/* Report parts of the profile that have no effect on the captures. */
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

/* Split FORMAT:FILE if FORMAT is known and no file has the whole name. */
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

/* Prepare the session for opening captures.  CACHE keeps a path that the session borrows. */
static int
prepare_session(struct session *session, const struct cli *cli, struct text *cache, struct err *err)
{
	const char *threads = cli->value[CLI_THREADS], *cache_dir = cli->value[CLI_CACHE_DIR];
	const char *follow = cli->value[CLI_FOLLOW];
	uint64_t number = 0;
	if (follow && *follow && strcmp(follow, "name") != 0 && strcmp(follow, "descriptor") != 0)
		return err_set(err, ERR_USAGE, "--follow is name or descriptor, not %s", follow);
	session->host.follow = follow && !strcmp(follow, "descriptor") ? FOLLOW_FILE : FOLLOW_NAME;
	if (threads && !text_parse_uint(threads, 1024, &number))
		return err_set(err, ERR_USAGE, "--threads is a number up to 1024, not %s", threads);
	session->host.threads = (unsigned)number;
	if (cli->value[CLI_ORDER] && session_set_order(session, cli->value[CLI_ORDER], err) < 0)
		return err->code;
	session->utc = cli->value[CLI_UTC];
	session->host.spool_dir = cli->value[CLI_SPOOL];
	if (cli_parse_spool_limit(cli, &session->host.spool_limit, err) < 0)
		return err->code;
	session->host.images_dir = cli->value[CLI_IMAGES];
	session->host.report_waiting = cli->value[CLI_QUIET] ? NULL : report_text;
	const char *pointer = cli->value[CLI_WRITE_POINTER];
	session->host.has_write_pointer = pointer;
	if (pointer && !text_parse_uint(pointer, INT64_MAX, &session->host.write_pointer))
		return err_set(err, ERR_USAGE, "--write-pointer is an offset, as 0x400, not %s",
			       pointer);
	if (cache_dir)
		text_add(cache, cache_dir);
	else
		files_cache_path(cache);
	if (cache->length && !cli->value[CLI_NO_CACHE])
		session->host.cache_dir = text_get(cache);
	return 0;
}

/* Report collateral that no capture can use.  A capture that is not decoded may still need it:
 * the user can try another format. */
static void
note_unused(struct session *session, const struct cli *cli)
{
	bool used = !cli->collateral.count;
	for (size_t i = 0; i < session->traces.count; i++) {
		const struct trace *trace = session->traces.at[i];
		used |= !trace_is_decoded(trace) || trace_takes_collateral(trace);
	}
	if (!used)
		trace_add_notice(session->traces.at[0], NOTICE_COLLATERAL_UNUSED);
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
	for (size_t i = 0; i < cli->given.count; i++)
		if (cli->given.at[i].id == CLI_TIME_OFFSET &&
		    session_add_offset(session, cli->given.at[i].text, err) < 0)
			return err_cause(err, "--time-offset");
	if (cli->value[CLI_SOURCE] && session_check_names(session, cli->value[CLI_SOURCE], err) < 0)
		return err_cause(err, "--source");
	session_link(session);
	note_unused(session, cli);
	return 0;
}

/* --- screen ------------------------------------------------------------ */

/* Implement ui_options.load. */
static int
load_looks(void *context, enum looks_part part, const char *what, struct looks *looks,
	   struct err *err)
{
	struct looks_source *source = context;
	if (part < LOOKS_PARTS)
		return looks_choose(source, looks, part, what, err);
	return what ? looks_read(source, looks, what, err) : looks_load(source, looks, err);
}

/* Implement ui_options.suit. */
static int
suit_looks(void *context, const char *theme, struct looks *looks, struct err *err)
{
	return looks_suit(context, looks, theme, err);
}

static bool
name_looks(void *context, enum looks_part part, size_t i, struct text *out)
{
	(void)context;
	return looks_name(part, i, out);
}

/* Return the format common to all traces, or NULL. */
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

/* Set a member of the view from an option. */
static int
set_view(struct looks *looks, enum cli_id id, const char *member, const char *value,
	 struct err *err)
{
	char buffer[256];
	const char *expected =
	    option_set(option_find(&view_options_table, member), &looks->view, value, buffer);
	return expected ? err_set(err, ERR_USAGE, "--%s is %s, not %s", cli_rows[id].name, expected,
				  value)
			: 0;
}

/* Options that set a member of the view. */
static const struct {
	enum cli_id option;
	const char *member;
} view_options[] = {
    {CLI_LAYOUT, "layout"}, {CLI_TIME_FORMAT, "time"}, {CLI_MOUSE, "mouse"}, {CLI_UTC, "utc"}};

enum { VIEW_OPTIONS = sizeof view_options / sizeof *view_options };

/* Return the value of an option in the view's terms.  Return NULL with a reason if it is
 * invalid. */
static const char *
view_value(const struct cli *cli, enum cli_id id, struct err *err)
{
	static const char *const times[] = {[EXPORT_TIME_ABSOLUTE] = "absolute",
					    [EXPORT_TIME_RELATIVE] = "start",
					    [EXPORT_TIME_DELTA] = "delta",
					    [EXPORT_TIME_TICKS] = "ticks",
					    [EXPORT_TIME_ISO] = "absolute"};
	enum export_time time;
	if (id == CLI_TIME_FORMAT)
		return export_time_find(cli->value[id], &time, err) < 0 ? NULL : times[time];
	return cli_rows[id].argument ? cli->value[id] : "true";
}

static int
apply_view_options(const struct cli *cli, struct looks *looks, struct err *err)
{
	int failed = 0;
	for (size_t i = 0; i < VIEW_OPTIONS && !failed; i++) {
		enum cli_id id = view_options[i].option;
		if (!cli->value[id])
			continue;
		const char *value = view_value(cli, id, err);
		failed =
		    value ? set_view(looks, id, view_options[i].member, value, err) : ERR_USAGE;
	}
	return failed;
}

/* Load the user's looks.  Options win over the file of --config, which wins over the defaults. */
static int
first_looks(const struct cli *cli, struct looks_source *source, struct looks *looks,
	    struct err *err)
{
	static const enum cli_id options[LOOKS_PARTS] = {
	    [LOOKS_VIEW] = CLI_VIEW, [LOOKS_THEME] = CLI_THEME, [LOOKS_KEYS] = CLI_KEYS};
	enum cli_colour colour;
	int failed = cli_parse_colour(cli, &colour, err);
	if (failed)
		return failed;
	if (colour == CLI_COLOUR_ALWAYS) /* --color wins over the environment */
		unsetenv("NO_COLOR");
	looks_standard(source);
	failed = looks_load(source, looks, err);
	if (!failed && cli->value[CLI_CONFIG])
		failed = looks_read(source, looks, cli->value[CLI_CONFIG], err);
	for (int part = 0; part < LOOKS_PARTS && !failed; part++) {
		const char *what = cli->value[options[part]];
		if (what)
			failed = looks_choose(source, looks, (enum looks_part)part, what, err);
	}
	if (!failed && colour == CLI_COLOUR_NEVER)
		failed = looks_choose(source, looks, LOOKS_THEME, "mono", err);
	return failed ? failed : apply_view_options(cli, looks, err);
}

/* Return the option that sets a member of the view, or NULL. */
static const char *
option_of(const void *context, const char *keys)
{
	const struct cli *cli = context;
	if (strncmp(keys, "view.", 5) != 0)
		return NULL;
	for (size_t i = 0; i < VIEW_OPTIONS; i++)
		if (!strcmp(keys + 5, view_options[i].member) && cli->value[view_options[i].option])
			return cli_rows[view_options[i].option].name;
	return NULL;
}

/* Load the user's own.yaml.  *PATH is its path, even if the file is missing; empty without a
 * home. */
static int
load_own(struct own *own, struct text *path, struct err *err)
{
	*own = (struct own){0};
	if (!files_user_path("own.yaml", path) || !files_exist(path->data))
		return 0;
	return schema_load_file(path->data, &own_options_table, own, err);
}

/* Append it as comments, because it is not part of the file that --config reads. */
static void
add_own(const struct own *own, const char *path, struct text *out)
{
	struct text yaml = {0};
	if (!option_write_changed(&own_options_table, NULL, own, 0, &yaml))
		return;
	text_addf(out, "# and from %s:\n", path);
	for (const char *at = yaml.data; *at;) {
		size_t length = strcspn(at, "\n");
		text_addf(out, "# %.*s\n", (int)length, at);
		at += length + (at[length] == '\n');
	}
	text_free(&yaml);
}

static int
dump_config(struct session *session, const struct cli *cli)
{
	struct err err = {0};
	struct looks_source source = {.format = common_format(session)};
	struct looks looks = {0};
	struct own own = {0};
	struct text yaml = {0}, path = {0}, out = {0};
	int failed = first_looks(cli, &source, &looks, &err);
	int status = STATUS_GOOD;
	if (!failed)
		failed = load_own(&own, &path, &err);
	if (!failed) {
		looks_write(&looks, &yaml);
		looks_add_sources(&source, text_get(&yaml), option_of, cli, &out);
		add_own(&own, text_get(&path), &out);
		status = report_print(&out);
	}
	option_release(&looks_options_table, &looks);
	option_release(&own_options_table, &own);
	looks_free(&source);
	text_free(&path);
	text_free(&yaml);
	text_free(&out);
	return failed < 0 ? report_error(&err) : status;
}

/* Return the name of a session file or a case without its folders, or NULL if captures were
 * named. */
static const char *
session_name(const struct cli *cli)
{
	const char *path = cli->cases.count ? cli->cases.at[0] : cli->files.at[0],
		   *slash = strrchr(path, '/');
	return !profile_is_session(cli->files.at[0]) ? NULL : slash ? slash + 1 : path;
}

/* Find the session file of the captures. */
static void
session_path(const struct cli *cli, struct text *path)
{
	const char *capture = cli->files.at[0];
	size_t length = strlen(capture);
	while (length > 1 && capture[length - 1] == '/') /* the folder of a snapshot */
		length--;
	if (cli->value[CLI_SESSION])
		text_add(path, cli->value[CLI_SESSION]);
	else if (strcmp(capture, "-") != 0 && !live_is_named(capture))
		text_addf(path, "%.*s.session.yaml", (int)length, capture);
}

/* Apply the ties of a session file that the user named.  Those of the default file only cause a
 * notice: other files in the folder must not change printed output. */
static int
apply_ties(struct session *session, const struct cli *cli, struct err *err)
{
	struct notebook notebook = {0};
	struct text path = {0};
	struct err unused = {0};
	bool named = cli->value[CLI_SESSION];
	session_path(cli, &path);
	int failed = 0;
	if (path.length && (named || files_exist(path.data)))
		failed = schema_load_file(path.data, &notebook_options_table, &notebook,
					  named ? err : &unused);
	size_t count = failed ? 0 : notebook.ties.count;
	if (count && named)
		clocks_add_ties(session->clocks, notebook.ties.at, count);
	else if (count)
		trace_add_notice(session->traces.at[0], NOTICE_TIES_NOT_APPLIED, count,
				 count > 1 ? "s" : "", path.data);
	option_release(&notebook_options_table, &notebook);
	text_free(&path);
	return named ? failed : 0;
}

/* Print the screen instead of showing it. */
static int
print_snapshot(struct session *session, const struct cli *cli, struct ui_options *options,
	       struct err *err)
{
	struct still still = {0};
	enum cli_colour colour;
	if (cli_parse_snapshot(cli, &still.cols, &still.rows, err) < 0 ||
	    cli_parse_colour(cli, &colour, err) < 0)
		return err->code;
	struct writer output = {0};
	int failed = output_open(&output, cli, &session, 1, NULL, false, err);
	still.svg = colour == CLI_COLOUR_ALWAYS;
	if (still.svg)
		options->ascii = cli->value[CLI_ASCII]; /* SVG is UTF-8 in any locale */
	options->still = &still;
	options->state_dir = NULL; /* a picture must not depend on the last run */
	if (!failed)
		failed = ui_run(session, options, err);
	bool is_last = !session->part_of; /* else the chosen snapshot is shown next */
	if (!failed && is_last)
		failed = export_flush(
		    &still.out, &(struct export_target){.writer = &output, .styled = true}, err);
	if (!failed && is_last)
		failed = writer_commit(&output, err);
	writer_abandon(&output);
	text_free(&still.out);
	return failed;
}

/* Show the session.  NOTES: instead, fill them in with its marks, filters and place. */
static int
show_screen(struct session *session, struct cli *cli, const struct filter *filter,
	    const struct compare_request *compare, struct notebook *notes)
{
	struct err err = {0};
	struct err trouble = {0};
	struct notebook notebook = {0};
	struct text path = {0}, state = {0}, own = {0}, command = {0};
	struct looks_source source = {.format = common_format(session)};
	struct still unseen = {.cols = 80, .rows = 24};
	struct ui_options options = {.session_name = session_name(cli),
				     .compare = compare,
				     .filter = *filter,
				     .source = cli->value[CLI_SOURCE],
				     .ascii = cli_charset(cli, true) == TEXT_ASCII,
				     .follow = cli->value[CLI_FOLLOW] || session_is_live(session),
				     .commands = cli->commands.at,
				     .command_count = cli->commands.count,
				     .load = load_looks,
				     .suit = suit_looks,
				     .name = name_looks,
				     .load_context = &source,
				     .notebook_given = cli->value[CLI_SESSION],
				     .read_only = cli->cases.count ? "a case is read only" : NULL,
				     .collect = notes,
				     .still = notes ? &unseen : NULL,
				     .load_yaml = schema_load_file,
				     .complain = report_text};
	cli_add_command_line(cli, &command);
	options.command = command.data;
	files_state_path(&state);
	if (!cli->value[CLI_NO_STATE])
		options.state_dir = text_get(&state);
	session_path(cli, &path);
	if (path.length && (!cli->cases.count || cli->value[CLI_SESSION]))
		options.notebook_path = path.data;
	if (path.length && files_exist(path.data)) {
		if (schema_load_file(path.data, &notebook_options_table, &notebook, &trouble) < 0)
			options.trouble = trouble.what; /* open the captures anyway */
		else
			options.notebook = &notebook;
		if (cli->value[CLI_VIEW]) { /* the command line wins */
			free(notebook.view);
			notebook.view = NULL;
		}
	}
	int failed = first_looks(cli, &source, &options.looks, &err);
	if (!failed)
		failed = load_own(&options.own, &own, &err);
	own_note_read(&options);
	options.own_path = own.data;
	if (!failed)
		failed = cli_parse_context(cli, UI_AROUND_MAX, &options.around, &err);
	if (!failed)
		failed = cli->value[CLI_SNAPSHOT] ? print_snapshot(session, cli, &options, &err)
						  : ui_run(session, &options, &err);
	text_free(&unseen.out);
	for (size_t i = 0; i < options.command_count; i++) /* for a snapshot shown next */
		cli->commands.at[i] = options.commands[i];
	cli->commands.count = options.command_count;
	option_release(&looks_options_table, &options.looks);
	option_release(&own_options_table, &options.own);
	option_release(&own_options_table, &options.own_saved);
	option_release(&notebook_options_table, &notebook);
	looks_free(&source);
	text_free(&path);
	text_free(&state);
	text_free(&own);
	text_free(&command);
	if (failed < 0)
		return report_error(&err);
	return failed ? STATUS_FAILED : STATUS_GOOD;
}

/* --- version ------------------------------------------------------------- */

/* Append the library versions found at run time, in order of purpose.  Some versions contain the
 * name. */
static void
add_versions(struct text *out)
{
	char pcre2[REGEX_VERSION_SIZE];
	const struct {
		const char *purpose, *library, *version;
	} rows[] = {
	    {"screen", "", term_version()},
	    {"search", "PCRE2 ", regex_version(pcre2)},
	    {"profiles, views", "libcyaml ", schema_version()},
	    {"faults in YAML", "libyaml ", survey_version()},
	    {"SyS-T collateral", "", decoder_expat_version()},
	    {"CoreSight trace", "OpenCSD ", decoder_opencsd_version()},
	    {"symbols", "libdw ", symbols_version()},
	    {"compressed captures", "", unpack_version()},
	};
	text_add(out, PACKAGE_STRING "\nMIT licence, no warranty\n\n");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		bool built = rows[i].version;
		text_addf(out, "%-20s %s%s\n", rows[i].purpose, built ? rows[i].library : "",
			  built ? rows[i].version : "not in this build");
	}
}

static int
print_version(void)
{
	struct text out = {0};
	add_versions(&out);
	int status = report_print(&out);
	text_free(&out);
	return status;
}

/* --- completion ---------------------------------------------------------- */

static int
print_completion(const char *shell)
{
	struct err err = {0};
	struct text out = {0};
	int failed = completion_write(shell, &out, &err);
	int status = failed ? report_error(&err) : report_print(&out);
	text_free(&out);
	return status;
}

/* --- from arguments to screen or output -------------------------------- */

static int
refuse_stop(void)
{
	struct err err = {0};
	err_set(&err, ERR_USAGE,
		"--stop-when is for printed output: add -t FORMAT, or +':stop-when EXPR' for the "
		"screen");
	return report_error(&err);
}

static int
run_session(struct session *session, struct cli *cli, const struct filter *filter)
{
	if (cli->value[CLI_INFO])
		return info_print(session, cli);
	if (cli->value[CLI_INDEX])
		return batch_keep_indexes(session, cli);
	if (cli->value[CLI_DUMP_CONFIG])
		return dump_config(session, cli);
	if (cli_writes_output(cli))
		return batch_run(session, cli, filter);
	return cli->value[CLI_STOP_WHEN] ? refuse_stop()
					 : show_screen(session, cli, filter, NULL, NULL);
}

/* Use the demo's session as the capture.  PATH keeps its path. */
static int
use_demo(struct cli *cli, struct text *path, struct err *err)
{
	if (cli->files.count)
		return err_set(err, ERR_USAGE, "--demo has its own captures; leave out %s",
			       cli->files.at[0]);
	if (!files_demo_path(path))
		return err_set(err, ERR_USAGE,
			       "the demo is not installed (make install); "
			       "in the source tree: trawl testdata/lab.yaml");
	*vec_add(&cli->files) = path->data;
	return 0;
}

/* A session as the arguments describe it, with everything it borrows.  Zero-initialise. */
struct opened {
	struct session session;
	struct text cache, profile;
	struct intervals *intervals;
	struct filter filter;
};

/* True if batch_run() prints the messages of one session. */
static bool
prints_one(const struct cli *cli)
{
	return cli_writes_output(cli) && !cli->value[CLI_INFO] && !cli->value[CLI_INDEX] &&
	       !cli->value[CLI_DUMP_CONFIG] && !cli->value[CLI_COMPARE];
}

static int
open_session(struct opened *opened, const struct cli *cli, struct err *err)
{
	opened->filter = filter_all();
	if (load_profile(&opened->session, cli, &opened->profile, err) < 0 ||
	    prepare_session(&opened->session, cli, &opened->cache, err) < 0 ||
	    open_captures(&opened->session, cli, err) < 0 ||
	    (prints_one(cli) && apply_ties(&opened->session, cli, err) < 0) ||
	    !(opened->intervals = intervals_new(&opened->session, err)) ||
	    cli_make_filter(cli, &opened->session, &opened->filter, err) < 0)
		return err->code;
	check_profile(&opened->session, text_get(&opened->profile));
	return 0;
}

/* Close the session.  If a signal ended the program, raise it last.  Files are then closed, and
 * a serial port has its old settings. */
static void
close_session(struct opened *opened)
{
	int number = opened->session.ended_by;
	filter_free(&opened->filter); /* before the traces, which it may read */
	intervals_free(opened->intervals);
	session_close(&opened->session);
	text_free(&opened->cache);
	text_free(&opened->profile);
	if (number)
		signals_raise(number);
}

/* Print the differences of BAD, or show BAD with them. */
static int
show_comparison(struct compare_request *request, struct cli *cli)
{
	struct err err = {0};
	if (cli_writes_output(cli))
		return compare_print(request, cli);
	if (compare_parse_options(cli, &request->options, &err) < 0)
		return report_error(&err);
	struct cli bad = *cli; /* has one file, borrowed */
	bad.files.at = &cli->files.at[request->good.count];
	bad.files.count = 1;
	if (bad.cases.count) {
		bad.cases.at += request->good.count;
		bad.cases.count = 1;
	}
	int status = show_screen(request->bad.session, &bad, request->bad.filter, request, NULL);
	cli->commands = bad.commands;
	return status;
}

/* Put the snapshot that the user chose into the arguments.  It replaces its part, or the profile
 * that names the part; with two runs that is BAD.  FOLDER keeps its path.  Return false if none
 * was chosen. */
static bool
take_snapshot(struct cli *cli, const struct session *session, struct text *folder)
{
	if (!session->part_of)
		return false;
	const char *part = trace_path(session->part_of);
	size_t last = cli->files.count - 1, i = last;
	while (i && strcmp(cli->files.at[i], part) != 0)
		i--;
	if (strcmp(cli->files.at[i], part) != 0)
		i = last;
	text_clear(folder);
	text_add(folder, trace_recognition(session->part_of)->folder);
	cli->files.at[i] = folder->data;
	return true;
}

/* Implement compare_good.close. */
static void
close_run(void *context, size_t i)
{
	struct opened *opened = context;
	close_session(&opened[i]);
	opened[i] = (struct opened){0};
}

/* Open all runs; BAD is the last.  Good runs have its format, if there are several. */
static int
open_runs(struct opened *opened, struct compare_side *sides, const struct cli *cli, struct err *err)
{
	size_t count = cli->files.count, last = cli->last_files;
	if (count != 2 && (count < 2 || last != 1))
		return err_set(err, ERR_USAGE,
			       "--compare takes GOOD BAD or GOOD... -- BAD, not %zu good and %zu "
			       "bad runs",
			       count - last, last);
	const char *format = NULL, *other;
	for (size_t i = count; i--; format = format ? format : other) {
		struct cli one = *cli; /* has one file, borrowed */
		one.files.at = &cli->files.at[i];
		one.files.count = 1;
		if (open_session(&opened[i], &one, err) < 0)
			return err->code;
		sides[i] = (struct compare_side){.session = &opened[i].session,
						 .filter = &opened[i].filter,
						 .source = cli->value[CLI_SOURCE]};
		other = common_format(&opened[i].session);
		other = other ? other : "several";
		if (count > 2 && format && strcmp(format, other) != 0)
			return err_set(err, ERR_USAGE, "%s has another format than %s",
				       cli->files.at[i], cli->files.at[count - 1]);
	}
	return 0;
}

/* Open the good runs and BAD, and show their differences.  *AGAIN: the user chose a snapshot,
 * which must be shown next. */
static int
compare_sessions(struct cli *cli, struct text *folder, bool *again)
{
	struct err err = {0};
	size_t count = cli->files.count, bad = count ? count - 1 : 0;
	struct opened *opened = mem_new((bad + 1) * sizeof *opened);
	struct compare_side *sides = mem_new((bad + 1) * sizeof *sides);
	int failed = open_runs(opened, sides, cli, &err);
	struct compare_request request = {.good = {bad,
						   cli->cases.count ? cli->cases.at : cli->files.at,
						   sides, .close = close_run, .context = opened},
					  .bad = sides[bad]};
	int status = failed ? report_error(&err) : show_comparison(&request, cli);
	*again = take_snapshot(cli, &opened[bad].session, folder);
	for (size_t i = 0; i < count; i++)
		close_session(&opened[i]);
	free(opened);
	free(sides);
	return status;
}

/* Same for one session. */
static int
show_session(struct cli *cli, struct text *folder, bool *again)
{
	struct err err = {0};
	struct opened opened = {0};
	int status = open_session(&opened, cli, &err) < 0
			 ? report_error(&err)
			 : run_session(&opened.session, cli, &opened.filter);
	*again = take_snapshot(cli, &opened.session, folder);
	close_session(&opened);
	return status;
}

/* Write the session as a case: its notes from a run of the screen, then the files. */
static int
pack_session(struct cli *cli)
{
	struct err err = {0};
	struct notebook notes = {0};
	struct text versions = {0};
	int status = STATUS_GOOD;
	add_versions(&versions);
	for (int pass = 0; pass < 2 && status == STATUS_GOOD; pass++) {
		struct opened opened = {0};
		if (pack_check(&opened.session, cli, &err) < 0 ||
		    open_session(&opened, cli, &err) < 0 ||
		    pack_check(&opened.session, cli, &err) < 0)
			status = report_error(&err);
		else if (pass)
			status = pack_run(&opened.session, cli, &opened.filter, &notes, &versions);
		else
			status = show_screen(&opened.session, cli, &opened.filter, NULL, &notes);
		close_session(&opened);
	}
	option_release(&notebook_options_table, &notes);
	text_free(&versions);
	return status;
}

/* Show the captures in the arguments, then each chosen snapshot.  Return the last exit status. */
static int
show_in_turn(struct cli *cli, int (*show)(struct cli *, struct text *folder, bool *again))
{
	struct text folder = {0};
	bool again;
	int status;
	do
		status = show(cli, &folder, &again);
	while (again);
	text_free(&folder);
	return status;
}

typedef VEC(struct writer_folder) case_folders;

/* Unpack cases among the arguments into FOLDERS, and name their sessions instead. */
static int
open_cases(struct cli *cli, case_folders *folders, struct err *err)
{
	size_t count = cli->files.count;
	const char *parent = cli->value[CLI_SPOOL] ? cli->value[CLI_SPOOL] : getenv("TMPDIR");
	for (size_t i = 0; i < count; i++) {
		struct text session = {0};
		struct writer_folder *folder = vec_add(folders);
		int opened =
		    case_open(cli->files.at[i], parent && *parent ? parent : "/tmp", folder, err);
		if (opened < 0)
			return opened;
		if (!opened)
			continue;
		text_addf(&session, "%s/" CASE_SESSION, text_get(&folder->path));
		*vec_add(&cli->owned) = session.data;
		*vec_add(&cli->cases) = cli->files.at[i];
		cli->files.at[i] = session.data;
		cli->value[CLI_NO_CACHE] = ""; /* the next run has other files */
	}
	size_t cases = cli->cases.count;
	if (cases && (cases < count || (cases > 1 && !cli->value[CLI_COMPARE])))
		return err_set(err, ERR_USAGE,
			       "a case is opened alone, or compared with other cases");
	for (size_t i = 0; i < cases; i++)
		file_fence(text_get(&folders->at[i].path));
	for (size_t i = 0; cases && i < cli->given.count; i++)
		if (cli->given.at[i].id == CLI_COLLATERAL || cli->given.at[i].id == CLI_IMAGES)
			file_fence(cli->given.at[i].text);
	return 0;
}

/* Open and show the captures in the arguments.  Return the exit status. */
static int
run_arguments(struct cli *cli)
{
	struct err err = {0};
	struct session none = {0};
	struct text demo = {0};
	if (cli->value[CLI_DEMO] && use_demo(cli, &demo, &err) < 0) {
		text_free(&demo);
		return report_error(&err);
	}
	if (!cli->files.count && cli->value[CLI_DUMP_CONFIG])
		return dump_config(&none, cli);
	if (!cli->files.count && isatty(STDIN_FILENO)) {
		err_set(&err, ERR_USAGE, "name a capture; trawl --help tells more");
		return report_error(&err);
	}
	if (!cli->files.count)
		*vec_add(&cli->files) = "-";
	case_folders folders = {0};
	int status = open_cases(cli, &folders, &err) < 0 ? report_error(&err)
		     : cli->value[CLI_COMPARE]		 ? show_in_turn(cli, compare_sessions)
		     : cli->value[CLI_PACK]		 ? pack_session(cli)
							 : show_in_turn(cli, show_session);
	for (size_t i = 0; i < folders.count; i++)
		writer_folder_remove(&folders.at[i]);
	vec_free(&folders);
	text_free(&demo);
	return status;
}

int
main(int argc, char **argv)
{
	struct err err = {0};
	struct cli cli = {0};
	int status;
	setlocale(LC_CTYPE, "");
	tzset();
	signal(SIGXFSZ, SIG_IGN); /* a write past the limit fails as on a full disk */
	if (cli_parse(&cli, argc, argv, &err) < 0)
		status = report_error(&err);
	else if (cli.value[CLI_VERSION])
		status = print_version();
	else if (cli.value[CLI_COMPLETION])
		status = print_completion(cli.value[CLI_COMPLETION]);
	else if (!info_answer(&cli, &status))
		status = run_arguments(&cli);
	cli_free(&cli);
	return status;
}
