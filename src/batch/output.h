/*
 * The target of batch output, and the selected part of the messages.
 */
#ifndef TRAWL_BATCH_OUTPUT_H
#define TRAWL_BATCH_OUTPUT_H

#include "base/writer.h"
#include "command/cli.h"
#include "export/export_line.h"
#include "export/export_table.h"

/* Open the writer of --output for a format (NULL: bytes), or of standard output without the
 * option.  Never overwrites a capture of the COUNT sessions.  GROWS: the output has no known end
 * (--follow).  Return 0, ERR_USAGE or ERR_IO. */
int output_open(struct writer *, const struct cli *, struct session *const *sessions, size_t count,
		const struct export_format *, bool grows, struct err *);

/* Make *LINE from --fields, --template, --time-format and --color for a format.  It is NULL if
 * they do not change its lines.  Return 0 or ERR_USAGE. */
int output_make_line(const struct cli *, const struct export_format *, const struct session *,
		     struct export_line **line, struct err *);

/* Make *TABLE from --by, --of, --columns and --sort if the format is a table, else set it to
 * NULL.  Return 0 or ERR_USAGE. */
int output_make_table(const struct cli *, const struct export_format *, const struct session *,
		      struct export_table **table, struct err *);

/* Parse --split into the options.  Return 0 or ERR_USAGE. */
int output_parse_split(const struct cli *, struct export_options *, struct err *);

#endif
