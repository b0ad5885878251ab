/*
 * The filter that the options of the command line form together.
 */
#ifndef TRAWL_COMMAND_CLI_FILTER_H
#define TRAWL_COMMAND_CLI_FILTER_H

#include "command/cli.h"
#include "query/filter/filter.h"

/* Make the filter from --severity, --unassigned, --filter, --grep and the options that are short
 * forms of an expression.  Names are those of the session.  Return 0 or ERR_USAGE.  The caller
 * frees FILTER with filter_free() in any case. */
int cli_make_filter(const struct cli *, const struct session *, struct filter *, struct err *);

#endif
