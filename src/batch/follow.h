/*
 * Batch output of a growing capture, until a signal ends it.
 */
#ifndef TRAWL_BATCH_FOLLOW_H
#define TRAWL_BATCH_FOLLOW_H

#include "command/cli.h"
#include "export/export.h"

/* Export messages as they arrive; results as export_run.  SIGINT or SIGTERM ends the output
 * after a whole line.  The program then ends as if it had no handler.  A second signal ends it
 * at once.  Notices of the traces go to standard error meanwhile, unless --quiet is given. */
int follow_export(const struct cli *, struct session *, const struct export_options *,
		  struct export_result *, struct err *);

#endif
