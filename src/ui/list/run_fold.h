/*
 * Runs as a row each: messages that only go on where the one before of their processor ended
 * (query/flow/run_on.h) are hidden by a filter, `runs_on`; a run that is unfolded is an exception
 * in it, so that filters, their pane and U know of it like of any other.
 */
#ifndef TRAWL_UI_RUN_FOLD_H
#define TRAWL_UI_RUN_FOLD_H

#include "base/text.h"
#include "command/command.h"

struct reader;
struct run_sums;
struct screen;
struct trace;

/* Another number for each choice of runs that are a row each; 0: none is. */
uint64_t run_fold_state(const struct screen *);

/* Whether runs are a row each; and whether one of them, of messages of READER and the processor
 * that texts call ORIGIN, is unfolded. */
bool run_fold_is_on(const struct screen *);
bool run_fold_is_open(struct screen *, struct reader *, const struct text *origin,
		      const struct run_sums *);

/* Appends what a run is, from the first instruction to the last; PAGES: as run_on_pages has it,
 * of one without instructions. */
void run_fold_add_text(const struct trace *, const struct run_sums *, uint64_t pages,
		       struct text *out);

/* Handlers: folds all; and unfolds the run under the cursor, or folds it again, or all. */
void run_fold_all(struct screen *, const struct command_call *);
void run_fold_turn(struct screen *, const struct command_call *);

#endif
