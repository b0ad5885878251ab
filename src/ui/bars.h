/*
 * The first and the last row of the screen.
 */
#ifndef TRAWL_UI_BARS_H
#define TRAWL_UI_BARS_H

struct area;
struct canvas;
struct screen;

void bars_draw_title(struct screen *, struct canvas *, const struct area *);
void bars_draw_status(struct screen *, struct canvas *, const struct area *);

#endif
