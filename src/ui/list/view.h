/*
 * A view: which columns the list has, what it shows at first and what stands
 * out, which panes are open.  Filled from views/NAME.yaml.
 */
#ifndef TRAWL_UI_VIEW_H
#define TRAWL_UI_VIEW_H

#include "base/option.h"
#include "ui/screen/screen.h"

/* Columns that every format has; any other name is a field's. */
enum column_kind {
	COLUMN_NUMBER,
	COLUMN_TIME,
	COLUMN_DELTA,
	COLUMN_GAP,
	COLUMN_TRACE,
	COLUMN_ORIGIN,
	COLUMN_SEVERITY,
	COLUMN_TYPE,
	COLUMN_TEXT,
	COLUMN_OFFSET,
	COLUMN_LENGTH,
	COLUMN_DEPTH, /* these two: flow_rows.h */
	COLUMN_TARGET,
	COLUMN_RUN_INSTRUCTIONS, /* these two while runs are a row each: run_fold.h */
	COLUMN_RUN_CYCLES,
	COLUMN_FIELD
};

enum column_align { ALIGN_LEFT, ALIGN_RIGHT };

/* What of its row the cursor takes: what stands before the origin, or all. */
enum cursor_form { CURSOR_BLOCK, CURSOR_ROW };

struct column {
	char *name;
	char *title;	/* in the header; NULL: its name */
	uint64_t width; /* 0 = as the contents need; the last one takes the rest */
	int align;	/* enum column_align */
	uint64_t wide;	/* shown if the list has at least so many columns */
	bool raw;	/* the number itself, not its name or form for people */
};

/* Messages that stand out. */
struct view_rule {
	char *filter; /* see rules.h */
	int role;     /* enum role */
	char *fg; /* colour of the text, as colour_parse reads it, instead of the role; or NULL */
};

struct view {
	struct option_list columns;		    /* struct column */
	int time;				    /* enum time_mode */
	int layout;				    /* enum layout_mode */
	bool header;				    /* a row with the columns' names */
	bool bar;				    /* the scroll bar of the list */
	bool mouse;				    /* the terminal reports it */
	int cursor;				    /* enum cursor_form */
	bool detail, hex, marks, context, timeline; /* open at the start, */
	bool filter_list, origins;		    /* these too */
	int severity;		  /* the threshold at first; enum severity, 0 = all */
	bool unassigned;	  /* messages without a severity are shown */
	char *filter;		  /* as after `&`, or NULL */
	struct option_list rules; /* struct view_rule; the first that fits wins */
};

extern const struct option_table view_options_table;
extern const struct option_table view_rule_table;

enum column_kind column_kind(const char *name);

/* Thresholds by name, "all" first; NULL-terminated. */
extern const char *const view_severities[];

/* In the title, and in a view. */
const char *time_mode_name(enum time_mode);
const char *layout_mode_name(enum layout_mode);

#endif
