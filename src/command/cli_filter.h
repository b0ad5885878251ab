/*
 * The filter that the options of the command line make together.
 */
#ifndef TRAWL_COMMAND_CLI_FILTER_H
#define TRAWL_COMMAND_CLI_FILTER_H

#include "command/cli.h"
#include "query/filter/filter.h"

/* Makes the filter of --severity, --unassigned, --filter, --grep and the options that
 * are short forms of an expression; names are those of the session.  0, or ERR_USAGE.
 * The caller frees it with filter_free() in either case. */
int cli_make_filter(const struct cli *, const struct session *, struct filter *, struct err *);

#endif
