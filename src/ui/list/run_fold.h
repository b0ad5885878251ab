/*
 * Runs as a row each: messages that only go on where the one before of their processor ended
 * (query/gap/run_on.h) are hidden by a filter, `runs_on`; a run that is unfolded is an exception
 * in it, so that filters, their pane and U know of it like of any other.
 */
#ifndef TRAWL_UI_RUN_FOLD_H
#define TRAWL_UI_RUN_FOLD_H

#include "command/command.h"

struct screen;

/* Whether runs are a row each. */
bool run_fold_is_on(const struct screen *);

/* Handlers: folds all; and unfolds the run under the cursor, or folds it again, or all. */
void run_fold_all(struct screen *, const struct command_call *);
void run_fold_turn(struct screen *, const struct command_call *);

#endif
