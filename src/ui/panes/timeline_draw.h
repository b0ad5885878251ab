/*
 * The drawing of the timeline: its axis, its lines and the text below them.
 */
#ifndef TRAWL_UI_TIMELINE_DRAW_H
#define TRAWL_UI_TIMELINE_DRAW_H

#include <stddef.h>

struct area;
struct screen;

/* Draw round times, each at its column. Draw their common start once, before the first. */
void timeline_draw_axis(struct screen *screen, const struct area *area, int gutter, int y);

/* Draw line I of the state from row Y of the area on, its name in GUTTER columns. */
void timeline_draw_line(struct screen *screen, const struct area *area, int y, size_t i,
			int gutter);

/* Draw the totals and the value of the highest bar, and the text at the cursor. Add the distances
 * between the marks and the cursor. */
void timeline_draw_foot(struct screen *screen, const struct area *area, int y, int rows);

#endif
