/*
 * What the timeline is to the rest of the screen.
 */
#ifndef TRAWL_UI_PANE_TIMELINE_H
#define TRAWL_UI_PANE_TIMELINE_H

#include "command/command.h"

#include <stdbool.h>

struct app;

/* Handler: shows the timeline, at the range if there is one, or hides it. */
void timeline_toggle(struct app *, const struct command_call *);

/* Whether it is on the screen and can show more than it does. */
bool timeline_has_news(struct app *);

#endif
