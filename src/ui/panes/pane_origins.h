/* What the pane of origins does for others. */
#ifndef TRAWL_UI_PANE_ORIGINS_H
#define TRAWL_UI_PANE_ORIGINS_H

struct screen;

/* Moves its cursor to the origin of the message under the list's, if that is counted. */
void pane_origins_select(struct screen *);

#endif
