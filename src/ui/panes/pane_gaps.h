/*
 * The pane of gaps, as the commands see it.
 */
#ifndef TRAWL_UI_PANE_GAPS_H
#define TRAWL_UI_PANE_GAPS_H

#include <stdbool.h>

struct screen;

/* Lists gaps of at least this length, as `5ms`; NULL: the longest ones.  False, and said
 * why, if it is none. */
bool gaps_set_least(struct screen *, const char *length);

#endif
