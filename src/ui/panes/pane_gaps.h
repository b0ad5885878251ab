/*
 * The pane of gaps, for the commands.
 */
#ifndef TRAWL_UI_PANE_GAPS_H
#define TRAWL_UI_PANE_GAPS_H

#include <stdbool.h>

struct screen;

/* List gaps of at least LENGTH, such as `5ms`, or the longest ones for NULL. If LENGTH is no
 * length, show an error and return false. */
bool gaps_set_least(struct screen *, const char *length);

#endif
