/*
 * Intervals on the timeline: a lane for each, and the words at the cursor.
 *
 * A column shows what begins (`<`), ends (`>`), is whole (`|`), goes on (`=`) or is more than
 * that (`:`); the key of an interval stands in it where it has the room.  Lanes are made again
 * when the window or what is found is another, by a search for each column
 * (query/interval/interval_tree.h).
 */
#ifndef TRAWL_UI_TIMELINE_INTERVALS_H
#define TRAWL_UI_TIMELINE_INTERVALS_H

#include "query/density.h"
#include "query/interval/intervals.h"

struct area;
struct screen;

/* What is open in a column. */
struct bar_cell {
	char sign; /* as drawn; 0: nothing */
	bool doubtful;
};

/* The key of an interval that has room for it. */
struct bar_label {
	size_t column;
	char *text; /* safe */
};

/* An interval along the window. */
struct bar_lane {
	VEC(struct bar_cell) cells;
	VEC(struct bar_label) labels;
};

/* The key of an interval that the words at the cursor had. */
struct bar_key {
	size_t interval;
	struct interval_message begin;
	char *text; /* safe */
};

/* Zero-initialise. */
struct timeline_intervals {
	VEC(struct bar_lane) lanes;
	VEC(struct bar_key) keys; /* few */
	/* what lanes were made of */
	struct density_window window;
	int64_t last;
	unsigned generation;
};

/* Makes the lanes of what ANSWER shows, if they are not made. */
void timeline_intervals_make(struct timeline_intervals *, struct screen *,
			     const struct density_answer *);

/* Whether others were found since. */
bool timeline_intervals_have_news(const struct timeline_intervals *, const struct screen *);

void timeline_intervals_draw(const struct timeline_intervals *, struct screen *,
			     const struct area *, int y, size_t interval);

/* Appends those that are open at a time of ANSWER, of each name the last begun. */
void timeline_intervals_add_open(struct timeline_intervals *, struct screen *,
				 const struct density_answer *, int64_t time, struct text *out);

void timeline_intervals_free(struct timeline_intervals *);

#endif
