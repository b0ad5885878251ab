/*
 * Intervals on the timeline: a lane for each, and the text at the cursor.
 *
 * The sign in a column is `<` for a begin, `>` for an end, `|` for a whole interval. `=` is an
 * open interval, and `:` stands for several. The key of an interval is written into its bar if
 * it fits. Lanes are made again when the window or the intervals change, with one search per
 * column (query/interval/interval_tree.h).
 */
#ifndef TRAWL_UI_TIMELINE_INTERVALS_H
#define TRAWL_UI_TIMELINE_INTERVALS_H

#include "query/density.h"
#include "query/interval/intervals.h"

struct area;
struct screen;

/* The intervals in a column. */
struct bar_cell {
	char sign; /* as drawn; 0: none */
	bool doubtful;
};

/* The key of an interval, if it fits into the bar. */
struct bar_label {
	size_t column;
	char *text; /* safe */
};

/* The lane of an interval definition. */
struct bar_lane {
	VEC(struct bar_cell) cells;
	VEC(struct bar_label) labels;
};

/* Zero-initialise. */
struct timeline_intervals {
	VEC(struct bar_lane) lanes;
	/* the inputs of the lanes */
	struct density_window window;
	int64_t last;
	unsigned generation;
};

/* Make the lanes for ANSWER, unless they are current. */
void timeline_intervals_make(struct timeline_intervals *, struct screen *,
			     const struct density_answer *);

/* True if the intervals have changed since then. */
bool timeline_intervals_have_news(const struct timeline_intervals *, const struct screen *);

void timeline_intervals_draw(const struct timeline_intervals *, struct screen *,
			     const struct area *, int y, size_t interval);

/* Append the intervals open at a time of ANSWER: of each definition, the one that began last. */
void timeline_intervals_add_open(struct screen *, const struct density_answer *, int64_t time,
				 struct text *out);

void timeline_intervals_free(struct timeline_intervals *);

#endif
