/*
 * Runs without a screen: output in a format, --check, stored indexes.  These functions print their
 * results and return the exit status (report.h).
 */
#ifndef TRAWL_BATCH_BATCH_H
#define TRAWL_BATCH_BATCH_H

#include "command/cli.h"
#include "query/filter/filter.h"
#include "trace/doubts.h"

struct session;

/* Write the output, run --check, or both. */
int batch_run(struct session *, const struct cli *, const struct filter *);

/* Build the indexes and write them to the cache folder. */
int batch_keep_indexes(struct session *, const struct cli *);

/* Prepare a run that reads messages in another way.  Load everything that texts, times and the
 * filter need, report problems, and add failed loads to DOUBTS. */
int batch_load(struct session *, const struct cli *, const struct filter *, struct doubts *);

/* Report the problems of a session that are known only after such a run, and add its doubts. */
void batch_report(struct session *, const struct filter *, const struct cli *, struct doubts *);

/* End such a run and report all doubts.  Those from decoding do not affect the status. */
int batch_judge(const struct cli *, struct doubts *);

#endif
