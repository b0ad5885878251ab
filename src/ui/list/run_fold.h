/*
 * Folding: show each run as a single row.  A message continues a run if it starts where the
 * previous message of its processor ended (query/flow/run_on.h).  A filter, `runs_on`, hides
 * such messages.  An unfolded run is an exception in this filter.  Filters, their pane and U
 * therefore treat it like any other change.
 */
#ifndef TRAWL_UI_RUN_FOLD_H
#define TRAWL_UI_RUN_FOLD_H

#include "base/text.h"
#include "command/command.h"

struct reader;
struct run_sums;
struct screen;
struct trace;

/* Return a hash of the set of folded runs, or 0 if folding is off. */
uint64_t run_fold_state(const struct screen *);

/* run_fold_is_on(): return true if runs are folded.  run_fold_is_open(): return true if a run is
 * unfolded.  The run is of READER and of the processor named ORIGIN. */
bool run_fold_is_on(const struct screen *);
bool run_fold_is_open(struct screen *, struct reader *, const struct text *origin,
		      const struct run_sums *);

/* Append a description of a run, from the first instruction to the last.  PAGES comes from
 * run_on_pages(), for a run without instructions. */
void run_fold_add_text(const struct trace *, const struct run_sums *, uint64_t pages,
		       struct text *out);

/* Handlers.  run_fold_all() folds all runs.  run_fold_turn() toggles the run under the cursor, or
 * folds all runs if none are folded. */
void run_fold_all(struct screen *, const struct command_call *);
void run_fold_turn(struct screen *, const struct command_call *);

#endif
