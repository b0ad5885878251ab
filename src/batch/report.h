/*
 * What a run without a screen says beside its output: lines on standard error, and
 * the exit status.
 */
#ifndef TRAWL_BATCH_REPORT_H
#define TRAWL_BATCH_REPORT_H

#include "base/err.h"
#include "base/text.h"
#include "command/cli.h"
#include "trace/trace.h"

struct session;

/* Exit statuses: see trawl(1). */
enum { STATUS_GOOD = 0, STATUS_DAMAGED = 1, STATUS_FAILED = 2 };

/* Write each line of a text to standard error, safe for a terminal: after "trawl: ", or alone.
 * Nothing else writes there but the end of memory (base/vec.c).  From any thread. */
void report_text(const char *);
void report_lines(const char *);

/* Writes an error to standard error; STATUS_FAILED. */
int report_error(const struct err *);

/* Writes lines to standard output, all of them or with STATUS_FAILED, and clears them. */
int report_print(struct text *);

/* Takes the notices of a trace, or of all, and reports them unless --quiet is given. */
void report_notice(struct trace *, const struct cli *);
void report_notices(struct session *, const struct cli *);

/* Reports the programs and memory images that changed since they were read, each once, unless
 * --quiet is given; how many.  They may have been half written when they were read. */
unsigned report_programs(struct session *, const struct cli *);

#endif
