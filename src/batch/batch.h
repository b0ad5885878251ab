/*
 * A run without a screen: output in a format, what --check looks for, kept indexes.
 * These print what they have to say and return the exit status (report.h).
 */
#ifndef TRAWL_BATCH_BATCH_H
#define TRAWL_BATCH_BATCH_H

#include "command/cli.h"
#include "query/filter/filter.h"
#include "trace/doubts.h"

struct session;

/* Writes the output, looks for what --check names, or both. */
int batch_run(struct session *, const struct cli *, const struct filter *);

/* Builds the indexes and writes them into the cache folder. */
int batch_keep_indexes(struct session *, const struct cli *);

/* For runs that read messages otherwise: loads all that texts, times and the filter need,
 * and says what is wrong with it.  Adds what could not be loaded. */
int batch_load(struct session *, const struct cli *, const struct filter *, struct doubts *);

/* At the end of such a run over COUNT sessions: says what is doubtful, adding what is known
 * only then.  What decoding finds is no fault of the run. */
int batch_judge(struct session *const *, size_t count, const struct cli *, struct doubts *);

#endif
