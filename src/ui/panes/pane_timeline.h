/*
 * The timeline, as the rest of the screen uses it.
 */
#ifndef TRAWL_UI_PANE_TIMELINE_H
#define TRAWL_UI_PANE_TIMELINE_H

#include "command/command.h"

#include <stdbool.h>

struct screen;

/* Handler: show the timeline, at the range if one is set, or hide it. */
void timeline_toggle(struct screen *, const struct command_call *);

/* Return the rows that it could fill, with its rule. Lines that come and go with the cursor and the
 * window have a fixed share. The panes thus stay in place. */
int timeline_rows(struct screen *);

#endif
