/*
 * The pane of matches, for the commands.
 */
#ifndef TRAWL_UI_PANE_MATCHES_H
#define TRAWL_UI_PANE_MATCHES_H

#include <stdbool.h>

struct screen;

/* List the matches of an expression; NULL: of the last search. Without a valid expression or a
 * search, show a notice and return false. */
bool match_rows_choose(struct screen *, const char *typed);

#endif
