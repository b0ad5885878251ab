/*
 * `--compare`: the differences of two runs, printed, with the exit status of diff(1).
 */
#ifndef TRAWL_BATCH_COMPARE_PRINT_H
#define TRAWL_BATCH_COMPARE_PRINT_H

#include "command/cli.h"
#include "query/compare/compare.h"

/* Reads --slower.  0, or ERR_USAGE. */
int compare_parse_options(const struct cli *, struct compare_options *, struct err *);

/* Compares two sessions, GOOD and BAD, of which messages that pass the filters count;
 * prints what differs and returns the exit status (report.h). */
int compare_print(struct session *const sessions[2], const struct filter *const filters[2],
		  const struct cli *);

#endif
