/*
 * `--compare`: print the differences of two runs.  Exit status as in diff(1).
 */
#ifndef TRAWL_BATCH_COMPARE_PRINT_H
#define TRAWL_BATCH_COMPARE_PRINT_H

#include "command/cli.h"
#include "query/compare/compare_job.h"

/* Parse --slower.  Return 0 or ERR_USAGE. */
int compare_parse_options(const struct cli *, struct compare_options *, struct err *);

/* Compare the messages of the runs that pass their filters, by the options on the command line.
 * Print the differences and return the exit status (report.h). */
int compare_print(const struct compare_request *, const struct cli *);

#endif
