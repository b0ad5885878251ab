/*
 * What the parts of the timeline share: its state, which pane_timeline.c keeps, timeline_lanes.c
 * and timeline_lines.c fill and timeline_draw.c draws.  UI thread.
 */
#ifndef TRAWL_UI_TIMELINE_STATE_H
#define TRAWL_UI_TIMELINE_STATE_H

#include "base/text.h"
#include "base/vec.h"
#include "query/density.h"
#include "trace/reader.h"
#include "ui/panes/timeline_flow.h"
#include "ui/panes/timeline_intervals.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct screen;

/* A time that is marked on the screen. */
struct timeline_mark {
	bool set;
	int64_t time;
};

/* Traces that have times in common in sight. */
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
	size_t at; /* number among those of its kind */
	int rows;  /* on the screen */
};

/* What has no lane, and where all of it is. */
enum timeline_left { LEFT_ORIGINS, LEFT_STATES, LEFT_COUNT };

struct timeline_state {
	struct density *density;
	const struct density_answer *answer; /* borrowed; see density_ask */
	struct density_window window;
	bool opened; /* the window was chosen */
	/* lanes, and what they were made for: */
	VEC(struct density_lane) lanes;
	VEC(char *) names;		     /* safe */
	bool *split;			     /* per trace: a lane for each origin */
	struct matches **known;		     /* likewise its match set; borrowed while one asks */
	uint64_t basis;			     /* lanes_basis() of them */
	VEC(struct timeline_context) states; /* by context, then by name */
	struct timeline_intervals intervals;
	struct timeline_flow flow;
	VEC(struct timeline_pair) pairs;
	VEC(uint64_t) weights; /* messages of each lane */
	VEC(uint8_t) kept;     /* whether a lane has a line of its own */
	VEC(struct timeline_line) lines;
	size_t lane, top;	     /* the line with the cursor, the first on the screen */
	size_t shown;		     /* lines from there on that are */
	bool unfolded;		     /* sync points and pairs of traces have lines of their own */
	bool all;		     /* so do all lanes */
	char more[32];		     /* the name of the line for the others */
	size_t left_out[LEFT_COUNT]; /* so many have no lane */
	char left[LEFT_COUNT][32];   /* the name of the line that says so */
	int gutter;		     /* columns that the longest name took so far */
	/* the cursor, the row of the list it was taken from, and what its time rests on: */
	struct timeline_mark cursor, a, b;
	size_t trace;
	struct message_id id;
	unsigned clocks; /* their generation */
	int64_t first;	 /* time of the first message that has one; 0: not known */
	bool seen;
	char *brush; /* the filter that shows A to B, or NULL */
	struct text text;
};

/* The state of the pane; NULL before it is made. */
struct timeline_state *timeline_state_of(struct screen *);

/* The answer, if it tells something of what is on the screen. */
const struct density_answer *timeline_answer(const struct timeline_state *state);

/* Whether a window shows a time. */
bool timeline_in_sight(const struct density_window *w, int64_t time);

#endif
