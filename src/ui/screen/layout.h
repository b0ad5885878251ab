/*
 * Positions of the panes, computed from the screen's size and the user's
 * wishes.
 */
#ifndef TRAWL_UI_LAYOUT_H
#define TRAWL_UI_LAYOUT_H

#include "ui/screen/canvas.h"

#include <stdbool.h>

enum layout_mode { LAYOUT_AUTO, LAYOUT_STACKED, LAYOUT_SIDE, LAYOUT_MODES };

enum pane_id {
	PANE_LIST,
	PANE_DETAIL,
	PANE_HEX,
	PANE_MARKS,
	PANE_CONTEXT,
	PANE_TIMELINE,
	PANE_FILTERS,
	PANE_ORIGINS,
	PANE_SYNCS,
	PANE_GAPS,
	PANE_DIFFERENCES,
	PANE_INTERVALS,
	PANE_MATCHES,
	PANE_TABLE,
	PANE_CODE,
	PANE_STACK,
	PANE_FUNCTIONS,
	PANE_GUESSES, /* in place of the list while nothing is decoded */
	PANE_HELP,    /* this and the following ones cover all others */
	PANE_MESSAGES,
	PANE_CLOCKS,
	PANE_SETTINGS,
	PANE_FACTS,
	PANE_CARD,
	PANE_COUNT
};

struct layout_wish {
	int rows, cols;
	bool open[PANE_COUNT];
	/* rows that it could fill, with its rule; 0: no more than its share */
	int fill_rows[PANE_COUNT];
	enum layout_mode mode;
	enum pane_id base; /* the list, or the pane in its place */
	enum pane_id focus;
	bool zoom;
	int split; /* steps of 5 % for the panes around the list; 0 = default */
};

/* Areas without rows are not shown.  A pane's rule is the row above it. */
struct layout {
	struct area title, status;
	struct area panes[PANE_COUNT];
	struct area rules[PANE_COUNT];
	struct area bar; /* column between panes side by side */
};

struct layout layout_make(const struct layout_wish *);

#endif
