/*
 * The filters as they were before each change, and the ties that were made or removed, to take
 * changes back.
 *
 * A change of filters is what one command does to the list of filters and the severities,
 * whatever command that is.
 */
#ifndef TRAWL_UI_FILTER_HISTORY_H
#define TRAWL_UI_FILTER_HISTORY_H

#include "command/command.h"

struct screen;
struct sync_options;
struct filter_history;

/* What there is now is where the history begins. */
void filter_history_begin(struct screen *);
void filter_history_free(struct filter_history *); /* NULL is fine */

/* After a command: if it changed the filters, what was before can be had again. */
void filter_history_note(struct screen *);

/* A tie was made or REMOVED. */
void filter_history_note_tie(struct screen *, const struct sync_options *, bool removed);

/* The handler of undo-filter and redo-filter.  The cursor stays on its message; if it was
 * not moved since the change, it goes back to where it was before that. */
void filter_history_step(struct screen *, const struct command_call *);

#endif
