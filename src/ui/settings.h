/*
 * Change the view, theme, keys and single settings while the program runs.
 */
#ifndef TRAWL_UI_SETTINGS_H
#define TRAWL_UI_SETTINGS_H

#include "command/command.h"

#include <stdbool.h>

struct screen;

/* Apply the looks for the first time: view, theme, keys. */
void settings_start(struct screen *);

/* Apply the looks and the user's own highlights and keys to the screen. */
void settings_apply(struct screen *);

/* Switch the theme if the terminal turned out to be light, or dark.  Return true if it switched. */
bool settings_follow_background(struct screen *);

/* Replace all filters.  SEVERITY is a threshold (enum severity, 0 = all).  UNASSIGNED shows
 * messages without a severity.  FILTER is as typed after `&`, or NULL. */
void settings_filters(struct screen *, int severity, bool unassigned, const char *filter);

/* Handlers. */
void settings_choose(struct screen *, const struct command_call *); /* :view, :theme, :keys */
void settings_set(struct screen *, const struct command_call *);    /* :set */
void settings_source(struct screen *, const struct command_call *); /* :source, and part of R */

#endif
