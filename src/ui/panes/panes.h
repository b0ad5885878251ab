/*
 * All panes.
 */
#ifndef TRAWL_UI_PANES_H
#define TRAWL_UI_PANES_H

#include "ui/panes/pane.h"

extern const struct pane_ops pane_list, pane_detail, pane_hex, pane_marks, pane_context;
extern const struct pane_ops pane_timeline, pane_filters, pane_origins, pane_syncs, pane_gaps;
extern const struct pane_ops pane_guesses, pane_matches, pane_differences;
extern const struct pane_ops pane_intervals, pane_table, pane_code, pane_stack, pane_functions;
extern const struct pane_ops pane_help, pane_messages, pane_clocks, pane_settings, pane_card;
extern const struct pane_ops pane_facts;

extern const struct pane_ops *const panes[PANE_COUNT];

#endif
