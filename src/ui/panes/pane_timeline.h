/*
 * What the timeline is to the rest of the screen.
 */
#ifndef TRAWL_UI_PANE_TIMELINE_H
#define TRAWL_UI_PANE_TIMELINE_H

#include "command/command.h"

#include <stdbool.h>

struct screen;

/* Handler: shows the timeline, at the range if there is one, or hides it. */
void timeline_toggle(struct screen *, const struct command_call *);

/* How many rows it could fill, with its rule.  What comes and goes with the cursor and
 * the window is not counted one by one, so that the panes stay where they are. */
int timeline_rows(struct screen *);

#endif
