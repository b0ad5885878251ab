/*
 * How the timeline looks: its axis, its lines and the words below them.
 */
#ifndef TRAWL_UI_TIMELINE_DRAW_H
#define TRAWL_UI_TIMELINE_DRAW_H

#include <stddef.h>

struct area;
struct screen;

/* Round times, each from its column on; what all have in common once, before the first. */
void timeline_draw_axis(struct screen *screen, const struct area *area, int gutter, int y);

/* Draws line I of the state from row Y of the area on, its name in GUTTER columns. */
void timeline_draw_line(struct screen *screen, const struct area *area, int y, size_t i,
			int gutter);

/* What is in sight, and what the highest bar stands for; what is at the cursor, and how far
 * the marks are from each other and from it. */
void timeline_draw_foot(struct screen *screen, const struct area *area, int y, int rows);

#endif
