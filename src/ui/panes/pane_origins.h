/* The pane of origins, for the commands. */
#ifndef TRAWL_UI_PANE_ORIGINS_H
#define TRAWL_UI_PANE_ORIGINS_H

struct screen;

/* Move its cursor to the origin of the selected message, if the origin is counted. */
void pane_origins_select(struct screen *);

#endif
