/*
 * Lines of `-t text` and `-t csv` as a user describes them: which columns, how the time is
 * written, whether severities have colours.
 *
 * The names of columns are those of filters and of the list: what every message has,
 * fields of formats, `FORMAT.FIELD` and `context.NAME`.
 */
#ifndef TRAWL_EXPORT_EXPORT_LINE_H
#define TRAWL_EXPORT_EXPORT_LINE_H

#include "export/export.h"

/* How `text` writes the time of a message. */
enum export_time {
	EXPORT_TIME_ABSOLUTE, /* seconds of the session's clock */
	EXPORT_TIME_RELATIVE, /* since the first time of the session */
	EXPORT_TIME_DELTA,    /* since the message printed before */
	EXPORT_TIME_TICKS,    /* that its trace tells */
	EXPORT_TIME_ISO	      /* date and time of the day in UTC, ISO 8601 */
};

/* Reads the name of one, as --time-format has it.  0, or ERR_USAGE. */
int export_time_find(const char *name, enum export_time *, struct err *);

/* What is asked for; NULL: nothing of it. */
struct export_line_wish {
	const char *fields;	 /* names with commas between, each may have `:SPEC` */
	const char *line;	 /* `{name}`, `{name:SPEC}`, `{{`, `}}`, `\t`, `\\` and text */
	const char *time_format; /* see export_time_find */
	bool colour;
};

/*
 * SPEC: `<` or `>` (right; left is usual), the columns that it takes at least, and after a
 * point those that it takes at most, as `>12` or `.20`.
 *
 * Makes of FORMAT one whose lines are as wished, in export_line_format(); *LINE is NULL if
 * nothing is.  0, or ERR_USAGE with the place.
 */
int export_line_new(const struct export_format *, const struct export_line_wish *,
		    struct export_line **, struct err *);
const struct export_format *export_line_format(const struct export_line *);
void export_line_free(struct export_line *); /* NULL is fine */

/* Appends the time of a message as its line says, at the right of 20 columns. */
void export_line_add_time(struct export_message *, struct text *);

/* Appends what turns the colour of a message's line on, and off; nothing without one. */
void export_line_begin_colour(const struct export_message *, struct text *);
void export_line_end_colour(const struct export_message *, struct text *);

#endif
