/*
 * Filters made from the message under the cursor.
 *
 * Each is an expression in the list of filters, as if it had been typed; what is said of it
 * names that and the key that takes it back.
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
