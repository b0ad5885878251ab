/* The options of a view: see view.h. */
#include "config.h"

#include "ui/view.h"

#include <string.h>

static const char *const aligns[] = {"left", "right", NULL};
static const char *const times[] = {
    [TIME_ABSOLUTE] = "absolute", [TIME_START] = "start", [TIME_DELTA] = "delta",
    [TIME_MARK] = "mark",	  [TIME_TICKS] = "ticks", [TIME_MODES] = NULL};
static const char *const layouts[] = {[LAYOUT_AUTO] = "auto",
				      [LAYOUT_STACKED] = "stacked",
				      [LAYOUT_SIDE] = "side",
				      [LAYOUT_MODES] = NULL};

static const struct option_row column_rows[] = {
    {.name = "name",
     .type = OPTION_TEXT,
     .member = offsetof(struct column, name),
     .required = true,
     .help = "number, time, delta, trace, origin, severity, type, text, offset, length, or a "
	     "field of the format"},
    {.name = "width",
     .type = OPTION_UINT,
     .member = offsetof(struct column, width),
     .max = 1000,
     .help = "columns of the screen; 0 or absent: as needed"},
    {.name = "align",
     .type = OPTION_CHOICE,
     .member = offsetof(struct column, align),
     .choices = aligns,
     .help = "left or right"},
    {.name = "wide",
     .type = OPTION_UINT,
     .member = offsetof(struct column, wide),
     .max = 1000,
     .help = "shown only if the list has at least so many columns of the screen"},
};
static const struct option_table column_table = OPTION_TABLE("columns", struct column, column_rows);

static const struct option_row view_rows[] = {
    {.name = "columns",
     .type = OPTION_LIST,
     .member = offsetof(struct view, columns),
     .table = &column_table,
     .help = "the columns of the list, from left to right"},
    {.name = "time",
     .type = OPTION_CHOICE,
     .member = offsetof(struct view, time),
     .choices = times,
     .standard = "absolute",
     .help = "what the time column shows at first"},
    {.name = "layout",
     .type = OPTION_CHOICE,
     .member = offsetof(struct view, layout),
     .choices = layouts,
     .standard = "auto",
     .help = "how panes share the screen at first"},
    {.name = "header",
     .type = OPTION_BOOL,
     .member = offsetof(struct view, header),
     .standard = "true",
     .help = "a row with the names of the columns"},
    {.name = "detail",
     .type = OPTION_BOOL,
     .member = offsetof(struct view, detail),
     .standard = "false",
     .help = "the detail pane is open at first"},
    {.name = "hex",
     .type = OPTION_BOOL,
     .member = offsetof(struct view, hex),
     .standard = "false",
     .help = "the hex pane is open at first"},
};

const struct option_table view_options_table = OPTION_TABLE("view", struct view, view_rows);

enum column_kind
column_kind(const char *name)
{
	static const char *const names[COLUMN_FIELD] = {
	    [COLUMN_NUMBER] = "number", [COLUMN_TIME] = "time",	    [COLUMN_DELTA] = "delta",
	    [COLUMN_TRACE] = "trace",	[COLUMN_ORIGIN] = "origin", [COLUMN_SEVERITY] = "severity",
	    [COLUMN_TYPE] = "type",	[COLUMN_TEXT] = "text",	    [COLUMN_OFFSET] = "offset",
	    [COLUMN_LENGTH] = "length"};
	int kind = 0;
	while (kind < COLUMN_FIELD && strcmp(name, names[kind]) != 0)
		kind++;
	return (enum column_kind)kind;
}

const char *
time_mode_name(enum time_mode mode)
{
	return times[mode];
}

const char *
layout_mode_name(enum layout_mode mode)
{
	return layouts[mode];
}
