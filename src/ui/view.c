/* The options of a view: see view.h. */
#include "config.h"

#include "ui/view.h"
#include "decode/registry.h"
#include "ui/list/rules.h"

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

const char *const view_severities[] = {
    [SEVERITY_MAX] = "all",	    [SEVERITY_FATAL] = "fatal", [SEVERITY_ERROR] = "error",
    [SEVERITY_WARNING] = "warning", [SEVERITY_INFO] = "info",	[SEVERITY_USER1] = "user1",
    [SEVERITY_USER2] = "user2",	    [SEVERITY_DEBUG] = "debug", [SEVERITY_COUNT] = NULL};
static const char *const roles[] = {
#define ROLE(id, name, help) [ROLE_##id] = (name),
#include "ui/screen/role.def"
#undef ROLE
    [ROLE_COUNT] = NULL};

static const char *const column_names[COLUMN_FIELD] = {
    [COLUMN_NUMBER] = "number", [COLUMN_TIME] = "time",	    [COLUMN_DELTA] = "delta",
    [COLUMN_TRACE] = "trace",	[COLUMN_ORIGIN] = "origin", [COLUMN_SEVERITY] = "severity",
    [COLUMN_TYPE] = "type",	[COLUMN_TEXT] = "text",	    [COLUMN_OFFSET] = "offset",
    [COLUMN_LENGTH] = "length"};

static const char *
column_name(size_t i)
{
	return i < COLUMN_FIELD ? column_names[i] : decoder_field_name(i - COLUMN_FIELD);
}

/* Which contexts there are is said by the profile, which a view does not know. */
static const char *
check_column(const char *text, char buffer[static 256])
{
	static const char context[] = "context.";
	if (!strncmp(text, context, sizeof context - 1) && text[sizeof context - 1])
		return NULL;
	return option_check_name("a column: number, time, ..., a field of trawl --list-fields, or "
				 "context.NAME",
				 column_name, text, buffer);
}

static const struct option_row column_rows[] = {
    {.name = "name",
     .type = OPTION_TEXT,
     .member = offsetof(struct column, name),
     .required = true,
     .check = check_column,
     .help = "number, time, delta, trace, origin, severity, type, text, offset, length, a field "
	     "of the format, or context.NAME"},
    {.name = "title",
     .type = OPTION_TEXT,
     .member = offsetof(struct column, title),
     .help = "in the header instead of the name"},
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
    {.name = "raw",
     .type = OPTION_BOOL,
     .member = offsetof(struct column, raw),
     .standard = "false",
     .help = "the number: of a field not its meaning, of times ticks, of origins the key"},
};
static const struct option_table column_table = OPTION_TABLE("columns", struct column, column_rows);

static const struct option_row rule_rows[] = {
    {.name = "filter",
     .type = OPTION_TEXT,
     .member = offsetof(struct view_rule, filter),
     .required = true,
     .check = rules_check,
     .help = "which messages, as typed after &: an expression of trawl-filter(7) or a regular "
	     "expression"},
    {.name = "role",
     .type = OPTION_CHOICE,
     .member = offsetof(struct view_rule, role),
     .choices = roles,
     .required = true,
     .help = "the role of the theme that their rows take"},
};
static const struct option_table rule_table = OPTION_TABLE("rules", struct view_rule, rule_rows);

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
    {.name = "bar",
     .type = OPTION_BOOL,
     .member = offsetof(struct view, bar),
     .standard = "false",
     .help = "a column at the right of the list: which part of the capture is shown (|), and where "
	     "in it are marks, errors (E), and matches of the search or else of the filters (=)"},
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
    {.name = "context",
     .type = OPTION_BOOL,
     .member = offsetof(struct view, context),
     .standard = "false",
     .help = "the context pane is open at first"},
    {.name = "timeline",
     .type = OPTION_BOOL,
     .member = offsetof(struct view, timeline),
     .standard = "false",
     .help = "the timeline is open at first"},
    {.name = "marks",
     .type = OPTION_BOOL,
     .member = offsetof(struct view, marks),
     .standard = "false",
     .help = "the pane of marks is open at first"},
    {.name = "filter-list",
     .type = OPTION_BOOL,
     .member = offsetof(struct view, filter_list),
     .standard = "false",
     .help = "the list of filters is open at first"},
    {.name = "origins",
     .type = OPTION_BOOL,
     .member = offsetof(struct view, origins),
     .standard = "false",
     .help = "the pane of origins is open at first"},
    {.name = "severity",
     .type = OPTION_CHOICE,
     .member = offsetof(struct view, severity),
     .choices = view_severities,
     .standard = "all",
     .help = "only this severity or worse at first"},
    {.name = "unassigned",
     .type = OPTION_BOOL,
     .member = offsetof(struct view, unassigned),
     .standard = "true",
     .help = "messages without a severity are shown at first"},
    {.name = "filter",
     .type = OPTION_TEXT,
     .member = offsetof(struct view, filter),
     .check = rules_check,
     .help = "only messages that fit at first, as typed after &"},
    {.name = "rules",
     .type = OPTION_LIST,
     .member = offsetof(struct view, rules),
     .table = &rule_table,
     .help = "messages whose rows look different; the first rule that fits wins"},
};

const struct option_table view_options_table = OPTION_TABLE("view", struct view, view_rows);

enum column_kind
column_kind(const char *name)
{
	int kind = 0;
	while (kind < COLUMN_FIELD && strcmp(name, column_names[kind]) != 0)
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
