/*
 * The pane of matches, as the commands see it.
 */
#ifndef TRAWL_UI_PANE_MATCHES_H
#define TRAWL_UI_PANE_MATCHES_H

#include <stdbool.h>

struct screen;

/* Lists what matches an expression, as people type it; NULL: what was searched for last.
 * False, and said why, if that is nothing. */
bool match_rows_choose(struct screen *, const char *typed);

#endif
