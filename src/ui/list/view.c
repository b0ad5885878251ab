/* The options of a view: see view.h. */
#include "config.h"

#include "ui/list/view.h"
#include "decode/registry.h"
#include "query/value.h"
#include "ui/list/rules.h"
#include "ui/screen/colour.h"

#include <string.h>

static const char *const aligns[] = {"left", "right", NULL};
static const char *const times[] = {
    [TIME_ABSOLUTE] = "absolute", [TIME_START] = "start", [TIME_DELTA] = "delta",
    [TIME_MARK] = "mark",	  [TIME_TICKS] = "ticks", [TIME_OWN] = "own",
    [TIME_MODES] = NULL};
static const char *const layouts[] = {[LAYOUT_AUTO] = "auto",
				      [LAYOUT_STACKED] = "stacked",
				      [LAYOUT_SIDE] = "side",
				      [LAYOUT_MODES] = NULL};
static const char *const cursors[] = {
    [CURSOR_ROW] = "row", [CURSOR_BLOCK] = "block", [CURSOR_BLOCK + 1] = NULL};

const char *const view_severities[] = {
    [SEVERITY_MAX] = "all",	    [SEVERITY_FATAL] = "fatal", [SEVERITY_ERROR] = "error",
    [SEVERITY_WARNING] = "warning", [SEVERITY_INFO] = "info",	[SEVERITY_USER1] = "user1",
    [SEVERITY_USER2] = "user2",	    [SEVERITY_DEBUG] = "debug", [SEVERITY_COUNT] = NULL};
static const char *const roles[] = {
#define ROLE(id, name, help) [ROLE_##id] = (name),
#include "ui/screen/role.def"
#undef ROLE
    [ROLE_COUNT] = NULL};

static const char *const column_names[COLUMN_VALUE] = {[COLUMN_NUMBER] = "number",
						       [COLUMN_TIME] = "time",
						       [COLUMN_DELTA] = "delta",
						       [COLUMN_GAP] = "gap",
						       [COLUMN_TRACE] = "trace",
						       [COLUMN_ORIGIN] = "origin",
						       [COLUMN_SEVERITY] = "severity",
						       [COLUMN_TYPE] = "type",
						       [COLUMN_TEXT] = "text",
						       [COLUMN_OFFSET] = "offset",
						       [COLUMN_LENGTH] = "length",
						       [COLUMN_DEPTH] = "depth",
						       [COLUMN_TARGET] = "target",
						       [COLUMN_RUN_INSTRUCTIONS] =
							   "run_instructions",
						       [COLUMN_RUN_CYCLES] = "run_cycles"};

static const char *
column_name(size_t i)
{
	return i < COLUMN_VALUE ? column_names[i] : decoder_field_name(i - COLUMN_VALUE);
}

/* Check the name of a column.  Any context and interval is valid, because only the profile defines
 * them.  An argument needs `arg.` before it, so that a mistyped name is found. */
static const char *
check_column(const char *text, char buffer[static 256])
{
	struct err unused;
	struct value_name *value = value_name_new(text, NULL, &unused);
	bool spans = value && value_needs(value) & VALUE_NEEDS_SPANS;
	bool any = value && !spans && !value_is_argument(value);
	value_name_free(value);
	if (spans)
		return "a name other than span.NAME, which is for --fields and tables";
	return any ? NULL
		   : option_check_name("a column: number, time, ..., or a name of --fields",
				       column_name, text, buffer);
}

#define COLUMN(...) OPTION_ROW(struct column, __VA_ARGS__)
static const struct option_row column_rows[] = {
    COLUMN(
	name, TEXT,
	"a name of --fields: number, time, delta, gap, trace, origin, severity, type, text, "
	"kind, offset, length, a field of the format, arg.NAME, context.NAME, interval.NAME ...; "
	"depth, in calls, and target, where the code went, once the "
	"program flow is followed, which the panes of code and stack begin; run_instructions and "
	"run_cycles, of runs that are folded (V)",
	.required = true, .check = check_column),
    COLUMN(title, TEXT, "in the header instead of the name"),
    COLUMN(width, UINT, "columns of the screen; 0 or absent: as needed", .max = 1000),
    COLUMN(align, CHOICE, "left or right", .choices = aligns),
    COLUMN(wide, UINT, "shown only if the list has at least this width", .max = 1000),
    COLUMN(raw, BOOL,
	   "plain number: a field without its meaning, the ticks of a "
	   "time, the key of an origin",
	   "false"),
};
static const struct option_table column_table = OPTION_TABLE("columns", struct column, column_rows);

#define RULE(...) OPTION_ROW(struct view_rule, __VA_ARGS__)
static const struct option_row rule_rows[] = {
    RULE(filter, TEXT,
	 "which messages, as typed after &: an expression of trawl-filter(7) or a regular "
	 "expression",
	 .required = true, .check = rules_check),
    RULE(role, CHOICE, "the role of the theme that their rows take", "accent1", .choices = roles),
    RULE(fg, TEXT, "instead of a role, the colour of their text, which is bold",
	 .check = colour_check),
};
const struct option_table view_rule_table = OPTION_TABLE("rules", struct view_rule, rule_rows);

#define VIEW(...) OPTION_ROW(struct view, __VA_ARGS__)
static const struct option_row view_rows[] = {
    VIEW(columns, LIST, "the columns of the list, from left to right", .table = &column_table),
    VIEW(time, CHOICE, "initial form of the time column", "absolute", .choices = times),
    VIEW(utc, BOOL, "dates and times of day are in UTC, not in the local zone (TZ)", "false"),
    VIEW(layout, CHOICE, "how panes share the screen at first", "auto", .choices = layouts),
    VIEW(header, BOOL, "a row with the names of the columns", "true"),
    VIEW(bar, BOOL,
	 "a column at the right of the list: which part of the capture is shown (|), and where in "
	 "it are marks, errors (E), and matches of the search or else of the filters (=)",
	 "false"),
    VIEW(mouse, BOOL,
	 "the wheel scrolls and a click goes to a row or a pane; the terminal selects text with "
	 "Shift then",
	 "false"),
    VIEW(cursor, CHOICE,
	 "shape of the cursor: the whole row, or the block of flag, time and severity, which "
	 "sends fewer bytes",
	 "row", .choices = cursors),
    VIEW(detail, BOOL, "the detail pane is open at first", "false"),
    VIEW(hex, BOOL, "the hex pane is open at first", "false"),
    VIEW(context, BOOL, "the context pane is open at first", "false"),
    VIEW(timeline, BOOL, "the timeline is open at first", "false"),
    VIEW(marks, BOOL, "the pane of marks is open at first", "false"),
    {"filter-list", OPTION_BOOL, offsetof(struct view, filter_list),
     "the list of filters is open at first", "false"},
    VIEW(origins, BOOL, "the pane of origins is open at first", "false"),
    VIEW(severity, CHOICE, "only this severity or worse at first", "all",
	 .choices = view_severities),
    VIEW(unassigned, BOOL, "a severity threshold shows messages without a severity, too", "false"),
    VIEW(filter, TEXT, "only messages that match at first, as typed after &", .check = rules_check),
    VIEW(rules, LIST, "messages with a different look; the first matching rule wins",
	 .table = &view_rule_table),
};

const struct option_table view_options_table = OPTION_TABLE("view", struct view, view_rows);

bool
view_can_set(const struct option_row *row)
{
	return row->type != OPTION_LIST && row->type != OPTION_STRUCT;
}

enum column_kind
column_kind(const char *name)
{
	int kind = 0;
	while (kind < COLUMN_VALUE && strcmp(name, column_names[kind]) != 0)
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
