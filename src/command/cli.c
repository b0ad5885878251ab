/* The command line: see cli.h.  getopt_long parses it, with tables made from ours. */
#include "config.h"

#include "command/cli.h"
#include "base/file.h"
#include "base/nearest.h"

#include <errno.h>
#include <getopt.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INPUT "Input"
#define SELECTION "Selection"
#define OUTPUT "Output"
#define SCREEN "Screen"
#define RESOURCES "Resources"
#define OTHER "Other"

/* No smaller limit could be kept: cells are dropped 256 at a time. */
#define SPOOL_LEAST 128000000

enum { SNAPSHOT_MOST = 1000 /* columns or rows */ };

const struct cli_row cli_rows[CLI_COUNT] = {
    [CLI_DEMO] = {0, "demo", NULL, INPUT,
		  "open the demo: five captures of a camera that drops a frame"},
    [CLI_FROM] = {'f', "from", "FORMAT", INPUT, "force this input format; also FORMAT:FILE"},
    [CLI_PROFILE] = {'p', "profile", "FILE", INPUT,
		     "profile (YAML): formats, clocks and names of the captures"},
    [CLI_COLLATERAL] = {'C', "collateral", "FILE", INPUT,
			"SyS-T collateral: a file, or a folder of files; repeatable"},
    [CLI_IMAGES] = {0, "images", "DIR", INPUT,
		    "programs and libraries for perf.data: files are found by path, name or "
		    "build ID"},
    [CLI_SPOOL] = {0, "spool", "DIR", INPUT,
		   "folder for streams and decompressed captures while they are open; "
		   "default $TMPDIR"},
    [CLI_SPOOL_LIMIT] = {0, "spool-limit", "SIZE", INPUT,
			 "keep only the newest SIZE bytes of each stream, at least 128M; a row "
			 "counts the dropped bytes"},
    [CLI_WRITE_POINTER] = {0, "write-pointer", "N", INPUT,
			   "captures are circular buffers and N is the next write position: an "
			   "offset, or an address in a text dump"},
    [CLI_TIME_OFFSET] = {0, "time-offset", "TRACE=SECONDS", INPUT,
			 "add SECONDS to the times of this trace; repeatable"},
    [CLI_FOLLOW] = {'F', "follow", "name|descriptor", INPUT,
		    "follow the capture as it grows, by name (default) or by descriptor",
		    .optional = true},
    [CLI_SEVERITY] = {'s', "severity", "LEVEL", SELECTION,
		      "this severity or worse: fatal, error, warning, info, user1, user2, debug"},
    [CLI_UNASSIGNED] = {0, "unassigned", "pass|hide", SELECTION,
			"what -s does with messages that have no severity; default hide"},
    [CLI_GREP] = {'r', "grep", "PCRE", SELECTION,
		  "messages with a matching text, origin or type; lower case matches any case; "
		  "fields need -e, as -e 'function ~ /init/'"},
    [CLI_FILTER] = {'e', "filter", "EXPR", SELECTION,
		    "messages that match an expression; repeatable; see trawl-filter(7)"},
    [CLI_EXCLUDE] = {0, "exclude", "EXPR", SELECTION,
		     "no messages that match an expression; repeatable"},
    [CLI_STOP_WHEN] = {0, "stop-when", "EXPR", SELECTION,
		       "with --follow: stop after the first message that matches, even if it is "
		       "not printed"},
    [CLI_CONTEXT] = {0, "context", "NUM", SELECTION,
		     "also NUM messages before and after each selected one"},
    [CLI_ORIGIN] = {0, "origin", "LIST", SELECTION,
		    "only these origins, comma-separated; unknown names are reported"},
    [CLI_SINCE] =
	{'S', "since", "TIME", SELECTION,
	 "from this time on: 4.2, +10ms (after the first message with a time), 2024-05-01T12:30"},
    [CLI_UNTIL] = {'U', "until", "TIME", SELECTION, "up to and including this time"},
    [CLI_SOURCE] = {0, "source", "LIST", SELECTION, "only these traces, by name, comma-separated"},
    [CLI_SPLIT] = {0, "split", "K/N", SELECTION,
		   "print part K of N; the capture is divided by bytes"},
    [CLI_ORDER] = {0, "order", "time|transport", SELECTION,
		   "order of messages: by the time they were sent, or as the transport "
		   "carried them; default transport"},
    [CLI_TO] = {'t', "to", "FORMAT", OUTPUT,
		"print all messages in this format: text, csv, jsonl, csv-systprint, ppl, "
		"ppl-packets, hex, raw, insn, folded, functions, lcov, stats, table, table-csv, "
		"table-jsonl, "
		"ctf, perfetto, none"},
    [CLI_OUTPUT] = {'o', "output", "FILE", OUTPUT, "write to a new file; ctf: to a new folder"},
    [CLI_FORCE] = {0, "force", NULL, OUTPUT, "let -o and --pack overwrite a file"},
    [CLI_PACK] =
	{0, "pack", "FILE", OUTPUT,
	 "write a case: one file with the captures, profile, collateral, programs and notes, "
	 "which trawl FILE opens anywhere; -S, -U, -e, --split cut the captures"},
    [CLI_COLUMNS] = {0, "columns", "LIST", OUTPUT,
		     "extra columns for text, csv and jsonl, comma-separated: delta (time "
		     "since the previous printed message), gap (since the previous message), "
		     "depth (of calls) and target (of a jump) with a program; for a table: "
		     "only these columns"},
    [CLI_FIELDS] =
	{0, "fields", "LIST", OUTPUT,
	 "print these columns as text or csv, separated by commas: number, trace_number, time, "
	 "delta, "
	 "gap, trace, severity, origin, type, text, flags, kind, ticks, offset, length, "
	 "bytes, depth, target, run_instructions, run_cycles, fields of --list-fields, arg.NAME, "
	 "context.NAME, span.NAME, "
	 "interval.NAME; of insn, as csv: trace_number, pc, opcode, class, origin, function, "
	 "inlined, "
	 "place, file, line, depth, text, flags; of functions, as csv: function, calls, "
	 "self, total, most, cycles, total_cycles, time, total_time, most_time, estimated"},
    [CLI_TEMPLATE] = {0, "template", "TEXT", OUTPUT,
		      "print lines like '{time} {severity:8} {text:.60}'; columns as in "
		      "--fields; :8 is the minimum width, .60 the maximum, > aligns right"},
    [CLI_TIME_FORMAT] = {0, "time-format", "abs|rel|delta|ticks|iso", OUTPUT,
			 "times in text and on the screen; abs: a date if the clock counts from "
			 "1970; rel: since the start, delta: since the message before, iso: a date "
			 "with its offset from UTC"},
    [CLI_UTC] = {0, "utc", NULL, OUTPUT,
		 "show and read dates and times of day in UTC, not in the local zone (TZ)"},
    [CLI_WIDE] = {0, "wide", NULL, OUTPUT,
		  "text with the number of each message, and the trace in a column of its own"},
    [CLI_BY] = {0, "by", "LIST", OUTPUT,
		"print a table (-t table): one row for each value of the "
		"comma-separated names; default origin"},
    [CLI_OF] =
	{0, "of", "NAME", OUTPUT,
	 "add statistics of the numeric field NAME to a table: sum, min, mean, "
	 "percentiles, max; of -t why: the interval, as interval.mailbox; default the only one"},
    [CLI_SORT] = {0, "sort", "COLUMN", OUTPUT,
		  "sort a table by this column: numbers descending, names and times ascending; "
		  "-COLUMN: the reverse; default count"},
    [CLI_COLOR] = {0, "color", "auto|always|never", OUTPUT,
		   "colours in text, on the screen and in a snapshot; default auto: on a "
		   "terminal unless NO_COLOR is set"},
    [CLI_ASCII] = {0, "ascii", NULL, SCREEN, "draw with ASCII characters only"},
    [CLI_VIEW] = {0, "view", "NAME|FILE", SCREEN, "columns, panes and layout"},
    [CLI_THEME] = {0, "theme", "NAME|FILE", SCREEN,
		   "colours: auto, default, light, dark-256, high-contrast, mono"},
    [CLI_KEYS] = {0, "keys", "NAME|FILE", SCREEN, "keys: default, emacs, less, lnav"},
    [CLI_LAYOUT] = {0, "layout", "auto|stacked|side", SCREEN,
		    "position of panes; auto: depends on the width"},
    [CLI_MOUSE] = {0, "mouse", NULL, SCREEN,
		   "use the mouse: wheel scrolls, click selects a row; hold Shift to select "
		   "text"},
    [CLI_COMMAND] = {'c', "command", "COMMAND", SCREEN,
		     "run a command at the start, as typed at the : prompt; may also start "
		     "with / ? &; repeatable"},
    [CLI_EXECUTE] = {'x', "execute", "FILE", SCREEN,
		     "run the commands in a file, one per line; # begins a comment"},
    [CLI_SNAPSHOT] = {0, "snapshot", "WxH", SCREEN,
		      "print the screen, W columns by H rows, as text, or as SVG with "
		      "--color=always; needs no terminal"},
    [CLI_CONFIG] = {0, "config", "FILE", SCREEN,
		    "read view, theme and keys from one file, as printed by --dump-config"},
    [CLI_SESSION] = {0, "session", "FILE", SCREEN,
		     "marks, notes, view, filters and ties, as saved by :save; default "
		     "CAPTURE.session.yaml; printed output only uses the ties, and only of a "
		     "file named here"},
    [CLI_NO_STATE] = {0, "no-state", NULL, SCREEN,
		      "do not restore or save session state (position, filters, marks)"},
    [CLI_THREADS] = {0, "threads", "N", RESOURCES,
		     "number of threads; default 0: one per processor"},
    [CLI_CACHE_DIR] = {0, "cache-dir", "DIR", RESOURCES,
		       "folder for indexes between runs; default $XDG_CACHE_HOME/trawl"},
    [CLI_NO_CACHE] = {0, "no-cache", NULL, RESOURCES,
		      "keep no indexes between runs, and read none"},
    [CLI_INDEX] = {0, "index", NULL, RESOURCES,
		   "only build the index of each capture and write it into the cache folder"},
    [CLI_CHECK] = {0, "check", "LIST", OTHER,
		   "decode everything and exit with 1 if a check fails: loss, "
		   "corrupt, time, catalog, flow, severity:LEVEL, an expression",
		   .optional = true},
    [CLI_COMPARE] =
	{0, "compare", NULL, OTHER,
	 "compare captures or sessions, GOOD BAD or GOOD... -- BAD, apart from numbers and "
	 "severities; exit with 1 if they differ"},
    [CLI_SLOWER] = {0, "slower", "FACTOR[,LENGTH]", OTHER,
		    "with --compare: report a message if the time before it is FACTOR times "
		    "as long and LENGTH longer; default 2,1ms; several good runs: trawl-output(7)"},
    [CLI_INFO] = {0, "info", NULL, OTHER,
		  "print the format of each capture, the evidence for it, and a profile to "
		  "start from"},
    [CLI_LIST_FORMATS] = {0, "list-formats", NULL, OTHER, "list the input formats"},
    [CLI_LIST_FIELDS] = {0, "list-fields", NULL, OTHER, "list the fields of each format"},
    [CLI_DUMP_CONFIG] = {0, "dump-config", NULL, OTHER,
			 "print view, theme and keys, and the source of each setting"},
    [CLI_VERBOSE] = {'v', "verbose", NULL, OTHER, "print more on standard error"},
    [CLI_QUIET] = {'q', "quiet", NULL, OTHER, "print only errors"},
    [CLI_COMPLETION] = {0, "completion", "bash|zsh|fish", OTHER,
			"print the completion script for a shell"},
    [CLI_HELP] = {'h', "help", NULL, OTHER, "show this help"},
    [CLI_VERSION] = {'V', "version", NULL, OTHER, "show the versions of trawl and its libraries"},
};

enum { FIRST_LONG = 256 };

static void
make_tables(char *letters, struct option *names)
{
	*letters++ = '-'; /* return operands in their place, as if they were option 1 */
	*letters++ = ':'; /* return ':' for a missing argument */
	for (int i = 0; i < CLI_COUNT; i++) {
		const struct cli_row *row = &cli_rows[i];
		int takes = !row->argument  ? no_argument
			    : row->optional ? optional_argument
					    : required_argument;
		names[i] =
		    (struct option){.name = row->name, .has_arg = takes, .val = FIRST_LONG + i};
		if (!row->letter)
			continue;
		*letters++ = row->letter;
		for (int colons = takes; colons; colons--) /* one colon, or two if optional */
			*letters++ = ':';
	}
	*letters = '\0';
	names[CLI_COUNT] = (struct option){0};
}

static int
row_of(int got)
{
	if (got >= FIRST_LONG)
		return got - FIRST_LONG;
	for (int i = 0; i < CLI_COUNT; i++)
		if (cli_rows[i].letter == got)
			return i;
	return -1;
}

/* Add the keys to type for COMMAND.  It gets a colon unless it begins with a prompt's character. */
static void
add_command(struct cli *cli, const char *command)
{
	struct text typed = {0};
	command += strspn(command, " \t");
	if (!*command)
		return;
	text_addf(&typed, "%s%s", strchr(":/?&", *command) ? "" : ":", command);
	*vec_add(&cli->owned) = typed.data;
	*vec_add(&cli->commands) = typed.data;
}

/* Add the lines of a file. */
static int
add_script(struct cli *cli, const char *path, struct err *err)
{
	const char *why;
	FILE *file = file_open_stream(path, &why);
	char *line = NULL;
	size_t room = 0;
	if (!file)
		return err_set(err, ERR_USAGE, "%s: %s", path, why);
	while (getline(&line, &room, file) >= 0) {
		line[strcspn(line, "\r\n")] = '\0';
		if (line[strspn(line, " \t")] != '#')
			add_command(cli, line);
	}
	free(line);
	int failed = ferror(file) ? err_set(err, ERR_USAGE, "%s: %s", path, strerror(errno)) : 0;
	fclose(file);
	return failed;
}

enum { OPTION_ROOM = 64 };

static const char *
next_option(void *name, size_t at)
{
	if (at >= CLI_COUNT)
		return NULL;
	snprintf(name, OPTION_ROOM, "--%s", cli_rows[at].name);
	return name;
}

/* Report an unknown option.  A letter is named alone: getopt() is at its group until the end. */
static int
refuse_option(char **argv, struct err *err)
{
	const char letter[] = {'-', (char)optopt, '\0'};
	bool is_letter = optopt && row_of(optopt) < 0; /* else a name, or one with a value */
	const char *name = argv[optind - 1];
	char word[OPTION_ROOM], other[OPTION_ROOM];
	snprintf(word, sizeof word, "%.*s", (int)strcspn(name, "="), name);
	struct nearest_hint hint = nearest_hint(word, next_option, other);
	return err_set(err, ERR_USAGE, "no such option: %s%s", is_letter ? letter : name,
		       is_letter || !*hint.text ? "; see trawl --help" : hint.text);
}

static void
add_operand(struct cli *cli, const char *operand)
{
	const char *keys = operand + 1;
	if (*operand == '+' && *keys && !keys[strspn(keys, "0123456789")])
		add_command(cli, keys); /* a message number */
	else if (*operand == '+' && *keys)
		*vec_add(&cli->commands) = keys;
	else
		*vec_add(&cli->files) = operand;
}

int
cli_parse(struct cli *cli, int argc, char **argv, struct err *err)
{
	enum { OPERAND = 1 }; /* value of getopt_long() */
	char letters[3 * CLI_COUNT + 3];
	struct option names[CLI_COUNT + 1];
	make_tables(letters, names);
	opterr = 0;
	optind = 1;
	int got;
	while ((got = getopt_long(argc, argv, letters, names, NULL)) != -1) {
		if (got == ':')
			return err_set(err, ERR_USAGE, "%s needs an argument; see trawl --help",
				       argv[optind - 1]);
		if (got == OPERAND) {
			add_operand(cli, optarg);
			continue;
		}
		int row = row_of(got);
		if (row < 0)
			return refuse_option(argv, err);
		cli->value[row] = optarg ? optarg : "";
		*vec_add(&cli->given) =
		    (struct cli_given){.id = (enum cli_id)row, .text = cli->value[row]};
		if (row == CLI_COLLATERAL)
			*vec_add(&cli->collateral) = optarg;
		if (row == CLI_COMMAND)
			add_command(cli, optarg);
		if (row == CLI_EXECUTE && add_script(cli, optarg, err) < 0)
			return err->code;
	}
	cli->last_files = 0 - cli->files.count;
	for (; optind < argc; optind++) /* after -- */
		add_operand(cli, argv[optind]);
	cli->last_files += cli->files.count;
	return 0;
}

void
cli_free(struct cli *cli)
{
	vec_free(&cli->given);
	vec_free(&cli->collateral);
	vec_free(&cli->commands);
	for (size_t i = 0; i < cli->owned.count; i++)
		free(cli->owned.at[i]);
	vec_free(&cli->owned);
	vec_free(&cli->files);
	vec_free(&cli->cases);
}

enum text_charset
cli_charset(const struct cli *cli, bool terminal)
{
	bool utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	if (!utf8) /* widths must not depend on the user's locale */
		setlocale(LC_CTYPE, "C.UTF-8");
	return cli->value[CLI_ASCII] || (terminal && !utf8) ? TEXT_ASCII : TEXT_UTF8;
}

int
cli_parse_context(const struct cli *cli, unsigned most, unsigned *around, struct err *err)
{
	const char *context = cli->value[CLI_CONTEXT];
	uint64_t number = 0;
	if (context && !text_parse_uint(context, most, &number))
		return err_set(err, ERR_USAGE, "--context is a number up to %u, not %s", most,
			       context);
	if (number && cli->value[CLI_SPLIT])
		return err_set(err, ERR_USAGE, "--context cannot be used with --split");
	*around = (unsigned)number;
	return 0;
}

int
cli_parse_colour(const struct cli *cli, enum cli_colour *colour, struct err *err)
{
	static const char *const names[] = {[CLI_COLOUR_AUTO] = "auto",
					    [CLI_COLOUR_ALWAYS] = "always",
					    [CLI_COLOUR_NEVER] = "never"};
	const char *when = cli->value[CLI_COLOR];
	int i = 0;
	while (when && i <= CLI_COLOUR_NEVER && strcmp(when, names[i]) != 0)
		i++;
	*colour = (enum cli_colour)i;
	return i <= CLI_COLOUR_NEVER
		   ? 0
		   : err_set(err, ERR_USAGE, "--color is auto, always or never, not %s", when);
}

/* Return an option on the command line that prints messages, or -1. */
static int
find_printing(const struct cli *cli)
{
	static const enum cli_id printing[] = {CLI_TO, CLI_SPLIT,  CLI_CHECK,	 CLI_BY,
					       CLI_OF, CLI_FIELDS, CLI_TEMPLATE, CLI_WIDE};
	for (size_t i = 0; i < sizeof printing / sizeof *printing; i++)
		if (cli->value[printing[i]])
			return (int)printing[i];
	return -1;
}

bool
cli_writes_output(const struct cli *cli)
{
	return !cli->value[CLI_SNAPSHOT] &&
	       (find_printing(cli) >= 0 || cli->value[CLI_OUTPUT] || !isatty(STDOUT_FILENO));
}

/* Parse the digits at *AT as a number of columns or rows, and move *AT past them. */
static bool
read_side(const char **at, int *side)
{
	char *end;
	if (**at < '0' || **at > '9')
		return false;
	unsigned long number = strtoul(*at, &end, 10);
	*at = end;
	*side = (int)number;
	return number && number <= SNAPSHOT_MOST;
}

int
cli_parse_snapshot(const struct cli *cli, int *cols, int *rows, struct err *err)
{
	const char *size = cli->value[CLI_SNAPSHOT], *at = size;
	int printing = find_printing(cli);
	if (printing >= 0)
		return err_set(err, ERR_USAGE,
			       "--snapshot prints the screen, not messages; leave out --%s",
			       cli_rows[printing].name);
	if (read_side(&at, cols) && *at++ == 'x' && read_side(&at, rows) && !*at)
		return 0;
	return err_set(err, ERR_USAGE,
		       "--snapshot is COLUMNSxROWS, as 80x24, from 1x1 to %dx%d, not %s",
		       SNAPSHOT_MOST, SNAPSHOT_MOST, size);
}

int
cli_parse_spool_limit(const struct cli *cli, uint64_t *limit, struct err *err)
{
	const char *text = cli->value[CLI_SPOOL_LIMIT];
	if (!text)
		return 0;
	if (cli->value[CLI_INFO] || cli->value[CLI_INDEX] || cli->value[CLI_SPLIT])
		return err_set(err, ERR_USAGE,
			       "--info, --index and --split look at whole captures; leave out "
			       "--spool-limit, and --spool=DIR names a folder with room");
	if (!text_parse_size(text, INT64_MAX, limit) || *limit < SPOOL_LEAST)
		return err_set(err, ERR_USAGE,
			       "--spool-limit is a size of 128M or more, as 2G, not %s", text);
	return 0;
}

/* Append a word, quoted for a shell. */
static void
add_shell_word(const char *word, struct text *out)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_-./:=,+@%";
	text_add_char(out, ' ');
	if (*word && !word[strspn(word, plain)]) {
		text_add(out, word);
		return;
	}
	text_add_char(out, '\'');
	for (; *word; word++)
		text_addf(out, *word == '\'' ? "'\\''" : "%c", *word);
	text_add_char(out, '\'');
}

void
cli_add_command_line(const struct cli *cli, struct text *out)
{
	static const enum cli_id reading[] = {CLI_FROM, CLI_PROFILE, CLI_COLLATERAL};
	text_add(out, "trawl");
	for (size_t i = 0; i < cli->given.count; i++)
		for (size_t k = 0; k < sizeof reading / sizeof *reading; k++)
			if (cli->given.at[i].id == reading[k]) {
				text_addf(out, " -%c", cli_rows[reading[k]].letter);
				add_shell_word(cli->given.at[i].text, out);
			}
	for (size_t i = 0; i < cli->files.count; i++)
		add_shell_word(i < cli->cases.count ? cli->cases.at[i] : cli->files.at[i], out);
}

void
cli_help(struct text *out)
{
	text_add(out, "usage: trawl [OPTION]... [+COMMAND] [FORMAT:]CAPTURE...\n"
		      "Browse firmware and SoC trace captures; - is standard input.\n");
	const char *section = "";
	for (int i = 0; i < CLI_COUNT; i++) {
		const struct cli_row *row = &cli_rows[i];
		if (strcmp(section, row->section) != 0)
			text_addf(out, "\n%s\n", row->section);
		section = row->section;
		size_t start = out->length;
		if (row->letter)
			text_addf(out, "  -%c, ", row->letter);
		else
			text_add(out, "      ");
		text_addf(out, "--%s%s%s", row->name,
			  !row->argument  ? ""
			  : row->optional ? "[="
					  : "=",
			  row->argument ? row->argument : "");
		if (row->optional)
			text_add_char(out, ']');
		while (out->length - start < 28)
			text_add_char(out, ' ');
		text_addf(out, "  %s\n", row->help);
	}
	text_add(out,
		 "\n+COMMAND runs a command at the start, as in less: +G, +311, +/RE, +50%.\n"
		 "Without a terminal on standard output, messages are printed as text.\n"
		 "Exit status: 0 good, 1 damaged input or what --check found, 2 usage or I/O.\n");
}
