/*
 * Where batch output goes, and which part of the messages.
 */
#ifndef TRAWL_BATCH_OUTPUT_H
#define TRAWL_BATCH_OUTPUT_H

#include "command/cli.h"
#include "export/export_line.h"
#include "export/export_table.h"

/* Opens the file that --output names; standard output without it.  A file descriptor, or
 * negative: ERR_IO. */
int output_open_file(const struct cli *, struct err *);

/* Opens what --output names, for a format; standard output without it.  A file
 * descriptor, or negative: ERR_USAGE, ERR_IO. */
int output_open(const struct cli *, const struct export_format *, struct err *);

/* Makes *LINE of --fields, --template, --time-format and --color for a format, NULL if none
 * of them changes its lines.  0, or ERR_USAGE. */
int output_make_line(const struct cli *, const struct export_format *, struct export_line **line,
		     struct err *);

/* Makes *TABLE of --by, --of, --columns and --sort for a format of tables, NULL for another.
 * 0, or ERR_USAGE. */
int output_make_table(const struct cli *, const struct export_format *, const struct session *,
		      struct export_table **table, struct err *);

/* Reads --split into the options.  0, or ERR_USAGE. */
int output_parse_split(const struct cli *, struct export_options *, struct err *);

#endif
