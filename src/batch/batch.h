/*
 * A run without a screen: output in a format, what --check looks for, kept indexes.
 * These print what they have to say and return the exit status (report.h).
 */
#ifndef TRAWL_BATCH_BATCH_H
#define TRAWL_BATCH_BATCH_H

#include "command/cli.h"
#include "query/filter/filter.h"

struct session;

/* Writes the output, looks for what --check names, or both. */
int batch_run(struct session *, const struct cli *, const struct filter *);

/* Builds the indexes and keeps them beside the captures. */
int batch_keep_indexes(struct session *);

#endif
