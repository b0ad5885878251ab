/*
 * Output of a run without a screen other than its messages: lines on standard error, and the exit
 * status.
 */
#ifndef TRAWL_BATCH_REPORT_H
#define TRAWL_BATCH_REPORT_H

#include "base/err.h"
#include "base/text.h"
#include "command/cli.h"
#include "trace/trace.h"

struct session;

/* Exit status: see trawl(1). */
enum { STATUS_GOOD = 0, STATUS_DAMAGED = 1, STATUS_FAILED = 2 };

/* Write each line of a text to standard error, safe for a terminal.  report_text adds "trawl: "
 * before each.  Only these and mem_end (base/vec.c) write to standard error.  Any thread may
 * call them. */
void report_text(const char *);
void report_lines(const char *);

/* Write an error to standard error and return STATUS_FAILED. */
int report_error(const struct err *);

/* Write lines to standard output and clear them.  Return STATUS_FAILED unless all were written. */
int report_print(struct text *);

/* Take the notices of a trace, or of all traces, and report them unless --quiet is given. */
void report_notice(struct trace *, const struct cli *);
void report_notices(struct session *, const struct cli *);

/* Report programs and memory images that changed after they were read, each once, unless --quiet
 * is given.  Return their number.  They may have been incomplete when they were read. */
unsigned report_programs(struct session *, const struct cli *);

#endif
