/*
 * Undo and redo for changes of the filters, and for ties made or removed.
 *
 * One step is the whole effect of one command on the list of filters and the severities.
 */
#ifndef TRAWL_UI_FILTER_HISTORY_H
#define TRAWL_UI_FILTER_HISTORY_H

#include "command/command.h"

struct screen;
struct sync_options;
struct filter_history;

/* Start the history with the present filters. */
void filter_history_begin(struct screen *);
void filter_history_free(struct filter_history *); /* NULL is fine */

/* After a command, add an undo step if it changed the filters. */
void filter_history_note(struct screen *);

/* Add an undo step for a tie that was made or REMOVED. */
void filter_history_note_tie(struct screen *, const struct sync_options *, bool removed);

/* Handle undo-filter and redo-filter.  The cursor stays on its message.  If it was not moved
 * since the change, it returns to its place before the change. */
void filter_history_step(struct screen *, const struct command_call *);

#endif
