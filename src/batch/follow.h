/*
 * Batch output of a capture that grows, until a signal ends it.
 */
#ifndef TRAWL_BATCH_FOLLOW_H
#define TRAWL_BATCH_FOLLOW_H

#include "command/cli.h"
#include "export/export.h"

/* Exports what comes.  SIGINT or SIGTERM ends the output with a whole line and then
 * the program, as without a handler; a second one ends it at once.  Notices of the
 * traces go to standard error meanwhile, unless --quiet is given.  As export_run. */
int follow_export(const struct cli *, struct session *, const struct export_options *,
		  struct export_result *, struct err *);

#endif
