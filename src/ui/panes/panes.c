/* The table of panes: see panes.h. */
#include "config.h"

#include "ui/panes/panes.h"

const struct pane_ops *const panes[PANE_COUNT] = {
    [PANE_LIST] = &pane_list,
    [PANE_DETAIL] = &pane_detail,
    [PANE_HEX] = &pane_hex,
    [PANE_MARKS] = &pane_marks,
    [PANE_CONTEXT] = &pane_context,
    [PANE_HELP] = &pane_help,
    [PANE_TIMELINE] = &pane_timeline,
    [PANE_FILTERS] = &pane_filters,
    [PANE_ORIGINS] = &pane_origins,
    [PANE_MESSAGES] = &pane_messages,
    [PANE_CLOCKS] = &pane_clocks,
    [PANE_FACTS] = &pane_facts,
    [PANE_SETTINGS] = &pane_settings,
    [PANE_SYNCS] = &pane_syncs,
    [PANE_CARD] = &pane_card,
    [PANE_GUESSES] = &pane_guesses,
    [PANE_GAPS] = &pane_gaps,
    [PANE_DIFFERENCES] = &pane_differences,
    [PANE_INTERVALS] = &pane_intervals,
    [PANE_MATCHES] = &pane_matches,
    [PANE_TABLE] = &pane_table,
    [PANE_CODE] = &pane_code,
    [PANE_STACK] = &pane_stack,
    [PANE_FUNCTIONS] = &pane_functions,
};
