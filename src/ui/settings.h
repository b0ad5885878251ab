/*
 * Changing view, theme, keys and single settings while the program runs.
 */
#ifndef TRAWL_UI_SETTINGS_H
#define TRAWL_UI_SETTINGS_H

#include "command/command.h"

#include <stdbool.h>

struct screen;

/* Follows the looks for the first time: view, theme, keys. */
void settings_start(struct screen *);

/* Makes the screen follow the looks and what the user has of their own. */
void settings_apply(struct screen *);

/* Takes another theme if the terminal turned out to be light, or dark; whether it did. */
bool settings_follow_background(struct screen *);

/* Sets all filters: a threshold (enum severity, 0 = all), and what would be
 * typed after `&`, or NULL. */
void settings_filters(struct screen *, int severity, bool unassigned, const char *filter);

/* Handlers. */
void settings_choose(struct screen *, const struct command_call *); /* :view, :theme, :keys */
void settings_set(struct screen *, const struct command_call *);    /* :set */
void settings_source(struct screen *, const struct command_call *); /* :source, and part of R */

#endif
