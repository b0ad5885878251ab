/*
 * The command line: one table of options for the parser, --help and the manual.
 */
#ifndef TRAWL_COMMAND_CLI_H
#define TRAWL_COMMAND_CLI_H

#include "base/err.h"
#include "base/text.h"
#include "base/vec.h"

#include <stdbool.h>

enum cli_id {
	CLI_DEMO,
	CLI_FROM,
	CLI_PROFILE,
	CLI_COLLATERAL,
	CLI_IMAGES,
	CLI_SPOOL,
	CLI_SPOOL_LIMIT,
	CLI_WRITE_POINTER,
	CLI_TIME_OFFSET,
	CLI_FOLLOW,
	CLI_SEVERITY,
	CLI_UNASSIGNED,
	CLI_GREP,
	CLI_FILTER,
	CLI_EXCLUDE,
	CLI_STOP_WHEN,
	CLI_CONTEXT,
	CLI_ORIGIN,
	CLI_SINCE,
	CLI_UNTIL,
	CLI_SOURCE,
	CLI_SPLIT,
	CLI_ORDER,
	CLI_TO,
	CLI_OUTPUT,
	CLI_FORCE,
	CLI_PACK,
	CLI_COLUMNS,
	CLI_FIELDS,
	CLI_TEMPLATE,
	CLI_TIME_FORMAT,
	CLI_UTC,
	CLI_WIDE,
	CLI_BY,
	CLI_OF,
	CLI_SORT,
	CLI_COLOR,
	CLI_ASCII,
	CLI_VIEW,
	CLI_THEME,
	CLI_KEYS,
	CLI_LAYOUT,
	CLI_MOUSE,
	CLI_COMMAND,
	CLI_EXECUTE,
	CLI_SNAPSHOT,
	CLI_CONFIG,
	CLI_SESSION,
	CLI_NO_STATE,
	CLI_THREADS,
	CLI_CACHE_DIR,
	CLI_NO_CACHE,
	CLI_INDEX,
	CLI_CHECK,
	CLI_COMPARE,
	CLI_SLOWER,
	CLI_INFO,
	CLI_LIST_FORMATS,
	CLI_LIST_FIELDS,
	CLI_DUMP_CONFIG,
	CLI_VERBOSE,
	CLI_QUIET,
	CLI_COMPLETION,
	CLI_HELP,
	CLI_VERSION,
	CLI_COUNT
};

struct cli_row {
	char letter;	      /* 0 = none */
	const char *name;     /* after -- */
	const char *argument; /* name of its argument, NULL: a switch */
	const char *section;
	const char *help; /* one sentence, no full stop */
	bool optional;	  /* the argument is optional */
};

extern const struct cli_row cli_rows[CLI_COUNT];

struct cli_given {
	enum cli_id id;
	const char *text;
};

/* The parsed command line.  Texts are borrowed from argv. */
struct cli {
	const char *value[CLI_COUNT]; /* last argument, "" for a switch, NULL if absent */
	VEC(struct cli_given) given;  /* all, in order */
	VEC(char *) collateral;	      /* each -C */
	VEC(const char *) commands;   /* run at the start: each -c, line of -x, +COMMAND */
	VEC(char *) owned;	      /* the texts of -c and -x */
	VEC(const char *) files;
	size_t last_files;	 /* number of those after `--` */
	VEC(const char *) cases; /* that the files come from, in their order; or empty */
};

/* Parse ARGV.  Return 0, or ERR_USAGE with the reason. */
int cli_parse(struct cli *, int argc, char **argv, struct err *);
void cli_free(struct cli *);

/* Return the character set of the output.  Files are always UTF-8, a terminal may not be.
 * Switches the locale to UTF-8 if it is another. */
enum text_charset cli_charset(const struct cli *, bool terminal);

/* Parse --context, the number of messages around selected ones, into *AROUND, at most MOST.
 * Return 0 or ERR_USAGE.  With --split that is an error: a part does not contain its
 * surroundings. */
int cli_parse_context(const struct cli *, unsigned most, unsigned *around, struct err *);

enum cli_colour { CLI_COLOUR_AUTO, CLI_COLOUR_ALWAYS, CLI_COLOUR_NEVER };

/* Parse --color.  Return 0 or ERR_USAGE. */
int cli_parse_colour(const struct cli *, enum cli_colour *, struct err *);

/* True if messages are printed instead of shown. */
bool cli_writes_output(const struct cli *);

/* Parse --snapshot, which must be given.  Return 0 or ERR_USAGE.  It is an error with an option
 * that prints messages. */
int cli_parse_snapshot(const struct cli *, int *cols, int *rows, struct err *);

/* Parse --spool-limit, in bytes.  Leave *LIMIT alone if it is absent.  Return 0 or ERR_USAGE. */
int cli_parse_spool_limit(const struct cli *, uint64_t *limit, struct err *);

/* Append a command line that reads the same files in the same way. */
void cli_add_command_line(const struct cli *, struct text *out);

void cli_help(struct text *out);

#endif
