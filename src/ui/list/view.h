/*
 * A view: the columns of the list, its initial filters, the messages that stand out, and the
 * open panes.  Loaded from views/NAME.yaml.
 */
#ifndef TRAWL_UI_VIEW_H
#define TRAWL_UI_VIEW_H

#include "base/option.h"
#include "ui/screen/screen.h"

/* Columns for every format.  Any other name is that of a field. */
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
	COLUMN_DEPTH, /* depth and target: see flow_rows.h */
	COLUMN_TARGET,
	COLUMN_RUN_INSTRUCTIONS, /* for folded runs, as are cycles: see run_fold.h */
	COLUMN_RUN_CYCLES,
	COLUMN_VALUE
};

enum column_align { ALIGN_LEFT, ALIGN_RIGHT };

/* The part of the row that the cursor covers: all of it, or up to the origin. */
enum cursor_form { CURSOR_ROW, CURSOR_BLOCK };

struct column {
	char *name;
	char *title;	/* in the header; NULL: use `name` */
	uint64_t width; /* 0: as wide as the contents; the last column takes the rest */
	int align;	/* enum column_align */
	uint64_t wide;	/* shown if the list has at least this many columns */
	bool raw;	/* show the number, not its name or formatted value */
};

/* A rule for messages that stand out. */
struct view_rule {
	char *filter; /* see rules.h */
	int role;     /* enum role */
	char *fg;     /* text colour in place of the role, as for colour_parse(); or NULL */
};

struct view {
	struct option_list columns;		    /* struct column */
	int time;				    /* enum time_mode */
	bool utc;				    /* show and read dates in UTC */
	int layout;				    /* enum layout_mode */
	bool header;				    /* a row with the names of the columns */
	bool bar;				    /* the scroll bar of the list */
	bool mouse;				    /* enable mouse reports of the terminal */
	int cursor;				    /* enum cursor_form */
	bool detail, hex, marks, context, timeline; /* open at the start */
	bool filter_list, origins;		    /* open at the start */
	int severity;				    /* initial threshold; enum severity, 0 = all */
	bool unassigned;			    /* thresholds pass messages without one */
	char *filter;				    /* as typed after `&`, or NULL */
	struct option_list rules;		    /* struct view_rule; the first match wins */
};

extern const struct option_table view_options_table;
extern const struct option_table view_rule_table;

/* True if :set can change that row of the view's options.  Lists have no form on one line. */
bool view_can_set(const struct option_row *);

enum column_kind column_kind(const char *name);

/* Names of thresholds, "all" first; NULL-terminated. */
extern const char *const view_severities[];

/* Return the name for the title and for views. */
const char *time_mode_name(enum time_mode);
const char *layout_mode_name(enum layout_mode);

#endif
