/*
 * Where the panes are: a function of the screen's size and the user's wishes.
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
	PANE_GUESSES, /* in the list's place while nothing is decoded */
	PANE_HELP,    /* from here on: covers all others */
	PANE_MESSAGES,
	PANE_CLOCKS,
	PANE_CARD,
	PANE_COUNT
};

struct layout_wish {
	int rows, cols;
	bool open[PANE_COUNT];
	int fill_rows[PANE_COUNT]; /* rows it could fill, with its rule; 0: its share will do */
	enum layout_mode mode;
	enum pane_id base; /* the list, or what stands in its place */
	enum pane_id focus;
	bool zoom;
	int split; /* steps of 5 % for the panes beside the list, around 0 */
};

/* Areas with no rows are not shown.  A pane's rule is the row above it. */
struct layout {
	struct area title, status;
	struct area panes[PANE_COUNT];
	struct area rules[PANE_COUNT];
	struct area bar; /* one column between panes side by side */
};

struct layout layout_make(const struct layout_wish *);

#endif
