/*
 * The state that the parts of the timeline share. pane_timeline.c owns it, timeline_lanes.c and
 * timeline_lines.c fill it, timeline_draw.c draws it. UI thread.
 */
#ifndef TRAWL_UI_TIMELINE_STATE_H
#define TRAWL_UI_TIMELINE_STATE_H

#include "base/text.h"
#include "base/vec.h"
#include "query/density.h"
#include "trace/reader.h"
#include "ui/panes/lines.h"
#include "ui/panes/timeline_flow.h"
#include "ui/panes/timeline_intervals.h"
#include "ui/panes/timeline_plots.h"
#include "ui/screen/screen.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A time marked on the screen. */
struct timeline_mark {
	bool set;
	int64_t time;
};

/* Two traces with common times on the screen. */
struct timeline_pair {
	size_t a, b;
	char *name; /* safe */
};

/* A context of an origin. */
struct timeline_context {
	struct density_state of;
	size_t number; /* among the states of the answer */
	char *name;    /* safe */
};

enum line_kind {
	LINE_LANE,
	LINE_FLOW,
	LINE_PLOT,
	LINE_MORE,
	LINE_CONTEXT,
	LINE_LEFT,
	LINE_INTERVAL,
	LINE_TIES,
	LINE_SYNC,
	LINE_PAIR
};

struct timeline_line {
	enum line_kind kind;
	size_t at; /* number within its kind */
	int rows;  /* on the screen */
};

/* The groups that may be too large for lanes. timeline_left_where() names the place that lists them
 * all. */
enum timeline_left { LEFT_ORIGINS, LEFT_STATES, LEFT_COUNT };

struct timeline_state {
	struct density *density;
	const struct density_answer *answer; /* borrowed; see density_ask */
	struct density_window window;
	bool opened; /* the window was set once */
	/* lanes and their inputs */
	VEC(struct density_lane) lanes;
	VEC(char *) names;	/* safe */
	bool *split;		/* per trace: true for a lane per origin */
	struct matches **known; /* per trace: its match set; borrowed during density_ask() */
	uint64_t basis;		/* lanes_basis() of the lanes */
	VEC(struct timeline_context) states; /* sorted by context, then by name */
	struct timeline_intervals intervals;
	struct timeline_flow flow;
	timeline_plots plots;
	int plot_columns;   /* of the longest limit of plots until now */
	size_t plot_wanted; /* the cursor stays on this plot, from 1, until it moves; or 0 */
	VEC(struct timeline_pair) pairs;
	VEC(uint64_t) weights; /* messages of each lane */
	VEC(uint8_t) kept;     /* true if the lane has its own line */
	VEC(struct timeline_line) lines;
	struct lines at;	     /* the line with the cursor */
	size_t shown;		     /* number of lines on the screen */
	bool unfolded;		     /* sync points and pairs of traces have their own lines */
	bool all;		     /* all lanes have their own lines */
	char more[32];		     /* name of the LINE_MORE line */
	size_t left_out[LEFT_COUNT]; /* how many have no lane */
	char left[LEFT_COUNT][32];   /* names of the LINE_LEFT lines */
	int gutter;		     /* columns of the longest name until now */
	/* the cursor with its list row, and the marks A and B */
	struct timeline_mark cursor, a, b;
	size_t trace;
	struct message_id id;
	unsigned clocks; /* epoch of the clocks for the cursor's time */
	int64_t first;	 /* earliest known time; 0: unknown */
	bool seen;
	char *brush; /* the filter from A to B, or NULL */
	struct text text;
};

/* Return the state of the pane; NULL before it exists. */
static inline struct timeline_state *
timeline_state_of(struct screen *screen)
{
	return screen->state[PANE_TIMELINE];
}

/* Return the answer if it fits the window and lanes on the screen and has any time. Otherwise
 * return NULL. */
static inline const struct density_answer *
timeline_answer(const struct timeline_state *state)
{
	const struct density_answer *answer = state->answer;
	bool fits = answer && answer->first <= answer->last &&
		    answer->window.columns == state->window.columns &&
		    answer->lanes == state->lanes.count;
	return fits ? answer : NULL;
}

/* True if a window shows a time. */
static inline bool
timeline_in_sight(const struct density_window *w, int64_t time)
{
	int64_t column = density_column_of(w, time);
	return column >= 0 && column < (int64_t)w->columns;
}

#endif
