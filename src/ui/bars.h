/*
 * The title and the status row: the first and the last row of the screen.
 */
#ifndef TRAWL_UI_BARS_H
#define TRAWL_UI_BARS_H

struct screen;

/* Draw the bars that the layout contains. */
void bars_draw(struct screen *);

#endif
