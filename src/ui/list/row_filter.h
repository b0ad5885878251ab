/*
 * Filters made from the message under the cursor.
 *
 * Each is an expression in the list of filters, as if the user had typed it.  The notice shows
 * the expression and the key that undoes it.
 */
#ifndef TRAWL_UI_ROW_FILTER_H
#define TRAWL_UI_ROW_FILTER_H

#include "command/command.h"

struct screen;

/* Handlers. */
void row_filter_origin(struct screen *, const struct command_call *);
void row_filter_trace(struct screen *, const struct command_call *);
void row_filter_like(struct screen *, const struct command_call *);
void row_filter_severity(struct screen *, const struct command_call *);
void row_filter_time(struct screen *, const struct command_call *);
void row_filter_context(struct screen *, const struct command_call *);

#endif
