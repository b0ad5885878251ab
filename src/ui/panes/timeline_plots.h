/*
 * Plots on the timeline: numbers over time, a few rows each. A column is filled from its least to
 * its greatest number. In a heat map, a row is one or more octaves, and the shade is the count.
 */
#ifndef TRAWL_UI_TIMELINE_PLOTS_H
#define TRAWL_UI_TIMELINE_PLOTS_H

#include "base/text.h"
#include "query/plot.h"

struct area;
struct screen;
struct timeline_state;

enum { TIMELINE_PLOT_ROWS = 4 /* at most */ };

struct timeline_plot {
	char *name; /* as typed */
	struct plot *plot;
	const struct plot_answer *answer; /* for the window on the screen, or NULL */
	struct text most, least;	  /* limits of the window */
};
typedef VEC(struct timeline_plot) timeline_plots;

/* Run `:plot`: add, remove or list. Return true if it added one. */
bool timeline_plots_run(struct screen *, const char *typed);

/* Take the plots of ANSWER (NULL: none) and their limits. */
void timeline_plots_take(struct screen *, const struct density_answer *answer);

/* Draw a plot and its limits. RIGHT is the part of AREA after the names. */
void timeline_plots_draw(struct screen *, const struct area *area, const struct area *right, int y,
			 int rows, size_t plot);

/* Return the plot under the cursor, else the first one or NULL. *SELECTED: it is the former. */
struct timeline_plot *timeline_plots_current(struct timeline_state *, bool *selected);

/* If the line under the cursor is a plot: append its numbers at the cursor and in the window. */
void timeline_plots_add_here(struct screen *, struct text *out);

void timeline_plots_free(struct timeline_state *);

#endif
