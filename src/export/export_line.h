/*
 * Lines of `-t text` and `-t csv` as the user describes them: the columns, the format of
 * the time, and colours for severities.
 *
 * Column names are those of filters and of the list: common properties of messages, fields
 * of formats, `FORMAT.FIELD` and `context.NAME`.
 */
#ifndef TRAWL_EXPORT_EXPORT_LINE_H
#define TRAWL_EXPORT_EXPORT_LINE_H

#include "export/export.h"

/* How `text` writes the time of a message. */
enum export_time {
	EXPORT_TIME_ABSOLUTE, /* date and time of day if it counts from 1970, else seconds */
	EXPORT_TIME_RELATIVE, /* since the first time of the session */
	EXPORT_TIME_DELTA,    /* since the message printed before */
	EXPORT_TIME_TICKS,    /* raw ticks of its trace */
	EXPORT_TIME_ISO	      /* the same with the offset from UTC, as ISO 8601 */
};

/* Find the format named as in --time-format.  Return 0 or ERR_USAGE. */
int export_time_find(const char *name, enum export_time *, struct err *);

/* Options of a line; NULL: not given. */
struct export_line_wish {
	const char *fields;	 /* names separated by commas, each with an optional `:SPEC` */
	const char *line;	 /* `{name}`, `{name:SPEC}`, `{{`, `}}`, `\t`, `\\` and text */
	const char *time_format; /* see export_time_find */
	const struct session *session; /* with the names of contexts and intervals; borrowed */
	bool colour;
	bool wide; /* number and trace in columns of their own */
};

/*
 * Create a format from FORMAT with the lines described, for export_line_format().  *LINE
 * is NULL if no option is given.  Return 0, or ERR_USAGE with the place.
 *
 * SPEC is `<` (left, the default) or `>` (right), the minimum width, and after a point the
 * maximum width, as in `>12` or `.20`.
 */
int export_line_new(const struct export_format *, const struct export_line_wish *,
		    struct export_line **, struct err *);
const struct export_format *export_line_format(const struct export_line *);
/* Append a line for each field or argument that no printed message had. */
void export_line_explain_absent(const struct export_line *, struct text *out);
void export_line_free(struct export_line *); /* NULL is fine */

/* True if the user wants the number and the trace in columns of their own. */
bool export_line_is_wide(const struct export_message *);

/* Append the time of a message as its line requires, aligned right in 20 columns. */
void export_line_add_time(struct export_message *, struct text *);

/* Append the sequences that turn the colour of a message's line on and off, if it has one. */
void export_line_begin_colour(const struct export_message *, struct text *);
void export_line_end_colour(const struct export_message *, struct text *);

#endif
