/*
 * The timeline, as the rest of the screen uses it.
 */
#ifndef TRAWL_UI_PANE_TIMELINE_H
#define TRAWL_UI_PANE_TIMELINE_H

#include <stdbool.h>

struct screen;

/* Show the time of the range.  Return false if there is none. */
bool timeline_show_range(struct screen *);

/* Return the rows that it could fill, with its rule. Lines that come and go with the cursor and the
 * window have a fixed share. The panes thus stay in place. */
int timeline_rows(struct screen *);

#endif
