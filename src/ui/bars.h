/*
 * The first and the last row of the screen.
 */
#ifndef TRAWL_UI_BARS_H
#define TRAWL_UI_BARS_H

struct screen;

/* Draws those that the layout has. */
void bars_draw(struct screen *);

#endif
